// Where is the record of a tree that several hosts work on? In PostgreSQL, behind the same port as the folder's.

export { hidden } from "./database/hidden.js";
export { type FleetStore, fleetStore } from "./fleet-store.js";
export type { StoreHealth } from "./health.js";
export type { FleetOptions } from "./options.js";
export { OtherTree } from "./other-tree.js";
