/** Quotes that are replaced one after the other, as one replacement of the text before. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Quote } from "../../src/edits/text-search.js";
import { chained } from "../../src/placement/quote-chain.js";
import { Document } from "../../src/text/document.js";

const text = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 14 });
const quote = fc.record({
  old: fc.string({ unit: fc.constantFrom("a", "b", "x", "\n"), minLength: 1, maxLength: 3 }),
  new: fc.string({ unit: fc.constantFrom("a", "x", "\n"), maxLength: 3 }),
  all: fc.boolean(),
});

/** As a tool does it, place by place; null where it finds none, or several. */
function replaced(before: string, quotes: readonly Quote[]): string | null {
  let now = before;
  for (const { old, new: fresh, all } of quotes) {
    const first = now.indexOf(old);
    if (first < 0 || (!all && first !== now.lastIndexOf(old))) return null;
    now = now.split(old).join(fresh);
  }
  return now;
}

it("the stretches, put in at once, come to the same", () => {
  fc.assert(
    fc.property(text, fc.array(quote, { minLength: 1, maxLength: 4 }), (before, quotes) => {
      const expected = replaced(before, quotes);
      const found = chained(Document.fromText(before), quotes);
      // Of places that overlap it is told; or they come to the same.
      if (expected === null || !Array.isArray(found)) return expected === null || fc.pre(false);
      const made = found.toReversed().reduce((now, { from, old, new: fresh }) => {
        expect(now.slice(from, from + old.length)).toBe(old);
        return now.slice(0, from) + fresh + now.slice(from + old.length);
      }, before);
      expect(made).toBe(expected);
      const lineAt = (offset: number): number => before.slice(0, offset).split("\n").length - 1;
      for (const { from, old, start, end } of found)
        if (old !== "") expect([start, end]).toEqual([lineAt(from), lineAt(from + old.length - 1) + 1]);
      return true;
    }),
    { numRuns: 3000 },
  );
});
