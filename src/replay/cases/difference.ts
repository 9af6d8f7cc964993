/**
 * Line differences for making cases. Written apart from core/compare on purpose: a set made with the comparison under
 * test would agree with it by construction.
 */
import type { Hunk } from "./case.js";

const most = 400;

type Pairs = [before: number, after: number][];

/** Myers' shortest script; null if more than `most` lines differ. */
export function difference(before: readonly string[], after: readonly string[]): Hunk[] | null {
  const pairs = trimmed(before, after, myers);
  return pairs && hunksOf(pairs, before.length, after);
}

/** The same length of script, found from the other end: where both differ, more than one reading is as good. */
export function differenceFromEnd(before: readonly string[], after: readonly string[]): Hunk[] | null {
  const flipped = trimmed(before.toReversed(), after.toReversed(), myers);
  if (!flipped) return null;
  const pairs = flipped
    .map(([one, two]): [number, number] => [before.length - 1 - one, after.length - 1 - two])
    .reverse();
  return hunksOf(pairs, before.length, after);
}

/** Patience: lines that occur once on both sides first, then what lies between. */
export function patienceDifference(before: readonly string[], after: readonly string[]): Hunk[] | null {
  const pairs = trimmed(before, after, patience);
  return pairs && hunksOf(pairs, before.length, after);
}

type Compare = (before: readonly string[], after: readonly string[]) => Pairs | null;

function trimmed(before: readonly string[], after: readonly string[], compare: Compare): Pairs | null {
  const short = Math.min(before.length, after.length);
  let head = 0;
  while (head < short && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < short - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const middle = compare(before.slice(head, before.length - tail), after.slice(head, after.length - tail));
  if (!middle) return null;
  const pairs: Pairs = [];
  for (let at = 0; at < head; at++) pairs.push([at, at]);
  for (const [one, two] of middle) pairs.push([one + head, two + head]);
  for (let at = tail; at > 0; at--) pairs.push([before.length - at, after.length - at]);
  return pairs;
}

/** Lines as numbers; null where so many have no counterpart at all on the other side that the comparison would be given up. */
function numbered(before: readonly string[], after: readonly string[]): [Int32Array, Int32Array] | null {
  const known = new Map<string, number>();
  const balance: number[] = [];
  const number = (line: string, by: number): number => {
    const found = known.get(line) ?? known.size;
    if (found === known.size) known.set(line, found);
    balance[found] = (balance[found] ?? 0) + by;
    return found;
  };
  const one = Int32Array.from(before, (line) => number(line, 1));
  const two = Int32Array.from(after, (line) => number(line, -1));
  return balance.reduce((sum, count) => sum + Math.abs(count), 0) > most ? null : [one, two];
}

function myers(before: readonly string[], after: readonly string[]): Pairs | null {
  const numbers = numbered(before, after);
  if (!numbers) return null;
  const [first, second] = numbers;
  const [size, length] = [first.length, second.length];
  const trace: Int32Array[] = [];
  const limit = Math.min(most, size + length);
  const reach = new Int32Array(2 * limit + 3);
  const middle = limit + 1;
  for (let edits = 0; edits <= limit; edits++) {
    trace.push(reach.slice(middle - edits - 1, middle + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const left = reach[middle + diagonal - 1] as number;
      const right = reach[middle + diagonal + 1] as number;
      let one = diagonal === -edits || (diagonal !== edits && left < right) ? right : left + 1;
      while (one < size && one - diagonal < length && first[one] === second[one - diagonal]) one++;
      reach[middle + diagonal] = one;
      if (one >= size && one - diagonal >= length) return walkBack(trace, size, length);
    }
  }
  return null;
}

/** `trace[d]` has what diagonals -d - 1 to d + 1 reached before the step of d edits. */
function walkBack(trace: readonly Int32Array[], beforeLength: number, afterLength: number): Pairs {
  const pairs: Pairs = [];
  let [one, two] = [beforeLength, afterLength];
  for (let edits = trace.length - 1; edits >= 0 && (one > 0 || two > 0); edits--) {
    const reach = trace[edits] as Int32Array;
    const middle = edits + 1;
    const diagonal = one - two;
    const left = reach[middle + diagonal - 1] as number;
    const right = reach[middle + diagonal + 1] as number;
    const down = diagonal === -edits || (diagonal !== edits && left < right);
    const previous = down ? diagonal + 1 : diagonal - 1;
    const start = edits === 0 ? 0 : (reach[middle + previous] as number);
    const stop = edits === 0 ? 0 : down ? start : start + 1;
    while (one > stop) pairs.push([--one, --two]);
    [one, two] = [start, start - previous];
  }
  return pairs.reverse();
}

function patience(before: readonly string[], after: readonly string[]): Pairs | null {
  const anchors = increasing(uniqueInBoth(before, after));
  if (anchors.length === 0) return myers(before, after);
  const pairs: Pairs = [];
  let [one, two] = [0, 0];
  for (const [nextOne, nextTwo] of [...anchors, [before.length, after.length] as const]) {
    const between = trimmed(before.slice(one, nextOne), after.slice(two, nextTwo), patience);
    if (!between) return null;
    for (const [left, right] of between) pairs.push([left + one, right + two]);
    if (nextOne < before.length) pairs.push([nextOne, nextTwo]);
    [one, two] = [nextOne + 1, nextTwo + 1];
  }
  return pairs;
}

function uniqueInBoth(before: readonly string[], after: readonly string[]): Pairs {
  const places = (lines: readonly string[]): Map<string, number> => {
    const found = new Map<string, number>();
    for (const [at, line] of lines.entries()) found.set(line, found.has(line) ? -1 : at);
    return found;
  };
  const there = places(after);
  return [...places(before)].flatMap(([line, one]): Pairs => {
    const two = there.get(line) ?? -1;
    return one < 0 || two < 0 ? [] : [[one, two]];
  });
}

/** The longest chain that grows on both sides; the pairs come in order of the first. */
function increasing(pairs: Pairs): Pairs {
  const piles: number[] = [];
  const previous: number[] = [];
  for (const [at, [, two]] of pairs.entries()) {
    let [low, high] = [0, piles.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[piles[middle] as number] as [number, number])[1] < two) low = middle + 1;
      else high = middle;
    }
    previous[at] = low > 0 ? (piles[low - 1] as number) : -1;
    piles[low] = at;
  }
  const chain: Pairs = [];
  for (let at = piles.at(-1) ?? -1; at >= 0; at = previous[at] as number)
    chain.push(pairs[at] as [number, number]);
  return chain.reverse();
}

function hunksOf(pairs: Pairs, length: number, after: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let [one, two] = [0, 0];
  for (const [nextOne, nextTwo] of [...pairs, [length, after.length] as const]) {
    if (nextOne > one || nextTwo > two)
      hunks.push({ start: one, count: nextOne - one, lines: after.slice(two, nextTwo) });
    [one, two] = [nextOne + 1, nextTwo + 1];
  }
  return hunks;
}

/** How far a hunk could as well stand higher or lower: the text it leaves would be the same. */
export function slide(
  lines: readonly string[],
  { start, count, lines: added }: Hunk,
): [up: number, down: number] {
  if (count > 0 && added.length > 0) return [0, 0];
  const block = count > 0 ? lines.slice(start, start + count) : added;
  const size = block.length;
  let up = 0;
  while (start - up > 0 && lines[start - up - 1] === block[(((-1 - up) % size) + size) % size]) up++;
  let down = 0;
  while (start + count + down < lines.length && lines[start + count + down] === block[down % size]) down++;
  return [up, down];
}
