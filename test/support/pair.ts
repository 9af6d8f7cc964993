/** Two changes of one text, put together line by line. */
import type { Hunk } from "../../src/text/splice.js";
import { applyHunks } from "./hunks.js";

type Hunks = readonly Hunk<string>[];

/** The text with all these changes made to it at once. */
export function withAll(lines: readonly string[], hunks: Hunks): string[] {
  const sorted = hunks.toSorted((one, two) => one.start - two.start || one.end - two.end);
  return applyHunks(lines, sorted);
}

/** What of the second change the first has done already: where they touch, both come to the same text (rule 5). */
export function doneBefore(lines: readonly string[], first: Hunks, second: Hunks): Hunk<string>[] {
  return second.filter((hunk) => {
    const met = first.filter(({ start, end }) => start <= hunk.end && hunk.start <= end);
    const from = Math.min(hunk.start, ...met.map(({ start }) => start));
    const to = Math.max(hunk.end, ...met.map(({ end }) => end));
    const made = (hunks: Hunks) => {
      const within = hunks.map((one) => ({ ...one, start: one.start - from, end: one.end - from }));
      return JSON.stringify(withAll(lines.slice(from, to), within));
    };
    return met.length > 0 && made([hunk]) === made(met);
  });
}
