/** Quotes that are replaced one after the other, as stretches of the text before all of them. */
import type { Document } from "./document.js";
import { linesAt, overlap, placesFor, type Quote, textOf } from "./offsets.js";

/** What stands in a text, in these lines, half-open, and what takes its place. */
export interface Stretch {
  readonly old: string;
  readonly new: string;
  readonly start: number;
  readonly end: number;
  /** The newline is taken out with it, so what is left runs into the line at `end`, which is part of the place. */
  readonly joins: boolean;
}

/** A quote that stands in places that overlap, and the lines in which those begin. */
export interface Overlap {
  readonly old: string;
  readonly lines: readonly number[];
}

/** A stretch of the text before, and where it is in the text as replaced so far. */
interface Replaced {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

/**
 * A quote of what an earlier one wrote, or that reaches over its edge, is one stretch with it. null if a quote stands
 * nowhere when its turn comes, or in several places without all of them being meant.
 */
export function chained(document: Document, quotes: readonly Quote[]): Stretch[] | Overlap | null {
  const text = textOf(document);
  let now = text;
  let replaced: readonly Replaced[] = [];
  for (const quote of quotes) {
    const { old, new: fresh, all } = quote;
    const found = placesFor(now, quote);
    if (!all && overlap(found, quote)) return { old, lines: found.map((at) => lineAt(now, at)) };
    if (found.length === 0 || (found.length > 1 && !all)) return null;
    // From the last to the first: offsets before a place stay what they are.
    for (const at of found.toReversed()) {
      replaced = withPlace(replaced, at, { old: old.length, new: fresh.length });
      now = now.slice(0, at) + fresh + now.slice(at + old.length);
    }
  }
  return replaced.map(({ from, to, start, end }) => {
    const [first, last] = linesAt(document, from, to - 1);
    const joins = text[to - 1] === "\n" && to < text.length && end > 0 && now[end - 1] !== "\n";
    return { old: text.slice(from, to), new: now.slice(start, end), start: first, end: last + 1, joins };
  });
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length - 1;
}

interface Lengths {
  readonly old: number;
  readonly new: number;
}

function withPlace(replaced: readonly Replaced[], at: number, length: Lengths): Replaced[] {
  const end = at + length.old;
  const before = replaced.filter((one) => one.end <= at);
  const met = replaced.filter((one) => one.end > at && one.start < end);
  const after = replaced.filter((one) => one.end > at && one.start >= end);
  const shift = (list: readonly Replaced[]): number =>
    list.reduce((sum, one) => sum + (one.end - one.start) - (one.to - one.from), 0);
  const [first, last] = [met[0], met.at(-1)];
  const grown = length.new - length.old;
  const joined: Replaced = {
    from: first && first.start <= at ? first.from : at - shift(before),
    to: last && last.end >= end ? last.to : end - shift([...before, ...met]),
    start: Math.min(at, first?.start ?? at),
    end: Math.max(end, last?.end ?? end) + grown,
  };
  const moved = after.map((one) => ({ ...one, start: one.start + grown, end: one.end + grown }));
  return [...before, joined, ...moved];
}
