/** What tells the content of a file without holding it in memory. */
import type { Measure } from "../session/index.js";
import { type Io, writeAll } from "./io.js";

const pieceSize = 1 << 17;

/** A hash of bytes that come in pieces. */
export class Measuring {
  private size = 0;
  private first = 0x811c9dc5;
  private second = 0x9e3779b1;

  add(bytes: Uint8Array): void {
    let { first, second } = this;
    for (const byte of bytes) {
      first = Math.imul(first ^ byte, 0x01000193);
      second = Math.imul(second ^ byte, 0x5bd1e995);
      second ^= second >>> 15;
    }
    this.size += bytes.length;
    this.first = first;
    this.second = second;
  }

  get measure(): Measure {
    const hex = (lane: number): string => (lane >>> 0).toString(16);
    return { size: this.size, hash: `${hex(this.first)}-${hex(this.second)}` };
  }
}

/** From the beginning to the end, whatever size the system announces. `to`: another file gets the same bytes. */
export function measureFile(io: Io, fd: number, to?: number): Measure {
  const measuring = new Measuring();
  const piece = new Uint8Array(pieceSize);
  for (let position = 0; ; ) {
    const count = io.read(fd, piece, position);
    if (count === 0) return measuring.measure;
    const bytes = piece.subarray(0, count);
    measuring.add(bytes);
    if (to !== undefined) writeAll(io, to, bytes);
    position += count;
  }
}

export function isSameMeasure(one: Measure, two: Measure): boolean {
  return one.size === two.size && one.hash === two.hash;
}
