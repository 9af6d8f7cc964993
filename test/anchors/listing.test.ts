import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatHashLineBytes,
  formatHashLines,
  formatRow,
  type Labels,
  listRows,
  readLineRange,
} from "../../src/anchors/listing.js";
import { computeLineHash, formatLineTag, schemes } from "../../src/anchors/scheme.js";
import { latin1Codec, utf16beCodec, utf16leCodec } from "../../src/text/codec.js";
import { Document, isSameBytes } from "../../src/text/document.js";
import { utf8 } from "../../src/text/hash.js";

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");
const list = (text: string, options: Parameters<typeof listRows>[1] = {}) =>
  listRows(Document.fromText(text), { scheme: "none", ...options });

describe("rows", () => {
  test("are an anchor, a separator and the text, without padding", () => {
    expect(formatHashLines("foo\n}\n\n")).toBe("1#0f0dd9|foo\n2#44bb18|}\n3#cc5d05|");
    expect(formatHashLines("foo\n", { scheme: "hex4" })).toBe("1#9e91|foo");
    expect(formatHashLines("foo\r\n", { scheme: "hex4" })).toBe("1#4624|foo");
    expect(formatHashLines("foo\n", { scheme: "lean" })).toBe(`${computeLineHash("foo", "lean")}1\tfoo`);
    expect(formatHashLines("foo\n", { scheme: "none" })).toBe("1\tfoo");
    expect(formatHashLines(numbered(12)).split("\n")[11]).toBe(`${formatLineTag(12, "line 12")}|line 12`);
  });
  test("have neither terminators nor the byte order mark, and are told apart by LF", () => {
    expect(formatHashLines("\ufeffa\r\nb\rc\r\nd\r", { scheme: "none" })).toBe("1\ta\n2\tb\rc\n3\td\r");
  });
  test("are data too", () => {
    const listing = listRows(Document.fromText("foo\nbar\n"), { ranges: [{ start: 2, end: 2 }] });
    expect(listing.rows).toEqual([{ line: 2, anchor: formatLineTag(2, "bar"), text: "bar", cut: false }]);
    expect(listRows(Document.fromText("foo\n"), { scheme: "none" }).rows[0]?.anchor).toBe("");
  });
  test("show the text, whatever the encoding", () => {
    const text = "é\n日本語";
    const utf16 = (codec: typeof utf16leCodec) => codec.encode(`\ufeff${text}`) as Uint8Array;
    for (const source of [
      text,
      utf8(text),
      Document.fromText(text),
      utf16(utf16leCodec),
      utf16(utf16beCodec),
    ]) {
      expect(formatHashLines(source)).toBe(`1#a52927|é\n2#${computeLineHash("日本語")}|日本語`);
    }
    expect(formatHashLines(Uint8Array.of(0xe9))).toBe("1#a52927|é");
    expect(formatHashLines(utf8("é"), { codec: latin1Codec, scheme: "none" })).toBe("1\tÃ©");
  });
});

describe("what is left out is said", () => {
  test("an empty file", () => {
    for (const source of ["", "\ufeff"]) {
      expect(formatHashLines(source)).toBe("[empty file]");
      expect(formatHashLineBytes(source)).toEqual(utf8("[empty file]"));
      expect(list(source)).toMatchObject({ rows: [], text: "[empty file]", notes: ["[empty file]"] });
    }
  });
  test("between ranges, on a line of its own", () => {
    const listing = list(numbered(120), {
      ranges: [
        { start: 101, end: 120 },
        { start: 1, end: 55 },
      ],
    });
    expect(listing.notes).toEqual(["[lines 56-100 not shown]"]);
    expect(listing.text.split("\n")[55]).toBe("[lines 56-100 not shown]");
    expect(listing.rows.length).toBe(75);
    expect(listing.shown.ranges()).toEqual([
      { start: 1, end: 55 },
      { start: 101, end: 120 },
    ]);
  });
  test("before and after them, by a count", () => {
    expect(
      list(numbered(9), {
        ranges: [
          { start: 2, end: 3 },
          { start: 5, end: 5 },
        ],
      }).text,
    ).toBe("2\tline 2\n3\tline 3\n[line 4 not shown]\n5\tline 5\n[3 of 9 lines]");
  });
  test("after a limit, with the next call", () => {
    const listing = list(numbered(1043), { limit: 200 });
    expect(listing.text.endsWith("200\tline 200\n[200 of 1043 lines; next: offset=201]")).toBe(true);
    const last = list(numbered(1043), { offset: 1001, limit: 200 });
    expect(last.text.startsWith("1001\tline 1001\n")).toBe(true);
    expect(last.notes).toEqual(["[43 of 1043 lines]"]);
    expect(list("a\n", { offset: 5 }).text).toBe("[0 of 1 lines]");
  });
  test("2,000 lines are shown unless more are asked for", () => {
    const text = numbered(2001);
    expect(list(text).notes).toEqual(["[2000 of 2001 lines; next: offset=2001]"]);
    expect(list(numbered(2000)).notes).toEqual([]);
    expect(list(text, { limit: 3000 }).rows.length).toBe(2001);
    expect(list(text, { ranges: [{ start: 1, end: 2001 }] }).rows.length).toBe(2001);
    expect(formatHashLines(text).split("\n").length).toBe(2001);
    expect(formatHashLines(text, { limit: 2 }).split("\n").at(-1)).toBe("[2 of 2001 lines; next: offset=3]");
  });
  test("ranges are sorted, merged, clipped; an empty list counts as absent; they override offset and limit", () => {
    const text = numbered(6);
    const ranges = [
      { start: 5, end: 99 },
      { start: 0, end: 2 },
      { start: 2, end: 3 },
    ];
    expect(list(text, { ranges, offset: 4, limit: 1 }).rows.map(({ line }) => line)).toEqual([1, 2, 3, 5, 6]);
    expect(list(text, { ranges: [] }).rows.length).toBe(6);
    expect(list(text, { ranges: [{ start: 7, end: 9 }] }).text).toBe("[0 of 6 lines]");
  });
});

describe("long lines", () => {
  const long = "x".repeat(5310);
  const marked = `${"x".repeat(2000)} [cut: 2000 of 5310 characters]`;
  test("are cut with a marker and do not count as shown", () => {
    const listing = list(`a\n${long}\nb\n`);
    expect(listing.rows[1]).toEqual({ line: 2, anchor: "", text: marked, cut: true });
    expect(listing.text).toBe(`1\ta\n2\t${marked}\n3\tb`);
    expect(listing.shown.ranges()).toEqual([
      { start: 1, end: 1 },
      { start: 3, end: 3 },
    ]);
    expect(formatHashLines(`a\n${long}\n`)).toContain(`|${marked}`);
    expect(list("x".repeat(2000)).rows[0]?.cut).toBe(false);
    expect(list("x".repeat(2001)).rows[0]?.cut).toBe(true);
  });
  test("are shown whole by a range of exactly one line", () => {
    for (const options of [{ ranges: [{ start: 2, end: 2 }] }, { offset: 2, limit: 1 }]) {
      const listing = list(`a\n${long}\nb\n`, options);
      expect(listing.rows[0]).toEqual({ line: 2, anchor: "", text: long, cut: false });
      expect(listing.shown.ranges()).toEqual([{ start: 2, end: 2 }]);
    }
    expect(list(`a\n${long}\n`, { ranges: [{ start: 1, end: 2 }] }).rows[1]?.cut).toBe(true);
    const both = list(`${long}\n${long}\n`, {
      ranges: [
        { start: 1, end: 1 },
        { start: 2, end: 2 },
      ],
    });
    expect(both.shown.size).toBe(2);
  });
  test("up to 64 KiB of UTF-8", () => {
    const only = { ranges: [{ start: 1, end: 1 }] };
    expect(list("é".repeat(32768), only).shown.size).toBe(1);
    const listing = list("é".repeat(32769), only);
    expect(listing.shown.isEmpty).toBe(true);
    expect(listing.rows[0]?.text).toBe(`${"é".repeat(32768)} [cut: 32768 of 32769 characters]`);
  });
  test("are never cut inside a character", () => {
    expect(list(`${"x".repeat(1999)}😀y`).rows[0]?.text).toBe(
      `${"x".repeat(1999)} [cut: 1999 of 2002 characters]`,
    );
    expect(list(`${"x".repeat(1998)}😀y`).rows[0]?.text).toBe(
      `${"x".repeat(1998)}😀 [cut: 2000 of 2001 characters]`,
    );
  });
});

test("one law: bytes, text and rows agree", () => {
  const line = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.string({ unit: "binary", maxLength: 10 }),
    fc.constantFrom("x".repeat(1999), "x".repeat(2000), "x".repeat(2001), "é".repeat(1500), "é".repeat(2010)),
    fc.integer({ min: 1980, max: 2020 }).map((length) => "y".repeat(length)),
  );
  const text = fc
    .array(fc.tuple(line, fc.constantFrom("\n", "\r\n")), { maxLength: 14 })
    .map((lines) => lines.flat().join(""));
  const scheme = fc.constantFrom<Labels[]>("hex6", "hex6", "hex4", "lean", "none");
  fc.assert(
    fc.property(text, scheme, fc.boolean(), (content, labels, open) => {
      const source = open ? content.replace(/\r?\n$/, "") : content;
      const document = Document.fromText(source);
      const options = { scheme: labels };
      const listing = listRows(document, options);
      expect(formatHashLines(source, options)).toBe(listing.text);
      expect(isSameBytes(formatHashLineBytes(utf8(source), options), utf8(listing.text))).toBe(true);
      expect(formatHashLines(document, options)).toBe(listing.text);
      if (document.lineCount > 0) {
        expect(listing.rows.map((row) => formatRow(row, labels)).join("\n")).toBe(listing.text);
      }
      expect(listing.rows.filter((row) => row.cut).length + listing.shown.size).toBe(document.lineCount);
      if (labels === "none") return;
      for (const [index, { line: number, anchor }] of listing.rows.entries()) {
        expect(schemes[labels].read(anchor)).toMatchObject({ line: number });
        expect(number).toBe(index + 1);
      }
    }),
  );
});

test("long parts of a text read like its rows", () => {
  const line = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom("", "}", "a", "é", "  return value;", "\r", "x\ry") },
    { weight: 1, arbitrary: fc.constantFrom("x".repeat(2000), "x".repeat(2001)) },
  );
  const lines = fc.array(fc.tuple(line, fc.constantFrom("\n", "\n", "\r\n")), {
    minLength: 40,
    maxLength: 130,
  });
  fc.assert(
    fc.property(
      lines,
      fc.boolean(),
      fc.boolean(),
      fc.nat(60),
      fc.nat(130),
      (pairs, bom, open, start, count) => {
        const all = pairs.flat().join("");
        const document = Document.fromText(`${bom ? "\ufeff" : ""}${open ? all.replace(/\r?\n$/, "") : all}`);
        const ranges = [{ start: start + 1, end: start + count }];
        for (const options of [{}, { ranges }, { offset: start + 1, limit: count + 1 }]) {
          const { rows, shown, notes, text } = listRows(document, options);
          const body = rows.map((row) => formatRow(row, "hex6")).join("\n");
          expect(text).toBe([...(rows.length > 0 ? [body] : []), ...notes].join("\n"));
          expect(shown.indexes()).toEqual(rows.filter((row) => !row.cut).map((row) => row.line - 1));
        }
      },
    ),
  );
});

test("line numbers of every width", () => {
  const text = "a\n".repeat(100_001);
  const rows = formatHashLines(text).split("\n");
  const hash = computeLineHash("a");
  expect(rows.length).toBe(100_001);
  expect(rows.every((row, index) => row === `${index + 1}#${hash}|a`)).toBe(true);
});

describe("readLineRange", () => {
  test.each([
    [1, 1, "a\n"],
    [2, 3, "b\r\nc"],
    [0, 1, "a\n"],
    [3, 99, "c"],
    [4, 9, ""],
    [2, 1, ""],
    [1, 3, "a\nb\r\nc"],
  ])("%i to %i", (start, end, expected) => {
    expect(readLineRange("a\nb\r\nc", start, end)).toBe(expected);
  });
  test("of nothing is nothing", () => {
    expect(readLineRange("", 1, 5)).toBe("");
  });
});
