/** Finds the lines of a block of bytes and hashes them in one pass. */
import { breakLength, type Format, isUtf8, nextLineFeed } from "./codec.js";
import { utf8, xxh32 } from "./hash.js";

/** Makes the table of lines for a format that has to be decoded, line by line. */
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

/**
 * The two loops that look at every byte of a file. Each loop hashes while it looks for line feeds: a search followed by
 * a call of `xxh32` for each line would read every byte twice.
 *
 * Their speed is bound by the number of instructions, and V8 decides that number. V8 inlines no more than 920 bytes of
 * bytecode into a function, so nothing may be added to them lightly. A name on module level is a variable to it as
 * soon as it is imported or the file is bundled, and a function of the module is looked up and compared with the
 * inlined one each time: constants are written out where they are used, and so is what every line needs. A process that
 * ends before anything is compiled, like a hook, pays for each call more than for what is done in it.
 */

/** Where the lines of a file begin and the xxHash32 of each; `starts` has one entry more, the end of the file. */
export interface LineTable {
  readonly starts: Uint32Array;
  readonly hashes: Uint32Array;
}

/** A table in the making: the next line begins at `start`. */
interface Unfinished {
  starts: Uint32Array<ArrayBuffer>;
  hashes: Uint32Array<ArrayBuffer>;
  count: number;
  start: number;
}

/** Lines and hashes of UTF-8 bytes from `from` on, or null if they are not UTF-8. */
export function scanUtf8(bytes: Uint8Array, from: number): LineTable | null {
  const size = bytes.length;
  const room = (size >>> 5) + 64;
  const table = { starts: new Uint32Array(room), hashes: new Uint32Array(room), count: 0, start: from };
  while (table.start < size) {
    if (!scanBlocks(bytes, table)) return null;
    if (table.count + 1 >= table.starts.length) {
      table.starts = doubled(table.starts);
      table.hashes = doubled(table.hashes);
    } else if (table.start < size && !scanLine(bytes, table)) return null;
  }
  const { starts, hashes, count } = table;
  starts[count] = size;
  return { starts: fitted(starts, count + 1), hashes: fitted(hashes, count) };
}

/** The first entries of an array; copied only where much of it would be kept for nothing. */
function fitted(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array {
  return 4 * length < 3 * array.length ? array.slice(0, length) : array.subarray(0, length);
}

/** Takes one line in, byte by byte: one that ends less than a block before the end of the file. */
function scanLine(bytes: Uint8Array, table: Unfinished): boolean {
  const { start } = table;
  const end = lineEnd(bytes, start);
  const stop = end < bytes.length && end > start && bytes[end - 1] === 13 ? end - 1 : end;
  if (!isUtf8(bytes, start, stop)) return false;
  table.hashes[table.count] = xxh32(bytes, start, stop);
  table.starts[table.count++] = start;
  table.start = end + 1;
  return true;
}

/**
 * Takes lines in until the table is full or no line feed is left in whole blocks; false if they are not UTF-8.
 *
 * xxHash32 takes 16 bytes a step, and four words are tested for a line feed by arithmetic before they are taken in:
 * roughly for every block, where bytes over 127 pass for one, then exactly. Validity costs nothing where no byte near
 * the line is over 127. The lanes are locals because fields would not be kept in registers. The last one to three
 * bytes of a line are taken in without a branch: their number cannot be predicted.
 */
function scanBlocks(bytes: Uint8Array, table: Unfinished): boolean {
  const lineFeeds = (word: number): number => ((word ^ 0x0a0a0a0a) - 0x01010101) & ~word & 0x80808080;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const lastBlock = bytes.length - 16;
  const { starts, hashes } = table;
  let { start, count } = table;
  while (count + 1 < starts.length) {
    let position = start;
    let end = -1;
    let high = 0;
    let lane1 = 0x24234428;
    let lane2 = 0x85ebca77 | 0;
    let lane3 = 0;
    let lane4 = 0x61c8864f;
    for (; position <= lastBlock; position += 16) {
      const word1 = view.getInt32(position, true);
      const word2 = view.getInt32(position + 4, true);
      const word3 = view.getInt32(position + 8, true);
      const word4 = view.getInt32(position + 12, true);
      high |= word1 | word2 | word3 | word4;
      const signs1 = ((word1 ^ 0x0a0a0a0a) - 0x01010101) | ((word2 ^ 0x0a0a0a0a) - 0x01010101);
      const signs2 = ((word3 ^ 0x0a0a0a0a) - 0x01010101) | ((word4 ^ 0x0a0a0a0a) - 0x01010101);
      if (((signs1 | signs2) & 0x80808080) !== 0) {
        const feeds1 = lineFeeds(word1);
        const feeds2 = feeds1 || lineFeeds(word2);
        const feeds3 = feeds2 || lineFeeds(word3);
        const feeds = feeds3 || lineFeeds(word4);
        if (feeds !== 0) {
          end = position + (feeds1 ? 0 : feeds2 ? 4 : feeds3 ? 8 : 12) + lowestByte(feeds);
          break;
        }
      }
      lane1 = (lane1 + Math.imul(word1, 0x85ebca77)) | 0;
      lane2 = (lane2 + Math.imul(word2, 0x85ebca77)) | 0;
      lane3 = (lane3 + Math.imul(word3, 0x85ebca77)) | 0;
      lane4 = (lane4 + Math.imul(word4, 0x85ebca77)) | 0;
      lane1 = Math.imul((lane1 << 13) | (lane1 >>> 19), 0x9e3779b1);
      lane2 = Math.imul((lane2 << 13) | (lane2 >>> 19), 0x9e3779b1);
      lane3 = Math.imul((lane3 << 13) | (lane3 >>> 19), 0x9e3779b1);
      lane4 = Math.imul((lane4 << 13) | (lane4 >>> 19), 0x9e3779b1);
    }
    if (end < 0) break;
    const stop = end > start && bytes[end - 1] === 13 ? end - 1 : end;
    if ((high & 0x80808080) !== 0 && !isUtf8(bytes, start, stop)) return false;
    let hash = position > start ? joinedLanes(lane1, lane2, lane3, lane4) : 0x165667b1;
    hash = (hash + stop - start) | 0;
    for (; position + 4 <= stop; position += 4) {
      const sum = (hash + Math.imul(view.getInt32(position, true), 0xc2b2ae3d)) | 0;
      hash = Math.imul((sum << 17) | (sum >>> 15), 0x27d4eb2f);
    }
    const word = view.getInt32(position, true);
    const left = stop - position;
    const sum1 = (hash + Math.imul(word & 255, 0x165667b1)) | 0;
    hash ^= (hash ^ Math.imul((sum1 << 11) | (sum1 >>> 21), 0x9e3779b1)) & (-left >> 31);
    const sum2 = (hash + Math.imul((word >>> 8) & 255, 0x165667b1)) | 0;
    hash ^= (hash ^ Math.imul((sum2 << 11) | (sum2 >>> 21), 0x9e3779b1)) & ((1 - left) >> 31);
    const sum3 = (hash + Math.imul((word >>> 16) & 255, 0x165667b1)) | 0;
    hash ^= (hash ^ Math.imul((sum3 << 11) | (sum3 >>> 21), 0x9e3779b1)) & ((2 - left) >> 31);
    // A carriage return that ends a block is in the lanes by now although it belongs to the line break.
    hashes[count] = stop < position ? xxh32(bytes, start, stop) : mixed(hash);
    starts[count++] = start;
    start = end + 1;
  }
  Object.assign(table, { start, count });
  return true;
}

function doubled(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}

/** All numbers of two digits, each as a little-endian 16-bit number. */
function digitPairs(base: number): Uint16Array {
  const digits = "0123456789abcdef";
  const pairs = new Uint16Array(base * base);
  for (let number = 0; number < pairs.length; number++)
    pairs[number] = digits.charCodeAt(number / base) | (digits.charCodeAt(number % base) << 8);
  return pairs;
}

const hexPairs = digitPairs(16);
const decimalPairs = digitPairs(10);

/**
 * The hex6 rows of UTF-8 bytes from `from` on, numbered from `firstLine`, joined by LF; null if a line has to be cut
 * or is not UTF-8.
 *
 * `scanUtf8` once more, with the words that it has in hand written out as it goes: the width of the anchor is known
 * before the hash is, so the text goes to its place at once and the anchor is filled in behind. Blocks are written
 * beyond the end of a line and the next row is written over them; a line feed comes before every row, the first
 * included, so that numbers can be written by pairs of digits. A second pass over the lines takes half as long
 * again.
 */
export function hexRows(
  bytes: Uint8Array,
  from: number,
  firstLine: number,
  longest: number,
): Uint8Array | null {
  // Most code fits at the first attempt. A buffer that grew inside the loop would be no constant to it.
  for (let factor = 1.4; ; factor *= 2) {
    const capacity = Math.ceil((bytes.length - from) * factor) + 2 * (longest + rowExcess);
    const output = new DataView(new ArrayBuffer(capacity));
    const rows = fillHexRows(bytes, from, { firstLine, longest, output });
    if (rows !== "full") return rows;
  }
}

/** Bytes that a row takes besides its text: the anchor, the line break, the part of a block that reaches beyond it. */
const rowExcess = 64;

interface HexRows {
  readonly firstLine: number;
  readonly longest: number;
  readonly output: DataView<ArrayBuffer>;
}

function fillHexRows(bytes: Uint8Array, from: number, options: HexRows): Uint8Array | null | "full" {
  const blockRound = (sum: number): number => Math.imul((sum << 13) | (sum >>> 19), 0x9e3779b1);
  const lineFeeds = (word: number): number => ((word ^ 0x0a0a0a0a) - 0x01010101) & ~word & 0x80808080;
  const { firstLine, longest, output } = options;
  const lastRow = output.byteLength - longest - rowExcess;
  const size = bytes.length;
  const view = new DataView(bytes.buffer, bytes.byteOffset, size);
  const lastBlock = size - 16;
  let row = 1;
  let digits = String(firstLine).length;
  let widerLine = 10 ** digits;
  for (let start = from, line = firstLine; start < size; line++) {
    if (row > lastRow) return "full";
    if (line === widerLine) {
      widerLine *= 10;
      digits++;
    }
    const text = row + digits + 8;
    let position = start;
    let end = -1;
    let high = 0;
    let lane1 = 0x24234428;
    let lane2 = 0x85ebca77 | 0;
    let lane3 = 0;
    let lane4 = 0x61c8864f;
    for (let target = text; position <= lastBlock; position += 16, target += 16) {
      const word1 = view.getInt32(position, true);
      const word2 = view.getInt32(position + 4, true);
      const word3 = view.getInt32(position + 8, true);
      const word4 = view.getInt32(position + 12, true);
      output.setInt32(target, word1, true);
      output.setInt32(target + 4, word2, true);
      output.setInt32(target + 8, word3, true);
      output.setInt32(target + 12, word4, true);
      high |= word1 | word2 | word3 | word4;
      const feeds = lineFeeds(word1) || lineFeeds(word2) || lineFeeds(word3) || lineFeeds(word4);
      if (feeds !== 0) {
        const skipped = lineFeeds(word1) ? 0 : lineFeeds(word2) ? 4 : lineFeeds(word3) ? 8 : 12;
        end = position + skipped + lowestByte(feeds);
        break;
      }
      if (position - start > longest) return null;
      lane1 = blockRound(lane1 + Math.imul(word1, 0x85ebca77));
      lane2 = blockRound(lane2 + Math.imul(word2, 0x85ebca77));
      lane3 = blockRound(lane3 + Math.imul(word3, 0x85ebca77));
      lane4 = blockRound(lane4 + Math.imul(word4, 0x85ebca77));
    }
    if (end < 0) {
      end = lineEnd(bytes, position);
      high = -1;
      for (let at = position; at < end; at++) output.setUint8(text + at - start, bytes[at] as number);
    }
    const stop = end < size && end > start && bytes[end - 1] === 13 ? end - 1 : end;
    if (stop - start > longest || ((high & 0x80808080) !== 0 && !isUtf8(bytes, start, stop))) return null;
    const sum = position > start ? joinedLanes(lane1, lane2, lane3, lane4) : 0x165667b1;
    const hash = stop < position ? xxh32(bytes, start, stop) : tail(view, sum + stop - start, position, stop);
    writeAnchor(output, text, line, hash);
    output.setUint8(row - 1, 10);
    row = text + stop - start + 1;
    start = end + 1;
  }
  return new Uint8Array(output.buffer, 1, Math.max(row - 2, 0));
}

/** Writes `12#0f0dd9|` so that it ends at `end`, perhaps with a zero in front of it. */
function writeAnchor(output: DataView, end: number, line: number, hash: number): void {
  const middle = hexPairs[(hash >>> 8) & 255] as number;
  output.setInt32(end - 8, 35 | ((hexPairs[(hash >>> 16) & 255] as number) << 8) | (middle << 24), true);
  output.setInt32(end - 4, (middle >>> 8) | ((hexPairs[hash & 255] as number) << 8) | (124 << 24), true);
  let position = end - 10;
  let rest = line;
  do {
    const hundreds = (rest / 100) | 0;
    output.setUint16(position, decimalPairs[rest - hundreds * 100] as number, true);
    position -= 2;
    rest = hundreds;
  } while (rest > 0);
}

/** The end of a line that is less than a block from the end of the file. */
function lineEnd(bytes: Uint8Array, from: number): number {
  const feed = bytes.indexOf(10, from);
  return feed < 0 ? bytes.length : feed;
}

function lowestByte(bits: number): number {
  return (31 - Math.clz32(bits & -bits)) >>> 3;
}

/** xxHash32 of whole blocks, from its four lanes. */
function joinedLanes(lane1: number, lane2: number, lane3: number, lane4: number): number {
  return (
    ((lane1 << 1) | (lane1 >>> 31)) +
    ((lane2 << 7) | (lane2 >>> 25)) +
    ((lane3 << 12) | (lane3 >>> 20)) +
    ((lane4 << 18) | (lane4 >>> 14))
  );
}

/** Hashes the bytes after the last whole block of 16, and mixes. */
function tail(view: DataView, sum: number, from: number, stop: number): number {
  let hash = sum | 0;
  let position = from;
  for (; position + 4 <= stop; position += 4) {
    hash = (hash + Math.imul(view.getInt32(position, true), 0xc2b2ae3d)) | 0;
    hash = Math.imul((hash << 17) | (hash >>> 15), 0x27d4eb2f);
  }
  for (; position < stop; position++) {
    hash = (hash + Math.imul(view.getUint8(position), 0x165667b1)) | 0;
    hash = Math.imul((hash << 11) | (hash >>> 21), 0x9e3779b1);
  }
  return mixed(hash);
}

/** The last step of xxHash32. */
function mixed(sum: number): number {
  let hash = Math.imul(sum ^ (sum >>> 15), 0x85ebca77);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae3d);
  return hash ^ (hash >>> 16);
}
