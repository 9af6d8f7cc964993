/** Text that was only laid out anew: which line of it is which. */
import type { Document } from "../text/index.js";
import { LineChange, type Region } from "./line-change.js";

/** Returns the part of a text that formatters leave alone. */
export function withoutLayout(text: string): string {
  return text.replace(/[\s"'`,;]+/g, "");
}

/** Pairs the lines that are the same ones in another layout, be they broken elsewhere. Other words stay a region. */
export function pairLayout(before: Document, after: Document, change: LineChange): LineChange {
  const regions = change.regions.flatMap((region) => leftIn(region, before, after));
  return LineChange.of(change.before, change.after, regions);
}

function leftIn({ aStart, aEnd, bStart, bEnd }: Region, before: Document, after: Document): Region[] {
  const [old, fresh] = [wordsOf(before, aStart, aEnd), wordsOf(after, bStart, bEnd)];
  const left: Region[] = [];
  const leave = ([a, aTo]: Span, [b, bTo]: Span): void => {
    left.push({ aStart: aStart + a, aEnd: aStart + aTo, bStart: bStart + b, bEnd: bStart + bTo });
  };
  let [a, b] = [0, 0];
  while (a < old.length && b < fresh.length) {
    const isBlank = [old[a] === "", fresh[b] === ""];
    if (isBlank[0] !== isBlank[1]) {
      const [aTo, bTo] = isBlank[0] ? [a + 1, b] : [a, b + 1];
      leave([a, aTo], [b, bTo]);
      [a, b] = [aTo, bTo];
      continue;
    }
    const block = sameWords(old, fresh, [a, b]);
    if (!block) break;
    const [aTo, bTo] = block;
    const paired = Math.min(aTo - a, bTo - b);
    leave([a + paired, aTo], [b + paired, bTo]);
    [a, b] = block;
  }
  leave([a, old.length], [b, fresh.length]);
  return left;
}

type Span = readonly [start: number, end: number];

function wordsOf(text: Document, start: number, end: number): string[] {
  return text.lines(start, end).map(withoutLayout);
}

/** The ends of the shortest stretches from here that have the same words; null if there are none. */
function sameWords(old: readonly string[], fresh: readonly string[], [a, b]: Span): [number, number] | null {
  let [aTo, bTo] = [a + 1, b + 1];
  let [one, other] = [old[a] ?? "", fresh[b] ?? ""];
  while (one !== other) {
    if (one.length < other.length && other.startsWith(one) && aTo < old.length) one += old[aTo++];
    else if (other.length < one.length && one.startsWith(other) && bTo < fresh.length) other += fresh[bTo++];
    else return null;
  }
  return [aTo, bTo];
}
