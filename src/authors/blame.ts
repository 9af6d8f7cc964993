/** Names the author of each line of a file. */
import { Document } from "../text/index.js";
import type { Author } from "./author.js";
import type { FileWork } from "./file-work.js";

export interface BlamedLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** null: the line stands in HEAD. */
  readonly author: Author | null;
}

/** null: the file has no lines that can be told apart. */
export function blame({ items }: FileWork): BlamedLine[] | null {
  if (!items) return null;
  const now = items.filter(({ kind }) => kind !== "removed");
  // Shown as a read shows them: without a byte order mark, and in whatever the bytes are.
  const shown = Document.parse(Buffer.from(now.map(({ text }) => text).join(""), "latin1"));
  return now.map(({ author }, at) => ({ line: at + 1, text: shown.text(at), author }));
}
