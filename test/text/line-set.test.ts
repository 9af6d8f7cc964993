import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compactLineRanges, LineSet, mergeRanges, type Range } from "../../src/text/line-set.js";

const linesOf = (ranges: readonly Range[]): number[] =>
  ranges.flatMap(({ start, end }) => Array.from({ length: end - start + 1 }, (_, at) => start + at));

const anyRange = fc
  .tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 6 }))
  .map(([start, more]): Range => ({ start, end: start + more }));
const ascending = (numbers: Iterable<number>): number[] => [...new Set(numbers)].sort((a, b) => a - b);

/** Sorted, and at least one line apart: then there is no shorter way to say it. */
function expectCompact(ranges: readonly Range[]): void {
  for (const [at, { start, end }] of ranges.entries()) {
    expect(end).toBeGreaterThanOrEqual(start);
    const before = ranges[at - 1];
    if (before !== undefined) expect(start).toBeGreaterThan(before.end + 1);
  }
}

describe("compactLineRanges", () => {
  test.each<[number[], [number, number][]]>([
    [
      [4, 5, 6, 9],
      [
        [4, 6],
        [9, 9],
      ],
    ],
    [[], []],
    [[7], [[7, 7]]],
    [[3, 1, 2, 2], [[1, 3]]],
    [
      [10, 2],
      [
        [2, 2],
        [10, 10],
      ],
    ],
  ])("%j", (lines, ranges) => {
    expect(compactLineRanges(lines)).toEqual(ranges.map(([start, end]) => ({ start, end })));
  });

  test("takes any iterable", () => {
    expect(compactLineRanges(new Set([2, 1]))).toEqual([{ start: 1, end: 2 }]);
  });

  test("holds exactly the lines, compactly", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 })), (lines) => {
        const ranges = compactLineRanges(lines);
        expect(linesOf(ranges)).toEqual(ascending(lines));
        expectCompact(ranges);
      }),
    );
  });
});

describe("mergeRanges", () => {
  test.each<[string, [number, number][], [number, number][]]>([
    ["nothing", [], []],
    [
      "overlapping",
      [
        [1, 4],
        [3, 6],
      ],
      [[1, 6]],
    ],
    [
      "touching",
      [
        [4, 6],
        [1, 3],
      ],
      [[1, 6]],
    ],
    [
      "one line apart",
      [
        [1, 3],
        [5, 6],
      ],
      [
        [1, 3],
        [5, 6],
      ],
    ],
    [
      "one inside the other",
      [
        [1, 9],
        [3, 4],
        [9, 9],
      ],
      [[1, 9]],
    ],
    [
      "equal",
      [
        [2, 2],
        [2, 2],
      ],
      [[2, 2]],
    ],
    ["backward", [[5, 3]], []],
  ])("%s", (_, given, merged) => {
    const toRange = ([start, end]: [number, number]): Range => ({ start, end });
    expect(mergeRanges(given.map(toRange))).toEqual(merged.map(toRange));
  });

  test("holds the same lines, compactly, and again gives itself", () => {
    fc.assert(
      fc.property(fc.array(anyRange, { maxLength: 8 }), (ranges) => {
        const merged = mergeRanges(ranges);
        expect(linesOf(merged)).toEqual(ascending(linesOf(ranges)));
        expectCompact(merged);
        expect(mergeRanges(merged)).toEqual(merged);
        expect(mergeRanges([...ranges].reverse())).toEqual(merged);
      }),
    );
  });

  test("leaves its argument alone", () => {
    const given = Object.freeze([Object.freeze({ start: 4, end: 6 }), Object.freeze({ start: 1, end: 3 })]);
    mergeRanges(given);
    expect(given[0]).toEqual({ start: 4, end: 6 });
  });
});

describe("LineSet against a plain Set", () => {
  const SIZE = 30;
  const anySpan = fc.tuple(fc.nat({ max: SIZE }), fc.nat({ max: SIZE }));
  const anySpans = fc.array(anySpan, { maxLength: 6 });
  const indexes = (start: number, end: number): number[] =>
    Array.from({ length: Math.max(0, end - start) }, (_, at) => start + at);
  const model = (spans: readonly (readonly [number, number])[]): Set<number> =>
    new Set(spans.flatMap(([start, end]) => indexes(start, end)));

  function expectSame(set: LineSet, expected: Iterable<number>): void {
    const sorted = ascending(expected);
    expect(indexes(0, SIZE + 2).filter((index) => set.has(index))).toEqual(sorted);
    expect(set.size).toBe(sorted.length);
    expect(set.isEmpty).toBe(sorted.length === 0);
    expect(set.ranges()).toEqual(compactLineRanges(sorted.map((index) => index + 1)));
    expect(set.spans).toEqual(set.ranges().map(({ start, end }) => [start - 1, end]));
  }

  test("agrees after of, add, union, intersect, subtract", () => {
    fc.assert(
      fc.property(anySpans, anySpans, anySpan, (one, other, [start, end]) => {
        const [a, b] = [LineSet.of(one), LineSet.of(other)];
        const [inA, inB] = [model(one), model(other)];
        expectSame(a, inA);
        expectSame(a.add(start, end), [...inA, ...indexes(start, end)]);
        expectSame(a.union(b), [...inA, ...inB]);
        expectSame(
          a.intersect(b),
          [...inA].filter((index) => inB.has(index)),
        );
        expectSame(
          a.subtract(b),
          [...inA].filter((index) => !inB.has(index)),
        );
        expectSame(a, inA);
      }),
    );
  });

  test("missing and containsSpan", () => {
    fc.assert(
      fc.property(anySpans, anySpan, (spans, [start, end]) => {
        const set = LineSet.of(spans);
        const absent = indexes(start, end).filter((index) => !model(spans).has(index));
        expectSame(set.missing(start, end), absent);
        expect(set.hasSpan(start, end)).toBe(absent.length === 0);
      }),
    );
  });

  test("goes through JSON unchanged", () => {
    fc.assert(
      fc.property(anySpans, (spans) => {
        const set = LineSet.of(spans);
        const flat = JSON.parse(JSON.stringify(set)) as number[];
        expect(flat).toEqual(set.spans.flat());
        expect(LineSet.fromJSON(flat)).toEqual(set);
      }),
    );
  });

  test("equal sets have one form, however they were made", () => {
    fc.assert(
      fc.property(anySpans, (spans) => {
        const oneByOne = [...model(spans)].reduce((set, index) => set.add(index, index + 1), LineSet.empty);
        expect(oneByOne).toEqual(LineSet.of(spans));
      }),
    );
  });

  test("agrees on examples", () => {
    expect(LineSet.all(3).spans).toEqual([[0, 3]]);
    expect(LineSet.all(0)).toBe(LineSet.empty);
    expect(
      LineSet.of([
        [2, 4],
        [4, 5],
      ]).toJSON(),
    ).toEqual([2, 5]);
    expect(LineSet.fromJSON([6, 8, 0, 2, 9])).toEqual(
      LineSet.of([
        [0, 2],
        [6, 8],
      ]),
    );
    const set = LineSet.of([
      [0, 2],
      [6, 8],
    ]);
    expect(set.ranges()).toEqual([
      { start: 1, end: 2 },
      { start: 7, end: 8 },
    ]);
    expect(set.missing(1, 7).spans).toEqual([[2, 6]]);
    expect(set.add(0, 2)).toBe(set);
    expect(set.has(-1)).toBe(false);
  });
});
