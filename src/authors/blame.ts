/** Names the author of each line of a file. */
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
  return items
    .filter(({ kind }) => kind !== "removed")
    .map(({ text, author }, at) => {
      const bytes = Buffer.from(text.replace(/\r?\n$/, ""), "latin1");
      return { line: at + 1, text: String(bytes), author };
    });
}
