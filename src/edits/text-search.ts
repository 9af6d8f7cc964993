/** Places in a document as offsets into its text with LF ends. */
import { Document } from "../text/index.js";
import type { Span } from "./located-edit.js";

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

/** Returns the same lines with a newline behind the last. */
export function terminated(document: Document): Document {
  return isTerminated(document) ? document : Document.fromText(`${textOf(document)}\n`);
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

/** Each of these places gives the same result. */
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

const beginnings = new WeakMap<Document, readonly number[]>();

/** Offsets at which lines begin; one more for the end of the text if the last line is terminated. Asked for many times. */
export function lineStarts(document: Document): readonly number[] {
  const known = beginnings.get(document);
  if (known) return known;
  // Found in the whole text: a decoder call for each line costs more than all the rest.
  const text = textOf(document);
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  beginnings.set(document, starts);
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

/** First and last line of each place where a text stands in a document. */
export function quotesIn(document: Document, quoted: string): [number, number][] {
  return placesOf(document, quoted).map(({ first, last }) => [first, last]);
}

/** A place where a text stands: its offset, and its first and last line. */
interface Standing {
  readonly from: number;
  readonly first: number;
  readonly last: number;
}

/** Each place where a text stands in a document; `whole`: as lines that are all of it and nothing more. */
export function placesOf(document: Document, quoted: string, whole = false): Standing[] {
  if (whole && quoted === "") return blankLines(document);
  const text = textOf(document);
  const found = search(text, quoted, null).filter((from) => !whole || isWhole(text, from, quoted.length));
  const starts = found.length > 0 ? lineStarts(document) : [];
  const lineAt = (offset: number): number => lastAtMost(starts, offset);
  return found.map((from) => {
    const end = from + quoted.length;
    // A last line that is blank has no offset of its own within the quote.
    const last = lineAt(whole ? end : end - 1);
    return { from, first: lineAt(from), last };
  });
}

function isWhole(text: string, from: number, length: number): boolean {
  const end = from + length;
  const isEnd = text[end] === "\n" || (end === text.length && text[end - 1] !== "\n");
  return isEnd && (from === 0 || text[from - 1] === "\n");
}

function blankLines(document: Document): Standing[] {
  const starts = lineStarts(document);
  return document
    .lines()
    .flatMap((line, at) => (line === "" ? [{ from: starts[at] as number, first: at, last: at }] : []));
}
