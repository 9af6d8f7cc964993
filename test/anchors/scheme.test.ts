import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { leanWords } from "../../src/anchors/lean-words.js";
import {
  computeLineHash,
  formatLineTag,
  type SchemeName,
  scheme,
  schemes,
} from "../../src/anchors/scheme.js";
import { utf8, xxh32 } from "../../src/text/hash.js";
import { schemeContract } from "../contract/scheme.js";

type PerScheme<T> = Record<SchemeName, T>;
const vectors = JSON.parse(readFileSync(new URL("../../data/vectors.json", import.meta.url), "utf8")) as {
  hashes: ({ text: string } & PerScheme<string>)[];
  anchors: ({ line: number; text: string } & PerScheme<{ anchor: string; row: string }>)[];
};
const names = Object.keys(schemes) as SchemeName[];

for (const name of names) schemeContract(scheme(name));

test("there are three schemes, told apart by bits and separator", () => {
  expect(names.map((name) => [name, schemes[name].bits, schemes[name].separator])).toEqual([
    ["hex6", 24, "|"],
    ["hex4", 16, "|"],
    ["lean", 10, "\t"],
  ]);
});

describe("published vectors", () => {
  test.each([
    ["", "cc5d05"],
    ["}", "44bb18"],
    ["foo", "0f0dd9"],
    ["foo ", "c93cbd"],
    ["é", "a52927"],
    ["\tx", "42d55d"],
    ["// 日本語", "78db85"],
  ])("hex6 of %j is %s", (text, hash) => {
    expect(computeLineHash(text)).toBe(hash);
    expect(computeLineHash(text, "hex6")).toBe(hash);
  });

  test.each([
    ["", "ffff"],
    ["}", "8016"],
    ["foo", "9e91"],
    ["foo\r", "4624"],
    ["é", "3f68"],
  ])("hex4 of %j is %s", (text, hash) => expect(computeLineHash(text, "hex4")).toBe(hash));

  test("of the data file: hashes", () => {
    for (const vector of vectors.hashes) {
      for (const name of names) expect(computeLineHash(vector.text, name)).toBe(vector[name]);
    }
  });

  test("of the data file: anchors and rows", () => {
    for (const vector of vectors.anchors) {
      for (const name of names) {
        const { anchor, row } = vector[name];
        expect(formatLineTag(vector.line, vector.text, name)).toBe(anchor);
        expect(anchor + schemes[name].separator + vector.text).toBe(row);
      }
    }
  });
});

test("formatLineTag writes hex6 unless told otherwise", () => {
  expect(formatLineTag(12, "foo")).toBe("12#0f0dd9");
  expect(formatLineTag(12, "foo", "hex4")).toBe("12#9e91");
});

test("lean takes the word at the low ten bits of xxHash32", () => {
  const bytes = utf8("foo");
  expect(formatLineTag(12, "foo", "lean")).toBe(`${leanWords[xxh32(bytes, 0, bytes.length) % 1024]}12`);
});

test("hex6 and lean hash the text, hex4 the raw bytes with CR and BOM", () => {
  const raw = utf8("\uFEFFfoo\r");
  const text = utf8("foo");
  const source = {
    lineHash: () => xxh32(text, 0, text.length),
    rawLine: () => ({ bytes: raw, start: 0, end: raw.length }),
  };
  expect(schemes.hex6.hashLine(source, 0)).toBe(computeLineHash("foo", "hex6"));
  expect(schemes.lean.hashLine(source, 0)).toBe(computeLineHash("foo", "lean"));
  expect(schemes.hex4.hashLine(source, 0)).toBe(computeLineHash("\uFEFFfoo\r", "hex4"));
  expect(schemes.hex4.hashLine(source, 0)).not.toBe(computeLineHash("foo", "hex4"));
});

describe("lean reads", () => {
  const word = leanWords[0] as string;
  test.each([`${word}12`, `12${word}`, `${word.toUpperCase()}12`, `12${word.toUpperCase()}`])(
    "%s",
    (text) => {
      expect(schemes.lean.read(text)).toEqual({ line: 12, hash: word, length: 5 });
    },
  );
  test.each(["qqq12", "12qqq", `${word}`, `${word} 12`, `${word}#12`, `12#${word}`, `1${word}2`])(
    "nothing in %s",
    (text) => expect(schemes.lean.read(text)).toBeNull(),
  );
});
