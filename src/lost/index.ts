// What work was lost, and how does it come back? Undo, lost edits, restore.

export type { LostRequest } from "./find-lost.js";
export { forget } from "./forget.js";
export { type LostCause, type LostEdit, type LostNotice, lost, lostBy } from "./lost.js";
export { undoneIds } from "./places/file-journal.js";
export { type RestoreRequest, restore } from "./restore.js";
export { editNames, type RestoreDetails, type RestoredFile, type RestoreRefusal } from "./restore-result.js";
export { CannotUndo } from "./take-back.js";
export { type UndoDetails, type UndoRequest, undo } from "./undo.js";
