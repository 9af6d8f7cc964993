/** Compares two texts: the lines that are certainly unchanged, and the regions between them. */
import type { Document } from "../text/index.js";
import { type Classes, type Segment, visitCertainPairs } from "./certain-pairs.js";
import { LineChange, type Region } from "./line-change.js";

/**
 * Which lines are certainly unchanged between two texts: lines that occur once in both are paired first, as far as
 * every longest increasing run of those pairs agrees; between them, the pairs that every longest common subsequence
 * contains. Everything else is a region. A segment that costs too much is one region: only edits inside it suffer.
 */
export function compare(a: Document, b: Document): LineChange {
  if (a === b) return LineChange.identity(a.lineCount);
  const map = compareHashes(a.table.hashes, b.table.hashes);
  // Hashes find the pairs, content confirms them. Where two lines only share a hash, texts are compared instead.
  return isEqualThroughout(a, b, map) ? map : compareLines(a.lines(), b.lines());
}

/** The same for texts of which only the hashes are kept: 32 bits stand for a line. */
export function compareHashes(a: Uint32Array, b: Uint32Array): LineChange {
  return compareClasses(classify(a, b));
}

/** Whether every pair of a map reads the same; runs of pairs are compared as one piece. */
function isEqualThroughout(a: Document, b: Document, map: LineChange): boolean {
  let [aFrom, bFrom] = [0, 0];
  for (const { aStart, aEnd, bEnd } of map.regions) {
    if (!a.isSameLines(aFrom, aStart, b, bFrom)) return false;
    [aFrom, bFrom] = [aEnd, bEnd];
  }
  return a.isSameLines(aFrom, a.lineCount, b, bFrom);
}

export function compareLines(a: readonly string[], b: readonly string[]): LineChange {
  const known = new Map<string, number>();
  const number = (text: string): number => {
    const found = known.get(text);
    if (found !== undefined) return found;
    known.set(text, known.size);
    return known.size - 1;
  };
  return compareClasses({ a: Int32Array.from(a, number), b: Int32Array.from(b, number) });
}

/** Numbers lines so that two lines have one number exactly when they have one hash. */
function classify(aHashes: Uint32Array, bHashes: Uint32Array): Classes {
  const count = aHashes.length;
  let size = 16;
  while (size < (count + bHashes.length) * 2) size *= 2;
  const table = new Int32Array(size);
  const mask = size - 1;
  const first = new Int32Array(count);
  for (let index = 0; index < count; index++) {
    const hash = aHashes[index] as number;
    let slot = hash & mask;
    let entry = table[slot] as number;
    while (entry !== 0 && aHashes[entry - 1] !== hash) {
      slot = (slot + 1) & mask;
      entry = table[slot] as number;
    }
    if (entry === 0) table[slot] = entry = index + 1;
    first[index] = entry - 1;
  }
  const second = new Int32Array(bHashes.length);
  let expected = 0;
  for (let index = 0; index < second.length; index++) {
    const hash = bHashes[index] as number;
    // Most lines follow the line that the one before was found to be: no look-up then.
    if (expected < count && aHashes[expected] === hash) {
      second[index] = first[expected++] as number;
      continue;
    }
    let slot = hash & mask;
    let entry = table[slot] as number;
    while (entry !== 0 && (entry > count ? bHashes[entry - 1 - count] : aHashes[entry - 1]) !== hash) {
      slot = (slot + 1) & mask;
      entry = table[slot] as number;
    }
    if (entry === 0) table[slot] = entry = count + index + 1;
    second[index] = entry - 1;
    expected = entry <= count ? entry : expected + 1;
  }
  return { a: first, b: second };
}

/** Classes are numbers below the count of all lines. */
function compareClasses(classes: Classes): LineChange {
  const { a, b } = classes;
  const regions: Region[] = [];
  let aFrom = 0;
  let bFrom = 0;
  const pair = (aIndex: number, bIndex: number): void => {
    if (aIndex > aFrom || bIndex > bFrom)
      regions.push({ aStart: aFrom, aEnd: aIndex, bStart: bFrom, bEnd: bIndex });
    aFrom = aIndex + 1;
    bFrom = bIndex + 1;
  };
  const segment = (aEnd: number, bEnd: number): void => {
    const aStart = aFrom;
    const bStart = bFrom;
    if (aStart === aEnd || bStart === bEnd) return;
    if (isEqual(classes, [aStart, aEnd, bStart, bEnd]))
      for (let at = 0; at < aEnd - aStart; at++) pair(aStart + at, bStart + at);
    else visitCertainPairs(classes, [aStart, aEnd, bStart, bEnd], pair);
  };
  const [aUnique, bUnique] = uniquePairs(a, b);
  for (let at = 0; at < aUnique.length; at++) {
    const aIndex = aUnique[at] as number;
    const bIndex = bUnique[at] as number;
    if (aIndex > aFrom || bIndex > bFrom) segment(aIndex, bIndex);
    pair(aIndex, bIndex);
  }
  segment(a.length, b.length);
  if (aFrom < a.length || bFrom < b.length)
    regions.push({ aStart: aFrom, aEnd: a.length, bStart: bFrom, bEnd: b.length });
  return LineChange.of(a.length, b.length, regions);
}

function isEqual({ a, b }: Classes, [aStart, aEnd, bStart, bEnd]: Segment): boolean {
  if (aEnd - aStart !== bEnd - bStart) return false;
  for (let at = 0; at < aEnd - aStart; at++) if (a[aStart + at] !== b[bStart + at]) return false;
  return true;
}

/** Lines that occur once in each text, those pairs that every longest increasing run contains. */
function uniquePairs(a: Int32Array, b: Int32Array): [Int32Array, Int32Array] {
  const classes = a.length + b.length;
  // Bit 0: in the one text, bit 1: again; bits 2 and 3 for the other. A branch would be guessed wrong for many lines.
  const seen = new Uint8Array(classes);
  const bPlace = new Int32Array(classes);
  for (let at = 0; at < a.length; at++) {
    const line = a[at] as number;
    const before = seen[line] as number;
    seen[line] = before | 1 | ((before << 1) & 2);
  }
  for (let at = 0; at < b.length; at++) {
    const line = b[at] as number;
    const before = seen[line] as number;
    seen[line] = before | 4 | ((before << 1) & 8);
    bPlace[line] = at;
  }
  const aIndexes = new Int32Array(Math.min(a.length, b.length) + 1);
  const bIndexes = new Int32Array(aIndexes.length);
  let count = 0;
  for (let at = 0; at < a.length; at++) {
    const line = a[at] as number;
    // Written in any case, counted only if it is once in each.
    aIndexes[count] = at;
    bIndexes[count] = bPlace[line] as number;
    count += 1 + (-((seen[line] as number) ^ 5) >> 31);
  }
  return inEveryRun(aIndexes.subarray(0, count), bIndexes.subarray(0, count));
}

/** Keeps the elements that every longest increasing run of `values` contains. */
function inEveryRun(keys: Int32Array, values: Int32Array): [Int32Array, Int32Array] {
  const count = values.length;
  if (isIncreasing(values)) return [keys, values];
  const ending = runLengths(values);
  const mirrored = Int32Array.from(values, (_, at) => -(values[count - 1 - at] as number));
  const starting = runLengths(mirrored).reverse();
  let longest = 0;
  for (const length of ending) if (length > longest) longest = length;
  const candidates = new Int32Array(longest + 1);
  const isCandidate = (at: number): boolean =>
    (ending[at] as number) + (starting[at] as number) - 1 === longest;
  for (let at = 0; at < count; at++)
    if (isCandidate(at)) candidates[ending[at] as number] = (candidates[ending[at] as number] as number) + 1;
  const kept: number[] = [];
  for (let at = 0; at < count; at++)
    if (isCandidate(at) && candidates[ending[at] as number] === 1) kept.push(at);
  return [
    Int32Array.from(kept, (at) => keys[at] as number),
    Int32Array.from(kept, (at) => values[at] as number),
  ];
}

function isIncreasing(values: Int32Array): boolean {
  for (let at = 1; at < values.length; at++)
    if ((values[at] as number) <= (values[at - 1] as number)) return false;
  return true;
}

/** For each element the length of the longest increasing run that ends with it. */
function runLengths(values: Int32Array): Int32Array {
  const lengths = new Int32Array(values.length);
  const tails = new Int32Array(values.length);
  let longest = 0;
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    let low = 0;
    let high = longest;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((tails[middle] as number) < value) low = middle + 1;
      else high = middle;
    }
    tails[low] = value;
    lengths[at] = low + 1;
    if (low === longest) longest++;
  }
  return lengths;
}
