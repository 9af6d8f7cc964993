/**
 * Texts of which only the line hashes (xxHash32) are kept. A line that has the hash of a line of the file now is that
 * line; the text of any other is unknown.
 */
import type { Document } from "./document.js";
import type { LineMap } from "./linemap.js";
import { LineSet } from "./ranges.js";
import { type SchemeName, scheme } from "./scheme.js";

/**
 * A line of unknown text is NUL, which no text file has, and the eight digits of its hash in control characters: no quote
 * and no line of a file reads like it or stands in it.
 */
const digits = [1, 2, 3, 4, 5, 6, 7, 8, 16, 17, 18, 19, 20, 21, 22, 23].map((code) =>
  String.fromCharCode(code),
);

function unknown(hash: number): string {
  const all = Array.from({ length: 8 }, (_, at) => digits[(hash >>> (28 - 4 * at)) & 15]);
  return `\0${all.join("")}`;
}

/** The hash that is kept of a line of unknown text; null: its text is known. */
export function keptHash(line: string): number | null {
  if (!line.startsWith("\0") || line.length !== 9) return null;
  return [...line.slice(1)].reduce((hash, one) => hash * 16 + digits.indexOf(one), 0);
}

const nothing = { bytes: new Uint8Array(0), start: 0, end: 0 };

/** What a scheme makes of the kept hash of a line; null if it takes the text. */
export function hashFrom(kept: number, name: SchemeName): string | null {
  return name === "hex4" ? null : scheme(name).hashLine({ lineHash: () => kept, rawLine: () => nothing }, 0);
}

/** The text that had these hashes, as far as the file now tells; null where that is in an encoding that it was not in. */
export function rebuilt(hashes: Uint32Array, toNow: LineMap, now: Document): Document | null {
  const lines = new Map<number, number>();
  if (!toNow.isIdentity) for (let at = 0; at < now.lineCount; at++) lines.set(now.lineHash(at), at);
  const textOf = (hash: number): string => {
    const line = lines.get(hash);
    return line === undefined ? unknown(hash) : now.text(line);
  };
  const made = now.splice(
    toNow.regions.map(({ aStart, aEnd, bStart, bEnd }) => ({
      start: bStart,
      end: bEnd,
      lines: Array.from(hashes.subarray(aStart, aEnd), textOf),
    })),
  );
  return "unencodable" in made || made.lineCount !== toNow.before ? null : made;
}

/** The lines of unknown text. Only lines that are not paired can be. */
export function unknownLines(document: Document, toNow: LineMap): LineSet {
  const spans = toNow.regions.map(({ aStart, aEnd }) => [aStart, aEnd] as const);
  const lines = LineSet.of(spans.filter(([start, end]) => start < end)).indexes();
  return LineSet.lines(lines.filter((line) => keptHash(document.text(line)) !== null));
}
