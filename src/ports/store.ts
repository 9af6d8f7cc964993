/** Looks which live edits of the journal do not stand in their files any more. */
import type { Code } from "../edits/index.js";
import type { Range } from "../text/index.js";
import type { FileId } from "./files.js";

/** A text that a file had in a commit; null: the commit deleted it. */
export interface Committed {
  readonly time: number;
  readonly bytes: Uint8Array | null;
}

/** A version control system, asked only when something looks lost: what is in a commit is not. */
export interface Commits {
  /** What commits made since then did to the file; those that only keep work aside do not count. */
  of(file: FileId, since: number): Promise<readonly Committed[]>;
  /** Where the file is in the present work tree, if the one that it was in is gone; else null. */
  presentPath?(key: string, tree: string): Promise<string | null>;
}

/** A line of the journal: one file of a commit, a refusal, or edits of a file that were found to be lost. */
export interface JournalEntry {
  readonly id: string;
  readonly time: number;
  readonly agent: string;
  readonly tool: string;
  readonly kind: "commit" | "refusal" | "undo" | "lost";
  readonly path: string;
  /** Key of the file. */
  readonly file: string;
  readonly before: string | null;
  readonly after: string | null;
  /** Changed lines, in the numbers after a commit, or those a refusal was about. */
  readonly lines: readonly Range[];
  /** The exact change of a commit, as LineChange.toJSON. */
  readonly change?: readonly number[];
  /** Files committed together share it. */
  readonly batch?: string;
  readonly relocated?: number;
  readonly code?: Code;
  readonly cause?: string;
  /** Ids of the edits that were lost, or that a restore brought back. */
  readonly edits?: readonly string[];
  /** Ids of edits of a work tree that is gone: this commit made them in another one. */
  readonly instead?: readonly string[];
  /** The linked work tree that the file is in; a store on disk adds it. */
  readonly tree?: string;
  /** For a move: where the file went. */
  readonly to?: string;
  /** How many folders were made for a file that was not there: an undo takes them away again. */
  readonly folders?: number;
}

/** Plain JSON, made and read by the session alone. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Where a ledger lives. Records are opaque; each is replaced as a whole and read as a whole. */
export interface LedgerStore {
  /** What is recorded of a file, for all agents. Only called for writing while the file is held. */
  file(key: string): Promise<Json | null>;
  saveFile(key: string, record: Json): Promise<void>;
  /** Another one whenever somebody recorded something of the file; "" if nothing is. Absent where asking is no quicker. */
  stamp?(key: string): Promise<string>;
  /** Keys of all files of which something is recorded. */
  files(): Promise<readonly string[]>;
  /** What is recorded of an agent, across files. */
  agent(id: string): Promise<Json | null>;
  saveAgent(id: string, record: Json): Promise<void>;
  /** A version's bytes, by content; null if it was never kept or is gone. */
  version(id: string): Promise<Uint8Array | null>;
  keepVersion(id: string, bytes: Uint8Array): Promise<void>;
  append(entry: JournalEntry): Promise<void>;
  /** Oldest first. */
  journal(filter?: { readonly file?: string; readonly since?: number }): Promise<readonly JournalEntry[]>;
}

/** The time, from outside: the session itself has no clock. */
export type Clock = () => number;
