/** The verdict of a replay, in two sentences. */
import type { Score, Tally } from "./score.js";

/** The mechanisms that the verdict compares, by their short names: Kedge as it works, and what most agents have. */
export const judged = ["session", "string"] as const;

const casesIn = (tally: Tally): number =>
  tally.right + tally.refused + tally.swapped + tally.wrong + tally.silent;

/** Counts what really happened: the unweighted sample, or all cases of a set without one. */
function tallied({ sample, classes }: Score): Tally {
  if (casesIn(sample) > 0) return sample;
  const all = Object.values(classes);
  const sum = (outcome: "right" | "refused" | "swapped" | "wrong" | "silent"): number =>
    all.reduce((total, tally) => total + tally[outcome], 0);
  return {
    ...{ right: sum("right"), refused: sum("refused"), swapped: sum("swapped") },
    ...{ wrong: sum("wrong"), silent: sum("silent") },
    ...{ wrongIds: [], silentIds: [], secondTime: [] },
  };
}

function outcomesText(tally: Tally): string {
  const { right, refused, swapped, wrong } = tally;
  const order = swapped > 0 ? `, writes ${swapped} in the other order beside another insertion` : "";
  const some = (outcome: number): string => (outcome === 0 ? "none" : `${outcome}`);
  return `gets ${right} right, refuses ${some(refused)} without need${order}, and writes ${some(wrong)} in a wrong place`;
}

/** Returns the sentence of each judged mechanism that was scored. Right includes refusing what has to be refused. */
export function verdictText(scores: readonly Score[]): string {
  const [ours, strings] = judged.map((name) => scores.find(({ mechanism }) => mechanism.short === name));
  if (!ours) return "";
  const tally = tallied(ours);
  const first = `Of ${casesIn(tally)} edits of files that somebody changed after they were read, Kedge ${outcomesText(tally)}.`;
  return strings
    ? `${first} Exact string replacement, the way most agents edit, ${outcomesText(tallied(strings))}.`
    : first;
}
