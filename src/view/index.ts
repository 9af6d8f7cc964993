// What do people see? The state of a tree with its agents, as data, as a page and as a terminal screen.

export type { ActionAnswer, ViewMessage } from "./contract.js";
export { Feed } from "./feed.js";
export { eventRow, screenOf } from "./screen.js";
export { type Asset, startViewServer, type ViewActions, type ViewServer } from "./server.js";
export { type Window, watchWindow } from "./terminal.js";
export { TreeView } from "./tree-view.js";
