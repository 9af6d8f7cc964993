// What changed in the working tree, and who did it? Looks around commands, authors by evidence, the journal of both.

export { type Taking, takenByGit } from "./commands/git-takes.js";
export { entriesByFile, movesTo, trailOf } from "./looks/former-names.js";
export { openTree, watchTree } from "./open-tree.js";
export { recording } from "./recording.js";
export type { Moment, Observed, Tree } from "./tree.js";
export { type OnRecord, treeOnRecord } from "./tree-record.js";
export type { TreeWatcher } from "./watcher.js";
