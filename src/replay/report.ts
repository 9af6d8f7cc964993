import type { CaseSet } from "./cases/generate.js";
import type { Score, Tally } from "./score.js";

const total = ({ right, refused, swapped, wrong, silent }: Tally): number =>
  right + refused + swapped + wrong + silent;
const percent = (part: number, of: number): string =>
  part === of ? "100 %" : `${Math.min(99.9, (100 * part) / of).toFixed(1)} %`;

/** Names the set, so that it can be made again. */
export function headingText({ name, seed, hash, cases }: CaseSet): string {
  return `${cases.length} cases from ${name}, ${seed === "" ? "prepared" : `seed ${seed}`}, set ${hash}`;
}

/** The heading, and what was drawn. */
export function setText(set: CaseSet): string {
  const { drawn } = set;
  const heading = headingText(set);
  const looked = Object.values(drawn).reduce((sum, count) => sum + count, 0);
  const parts = Object.entries(drawn)
    .sort((one, two) => two[1] - one[1])
    .map(([kind, count]) => `  ${percent(count, looked).padStart(7)}  ${kind}`);
  if (looked === 0) return heading;
  return `${heading}\n\nOf ${looked} consecutive changes to one file, drawn with equal chance:\n${parts.join("\n")}`;
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => [...(row[at] ?? "")].length)));
  return rows
    .map((row) =>
      row
        .map((cell, at) =>
          at === 0 ? cell.padEnd(widths[at] as number) : cell.padStart(widths[at] as number),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function outcomeTable(scores: readonly Score[], tallyOf: (score: Score) => Tally): string {
  const isSilent = scores.some((one) => tallyOf(one).silent > 0);
  const isSwapped = scores.some((one) => tallyOf(one).swapped > 0);
  const swappedCells = (cell: string): string[] => (isSwapped ? [cell] : []);
  return table([
    ["", "right", "refused", ...swappedCells("swapped"), "wrong place", ...(isSilent ? ["no answer"] : [])],
    ...scores.map((one) => {
      const tally = tallyOf(one);
      const all = total(tally);
      return [
        ...[one.mechanism.name, percent(tally.right, all), percent(tally.refused, all)],
        ...swappedCells(`${tally.swapped}`),
        `${tally.wrong}`,
        ...(isSilent ? [`${tally.silent}`] : []),
      ];
    }),
  ]);
}

/** First what really happened, then class by class. */
export function tablesText(scores: readonly Score[]): string {
  const parts: string[] = [];
  const sampled = scores[0] ? total(scores[0].sample) : 0;
  if (sampled > 0)
    parts.push(
      `The unweighted sample (${sampled})\n`,
      outcomeTable(scores, ({ sample }) => sample),
    );
  const names = [...new Set(scores.flatMap(({ classes }) => Object.keys(classes)))].sort();
  const matrix = (cell: (tally: Tally) => string): string =>
    table([
      ["", "cases", ...scores.map(({ mechanism }) => mechanism.short)],
      ...names.map((name) => [
        name,
        `${total(scores[0]?.classes[name] as Tally)}`,
        ...scores.map(({ classes }) => (classes[name] ? cell(classes[name]) : "")),
      ]),
    ]);
  const count = (number: number): string => (number === 0 ? "." : `${number}`);
  parts.push(
    ...[
      "\nRight, by class (refused where refusing is right)\n",
      matrix((one) => percent(one.right, total(one))),
    ],
    ...["\nIn a wrong place, by class\n", matrix(({ wrong }) => count(wrong))],
  );
  if (scores.some(({ classes }) => Object.values(classes).some(({ silent }) => silent > 0)))
    parts.push(
      "\nWithout an answer, by class\n",
      matrix(({ silent }) => count(silent)),
    );
  return parts.join("\n");
}
