import { readFileSync } from "node:fs";
import { getTokenizer } from "@anthropic-ai/tokenizer";
import * as cl100k from "gpt-tokenizer/encoding/cl100k_base";
import * as o200k from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { leanWords } from "../../src/anchors/lean-words.js";
import { utf8, xxh32 } from "../../src/text/hash.js";

const published = JSON.parse(
  readFileSync(new URL("../../data/lean-words.json", import.meta.url), "utf8"),
) as { words: string[] };

const claude = getTokenizer();
const decoder = new TextDecoder();
const tokenizers: Record<string, (text: string) => string[]> = {
  o200k_base: (text) => o200k.encode(text).map((token) => o200k.decode([token])),
  cl100k_base: (text) => cl100k.encode(text).map((token) => cl100k.decode([token])),
  claude: (text) =>
    Array.from(claude.encode(text, "all"), (token) => decoder.decode(claude.decode(Uint32Array.of(token)))),
};

test("1,024 different words of three lower-case letters, as published", () => {
  expect(leanWords).toHaveLength(1024);
  expect(new Set(leanWords).size).toBe(1024);
  expect(leanWords.filter((word) => !/^[a-z]{3}$/.test(word))).toEqual([]);
  expect(leanWords).toEqual(published.words);
});

test("the order never changes", () => {
  const bytes = utf8(leanWords.join(" "));
  expect(xxh32(bytes, 0, bytes.length).toString(16)).toBe("1d028382");
});

describe.each(Object.keys(tokenizers))("in %s every word is one token", (name) => {
  const split = tokenizers[name] as (text: string) => string[];
  test.each([1, 12, 999, 1043, 10000])("before %i, in a first row and in a later one", (number) => {
    const broken = leanWords.filter((word) => {
      const row = `${word}${number}\tfoo`;
      return split(row)[0] !== word || split(`foo\n${row}`)[2] !== word;
    });
    expect(broken).toEqual([]);
  });
});

test("none can be taken for hex, for a repeated letter or for part of the number", () => {
  expect(leanWords.filter((word) => /^[a-fx][a-f]{2}$|^(.)\1\1$|[lo]$/.test(word))).toEqual([]);
});

test("no two look alike, and none is another with two letters exchanged", () => {
  const known = new Set(leanWords);
  const looks = (word: string): string =>
    word.replace("rn", "m").replace("vv", "w").replace("cl", "d").replace(/[jl]/g, "i");
  expect(new Set(leanWords.map(looks)).size).toBe(1024);
  const exchanged = leanWords.filter((word) => {
    const [a, b, c] = word;
    return [`${b}${a}${c}`, `${a}${c}${b}`].some((other) => other !== word && known.has(other));
  });
  expect(exchanged).toEqual([]);
});

test("none offends or already means something beside a number", () => {
  const left = [
    "ass",
    "cum",
    "die",
    "gun",
    "kok",
    "naz",
    "neg",
    "sex",
    "tit",
    "war",
    "xxx",
    "row",
    "two",
    "del",
  ];
  expect(left.filter((word) => leanWords.includes(word))).toEqual([]);
});
