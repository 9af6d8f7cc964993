import type { Processes, Workspace } from "../host/index.js";
import type { NodeStoreOptions } from "../store/index.js";

/** The options of a store on a disk count too: the notes of a host stay in its state folder. */
export interface FleetOptions extends NodeStoreOptions {
  readonly workspace: Workspace;
  /** The address of the database. */
  readonly url: string;
  /** The name of the tree. */
  readonly tree: string;
  /** The top of the tree on this host. */
  readonly root: string;
  /** Milliseconds that a lock lasts if its holder is not heard of. */
  readonly lease: number;
  /** The tree may be elsewhere: nothing but its record is looked at. */
  readonly isOnlooker?: boolean;
  /** Milliseconds to wait for a file that another process holds. */
  readonly wait?: number;
  /** Connections at most. */
  readonly connections?: number;
  /** Milliseconds that a call goes on trying while the database does not answer. */
  readonly patience?: number;
  /** Bytes of memory, about, for what was read or written last. */
  readonly room?: number;
  readonly processes?: Processes;
  /** Told of each question to the database. */
  readonly onTrip?: (text: string) => void;
  /** For tests that stop a process at a certain step. */
  readonly at?: (step: "intended") => void;
}
