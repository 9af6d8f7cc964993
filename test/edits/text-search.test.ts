import fc from "fast-check";
import { expect, test } from "vitest";
import { search } from "../../src/edits/text-search.js";

test("a search finds every place, also where they overlap", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 40 });
  const quoted = fc.string({ unit: fc.constantFrom("a", "b", "\n"), minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(text, quoted, fc.nat(40), fc.nat(40), (where, what, one, two) => {
      const span = { start: Math.min(one, two), end: Math.min(where.length, Math.max(one, two)) };
      const slow = (start: number, end: number): number[] =>
        Array.from({ length: where.length }, (_, at) => at).filter(
          (at) => at >= start && at + what.length <= end && where.startsWith(what, at),
        );
      expect(search(where, what, null)).toEqual(slow(0, where.length));
      expect(search(where, what, span)).toEqual(slow(span.start, span.end));
    }),
  );
});
