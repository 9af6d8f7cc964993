/** Prints lines with their anchors. */
import {
  Document,
  type Format,
  headFormat,
  hexRows,
  LineSet,
  lineIndexes,
  mergeRanges,
  type ParseOptions,
  type Range,
  utf8,
  utf8Codec,
} from "../text/index.js";
import { type SchemeName, scheme } from "./scheme.js";

interface ListOptions {
  /** Default hex6; with `none` rows begin with the line number and a tab. */
  readonly scheme?: Labels;
  /** Sorted, merged and clipped; an empty list counts as absent. Overrides `offset` and `limit`. */
  readonly ranges?: readonly Range[];
  /** First line to show, 1-based. */
  readonly offset?: number;
  /** How many lines to show at most. */
  readonly limit?: number;
}

export interface Listing {
  /** Made when asked for: of a long listing most only want the text. */
  readonly rows: readonly Row[];
  /** Notes in brackets on lines that are left out, as they are printed. */
  readonly notes: readonly string[];
  /** Lines, 0-based, whose rows were printed whole. */
  readonly shown: LineSet;
  /** Rows and notes, joined by LF. */
  readonly text: string;
}

/** How many lines are listed for a caller that did not say. */
export const defaultLimit = 2000;

/**
 * The listing that every door prints. All that is left out is said: lines between two ranges where they would
 * stand, anything else by a count at the end.
 */
export function listRows(document: Document, options: ListOptions = {}): Listing {
  const labels = options.scheme ?? "hex6";
  const { spans, singles, next } = selectLines(document.lineCount, options);
  const notes: string[] = [];
  const output: string[] = [];
  const cut: number[] = [];
  const note = (text: string) => {
    notes.push(text);
    output.push(text);
  };
  for (const [at, span] of spans.entries()) {
    const previous = spans[at - 1];
    if (previous !== undefined) note(notShown(previous[1] + 1, span[0]));
    const quick = quickText(document, span, labels);
    if (quick !== null) {
      output.push(quick);
      continue;
    }
    for (const row of makeRows(document, ...span, { labels, singles })) {
      if (row.cut) cut.push(row.line - 1);
      output.push(formatRow(row, labels));
    }
  }
  const closing = closingNote(document.lineCount, spans, next);
  if (closing !== null) note(closing);
  let rows: readonly Row[] | undefined;
  return {
    get rows() {
      rows ??= spans.flatMap((span) => makeRows(document, ...span, { labels, singles }));
      return rows;
    },
    notes,
    shown: LineSet.of(spans).subtract(LineSet.lines(cut)),
    text: output.join("\n"),
  };
}

/** Below this, making rows one by one is as fast. */
const fewLines = 50;

function quickText(document: Document, [start, end]: Span, labels: Labels): string | null {
  if (end - start < fewLines) return null;
  const { format, lineCount } = document;
  const from = start === 0 ? 0 : document.rawLine(start).start;
  const bytes = document.bytes.subarray(from, end < lineCount ? document.rawLine(end).start : undefined);
  const rows = hexRowsOf(bytes, {
    format: start === 0 ? format : { ...format, bom: 0 },
    labels,
    firstLine: start + 1,
  });
  return rows && utf8Codec.decode(rows);
}

/** Words the note that replaces lines which are left out. */
export function notShown(first: number, last: number): string {
  return first === last ? `[line ${first} not shown]` : `[lines ${first}-${last} not shown]`;
}

type Span = readonly [number, number];

interface Selection {
  readonly spans: readonly Span[];
  /** Lines that were asked for by themselves. */
  readonly singles: ReadonlySet<number>;
  /** Where a limit cut the listing, 1-based. */
  readonly next: number | null;
}

/** The lines that a listing would show, at most `defaultLimit` of them unless more were asked for. */
export function selectLines(lineCount: number, options: ListOptions): Selection {
  const { ranges, offset = 1, limit = defaultLimit } = options;
  if (ranges !== undefined && ranges.length > 0) {
    const clipped = ranges
      .map(({ start, end }) => ({ start: Math.max(start, 1), end: Math.min(end, lineCount) }))
      .filter(({ start, end }) => start <= end);
    const singles = clipped.filter(({ start, end }) => start === end).map(({ start }) => start - 1);
    const spans = mergeRanges(clipped).map(({ start, end }) => [start - 1, end] as const);
    return { spans, singles: new Set(singles), next: null };
  }
  const start = Math.max(offset, 1) - 1;
  const end = Math.min(start + limit, lineCount);
  const spans = start < end ? [[start, end] as const] : [];
  return { spans, singles: new Set(limit === 1 ? [start] : []), next: end < lineCount ? end + 1 : null };
}

function closingNote(lineCount: number, spans: readonly Span[], next: number | null): string | null {
  if (lineCount === 0) return "[empty file]";
  const first = spans[0]?.[0] ?? 0;
  const last = spans.at(-1)?.[1] ?? 0;
  if (last - first === lineCount) return null;
  const printed = spans.reduce((sum, [start, end]) => sum + end - start, 0);
  return `[${printed} of ${lineCount} lines${next === null ? "" : `; next: offset=${next}`}]`;
}

type ListSource = Document | string | Uint8Array;

/**
 * The listing of a text, by default of all its lines.
 *
 * @example
 * console.log(formatHashLines("foo\n}")); // → 1#0f0dd9|foo\n2#44bb18|}
 */
export function formatHashLines(source: ListSource, options: ListOptions & ParseOptions = {}): string {
  const rows = quickRows(source, options);
  return rows === null ? listAll(source, options).text : utf8Codec.decode(rows);
}

/** The same as UTF-8. */
export function formatHashLineBytes(
  source: ListSource,
  options: ListOptions & ParseOptions = {},
): Uint8Array {
  return quickRows(source, options) ?? utf8(listAll(source, options).text);
}

function listAll(source: ListSource, options: ListOptions & ParseOptions): Listing {
  const document = source instanceof Document ? source : Document.parse(bytesOf(source), options);
  return listRows(document, { ...options, limit: options.limit ?? Number.POSITIVE_INFINITY });
}

function bytesOf(source: string | Uint8Array): Uint8Array {
  return typeof source === "string" ? utf8(source) : source;
}

function quickRows(source: ListSource, options: ListOptions & ParseOptions): Uint8Array | null {
  const { scheme, ranges, offset, limit, codec } = options;
  const restricted = (ranges?.length ?? 0) > 0 || offset !== undefined || limit !== undefined;
  if (restricted) return null;
  const bytes = source instanceof Document ? source.bytes : bytesOf(source);
  const format = source instanceof Document ? source.format : headFormat(bytes, codec);
  const rows = hexRowsOf(bytes, { format, labels: scheme ?? "hex6", firstLine: 1 });
  return rows === null || rows.length === 0 ? null : rows;
}

interface Block {
  readonly format: Format;
  readonly labels: Labels;
  readonly firstLine: number;
}

function hexRowsOf(bytes: Uint8Array, { format, labels, firstLine }: Block): Uint8Array | null {
  if (labels !== "hex6" || format.codec !== utf8Codec || format.coded) return null;
  return hexRows(bytes, format.bom, firstLine, longestLine);
}

/** The rows of a part of a file, and the format that it turned out to have. */
export function formatBlock(
  bytes: Uint8Array,
  block: Block,
  options: ParseOptions,
): { readonly text: string; readonly format: Format } {
  const quick = hexRowsOf(bytes, block);
  if (quick !== null) return { text: utf8Codec.decode(quick), format: block.format };
  const { labels, firstLine } = block;
  const document = Document.parseAs(bytes, block.format, options);
  const rows = makeRows(document, 0, document.lineCount, { labels, shift: firstLine - 1 });
  return { text: rows.map((row) => formatRow(row, labels)).join("\n"), format: document.format };
}

/**
 * Lines `start` to `end` of a text, 1-based, both included, exactly as they stand there, terminators and all.
 * Lines outside the text are left out.
 *
 * @example
 * console.log(JSON.stringify(readLineRange("a\nb\r\nc", 2, 3))); // → "b\r\nc"
 */
export function readLineRange(text: string, start: number, end: number): string {
  const from = lineOffset(text, 0, start - 1);
  return end < start ? "" : text.slice(from, lineOffset(text, from, end - Math.max(start, 1) + 1));
}

/** The offset after `count` more lines. */
function lineOffset(text: string, from: number, count: number): number {
  let offset = from;
  for (let line = 0; line < count && offset < text.length; line++) {
    const feed = text.indexOf("\n", offset);
    offset = feed < 0 ? text.length : feed + 1;
  }
  return offset;
}

/** How lines are labelled: by a scheme's anchors or, with `none`, by the bare line number. */
export type Labels = SchemeName | "none";

/** One printed line. `text` is what stands after the separator, the marker of a cut included. */
export interface Row {
  readonly line: number;
  /** Empty without anchors. */
  readonly anchor: string;
  readonly text: string;
  /** Only a part of the line was printed, so the row does not count as shown. */
  readonly cut: boolean;
}

/** UTF-16 units of a line that are printed. */
export const longestLine = 2000;
/** Bytes of UTF-8 that are printed of a line that was asked for by itself. */
const longestSingleLine = 65536;

interface RowOptions {
  readonly labels: Labels;
  /** Added to the line numbers, for a document that is a later part of its file. */
  readonly shift?: number;
  /** Lines, 0-based, that were asked for by themselves. */
  readonly singles?: ReadonlySet<number>;
}

/** The rows of lines `[start, end)`. */
function makeRows(document: Document, start: number, end: number, options: RowOptions): Row[] {
  const { labels, shift = 0, singles } = options;
  const used = labels === "none" ? null : scheme(labels);
  return document.lines(start, end).map((text, offset) => {
    const index = start + offset;
    const line = index + shift + 1;
    const anchor = used === null ? "" : used.tag(line, used.hashLine(document, index));
    const length = printedLength(text, singles?.has(index) === true);
    if (length === text.length) return { line, anchor, text, cut: false };
    const marked = `${text.slice(0, length)} [cut: ${length} of ${text.length} characters]`;
    return { line, anchor, text: marked, cut: true };
  });
}

/** The row as it is printed, without a line break. */
export function formatRow({ line, anchor, text }: Row, labels: Labels): string {
  return labels === "none" ? `${line}\t${text}` : `${anchor}${scheme(labels).separator}${text}`;
}

/** Whether a read prints the line whole, one for it alone if no other does. */
export function isPrintable(document: Document, index: number): boolean {
  const { start, end } = document.rawLine(index);
  if (end - start <= longestLine) return true;
  const text = document.text(index);
  return printedLength(text, true) === text.length;
}

/** Ranges whose read prints some line whole: undefined for any read, one line alone, or none where no read does. */
export function linesToRead(document: Document, limit: number): Range[] | undefined {
  const lines = lineIndexes(0, Math.min(document.lineCount, limit));
  if (lines.length === 0 || lines.some((at) => document.text(at).length <= longestLine)) return undefined;
  const alone = lines.find((at) => isPrintable(document, at));
  return alone === undefined ? [] : [{ start: alone + 1, end: alone + 1 }];
}

const encoder = new TextEncoder();

function printedLength(text: string, single: boolean): number {
  if (text.length <= longestLine) return text.length;
  if (single) return encoder.encodeInto(text, new Uint8Array(longestSingleLine)).read;
  const splitsPair = isSurrogate(text, longestLine - 1, 0xd800) && isSurrogate(text, longestLine, 0xdc00);
  return splitsPair ? longestLine - 1 : longestLine;
}

function isSurrogate(text: string, at: number, half: 0xd800 | 0xdc00): boolean {
  return (text.charCodeAt(at) & 0xfc00) === half;
}
