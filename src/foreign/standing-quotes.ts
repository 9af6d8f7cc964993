/** Quotes in the text that an agent was shown, and what has become of the lines that they match. */
import type { LineChange } from "../changes/index.js";
import {
  type LocatedEdit,
  locateText,
  mismatch,
  type Problem,
  problem,
  type Quote,
  type View,
} from "../edits/index.js";
import { applySplices } from "../merge/index.js";
import { type Document, type Hunk, LineSet, lineIndexes } from "../text/index.js";

interface LocatedQuote {
  readonly quote: Quote;
  readonly edit: LocatedEdit;
  /** The text that it was located in. */
  readonly document: Document;
  readonly toNow: LineChange;
}

function located(quotes: readonly Quote[], view: View): LocatedQuote[] {
  return quotes.flatMap((quote) =>
    locateText([textEdit(quote, 0)], view).flatMap((edit): LocatedQuote[] => {
      const believed = "base" in edit ? view.history.believed(edit.base) : null;
      return "base" in edit && believed ? [{ quote, edit, ...believed }] : [];
    }),
  );
}

function textEdit(quote: Quote, index: number) {
  return { op: "replace_text" as const, index, start: null, end: null, ...quote };
}

/** Returns the lines of the file now in which each quote was seen. Quotes that cannot be located are left out. */
export function quotedLines(
  quotes: readonly Quote[],
  view: View,
): { readonly quoted: string; readonly start: number; readonly end: number }[] {
  return located(quotes, view).flatMap(({ quote, edit, toNow }) =>
    edit.spans.map((span) => {
      const [start, end] = toNow.hull(span.start, span.end);
      return { quoted: quote.old, start, end };
    }),
  );
}

/** Refuses quotes of which lines that they change are gone: the rest of such an edit is not what was meant. */
export function goneLines(quotes: readonly Quote[], view: View): Problem | null {
  for (const { edit, document, toNow } of located(quotes, view)) {
    const changed = edit.hunks.flatMap(({ start, end }) => lineIndexes(start, end));
    const gone = changed.filter((line) => toNow.index(line) < 0);
    if (gone.length === 0) continue;
    return problem("stale", [], "lines that the edit replaces are gone", {
      mismatches: gone.map((index) => mismatch({ document, index }, null, "hex6")),
      rows: LineSet.of(edit.spans.map(({ start, end }) => toNow.hull(start, end))),
    });
  }
  return null;
}

/**
 * Returns what the quotes make of the file now, if each matches there, line by line, where the agent saw it; else null.
 * Changes of others right beside them are not asked about.
 */
export function replaceStanding(quotes: readonly Quote[], view: View): Document | null {
  const splices: Hunk[] = [];
  for (const named of locateText(quotes.map(textEdit), view)) {
    const toNow = "base" in named ? view.history.believed(named.base)?.toNow : undefined;
    if (!("base" in named) || !toNow) return null;
    const shiftOf = (line: number): number => (toNow.index(line) < 0 ? Number.NaN : toNow.index(line) - line);
    const shift = shiftOf(named.spans[0]?.start ?? 0);
    const lines = named.spans.flatMap(({ start, end }) => lineIndexes(start, end));
    if (!lines.every((line) => shiftOf(line) === shift)) return null;
    for (const hunk of named.hunks)
      splices.push({ start: hunk.start + shift, end: hunk.end + shift, lines: hunk.lines });
  }
  const made = applySplices(
    view.history.now,
    splices.toSorted((one, two) => one.start - two.start),
  );
  return "document" in made ? made.document : null;
}
