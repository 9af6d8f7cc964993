// Where will another program's tool put its change? Quotes and patches as hunks, without asking what an agent has seen.

export { hunkQuotes, patchQuotes, uniqueQuotes } from "./hunk-quotes.js";
export { PatchError, type PatchHunk, parseCreation, parseUpdate } from "./patch.js";
export {
  type ForeignChange,
  type Hit,
  hunkHit,
  isSameText,
  type Placement,
  place,
  quotesOf,
  type Written,
  writtenAt,
  writtenBy,
} from "./placement.js";
export { chained, type Doubtful } from "./quote-chain.js";
