import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linesIn } from "../../../src/guard/output/file-lines.js";
import { Document } from "../../../src/text/document.js";

const piece = fc.constantFrom("a", "bc", "ä", "\u{1F600}", "\n", "\r\n", "\r", "\uFEFF", "\u2028", "\0", " ");
const text = fc.array(piece, { maxLength: 12 }).map((parts) => new TextEncoder().encode(parts.join("")));
const odd = fc
  .array(fc.constantFrom(0xff, 0xfe, 0xe4, 0xc3, 0xa4, 0xef, 0xbb, 0xbf, 10, 13, 97), { maxLength: 8 })
  .map((bytes) => Uint8Array.from(bytes));

describe("lines of a file without a document", () => {
  it("are those of a document", () => {
    fc.assert(
      fc.property(fc.oneof(text, odd), (bytes) => {
        const document = Document.parse(bytes);
        expect(linesIn(bytes)).toEqual(document.isBinary ? null : document.lines());
      }),
      { numRuns: 2000 },
    );
  });
});
