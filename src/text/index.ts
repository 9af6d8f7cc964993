// What are the lines of these bytes? Documents, their encodings and hashes; values in, values out.

export { AgentColours, hueOf, terminalColour } from "./agent-colour.js";
export { clientOf, displayName, outside, shortAgentName } from "./agent-name.js";
export {
  type Codec,
  codedFormat,
  type Format,
  headFormat,
  headLength,
  latin1Codec,
  nextLineFeed,
  utf8Codec,
  withoutBom,
} from "./codec.js";
export { Document, type HashSource, isSameBytes, type ParseOptions, wholeFile } from "./document.js";
export { cksum, digest, shortHash, utf8, xxh32 } from "./hash.js";
export { hashText, hexRows } from "./line-scanner.js";
export {
  compactLineRanges,
  fewRanges,
  LineSet,
  lineIndexes,
  mergeRanges,
  type Range,
} from "./line-set.js";
export { Recent } from "./recent.js";
export { hasKey, withoutSecrets } from "./secrets.js";
export { type Hunk, splitText } from "./splice.js";
export { diffName, visible, visibleText, withVisible } from "./visible.js";
