import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type Candidate, carriedText, creditOutput, pathsIn } from "../../src/hooks/output.js";
import { Stretches } from "../../src/hooks/stretches.js";

/** Lines 5 to 8 stand again as 13 to 16; `}` and blank lines stand often. */
const source = [
  'import { open } from "./open.js";', // 1
  "", // 2
  "export function first(): number {", // 3
  "  const file = open();", // 4
  "  if (file === null) {", // 5
  "    return 0;", // 6
  "  }", // 7
  "", // 8
  "  return file.size;", // 9
  "}", // 10
  "", // 11
  "export function second(): number {", // 12
  "  if (file === null) {", // 13
  "    return 0;", // 14
  "  }", // 15
  "", // 16
  "  return file.length;", // 17
  "}", // 18
] as const;

const file = (path: string, lines: readonly string[], named = true): Candidate => ({ path, lines, named });
const main = file("/project/src/a.ts", source);

function shown(output: string, candidates: readonly Candidate[] = [main]): Record<string, number[]> {
  const credits = creditOutput(output, candidates);
  for (const { path, rows } of credits) {
    const { lines } = candidates.find((candidate) => candidate.path === path)!;
    for (const { line, text } of rows) expect(text).toBe(lines[line - 1]);
  }
  return Object.fromEntries(credits.map(({ path, rows }) => [path, rows.map(({ line }) => line)]));
}

const lines = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);
const printed = (from: number, to: number): string[] => source.slice(from - 1, to);
const numbered = (from: number, to: number, row: (number: number, text: string) => string): string =>
  printed(from, to)
    .map((text, at) => `${row(from + at, text)}\n`)
    .join("");
const joined = (rows: readonly string[]): string => rows.map((row) => `${row}\n`).join("");
const red = (text: string): string => `\x1b[31m${text}\x1b[m\x1b[K`;

describe("one named file", () => {
  const cases: readonly (readonly [string, string, number[]])[] = [
    ["cat", joined(source), lines(1, 18)],
    ["cat, the client cut the last line feed", source.join("\n"), lines(1, 18)],
    ["cat of a file with CRLF", source.map((text) => `${text}\r\n`).join(""), lines(1, 18)],
    ["cat of a file with a byte order mark", `\ufeff${joined(source)}`, lines(1, 18)],
    ["cat between other output", `ok\n${joined(source)}done in 3 s\n`, lines(1, 18)],
    ["sed -n 3,9p", joined(printed(3, 9)), lines(3, 9)],
    ["sed -n 9p, a line that stands once", "  return file.size;\n", [9]],
    ["sed -n 10p, a bracket", "}\n", []],
    ["sed -n 2p, blank", "\n", []],
    ["sed -n 10,11p, which stand once together, but none alone", "}\n\n", []],
    ["a number that is not the line's, but a line that stands once", "3:  return file.size;\n", []],
    ["sed -n 5,8p, which stand twice", joined(printed(5, 8)), []],
    ["sed -n 5,9p, of which one stands once", joined(printed(5, 9)), lines(5, 9)],
    ["tail -3", joined(printed(16, 18)), lines(16, 18)],
    ["head, cut within a row", `${printed(1, 4).join("\n")}\n  if (file ==`, lines(1, 4)],
    ["rows in another order", joined([source[16], source[8], source[3]]), [4, 9, 17]],
    ["a row with another indentation", "return file.size;\n", []],
    ["a row that only begins like a line", "  return file.size; // bytes\n", []],
    ["cat -n", numbered(1, 18, (number, text) => `${String(number).padStart(6)}\t${text}`), lines(1, 18)],
    [
      "sed -n 5,8p with numbers of the file",
      numbered(5, 8, (number, text) => `${number}\t${text}`),
      lines(5, 8),
    ],
    [
      "rows 13,16, told apart by their numbers",
      numbered(13, 16, (n, text) => `${n}: ${text}`),
      lines(13, 16),
    ],
    [
      "cat -n of a part, which counts from 1",
      numbered(1, 18, (n, text) => (n > 9 ? `     ${n - 9}\t${text}` : "")),
      lines(10, 18),
    ],
    ["nl, which leaves blank lines out", nl(source), lines(1, 18)],
    ["nl -ba", numbered(1, 18, (number, text) => `${String(number).padStart(6)}\t${text}`), lines(1, 18)],
    ["grep -n", "7:  }\n15:  }\n", [7, 15]],
    ["grep -n with a wrong number", "8:  }\n", []],
    [
      "grep -n -C1",
      "8-\n9:  return file.size;\n10-}\n--\n16-\n17:  return file.length;\n18-}\n",
      [8, 9, 10, 16, 17, 18],
    ],
    ["grep without numbers", "  return file.size;\n  return file.length;\n", [9, 17]],
    ["grep without numbers, a line that stands twice", "    return 0;\n    return 0;\n", []],
    ["grep -n in colour", `${red("7")}${red(":")}  ${red("}")}\n`, [7]],
    ["cat in colour", source.map((text) => `${red(text)}\n`).join(""), lines(1, 18)],
    ["arrows", numbered(4, 5, (number, text) => `${number}→${text}`), [4, 5]],
    ["bat", numbered(5, 8, (number, text) => `${String(number).padStart(4)}   │ ${text}`), lines(5, 8)],
    [
      "bat without a grid",
      numbered(5, 8, (number, text) => `${String(number).padStart(4)} ${text}`),
      lines(5, 8),
    ],
    ["awk with NR, a space", numbered(13, 14, (number, text) => `${number} ${text}`), [13, 14]],
    [
      "awk with NR, a colon and a space",
      numbered(13, 16, (number, text) => `${number}: ${text}`),
      lines(13, 16),
    ],
    ["rg --column", "14:5:    return 0;\n", [14]],
    ["git blame", `^1234abc src/a.ts (A. U. Thor 2026-11-15 12:00:00 +0100  7)   }\n`, [7]],
    ["path:number:text", "src/a.ts:7:  }\n", [7]],
    ["./path:number:text", "./src/a.ts:7:  }\n", [7]],
    ["absolute path:number:text", "/project/src/a.ts:7:  }\n", [7]],
    ["path-number-text", "src/a.ts-6-    return 0;\nsrc/a.ts:7:  }\n", [6, 7]],
    ["path:number:column:text", "src/a.ts:7:3:  }\n", [7]],
    ["path:text", "src/a.ts:  return file.size;\n", [9]],
    ["path:text that stands twice", "src/a.ts:    return 0;\n", []],
    [
      "path:text, three lines that stand twice",
      joined(printed(13, 16).map((text) => `src/a.ts:${text}`)),
      [],
    ],
    ["the whole output again", joined([...source, ...source]), lines(1, 18)],
    ["a listing", "a.ts\nsrc\n", []],
    ["nothing", "", []],
  ];
  test.each(cases)("%s", (_, output, expected) => {
    expect(shown(output)[main.path] ?? []).toEqual(expected);
  });

  function nl(all: readonly string[]): string {
    let number = 0;
    return all
      .map((text) => (text === "" ? "       \n" : `${String(++number).padStart(6)}\t${text}\n`))
      .join("");
  }

  it("may be one short line, if that is all of it", () => {
    expect(shown("}\n", [file("/project/end", ["}"])])).toEqual({ "/project/end": [1] });
    expect(shown("ok\n", [file("/project/end", ["ok"], false)])).toEqual({ "/project/end": [1] });
    expect(shown("}\n", [file("/project/end", ["}"], false)])).toEqual({});
  });

  it("may hold form feeds, colour codes and lines like numbered ones", () => {
    const log = ["1: one", "\f", red("error"), "3\tthree", "src/a.ts:1:x"];
    expect(shown(joined(log), [file("/project/log", log)])).toEqual({ "/project/log": lines(1, 5) });
  });

  it("is credited as far as the first megabyte goes, whole rows only", () => {
    const long = Array.from({ length: 30_000 }, (_, at) => `line ${at} ${"x".repeat(40)}`);
    const output = joined(long);
    const first = output.slice(0, 1_000_000).split("\n");
    const cut = file("/project/cut", [first.pop()!]);
    const credits = creditOutput(output, [file("/project/long", long), cut]);
    expect(credits.map(({ path, rows }) => [path, rows.length])).toEqual([["/project/long", first.length]]);
    expect(shown(`${"x".repeat(2_000_000)}\n`, [file("/project/long", long)])).toEqual({});
  });

  it("is credited as far as 50,000 rows go", () => {
    const long = Array.from({ length: 60_000 }, (_, at) => `line ${at}`);
    expect(creditOutput(joined(long), [file("/project/long", long)])[0]!.rows).toHaveLength(50_000);
  });

  it("may have a line of a megabyte", () => {
    const wide = "-:=1".repeat(240_000);
    expect(shown(`${wide}\n`, [file("/project/wide", [wide, "}", "}"])])).toEqual({ "/project/wide": [1] });
  });
});

describe("several files", () => {
  const header = ["// Copyright: all of us", "// Licence: MIT", "", 'import fs from "node:fs";', ""];
  const one = file("/project/one.ts", [...header, "one();", "}", "last of one"]);
  const two = file("/project/lib/two.ts", [...header, "two();", "}", "last of two"]);
  const seen = { ...two, named: false };
  const both = [one, two];
  const all = lines(1, 8);
  const number = (candidate: Candidate): string =>
    joined(candidate.lines.map((text, at) => `${String(at + 1).padStart(6)}\t${text}`));

  const cases: readonly (readonly [string, string, readonly Candidate[], Record<string, number[]>])[] = [
    ["cat of one shows nothing of the other", joined(one.lines), both, { [one.path]: all }],
    ["cat -n of one shows nothing of the other", number(one), both, { [one.path]: all }],
    ["cat of both", joined([...one.lines, ...two.lines]), both, { [one.path]: all, [two.path]: all }],
    [
      "head of both",
      `==> one.ts <==\n${joined(one.lines)}\n==> lib/two.ts <==\n${joined(two.lines)}`,
      both,
      { [one.path]: all, [two.path]: all },
    ],
    [
      "cat -n of both, which counts on",
      number({ ...one, lines: [...one.lines, ...two.lines] }),
      both,
      { [one.path]: all, [two.path]: all },
    ],
    ["cat of one that was only seen before", joined(two.lines), [one, seen], { [two.path]: all }],
    [
      "the header alone is of the file that is named",
      joined(header),
      [one, seen],
      { [one.path]: lines(1, 5) },
    ],
    [
      "a blank row more is no proof of another file",
      joined([...header.slice(0, 4), ""]),
      [file(one.path, header.slice(0, 4)), seen],
      { [one.path]: lines(1, 4) },
    ],
    [
      "a line that a file not named shares",
      'import fs from "node:fs";\n',
      [seen, { ...one, named: false }],
      {},
    ],
    [
      "rows that stand twice in the file that is named, and once in another",
      joined(header),
      [file(one.path, [...header, "one();", ...header]), seen],
      {},
    ],
    ["a line of its own of a file not named", "last of two\n", [one, seen], { [two.path]: [8] }],
    ["a bracket", "}\n", both, {}],
    [
      "a bracket, numbered, of one of two",
      "7:}\n",
      [
        { ...one, lines: [...one.lines, "}"] },
        { ...two, lines: [...two.lines, "}"] },
      ],
      {},
    ],
    [
      "the header alone, of two files that are not named",
      joined(header),
      [{ ...one, named: false }, seen],
      {},
    ],
    [
      "the header and a blank row, of two files that are not named",
      joined(header),
      [file(one.path, header.slice(0, 4), false), seen],
      { [two.path]: lines(1, 5) },
    ],
    [
      "a line of a file not named that another has twice",
      "last of two\n",
      [file(one.path, ["last of two", "}", "last of two"], false), seen],
      {},
    ],
    [
      "numbers that are those of one of two",
      number({ ...one, lines: header }),
      [file(one.path, header), file(two.path, ["two();", ...header])],
      { [one.path]: lines(1, 5) },
    ],
    [
      "numbers that are those of one of two, rows of a search",
      "2:# end\n4:# end\n6:# end\n8:# end\n",
      [
        file(one.path, ["a", "# end", "b", "# end", "c", "# end", "d", "# end"]),
        file(two.path, ["two();", "two();", "two();", "# end", "# end", "# end", "e"]),
      ],
      { [one.path]: [2, 4, 6, 8] },
    ],
    [
      "numbers that are those of the file for most of it only",
      joined(["a", "b", "c", "d", "e"].map((text, at) => `${at + 1}\t${text}`)) + "\n6\tf\n",
      [file(one.path, ["a", "b", "c", "d", "e", "", "f"]), file(two.path, ["f", "f"])],
      { [one.path]: lines(1, 7) },
    ],
    [
      "all of two copies, by number",
      "1:}\n2:\n",
      [file(one.path, ["}", ""]), file(two.path, ["}", ""])],
      { [one.path]: [1, 2], [two.path]: [1, 2] },
    ],
    ["brackets only", "}\n}\n}\n", [one, file(two.path, ["two();", "}", "}", "}"])], {}],
    [
      "a line that stands twice, numbered, of one of two",
      "2:last\n",
      [file(one.path, ["last", "last"]), file(two.path, ["last", "last"])],
      {},
    ],
    [
      "a row of a search that is no line of the file",
      "5:\n6:neither\n8:last of one\n",
      both,
      { [one.path]: [8] },
    ],
    ["a line under the path of another file, without number", "one.ts:last of two\n", both, {}],
    [
      "what belongs to a longer run that follows",
      joined(["a1", "a2", "a3", "a4", "s1", "s2", "b1", "b2", "b3"]),
      [
        file("/project/a", ["a1", "a2", "a3", "a4", "s1", "s2", "-"]),
        file("/project/b", ["s1", "s2", "b1", "b2", "b3"]),
        file("/project/c", ["s1", "s2", "b1", "-"]),
      ],
      { "/project/a": lines(1, 6), "/project/b": lines(1, 5) },
    ],
    [
      "what belongs to a longer run that went before",
      joined(["a1", "a2", "a3", "s1", "s2", "b1", "b2", "b3", "b4"]),
      [
        file("/project/a", ["a1", "a2", "a3", "s1", "s2", "-"]),
        file("/project/b", ["s1", "s2", "b1", "b2", "b3", "b4"]),
        file("/project/c", ["a3", "s1", "s2", "-"]),
      ],
      { "/project/a": lines(1, 5), "/project/b": lines(1, 6) },
    ],
    [
      "rows of one search, which agree all with one of two",
      "5:\n--\n7:}\n8-last of one\n",
      both.map((candidate) => ({ ...candidate, lines: [...candidate.lines, "}"] })),
      { [one.path]: [5, 7, 8] },
    ],
    [
      "rows of two searches",
      "5:\n7:}\n8:last of two\n5:\n7:}\n8:last of one\n",
      both.map((candidate) => ({ ...candidate, lines: [...candidate.lines, "}"] })),
      { [one.path]: [5, 7, 8], [two.path]: [5, 7, 8] },
    ],
    [
      "a bracket under a path",
      "lib/two.ts:7:}\n",
      [
        { ...one, lines: [...one.lines, "}"] },
        { ...two, lines: [...two.lines, "}"] },
      ],
      { [two.path]: [7] },
    ],
    ["a line under the path of another file", "one.ts:8:last of two\n", both, {}],
    [
      "rg --heading",
      "one.ts\n5:\n--\n7:}\n\nlib/two.ts\n7-}\n8:last of two\n",
      both.map((candidate) => ({ ...candidate, lines: [...candidate.lines, "}"] })),
      { [one.path]: [5, 7], [two.path]: [7, 8] },
    ],
    [
      "a heading made by echo",
      "=== lib/two.ts ===\n7:}\n",
      both.map((candidate) => ({ ...candidate, lines: [...candidate.lines, "}"] })),
      { [two.path]: [7] },
    ],
    ["a listing before the rows of another file", "lib/two.ts\n8:last of one\n", both, { [one.path]: [8] }],
    [
      "a path that two files may have",
      "two.ts:7:}\n",
      [file("/project/a/two.ts", [...one.lines, "}"]), file("/project/b/two.ts", [...one.lines, "}"])],
      {},
    ],
    [
      "a whole path that another ends in",
      "two.ts:7:}\n",
      [file("lib/two.ts", [...one.lines, "}"]), file("two.ts", [...one.lines, "}"])],
      { "two.ts": [7] },
    ],
    [
      "a path that two files may have, one named",
      "two.ts:7:}\n",
      [
        file("/project/a/two.ts", [...one.lines, "}"]),
        file("/project/b/two.ts", [...one.lines, "}"], false),
        one,
      ],
      { "/project/a/two.ts": [7] },
    ],
    [
      "a file with a name like a row",
      "a-1-b.ts-7-}\n",
      [file("/project/a-1-b.ts", [...one.lines, "}"]), two],
      { "/project/a-1-b.ts": [7] },
    ],
    [
      "a relative candidate under an absolute path",
      "/project/one.ts:7:}\n",
      [file("one.ts", [...one.lines, "}"]), two],
      { "one.ts": [7] },
    ],
    [
      "a path of Windows",
      "lib\\two.ts:7:}\n",
      [one, file("C:\\project\\lib\\two.ts", [...two.lines, "}"])],
      { "C:\\project\\lib\\two.ts": [7] },
    ],
    [
      "copies",
      joined(one.lines),
      [one, { ...one, path: "/project/copy.ts" }],
      { [one.path]: all, "/project/copy.ts": all },
    ],
    [
      "numbers from 1 and a copy that is not named",
      number({ ...one, lines: one.lines.slice(2) }),
      [one, { ...one, path: "/project/copy.ts", named: false }],
      { [one.path]: lines(3, 8) },
    ],
    [
      "a copy that is not named",
      joined(one.lines),
      [one, { ...one, path: "/project/copy.ts", named: false }],
      { [one.path]: all },
    ],
    [
      "a changed copy that is named",
      joined(one.lines),
      [one, file("/project/copy.ts", ["// other", ...one.lines.slice(1)])],
      { [one.path]: all },
    ],
  ];
  test.each(cases)("%s", (_, output, candidates, expected) => {
    expect(shown(output, candidates)).toEqual(expected);
  });
});

describe("diffs", () => {
  const now = [...source.slice(0, 8), "  return file.bytes;", ...source.slice(9)];
  const hunk = [
    "@@ -6,6 +6,6 @@ export function first(): number {",
    "     return 0;",
    "   }",
    " ",
    "-  return file.size;",
    "+  return file.bytes;",
    " }",
    " ",
  ];
  const head = ["diff --git a/src/a.ts b/src/a.ts", "index 1..2 100644", "--- a/src/a.ts", "+++ b/src/a.ts"];
  const candidate = file("/project/src/a.ts", now);
  const other = file("/project/src/b.ts", [...now, "more"]);

  const cases: readonly (readonly [
    string,
    readonly string[],
    readonly Candidate[],
    Record<string, number[]>,
  ])[] = [
    ["git diff", [...head, ...hunk], [candidate], { [candidate.path]: lines(6, 11) }],
    [
      "git diff, of one of two files",
      [...head, ...hunk],
      [candidate, other],
      { [candidate.path]: lines(6, 11) },
    ],
    ["of a file that is no candidate", [...head, ...hunk], [other], {}],
    [
      "diff -u with times",
      ["--- old.ts\t2026-11-15", "+++ src/a.ts\t2026-11-15", ...hunk],
      [candidate, other],
      { [candidate.path]: lines(6, 11) },
    ],
    ["without its head", hunk, [candidate], { [candidate.path]: lines(6, 11) }],
    ["in colour", [...head, ...hunk].map(red), [candidate], { [candidate.path]: lines(6, 11) }],
    [
      "trailing blanks cut",
      [...head, ...hunk].map((row) => row.trimEnd()),
      [candidate],
      { [candidate.path]: lines(6, 11) },
    ],
    [
      "lines moved since",
      [...head, ...hunk],
      [file(candidate.path, ["new", "new", ...now])],
      { [candidate.path]: lines(8, 13) },
    ],
    ["taken back since", [...head, ...hunk], [main], { [main.path]: [6, 7, 8, 10, 11] }],
    [
      "a new file",
      ["--- /dev/null", "+++ b/src/new.ts", "@@ -0,0 +1,2 @@", "+}", "+", "\\ No newline at end of file"],
      [file("/project/src/new.ts", ["}", ""]), other],
      { "/project/src/new.ts": [1, 2] },
    ],
    [
      "a line feed added at the end",
      ["+++ b/src/new.ts", "@@ -1 +1 @@", "-x", "\\ No newline at end of file", "+}"],
      [file("/project/src/new.ts", ["}", "}"]), other],
      { "/project/src/new.ts": [1] },
    ],
    [
      "a file taken away",
      ["--- a/src/a.ts", "+++ /dev/null", "@@ -1,3 +0,0 @@", "-one", "-two", "-three"],
      [file("/project/src/a.ts", ["one", "two", "three"])],
      {},
    ],
    [
      "a removed line like a head",
      ["--- a/src/a.ts", "+++ b/src/a.ts", "@@ -1,2 +1 @@", "--- b", " x"],
      [file("/project/src/a.ts", ["x", "y"]), other],
      { "/project/src/a.ts": [1] },
    ],
    [
      "a quoted path",
      ['+++ "b/src/\\303\\244.ts"', "@@ -1 +1 @@", "-x", "+}"],
      [file("/project/src/ä.ts", ["}", "}"]), other],
      { "/project/src/ä.ts": [1] },
    ],
    [
      "within a file that is printed",
      ["# How to", "```diff", ...hunk, "```"],
      [file("/project/how.md", ["# How to", "```diff", ...hunk, "```"])],
      { "/project/how.md": lines(1, 11) },
    ],
  ];
  test.each(cases)("%s", (_, rows, candidates, expected) => {
    expect(shown(joined(rows), candidates)).toEqual(expected);
  });
});

describe("laws", () => {
  it("the stretches of a text in another are those that trying them all finds", () => {
    const keys = fc.array(fc.nat(3), { maxLength: 12 }).map((all) => Int32Array.from(all, (key) => key - 1));
    fc.assert(
      fc.property(keys, keys, (sequence, text) => {
        const stretches = new Stretches(sequence);
        const found = stretches.of(text, () => true).filter(({ once }) => once);
        const plain = found.map((one) => [
          one.line,
          one.length,
          stretches.places(one, 100).toSorted((a, b) => a - b),
        ]);
        expect(plain.toSorted()).toEqual(triedAll(sequence, text).toSorted());
      }),
    );
  });

  /** First line, length and places of each stretch that stands once and cannot be longer. */
  function triedAll(sequence: Int32Array, text: Int32Array): [number, number, number[]][] {
    const places = (part: Int32Array, of: Int32Array): number[] =>
      Array.from(of, (_, at) => at).filter(
        (at) => at + part.length <= of.length && part.every((key, next) => key >= 0 && of[at + next] === key),
      );
    const all: [number, number, number[]][] = [];
    for (let from = 0; from < text.length; from++) {
      for (let to = from + 1; to <= text.length; to++) {
        const stands = (start: number, end: number): boolean =>
          start >= 0 && end <= text.length && places(text.slice(start, end), sequence).length > 0;
        if (!stands(from, to) || stands(from - 1, to) || stands(from, to + 1)) continue;
        if (places(text.slice(from, to), text).length > 1) continue;
        all.push([from, to - from, places(text.slice(from, to), sequence)]);
      }
    }
    return all;
  }

  const common = ["", "}", "  }", "  return;", "else", "import x", "12", "-", "@@ -1 +1,2 @@", "a:1:}"];
  const fresh = fc
    .string({ unit: "grapheme", maxLength: 12 })
    .map((text) => text.replaceAll(/[\r\n\ufeff]/g, ""));
  const text = fc.oneof(
    { weight: 7, arbitrary: fc.constantFrom(...common) },
    { weight: 3, arbitrary: fresh },
  );
  const content = fc.array(text, { minLength: 1, maxLength: 40 });
  const path = fc.constantFrom("/p/a.ts", "/p/src/a.ts", "/p/b-1.md", "/p/src/c");
  const candidates = fc.uniqueArray(fc.record({ path, lines: content, named: fc.boolean() }), {
    selector: (candidate) => candidate.path,
    maxLength: 4,
  });
  const row = fc.oneof(
    text,
    fc
      .tuple(fc.constantFrom("", "a.ts:", "src/a.ts-", "src/c:", " ", "+", "-"), fc.nat(40), text)
      .map(([start, number, end]) => `${start}${number}:${end}`),
    fc.tuple(fc.constantFrom(" ", "+", "-", "a.ts:", "\x1b[1m"), text).map(([start, end]) => start + end),
  );
  /** Lines of the files, cut out and mixed with anything. */
  const output = candidates.chain((files) => {
    const cuts = files.map(({ lines }) =>
      fc.tuple(fc.nat(lines.length), fc.nat(lines.length)).map(([from, to]) => lines.slice(from, to)),
    );
    const part = fc.oneof(...cuts, fc.array(row, { maxLength: 6 }));
    return fc.tuple(
      fc.constant(files),
      fc.array(part, { maxLength: 6 }).map((parts) => parts.flat().join("\n")),
    );
  });

  it("credits only lines as they are in the file, which some row holds whole, after what numbers it", () => {
    fc.assert(
      fc.property(output, ([files, text]) => {
        const rows = text.replaceAll("\x1b[1m", "").split("\n");
        for (const { path, rows: credited } of creditOutput(text, files)) {
          const { lines } = files.find((candidate) => candidate.path === path)!;
          for (const { line, text: shown } of credited) {
            expect(lines[line - 1]).toBe(shown);
            const prefix =
              /^(?:[+ ]|[ \t]+|(?:(?:\.\/)?[\w/.-]+[:=-])?(?:[ \t]*\d+(?:[:=\t. )→|│-]|: | {2})(?:\d+:)?)?)?$/;
            const whole = rows.some(
              (one) => one.endsWith(shown) && prefix.test(one.slice(0, one.length - shown.length)),
            );
            expect(whole).toBe(true);
          }
        }
      }),
    );
  });

  const complete: readonly (readonly [string, (lines: readonly string[]) => string])[] = [
    ["cat", (all) => joined(all)],
    ["cat -n", (all) => joined(all.map((one, at) => `${String(at + 1).padStart(6)}\t${one}`))],
    ["grep -n ''", (all) => joined(all.map((one, at) => `${at + 1}:${one}`))],
    ["grep -rn ''", (all) => joined(all.map((one, at) => `src/a.ts:${at + 1}:${one}`))],
    [
      "git show of a new file",
      (all) => joined(["+++ b/src/a.ts", `@@ -0,0 +1,${all.length} @@`, ...all.map((one) => `+${one}`)]),
    ],
  ];
  test.each(complete)("%s of a named file shows all of it, whatever repeats", (_, print) => {
    fc.assert(
      fc.property(content, candidates, (all, others) => {
        const mine = file("/p/src/a.ts", all);
        const rivals = others.filter((other) => other.path !== mine.path);
        const credit = creditOutput(print(all), [...rivals, mine]).find(({ path }) => path === mine.path);
        expect(credit?.rows.map(({ line }) => line)).toEqual(lines(1, all.length));
      }),
    );
  });

  it("sed -n of three lines or more shows them if they stand nowhere else in the file, and never others", () => {
    const cut = content.chain((all) => fc.tuple(fc.constant(all), fc.nat(all.length - 1), fc.nat(10)));
    fc.assert(
      fc.property(cut, ([all, from, more]) => {
        const part = all.slice(from, from + 3 + more);
        const starts = all.flatMap((_, at) =>
          part.every((one, next) => all[at + next] === one) ? [at] : [],
        );
        const credit =
          creditOutput(joined(part), [file("/p/src/a.ts", all)])[0]?.rows.map(({ line }) => line) ?? [];
        if (part.length >= 3 && starts.length === 1) {
          expect(credit).toEqual(expect.arrayContaining(lines(from + 1, from + part.length)));
        }
        if (starts.length > 1) expect(credit).toEqual([]);
      }),
    );
  });

  it("nothing that is printed or run makes it fail", () => {
    const wild = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc
        .array(fc.constantFrom(..."\"'\\$`<>(){}[]:-=+@ \n\t\r\x1b\ud8001ab/.,;|&EOF"), { maxLength: 80 })
        .map((all) => all.join("")),
    );
    fc.assert(
      fc.property(wild, candidates, (any, files) => {
        creditOutput(any, files);
        expect(pathsIn(any, 5).length).toBeLessThanOrEqual(5);
        expect(new Set(pathsIn(any, 50)).size).toBe(pathsIn(any, 50).length);
        expect(typeof carriedText(any)).toBe("string");
      }),
    );
  });
});

describe("paths in commands and outputs", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["cat src/a.ts", ["src/a.ts"]],
    ["cat ./src/a.ts src/a.ts", ["src/a.ts"]],
    ["sed -n '10,20p' src/a.ts", ["src/a.ts"]],
    ["sed -n 10,20p a.ts", ["a.ts"]],
    ["sed -i 's/a.b/c.d/g' a.ts", ["a.ts"]],
    ["cat 'my file.txt' \"other file.txt\"", ["my file.txt", "other file.txt"]],
    ["cat my\\ file.txt", ["my file.txt"]],
    ["cat src\\lib\\a.ts", ["src\\lib\\a.ts"]],
    ["cat C:\\src\\a.ts", ["C:\\src\\a.ts"]],
    ["tool --file=src/a.ts --config='b c.json' -v", ["src/a.ts", "b c.json"]],
    ["CONFIG=a.json run.sh", ["a.json", "run.sh"]],
    ["cat <a.txt >b.txt 2>>c.txt", ["a.txt", "b.txt", "c.txt"]],
    ["cat a.ts;cat b.ts|head&&cat c.ts", ["a.ts", "b.ts", "c.ts"]],
    ["diff <(git show HEAD:src/a.ts) src/a.ts", ["src/a.ts"]],
    ["bash -lc 'sed -n 1,20p src/a.ts'", ["src/a.ts"]],
    ["cat *.ts src/**/b.ts a?.ts", []],
    ["curl https://example.org/a.ts", []],
    ['cat $HOME/a.ts "$X/b.ts"', []],
    ["cat 'app/[id]/page.tsx' app/(group)/page.tsx", ["app/[id]/page.tsx", "app/(group)/page.tsx"]],
    ["cat .gitignore src/.env.local", ["src/.env.local", ".gitignore"]],
    ["src/a.ts:12:  const b = 1;", ["src/a.ts"]],
    ["src/a.ts-12-  return;", ["src/a.ts"]],
    ["src/a.ts:export const x", ["src/a.ts"]],
    ["see src/a.ts, src/b.ts: (src/c.ts) and `src/d.ts`.", ["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts"]],
    ["at run (/project/src/a.ts:12:5)", ["/project/src/a.ts"]],
    ["it's in src/a.ts, isn't it", ["src/a.ts"]],
    ["==> src/a.ts <==", ["src/a.ts"]],
    [
      "diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts",
      ["src/a.ts", "a/src/a.ts", "b/src/a.ts"],
    ],
    ["--- /dev/null\n+++ b/src/new.ts", ["src/new.ts", "b/src/new.ts"]],
    ['+++ "b/src/\\303\\244.ts"', ["src/ä.ts", "b/src/ä.ts"]],
    [" M src/a.ts\n?? new.ts", ["src/a.ts", "new.ts"]],
    ["\tmodified:   src/a.ts\r", ["src/a.ts"]],
    ["cd lib && cat a.ts", ["lib/a.ts", "a.ts"]],
    ["cd lib/ && cd 'sub dir'; cat ../a.ts", ["lib/a.ts", "../a.ts"]],
    ["(cd /project/lib && cat a.ts /etc/b.conf)", ["/project/lib/a.ts", "/etc/b.conf", "a.ts"]],
    ["cd $DIR && cat a.ts", ["a.ts"]],
    ["git -C lib diff a.ts; cat b.ts", ["lib/a.ts", "a.ts", "b.ts"]],
    ["bash -c 'cd lib && cat a.ts'", ["lib/a.ts", "a.ts"]],
  ];
  test.each(cases)("%s", (text, expected) => {
    const likely = pathsIn(text, 100).filter((path) => path.includes("."));
    expect(likely).toEqual(expected);
  });

  it("gives words that are likely files before others", () => {
    expect(pathsIn("cat notes Makefile a.ts src/b.ts src/c.ts:3", 10)).toEqual([
      "src/c.ts",
      "src/b.ts",
      "a.ts",
      "Makefile",
      "notes",
      "cat",
    ]);
    expect(pathsIn("cat notes Makefile a.ts src/b.ts src/c.ts:3", 2)).toEqual(["src/c.ts", "src/b.ts"]);
    expect(pathsIn("cat a.ts", 0)).toEqual([]);
  });
});

describe("text that a command carries", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["cat > a.ts <<'EOF'\none $x\n\n  two\\n\nEOF", "one $x\n\n  two\\n\n"],
    ['cat <<"END MARK" > a.ts\none\nEOF\nEND MARK\necho done', "one\nEOF\ndone\n"],
    ["cat > a.ts <<EOF\ncost \\$5 \\`x\\` a\\\\b \\n\nEOF", "cost $5 `x` a\\b \\n\n"],
    ["if true; then\n\tcat <<-EOF\n\t\tone\n\ttwo\n\tEOF\nfi", "one\ntwo\n"],
    ["cat <<A >a; cat <<B >b\none\nA\ntwo\nB", "one\ntwo\n"],
    ["git commit -m \"$(cat <<'EOF'\nsubject\nEOF\n)\"", "subject\n"],
    ["cat <<EOF\nnever ended", ""],
    ["echo $((1 << shift))", "$\n"],
    ["echo 'one  two' >> a.txt", "one  two\n"],
    ["echo one   two", "one two\n"],
    ['echo "say \\"yes\\" \\$5" | tee a.txt', 'say "yes" $5\n'],
    ["echo 'first\nsecond' > a.txt", "first\nsecond\n"],
    ["echo -e 'a\\tb\\nc' > a.txt", "a\tb\nc\n"],
    ["echo 'a\\tb'", "a\\tb\n"],
    ["echo -n x; X=1 echo y && sudo echo z", "x\ny\nz\n"],
    ["echo $'it\\'s\\n' 2>&1", "it's\n"],
    ["printf 'a\\nb\\n' > a.txt", "a\nb\n"],
    ["printf '%s\\n' one 'two three' 4", "one\ntwo three\n4\n"],
    ["printf '%s=%d%%\\n' a 1 b 2", "a=1%\nb=2%\n"],
    ["cat <<< 'here it is'", "here it is\n"],
    ["cat a.txt | grep echo", ""],
    ["", ""],
  ];
  test.each(cases)("%s", (command, expected) => {
    expect(carriedText(command)).toBe(expected);
  });
});
