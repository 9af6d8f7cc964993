// How is a line named, printed and read back? Schemes, anchors, listings.

export {
  type Anchor,
  type AnchorProblem,
  anchorAt,
  parseLineRef,
  resolveLineRef,
  stripAnchors,
} from "./anchor.js";
export {
  defaultLimit,
  formatHashLines,
  formatRow,
  isPrintable,
  type Labels,
  type Listing,
  linesToRead,
  listRows,
  longestLine,
  notShown,
  type Row,
  readLineRange,
  selectLines,
} from "./listing.js";
export { streamHashLines } from "./listing-stream.js";
export { computeLineHash, formatLineTag, type SchemeName, scheme, schemes } from "./scheme.js";
