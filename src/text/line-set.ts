/** Lines `start` to `end`, 1-based, both included. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** 0-based, half-open: `[start, end)`. */
type Span = readonly [number, number];

/**
 * The fewest ranges that hold exactly the given lines, in any order, repeats allowed.
 *
 * @example
 * console.log(JSON.stringify(compactLineRanges([4, 5, 6, 9]))); // → [{"start":4,"end":6},{"start":9,"end":9}]
 */
export function compactLineRanges(lines: Iterable<number>): Range[] {
  return mergeRanges(Array.from(lines, (line) => ({ start: line, end: line })));
}

/**
 * Sorts, and joins ranges that overlap or touch. A range whose end lies before its start holds nothing.
 *
 * @example
 * console.log(JSON.stringify(mergeRanges([{ start: 4, end: 6 }, { start: 1, end: 3 }]))); // → [{"start":1,"end":6}]
 */
export function mergeRanges(ranges: readonly Range[]): Range[] {
  return toRanges(joined(ranges.map(({ start, end }) => [start - 1, end] as const)));
}

/** At most so many ranges that hold the sorted ones given, and as little else as possible. */
export function fewRanges(ranges: readonly Range[], most: number): Range[] {
  const gap = (at: number) => (ranges[at]?.start ?? 0) - (ranges[at - 1]?.end ?? 0);
  const widest = lineIndexes(1, ranges.length).sort((one, other) => gap(other) - gap(one));
  const starts = [0, ...widest.slice(0, most - 1).sort((one, other) => one - other), ranges.length];
  return starts.slice(1).map((next, at) => ({
    start: ranges[starts[at] as number]?.start as number,
    end: ranges[next - 1]?.end as number,
  }));
}

function toRanges(spans: readonly Span[]): Range[] {
  return spans.map(([start, end]) => ({ start: start + 1, end }));
}

/** Sorted, disjoint, not touching, none empty: the one shape in which two equal sets look the same. */
function joined(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  const isInOrder = spans.every(([start], at) => at === 0 || (spans[at - 1] as Span)[0] <= start);
  const sorted = isInOrder ? spans : spans.toSorted((one, other) => one[0] - other[0]);
  for (const [start, end] of sorted) {
    if (start >= end) continue;
    const last = result[result.length - 1];
    if (last === undefined || last[1] < start) result.push([start, end]);
    else if (last[1] < end) result[result.length - 1] = [last[0], end];
  }
  return result;
}

/**
 * An immutable set of 0-based line indexes. Kept as spans, because what was shown of a file is a few runs of
 * many lines; every operation costs what the number of runs costs, never what the number of lines does.
 */
export class LineSet {
  static readonly empty = new LineSet([]);

  readonly isEmpty: boolean;

  private constructor(readonly spans: readonly Span[]) {
    this.isEmpty = spans.length === 0;
  }

  static of(spans: Iterable<Span>): LineSet {
    return LineSet.from(joined([...spans]));
  }

  /** In any order, repeats allowed; runs of neighbours cost nothing. */
  static lines(indexes: Iterable<number>): LineSet {
    const runs: [number, number][] = [];
    let last: [number, number] | undefined;
    for (const index of indexes) {
      if (last?.[1] === index) last[1]++;
      else {
        last = [index, index + 1];
        runs.push(last);
      }
    }
    return LineSet.of(runs);
  }

  static all(count: number): LineSet {
    return LineSet.of([[0, count]]);
  }

  /** The inverse of `toJSON`; sorts and joins, so a hand-written list cannot break the invariant. */
  static fromJSON(flat: readonly number[]): LineSet {
    const spans: Span[] = [];
    for (let at = 0; at + 1 < flat.length; at += 2) spans.push([flat[at] as number, flat[at + 1] as number]);
    return LineSet.of(spans);
  }

  private static from(sorted: readonly Span[]): LineSet {
    return sorted.length === 0 ? LineSet.empty : new LineSet(sorted);
  }

  get size(): number {
    return this.spans.reduce((sum, [start, end]) => sum + end - start, 0);
  }

  has(index: number): boolean {
    const span = this.spans[this.firstEndingAfter(index)];
    return span !== undefined && span[0] <= index;
  }

  /** Whether every line of `[start, end)` is in the set; an empty span always is. */
  hasSpan(start: number, end: number): boolean {
    if (start >= end) return true;
    const span = this.spans[this.firstEndingAfter(start)];
    return span !== undefined && span[0] <= start && end <= span[1];
  }

  /** Every line by its index. */
  indexes(): number[] {
    return this.spans.flatMap(([start, end]) => lineIndexes(start, end));
  }

  /** The lowest of its lines, so many at most. */
  first(count: number): LineSet {
    const spans: Span[] = [];
    let left = count;
    for (const [start, end] of this.spans) {
      if (left <= 0) break;
      spans.push([start, Math.min(end, start + left)]);
      left -= end - start;
    }
    return spans.length === this.spans.length && left >= 0 ? this : LineSet.of(spans);
  }

  ranges(): Range[] {
    return toRanges(this.spans);
  }

  add(start: number, end: number): LineSet {
    if (this.hasSpan(start, end)) return this;
    return LineSet.from(joined([...this.spans, [start, end]]));
  }

  union(other: LineSet): LineSet {
    if (other.isEmpty) return this;
    if (this.isEmpty) return other;
    if (other.spans.every(([start, end]) => this.hasSpan(start, end))) return this;
    return LineSet.from(joined([...this.spans, ...other.spans]));
  }

  intersect(other: LineSet): LineSet {
    const result: Span[] = [];
    let mine = 0;
    let theirs = 0;
    while (mine < this.spans.length && theirs < other.spans.length) {
      const [myStart, myEnd] = this.spans[mine] as Span;
      const [theirStart, theirEnd] = other.spans[theirs] as Span;
      const start = Math.max(myStart, theirStart);
      const end = Math.min(myEnd, theirEnd);
      if (start < end) result.push([start, end]);
      if (myEnd < theirEnd) mine++;
      else theirs++;
    }
    return LineSet.from(result);
  }

  subtract(other: LineSet): LineSet {
    return LineSet.from(this.spans.flatMap(([start, end]) => other.gaps(start, end)));
  }

  /** The part of `[start, end)` that is not in the set. */
  missing(start: number, end: number): LineSet {
    return LineSet.from(this.gaps(start, end));
  }

  isEqual(other: LineSet): boolean {
    const isSame = ([start, end]: Span, at: number): boolean =>
      other.spans[at]?.[0] === start && other.spans[at]?.[1] === end;
    return this.spans.length === other.spans.length && this.spans.every(isSame);
  }

  toJSON(): number[] {
    return this.spans.flat();
  }

  private gaps(start: number, end: number): Span[] {
    const result: Span[] = [];
    let open = start;
    for (let at = this.firstEndingAfter(start); at < this.spans.length; at++) {
      const [spanStart, spanEnd] = this.spans[at] as Span;
      if (spanStart >= end) break;
      if (open < spanStart) result.push([open, spanStart]);
      open = spanEnd;
    }
    if (open < end) result.push([open, end]);
    return result;
  }

  private firstEndingAfter(index: number): number {
    let low = 0;
    let high = this.spans.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.spans[middle] as Span)[1] > index) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** The lines from one to before another. */
export function lineIndexes(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, at) => start + at);
}
