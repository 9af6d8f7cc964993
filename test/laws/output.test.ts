import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type Candidate, creditOutput } from "../../src/guard/output/credit.js";
import { pathsIn } from "../../src/guard/output/paths.js";
import { PrintedRows } from "../../src/guard/output/shared-runs.js";
import { carriedText } from "../../src/guard/output/text-in-command.js";

const file = (path: string, lines: readonly string[]): Candidate => ({ path, lines, named: true });
const lines = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);
const joined = (rows: readonly string[]): string => rows.map((row) => `${row}\n`).join("");

describe("credit for output", () => {
  it("finds the runs that comparing all rows with all lines finds", () => {
    const keys = fc.array(fc.nat(3), { maxLength: 12 }).map((all) => Int32Array.from(all, (key) => key - 1));
    fc.assert(
      fc.property(keys, keys, (rows, file) => {
        const singles = Uint8Array.from(file, (key) =>
          file.filter((one) => one === key).length === 1 ? 1 : 0,
        );
        const found = new PrintedRows(rows).of(file, singles);
        const plain = found.map(({ at, line, length, isOnly }) => [at, line, length, isOnly]);
        expect(plain.toSorted()).toEqual(comparedAll(rows, file).toSorted());
      }),
    );
  });

  /** Row, line, length of each run that cannot be longer and tells a place, and whether that place is the only one. */
  function comparedAll(rows: Int32Array, file: Int32Array): [number, number, number, boolean][] {
    const isSame = (at: number, line: number): boolean => (rows[at] ?? -1) >= 0 && rows[at] === file[line];
    const placesOf = (part: Int32Array): number =>
      Array.from(file, (_, line) => part.every((key, next) => file[line + next] === key)).filter(Boolean)
        .length;
    return Array.from(rows, (_, at) => at).flatMap((at) =>
      Array.from(file, (_, line) => line).flatMap((line): [number, number, number, boolean][] => {
        if (!isSame(at, line) || isSame(at - 1, line - 1)) return [];
        let length = 1;
        while (isSame(at + length, line + length)) length++;
        const part = file.slice(line, line + length);
        const hasSingle = part.some((key) => file.filter((one) => one === key).length === 1);
        if (length < 3 && length < file.length && !hasSingle) return [];
        return [[at, line, length, placesOf(part) === 1]];
      }),
    );
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
