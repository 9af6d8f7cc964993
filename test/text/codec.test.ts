import { describe, expect, test } from "vitest";
import {
  codedFormat,
  headFormat,
  isUtf8,
  latin1Codec,
  unencodableCharacter,
  utf8Codec,
  utf16beCodec,
  utf16leCodec,
} from "../../src/text/codec.js";

const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte);

describe("utf-8", () => {
  test("keeps a byte order mark inside the text", () => {
    expect(utf8Codec.decode(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe("\ufeffa");
    expect(utf8Codec.encode("\ufeffa")).toEqual(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61));
  });
  test("refuses half a surrogate pair instead of writing U+FFFD", () => {
    expect(utf8Codec.encode("a\ud800b")).toBeNull();
    expect(utf8Codec.encode("a\udc00")).toBeNull();
    expect(utf8Codec.encode("😀")).toEqual(Uint8Array.of(0xf0, 0x9f, 0x98, 0x80));
  });
});

describe("utf-16", () => {
  test("has both byte orders", () => {
    expect(utf16leCodec.encode("aé")).toEqual(Uint8Array.of(0x61, 0, 0xe9, 0));
    expect(utf16beCodec.encode("aé")).toEqual(Uint8Array.of(0, 0x61, 0, 0xe9));
    expect(utf16leCodec.decode(Uint8Array.of(0x3d, 0xd8, 0x00, 0xde))).toBe("😀");
    expect(utf16beCodec.decode(Uint8Array.of(0xd8, 0x3d, 0xde, 0x00))).toBe("😀");
  });
  test("carries half a surrogate pair both ways", () => {
    const bytes = Uint8Array.of(0x00, 0xd8, 0x61, 0x00);
    expect(utf16leCodec.decode(bytes)).toBe("\ud800a");
    expect(utf16leCodec.encode("\ud800a")).toEqual(bytes);
  });
  test("shows half a unit as U+FFFD", () => {
    expect(utf16leCodec.decode(Uint8Array.of(0x61, 0, 0x62))).toBe("a\ufffd");
  });
  test("decodes more text than one call can take as arguments", () => {
    const text = "ab😀".repeat(100_000);
    expect(utf16beCodec.decode(utf16beCodec.encode(text) as Uint8Array)).toBe(text);
  });
});

describe("latin1", () => {
  test("gives every byte back", () => {
    expect(latin1Codec.encode(latin1Codec.decode(everyByte))).toEqual(everyByte);
    expect(latin1Codec.decode(Uint8Array.of(0x80, 0xe9))).toBe("\u0080é");
  });
  test("refuses what is beyond U+00FF", () => {
    expect(latin1Codec.encode("ÿ")).toEqual(Uint8Array.of(255));
    expect(latin1Codec.encode("Ā")).toBeNull();
    expect(latin1Codec.encode("😀")).toBeNull();
  });
});

test("the character to blame is named whole", () => {
  expect(unencodableCharacter("aé€b", latin1Codec)).toBe("€");
  expect(unencodableCharacter("a😀", latin1Codec)).toBe("😀");
  expect(unencodableCharacter("a\ud800", utf8Codec)).toBe("\ud800");
  expect(unencodableCharacter("abc", latin1Codec)).toBeNull();
});

describe("the head of a file", () => {
  const forced = latin1Codec;
  test.each([
    ["nothing", [], "utf-8", 0],
    ["plain text", [0x61], "utf-8", 0],
    ["the mark of UTF-8", [0xef, 0xbb, 0xbf], "utf-8", 3],
    ["two thirds of it", [0xef, 0xbb], "utf-8", 0],
    ["the mark of UTF-16LE", [0xff, 0xfe], "utf-16le", 2],
    ["the mark of UTF-16LE and a line", [0xff, 0xfe, 0x61, 0], "utf-16le", 2],
    ["the mark of UTF-16BE", [0xfe, 0xff, 0, 0], "utf-16be", 2],
    ["the mark of UTF-32LE, which is not UTF-16", [0xff, 0xfe, 0, 0], "utf-8", 0],
  ])("%s", (_, bytes, name, bom) => {
    const format = headFormat(Uint8Array.from(bytes));
    expect([format.codec.name, format.bom, format.coded]).toEqual([name, bom, false]);
    const again = headFormat(Uint8Array.from(bytes), forced);
    expect([again.codec.name, again.bom]).toEqual(bom > 0 ? [name, bom] : ["latin1", 0]);
  });
  test("UTF-16 without a mark is taken by name", () => {
    const format = headFormat(Uint8Array.of(0, 0x61), { ...utf16beCodec });
    expect([format.codec.name, format.bom, format.unit]).toEqual(["utf-16be", 0, 2]);
    expect(headFormat(new Uint8Array(0), utf16leCodec).unit).toBe(2);
  });
  test("other codecs work on bytes", () => {
    expect(codedFormat(latin1Codec)).toMatchObject({ bom: 0, unit: 1, coded: true });
  });
});

test("UTF-8 is told as a strict decoder tells it", () => {
  const strict = new TextDecoder("utf-8", { fatal: true });
  const accepts = (bytes: Uint8Array) => {
    try {
      strict.decode(bytes);
      return true;
    } catch {
      return false;
    }
  };
  const edges = [
    0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5,
  ];
  for (const first of everyByte) {
    for (const second of edges) {
      for (const third of [0x41, 0x80, 0xbf]) {
        for (const length of [1, 2, 3, 4]) {
          const bytes = Uint8Array.of(first, second, third, 0x80).subarray(0, length);
          if (isUtf8(bytes, 0, length) !== accepts(bytes)) expect.fail(`differs on ${bytes}`);
        }
      }
    }
  }
});
