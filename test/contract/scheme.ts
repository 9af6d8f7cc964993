import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseLineRef } from "../../src/anchors/anchor.js";
import { computeLineHash, formatLineTag, type Scheme, schemes } from "../../src/anchors/scheme.js";
import type { HashSource } from "../../src/text/document.js";
import { utf8, xxh32 } from "../../src/text/hash.js";

export const anyLine = fc.integer({ min: 1, max: 999_999_999 });
export const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }).filter((text) => !/[\n\r]/.test(text)),
  fc.constantFrom("", " ", "}", "a|b\tc", "foo ", "\tx", "12#0f0dd9|foo"),
);

/** A source that holds lines without BOM and without CR, where text and raw bytes agree. */
function plainSource(lines: readonly string[]): HashSource {
  const encoded = lines.map(utf8);
  const bytesOf = (index: number): Uint8Array => encoded[index] as Uint8Array;
  return {
    lineHash: (index) => xxh32(bytesOf(index), 0, bytesOf(index).length),
    rawLine(index) {
      const padded = Uint8Array.of(10, ...bytesOf(index), 10);
      return { bytes: padded, start: 1, end: padded.length - 1 };
    },
  };
}

/** What every scheme must hold, whatever its hash and its way of writing are. */
export function schemeContract(scheme: Scheme): void {
  describe(`scheme ${scheme.name}`, () => {
    test("is found in the registry under its own name", () => {
      expect(schemes[scheme.name]).toBe(scheme);
    });

    test("hashes a document's line as it hashes that line's text", () => {
      fc.assert(
        fc.property(fc.array(anyText, { minLength: 1, maxLength: 5 }), fc.nat(), (lines, pick) => {
          const index = pick % lines.length;
          expect(scheme.hashLine(plainSource(lines), index)).toBe(scheme.hashText(lines[index] as string));
        }),
      );
    });

    test("is what the library functions print", () => {
      fc.assert(
        fc.property(anyLine, anyText, (line, text) => {
          expect(computeLineHash(text, scheme.name)).toBe(scheme.hashText(text));
          expect(formatLineTag(line, text, scheme.name)).toBe(scheme.tag(line, scheme.hashText(text)));
        }),
      );
    });

    test("reads back what it wrote, and takes up no more than that", () => {
      fc.assert(
        fc.property(
          anyLine,
          anyText,
          fc.constantFrom("", " ", "|", "\t", "|x", "\tx"),
          (line, text, rest) => {
            const hash = scheme.hashText(text);
            const tag = scheme.tag(line, hash);
            expect(scheme.read(tag + rest)).toEqual({ line, hash, length: tag.length });
          },
        ),
      );
    });

    test("reads upper case and answers in lower case", () => {
      fc.assert(
        fc.property(anyLine, anyText, (line, text) => {
          const hash = scheme.hashText(text);
          expect(scheme.read(scheme.tag(line, hash).toUpperCase())).toMatchObject({ line, hash });
        }),
      );
    });

    test("reads an anchor only at the very head, and only whole", () => {
      fc.assert(
        fc.property(anyLine, anyText, fc.constantFrom("0", "a", "z", "_"), (line, text, garbage) => {
          const tag = scheme.tag(line, scheme.hashText(text));
          expect(scheme.read(` ${tag}`)).toBeNull();
          expect(scheme.read(`é${tag}`)).toBeNull();
          expect(scheme.read(tag.slice(0, -1))?.length).not.toBe(tag.length);
          const found = scheme.read(tag + garbage);
          expect(found === null || found.length === tag.length + 1).toBe(true);
        }),
      );
    });

    test("its anchors are no other scheme's", () => {
      fc.assert(
        fc.property(anyLine, anyText, (line, text) => {
          const tag = scheme.tag(line, scheme.hashText(text));
          const readers = Object.values(schemes).filter((other) => other.read(tag) !== null);
          expect(readers).toEqual([scheme]);
        }),
      );
    });

    test("a row reads back as line, hash and exactly the text", () => {
      fc.assert(
        fc.property(anyLine, anyText, (line, text) => {
          const hash = scheme.hashText(text);
          const row = scheme.tag(line, hash) + scheme.separator + text;
          const echo = text === "" ? {} : { content: text };
          expect(parseLineRef(row)).toEqual({ line, hash, scheme: scheme.name, ...echo });
        }),
      );
    });

    test("refuses line 0, a leading zero and an absurd number", () => {
      for (const line of ["0", "007", "1234567890", "99999999999999999999"]) {
        expect(scheme.read(scheme.tag(line as unknown as number, scheme.hashText("foo")))).toBeNull();
      }
    });

    test("spreads over as many hashes as its bits promise", () => {
      const hashes = new Set(Array.from({ length: 4096 }, (_, at) => scheme.hashText(`line ${at}`)));
      // Expected number of different values when 4,096 balls fall into 2^bits boxes, with 3 % to spare.
      const boxes = 2 ** scheme.bits;
      const expected = boxes * (1 - (1 - 1 / boxes) ** 4096);
      expect(hashes.size).toBeGreaterThan(expected * 0.97);
      expect(hashes.size).toBeLessThanOrEqual(boxes);
    });
  });
}
