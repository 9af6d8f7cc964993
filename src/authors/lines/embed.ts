/** Which lines of a weave a text is made of. Pure. */
import { compareLines } from "../../changes/index.js";
import { bestPairs } from "./best-pairs.js";
import type { WovenLine } from "./weave.js";

type Place = WovenLine | null;

/** Cells of a table that is worth its time. */
const largestTable = 4_000_000;

/**
 * Finds the lines of a text in a weave, in its order; null for a line that was never in it. Lines that are certainly
 * those of the file now come first. Between them as many as possible are found, of equal ones rather the oldest.
 */
export function embed(
  lines: readonly string[],
  woven: readonly WovenLine[],
  living: readonly WovenLine[],
): Place[] {
  const change = compareLines(
    lines,
    living.map(({ text }) => text),
  );
  const rank = new Map(woven.map((one, at) => [one, at]));
  const places: Place[] = new Array(lines.length).fill(null);
  let [a, b, from] = [0, 0, 0];
  const end = { aStart: lines.length, aEnd: lines.length, bStart: living.length, bEnd: living.length };
  for (const region of [...change.regions, end]) {
    for (; a < region.aStart; a++, b++) {
      places[a] = living[b] as WovenLine;
      from = (rank.get(living[b] as WovenLine) ?? 0) + 1;
    }
    const next = living[region.bEnd];
    const stop = next ? (rank.get(next) as number) : woven.length;
    const found = longest(lines.slice(region.aStart, region.aEnd), woven.slice(from, stop));
    for (const [at, place] of found.entries()) places[region.aStart + at] = place;
    [a, b] = [region.aEnd, region.bEnd];
  }
  return places;
}

/** A longest common subsequence, of several the one with the most worth. */
function longest(lines: readonly string[], woven: readonly WovenLine[]): Place[] {
  const found: Place[] = new Array(lines.length).fill(null);
  if (lines.length * woven.length > largestTable) return found;
  const pairs = bestPairs(lines.length, woven.length, (line, at) => {
    const { text, by, isAlive } = woven[at] as WovenLine;
    // Any pair counts more than which one it is.
    return lines[line] === text ? 1000 + (by === null ? 2 : 0) + (isAlive ? 1 : 0) : Number.NEGATIVE_INFINITY;
  });
  for (const [line, at] of pairs) found[line] = woven[at] as WovenLine;
  return found;
}
