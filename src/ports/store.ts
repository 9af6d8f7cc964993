/** The records between calls, and how they are asked for. */
import type { Code } from "../edits/index.js";
import type { Range } from "../text/index.js";
import type { Fence, FileId, Intent } from "./files.js";

/** A text that a file had in a commit; null: the commit deleted it. */
export interface Committed {
  readonly time: number;
  readonly bytes: Uint8Array | null;
}

/** A text of a file that is put aside, and the name of its place. */
export interface PutAway {
  readonly name: string;
  readonly time: number;
  readonly bytes: Uint8Array;
}

/** A version control system, asked only when something looks lost: what is in a commit is not. */
export interface Commits {
  /** The commits that changed the file since then; those that only keep work aside do not count. */
  of(file: FileId, since: number): Promise<readonly Committed[]>;
  /** Texts of the file that are put aside, the newest first. */
  putAway?(file: FileId): Promise<readonly PutAway[]>;
  /** Where the file is in the present work tree, if the one that it was in is gone; else null. */
  presentPath?(key: string, tree: string): Promise<string | null>;
}

/** A line of the journal: one file of a commit, a refusal, edits of a file that were found to be lost, or a move of HEAD. */
export interface JournalEntry {
  readonly id: string;
  readonly time: number;
  readonly agent: string;
  readonly tool: string;
  readonly kind: "commit" | "refusal" | "undo" | "lost" | "head";
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
  /** For a move: the key of the file there. */
  readonly toFile?: string;
  /** Those of whom one made the change, where it cannot be told which; `agent` then names all of them. */
  readonly authors?: readonly string[];
  /** The change is one of layout alone: lines keep their authors. */
  readonly reformat?: boolean;
  /** The text after is git's own: the change is nobody's work. */
  readonly clean?: boolean;
  /** The text after lay there when the file was looked at first: somebody's work, and no edit that an undo means unnamed. */
  readonly initial?: boolean;
  /**
   * Lines of the text before, as LineSet.toJSON, that the change removed: it is no edit that replaced them. None: all of a file
   * of which no text is on record.
   */
  readonly swept?: readonly number[];
  /** HEAD of the work tree went from one commit to another, which changed so many files. */
  readonly head?: { readonly from: string; readonly to: string; readonly files: number };
  /** How many folders were made for a file that was not there: an undo takes them away again. */
  readonly folders?: number;
}

/** Plain JSON, made and read by the session alone. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Which entries of the journal are asked for; what is left out does not matter. */
export interface JournalQuery {
  /** Keys of files. */
  readonly files?: readonly string[];
  /** Keys of files to which the entry moved another one. */
  readonly movedTo?: readonly string[];
  readonly agent?: string;
  /** Entries that have one of these as their id or their batch, or that name it: its undo, its loss, its restore. */
  readonly ids?: readonly string[];
  readonly since?: number;
  /** The newest so many of them. */
  readonly last?: number;
}

/** New entries, and the place in the journal up to which they were read. */
export interface JournalNews {
  /** Oldest first. */
  readonly entries: readonly JournalEntry[];
  /** Opaque; a store reads back its own. */
  readonly mark: string;
}

/** The record of a file, as one agent needs it. The JSON is never changed, by either side. */
export interface FileRecord {
  /** The number of the first of `states`: they are counted from 0 on, and a store may have dropped the oldest. */
  readonly first: number;
  /** The states that the file was in, oldest first: all since the one that the ledger was saved to need (`since`). */
  readonly states: readonly Json[];
  /** The agent's ledger of the file; null: nothing is recorded. */
  readonly ledger: Json | null;
}

/** A small record under a name of its own, for programs that remember how far they have looked. */
export interface NamedRecord {
  readonly value: Json;
  /** Another one whenever the record was put. */
  readonly mark: string;
}

/** The named record with the tokens of a tree. No bound of age removes it. */
export const tokensRecord = "tokens";

/** The record of an agent across files. A unit loads it with the rest. */
export function agentRecord(agent: string): string {
  return `agent ${agent}`;
}

/** Nobody: texts are kept in this name that no agent touched. A host keeps these texts to itself. */
export const onlooker = "tree";

/** The questions to a store, outside a unit or, by its connection, inside. */
export interface StoreReader {
  /** Returns the record of a file, as it is now: without a lock, unless a unit holds the file. */
  look(file: string, agent: string): Promise<FileRecord>;
  /** Texts by their versions; those that were never kept, or are gone, are missing. */
  versions(ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Oldest first. A query costs what it returns, whatever the journal's length. */
  journal(query?: JournalQuery): Promise<readonly JournalEntry[]>;
  /** Entries since a mark, whoever wrote them; null: none, but the mark of the journal's end. */
  journalSince(mark: string | null): Promise<JournalNews>;
  record(name: string): Promise<NamedRecord | null>;
}

/** A text to be kept. `base`: a text of the same file that it is much like, and that was kept before. */
export interface NewVersion {
  readonly id: string;
  readonly bytes: Uint8Array;
  /** The key of the file. */
  readonly file: string;
  readonly base?: { readonly id: string; readonly bytes: Uint8Array };
}

/** The new record of a file. */
export interface FileOutcome {
  readonly file: string;
  /** The key of a held file whose record, with all ledgers, takes the place of this file's before anything else. */
  readonly like?: string;
  /** Everything recorded of the file, with all ledgers, is forgotten. */
  readonly isGone?: true;
  /** The states from number `from` on; those before stay. */
  readonly states?: { readonly from: number; readonly states: readonly Json[] };
  /** The ledger of the unit's agent, which refers to no state before number `since`. */
  readonly ledger?: { readonly record: Json; readonly since: number };
}

/** Everything that a call writes down. */
export interface Outcome {
  readonly files: readonly FileOutcome[];
  readonly versions: readonly NewVersion[];
  readonly entries: readonly JournalEntry[];
  readonly records: readonly { readonly name: string; readonly value: Json }[];
}

/** One call on some files: what it needs is loaded, and what comes of it is written in one go. */
export interface Unit extends StoreReader {
  /** Absent where the locks of `Files` are all there is. */
  readonly fence?: Fence;
  /** May be called again for what came up since. */
  finish(outcome: Outcome): Promise<void>;
}

/** The ledger of one agent on one file. */
export interface RecordedLedger {
  readonly file: string;
  readonly agent: string;
  readonly ledger: Json;
}

/**
 * Where ledgers, journal and versions live: few big operations, so that a database takes one round trip for each.
 *
 * A call is a unit: beginning it loads, for each of its files, the states and the agent's own ledger, and the agent's
 * record; its body may look up versions and the journal; `finish` writes everything down. With the intent of a fence an
 * edit takes three round trips at most, and two where the intent is known when it begins. Ledgers are kept by file and agent, so no call reads or writes what others were shown.
 * States are numbered for good: what refers to one need not be changed when the oldest are dropped. A unit begins
 * while `Files.hold` has the files, which is lock enough on one machine; a store that several machines share takes
 * locks of its own when the unit begins, and gives it a fence. Inside a unit only the unit is asked: it has one connection,
 * and a pool that is smaller than the number of agents never waits for itself.
 */
export interface LedgerStore extends StoreReader {
  /** `intent`: the one that a commit of the call will probably have. The store may write it down when the unit begins. */
  unit<T>(
    files: readonly FileId[],
    agent: string,
    body: (unit: Unit) => Promise<T>,
    intent?: Intent,
  ): Promise<T>;
  /** Entries that belong to no unit. */
  append(entries: readonly JournalEntry[]): Promise<void>;
  /**
   * `was`: the mark of the record that is replaced, null if there must be none. False, and nothing is written, if the
   * record is another one by now.
   */
  putRecord(name: string, value: Json, was?: string | null): Promise<boolean>;
  /** The ledgers of everybody. */
  ledgers(): Promise<readonly RecordedLedger[]>;
}

/** One text; null if it is not kept. */
export async function keptVersion(
  store: Pick<StoreReader, "versions">,
  id: string,
): Promise<Uint8Array | null> {
  return (await store.versions([id])).get(id) ?? null;
}

/** The time, from outside: the session itself has no clock. */
export type Clock = () => number;
