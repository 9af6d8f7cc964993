/** What a replacement comes to, where its quote has other blanks than the file. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { heal, indentUnit } from "../../src/changes/blanks.js";

type Case = readonly [name: string, quoted: string, standing: string, fresh: string, made: string | null];

const lines = (text: string): string[] => (text === "" ? [] : text.split("\n"));

/** The file's step: that of the lines that stand, unless a case says more of the file. */
const healed = (quoted: string, standing: string, fresh: string, unit: string | null) =>
  heal({ quoted: lines(quoted), standing: lines(standing), fresh: lines(fresh), unit });

const spaces4: readonly Case[] = [
  ["the same blanks more", "a\n    b", "    a\n        b", "a\n    c", "    a\n        c"],
  ["the same blanks less", "        a", "    a", "        b", "    b"],
  ["one step deeper than the quote", "a", "    a", "if x:\n    a", "    if x:\n        a"],
  ["one step shallower than the quote", "        a", "    a", "    b", "b"],
  ["one depth, shallower than the file goes", "        a", "    a", "b", null],
  ["shallower than the file goes", "        a\n            b", "    a\n        b", "c", null],
  ["no whole step deeper", "a", "    a", "a\n      b", null],
  ["tabs for spaces", "\ta\n\t\tb", "    a\n        b", "\ta\n\t\tc", "    a\n        c"],
  ["tabs for spaces, deeper", "\ta", "    a", "\tif x:\n\t\ta", "    if x:\n        a"],
  [
    "two for four, deeper",
    "  a\n    b",
    "    a\n        b",
    "  a\n    b\n      c",
    "    a\n        b\n            c",
  ],
  ["two for four, to the edge", "  a\n    b", "    a\n        b", "c", "c"],
  ["one depth, one step more", "    a", "        a", "        b", "            b"],
  ["deeper and shallower contradict each other", "  a\n    b", "        a\n    b", "  c", null],
  ["one depth is two in the file", "  a\n  b", "    a\n        b", "  c", null],
  ["two depths are one in the file", "  a\n    b", "    a\n    b", "  c", null],
  ["tabs and spaces mixed in the quote", "\ta\n    b", "    a\n        b", "\ta", null],
  ["no usual step of the other kind", "a", "    a", "a\n\t\tb", null],
  ["blanks at the end of the quote", "a ", "a", "b", "b"],
  ["blanks at the end of a line that is retyped stay", "a\nb", "a \nb", "a\nc", "a \nc"],
  ["blank lines differ", "a\n\nb", "    a\n    \n    b", "a\n\nc", "    a\n    \n    c"],
  ["a new blank line stays blank", "a\nb", "    a\n    b", "a\n\nb", "    a\n\n    b"],
  ["taken out", "a\nb", "    a\n    b", "", ""],
  ["a line in Markdown that ends in two blanks", "a  \nb", "    a  \n    b", "a  \nc", null],
  ["a quote that ends in two blanks", "  a  ", "    a", "  b", null],
  ["a line that the next one continues", "a \\\n  b", "    a \\\n      b", "a \\\n  c", null],
  ["more than blanks differs", "a", "    b", "c", null],
  ["blanks inside differ", "a  b", "    a b", "c", null],
  ["nothing differs", "    a", "    a", "b", null],
  ["only blank lines", "\n ", " \n", "b", null],
  ["other blanks than tabs and spaces", "\u00a0a", "a", "b", null],
];
const tabs: readonly Case[] = [
  ["spaces for a tab", "    a\n        b", "\ta\n\t\tb", "    a\n        c", "\ta\n\t\tc"],
  ["spaces for a tab, deeper", "    a", "\ta", "    if (x) {\n        a\n    }", "\tif (x) {\n\t\ta\n\t}"],
  ["spaces for a tab, to the edge", "    a", "\ta", "b", "b"],
  ["a quote at the edge, tabs", "a", "\t\ta", "b {\n\ta\n}", "\t\tb {\n\t\t\ta\n\t\t}"],
  ["a quote at the edge, spaces", "a", "\t\ta", "b {\n  a\n}", "\t\tb {\n\t\t\ta\n\t\t}"],
  [
    "a recipe in a Makefile",
    "all:\n        cc x",
    "all:\n\tcc x",
    "all:\n        cc y\n        ld",
    "all:\n\tcc y\n\tld",
  ],
  ["aligned with blanks behind tabs", "\ta(\n\t  b", "\t\ta(\n\t\t  b", "\ta(\n\t  c", "\t\ta(\n\t\t  c"],
];
const spaces2: readonly Case[] = [
  ["a list in YAML", "- a\n  b: 1", "  - a\n    b: 1", "- a\n  b: 2\n- c", "  - a\n    b: 2\n  - c"],
  [
    "text inside a literal is indented like the rest",
    "f(`\n  x`)",
    "  f(`\n    x`)",
    "f(`\n  y`)",
    "  f(`\n    y`)",
  ],
];

describe.each([
  ["    ", spaces4],
  ["\t", tabs],
  ["  ", spaces2],
] as const)("in a file with steps of %j", (unit, cases) => {
  it.each(cases)("%s", (_, quoted, standing, fresh, made) =>
    expect(healed(quoted, standing, fresh, unit)?.lines.join("\n") ?? null).toBe(made),
  );
});

it.each<[string, string, string, boolean]>([
  ["the same blanks more", "a\n  b", "  a\n    b", true],
  ["blanks at ends only", "a ", "a", true],
  ["a tab for four spaces", "    a\n        b", "\ta\n\t\tb", true],
  ["four spaces for a tab, from the edge", "a\n\tb", "a\n    b", true],
  ["steps of two for steps of four", "  a\n    b", "    a\n        b", false],
  ["a shift and an exchange", "a\n  b", "\ta\n\t\tb", false],
])("even: %s", (_, quoted, standing, even) =>
  expect(healed(quoted, standing, quoted, "\t")?.even).toBe(even),
);

it("a new depth is not guessed where the file's step is not known", () => {
  expect(healed("a", "    a", "a\n    b", null)).toBeNull();
  expect(healed("a", "    a", "b", null)?.lines).toEqual(["    b"]);
});

describe("the step of a file", () => {
  it.each<[string, string | null]>([
    ["a\n  b\n    c\nd\n  e", "  "],
    ["a\n\tb\n\t\tc", "\t"],
    ["a\n    b\n\n    c\n        d\ne(\n      f", "    "],
    ["a\nb", null],
    ["a\n  b\nc\n    d", null],
    ["", null],
  ])("%j", (text, unit) => expect(indentUnit(text.split("\n"))).toBe(unit));
});

describe("laws", () => {
  const units = fc.constantFrom("\t", "  ", "    ");
  const depth = fc.nat(3);
  const text = fc.record({ depth, word: fc.constantFrom("a", "b", "c", "}", "x y") });
  const program = fc.array(text, { minLength: 1, maxLength: 6 });
  const at = (unit: string, base: number) => (one: { depth: number; word: string }) =>
    unit.repeat(base + one.depth) + one.word;
  const any = fc.record({
    own: units,
    unit: units,
    shift: fc.nat(2),
    base: fc.nat(2),
    old: program,
    made: program,
  });

  it("indented back, the healed text is the caller's; and what is deeper stays deeper", () => {
    let count = 0;
    fc.assert(
      fc.property(any, ({ own, unit, shift, base, old, made }) => {
        const [quoted, standing] = [old.map(at(own, base)), old.map(at(unit, shift))];
        const fresh = made.map(at(own, base));
        const there = heal({ quoted, standing, fresh, unit });
        if (!there) return;
        count++;
        expect(there.lines.map((line) => line.trim())).toEqual(fresh.map((line) => line.trim()));
        const back = heal({ quoted: standing, standing: quoted, fresh: there.lines, unit: own });
        if (back) expect(back.lines).toEqual(fresh);
        const deep = (line: string): number => /^[ \t]*/.exec(line)?.[0].length ?? 0;
        for (const [i, one] of fresh.entries())
          for (const [j, other] of fresh.entries())
            expect(Math.sign(deep(there.lines[i] as string) - deep(there.lines[j] as string))).toBe(
              Math.sign(deep(one) - deep(other)),
            );
      }),
    );
    expect(count).toBeGreaterThan(0);
  });

  it("what is retyped is what stands", () => {
    fc.assert(
      fc.property(any, ({ own, unit, shift, base, old }) => {
        const [quoted, standing] = [old.map(at(own, base)), old.map(at(unit, shift))];
        const there = heal({ quoted, standing, fresh: quoted, unit });
        if (there) expect(there.lines).toEqual(standing);
      }),
    );
  });
});
