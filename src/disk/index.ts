// How is a file read and replaced, so that it is wholly old or wholly new?

export { type Plan, Plans } from "./batch-plan.js";
export { clearBeside, Recovery, settle } from "./batch-recovery.js";
export { commitBatch, HalfDone } from "./commit-batch.js";
export { commitOne, isShared, isTemporaryName, plainIntent, type Target } from "./commit-file.js";
export { type Disk, isBehind } from "./folder-handle.js";
export { measureBeside } from "./measure.js";
export { defaultLimits, type Limits, moved, openReal, Recent, useOpened } from "./read-file.js";
export { hasBytes } from "./replaced-file.js";
export { type Place, Roots } from "./roots.js";
export { Scope } from "./scope.js";
export { Bound, missingFolders, removeFolders } from "./temp-file.js";
