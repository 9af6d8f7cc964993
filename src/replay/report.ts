import { type Case, linesOf } from "./case.js";
import type { CaseSet } from "./generate.js";
import { type Mechanism, play } from "./mechanism.js";
import { outcomes, rowName, type Score, type Tally } from "./score.js";

const total = ({ right, refused, wrong }: Tally): number => right + refused + wrong;
const percent = (part: number, of: number): string =>
  part === of ? "100 %" : `${Math.min(99.9, (100 * part) / of).toFixed(1)} %`;

/** What was drawn, and the set's hash. */
export function setText({ name, seed, hash, cases, drawn }: CaseSet): string {
  const looked = Object.values(drawn).reduce((sum, count) => sum + count, 0);
  const parts = Object.entries(drawn)
    .sort((one, two) => two[1] - one[1])
    .map(([kind, count]) => `  ${percent(count, looked).padStart(7)}  ${kind}`);
  const heading = `${cases.length} cases from ${name}, ${seed === "" ? "prepared" : `seed ${seed}`}, set ${hash}`;
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
  return table([
    ["", "right", "refused", "wrong place"],
    ...scores.map((one) => {
      const tally = tallyOf(one);
      const all = total(tally);
      return [one.mechanism.name, percent(tally.right, all), percent(tally.refused, all), `${tally.wrong}`];
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
  parts.push(
    ...[
      "\nRight, by class (refused where refusing is right)\n",
      matrix((one) => percent(one.right, total(one))),
    ],
    ...["\nIn a wrong place, by class\n", matrix(({ wrong }) => (wrong === 0 ? "." : `${wrong}`))],
  );
  return parts.join("\n");
}

const cut = (text: string, width: number): string => {
  const plain = text.replaceAll("\t", "  ").replaceAll("\r", "␍");
  return (plain.length > width ? `${plain.slice(0, width - 1)}…` : plain).padEnd(width);
};

/** The lines worth seeing of several versions, side by side; runs in which all are equal are cut short. */
function sideBySide(columns: readonly (readonly [name: string, text: string])[], screen: number): string {
  const width = Math.max(20, Math.floor((screen - 6) / columns.length) - 3);
  const texts = columns.map(([, text]) => linesOf(text));
  const row = (cells: readonly string[], head: string): string =>
    `${head.padStart(5)} ${cells.map((cell) => cut(cell, width)).join(" │ ")}`.trimEnd();
  const out = [
    row(
      columns.map(([name]) => name),
      "",
    ),
  ];
  const longest = Math.max(...texts.map((lines) => lines.length));
  const isEqual = (at: number): boolean => new Set(texts.map((lines) => lines[at])).size === 1;
  let hidden = 0;
  for (let at = 0; at < longest; at++) {
    const near = [-3, -2, -1, 0, 1, 2, 3].some(
      (by) => at + by >= 0 && at + by < longest && !isEqual(at + by),
    );
    if (!near) {
      hidden++;
      continue;
    }
    if (hidden > 0) out.push(`      … ${hidden} equal lines`);
    hidden = 0;
    out.push(
      row(
        texts.map((lines) => lines[at] ?? "~"),
        `${at + 1}`,
      ),
    );
  }
  return out.join("\n");
}

function editsText({ edits, base }: Case): string {
  const lines = base.split(/\r?\n/);
  return edits
    .map(({ start, count, lines: added }) =>
      [
        `at line ${start + 1}:`,
        ...lines.slice(start, start + count).map((line) => `  - ${line}`),
        ...added.map((line) => `  + ${line}`),
      ].join("\n"),
    )
    .join("\n");
}

/** One case: what the agent saw, what was there, its edit, what each mechanism made of it and what is right. */
export async function showCase(one: Case, mechanisms: readonly Mechanism[], screen = 160): Promise<string> {
  const played = [];
  for (const mechanism of mechanisms) {
    const result = await play(mechanism, one).finally(() => mechanism.close?.());
    const found = outcomes(one, result);
    played.push({ mechanism, result, outcome: found.find((outcome) => outcome !== "right") ?? "right" });
  }
  const [ours] = played;
  const heading = `case ${one.id}: ${rowName(one)}, ${one.path}, ${one.origin}`;
  const wanted = { text: "the text below", refuse: "refuse", unchanged: "leave it as it is" }[one.expect];
  return [
    heading,
    `right: ${wanted}${one.debatable ? `; ${one.debatable}` : ""}`,
    `\nThe agent's edit${one.sequence ? `s, a call each, in the order ${one.sequence.map((at) => at + 1).join(", ")}` : ""}`,
    editsText(one),
    "",
    sideBySide(
      [
        ["base", one.base],
        ["current", one.current],
        [`result of ${ours?.mechanism.short ?? ""}`, ours?.result.text ?? one.current],
        ["truth", one.truth],
      ],
      screen,
    ),
    "",
    ...played.map(({ mechanism, result, outcome }) => {
      const refused = result.calls.some((call) => call.refused) ? " (refused)" : "";
      return `${mechanism.name.padEnd(28)} ${outcome === "wrong" ? "WRONG PLACE" : outcome}${refused}`;
    }),
  ].join("\n");
}
