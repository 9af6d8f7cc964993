import fc from "fast-check";
import { expect, test } from "vitest";
import { barsOf } from "../../src/view/page/panels/strips.js";

test("a range takes its share of the strip", () => {
  expect(barsOf([{ start: 1, end: 50 }], 100)).toEqual([{ x: 0, width: 500 }]);
  expect(barsOf([{ start: 51, end: 100 }], 100)).toEqual([{ x: 500, width: 500 }]);
});

test("bars are disjoint, in order, wide enough to be seen, and inside the strip", () => {
  const range = fc
    .tuple(fc.integer({ min: 1, max: 5000 }), fc.nat(300))
    .map(([start, more]) => ({ start, end: start + more }));
  fc.assert(
    fc.property(fc.array(range, { maxLength: 80 }), fc.integer({ min: 0, max: 5000 }), (ranges, lines) => {
      const bars = barsOf(ranges, lines);
      expect(bars.length === 0).toBe(ranges.length === 0);
      for (const [at, { x, width }] of bars.entries()) {
        expect(width).toBeGreaterThanOrEqual(4 - 1e-9);
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x + width).toBeLessThanOrEqual(1000 + 1e-9);
        const before = bars[at - 1];
        if (before) expect(x).toBeGreaterThan(before.x + before.width);
      }
    }),
  );
});
