/** The two hashes of lines: xxHash32, and the checksum of POSIX `cksum`. */
const PRIME_1 = 0x9e3779b1 | 0;
const PRIME_2 = 0x85ebca77 | 0;
const PRIME_3 = 0xc2b2ae3d | 0;
const PRIME_4 = 0x27d4eb2f | 0;
const PRIME_5 = 0x165667b1 | 0;

/**
 * xxHash32 of `bytes[start, end)`, unsigned.
 *
 * Everything is inlined on int32 locals: a helper per round or a DataView per call costs more than the
 * hashing itself on lines of a few dozen bytes.
 */
export function xxh32(bytes: Uint8Array, start: number, end: number, seed = 0): number {
  const length = end - start;
  let position = start;
  let hash: number;
  if (length >= 16) {
    let lane1 = (seed + PRIME_1 + PRIME_2) | 0;
    let lane2 = (seed + PRIME_2) | 0;
    let lane3 = seed | 0;
    let lane4 = (seed - PRIME_1) | 0;
    const limit = end - 16;
    do {
      lane1 = (lane1 + Math.imul(word(bytes, position), PRIME_2)) | 0;
      lane1 = Math.imul((lane1 << 13) | (lane1 >>> 19), PRIME_1);
      lane2 = (lane2 + Math.imul(word(bytes, position + 4), PRIME_2)) | 0;
      lane2 = Math.imul((lane2 << 13) | (lane2 >>> 19), PRIME_1);
      lane3 = (lane3 + Math.imul(word(bytes, position + 8), PRIME_2)) | 0;
      lane3 = Math.imul((lane3 << 13) | (lane3 >>> 19), PRIME_1);
      lane4 = (lane4 + Math.imul(word(bytes, position + 12), PRIME_2)) | 0;
      lane4 = Math.imul((lane4 << 13) | (lane4 >>> 19), PRIME_1);
      position += 16;
    } while (position <= limit);
    hash =
      (((lane1 << 1) | (lane1 >>> 31)) +
        ((lane2 << 7) | (lane2 >>> 25)) +
        ((lane3 << 12) | (lane3 >>> 20)) +
        ((lane4 << 18) | (lane4 >>> 14))) |
      0;
  } else {
    hash = (seed + PRIME_5) | 0;
  }
  hash = (hash + length) | 0;
  for (const limit = end - 4; position <= limit; position += 4) {
    hash = (hash + Math.imul(word(bytes, position), PRIME_3)) | 0;
    hash = Math.imul((hash << 17) | (hash >>> 15), PRIME_4);
  }
  for (; position < end; position++) {
    hash = (hash + Math.imul(bytes[position] as number, PRIME_5)) | 0;
    hash = Math.imul((hash << 11) | (hash >>> 21), PRIME_1);
  }
  hash = Math.imul(hash ^ (hash >>> 15), PRIME_2);
  hash = Math.imul(hash ^ (hash >>> 13), PRIME_3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function word(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

const CRC_POLYNOMIAL = 0x04c11db7;
let crcTable: Int32Array | undefined;

function makeCrcTable(): Int32Array {
  const table = new Int32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    let remainder = byte << 24;
    for (let bit = 0; bit < 8; bit++) {
      remainder = remainder < 0 ? (remainder << 1) ^ CRC_POLYNOMIAL : remainder << 1;
    }
    table[byte] = remainder;
  }
  return table;
}

/** The CRC that POSIX `cksum` prints for `bytes[start, end)`: the length follows the content, lowest octet first. */
export function cksum(bytes: Uint8Array, start: number, end: number): number {
  crcTable ??= makeCrcTable();
  let crc = 0;
  for (let position = start; position < end; position++) {
    crc = (crc << 8) ^ (crcTable[(crc >>> 24) ^ (bytes[position] as number)] as number);
  }
  // Divided, not shifted: a length may exceed 31 bits.
  for (let length = end - start; length > 0; length = Math.floor(length / 256)) {
    crc = (crc << 8) ^ (crcTable[(crc >>> 24) ^ (length & 255)] as number);
  }
  return ~crc >>> 0;
}

const encoder = new TextEncoder();

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Tells texts apart without saying anything of them. */
export function digest(text: string): string {
  const bytes = utf8(text);
  return [0, 0x9e3779b1].map((seed) => xxh32(bytes, 0, bytes.length, seed).toString(36)).join("-");
}

/** Four characters (FNV-1a, base 36): tells apart the few things that are named at one time. */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text)
    hash = Math.imul(hash ^ (character.codePointAt(0) as number), 0x01000193) >>> 0;
  return (hash % 36 ** 4).toString(36);
}
