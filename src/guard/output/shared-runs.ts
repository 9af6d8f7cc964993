/**
 * Which consecutive lines of a file were printed as consecutive rows. Windows of three lines are looked up, and what they
 * find is extended both ways. The work is linear in the file and the rows however often lines repeat, because windows that
 * occur in too many places are not looked up: comparing all pairs of equal lines takes seconds for files full of `}`.
 */

/** Rows that read like as many lines of a file, and cannot be extended on either side. */
export interface SharedRun {
  /** 0-based, in the rows. */
  readonly at: number;
  /** 0-based, in the file. */
  readonly line: number;
  readonly length: number;
  /** False if the rows may as well be other lines of the file. */
  readonly isOnly: boolean;
}

/** Lines in a row that tell a place in a file. */
export const enough = 3;

/** A window at more lines of a file than this tells no place in it; of the rows that begin with it, as many are tried. */
const mostPlaces = 64;

/**
 * This many of the rows that hold a single line are tried: common ones, like a bracket, are printed for other files
 * too.
 */
const mostNextRows = 16;

/** Printed rows as numbers, equal for equal text; a negative number separates the rows before it from those after it. */
export class PrintedRows {
  /** Rows at which a part begins. */
  readonly #starts: number[] = [];
  /** By text: the first row that has it, and by row the next one; -1: none. */
  readonly #first: Int32Array;
  readonly #next: Int32Array;
  /** The same for windows: the first rows by their hash, in open addressing. */
  readonly #firstWindow: Int32Array;
  readonly #nextWindow: Int32Array;
  /** By the first row of a window: how many lines of a file have it. */
  readonly #counts: Int32Array;

  constructor(readonly rows: Int32Array) {
    const size = rows.length;
    this.#first = new Int32Array(rows.reduce((most, key) => Math.max(most, key), 0) + 1).fill(-1);
    [this.#next, this.#nextWindow] = [new Int32Array(size), new Int32Array(size)];
    this.#firstWindow = new Int32Array(2 ** Math.ceil(Math.log2(2 * size + 2))).fill(-1);
    this.#counts = new Int32Array(size);
    for (let at = size - 1; at >= 0; at--) {
      const key = rows[at]!;
      if (key < 0) continue;
      if (at === 0 || rows[at - 1]! < 0) this.#starts.push(at);
      this.#next[at] = this.#first[key]!;
      this.#first[key] = at;
      if (!isWindow(rows, at)) continue;
      const slot = this.#slotOf(rows, at);
      this.#nextWindow[at] = this.#firstWindow[slot]!;
      this.#firstWindow[slot] = at;
    }
  }

  /** Returns where the first row stands, or would, of the rows that read like these three lines. */
  #slotOf(keys: Int32Array, at: number): number {
    const mask = this.#firstWindow.length - 1;
    const mixed =
      Math.imul(keys[at]! * 31 + keys[at + 1]!, 0x9e3779b1) ^ Math.imul(keys[at + 2]!, 0x85ebca6b);
    for (let slot = (mixed ^ (mixed >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const row = this.#firstWindow[slot]!;
      if (row < 0 || isSameWindow(this.rows, row, keys, at)) return slot;
    }
  }

  /**
   * Returns the runs of three lines or more, those with a line that is single in the file, and those that are all of it.
   * `singles`: 1 for a line whose text no other line of the file has.
   */
  of(lines: Int32Array, singles: Uint8Array): SharedRun[] {
    const runs: FoundRun[] = [];
    /** The last run for each distance between row and line. */
    const reached = new Map<number, FoundRun>();
    const extend = (at: number, line: number, isPlaced: boolean): void => {
      const last = reached.get(at - line);
      if (last && last.at + last.length > at) last.isPlaced ||= isPlaced;
      else if (this.rows[at] === lines[line]) {
        const run = { ...this.#extended(at, line, lines), isPlaced };
        reached.set(at - line, run);
        runs.push(run);
      }
    };
    for (const at of this.#starts) extend(at, 0, false);
    const windows = this.#windowsOf(lines);
    const tryRows = (line: number, first: number, next: Int32Array, most: number): void => {
      for (let [at, left] = [first, most]; at >= 0 && left > 0; left--, at = next[at]!)
        extend(at, line, true);
    };
    lines.forEach((key, line) => {
      const window = windows[line]!;
      if (window >= 0 && this.#counts[window]! <= mostPlaces)
        tryRows(line, window, this.#nextWindow, mostPlaces);
      if (key >= 0 && (singles[line] === 1 || lines.length < enough))
        tryRows(line, this.#first[key]!, this.#next, mostNextRows);
    });
    for (const window of windows) if (window >= 0) this.#counts[window] = 0;
    return judged(runs, lines.length, singles);
  }

  /** Returns for each line the first row that begins with it and the two lines below it; counts them by that row. */
  #windowsOf(lines: Int32Array): Int32Array {
    return lines.map((_, line) => {
      const row = isWindow(lines, line) ? this.#firstWindow[this.#slotOf(lines, line)]! : -1;
      if (row >= 0) this.#counts[row]!++;
      return row;
    });
  }

  #extended(at: number, line: number, lines: Int32Array): Pick<SharedRun, "at" | "line" | "length"> {
    const isSame = (offset: number): boolean => {
      const row = this.rows[at + offset] ?? -1;
      return row >= 0 && row === lines[line + offset];
    };
    let [from, to] = [0, 1];
    while (isSame(from - 1)) from--;
    while (isSame(to)) to++;
    return { at: at + from, line: line + from, length: to - from };
  }
}

interface FoundRun extends Pick<SharedRun, "at" | "line" | "length"> {
  /** A part of it was looked up in all of the file. */
  isPlaced: boolean;
}

/** Drops runs that tell nothing, and says of the others whether their rows may be other lines of the file as well. */
function judged(runs: readonly FoundRun[], count: number, singles: Uint8Array): SharedRun[] {
  const sorted = runs.toSorted((one, two) => one.at - two.at || two.length - one.length);
  let end = 0;
  return sorted.flatMap(({ at, line, length, isPlaced }, index): SharedRun[] => {
    const next = sorted[index + 1];
    const isCovered = end >= at + length || (next?.at === at && next.length === length);
    end = Math.max(end, at + length);
    if (length === count || singles.subarray(line, line + length).includes(1))
      return [{ at, line, length, isOnly: true }];
    return length < enough ? [] : [{ at, line, length, isOnly: isPlaced && !isCovered }];
  });
}

function isSameWindow(rows: Int32Array, row: number, keys: Int32Array, at: number): boolean {
  return rows[row] === keys[at] && rows[row + 1] === keys[at + 1] && rows[row + 2] === keys[at + 2];
}

function isWindow(keys: Int32Array, at: number): boolean {
  return at + enough <= keys.length && keys[at]! >= 0 && keys[at + 1]! >= 0 && keys[at + 2]! >= 0;
}
