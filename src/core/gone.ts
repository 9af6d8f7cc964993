/** Quoted text that was seen, and of which nothing or not all stands there any more. */
import type { Document } from "./document.js";
import type { LineMap } from "./linemap.js";
import { coversLines, linesAt, search, textOf } from "./offsets.js";
import { mismatch, type Problem, problem } from "./problem.js";
import { LineSet, lineIndexes } from "./ranges.js";
import type { View } from "./view.js";

/** A place where quoted text was seen, in a text that the agent knows. */
export interface QuotedPlace {
  readonly document: Document;
  readonly from: number;
  readonly length: number;
  /** What became of the lines of that text. */
  readonly toNow: LineMap | null;
  /** The same, with lines paired of which only the blanks at their ends have changed. */
  readonly alike?: LineMap | null;
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
function placeNow(line: number, toNow: LineMap | null): number {
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
      if (!coversLines(text, from, quoted.length) || !rows.containsSpan(first, last + 1)) continue;
      const [hullStart, hullEnd] = toNow.hull(first, last + 1);
      const followed = history.followOverBlanks(state) ?? toNow;
      const isGone = lineIndexes(first, last + 1).some((line) => followed.index(line) < 0);
      if (isGone && hullStart < end && start < hullEnd)
        return goneQuote(indexes, { document, from, length: quoted.length, toNow }, history.now);
    }
  }
  return null;
}
