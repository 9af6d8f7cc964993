import { digest } from "../../text/index.js";

const shortest = 6;
const mostPieces = 400;

/** Stands for a line, and for what is quoted in it: texts of commands are compared by these, and never written down. */
export function piecesOf(line: string): string[] {
  const quoted = [...line.matchAll(/(["'`])((?:\\.|(?!\1).){6,400}?)\1/g)].map(
    ([, , text]) => text as string,
  );
  return [line, ...quoted]
    .map((text) => text.trim())
    .filter((text) => text.length >= shortest && /[\p{L}\p{N}]/u.test(text))
    .map(digest);
}

/** The same for the lines of a command. */
export function hashesOfLines(lines: readonly string[]): string[] {
  return [...new Set(lines.flatMap(piecesOf))].slice(0, mostPieces);
}
