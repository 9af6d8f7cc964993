// What does a session need of the world? Files, store, clock; and both in memory.

export {
  type Cancellation,
  type Content,
  type Fence,
  type FileId,
  type Files,
  foldedName,
  type Held,
  type Intent,
  type Measure,
  OutsideScope,
  PortError,
  type SearchHit,
  type SearchQuery,
  type SearchResult,
  throwIfAborted,
  type Write,
} from "./files.js";
export { type MemoryFiles, memoryFiles } from "./memory-files.js";
export { idsIn, isAskedFor, memoryStore } from "./memory-store.js";
export { asAsked, expressionOf } from "./search-pattern.js";
export {
  agentRecord,
  type Clock,
  type Commits,
  type Committed,
  type FileOutcome,
  type FileRecord,
  type JournalEntry,
  type JournalNews,
  type JournalQuery,
  type Json,
  keptVersion,
  type LedgerStore,
  type NamedRecord,
  type NewVersion,
  type Outcome,
  onlooker,
  type PutAway,
  type RecordedLedger,
  type StoreReader,
  tokensRecord,
  type Unit,
} from "./store.js";
export type { TreeWatch } from "./tree-watch.js";
