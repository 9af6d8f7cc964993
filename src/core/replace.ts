import { Change } from "./change.js";
import type { Document, Splice } from "./document.js";
import { applySplices } from "./engine.js";
import type { Quote } from "./offsets.js";
import { mismatch, type Problem, problem } from "./problem.js";
import { locateText, quoteHunks } from "./quote.js";
import { LineSet, lineIndexes } from "./ranges.js";
import type { View } from "./view.js";

/** A text and the exact change that made it. */
export interface Replaced {
  readonly document: Document;
  readonly change: Change<string>;
}

/**
 * What plain string replacement makes of a document, quote after quote, as the editing tools of agents do it. null if a
 * quote stands nowhere, or in several places without all of them being meant.
 */
export function replaceQuotes(before: Document, quotes: readonly Quote[]): Replaced | null {
  let made: Replaced = { document: before, change: Change.of(before.lineCount, []) };
  for (const quote of quotes) {
    const hunks = quoteHunks(made.document, quote);
    const next = hunks && applySplices(made.document, hunks);
    if (!next || !("document" in next)) return null;
    made = { document: next.document, change: made.change.compose(next.change) };
  }
  return made;
}

/** Where, in the file now, the lines are that each of the quotes was seen in; quotes that cannot be placed are left out. */
export function quotedLines(
  quotes: readonly Quote[],
  view: View,
): { readonly quoted: string; readonly start: number; readonly end: number }[] {
  return quotes.flatMap((quote) =>
    locateText([textEdit(quote, 0)], view).flatMap((named) => {
      const toNow = "base" in named ? view.history.believed(named.base)?.toNow : undefined;
      if (!("base" in named) || !toNow) return [];
      return named.spans.map((span) => {
        const [start, end] = toNow.hull(span.start, span.end);
        return { quoted: quote.old, start, end };
      });
    }),
  );
}

/** Lines that the quotes change or take out, and that are gone: what is left of such a quote is not what was meant. */
export function goneLines(quotes: readonly Quote[], view: View): Problem | null {
  for (const quote of quotes)
    for (const named of locateText([textEdit(quote, 0)], view)) {
      const believed = "base" in named ? view.history.believed(named.base) : null;
      if (!("base" in named) || !believed) continue;
      const { document, toNow } = believed;
      const changed = named.hunks.flatMap(({ start, end }) => lineIndexes(start, end));
      const gone = changed.filter((line) => toNow.index(line) < 0);
      if (gone.length === 0) continue;
      return problem("stale", [], "lines that the edit replaces are gone", {
        mismatches: gone.map((index) => mismatch({ document, index }, null, "hex6")),
        rows: LineSet.of(named.spans.map(({ start, end }) => toNow.hull(start, end))),
      });
    }
  return null;
}

function textEdit(quote: Quote, index: number) {
  return { op: "replace_text" as const, index, start: null, end: null, ...quote };
}

/**
 * What the quotes come to in the file now, if each of them stands there, line by line, where the agent saw it. What
 * others did right beside them is not asked.
 */
export function replaceStanding(quotes: readonly Quote[], view: View): Document | null {
  const edits = quotes.map(textEdit);
  const splices: Splice[] = [];
  for (const named of locateText(edits, view)) {
    const toNow = "base" in named ? view.history.believed(named.base)?.toNow : undefined;
    if (!("base" in named) || !toNow) return null;
    for (const { start, end } of named.spans) {
      const first = toNow.index(start);
      for (let line = start; line < end; line++)
        if (first < 0 || toNow.index(line) !== first + line - start) return null;
    }
    const shift = toNow.index(named.spans[0]?.start ?? 0) - (named.spans[0]?.start ?? 0);
    if (named.spans.some(({ start }) => toNow.index(start) - start !== shift)) return null;
    for (const { start, end, lines } of named.hunks)
      splices.push({ start: start + shift, end: end + shift, lines });
  }
  const made = applySplices(
    view.history.now,
    splices.toSorted((one, two) => one.start - two.start),
  );
  return "document" in made ? made.document : null;
}
