// What becomes of one call? Judged, committed or refused, answered.

export {
  type Call,
  callOf,
  checkOptions,
  checkRequest,
  conflictIn,
  type FileRequest,
  find,
  retryOf,
} from "./call.js";
export { execute } from "./commit-call.js";
export { blocked, type Entry, judge, refused, type Verdict } from "./judge.js";
export { type Edited, newLines, type Touched, tell, unseenLines } from "./quoted-lines.js";
export { type GrepRequest, grep, type ReadRequest, read } from "./read.js";
export { type Merged, merge3, mergeChange, type Returned, writeBack } from "./reapply.js";
export { refuse } from "./refuse.js";
export {
  type BatchDetails,
  type BatchRefusal,
  type BatchResult,
  type EditResult,
  failureResult,
  type ReadDetails,
  type Result,
  refusalResult,
  type SearchDetails,
  withNamesEscaped,
} from "./result.js";
export { filesOfRetry } from "./retry-handles.js";
