import { deflateSync, inflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pack, unpack } from "../../src/store/versions.js";

const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.integer({ min: 16_000, max: 17_000 }).map((length) => new Uint8Array(length).fill(length)),
);

const unpacked = (packed: Uint8Array): Uint8Array | null => {
  try {
    return new Uint8Array(unpack(packed));
  } catch {
    return null;
  }
};

describe("packed bytes", () => {
  it("come back, whoever packs and unpacks them", () => {
    fc.assert(
      fc.property(anyBytes, fc.boolean(), (bytes, isHurried) => {
        const packed = pack(bytes, isHurried);
        expect(Buffer.compare(unpack(packed), bytes)).toBe(0);
        expect(Buffer.compare(inflateSync(packed), bytes)).toBe(0);
        expect(Buffer.compare(unpack(deflateSync(bytes)), bytes)).toBe(0);
      }),
    );
  });

  it("are not taken for others when a byte of them is changed, or the end is missing", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (bytes, position, change) => {
          const packed = pack(bytes, true);
          const at = position % packed.length;
          const damaged = packed.with(at, (packed[at] as number) ^ change);
          // Some bits of a stream mean nothing: then they come back as they were.
          for (const other of [damaged, packed.subarray(0, at)])
            expect([bytes, null]).toContainEqual(unpacked(other));
        },
      ),
    );
  });

  it("are compressed where there is time, or much to gain", () => {
    const long = new Uint8Array(20_000);
    expect(pack(long, true).length).toBeLessThan(200);
    expect(pack(long.subarray(0, 5000), false).length).toBeLessThan(200);
  });
});
