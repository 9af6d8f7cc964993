// What is written down between processes? Records, versions, journal, notes, in the state folder.

export { difference, merged } from "./lines/difference.js";
export { makeWay } from "./lines/put-aside.js";
export type { Bounds } from "./prune.js";
export { recordedWorkspaces } from "./recorded-workspaces.js";
export { defaultBounds, type NodeStore, type NodeStoreOptions, nodeStore } from "./store.js";
export { pack, unpack } from "./versions.js";
export { WrittenEntries } from "./written-entries.js";
