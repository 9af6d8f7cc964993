/** A change as Claude Code shows it to people: hunks with three lines around, in which leading tabs are blanks. */
import type { Payload } from "./driver.js";

const around = 3;

const shownRow = (row: string): string =>
  row.replace(/^\t+/, (tabs) => "  ".repeat(tabs.length)).replace(/\r$/, "");

/** One line of both texts: " " it stays, "-" it goes, "+" it comes. */
interface Step {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** By the longest common subsequence. */
function steps(before: readonly string[], after: readonly string[]): Step[] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  const length = (at: number, to: number): number => lengths[at]?.[to] ?? 0;
  for (let at = before.length - 1; at >= 0; at--)
    for (let to = after.length - 1; to >= 0; to--)
      (lengths[at] as Uint32Array)[to] =
        before[at] === after[to]
          ? length(at + 1, to + 1) + 1
          : Math.max(length(at + 1, to), length(at, to + 1));
  const result: Step[] = [];
  let [at, to] = [0, 0];
  while (at < before.length || to < after.length) {
    const [old, fresh] = [before[at], after[to]];
    if (old !== undefined && old === fresh) {
      result.push({ sign: " ", text: old });
      at++;
      to++;
    } else if (old !== undefined && (fresh === undefined || length(at + 1, to) >= length(at, to + 1))) {
      result.push({ sign: "-", text: old });
      at++;
    } else {
      result.push({ sign: "+", text: fresh as string });
      to++;
    }
  }
  return result;
}

/** Lines, with a mark where the last one has no end: such a line is another line. */
function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  const last = lines.pop() as string;
  return last === "" ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

export function structuredPatch(before: string, after: string): Payload[] {
  const all = steps(linesOf(before), linesOf(after));
  const changed = all.flatMap(({ sign }, at) => (sign === " " ? [] : [at]));
  const spans: [number, number][] = [];
  for (const at of changed) {
    const last = spans.at(-1);
    const [start, end] = [Math.max(0, at - around), Math.min(all.length, at + around + 1)];
    if (last && start <= last[1]) last[1] = end;
    else spans.push([start, end]);
  }
  return spans.map(([start, end]) => {
    const count = (sign: "-" | "+", from: number, to: number): number =>
      all.slice(from, to).filter((step) => step.sign === " " || step.sign === sign).length;
    return {
      ...{ oldStart: count("-", 0, start) + 1, oldLines: count("-", start, end) },
      ...{ newStart: count("+", 0, start) + 1, newLines: count("+", start, end) },
      lines: all
        .slice(start, end)
        .flatMap(({ sign, text }) =>
          text.split("\n").map((row, at) => (at === 0 ? `${sign}${shownRow(row)}` : row)),
        ),
    };
  });
}
