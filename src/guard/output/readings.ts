import { longestPath } from "./paths.js";
import type { Spellings } from "./spelled-paths.js";

/** Reads rows of an output as lines of files in every way that fits: plain, numbered, under a path, in a diff. */

/** Rows that may be lines of one file, in order. A row may be in several pieces, read in several ways. */
export interface Piece {
  /** The file that the rows themselves name, as a candidate's index; -1 if none. */
  readonly owner: number;
  /** A file named right above numbered rows, which may be theirs; -1: none. */
  readonly hint: number;
  readonly numbered: boolean;
  readonly rows: number[];
  readonly texts: string[];
  /** 1-based line numbers as printed; 0: none. */
  readonly numbers: number[];
}

const largestOutput = 1_000_000;
const mostReadRows = 50_000;

const escapeCode = String.fromCharCode(27);
const bell = String.fromCharCode(7);
const colours = new RegExp(
  `${escapeCode}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${bell}${escapeCode}]*(?:${bell}|${escapeCode}\\\\)|[()][A-Z0-9])`,
  "g",
);

/** How a row continues after its line number. All that fit are read; the file shows which one was meant. */
const numberings: readonly (readonly [string, RegExp])[] = [
  ["tab", /^:?\t/],
  ["arrow", /^\u2192/],
  ["grep", /^[:=-]/],
  ["colon", /^: /],
  ["column", /^:\d{1,6}:/],
  ["space", /^ /],
  ["spaces", /^ {2}/],
  ["bar", /^ {0,3}[|\u2502\u2503]/],
  ["barred", /^ {0,3}[|\u2502\u2503](?: |$)/],
  ["mark", /^[.)](?: |$)/],
];

const numbered = /^[ \t]*(\d{1,7})(?=\D)/;
const blamed = /^\^?[0-9a-f]{7,40} [^()]*\(.*? (\d{1,7})\) (.*)$/;
const hunkHead = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const groupBreak = /^--$/;
const ornament = " \t=#<>*:-";

export function readOutput(output: string, spellings: Spellings): Piece[] {
  const whole = firstRows(output);
  const plain = output.includes(escapeCode) ? whole.map((row) => row.replace(colours, "")) : whole;
  const pieces = new Pieces();
  plain.forEach((text, row) => {
    pieces.add("plain", { row, text, number: 0 });
  });
  // A file may hold colour codes itself.
  if (plain !== whole) {
    whole.forEach((text, row) => {
      pieces.add("coloured", { row, text, number: 0 });
    });
  }
  readNumbered(plain, spellings, pieces);
  readUnderPaths(plain, spellings, pieces);
  readDiffs(plain, spellings, pieces);
  return pieces.all;
}

function firstRows(output: string): string[] {
  if (output === "") return [];
  let text = output;
  if (output.length > largestOutput) {
    text = output.slice(0, output.lastIndexOf("\n", largestOutput - 1) + 1);
  }
  const rows = text.split("\n", mostReadRows + 1);
  // Text after the last line feed is no row; nor is a row that was cut.
  if (rows.length > mostReadRows || rows.at(-1) === "") rows.pop();
  return rows.map((row) => (row.endsWith("\r") ? row.slice(0, -1) : row));
}

interface Reading {
  readonly row: number;
  readonly text: string;
  readonly number: number;
}

/** Collects readings of one kind in consecutive rows as one piece. */
class Pieces {
  readonly all: Piece[] = [];
  readonly #open = new Map<string, Piece>();

  add(kind: string, { row, text, number }: Reading, owner = -1, hint = -1): void {
    let piece = this.#open.get(kind);
    const goesOn = piece?.rows.at(-1) === row - 1 && piece.owner === owner && piece.hint === hint;
    // No tool prints a file backwards, so another file begins here, or the same file again.
    if (!piece || !goesOn || (number > 0 && number <= piece.numbers.at(-1)!)) {
      piece = { owner, hint, numbered: number > 0, rows: [], texts: [], numbers: [] };
      this.#open.set(kind, piece);
      this.all.push(piece);
    }
    piece.rows.push(row);
    // A byte order mark is no part of a line.
    piece.texts.push(text.startsWith("\ufeff") ? text.slice(1) : text);
    piece.numbers.push(number);
  }

  /** True if a piece of this kind ends in the row before this one. */
  isOpenAt(kind: string, row: number): boolean {
    return this.#open.get(kind)?.rows.at(-1) === row - 1;
  }
}

function readNumbered(rows: readonly string[], spellings: Spellings, pieces: Pieces): void {
  let hint = -1;
  rows.forEach((text, row) => {
    const match = numbered.exec(text);
    if (!match) {
      if (text.trim() === "") {
        // `nl` and `cat -b` do not count blank lines.
        if (pieces.isOpenAt("tab", row)) pieces.add("tab", { row, text: "", number: 0 });
        hint = -1;
      } else if (!groupBreak.test(text)) hint = named(text, spellings);
      else if (pieces.isOpenAt("grep", row)) pieces.add("grep", { row, text, number: 0 }, -1, hint);
      readBlame(text, row, pieces);
      return;
    }
    const number = Number(match[1]);
    const rest = text.slice(match[0].length);
    for (const [kind, separator] of numberings) {
      const found = separator.exec(rest);
      if (!found) continue;
      const reading = { row, text: rest.slice(found[0].length), number };
      pieces.add(kind, reading, -1, kind === "grep" || kind === "colon" ? hint : -1);
    }
    readBlame(text, row, pieces);
  });
}

function readBlame(text: string, row: number, pieces: Pieces): void {
  const match = blamed.exec(text);
  if (match) pieces.add("blame", { row, text: match[2]!, number: Number(match[1]) });
}

/** Returns the candidate that a row consists of: `src/a.ts`, `==> src/a.ts <==`, `== src/a.ts`. */
function named(text: string, spellings: Spellings): number {
  let from = 0;
  let to = Math.min(text.length, longestPath);
  while (from < to && ornament.includes(text[from]!)) from++;
  if (text.startsWith("File: ", from)) from += 6;
  while (to > from && ornament.includes(text[to - 1]!)) to--;
  return spellings.isPossibleEnd(text, to) ? Math.max(-1, spellings.resolve(text.slice(from, to))) : -1;
}

/** Reads `path:12:text`, `path-12-text`, `path:text`. */
function readUnderPaths(rows: readonly string[], spellings: Spellings, pieces: Pieces): void {
  const separator = /[:=-]/g;
  rows.forEach((text, row) => {
    separator.lastIndex = 1;
    for (;;) {
      const at = separator.exec(text)?.index ?? longestPath;
      if (at >= longestPath) return;
      const owner = spellings.isPossibleEnd(text, at) ? spellings.resolve(text.slice(0, at)) : -1;
      if (owner === -1) continue;
      readUnderPath(text.slice(at), { row, owner: Math.max(-1, owner) }, pieces);
      return;
    }
  });
}

function readUnderPath(
  rest: string,
  { row, owner }: { readonly row: number; readonly owner: number },
  pieces: Pieces,
): void {
  pieces.add("under", { row, text: rest.slice(1), number: 0 }, owner);
  const match = /^([:=-])(\d{1,7})\1(.*)$/s.exec(rest);
  if (!match) return;
  const number = Number(match[2]);
  const text = match[3]!;
  pieces.add("under, numbered", { row, text, number }, owner);
  const column = /^\d{1,6}:/.exec(text);
  if (column) {
    pieces.add("under, column", { row, text: text.slice(column[0].length), number }, owner);
  }
}

/** Reads lines of the new file in unified diffs. */
function readDiffs(rows: readonly string[], spellings: Spellings, pieces: Pieces): void {
  let owner = -1;
  for (let row = 0; row < rows.length; row++) {
    const text = rows[row]!;
    if (text.startsWith("+++ ")) owner = newFile(text, spellings);
    const match = hunkHead.exec(text);
    if (!match) continue;
    const hunk = readHunk(rows, row, match);
    row = hunk.last;
    // The diff of a file that is no candidate shows nothing of those that are.
    if (owner !== -2 && hunk.piece.rows.length > 0) pieces.all.push({ ...hunk.piece, owner });
  }
}

/** As an owner: -2 for a file that is no candidate. */
function newFile(text: string, spellings: Spellings): number {
  const path = text.slice(4).split("\t", 1)[0]!.trimEnd();
  const found = spellings.resolve(path);
  const owner = found === -1 ? spellings.resolve(path.replace(/^("?)[a-z]\//, "$1")) : found;
  return owner === -1 ? -2 : Math.max(-1, owner);
}

function readHunk(
  rows: readonly string[],
  head: number,
  match: RegExpExecArray,
): { readonly piece: Piece; readonly last: number } {
  const piece: Piece = { owner: -1, hint: -1, numbered: true, rows: [], texts: [], numbers: [] };
  let old = Number(match[1] ?? 1);
  let fresh = Number(match[3] ?? 1);
  let number = Number(match[2]);
  let row = head + 1;
  for (; row < rows.length && (old > 0 || fresh > 0); row++) {
    const text = rows[row]!;
    const sign = text[0] ?? " ";
    if (sign === "\\") continue;
    if (sign !== " " && sign !== "+" && sign !== "-") break;
    if (sign !== "+") old--;
    if (sign === "-") continue;
    fresh--;
    piece.rows.push(row);
    piece.texts.push(text.slice(1));
    piece.numbers.push(number++);
  }
  return { piece, last: row - 1 };
}
