// May another program's tool do this to a file, and what did it do?

export { type Glance, glance } from "./glance.js";
export type { Healed, QuotedRows } from "./healing.js";
export {
  type Consideration,
  consider,
  type ForeignWrite,
  preview,
  type Unsure,
} from "./judge-write.js";
export { type Formatted, formatted, type News, news } from "./news.js";
export { type Observation, observe } from "./observe-rows.js";
export { follow, recordWrite } from "./record-write.js";
export type { DisplayedHunk, ObservedWrite } from "./written-texts.js";
