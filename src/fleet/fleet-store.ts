import type { Workspace } from "../host/index.js";
import { PortError } from "../ports/index.js";
import type { NodeStore, NodeStoreOptions } from "../store/index.js";
import { hidden } from "./hidden.js";

/** The options of a store on a disk count too: the notes of a host stay in its state folder. */
export interface FleetOptions extends NodeStoreOptions {
  readonly workspace: Workspace;
  /** The address of the database. */
  readonly url: string;
  /** The name of the tree. */
  readonly tree: string;
  /** Milliseconds that a lock lasts if its holder is not heard of. */
  readonly lease: number;
}

export function fleetStore({ url }: FleetOptions): NodeStore {
  throw new PortError(
    "bad_request",
    `the store ${hidden(url)} cannot be used: this build has no driver for it`,
  );
}
