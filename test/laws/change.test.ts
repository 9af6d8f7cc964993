import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Change, type Hunk, LineChange } from "../../src/changes/line-change.js";

/** A change to a text of `before` lines, from cut points that cannot overlap. */
const changeOf = (before: number): fc.Arbitrary<Change<number>> =>
  fc
    .array(fc.tuple(fc.nat(before), fc.nat(3), fc.array(fc.integer(), { maxLength: 3 })), { maxLength: 4 })
    .map((raw) => {
      const hunks: Hunk<number>[] = [];
      let from = 0;
      for (const [start, length, lines] of raw.toSorted((x, y) => x[0] - y[0])) {
        if (start < from) continue;
        const end = Math.min(before, start + length);
        hunks.push({ start, end, lines });
        from = end + 1;
      }
      return Change.of(before, hunks);
    });

const text = fc.array(fc.integer(), { maxLength: 12 });
const textAndChanges = text.chain((lines) =>
  changeOf(lines.length).chain((first) =>
    changeOf(first.after).map((second) => [lines, first, second] as const),
  ),
);

describe("a change", () => {
  it("is taken back by its inverse", () => {
    fc.assert(
      fc.property(textAndChanges, ([lines, change]) => {
        expect(change.invert(lines).apply(change.apply(lines))).toEqual(lines);
      }),
    );
  });

  it("composed with the next does what both do", () => {
    fc.assert(
      fc.property(textAndChanges, ([lines, first, second]) => {
        expect(first.compose(second).apply(lines)).toEqual(second.apply(first.apply(lines)));
      }),
    );
  });

  it("says of every line where it went", () => {
    fc.assert(
      fc.property(textAndChanges, ([lines, first, second]) => {
        const both = first.compose(second);
        const marked = lines.map((_, at) => -1 - at);
        const result = both.apply(marked.map((mark) => mark * 1_000_000_007));
        lines.forEach((_, at) => {
          const fate = both.mapLine(at);
          if (fate.kind === "deleted")
            expect(first.map.index(at) < 0 || second.map.index(first.map.index(at)) < 0).toBe(true);
          else {
            expect(result[fate.line]).toBe((-1 - at) * 1_000_000_007);
            expect(fate.kind).toBe(fate.line === at ? "kept" : "moved");
          }
        });
      }),
    );
  });

  it("cannot be built from overlapping or misfitting hunks, and names both", () => {
    expect(() =>
      Change.of(9, [
        { start: 2, end: 5, lines: ["a"] },
        { start: 4, end: 6, lines: [] },
      ]),
    ).toThrow("hunks overlap: [2,5)+1 and [4,6)+0");
    expect(() => Change.of(3, [{ start: 2, end: 4, lines: [] }])).toThrow("does not fit a text of 3 lines");
    expect(() => Change.of(3, [{ start: 1, end: 1, lines: ["x"] }]).apply(["a"])).toThrow("applied to 1");
  });

  it("joins hunks that touch, in the order given", () => {
    const change = Change.of(4, [
      { start: 1, end: 2, lines: ["x"] },
      { start: 2, end: 2, lines: ["i"] },
      { start: 2, end: 3, lines: ["y"] },
      { start: 4, end: 4, lines: [] },
    ]);
    expect(change.hunks).toEqual([{ start: 1, end: 3, lines: ["x", "i", "y"] }]);
    expect(change.apply(["a", "b", "c", "d"])).toEqual(["a", "x", "i", "y", "d"]);
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
