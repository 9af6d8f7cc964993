import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import xxhash from "xxhash-wasm";
import { cksum, utf8, xxh32 } from "../../src/text/hash.js";

const vectors = JSON.parse(readFileSync(new URL("../../data/vectors.json", import.meta.url), "utf8")) as {
  hashes: { text: string; hex6: string; hex4: string }[];
};
const { h32Raw } = await xxhash();
const anyBytes = fc.uint8Array({ maxLength: 100 });

/** The definition in the POSIX text, one bit at a time. */
function slowCksum(bytes: Uint8Array): number {
  const message = [...bytes];
  for (let length = bytes.length; length > 0; length = Math.floor(length / 256)) message.push(length % 256);
  let crc = 0n;
  for (const byte of [...message, 0, 0, 0, 0]) {
    for (let bit = 7n; bit >= 0n; bit--) {
      crc = (crc << 1n) | ((BigInt(byte) >> bit) & 1n);
      if (crc >> 32n) crc ^= 0x104c11db7n;
    }
  }
  return Number(crc ^ 0xffffffffn);
}

describe("xxh32", () => {
  test("agrees with xxhash-wasm for every length up to 300", () => {
    const bytes = Uint8Array.from({ length: 300 }, (_, at) => (at * 151 + 7) & 255);
    for (let length = 0; length <= bytes.length; length++) {
      expect(xxh32(bytes, 0, length)).toBe(h32Raw(bytes.subarray(0, length), 0) >>> 0);
    }
  });

  test("agrees with xxhash-wasm for any bytes and seed", () => {
    fc.assert(
      fc.property(anyBytes, fc.integer({ min: 0, max: 0xffffffff }), (bytes, seed) => {
        expect(xxh32(bytes, 0, bytes.length, seed)).toBe(h32Raw(bytes, seed) >>> 0);
      }),
    );
  });

  test("sees only the bytes between start and end", () => {
    fc.assert(
      fc.property(anyBytes, anyBytes, anyBytes, (before, bytes, after) => {
        const whole = Uint8Array.of(...before, ...bytes, ...after);
        const start = before.length;
        expect(xxh32(whole, start, start + bytes.length)).toBe(xxh32(bytes, 0, bytes.length));
        expect(cksum(whole, start, start + bytes.length)).toBe(cksum(bytes, 0, bytes.length));
      }),
    );
  });
});

describe("cksum", () => {
  test.each([
    ["", 4294967295],
    ["123456789", 930766865],
    ["foo\r", 3735897636],
  ])("of %j is what the command prints", (text, crc) => {
    const bytes = utf8(text);
    expect(cksum(bytes, 0, bytes.length)).toBe(crc);
  });

  test("agrees with the definition bit by bit", () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(cksum(bytes, 0, bytes.length)).toBe(slowCksum(bytes));
      }),
    );
  });

  test("appends a length of more than one octet", () => {
    const bytes = new Uint8Array(70_000).fill(120);
    for (const length of [255, 256, 257, 70_000]) {
      expect(cksum(bytes, 0, length)).toBe(slowCksum(bytes.subarray(0, length)));
    }
  });
});

test("hashes are those of the published vectors", () => {
  expect(vectors.hashes.length).toBeGreaterThan(30);
  for (const { text, hex6, hex4 } of vectors.hashes) {
    const bytes = utf8(text);
    expect((xxh32(bytes, 0, bytes.length) % 0x1000000).toString(16).padStart(6, "0")).toBe(hex6);
    expect((cksum(bytes, 0, bytes.length) % 65536).toString(16).padStart(4, "0")).toBe(hex4);
  }
});
