/** Quotes that a tool replaces one after the other, as stretches of the text before all of them. */
import {
  asTheToolTakes,
  hasOverlaps,
  lastAtMost,
  lineStarts,
  placesFor,
  type Quote,
  textHunks,
  textOf,
} from "../edits/index.js";
import type { Document, Hunk } from "../text/index.js";

/** A part of a text, its replacement, and its lines, half-open. */
interface Stretch {
  readonly old: string;
  readonly new: string;
  /** Its offset. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
  /** Its newline is removed, so that the rest of its last line runs into the line at `end`, which is part of the place. */
  readonly joins: boolean;
  /** It is one of all matches of a quote. */
  readonly all: boolean;
}

/** A quote with overlapping matches. Some tools count them as one and edit the first. */
export interface Doubtful {
  readonly old: string;
  /** The lines in which the matches begin; none if earlier quotes have changed the text. */
  readonly lines: readonly number[];
}

/** A stretch of the text before, as offsets, and the same in the text with the quotes so far replaced. */
interface ReplacedStretch {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
  readonly all: boolean;
}

/**
 * Returns the stretches that quotes replace, one after the other. A quote of text that an earlier one wrote is one stretch
 * with it. null if a quote has no match when its turn comes, or several without `all`.
 */
export function chained(document: Document, quotes: readonly Quote[]): Stretch[] | Doubtful | null {
  const text = textOf(document);
  const starts = lineStarts(document);
  const lineAt = (offset: number): number => lastAtMost(starts, offset);
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

function substituted(text: string, found: readonly number[], { old, new: fresh }: Quote): string {
  const parts = found.map((at, index) => {
    const before = found[index - 1];
    return text.slice(before === undefined ? 0 : before + old.length, at) + fresh;
  });
  return parts.join("") + text.slice((found.at(-1) as number) + old.length);
}

/** Matches of a quote and stretches that overlap, in the text before the matches are replaced. */
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
  // How far earlier quotes have moved a place, and how far this one will.
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

/** Returns the hunks that replace stretches of a text. */
export function chainHunks(document: Document, stretches: readonly Stretch[]): Hunk<string>[] {
  const parts = stretches.map(({ from, old, new: fresh }) => ({ from, to: from + old.length, new: fresh }));
  return textHunks(document, parts);
}
