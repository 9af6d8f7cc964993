export {
  type Anchor,
  type AnchorProblem,
  computeLineHash,
  formatHashLines,
  formatLineTag,
  parseLineRef,
  readLineRange,
  resolveLineRef,
  type SchemeName,
  streamHashLines,
} from "./anchors/index.js";
export {
  type ApplyOptions,
  type ApplyRefusal,
  type ApplyResult,
  applyEdits,
  type Door,
  type EditToolDetails,
  HashlineMismatchError,
  type HashMismatch,
  type RefusalDetails,
} from "./answers/index.js";
export type {
  BatchDetails,
  BatchRefusal,
  BatchResult,
  EditResult,
  FileRequest,
  GrepRequest,
  ReadDetails,
  ReadRequest,
  Result,
  SearchDetails,
} from "./calls/index.js";
export { type Code, codes } from "./edits/index.js";
export type {
  Consideration,
  DisplayedHunk,
  ForeignWrite,
  Formatted,
  Glance,
  News,
  Observation,
  ObservedWrite,
} from "./foreign/index.js";
export { type Decision, type GatePolicy, gate, promptRules, type Seen } from "./ledger/index.js";
export type {
  LostCause,
  LostEdit,
  LostNotice,
  LostRequest,
  RestoreDetails,
  RestoredFile,
  RestoreRefusal,
  RestoreRequest,
  UndoDetails,
  UndoRequest,
} from "./lost/index.js";
export type { ForeignChange } from "./placement/index.js";
export {
  type Cancellation,
  type Clock,
  type Commits,
  type Committed,
  type FileId,
  type Files,
  type Held,
  type JournalEntry,
  type Json,
  type LedgerStore,
  type MemoryFiles,
  memoryFiles,
  memoryStore,
  PortError,
  type SearchHit,
  type SearchQuery,
  type SearchResult,
  type Write,
} from "./ports/index.js";
export {
  type EditRequest,
  type MultiEditRequest,
  type Plan,
  type RefreshOptions,
  Session,
  type SessionOptions,
  withRefresh,
} from "./session/index.js";
export { type Codec, compactLineRanges, mergeRanges, type Range as HashMismatchRange } from "./text/index.js";
