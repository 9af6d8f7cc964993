/** Quoted text that was seen, and of which nothing or not all stands there any more. */
import { heal, indentUnit, type LineChange, withoutOuterBlanks } from "../changes/index.js";
import { type Document, LineSet, lineIndexes } from "../text/index.js";
import type { Span, View } from "./located-edit.js";
import { mismatch, type Problem, problem } from "./problem.js";

/** A place where quoted text was seen, in a text that the agent knows. */
export interface QuotedPlace {
  readonly document: Document;
  readonly from: number;
  readonly length: number;
  /** What became of the lines of that text. */
  readonly toNow: LineChange | null;
  /** The same, with lines paired of which only the blanks at their ends have changed. */
  readonly alike?: LineChange | null;
}

/** Quoted text that was seen and no longer stands there: told by the first of its lines that is gone. */
export function goneQuote(
  indexes: readonly number[],
  { document, from, length, toNow, alike }: QuotedPlace,
  current: Document,
): Problem {
  // A blank line has no length.
  const [start, end] = linesAt(document, from, Math.max(from, from + length - 1));
  const lines = lineIndexes(start, Math.min(end + 1, document.lineCount));
  const gone = lines.find((line) => (toNow?.index(line) ?? -1) < 0) ?? start;
  const reindented = alike?.index(gone) ?? -1;
  const index = reindented >= 0 ? reindented : placeNow(gone, toNow);
  const all = toNow?.hull(start, Math.min(end + 1, document.lineCount)) ?? [0, 0];
  const rows = all[0] < all[1] ? LineSet.of([all]) : LineSet.empty;
  const now = index >= 0 ? { document: current, index } : null;
  return problem("stale", indexes, "the quoted text stood in a version that was shown and is gone", {
    mismatches: [mismatch({ document, index: gone }, now, "hex6")],
    rows,
    changed: rows.subtract(toNow?.carry(LineSet.lines(lines)) ?? LineSet.empty),
  });
}

/** The line that stands where a line was, -1 if none does. Lines that were replaced by as many stand for each other. */
function placeNow(line: number, toNow: LineChange | null): number {
  const fate = toNow?.mapLine(line);
  if (fate?.kind !== "deleted") return fate?.line ?? -1;
  const { aStart, aEnd, bStart, bEnd } = fate.region;
  if (bStart === bEnd) return -1;
  return aEnd - aStart === bEnd - bStart ? bStart + line - aStart : bStart;
}

/**
 * A quote that was a whole line when it was shown, or several, and is only a part of what that line is now: whoever sends
 * it means the line as it was, and would leave the rest of the new one. Rows of a refusal do not tell otherwise, because
 * to quote less of the same text is what models do next. The line has to be read, or quoted as it is. `place`: lines of the
 * file now, half-open, in which the quote stands as a part.
 */
export function outgrown(
  indexes: readonly number[],
  quoted: string,
  [start, end]: readonly [number, number],
  { history, showings, read }: View,
): Problem | null {
  if (!read || read.containsSpan(start, end)) return null;
  for (const { state, rows } of showings) {
    const document = history.document(state);
    const toNow = history.follow(state);
    if (!document || !toNow || toNow.isIdentity) continue;
    const text = textOf(document);
    for (const from of search(text, quoted, null)) {
      const [first, last] = linesAt(document, from, from + quoted.length - 1);
      if (!isWholeLines(text, from, quoted.length) || !rows.containsSpan(first, last + 1)) continue;
      const [hullStart, hullEnd] = toNow.hull(first, last + 1);
      const followed = history.followOverBlanks(state) ?? toNow;
      const isGone = lineIndexes(first, last + 1).some((line) => followed.index(line) < 0);
      if (isGone && hullStart < end && start < hullEnd)
        return goneQuote(indexes, { document, from, length: quoted.length, toNow }, history.now);
    }
  }
  return null;
}
/** What a quote that stands nowhere may mean: the one place that reads the same but for blanks at line starts and ends. */

/** Lines of a document, half-open, and what takes their place; as a quote too. */
export interface Meant {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
  readonly quote: Pick<Quote, "old" | "new">;
  /** Every line has the same blanks more or less, or the same exchange of tabs and spaces. */
  readonly even: boolean;
}

/** As much as a refusal shows. */
const most = { lines: 40, characters: 8000 };

/**
 * null if the quote stands there, if no place or more than one reads like it, or if its replacement cannot be told. Whole
 * lines only: of a part of a line nobody can say what its blanks were.
 */
export function meantBy(quote: Quote, document: Document): Meant | null {
  if (quote.all || search(textOf(document), quote.old, null).length > 0) return null;
  const isEnded = quote.old.endsWith("\n");
  const quoted = linesOf(quote.old);
  const fresh = isEnded && quote.new === "" ? [] : linesOf(quote.new);
  // Without its newline the replacement would run into the next line.
  if (isEnded && quote.new !== "" && !quote.new.endsWith("\n")) return null;
  const [start, other] = likePlaces(quoted, document);
  if (start === undefined || other !== undefined) return null;
  const end = start + quoted.length;
  if (isEnded && document.terminator(end - 1) === "") return null;
  const standing = document.lines(start, end);
  const healed = heal({ quoted, standing, fresh, unit: indentUnit(document.lines()) });
  if (!healed || !isShortEnough([...standing, ...healed.lines])) return null;
  const text = (lines: readonly string[]): string =>
    lines.join("\n") + (quote.old.endsWith("\n") && lines.length > 0 ? "\n" : "");
  return { start, end, ...healed, quote: { old: text(standing), new: text(healed.lines) } };
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (text.endsWith("\n")) lines.pop();
  return lines;
}

function isShortEnough(lines: readonly string[]): boolean {
  const characters = lines.reduce((sum, line) => sum + line.length, 0);
  return lines.length <= most.lines && characters <= most.characters;
}

/** Where lines begin that read like these but for blanks at their starts and ends. */
function likePlaces(quoted: readonly string[], document: Document): number[] {
  const wanted = quoted.map(withoutOuterBlanks);
  if (wanted.every((line) => line === "")) return [];
  const { lines, places } = bareLines(document);
  // Looked up by a line with text: blank ones stand everywhere.
  const key = wanted.findIndex((line) => line !== "");
  const starts = (places.get(wanted[key] as string) ?? []).map((at) => at - key);
  return starts.filter((at) => wanted.every((line, offset) => line === lines[at + offset]));
}

interface BareLines {
  readonly lines: readonly string[];
  readonly places: ReadonlyMap<string, readonly number[]>;
}

/** Kept for as long as the text: a call may hold thousands of quotes. */
const knownBare = new WeakMap<Document, BareLines>();

function bareLines(document: Document): BareLines {
  const known = knownBare.get(document);
  if (known) return known;
  const lines = document.lines().map(withoutOuterBlanks);
  const places = new Map<string, number[]>();
  for (const [at, line] of lines.entries()) {
    const before = places.get(line);
    if (before) before.push(at);
    else places.set(line, [at]);
  }
  const made = { lines, places };
  knownBare.set(document, made);
  return made;
}
/** Places in a document as offsets into its text with LF ends. */

/** Text that stands in a file and what is to stand there instead. */
export interface Quote {
  readonly old: string;
  readonly new: string;
  /** Every place where it stands, as against the only one. */
  readonly all: boolean;
  /** Replaced by nothing, it takes the newline behind it along. */
  readonly takesNewline?: boolean;
}

/** The quote as a tool takes it that finds this text. */
export function asTheToolTakes(text: string, quote: Quote): Quote {
  if (!quote.takesNewline || quote.new !== "" || quote.old.endsWith("\n")) return quote;
  const line = `${quote.old}\n`;
  return text.includes(line) ? { ...quote, old: line } : quote;
}

const texts = new WeakMap<Document, string>();

/** A document as one string with LF ends; its final newline is there if the last line has one. Asked for many times. */
export function textOf(document: Document): string {
  const known = texts.get(document);
  if (known !== undefined) return known;
  const joined = document.lines().join("\n");
  const text = isTerminated(document) ? `${joined}\n` : joined;
  texts.set(document, text);
  return text;
}

/** True if the last line ends with a newline. */
export function isTerminated(document: Document): boolean {
  return document.lineCount > 0 && document.terminator(document.lineCount - 1) !== "";
}

export function offsets(document: Document, span: Span): Span {
  const start = document.lines(0, span.start).reduce((sum, line) => sum + line.length + 1, 0);
  return {
    start,
    end: document.lines(span.start, span.end).reduce((sum, line) => sum + line.length + 1, start),
  };
}

export function search(text: string, quoted: string, within: Span | null): number[] {
  const found: number[] = [];
  // Nothing stands everywhere.
  if (quoted === "") return found;
  const end = within?.end ?? text.length;
  for (let at = text.indexOf(quoted, within?.start ?? 0); at >= 0; at = text.indexOf(quoted, at + 1)) {
    if (at + quoted.length > end) break;
    // Each place would be compared anew with what the one before it covers.
    if (found.length > 0 && at - (found.at(-1) as number) < quoted.length)
      return [...found, ...overlapping(text, quoted, { start: (found.at(-1) as number) + 1, end })];
    found.push(at);
  }
  return found;
}

/** All places in one pass (Knuth, Morris, Pratt), also where they overlap. */
function overlapping(text: string, quoted: string, { start, end }: Span): number[] {
  const borders = new Uint32Array(quoted.length);
  for (let at = 1, length = 0; at < quoted.length; at++) {
    while (length > 0 && quoted[at] !== quoted[length]) length = borders[length - 1] as number;
    if (quoted[at] === quoted[length]) length++;
    borders[at] = length;
  }
  const found: number[] = [];
  for (let at = start, length = 0; at < end; at++) {
    while (length > 0 && text[at] !== quoted[length]) length = borders[length - 1] as number;
    if (text[at] === quoted[length]) length++;
    if (length < quoted.length) continue;
    found.push(at - quoted.length + 1);
    length = borders[length - 1] as number;
  }
  return found;
}

/** Text that begins where a line does and ends where one does. */
export function isWholeLines(text: string, from: number, length: number): boolean {
  const end = from + length;
  const isStart = from === 0 || text[from - 1] === "\n" || text[from] === "\n";
  return isStart && (end === text.length || text[end] === "\n" || text[end - 1] === "\n");
}

/** Where a quote is replaced: wherever it stands, or in the one place that is meant; several, if it is one of those. */
export function placesFor(text: string, quote: Quote): number[] {
  const found = search(text, quote.old, null);
  if (quote.all) return disjoint(found, quote.old.length);
  return hasOverlaps(found, quote) && isOneResult(text, found, quote) ? found.slice(0, 1) : found;
}

/** Several places, of which no two stand beside each other: some tools count one of them, and take the first. */
export function hasOverlaps(found: readonly number[], { old }: Pick<Quote, "old">): boolean {
  return found.length > 1 && disjoint(found, old.length).length === 1;
}

/** Whichever of these places is meant, the same comes of it. */
function isOneResult(text: string, found: readonly number[], { old, new: fresh }: Quote): boolean {
  const [start, end] = [found[0] as number, (found.at(-1) as number) + old.length];
  const made = found.map((at) => text.slice(start, at) + fresh + text.slice(at + old.length, end));
  return made.every((one) => one === made[0]);
}

export function disjoint(found: readonly number[], length: number): number[] {
  const kept: number[] = [];
  for (const at of found) if (kept.length === 0 || at >= (kept.at(-1) as number) + length) kept.push(at);
  return kept;
}

/** First and last line index that an offset span touches; the end of the text is one line further. */
export function linesAt(document: Document, from: number, to: number): [number, number] {
  let offset = 0;
  let first = -1;
  for (let index = 0; index < document.lineCount; index++) {
    const next = offset + document.text(index).length + 1;
    if (first < 0 && from < next) first = index;
    if (to < next) return [first, index];
    offset = next;
  }
  return [first < 0 ? document.lineCount : first, document.lineCount];
}

/** Offsets at which lines begin; one more for the end of the text if the last line is terminated. */
export function lineStarts(document: Document): number[] {
  const starts: number[] = [];
  let offset = 0;
  for (let index = 0; index < document.lineCount; index++) {
    starts.push(offset);
    offset += document.text(index).length + 1;
  }
  if (document.lineCount === 0 || document.terminator(document.lineCount - 1) !== "") starts.push(offset);
  return starts;
}

export function lastAtMost(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
