/** A session on files in memory, told in few words. */

import { computeLineHash } from "../../src/anchors/scheme.js";
import type { FileRequest } from "../../src/calls/index.js";
import type { Result } from "../../src/calls/result.js";
import type { Edit, Lines } from "../../src/edits/index.js";
import { type MemoryFiles, memoryFiles, memoryStore } from "../../src/ports/index.js";
import type { LedgerStore } from "../../src/ports/store.js";
import { Session } from "../../src/session/session.js";
import type { SessionOptions } from "../../src/session/session-options.js";
import { textOf } from "./view.js";

export const path = "src/a.ts";

export interface Bench {
  readonly files: MemoryFiles;
  readonly store: LedgerStore;
  readonly session: Session;
  /** Milliseconds that have passed; a test may let more pass. */
  time: number;
  /** Somebody who asks nobody writes the file. */
  rudely(words: string, file?: string): void;
  /** The file now, its lines joined by blanks; null if there is none. */
  words(file?: string): string | null;
}

/** `a b c` is a file of three lines; a record names several files. */
export function bench(
  content: string | Readonly<Record<string, string>>,
  options: Partial<SessionOptions> & { readonly ignoreCase?: boolean } = {},
): Bench {
  const { ignoreCase = false, ...rest } = options;
  const given = typeof content === "string" ? { [path]: content } : content;
  const texts = Object.entries(given).map(([name, words]) => [name, textOf(words)] as const);
  const files = memoryFiles(Object.fromEntries(texts), { ignoreCase });
  const store = rest.store ?? memoryStore();
  const made: Bench = {
    files,
    store,
    time: 1_000_000,
    session: new Session({ files, store, agent: "one", clock: () => made.time++, ...rest }),
    rudely: (words, file = path) => files.set(file, textOf(words)),
    words: (file = path) => files.text(file)?.trimEnd().replaceAll("\n", " ") ?? null,
  };
  return made;
}

/** The anchor of a line, 1-based, of a text told in words. */
export function tag(words: string, line: number): string {
  const text = textOf(words).split(/\r?\n/)[line - 1] as string;
  return `${line}#${computeLineHash(text)}`;
}

type Text = Lines | null;

/** One edit of one file; numbers are lines of the text told in words. */
export function on(words: string, file: string = path) {
  const one = (edit: Edit): FileRequest => ({ path: file, edits: [edit] });
  const range = (start: number, end: number) => ({ start: tag(words, start), end: tag(words, end) });
  return {
    set: (line: number, text: Text) => one({ op: "set_line", anchor: tag(words, line), text }),
    replace: (start: number, end: number, text: Text) =>
      one({ op: "replace_lines", ...range(start, end), text }),
    after: (line: number, text: Lines) => one({ op: "insert_after", anchor: tag(words, line), text }),
    before: (line: number, text: Lines) => one({ op: "insert_before", anchor: tag(words, line), text }),
    remove: (start: number, end: number = start) => one({ op: "delete_lines", ...range(start, end) }),
    quote: (old: string, by: string, all = false) => one({ op: "replace_text", old, new: by, all }),
  };
}

/** `applied`, `noop`, `read`… or `!code`. */
export function outcome({ details }: Result<unknown>): string {
  const { status, code } = details as { status: string; code?: string };
  return status === "refused" ? `!${code}` : status;
}

/** The handle a refusal offers, if any. */
export function handleOf({ details }: Result<unknown>): string | undefined {
  return (details as { retry?: string }).retry;
}

/** `3 5-7`: lines whose rows a result prints, from its text alone. */
export function printedLines({ text }: { readonly text: string }): number[] {
  return [...text.matchAll(/^(?:>>> | {4})?(\d+)#[0-9a-f]{6}\|/gm)].map(([, line]) => Number(line));
}

/** `x1 x2 … x100`. */
export function numbered(count: number, prefix = "x"): string {
  return Array.from({ length: count }, (_, at) => `${prefix}${at + 1}`).join(" ");
}

/** Rows of lines told in words, as they are observed. */
export function rowsOf(words: string, first = 1): { readonly line: number; readonly text: string }[] {
  return words.split(" ").map((text, at) => ({ line: first + at, text }));
}
