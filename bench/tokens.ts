/** Measures what anchors, calls and recovery cost in tokens. */
import { judge, writeResults } from "./results.js";
import { editRows, recoveryRows } from "./tokens/calls.js";
import type { Counts } from "./tokens/count.js";
import { lineRows } from "./tokens/lines.js";

const show = (name: string, { o200k_base, cl100k_base, claude }: Counts, digits = 0): void => {
  const cells = [o200k_base, cl100k_base, claude].map((count) => count.toFixed(digits).padStart(12));
  console.log(`${name.padEnd(44)}${cells.join("")}`);
};
const heading = (title: string): void =>
  console.log(
    `\n${title.padEnd(44)}${["o200k_base", "cl100k_base", "claude"].map((name) => name.padStart(12)).join("")}`,
  );

const [lines, edits, recovery] = [lineRows(), await editRows(), await recoveryRows()];
heading("Extra tokens a line");
for (const { text, way, extra } of lines) show(`${text}: ${way}`, extra, 2);
heading("An edit and its success");
for (const { work, way, call, answer } of edits) {
  show(`${work}, ${way}: call`, call);
  show(`${work}, ${way}: answer`, answer);
}
heading("Recovery from one stale line, in all");
for (const { lines: count, retry, anchors, reread } of recovery) {
  show(`${count} lines: kedge, by handle`, retry);
  show(`${count} lines: kedge, by the anchors shown`, anchors);
  show(`${count} lines: full re-read`, reread);
}
console.log();
const worst = (counts: readonly Counts[]): number =>
  Math.max(...counts.flatMap((one) => [one.o200k_base, one.cl100k_base, one.claude]));
const lean = lines.filter(({ way }) => way === "lean").map(({ extra }) => extra);
const ten = edits
  .filter(({ work, way }) => way === "kedge" && work.includes("10"))
  .map(({ answer }) => answer);
judge([
  {
    what: "lean, extra tokens a line in files as they are, o200k_base",
    goal: 2.7,
    measured: lean[0]?.o200k_base ?? Number.NaN,
  },
  { what: "a plain ten-line success, in every tokenizer", goal: 80, measured: worst(ten) },
  {
    what: "recovery in all, in every tokenizer",
    goal: 220,
    measured: worst(recovery.map(({ retry }) => retry)),
  },
]);
writeResults("tokens", "npm run bench:tokens", { lines, edits, recovery });
