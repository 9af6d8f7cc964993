/** Where the lines of a segment are, and by what they are found. */

/** A line by its number in the segment. */
export interface SegmentIndex {
  /** This many bytes of the segment are covered: up to the end of a whole line. */
  readonly size: number;
  readonly count: number;
  /** Lines without a head that can be read, as those that were cut off. */
  readonly damaged: number;
  /** The newest time of a line. */
  readonly newest: number;
  time(line: number): number;
  start(line: number): number;
  end(line: number): number;
  /** Lines whose head has this hash, ascending. Two keys may have one hash. */
  find(hash: number): readonly number[];
}

export interface Head {
  readonly time: number;
  readonly hashes: readonly number[];
}

/** `{"at":"<12 digits of time><7 for each key>",` begins each line. */
const begin = '{"at":"';
const timeDigits = 12;
const hashDigits = 7;

export function headOf({ time, hashes }: Head): string {
  const digits = Math.max(0, Math.ceil(time)).toString(36).padStart(timeDigits, "0");
  return digits + hashes.map((hash) => hash.toString(36).padStart(hashDigits, "0")).join("");
}

/** null: the line has no head, as one that was cut off. */
export function headIn(text: string): Head | null {
  const end = text.indexOf('"', begin.length);
  const digits = end < 0 ? 0 : end - begin.length - timeDigits;
  if (digits < 0 || digits % hashDigits !== 0 || !text.startsWith(begin)) return null;
  const time = Number.parseInt(text.slice(begin.length, begin.length + timeDigits), 36);
  const hashes: number[] = [];
  for (let at = begin.length + timeDigits; at < end; at += hashDigits)
    hashes.push(Number.parseInt(text.slice(at, at + hashDigits), 36));
  return Number.isFinite(time) && hashes.every(Number.isFinite) ? { time, hashes } : null;
}

/** The index of a segment that still grows. */
export class GrowingIndex implements SegmentIndex {
  size = 0;
  newest = 0;
  damaged = 0;
  private readonly times: number[] = [];
  private readonly spans: number[] = [];
  private readonly lines = new Map<number, number[]>();

  get count(): number {
    return this.times.length;
  }

  /** Takes in the bytes after those that are covered. A last line without its break is left for the next time. */
  add(bytes: Buffer): void {
    const offset = this.size;
    for (let start = 0; ; ) {
      const end = bytes.indexOf(10, start);
      if (end < 0) return;
      if (end > start)
        this.addLine(
          bytes.toString("latin1", start, Math.min(end, start + longestHead)),
          offset + start,
          offset + end,
        );
      start = end + 1;
      this.size = offset + start;
    }
  }

  private addLine(text: string, start: number, end: number): void {
    const head = headIn(text);
    if (head === null) {
      this.damaged += 1;
      return;
    }
    for (const hash of head.hashes) {
      const lines = this.lines.get(hash);
      if (!lines) this.lines.set(hash, [this.count]);
      else if (lines.at(-1) !== this.count) lines.push(this.count);
    }
    this.times.push(head.time);
    this.spans.push(start, end);
    this.newest = Math.max(this.newest, head.time);
  }

  time(line: number): number {
    return this.times[line] as number;
  }

  start(line: number): number {
    return this.spans[2 * line] as number;
  }

  end(line: number): number {
    return this.spans[2 * line + 1] as number;
  }

  find(hash: number): readonly number[] {
    return this.lines.get(hash) ?? [];
  }

  /** Numbers alone, for `WrittenIndex`. */
  encoded(): Uint8Array {
    const pairs = [...this.lines].flatMap(([hash, lines]) => lines.map((line) => [hash, line] as const));
    pairs.sort(([one, first], [two, second]) => one - two || first - second);
    const numbers = new Float64Array(headNumbers + this.count);
    numbers.set([magic, this.size, this.count, pairs.length, this.newest, this.damaged]);
    numbers.set(this.times, headNumbers);
    const words = new Uint32Array(2 * this.count + 2 * pairs.length);
    words.set(this.spans);
    words.set(
      pairs.map(([hash]) => hash),
      2 * this.count,
    );
    words.set(
      pairs.map(([, line]) => line),
      2 * this.count + pairs.length,
    );
    return Buffer.concat([new Uint8Array(numbers.buffer), new Uint8Array(words.buffer)]);
  }
}

/** Ids that one entry names may be many. */
const longestHead = 64 * 1024;
const headNumbers = 6;
const magic = 20_262;

/** As it was written beside a full segment: nothing of it is read but what is asked for. */
export class WrittenIndex implements SegmentIndex {
  private constructor(
    private readonly numbers: Float64Array,
    private readonly words: Uint32Array,
  ) {}

  /** null: this is no index of a segment of that size. */
  static of(bytes: Uint8Array, size: number): WrittenIndex | null {
    const whole = Uint8Array.from(bytes).buffer;
    if (whole.byteLength < 8 * headNumbers) return null;
    const [found, covered, count = 0, pairs = 0] = new Float64Array(whole, 0, headNumbers);
    const length = 8 * (headNumbers + count) + 8 * count + 8 * pairs;
    if (found !== magic || covered !== size || whole.byteLength !== length) return null;
    const numbers = new Float64Array(whole, 0, headNumbers + count);
    return new WrittenIndex(numbers, new Uint32Array(whole, 8 * (headNumbers + count)));
  }

  get size(): number {
    return this.numbers[1] as number;
  }

  get count(): number {
    return this.numbers[2] as number;
  }

  get newest(): number {
    return this.numbers[4] as number;
  }

  get damaged(): number {
    return this.numbers[5] as number;
  }

  time(line: number): number {
    return this.numbers[headNumbers + line] as number;
  }

  start(line: number): number {
    return this.words[2 * line] as number;
  }

  end(line: number): number {
    return this.words[2 * line + 1] as number;
  }

  find(hash: number): readonly number[] {
    const { words, count } = this;
    const pairs = this.numbers[3] as number;
    const first = 2 * count;
    let [low, high] = [0, pairs];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((words[first + middle] as number) < hash) low = middle + 1;
      else high = middle;
    }
    const lines: number[] = [];
    for (let at = low; at < pairs && words[first + at] === hash; at++)
      lines.push(words[first + pairs + at] as number);
    return lines;
  }
}
