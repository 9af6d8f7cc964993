/** What the course has to know of one client. A client joins with one file in drivers/ and a line in drivers/index.ts. */
import type { Call, Question } from "./model/protocol.js";
import type { Place } from "./place.js";

export interface Driver {
  /** Client and version; also its folder in the cache. */
  readonly name: string;
  readonly title: string;
  /** Its name for `kedge install`. */
  readonly client: string;
  /** What npm installs, with the version pinned. */
  readonly package: string;
  readonly program: string;
  /** The version of Node that it needs, if that is newer than the oldest one that Kedge runs on. */
  readonly node?: number;
  /** Writes the client's configuration: the scripted model, and nothing that asks or phones. */
  configure(place: Place, url: string): void;
  /** Arguments and variables for one run; `resumes` goes on with the last conversation. */
  command(prompt: string, run: { place: Place; url: string; resumes: boolean }): Command;
  readonly calls: Calls;
  /** Questions besides titles that belong to no conversation, such as for a summary. */
  isSide?(question: Question): boolean;
  /** Brings the guard as a plugin, from its folder alone: with the client's own commands, or by copying; absent: it takes none. */
  plugin?(place: Place, client: (...args: string[]) => void): void;
  /** What it adds to results on its own account, whatever was done: left out of the records. */
  readonly reminders?: RegExp;
  /** Scenarios that the client's own check refuses before it asks a hook. */
  readonly refusesFirst?: readonly string[];
  /** Scenarios that the client's own check refuses though the agent has seen the lines: the guard has nothing to add. */
  readonly refusesAnyway?: readonly string[];
  /** How the client is brought to compact without a person; absent: it cannot be. */
  readonly compaction?: Compaction;
  /** Arguments that take the conversation back to its last answer so far; absent: only a person can do that. */
  pointOf?(place: Place): readonly string[];
  /** Has the client run a program over a file after each of its edits; absent: it has no such thing. */
  formatter?(place: Place, program: string): void;
  /** The formatter is certainly done before the guard looks at the file for the last time. */
  readonly formatsFirst?: boolean;
}

export interface Command {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * By a prompt of its own between two runs; by a reply that claims to have used so many tokens; or by such a reply at the
 * end of a run, so that the next one begins with it.
 */
export type Compaction =
  | { readonly by: "prompt"; readonly prompt: string }
  | { readonly by: "tokens"; readonly tokens: number }
  | { readonly by: "resuming"; readonly tokens: number };

/** The neutral calls in the client's words. Paths are absolute. */
export interface Calls {
  read(path: string, lines?: Lines): Call;
  edit(path: string, oldText: string, newText: string): Call;
  write(path: string, content: string): Call;
  shell(command: string): Call;
  /** A subagent with that prompt; absent: it has none, or none that the course drives. */
  delegate?(prompt: string): Call;
}

export interface Lines {
  readonly first: number;
  readonly count: number;
}
