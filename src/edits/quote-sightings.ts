/** Places where an agent has seen quoted text, and what became of them. */
import { type History, type LineChange, overBlanks } from "../changes/index.js";
import { type Document, LineSet, lineIndexes } from "../text/index.js";
import type { View } from "./located-edit.js";
import { mismatch, type Problem, problem } from "./problem.js";
import { isWholeLines, linesAt, placesOf, search, terminated, textOf } from "./text-search.js";

/** A place where quoted text was seen, in a text that the agent knows. */
export interface QuotedPlace {
  readonly document: Document;
  readonly from: number;
  readonly length: number;
  /** The fate of the lines of that text. */
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
  const index = reindented >= 0 ? reindented : lineNow(gone, toNow);
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
function lineNow(line: number, toNow: LineChange | null): number {
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
  if (!read || read.hasSpan(start, end)) return null;
  for (const { state, rows } of showings) {
    const document = history.document(state);
    const toNow = history.follow(state);
    if (!document || !toNow || toNow.isIdentity) continue;
    const text = textOf(document);
    for (const from of search(text, quoted, null)) {
      const [first, last] = linesAt(document, from, from + quoted.length - 1);
      if (!isWholeLines(text, from, quoted.length) || !rows.hasSpan(first, last + 1)) continue;
      const [hullStart, hullEnd] = toNow.hull(first, last + 1);
      const followed = history.followOverBlanks(state) ?? toNow;
      const isGone = lineIndexes(first, last + 1).some((line) => followed.index(line) < 0);
      if (isGone && hullStart < end && start < hullEnd)
        return goneQuote(indexes, { document, from, length: quoted.length, toNow }, history.now);
    }
  }
  return null;
}

/** Text that a tool or an edit quotes, and where it will be replaced. */
export interface SoughtQuote {
  readonly quoted: string;
  /** The first line of its place in the text now; -1 if it has none. */
  readonly start: number;
  /** It is quoted as whole lines. */
  readonly whole?: boolean;
  /** The line below its place is a part of it: it will run into this one. */
  readonly joins?: boolean;
}

/** A place where quoted text was seen whole. */
export interface Sighting extends QuotedPlace {
  readonly toNow: LineChange;
  /** The lines of the text now that took its place, half-open. */
  readonly hull: readonly [number, number];
  /** All of it was printed; else some of its lines were known from something else. */
  readonly isShown: boolean;
  /** Its first line now; -1 if its lines do not follow one another any more. */
  readonly at: number;
}

/** A text of which an agent has seen lines, and the text now. */
export interface SeenText {
  readonly document: Document;
  readonly seen: LineSet;
  readonly shown: LineSet;
  readonly toNow: LineChange;
  /** Returns where a line is now, also if blanks at its ends have changed; -1 if it is gone or was not printed. */
  readonly alike: (line: number) => number;
  readonly now: Document;
}

/** Returns the places where quoted text was seen in one state of the file, as it was printed. */
export function shownSightings(
  quote: SoughtQuote,
  state: number,
  rows: LineSet,
  history: History,
): Sighting[] {
  const [document, toNow] = [history.document(state), history.follow(state)];
  if (!document || !toNow) return [];
  const followed = history.followOverBlanks(state);
  const alike = (line: number): number => followed?.index(line) ?? -1;
  return sightingsIn(quote, { document, toNow, alike, seen: rows, shown: rows, now: history.now });
}

/** Returns the places where quoted text was seen in a text. */
export function sightingsIn(quote: SoughtQuote, then: SeenText): Sighting[] {
  const { document, seen, shown, toNow } = then;
  const { quoted, whole = false, joins = false } = quote;
  // A last line that has no newline looks like any other.
  const text = quoted.endsWith("\n") ? terminated(document) : document;
  return placesOf(text, quoted, whole).flatMap(({ from, first, last }) => {
    if (!seen.hasSpan(first, last + 1)) return [];
    const hull = toNow.hull(first, last + 1);
    const at = placeNow(quote, first, joins ? last + 2 : last + 1, then);
    const isShown = shown.hasSpan(first, last + 1);
    return [{ document, from, length: quoted.length, toNow, hull, at, isShown }];
  });
}

/** Lines without letters or digits cannot be told apart, so the others are followed if there are any. */
export function followable(lines: readonly number[], document: Document): readonly number[] {
  const telling = lines.filter((line) => /[\p{L}\p{N}]/u.test(document.text(line)));
  return telling.length > 0 ? telling : lines;
}

/** Returns where lines that were seen are now. A formatter may have changed the blanks at their ends where the quote matches. */
function placeNow({ start }: SoughtQuote, first: number, end: number, then: SeenText): number {
  const { document, toNow, alike, now } = then;
  const at = standingAt(first, end, then);
  if (at >= 0 || start < 0 || end > document.lineCount || toNow.isIdentity) return at;
  const followed = overBlanks(toNow, document, now);
  const isThere = lineIndexes(first, end).every((line) => {
    const there = start + line - first;
    return followed.index(line) === there || alike(line) === there;
  });
  return isThere ? start : -1;
}

/** Returns where lines still follow one another; -1 if they do not. Lines that are not followed need only read the same. */
function standingAt(first: number, end: number, { document, toNow, now }: SeenText): number {
  if (end > document.lineCount) return -1;
  const lines = lineIndexes(first, end);
  const followed = followable(lines, document);
  const [anchor = first] = followed;
  const at = toNow.index(anchor) - (anchor - first);
  if (toNow.index(anchor) < 0 || at < 0 || at + end - first > now.lineCount) return -1;
  const isThere = followed.every((line) => toNow.index(line) === at + line - first);
  return isThere && lines.every((line) => now.text(at + line - first) === document.text(line)) ? at : -1;
}
