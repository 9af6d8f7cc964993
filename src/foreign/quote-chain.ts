/** Quotes that are replaced one after the other, as stretches of the text before all of them. */
import type { Hunk } from "../changes/index.js";
import {
  asTheToolTakes,
  hasOverlaps,
  locateText,
  mismatch,
  type Problem,
  placesFor,
  problem,
  type Quote,
  textHunks,
  textOf,
  type View,
} from "../edits/index.js";
import { applySplices } from "../merge/index.js";
import { type Document, LineSet, lineIndexes, type Splice } from "../text/index.js";

/** What stands in a text, in these lines, half-open, and what takes its place. */
interface Stretch {
  readonly old: string;
  readonly new: string;
  /** Where it begins, as an offset. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
  /** The newline is taken out with it, so what is left runs into the line at `end`, which is part of the place. */
  readonly joins: boolean;
  /** It is one of all places where a quote stood. */
  readonly all: boolean;
}

/** A quote that stands in several places that overlap, of which some tools count one, and take the first. */
export interface Doubtful {
  readonly old: string;
  /** The lines in which those begin; none where quotes before it have changed the text. */
  readonly lines: readonly number[];
}

/** A stretch of the text before, and where it is in the text as replaced so far. */
interface ReplacedStretch {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
  readonly all: boolean;
}

/**
 * A quote of what an earlier one wrote, or that reaches over its edge, is one stretch with it. null if a quote stands
 * nowhere when its turn comes, or in several places without all of them being meant.
 */
export function chained(document: Document, quotes: readonly Quote[]): Stretch[] | Doubtful | null {
  const text = textOf(document);
  const lineAt = counting(text);
  let now = text;
  let replaced: readonly ReplacedStretch[] = [];
  for (const [turn, given] of quotes.entries()) {
    const quote = asTheToolTakes(now, given);
    const found = placesFor(now, quote);
    if (!quote.all && hasOverlaps(found, quote))
      return { old: quote.old, lines: turn === 0 ? found.map(lineAt) : [] };
    if (found.length === 0 || (found.length > 1 && !quote.all)) return null;
    replaced = withPlaces(replaced, found, quote);
    now = substituted(now, found, quote);
  }
  return replaced.map(({ from, to, start, end, all }) => {
    const joins = text[to - 1] === "\n" && to < text.length && end > 0 && now[end - 1] !== "\n";
    const lines = { start: lineAt(from), end: lineAt(to - 1) + 1 };
    return { old: text.slice(from, to), new: now.slice(start, end), from, ...lines, joins, all };
  });
}

/** The line of each of some offsets, asked for in their order: mostly there are one or two. */
function counting(text: string): (offset: number) => number {
  let line = 0;
  let next = text.indexOf("\n");
  return (offset) => {
    for (; next >= 0 && next < offset; next = text.indexOf("\n", next + 1)) line++;
    return line;
  };
}

function substituted(text: string, found: readonly number[], { old, new: fresh }: Quote): string {
  const parts = found.map((at, index) => {
    const before = found[index - 1];
    return text.slice(before === undefined ? 0 : before + old.length, at) + fresh;
  });
  return parts.join("") + text.slice((found.at(-1) as number) + old.length);
}

/** Places and stretches that overlap, in the text before the places are replaced. */
interface Cluster {
  readonly start: number;
  end: number;
  readonly stretches: ReplacedStretch[];
  places: number;
}

function withPlaces(
  replaced: readonly ReplacedStretch[],
  found: readonly number[],
  quote: Quote,
): ReplacedStretch[] {
  const grown = quote.new.length - quote.old.length;
  // How far a place is from where it was before all quotes, and how far it will be moved by this one.
  let drift = 0;
  let shift = 0;
  return clusters(replaced, found, quote.old.length).map(({ start, end, stretches, places }) => {
    const [first, last] = [stretches[0], stretches.at(-1)];
    const from = first && first.start === start ? first.from : start - drift;
    for (const one of stretches) drift += one.end - one.start - (one.to - one.from);
    const to = last && last.end === end ? last.to : end - drift;
    const moved = start + shift;
    shift += places * grown;
    const all = stretches.some((one) => one.all) || (places > 0 && quote.all);
    return { from, to, start: moved, end: end + shift, all };
  });
}

function clusters(replaced: readonly ReplacedStretch[], found: readonly number[], length: number): Cluster[] {
  const result: Cluster[] = [];
  const add = (start: number, end: number): Cluster => {
    const last = result.at(-1);
    if (last && start < last.end) {
      last.end = Math.max(last.end, end);
      return last;
    }
    const fresh = { start, end, stretches: [], places: 0 };
    result.push(fresh);
    return fresh;
  };
  let next = 0;
  for (const at of found) {
    for (let one = replaced[next]; one && one.start <= at; one = replaced[++next])
      add(one.start, one.end).stretches.push(one);
    add(at, at + length).places += 1;
    for (let one = replaced[next]; one && one.start < at + length; one = replaced[++next])
      add(one.start, one.end).stretches.push(one);
  }
  for (let one = replaced[next]; one; one = replaced[++next]) add(one.start, one.end).stretches.push(one);
  return result;
}

export function chainHunks(document: Document, stretches: readonly Stretch[]): Hunk<string>[] {
  const parts = stretches.map(({ from, old, new: fresh }) => ({ from, to: from + old.length, new: fresh }));
  return textHunks(document, parts);
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
