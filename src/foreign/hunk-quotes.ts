import type { Quote } from "../edits/index.js";
import { PatchError, type PatchHunk, type Replacement } from "./patch.js";

interface FileText {
  readonly lines: readonly string[];
  /** The last line ends with a newline. */
  readonly terminated: boolean;
  /** A hunk that only adds lines adds them at the end, whatever its headers say. */
  readonly appends?: boolean;
}

/** Quoted text and what becomes of it, as `replace_text` takes it. */
type PlainQuote = Omit<Quote, "all">;

/** Lines of the file that are quoted, half-open, and the replacements within them. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly replacements: readonly Replacement[];
}

/**
 * Hunks as quotes that stand once in the file: whole lines, compared exactly. A hunk that stands nowhere is handed on
 * as it is, for the session to say what became of it; one that stands in several places is refused.
 */
export function placeHunks(hunks: readonly PatchHunk[], text: FileText): PlainQuote[] {
  const { lines, terminated } = text;
  const spans: Span[] = [];
  const lost: PlainQuote[] = [];
  let cursor = 0;
  for (const hunk of hunks) {
    const at = placeOf(hunk, text, cursor);
    if (at === null) lost.push(lostQuote(hunk, lines));
    else {
      const span = spanOf(hunk, lines, at);
      spans.push(span);
      cursor = span.end;
    }
  }
  const whole = textOf(text);
  const quotes = distinct(spans, lines, whole).map((span) => quoteOf(span, lines, terminated));
  return [...quotes, ...lost];
}

/**
 * Replacements of lines as quotes that stand once in the file; as one quote, if the tool they are for takes only one.
 */
export function uniqueQuotes(
  replacements: readonly Replacement[],
  text: FileText,
  single: boolean,
): PlainQuote[] {
  const { lines, terminated } = text;
  const spans = replacements.map(({ at, remove, insert }) => {
    const start = remove > 0 ? at : Math.max(0, at - 1);
    const end = remove > 0 ? at + remove : Math.min(lines.length, Math.max(at, 1));
    return { start, end, replacements: [{ at, remove, insert }] };
  });
  const [first, last] = [spans[0], spans.at(-1)];
  if (!first || !last) return [];
  const asked = single ? [{ start: first.start, end: last.end, replacements }] : spans;
  return distinct(asked, lines, textOf(text)).map((span) => quoteOf(span, lines, terminated));
}

/** With its final newline: a quote that ends in a blank line may stand there too. */
function textOf({ lines, terminated }: FileText): string {
  return lines.join("\n") + (terminated ? "\n" : "");
}

/** The line a hunk begins at, in the file; null if its lines do not stand there. */
function placeOf(hunk: PatchHunk, text: FileText, cursor: number): number | null {
  const { lines, appends } = text;
  const { quoted, headers, atEnd } = hunk;
  const below = belowHeaders(headers, lines, cursor) ?? belowHeaders(headers, lines, 0);
  if (quoted.length === 0) {
    if (atEnd || appends || lines.length === 0) return lines.length;
    if (below !== null && headers.length > 0) return below;
    throw new PatchError("a hunk that only adds lines needs a line of context, or @@ with the line above it");
  }
  const places = lines.flatMap((_, at) => (isAt(quoted, lines, at) ? [at] : []));
  const last = places.filter((at) => at + quoted.length === lines.length);
  if (atEnd && last.length > 0) return last[0] as number;
  // Hunks come in the order of the file, and a header says "below this line".
  const named = headers.length > 0 && below !== null ? places.filter((at) => at >= below - 1) : [];
  if (named.length > 0) return named.find((at) => at >= cursor) ?? (named[0] as number);
  const later = places.filter((at) => at >= cursor);
  const candidates = later.length > 0 ? later : places;
  if (candidates.length > 1)
    throw new PatchError(
      `the lines beginning with ${JSON.stringify(quoted[0])} stand ${candidates.length} times (lines ${candidates
        .slice(0, 5)
        .map((at) => at + 1)
        .join(", ")}): give more context, or @@ with a line above them`,
    );
  return candidates[0] ?? null;
}

/** The line after the last of the headers, each looked for below the one before. */
function belowHeaders(headers: readonly string[], lines: readonly string[], start: number): number | null {
  return headers.reduce<number | null>((from, header) => {
    const found = from === null ? -1 : headerAt(header, lines, from);
    return found < 0 ? null : found + 1;
  }, start);
}

function headerAt(header: string, lines: readonly string[], from: number): number {
  const exact = lines.indexOf(header, from);
  if (exact >= 0) return exact;
  return lines.findIndex((line, at) => at >= from && line.trim() === header.trim());
}

export function isAt(quoted: readonly string[], lines: readonly string[], at: number): boolean {
  return at + quoted.length <= lines.length && quoted.every((line, offset) => lines[at + offset] === line);
}

function spanOf({ quoted, replacements }: PatchHunk, lines: readonly string[], at: number): Span {
  const shifted = replacements.map((one) => ({ ...one, at: one.at + at }));
  if (quoted.length > 0) return { start: at, end: at + quoted.length, replacements: shifted };
  // Only added lines: the line above them is the quote.
  return { start: Math.max(0, at - 1), end: Math.min(lines.length, Math.max(at, 1)), replacements: shifted };
}

/** Hunks as they are, wherever they stand. */
export function hunkQuotes(hunks: readonly PatchHunk[]): PlainQuote[] {
  return hunks.map(({ quoted, replacements }) => ({
    old: quoted.join("\n"),
    new: replaced(quoted, replacements, 0).join("\n"),
  }));
}

function lostQuote({ quoted, replacements }: PatchHunk, lines: readonly string[]): PlainQuote {
  const old = quoted.join("\n");
  if (lines.join("\n").includes(old))
    throw new PatchError(
      `${JSON.stringify(quoted[0])} stands in the file only as a part of lines, not as whole lines`,
    );
  return { old, new: replaced(quoted, replacements, 0).join("\n") };
}

/** Spans that share lines are joined, and each is widened until its text stands only once and something is left of it. */
function distinct(given: readonly Span[], lines: readonly string[], text: string): Span[] {
  const spans = joined(given.map((span) => widened(span, lines, text)));
  return spans.length === given.length ? spans : distinct(spans, lines, text);
}

function widened(span: Span, lines: readonly string[], text: string): Span {
  let { start, end } = span;
  const removed = span.replacements.reduce((sum, { remove }) => sum + remove, 0);
  const isGone = (): boolean =>
    end - start === removed && span.replacements.every(({ insert }) => insert.length === 0);
  const isEnough = (): boolean => !isGone() && isUnique(lines.slice(start, end).join("\n"), text);
  while (!isEnough() && (start > 0 || end < lines.length)) {
    if (end < lines.length) end++;
    if (start > 0) start--;
  }
  return { ...span, start, end };
}

function isUnique(part: string, text: string): boolean {
  if (part === "") return false;
  const at = text.indexOf(part);
  return at >= 0 && text.indexOf(part, at + 1) < 0;
}

function joined(spans: readonly Span[]): Span[] {
  const sorted = spans.toSorted((one, two) => one.start - two.start);
  const result: Span[] = [];
  for (const span of sorted) {
    const last = result.at(-1);
    if (!last || span.start >= last.end) result.push(span);
    else
      result[result.length - 1] = {
        start: last.start,
        end: Math.max(last.end, span.end),
        replacements: inOrder([...last.replacements, ...span.replacements]),
      };
  }
  return result;
}

export function inOrder(replacements: readonly Replacement[]): Replacement[] {
  const sorted = replacements.toSorted((one, two) => one.at - two.at);
  const overlap = sorted.some(
    (one, at) => at > 0 && one.at < (sorted[at - 1]?.at ?? 0) + (sorted[at - 1]?.remove ?? 0),
  );
  if (overlap) throw new PatchError("two hunks change the same line");
  return sorted;
}

function quoteOf(span: Span, lines: readonly string[], terminated: boolean): PlainQuote {
  const old = lines.slice(span.start, span.end);
  const fresh = replaced(old, span.replacements, span.start);
  // Nothing is left of the file: its last newline goes too.
  const end = fresh.length === 0 && terminated ? "\n" : "";
  return { old: old.join("\n") + end, new: fresh.join("\n") };
}

export function replaced(
  lines: readonly string[],
  replacements: readonly Replacement[],
  start: number,
): string[] {
  let from = 0;
  const parts = replacements.map(({ at, remove, insert }) => {
    const part = [...lines.slice(from, at - start), ...insert];
    from = at - start + remove;
    return part;
  });
  return [...parts, lines.slice(from)].flat();
}
