// Which line became which? Changes as values, comparison of texts, the history of a file.

export { hasOnlyOtherBlanks, heal, indentUnit, overBlanks, withoutOuterBlanks } from "./blanks.js";
export { compare, compareLines } from "./compare.js";
export {
  type BelievedText,
  History,
  hashFrom,
  type KeptText,
  keptHash,
  type State,
} from "./history.js";
export { pairLayout, withoutLayout } from "./layout.js";
export { hunksOf, LineChange, type Region, readChange } from "./line-change.js";
export { type Step, Timeline } from "./timeline.js";
export { unifiedDiff } from "./unified-diff.js";
