// What does a call ask for, and which lines does it name? Edits, anchors and quotes, located in the text that was shown.

export {
  type AddLines,
  type CreateFile,
  type DeleteFile,
  type DeleteLines,
  type Edit,
  editsFromJson,
  type InsertLines,
  type Lines,
  type MoveFile,
  type PlaceLines,
  type ReplaceLines,
  type ReplaceText,
  type SetLine,
} from "./advertised-edit.js";
export { type Meant, meantBy } from "./blank-match.js";
export { type Code, codes, decidingCode, exitStatus } from "./codes.js";
export { conflict, forgotten, gapRows, ownChange, sourceConflict } from "./conflict.js";
export {
  type Complaint,
  type Fields,
  type FileOperation,
  isFields,
  normaliseEdits,
  operations,
  type ParsedEdit,
  type Ref,
} from "./edit.js";
export { badOnes, linesMeant, locate } from "./locate-anchor.js";
export { locateText, textHunks } from "./locate-quote.js";
export {
  byBase,
  type Located,
  type LocatedEdit,
  newestShown,
  ourChange,
  ourHunks,
  recoveryWindow,
  type Showing,
  type Span,
  unrecordedView,
  type View,
} from "./located-edit.js";
export {
  anchorOf,
  type Cause,
  type Mismatch,
  mismatch,
  type OpenAnchor,
  type Problem,
  problem,
  widened,
} from "./problem.js";
export {
  followable,
  goneQuote,
  outgrown,
  type Sighting,
  type SoughtQuote,
  shownSightings,
  sightingsIn,
} from "./quote-sightings.js";
export {
  asTheToolTakes,
  hasOverlaps,
  isTerminated,
  lastAtMost,
  lineStarts,
  placesFor,
  placesOf,
  type Quote,
  quotesIn,
  terminated,
  textOf,
} from "./text-search.js";
export { carryingLines } from "./unprinted-anchor.js";
