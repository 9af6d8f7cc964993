import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Anchor, parseLineRef, resolveLineRef, stripAnchors } from "../../src/anchors/anchor.js";
import { computeLineHash, formatLineTag, type SchemeName, schemes } from "../../src/anchors/scheme.js";
import { Document } from "../../src/text/document.js";
import { utf8 } from "../../src/text/hash.js";
import { anyLine, anyText } from "../contract/scheme.js";
import { effortOf } from "../support/effort.js";

type Reference = { given: string; line?: number; hash?: string; scheme?: SchemeName; content?: string };
type HashedLine = { text: string } & Record<SchemeName, string>;
const vectors = JSON.parse(readFileSync(new URL("../../data/vectors.json", import.meta.url), "utf8")) as {
  references: Reference[];
  files: { content: string; lines: HashedLine[] }[];
};
const names = Object.keys(schemes) as SchemeName[];
const anyScheme = fc.constantFrom(...names);
const word = computeLineHash("foo", "lean");

describe("parseLineRef", () => {
  test.each(vectors.references.map((reference) => [reference.given, reference] as const))(
    "published: %j",
    (given, reference) => {
      const { given: _, ...anchor } = reference;
      expect(parseLineRef(given)).toEqual("problem" in reference ? reference : anchor);
    },
  );

  test("whatever models put around an anchor, it means the same", () => {
    const blanks = fc.constantFrom("", " ", "  ", "    ");
    const marker = fc.constantFrom("", ">>>", ">", "+", "-", "*", "> -", ">>> >");
    const quote = fc.constantFrom("", '"', "'", "`");
    fc.assert(
      fc.property(
        fc.record({ line: anyLine, text: anyText, name: anyScheme }),
        fc.record({
          before: blanks,
          marker,
          between: blanks,
          quote,
          letter: fc.constantFrom("", "L"),
          after: blanks,
        }),
        fc.boolean(),
        ({ line, text, name }, wrap, upper) => {
          const tag = formatLineTag(line, text, name);
          const anchor = wrap.quote + wrap.letter + (upper ? tag.toUpperCase() : tag) + wrap.quote;
          const given = wrap.before + wrap.marker + wrap.between + anchor + wrap.after;
          expect(parseLineRef(given)).toEqual({ line, hash: computeLineHash(text, name), scheme: name });
        },
      ),
    );
  });

  test("an echoed row keeps its content exactly, in quotes too, behind either separator", () => {
    fc.assert(
      fc.property(
        anyLine,
        anyText.filter((text) => text.trim() !== ""),
        anyScheme,
        fc.constantFrom("|", "\t"),
        fc.constantFrom("", '"', "`"),
        (line, text, name, separator, quote) => {
          const given = quote + formatLineTag(line, text, name) + separator + text + quote;
          expect(parseLineRef(given)).toMatchObject({ line, scheme: name, content: text });
        },
      ),
    );
  });

  test("never throws, and answers with an anchor or a problem that quotes what was given", () => {
    const piece = fc.constantFrom(
      "1",
      "2",
      "0",
      "#",
      ":",
      "|",
      "\t",
      " ",
      "L",
      ">",
      "`",
      '"',
      "a",
      "f",
      "0f0dd9",
      word,
    );
    const anything = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(piece).map((pieces) => pieces.join("")),
    );
    fc.assert(
      fc.property(anything, (given) => {
        const result = parseLineRef(given);
        if ("problem" in result) expect(result.given).toBe(given);
        else
          expect(
            schemes[result.scheme].read(schemes[result.scheme].tag(result.line, result.hash)),
          ).not.toBeNull();
      }),
    );
  });

  test("is quick on hostile input", async () => {
    const hostile = [
      '"'.repeat(200_000),
      " ".repeat(200_000),
      "1".repeat(200_000),
      "> ".repeat(100_000),
      "\n".repeat(200_000),
    ];
    const effort = await effortOf(() => {
      for (const given of hostile) expect(parseLineRef(given)).toHaveProperty("problem");
    });
    expect(effort).toBeLessThan(1000);
  });
});

describe("resolveLineRef", () => {
  test("finds the line in a text and in a list of lines", () => {
    expect(resolveLineRef("2#0f0dd9", "bar\nfoo\n")).toEqual({
      line: 2,
      index: 1,
      anchor: { line: 2, hash: "0f0dd9", scheme: "hex6" },
    });
    expect(resolveLineRef("2#0f0dd9|foo", ["bar", "foo"])).toMatchObject({ line: 2, index: 1 });
  });

  test("passes on why a text is no anchor", () => {
    expect(resolveLineRef("2", "bar\nfoo\n")).toEqual({ problem: "bare_number", line: 2, given: "2" });
  });

  test("does not look for the line anywhere else", () => {
    expect(resolveLineRef("1#0f0dd9", "bar\nfoo\n")).toEqual({
      problem: "hash_differs",
      line: 1,
      given: "1#0f0dd9",
      anchor: { line: 1, hash: "0f0dd9", scheme: "hex6" },
      hash: computeLineHash("bar"),
      text: "bar",
    });
  });

  test.each(["2#0f0dd9|fop", "2#0f0dd9|foo ", "2#0f0dd9| "])(
    "an echo that contradicts the line: %j",
    (given) => {
      expect(resolveLineRef(given, "bar\nfoo\n")).toMatchObject({
        problem: "content_differs",
        line: 2,
        text: "foo",
      });
    },
  );

  test("nothing behind the separator is no echo", () => {
    expect(resolveLineRef("2#0f0dd9|", "bar\nfoo\n")).toMatchObject({ line: 2, index: 1 });
  });

  test.each<[string | string[], number]>([
    ["", 0],
    ["a", 1],
    ["a\n", 1],
    ["a\nb", 2],
    ["\n\n", 2],
    ["\uFEFF", 0],
    [[], 0],
    [["a", ""], 2],
  ])("no such line in %j, which has %i", (lines, lineCount) => {
    for (const line of [lineCount + 1, lineCount + 2, 999]) {
      expect(resolveLineRef(`${line}#0f0dd9`, lines)).toMatchObject({
        problem: "no_such_line",
        line,
        lineCount,
      });
    }
  });

  test("published files: every line under every scheme, as text and as document", () => {
    for (const { content, lines } of vectors.files) {
      for (const whole of [content, Document.parse(utf8(content))]) {
        for (const [index, line] of lines.entries()) {
          for (const { tag, name, separator } of Object.values(schemes)) {
            const row = tag(index + 1, line[name]) + separator + line.text;
            expect(resolveLineRef(row, whole)).toMatchObject({ line: index + 1, index });
          }
        }
        const beyond = `${lines.length + 1}#0f0dd9`;
        expect(resolveLineRef(beyond, whole)).toMatchObject({ lineCount: lines.length });
      }
    }
  });

  test("the anchor of a line names that line, and with another text there it does not", () => {
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1 }), fc.nat(), anyText, (lines, pick, other) => {
        const index = pick % lines.length;
        const text = lines[index] as string;
        const ref = formatLineTag(index + 1, text);
        expect(resolveLineRef(ref, lines)).toMatchObject({ index });
        const changed = lines.with(index, other);
        expect("problem" in resolveLineRef(ref, changed)).toBe(
          computeLineHash(other) !== computeLineHash(text),
        );
      }),
    );
  });
});

describe("stripAnchors", () => {
  const found = (line: number): Anchor => ({ line, hash: "0f0dd9", scheme: "hex6" });

  test("takes the anchors off when every line has one", () => {
    expect(stripAnchors(["12#0f0dd9|  foo ", "13#0f0dd9|", "14#0f0dd9|a|b"])).toEqual({
      lines: ["  foo ", "", "a|b"],
      anchors: [found(12), found(13), found(14)],
    });
  });

  test("takes off exactly the marks that a refusal puts before its rows", () => {
    expect(stripAnchors(["    1#0f0dd9|a", ">>> 2#0f0dd9|b", "3#0f0dd9|c"])?.lines).toEqual(["a", "b", "c"]);
  });

  test("reads every scheme", () => {
    expect(stripAnchors([`${word}1\ta`, "2#9e91|b"])?.anchors.map(({ scheme }) => scheme)).toEqual([
      "lean",
      "hex4",
    ]);
  });

  test.each([
    [[]],
    [["foo"]],
    [["12#0f0dd9|foo", "bar"]],
    [["12#0f0dd9|foo", ""]],
    [["12#0f0dd9|foo", "[lines 13-20 not shown]"]],
    [["12#0f0dd9"]],
    [["12#0f0dd9 |foo"]],
    [["12|foo"]],
    [["  12#0f0dd9|foo"]],
    [["  112#0f0dd9|foo"]],
    [["     12#0f0dd9|foo"]],
    [[">>>12#0f0dd9|foo"]],
    [["> 12#0f0dd9|foo"]],
    [["+12#0f0dd9|foo"]],
    [["L12#0f0dd9|foo"]],
    [['"12#0f0dd9|foo"']],
    [["12#0f0dd9x|foo"]],
    [["12#VK|foo"]],
  ])("leaves alone %j", (lines) => expect(stripAnchors(lines)).toBeNull());

  test("undoes exactly the printing of rows, once", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyLine, anyText, anyScheme, fc.constantFrom("", "    ", ">>> ")), {
          minLength: 1,
        }),
        (rows) => {
          const printed = rows.map(
            ([line, text, name, mark]) =>
              mark + formatLineTag(line, text, name) + schemes[name].separator + text,
          );
          const result = stripAnchors(printed);
          expect(result?.lines).toEqual(rows.map(([, text]) => text));
          expect(result?.anchors).toEqual(
            rows.map(([line, text, name]) => ({ line, hash: computeLineHash(text, name), scheme: name })),
          );
        },
      ),
    );
  });
});
