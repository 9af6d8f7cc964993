/** Tells the content of a file without holding it in memory. */

import { setImmediate } from "node:timers/promises";
import { type Io, writeAll } from "../host/index.js";
import { type Cancellation, type Measure, throwIfAborted } from "../ports/index.js";

/** A multiple of four, so that a word is never cut in two. */
const pieceSize = 1 << 20;

/** Bytes between two turns of the event loop: some milliseconds. */
const turnSize = 8 << 20;

/** A hash of bytes that come in pieces, all but the last of a multiple of four bytes. */
export class Measuring {
  private size = 0;
  private first = 0x811c9dc5;
  private second = 0x9e3779b1;

  add(bytes: Uint8Array): void {
    const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const whole = bytes.length & ~3;
    let { first, second } = this;
    const mix = (word: number): void => {
      first = Math.imul(first ^ word, 0x01000193);
      first ^= first >>> 17;
      second = Math.imul(second ^ word, 0x5bd1e995);
      second ^= second >>> 15;
    };
    // Four bytes at a time: one by one took two minutes for 2 GiB.
    for (let at = 0; at < whole; at += 4) mix(words.getUint32(at, true));
    for (let at = whole; at < bytes.length; at++) mix(bytes[at] as number);
    this.first = first;
    this.second = second;
    this.size += bytes.length;
  }

  get measure(): Measure {
    const hex = (lane: number): string => (lane >>> 0).toString(16);
    return { size: this.size, hash: `${hex(this.first)}-${hex(this.second)}` };
  }
}

/** From the beginning to the end, whatever size the system announces. */
export function measureFile(io: Io, fd: number): Measure {
  const measuring = new Measuring();
  for (const bytes of pieces(io, fd)) measuring.add(bytes);
  return measuring.measure;
}

interface Beside {
  readonly signal?: Cancellation | undefined;
  /** Another file that gets the same bytes. */
  readonly copyTo?: number;
}

/** The same beside other work, which goes on every few milliseconds. Throws an AbortError once it is cancelled. */
export async function measureBeside(io: Io, fd: number, { signal, copyTo }: Beside = {}): Promise<Measure> {
  const measuring = new Measuring();
  let sinceTurn = 0;
  for (const bytes of pieces(io, fd)) {
    measuring.add(bytes);
    if (copyTo !== undefined) writeAll(io, copyTo, bytes);
    sinceTurn += bytes.length;
    if (sinceTurn < turnSize) continue;
    sinceTurn = 0;
    await setImmediate();
    throwIfAborted(signal);
  }
  return measuring.measure;
}

/** Each piece is full but the last, in the same memory as the one before. */
function* pieces(io: Io, fd: number): Generator<Uint8Array> {
  const piece = new Uint8Array(pieceSize);
  for (let position = 0; ; ) {
    let filled = 0;
    while (filled < piece.length) {
      const count = io.read(fd, piece.subarray(filled), position + filled);
      if (count === 0) break;
      filled += count;
    }
    if (filled > 0) yield piece.subarray(0, filled);
    if (filled < piece.length) return;
    position += filled;
  }
}

export function isSameMeasure(one: Measure, two: Measure): boolean {
  return one.size === two.size && one.hash === two.hash;
}
