export { type Anchor, type AnchorProblem, parseLineRef, resolveLineRef } from "./anchor.js";
export {
  type ApplyOptions,
  type ApplyRefusal,
  type ApplyResult,
  applyEdits,
  HashlineMismatchError,
} from "./apply.js";
export { overBlanks } from "./blanks.js";
export { chained, type Doubtful } from "./chained.js";
export { Change, type Hunk } from "./change.js";
export { type Choice, choicePlaces, openAnchors } from "./choices.js";
export { latin1Codec } from "./codec.js";
export { compare } from "./compare.js";
export { copiedAnchors, withoutCopied } from "./copied.js";
export {
  type Codec,
  Document,
  type ParseOptions,
  type Splice,
  sameBytes,
  splitText,
  wholeFile,
} from "./document.js";
export { type Door, dryRunDoor, libraryDoor, rangesJson, requestJson, retryJson } from "./door.js";
export { type Edit, type FileOperation, normaliseEdits, operations } from "./edit.js";
export {
  type Applied,
  applySplices,
  type EditOutcome,
  type EngineOptions,
  hinted,
  nulMakesBinary,
  type OnStale,
  type Refused,
  type Remap,
  run,
  runEdits,
  shapeProblems,
} from "./engine.js";
export { type Code, codes, decidingCode, exitStatus } from "./error.js";
export { firstPlaces, hunkSplices } from "./firstplace.js";
export { goneQuote, outgrown, type QuotedPlace } from "./gone.js";
export { digest } from "./hash.js";
export { type Believed, History, nextStates, type State, stretches } from "./history.js";
export { type Fate, LineMap, type Region } from "./linemap.js";
export {
  defaultLimit,
  formatHashLineBytes,
  formatHashLines,
  type Labels,
  type Listing,
  type ListOptions,
  listRows,
  type Row,
  readLineRange,
  selectLines,
} from "./listing.js";
export { type Meant, meantBy } from "./meant.js";
export type { Piece } from "./meeting.js";
export type { Named } from "./named.js";
export { againLine, choiceLines, overText, takenBackText } from "./offers.js";
export { coversLines, type Quote, taken, textOf } from "./offsets.js";
export { PatchError, type PatchHunk, parseCreation, parseUpdate } from "./patch.js";
export { hunkQuotes, placeHunks, uniqueQuotes } from "./placing.js";
export { anchorOf, type Cause, type Mismatch, mismatch, type Problem, problem } from "./problem.js";
export { placesOf, quotesIn } from "./quote.js";
export { compactLineRanges, LineSet, lineIndexes, mergeRanges, type Range } from "./ranges.js";
export {
  type HashMismatch,
  type RefusalDetails,
  refusalDetails,
  selectRows,
  spokenScheme,
  tooLong,
} from "./refusal.js";
export {
  goneLines,
  quotedLines,
  type Replaced,
  replaceQuotes,
  replaceStanding,
} from "./replace.js";
export {
  changedRanges,
  dryRunBegins,
  type EditToolDetails,
  editsAgain,
  nextStep,
  notRead,
  refusalBody,
  refusalText,
  rejected,
  removeFirst,
  resultText,
  unrecordedText,
} from "./report.js";
export { type Gate, resolveNamed } from "./resolve.js";
export { isPrintable } from "./rows.js";
export { computeLineHash, formatLineTag, type SchemeName, scheme, schemes } from "./scheme.js";
export { hasKey, holdsKey, withoutSecrets } from "./secrets.js";
export { runStateless } from "./stateless.js";
export { streamHashLines } from "./stream.js";
export { unifiedDiff } from "./unified.js";
export type { Showing, View } from "./view.js";
export { diffName, visible, visibleText, withVisible } from "./visible.js";
export { widened } from "./whereabouts.js";
