// Which line became which? Changes as values, comparison of texts, the history of a file.

export { bare, differInBlanks, heal, indentUnit, overBlanks } from "./blanks.js";
export { compare, compareLines } from "./compare.js";
export { type Believed, History, hashFrom, keptHash, nextStates, type State, stretches } from "./history.js";
export { Change, type Hunk, LineMap, type Region } from "./line-change.js";
export { unifiedDiff } from "./unified-diff.js";
