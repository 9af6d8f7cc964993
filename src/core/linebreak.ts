import type { Format } from "./codec.js";
import { utf8, xxh32 } from "./hash.js";
import type { LineTable } from "./scan.js";

/** The same table for any other format, line by line through its codec. */
export function scanCoded(bytes: Uint8Array, format: Format): LineTable {
  const starts: number[] = [];
  let start = format.bom;
  while (start < bytes.length) {
    starts.push(start);
    const feed = nextLineFeed(bytes, start, format);
    start = feed < 0 ? bytes.length : feed + format.unit;
  }
  const count = starts.length;
  starts.push(bytes.length);
  const table = { starts: Uint32Array.from(starts), hashes: new Uint32Array(count) };
  for (let index = 0; index < count; index++) {
    const from = starts[index] as number;
    const to = starts[index + 1] as number;
    const content = bytes.subarray(from, to - breakLength(bytes, from, to, format));
    table.hashes[index] = hashText(format.codec.decode(content));
  }
  return table;
}

export function hashText(text: string): number {
  const bytes = utf8(text);
  return xxh32(bytes, 0, bytes.length);
}

/** Position of the first line feed at or after `from`, which is a place between two units; -1 if there is none. */
export function nextLineFeed(bytes: Uint8Array, from: number, format: Format): number {
  if (format.unit === 1) return bytes.indexOf(10, from);
  for (let position = from; position + 1 < bytes.length; position += 2) {
    if (isUnit(bytes, position, 10, format)) return position;
  }
  return -1;
}

/** How many bytes of `[start, end)`, a line, are its terminator. */
export function breakLength(bytes: Uint8Array, start: number, end: number, format: Format): number {
  const unit = format.unit;
  const size = end - start;
  // An odd byte at the end of UTF-16 belongs to no unit, so the line it stands in was not ended by one.
  if (size < unit || size % unit !== 0 || !isUnit(bytes, end - unit, 10, format)) return 0;
  return size >= 2 * unit && isUnit(bytes, end - 2 * unit, 13, format) ? 2 * unit : unit;
}

export function isUnit(bytes: Uint8Array, at: number, code: number, format: Format): boolean {
  return bytes[at + format.low] === code && (format.unit === 1 || bytes[at + 1 - format.low] === 0);
}
