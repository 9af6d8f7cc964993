/** A text told by another one: what is copied from there, and what is new. */
import { lineFeed } from "./line-file.js";

/** Lines of this many bytes in a row that are copied; less is written anew. */
const shortestCopy = 24;

/** Bytes that `merged` makes `after` of, where it is given `before`. */
export function difference(before: Uint8Array, after: Uint8Array): Uint8Array {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let same = 0;
  while (same < most - start && before[before.length - 1 - same] === after[after.length - 1 - same])
    same += 1;
  const parts = new Parts();
  parts.copy(0, start);
  between(
    before.subarray(start, before.length - same),
    after.subarray(start, after.length - same),
    start,
    parts,
  );
  parts.copy(before.length - same, same);
  return parts.bytes();
}

/** Lines that stand in both are copied, runs of them at once. */
function between(before: Uint8Array, after: Uint8Array, offset: number, parts: Parts): void {
  if (before.length < shortestCopy || after.length < shortestCopy) {
    parts.insert(after);
    return;
  }
  const [old, fresh] = [foundLines(before), foundLines(after)];
  const places = new Map<string, number>();
  for (const [at, { text }] of old.entries()) if (!places.has(text)) places.set(text, at);
  let [at, next] = [0, 0];
  while (at < fresh.length) {
    const { text } = fresh[at] as FoundLine;
    const found = old[next]?.text === text ? next : places.get(text);
    let run = 0;
    while (found !== undefined && fresh[at + run] && fresh[at + run]?.text === old[found + run]?.text)
      run += 1;
    const [first, last] = [fresh[at] as FoundLine, fresh[at + Math.max(1, run) - 1] as FoundLine];
    if (found !== undefined && last.end - first.start >= shortestCopy)
      parts.copy(offset + (old[found] as FoundLine).start, last.end - first.start);
    else parts.insert(after.subarray(first.start, last.end));
    if (found !== undefined) next = found + run;
    at += Math.max(1, run);
  }
}

interface FoundLine {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function foundLines(bytes: Uint8Array): FoundLine[] {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const lines: FoundLine[] = [];
  for (let start = 0; start < whole.length; ) {
    const found = whole.indexOf(lineFeed, start);
    const end = found < 0 ? whole.length : found + 1;
    lines.push({ text: whole.toString("latin1", start, end), start, end });
    start = end;
  }
  return lines;
}

/** Copies and insertions: a number with the kind in its last bit, then where it is copied from, or the new bytes. */
class Parts {
  private readonly done: Uint8Array[] = [];
  private from = 0;
  private copied = 0;
  private fresh: Uint8Array[] = [];

  copy(from: number, length: number): void {
    if (length === 0) return;
    if (this.copied > 0 && this.from + this.copied === from) {
      this.copied += length;
      return;
    }
    this.flush();
    this.from = from;
    this.copied = length;
  }

  insert(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.copied > 0) this.flush();
    this.fresh.push(bytes);
  }

  bytes(): Uint8Array {
    this.flush();
    return Buffer.concat(this.done);
  }

  private flush(): void {
    if (this.copied > 0) this.done.push(numbers(2 * this.copied, this.from));
    const fresh = Buffer.concat(this.fresh);
    if (fresh.length > 0) this.done.push(numbers(2 * fresh.length + 1), fresh);
    this.copied = 0;
    this.fresh = [];
  }
}

/** Seven bits a byte, the last byte below 128. */
function numbers(...values: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  for (const value of values) {
    let left = value;
    for (; left >= 128; left = Math.floor(left / 128)) bytes.push(128 + (left % 128));
    bytes.push(left);
  }
  return Uint8Array.from(bytes);
}

/** Throws if the bytes are no difference to such a text. */
export function merged(before: Uint8Array, told: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  const number = (): number => {
    let [value, scale] = [0, 1];
    for (; ; scale *= 128) {
      const byte = told[at];
      if (byte === undefined) throw new RangeError("the difference ends too soon");
      at += 1;
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < told.length) {
    const part = number();
    const length = Math.floor(part / 2);
    const isCopy = part % 2 === 0;
    const start = isCopy ? number() : at;
    const source = isCopy ? before : told;
    if (start + length > source.length) throw new RangeError("the difference is to another text");
    parts.push(source.subarray(start, start + length));
    if (!isCopy) at += length;
  }
  return Buffer.concat(parts);
}
