/** What the contract has to know of one client. A client joins with one file here and a line in index.ts. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export type Payload = Readonly<Record<string, unknown>>;

/** Who calls, and where. */
export interface Who {
  readonly conversation: string;
  readonly subagent?: string;
  readonly cwd: string;
}

export interface Replacement {
  readonly old: string;
  readonly new: string;
  readonly all?: boolean;
}

/** One file of a patch. An update without hunks only moves. */
export type Section =
  | { readonly do: "add"; readonly path: string; readonly content: string }
  | { readonly do: "delete"; readonly path: string }
  | {
      readonly do: "update";
      readonly path: string;
      readonly to?: string;
      readonly hunks: readonly Replacement[];
    };

/** What a model asks for, in no client's words. Replaced text is whole lines, without the last line's end. */
export type Action =
  | {
      readonly do: "read";
      readonly path: string;
      readonly lines?: { readonly first: number; readonly last: number };
    }
  | { readonly do: "edit"; readonly path: string; readonly edits: readonly Replacement[] }
  | { readonly do: "write"; readonly path: string; readonly content: string }
  | { readonly do: "patch"; readonly sections: readonly Section[] }
  | { readonly do: "notebook"; readonly path: string; readonly cell: string; readonly source: string }
  | { readonly do: "grep"; readonly pattern: string; readonly path: string }
  | { readonly do: "shell"; readonly command: string };

/** What came of a call: the events that follow. They are made when they are sent, of the files as they are then. */
export interface Done {
  /** The client refused it, or the tool failed. */
  readonly failed: string | null;
  /** What the tool showed to the model. */
  readonly printed: string;
  /** As soon as the tool has run. */
  readonly after: () => Payload[];
  /** When a formatter has run too. */
  readonly settled: () => Payload[];
}

export interface Call {
  /** Asked before the tool runs; null: the client asks nothing of the kind. */
  readonly before: Payload | null;
  /** The client refuses it by itself, and does not ask. */
  readonly refusal?: () => Done | null;
  /** Does it, with the arguments that the guard gave back if it did. */
  readonly run: (rewritten: Payload | null) => Done;
}

export interface Reply {
  readonly deny: string | null;
  /** Arguments to run the tool with instead. */
  readonly input: Payload | null;
  /** For the model. */
  readonly tell: string | null;
  /** For the person. */
  readonly say: string | null;
}

export type Ability =
  | "subagents"
  /** Its tool also takes text that stands there with other blanks. */
  | "loose"
  | "several edits"
  | "all"
  | "patch"
  | "heredoc patch"
  | "notebook"
  | "grep"
  | "rewriting"
  /** An event tells that an edit failed. */
  | "failures"
  | "fold";

export interface Driver {
  readonly client: string;
  /** Folders of captured payloads. */
  readonly versions: readonly string[];
  readonly can: ReadonlySet<Ability>;
  /** How a refusal names the client's own way to read this file. */
  readonly reads: (path: string) => RegExp;
  readonly begin: (who: Who) => Payload;
  /** The conversation was compacted. */
  readonly fold: (who: Who) => Payload[];
  readonly call: (action: Action, who: Who) => Call;
  readonly reply: (output: string | null) => Reply;
}

export const folder: string = join(import.meta.dirname, "../fixtures");
/** Where the captured conversations took place. */
export const capturedIn = "/home/user/project";

const kept = new Map<string, string>();

/** A captured payload as it came, by folder/name. */
export function captured(name: string): Payload {
  const known = kept.get(name) ?? readFileSync(join(folder, `${name}.json`), "utf8");
  kept.set(name, known);
  return JSON.parse(known) as Payload;
}

/** A captured line of a .jsonl file, by folder/name and what tells it. */
export function capturedLine(name: string, is: (line: Payload) => boolean): Payload {
  const known = kept.get(name) ?? readFileSync(join(folder, `${name}.jsonl`), "utf8");
  kept.set(name, known);
  const lines = known.split("\n").filter((line) => line !== "");
  const found = lines.map((line) => JSON.parse(line) as Payload).find(is);
  if (!found) throw new Error(`${name}.jsonl has no such line`);
  return found;
}

export function moved<T>(value: T, to: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll(capturedIn, JSON.stringify(to).slice(1, -1))) as T;
}

/** The payload with other values in it; undefined takes a field out. */
export function withValues(payload: Payload, values: Payload): Payload {
  const result: Record<string, unknown> = { ...payload, ...values };
  for (const [name, value] of Object.entries(values)) if (value === undefined) delete result[name];
  return result;
}

export function record(value: unknown): Payload {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Payload) : {};
}

export const nothing: Reply = { deny: null, input: null, tell: null, say: null };

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Clients pass over an answer in which they know a name not. */
export function only(answer: Payload, names: readonly string[]): void {
  const other = Object.keys(answer).filter((name) => !names.includes(name));
  if (other.length > 0) throw new Error(`the client does not know ${other.join(", ")}`);
}
