import type { FileId } from "./files.js";

/** The working tree around a session: what changes there with no tool telling of it goes on record. */
export interface TreeWatch {
  /** Before a call changes files whose text no entry of the journal tells of; none named: it may be any. */
  before(files: readonly FileId[]): Promise<void>;
  /** A call reads this file. */
  reads(file: FileId): void;
  /** A call has its answer: nobody waits for what is looked at from now on. */
  answered(): void;
}
