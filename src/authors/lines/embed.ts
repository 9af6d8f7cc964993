/** Which lines of a weave a text is made of. Pure. */
import { compareLines } from "../../changes/index.js";
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

/** The worth of a pair: any pair counts more than which one it is. */
function worth({ by, isAlive }: WovenLine): number {
  return 1000 + (by === null ? 2 : 0) + (isAlive ? 1 : 0);
}

/** A longest common subsequence, of several the one with the most worth. */
function longest(lines: readonly string[], woven: readonly WovenLine[]): Place[] {
  const found: Place[] = new Array(lines.length).fill(null);
  const width = woven.length + 1;
  if (lines.length === 0 || woven.length === 0 || lines.length * woven.length > largestTable) return found;
  const best = new Int32Array((lines.length + 1) * width);
  const cell = (row: number, column: number): number => best[row * width + column] as number;
  const paired = (row: number, column: number): number =>
    lines[row] === woven[column]?.text
      ? cell(row + 1, column + 1) + worth(woven[column] as WovenLine)
      : Number.NEGATIVE_INFINITY;
  for (let row = lines.length - 1; row >= 0; row--)
    for (let column = woven.length - 1; column >= 0; column--)
      best[row * width + column] = Math.max(
        cell(row + 1, column),
        cell(row, column + 1),
        paired(row, column),
      );
  for (let row = 0, column = 0; row < lines.length && column < woven.length; ) {
    const value = cell(row, column);
    if (value === paired(row, column)) found[row++] = woven[column++] as WovenLine;
    else if (value === cell(row, column + 1)) column++;
    else row++;
  }
  return found;
}
