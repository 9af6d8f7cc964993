/**
 * Over the guard in front of tools that take several edits in one call: what it lets through is done to the lines that the
 * agent saw, each part of it; and what plainly stands there is never refused.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Course, type Step, type Wish } from "./calls/course.js";
import { claudeMultiEdit, codexPatch, opencodePatch, piEdit, type Several } from "./calls/tools.js";
import { weigh } from "./guard/weigh.js";

const runs = Number(process.env.KEDGE_RUNS);

const line = fc.constantFrom("}", "}", "", "", "x", "x", "  x", "a", "b", "c", "d", "e", "f");
const lines = (minLength: number, maxLength: number) => fc.array(line, { minLength, maxLength });

const foreign: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("foreign"),
  kind: fc.constantFrom("insert", "delete", "replace", "move", "copy"),
  at: fc.nat(11),
  count: fc.integer({ min: 1, max: 3 }),
  to: fc.nat(11),
  texts: lines(1, 2),
  recorded: fc.boolean(),
});
const wish: fc.Arbitrary<Wish> = fc.record({
  skip: fc.nat(5),
  count: fc.integer({ min: 1, max: 4 }),
  head: fc.constantFrom(0, 0, 1),
  tail: fc.constantFrom(0, 0, 1),
  fresh: fc.constantFrom("line", "line", "nothing", "below", "common"),
  header: fc.constantFrom(0, 0, 1, 2),
  atEnd: fc.boolean(),
  bare: fc.constantFrom(false, false, true),
});
const call: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("call"),
  wishes: fc.array(wish, { minLength: 1, maxLength: 4 }),
});
const history = fc.record({
  texts: lines(3, 12),
  terminated: fc.constantFrom(true, true, true, false),
  first: fc.nat(11),
  count: fc.constantFrom(0, 0, 0, 4, 6, 8),
  steps: fc.array(fc.oneof(foreign, foreign, call), { maxLength: 5 }),
  last: call,
});

const tools: readonly (readonly [Several, Several])[] = [
  [codexPatch, codexPatch],
  [opencodePatch, codexPatch],
  [piEdit, piEdit],
  [claudeMultiEdit, claudeMultiEdit],
];

describe.each(tools.map(([tool, believed]) => [tool.label, tool, believed] as const))(
  "%s",
  (_, tool, believed) => {
    it("lets a call change only what was seen, where it was, and refuses none that plainly stands there", async () => {
      const all = await weigh(
        tool.label,
        history,
        async ({ texts, terminated, first, count, steps, last }) => {
          const course = new Course(tool, believed, [texts, terminated]);
          await course.read(first, count);
          for (const step of [...steps, last]) await course.take(step);
          return course.found;
        },
      );
      expect(all.allowed).toBeGreaterThan(runs * 3);
      expect(all.denied).toBeGreaterThan(runs / 4);
    });
  },
);
