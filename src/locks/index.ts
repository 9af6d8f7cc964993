// Whose turn is it with a file? Locks between processes that a crash does not leave behind.

export { defaultTiming, Lock, type LockRecord, type LockTiming } from "./lock-file.js";
export { noSecondNames, Slots } from "./lock-slots.js";
export { Locks, Unfinished } from "./locks.js";
