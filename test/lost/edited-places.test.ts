import fc from "fast-check";
import { expect, it } from "vitest";
import { LineChange } from "../../src/changes/line-change.js";
import { Way } from "../../src/lost/edited-places.js";

/** So many steps, each of which puts other lines in the place of some; some cannot be told. */
const steps = fc.array(
  fc.record({ at: fc.nat(20), taken: fc.nat(3), put: fc.nat(3), isKnown: fc.integer({ min: 0, max: 9 }) }),
  { maxLength: 40 },
);

it("a way leads where its steps do, one after the other", () =>
  fc.assert(
    fc.property(steps, fc.nat(40), fc.nat(40), (list, one, two) => {
      const way = new Way();
      let count = 12;
      way.push({ version: "0", map: null });
      for (const [index, { at, taken, put, isKnown }] of list.entries()) {
        const start = Math.min(at, count);
        const end = Math.min(start + taken, count);
        const after = count - (end - start) + put;
        const region = { aStart: start, aEnd: end, bStart: start, bEnd: start + put };
        way.push({
          version: `${index + 1}`,
          map: isKnown > 0 ? LineChange.of(count, after, [region]) : null,
        });
        count = after;
      }
      const [from, to] = [Math.min(one, two, list.length), Math.min(Math.max(one, two), list.length)];
      const maps = way.states.slice(from + 1, to + 1).map(({ map }) => map);
      const [first = null, ...rest] = maps;
      const plain = rest.reduce((made, map) => made && map && made.compose(map), first);
      expect(way.map(from, to)?.toJSON()).toEqual(plain?.toJSON());
    }),
  ));

it("a version is found in the last state before another that had it", () => {
  const way = new Way();
  for (const version of ["a", "b", "a", null, "b"]) way.push({ version, map: null });
  expect(way.lastBefore(2, "a")).toBe(0);
  expect(way.lastBefore(5, "a")).toBe(2);
  expect(way.lastBefore(4, null)).toBe(3);
  expect(way.lastBefore(1, "b")).toBe(-1);
  expect(way.lastBefore(5, "c")).toBe(-1);
});
