// What does a session need of the world? Files, store, clock; and both in memory.

export {
  type Cancellation,
  type Content,
  type FileId,
  type Files,
  foldedName,
  type Held,
  type Measure,
  PortError,
  type SearchHit,
  type SearchQuery,
  type SearchResult,
  throwIfAborted,
  type Write,
} from "./files.js";
export { type MemoryFiles, memoryFiles, memoryStore } from "./memory.js";
export { asAsked, expressionOf } from "./search-pattern.js";
export type { Clock, Commits, Committed, JournalEntry, Json, LedgerStore } from "./store.js";
