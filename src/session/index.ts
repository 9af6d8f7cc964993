export type { Formatted, News } from "./aftermath.js";
export { audience } from "./agent.js";
export { conflictIn, type FileRequest, foldedName } from "./call.js";
export { undoneIds } from "./chain.js";
export type { ForeignChange } from "./change.js";
export type { Consideration, ForeignWrite, Glance, Unsure } from "./consider.js";
export { type Decision, type GatePolicy, gate, promptRules, type Seen } from "./gate.js";
export type { Healed } from "./healing.js";
export type { LostCause, LostEdit, LostNotice } from "./lost.js";
export type { DisplayedHunk, ObservedWrite } from "./made.js";
export { type MemoryFiles, memoryFiles, memoryStore } from "./memory.js";
export type { Observation } from "./observing.js";
export { quoteAgain, refusal, withoutAnchors } from "./plain.js";
export * from "./ports.js";
export type { Touched } from "./quoted.js";
export type { GrepRequest, ReadRequest } from "./reading.js";
export { type RefreshOptions, withRefresh } from "./refresh.js";
export type { RestoreRequest } from "./restore.js";
export type { RestoreDetails, RestoredFile, RestoreRefusal } from "./restored.js";
export type {
  BatchDetails,
  BatchRefusal,
  BatchResult,
  EditResult,
  ReadDetails,
  Result,
  SearchDetails,
} from "./result.js";
export { asAsked, expressionOf } from "./searching.js";
export {
  type EditRequest,
  type MultiEditRequest,
  type Plan,
  Session,
  type SessionOptions,
} from "./session.js";
export { shown } from "./shown.js";
export type { Commits, Committed, LostRequest } from "./survey.js";
export { isCollision, isTakingBack } from "./thrown.js";
export type { UndoDetails, UndoRequest } from "./undo.js";
