import { type Fate, LineMap, type Region } from "./linemap.js";

/** Lines [start, end) are taken out and `lines` put in their place. */
export interface Hunk<T> {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly T[];
}

/**
 * A change to a text of `before` lines, as a value: sorted, disjoint, never touching hunks. Laws (test/laws):
 * apply then invert gives the original back; compose agrees with applying twice; mapLine agrees with apply.
 */
export class Change<T> {
  private constructor(
    readonly map: LineMap,
    readonly hunks: readonly Hunk<T>[],
  ) {}

  /** Hunks must be given in order. Hunks that touch are joined; two that overlap are an error naming both. */
  static of<T>(before: number, hunks: Iterable<Hunk<T>>): Change<T> {
    const joined: Hunk<T>[] = [];
    // The lines of the last hunk, once they are a list of our own: with thousands in a row, each copy would be longer.
    let own: T[] | null = null;
    for (const hunk of hunks) {
      const last = joined.at(-1);
      if (hunk.start < 0 || hunk.end < hunk.start || hunk.end > before)
        throw new RangeError(`hunk ${showHunk(hunk)} does not fit a text of ${before} lines`);
      if (last && hunk.start < last.end)
        throw new RangeError(`hunks overlap: ${showHunk(last)} and ${showHunk(hunk)}`);
      if (hunk.start === hunk.end && hunk.lines.length === 0) continue;
      if (last && last.end === hunk.start) {
        own ??= [...last.lines];
        for (const line of hunk.lines) own.push(line);
        joined[joined.length - 1] = { start: last.start, end: hunk.end, lines: own };
      } else {
        own = null;
        joined.push(hunk);
      }
    }
    let shift = 0;
    const regions = joined.map((hunk): Region => {
      const bStart = hunk.start + shift;
      shift += hunk.lines.length - (hunk.end - hunk.start);
      return { aStart: hunk.start, aEnd: hunk.end, bStart, bEnd: bStart + hunk.lines.length };
    });
    return new Change(LineMap.of(before, before + shift, regions), joined);
  }

  get before(): number {
    return this.map.before;
  }

  get after(): number {
    return this.map.after;
  }

  get isEmpty(): boolean {
    return this.hunks.length === 0;
  }

  apply(lines: readonly T[]): T[] {
    if (lines.length !== this.before)
      throw new RangeError(`a change to ${this.before} lines was applied to ${lines.length}`);
    const result: T[] = [];
    let from = 0;
    for (const hunk of this.hunks) {
      for (let at = from; at < hunk.start; at++) result.push(lines[at] as T);
      for (const line of hunk.lines) result.push(line);
      from = hunk.end;
    }
    for (let at = from; at < lines.length; at++) result.push(lines[at] as T);
    return result;
  }

  /** The change that takes this one back; needs the lines this one was made for. */
  invert(lines: readonly T[]): Change<T> {
    const hunks = this.map.regions.map((region) => ({
      start: region.bStart,
      end: region.bEnd,
      lines: lines.slice(region.aStart, region.aEnd),
    }));
    return Change.of(this.after, hunks);
  }

  /** One change that does what this and then the next one do. */
  compose(next: Change<T>): Change<T> {
    const map = this.map.compose(next.map);
    const back = next.map.invert();
    const second = writtenBy(next);
    const first = writtenBy(this);
    const hunks = map.regions.map((region) => {
      const lines: T[] = [];
      for (let index = region.bStart; index < region.bEnd; index++) {
        const between = back.index(index);
        lines.push(between < 0 ? second(index) : first(between));
      }
      return { start: region.aStart, end: region.aEnd, lines };
    });
    return Change.of(this.before, hunks);
  }

  mapLine(index: number): Fate {
    return this.map.mapLine(index);
  }
}

/** Reads the lines a change writes by their index after it; indexes must be asked for in rising order. */
function writtenBy<T>(change: Change<T>): (index: number) => T {
  let at = 0;
  return (index) => {
    while ((change.map.regions[at] as Region).bEnd <= index) at++;
    return (change.hunks[at] as Hunk<T>).lines[index - (change.map.regions[at] as Region).bStart] as T;
  };
}

function showHunk(hunk: Hunk<unknown>): string {
  return `[${hunk.start},${hunk.end})+${hunk.lines.length}`;
}
