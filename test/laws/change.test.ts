import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hunksOf, LineChange } from "../../src/changes/line-change.js";
import { LineSet } from "../../src/text/line-set.js";
import type { Hunk } from "../../src/text/splice.js";
import { applyHunks, textOfLines } from "../support/hunks.js";

/** Hunks for a text of `before` lines, from cut points that cannot overlap. */
const hunksFor = (before: number): fc.Arbitrary<Hunk<number>[]> =>
  fc
    .array(fc.tuple(fc.nat(before), fc.nat(3), fc.array(fc.integer(), { maxLength: 3 })), { maxLength: 4 })
    .map((raw) => {
      const hunks: Hunk<number>[] = [];
      let from = 0;
      for (const [start, length, lines] of raw.toSorted((x, y) => x[0] - y[0])) {
        if (start < from) continue;
        const end = Math.min(before, start + length);
        hunks.push({ start, end, lines });
        from = end;
      }
      return hunks;
    });

/** A text, the change that the hunks are, and the text that they make. */
interface Step {
  readonly lines: readonly number[];
  readonly change: LineChange;
  readonly after: readonly number[];
}

const step = (lines: readonly number[]): fc.Arbitrary<Step> =>
  hunksFor(lines.length).map((hunks) => ({
    lines,
    change: LineChange.ofHunks(lines.length, hunks),
    after: applyHunks(lines, hunks),
  }));
const steps = fc
  .array(fc.integer(), { maxLength: 12 })
  .chain(step)
  .chain((first) => step(first.after).map((second) => [first, second] as const));

/** The text that a change makes, its new lines taken from the text after. */
const applied = (change: LineChange, lines: readonly number[], after: readonly number[]) =>
  applyHunks(lines, hunksOf(change.regions, textOfLines(after)));

describe("a change", () => {
  it("makes the text after", () => {
    fc.assert(
      fc.property(steps, ([{ lines, change, after }]) => {
        expect(change.after).toBe(after.length);
        expect(applied(change, lines, after)).toEqual(after);
      }),
    );
  });

  it("is taken back by its inverse", () => {
    fc.assert(
      fc.property(steps, ([{ lines, change, after }]) => {
        expect(applied(change.invert(), after, lines)).toEqual(lines);
      }),
    );
  });

  it("carries lines back as its inverse carries them", () => {
    fc.assert(
      fc.property(steps, fc.array(fc.nat(14)), ([{ change }], indexes) => {
        const lines = LineSet.lines(indexes.filter((line) => line < change.after));
        const there = lines.indexes().map((line) => change.invert().index(line));
        expect(change.carryBack(lines).indexes()).toEqual(there.filter((line) => line >= 0));
      }),
    );
  });

  it("composed with the next does what both do", () => {
    fc.assert(
      fc.property(steps, ([first, second]) => {
        const both = first.change.compose(second.change);
        expect(applied(both, first.lines, second.after)).toEqual(second.after);
      }),
    );
  });

  it("says of every line where it went", () => {
    fc.assert(
      fc.property(steps, ([{ lines, change: first }, { change: second, after }]) => {
        const both = first.compose(second);
        lines.forEach((line, at) => {
          const fate = both.mapLine(at);
          const through = first.index(at) < 0 ? -1 : second.index(first.index(at));
          expect(both.index(at)).toBe(fate.kind === "deleted" ? -1 : fate.line);
          if (fate.kind === "deleted") expect(through).toBe(-1);
          else {
            expect(fate.line).toBe(through);
            expect(after[fate.line]).toBe(line);
            expect(fate.kind).toBe(fate.line === at ? "kept" : "moved");
          }
        });
      }),
    );
  });

  it("cannot be built from overlapping or misfitting hunks, and names both", () => {
    expect(() =>
      LineChange.ofHunks(9, [
        { start: 2, end: 5, lines: ["a"] },
        { start: 4, end: 6, lines: [] },
      ]),
    ).toThrow("regions overlap: [2,5)→[2,3) and [4,6)→[2,2)");
    expect(() => LineChange.ofHunks(3, [{ start: 2, end: 4, lines: [] }])).toThrow(
      "do not fit texts of 3 and 1 lines",
    );
  });

  it("joins hunks that touch, in the order given", () => {
    const hunks = [
      { start: 1, end: 2, lines: ["x"] },
      { start: 2, end: 2, lines: ["i"] },
      { start: 2, end: 3, lines: ["y"] },
      { start: 4, end: 4, lines: [] },
    ];
    const change = LineChange.ofHunks(4, hunks);
    const after = ["a", "x", "i", "y", "d"];
    expect(applyHunks(["a", "b", "c", "d"], hunks)).toEqual(after);
    expect(hunksOf(change.regions, textOfLines(after))).toEqual([
      { start: 1, end: 3, lines: ["x", "i", "y"] },
    ]);
  });
});

describe("a line map", () => {
  const map = LineChange.of(8, 9, [
    { aStart: 2, aEnd: 4, bStart: 2, bEnd: 3 },
    { aStart: 6, aEnd: 6, bStart: 5, bEnd: 7 },
  ]);

  it("survives being written down", () => {
    expect(LineChange.fromJSON(JSON.parse(JSON.stringify(map)))).toEqual(map);
  });

  it("knows the regions that touch a span and the hull of a span", () => {
    expect(map.touching(4, 5)).toEqual([map.regions[0]]);
    expect(map.touching(5, 5)).toEqual([]);
    expect(map.touching(5, 6)).toEqual([map.regions[1]]);
    expect(map.hull(1, 3)).toEqual([1, 3]);
    expect(map.hull(4, 7)).toEqual([3, 8]);
  });

  it("refuses regions that overlap or do not fit", () => {
    expect(() =>
      LineChange.of(3, 3, [
        { aStart: 0, aEnd: 2, bStart: 0, bEnd: 2 },
        { aStart: 1, aEnd: 3, bStart: 2, bEnd: 3 },
      ]),
    ).toThrow("overlap");
    expect(() => LineChange.of(3, 4, [])).toThrow("do not fit");
    expect(() => LineChange.of(3, 3, [{ aStart: 1, aEnd: 1, bStart: 2, bEnd: 2 }])).toThrow("does not fit");
    expect(() => LineChange.identity(3).compose(LineChange.identity(4))).toThrow("do not meet");
  });
});
