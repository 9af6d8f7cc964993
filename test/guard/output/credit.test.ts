import { describe, expect, it, test } from "vitest";
import { type Candidate, creditOutput } from "../../../src/guard/output/credit.js";

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
      `${joined(["a", "b", "c", "d", "e"].map((text, at) => `${at + 1}\t${text}`))}\n6\tf\n`,
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
