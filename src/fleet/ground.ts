import type { Disk } from "../disk/index.js";
import type { Processes } from "../host/index.js";
import type { FileId, StoreReader } from "../ports/index.js";
import type { WrittenEntries } from "../store/index.js";
import type { Leases } from "./calls/lease.js";
import type { Database } from "./database/database.js";
import type { KnownRecords } from "./known/known-records.js";
import type { VersionTexts } from "./known/version-texts.js";
import type { TreeNames } from "./tree-names.js";

/** The things that all calls of one process on one tree share. */
export interface Ground {
  readonly database: Database;
  readonly tree: string;
  readonly names: TreeNames;
  readonly written: WrittenEntries;
  readonly records: KnownRecords;
  readonly texts: VersionTexts;
  readonly leases: Leases;
  /** Milliseconds that a lock lasts. */
  readonly lease: number;
  /** Milliseconds to wait for files that others hold. */
  readonly wait: number;
  /** Milliseconds that what can also be left alone is tried. */
  readonly brief: number;
  readonly processes: Processes;
  readonly disk: Disk;
  readonly clock: () => number;
  readonly report: (line: string) => void;
  readonly reader: StoreReader;
  /** The files as the store has them, in its order. */
  columns(files: readonly FileId[]): string[];
  /** Keeps what could not be written down, for when the store is back. */
  readonly later: (call: readonly unknown[]) => void;
  /** For tests that stop a process at a certain step. */
  readonly at?: (step: "intended") => void;
}
