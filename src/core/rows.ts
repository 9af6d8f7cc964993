import type { Document } from "./document.js";
import { lineIndexes, type Range } from "./ranges.js";
import { type SchemeName, scheme } from "./scheme.js";

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
export const longestSingleLine = 65536;

export interface RowOptions {
  readonly labels: Labels;
  /** Added to the line numbers, for a document that is a later part of its file. */
  readonly shift?: number;
  /** Lines, 0-based, that were asked for by themselves. */
  readonly singles?: ReadonlySet<number>;
}

/** The rows of lines `[start, end)`. */
export function makeRows(document: Document, start: number, end: number, options: RowOptions): Row[] {
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

/** What to ask a read for that prints some line whole: anything (undefined), one line alone, or nothing does it. */
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
