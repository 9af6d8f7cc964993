// Which line became which? Changes as values, comparison of texts, the history of a file.

export { hasOnlyOtherBlanks, heal, indentUnit, overBlanks, withoutOuterBlanks } from "./blanks.js";
export { compare, compareLines } from "./compare.js";
export {
  type BelievedText,
  History,
  hashFrom,
  keptHash,
  nextStates,
  type State,
  stretches,
} from "./history.js";
export { pairLayout, withoutLayout } from "./layout.js";
export { hunksOf, LineChange, type Region } from "./line-change.js";
export { unifiedDiff } from "./unified-diff.js";
