/** A change as a value, and its laws. */
import { type Hunk, LineSet } from "../text/index.js";

/** A place where two texts differ: lines [aStart, aEnd) of the one stand where [bStart, bEnd) of the other do. */
export interface Region {
  readonly aStart: number;
  readonly aEnd: number;
  readonly bStart: number;
  readonly bEnd: number;
  /** The agent in question made all of this itself. */
  readonly own?: boolean;
}

/** The fate of a line: kept (at the same or another number), or gone into a region. */
type Fate =
  | { readonly kind: "kept" | "moved"; readonly line: number }
  | { readonly kind: "deleted"; readonly region: Region };

/**
 * A change as a value: which line of one text is which line of another. Lines outside the regions are paired in order;
 * nothing is claimed about lines inside. Regions are sorted; two that touch, with no paired line between them, differ in
 * whose doing they are. The new lines are those of the text after (`hunksOf`). Laws (test/laws/change): the hunks make the
 * text after; those of the inverse bring the text before back; compose agrees with one change after the other, and mapLine
 * with all of them.
 */
export class LineChange {
  readonly isIdentity: boolean;

  private constructor(
    readonly before: number,
    readonly after: number,
    readonly regions: readonly Region[],
  ) {
    this.isIdentity = regions.length === 0;
  }

  static identity(count: number): LineChange {
    return new LineChange(count, count, []);
  }

  /** Regions must be sorted; touching ones are joined, overlapping or ill-fitting ones are an error. */
  static of(before: number, after: number, regions: Iterable<Region>): LineChange {
    const joined: Region[] = [];
    let shift = 0;
    let last: Region | undefined;
    for (const region of regions) {
      if (last && (region.aStart < last.aEnd || region.bStart < last.bEnd))
        throw new RangeError(`regions overlap: ${showRegion(last)} and ${showRegion(region)}`);
      if (
        region.aEnd < region.aStart ||
        region.bEnd < region.bStart ||
        region.bStart - region.aStart !== shift
      )
        throw new RangeError(`region does not fit: ${showRegion(region)} at shift ${shift}`);
      shift = region.bEnd - region.aEnd;
      if (region.aStart === region.aEnd && region.bStart === region.bEnd) continue;
      if (last && last.aEnd === region.aStart && last.own === region.own) {
        last = { ...last, aEnd: region.aEnd, bEnd: region.bEnd };
        joined[joined.length - 1] = last;
      } else {
        last = region;
        joined.push(region);
      }
    }
    if (after - before !== shift || (last && last.aEnd > before))
      throw new RangeError(`regions do not fit texts of ${before} and ${after} lines`);
    return new LineChange(before, after, joined);
  }

  /** No line is paired: the file was made, deleted, or replaced as a whole. */
  static whole(before: number, after: number): LineChange {
    return LineChange.of(before, after, [{ aStart: 0, aEnd: before, bStart: 0, bEnd: after }]);
  }

  /** Hunks must be given in order; those that touch become one region. */
  static ofHunks(before: number, hunks: Iterable<Hunk<unknown>>): LineChange {
    let shift = 0;
    const regions: Region[] = [];
    for (const { start, end, lines } of hunks) {
      const bStart = start + shift;
      shift += lines.length - (end - start);
      regions.push({ aStart: start, aEnd: end, bStart, bEnd: bStart + lines.length });
    }
    return LineChange.of(before, before + shift, regions);
  }

  /** The first region that ends at or after this line index, of the text before or of the one after. */
  private search(index: number, isAfter = false): number {
    let low = 0;
    let high = this.regions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { aEnd, bEnd } = this.regions[middle] as Region;
      if ((isAfter ? bEnd : aEnd) < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  mapLine(index: number): Fate {
    const at = this.search(index + 1);
    const region = this.regions[at];
    if (region && region.aStart <= index) return { kind: "deleted", region };
    const shift = shiftAfter(this.regions[at - 1]);
    return { kind: shift === 0 ? "kept" : "moved", line: index + shift };
  }

  /** The line's index in the other text, or -1 where it lies in a region. */
  index(line: number): number {
    if (this.regions.length === 0) return line;
    const at = this.search(line + 1);
    const region = this.regions[at];
    if (region && region.aStart <= line) return -1;
    return line + shiftAfter(this.regions[at - 1]);
  }

  /** The lines around a paired one that are paired without a break. */
  run(line: number): readonly [number, number] {
    const at = this.search(line + 1);
    return [this.regions[at - 1]?.aEnd ?? 0, this.regions[at]?.aStart ?? this.before];
  }

  /** The regions that touch [start, end]: overlap it, or stand directly beside it. */
  touching(start: number, end: number): readonly Region[] {
    if (this.regions.length === 0) return noRegions;
    const found: Region[] = [];
    for (let at = this.search(start); at < this.regions.length; at++) {
      const region = this.regions[at] as Region;
      if (region.aStart > end) break;
      found.push(region);
    }
    return found;
  }

  /** The span of the other text that holds whatever the lines [start, end) became; whole regions at its edges. */
  hull(start: number, end: number): readonly [number, number] {
    if (this.regions.length === 0) return [start, end];
    const first = this.mapLine(start);
    const last = this.mapLine(end - 1);
    return [
      first.kind === "deleted" ? first.region.bStart : first.line,
      last.kind === "deleted" ? last.region.bEnd : last.line + 1,
    ];
  }

  /** Where a place between two lines is in the other text. */
  gap(at: number): number {
    const [region] = this.touching(at, at);
    if (region) return region.aEnd === at && region.aStart < at ? region.bEnd : region.bStart;
    return at === 0 ? 0 : this.index(at - 1) + 1;
  }

  invert(): LineChange {
    const regions = this.regions.map(({ aStart, aEnd, bStart, bEnd, own }) => {
      const region = { aStart: bStart, aEnd: bEnd, bStart: aStart, bEnd: aEnd };
      return own === undefined ? region : { ...region, own };
    });
    return new LineChange(this.after, this.before, regions);
  }

  /** The same map, as the doing of the agent in question. */
  owned(): LineChange {
    return new LineChange(
      this.before,
      this.after,
      this.regions.map((region) => ({ ...region, own: true })),
    );
  }

  /** The same map, as the doing of others. */
  disowned(): LineChange {
    return new LineChange(
      this.before,
      this.after,
      this.regions.map(({ own: _, ...region }) => region),
    );
  }

  /** Lines of the one text, as far as they are paired, as lines of the other. */
  carry(lines: LineSet): LineSet {
    return this.carried(lines, false);
  }

  /** As the inverse carries them. */
  carryBack(lines: LineSet): LineSet {
    return this.carried(lines, true);
  }

  private carried(lines: LineSet, isBack: boolean): LineSet {
    const { regions } = this;
    if (regions.length === 0) return lines;
    const spans: [number, number][] = [];
    for (const [start, end] of lines.spans) {
      let at = this.search(start, isBack);
      let [from, shift] = [start, shiftAfter(regions[at - 1])];
      for (let region = regions[at]; region; region = regions[++at]) {
        const [first, last] = isBack ? [region.bStart, region.bEnd] : [region.aStart, region.aEnd];
        if (first >= end) break;
        const by = isBack ? -shift : shift;
        if (from < first) spans.push([from + by, first + by]);
        from = Math.max(from, last);
        shift = shiftAfter(region);
      }
      const by = isBack ? -shift : shift;
      if (from < end) spans.push([from + by, end + by]);
    }
    return LineSet.of(spans);
  }

  /** From the text before this map to the text after the next one; a line is paired only if both pair it. */
  compose(next: LineChange): LineChange {
    if (this.after !== next.before)
      throw new RangeError(`maps do not meet: ${this.after} and ${next.before} lines`);
    if (this.isIdentity) return next;
    if (next.isIdentity) return this;
    return LineChange.of(this.before, next.after, clusters(this.regions, next.regions));
  }

  toJSON(): number[] {
    return [this.before, this.after, ...this.regions.flatMap((r) => [r.aStart, r.aEnd, r.bStart, r.bEnd])];
  }

  static fromJSON(flat: readonly number[]): LineChange {
    const regions: Region[] = [];
    for (let at = 2; at + 3 < flat.length; at += 4) {
      const [aStart, aEnd, bStart, bEnd] = flat.slice(at, at + 4) as [number, number, number, number];
      regions.push({ aStart, aEnd, bStart, bEnd });
    }
    return LineChange.of(flat[0] ?? 0, flat[1] ?? 0, regions);
  }
}

/** Returns the hunks that make the text after: each region with its new lines. */
export function hunksOf<T>(
  regions: readonly Region[],
  after: { lines(start: number, end: number): readonly T[] },
): Hunk<T>[] {
  return regions.map(({ aStart, aEnd, bStart, bEnd }) => ({
    start: aStart,
    end: aEnd,
    lines: after.lines(bStart, bEnd),
  }));
}

/** How much higher the numbers of lines are behind a region. */
function shiftAfter(region: Region | undefined): number {
  return region ? region.bEnd - region.aEnd : 0;
}

/** A change as the journal has it; null if it is damaged. */
export function readChange(change: readonly number[]): LineChange | null {
  try {
    return LineChange.fromJSON(change);
  } catch {
    return null;
  }
}

const noRegions: readonly Region[] = [];

function showRegion(region: Region): string {
  return `[${region.aStart},${region.aEnd})→[${region.bStart},${region.bEnd})`;
}

/**
 * Regions of the first map and of the second that overlap in the middle text become one; so do those that only touch,
 * unless one is the agent's own and the other is not.
 */
function clusters(first: readonly Region[], second: readonly Region[]): Region[] {
  const made: Region[] = [];
  let i = 0;
  let j = 0;
  let firstShift = 0;
  let secondShift = 0;
  // Most regions of a long way are neither met nor moved by the other change.
  const begin = second[0]?.aStart ?? 0;
  for (let one = first[0]; one && one.bEnd < begin; one = first[++i]) {
    made.push(one);
    firstShift = shiftAfter(one);
  }
  while (i < first.length || j < second.length) {
    if (j === second.length && secondShift === 0) {
      made.push(first[i++] as Region);
      continue;
    }
    const start = Math.min(first[i]?.bStart ?? Infinity, second[j]?.aStart ?? Infinity);
    const aStart = start - firstShift;
    const bStart = start + secondShift;
    const from = i + j;
    let sole: Region | null = null;
    let end = start;
    let own = false;
    for (;;) {
      const one = first[i];
      const two = second[j];
      const isFirst = i + j === from;
      if (one && one.bStart <= end && (isFirst || one.bStart < end || own === (one.own === true))) {
        end = Math.max(end, one.bEnd);
        firstShift = one.bEnd - one.aEnd;
        own = one.own === true && (isFirst || own);
        sole = isFirst && secondShift === 0 ? one : null;
        i++;
      } else if (two && two.aStart <= end && (isFirst || two.aStart < end || own === (two.own === true))) {
        end = Math.max(end, two.aEnd);
        secondShift = two.bEnd - two.aEnd;
        own = two.own === true && (isFirst || own);
        sole = isFirst && firstShift === 0 ? two : null;
        j++;
      } else break;
    }
    if (sole) made.push(sole);
    else {
      const region = { aStart, aEnd: end - firstShift, bStart, bEnd: end + secondShift };
      made.push(own ? { ...region, own } : region);
    }
  }
  return made;
}
