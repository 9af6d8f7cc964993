import type { LineMap } from "../core/index.js";

/** One state of the file, as the journal has it or as it was found; null: there was no file. */
export interface CourseState {
  readonly version: string | null;
  /** How it came from the state before, if that can be told. */
  readonly map: LineMap | null;
  /** It came by somebody who is not in the journal. */
  readonly isForeign?: boolean;
}

/** The states a file was in, one after the other. */
export class Way {
  readonly states: CourseState[] = [];
  private readonly places = new Map<string | null, number[]>();
  /** Over 2, 4, 8… steps at once, by the state they start from: no way is long then. */
  private readonly strides: Map<number, LineMap | null>[] = [];

  push(state: CourseState): void {
    const places = this.places.get(state.version) ?? [];
    places.push(this.states.length);
    this.places.set(state.version, places);
    this.states.push(state);
  }

  /** The last state before this one that had the version; -1 if none had. */
  lastBefore(state: number, version: string | null): number {
    return this.places.get(version)?.findLast((at) => at < state) ?? -1;
  }

  /** Where the lines of one state are in a later one, through every step between; null if that cannot be told. */
  map(from: number, to: number): LineMap | null {
    let found: LineMap | null = null;
    for (let at = from; at < to; ) {
      let level = 0;
      while (at % (2 << level) === 0 && at + (2 << level) <= to) level++;
      const step = this.stride(at, level);
      if (!step) return null;
      found = found ? found.compose(step) : step;
      at += 1 << level;
    }
    return found;
  }

  private stride(at: number, level: number): LineMap | null {
    if (level === 0) return this.states[at + 1]?.map ?? null;
    this.strides[level] ??= new Map();
    const strides = this.strides[level];
    const known = strides.get(at);
    if (known !== undefined) return known;
    const [one, two] = [this.stride(at, level - 1), this.stride(at + (1 << (level - 1)), level - 1)];
    const stride = one && two && one.compose(two);
    strides.set(at, stride);
    return stride;
  }
}
