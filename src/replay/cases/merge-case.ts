/** Two real branches and their real merge as a case: one side is the agent's edit, the other came first. */
import { gap } from "./carry.js";
import { applyHunks, type Draft, type Hunk, linesOf, textOf } from "./case.js";
import { difference, slide } from "./difference.js";

interface Branches {
  readonly path: string;
  readonly origin: string;
  readonly base: string;
  /** The side that came first. */
  readonly first: string;
  readonly agent: string;
  readonly merged: string;
}

const span = ({ start, count }: Hunk): [number, number] => [start, start + count];

export function mergeCase({ path, origin, base, first, agent, merged }: Branches): Draft | null {
  const lines = linesOf(base);
  const others = difference(lines, linesOf(first));
  const edits = difference(lines, linesOf(agent));
  if (!others || !edits || others.length === 0 || edits.length === 0) return null;
  const draft = { path, origin, base, current: first, edits };
  const least = Math.min(...edits.flatMap((edit) => others.map((other) => slidGap(lines, edit, other))));
  if (least >= 1) {
    const both = textOf(applyHunks(lines, [...others, ...edits]));
    // A merge that somebody changed by hand says nothing about the edit.
    return both === merged ? { ...draft, class: "merge-clean", truth: merged } : null;
  }
  const isConflict = edits.some((edit) =>
    others.some(
      (other) =>
        edit.count > 0 &&
        other.count > 0 &&
        gap(span(edit), span(other)) < 0 &&
        edit.lines.join("\n") !== other.lines.join("\n") &&
        !edit.lines.some((line) => other.lines.includes(line)),
    ),
  );
  return isConflict ? { ...draft, class: "conflict-merge", truth: first, expect: "refuse" } : null;
}

function slidGap(lines: readonly string[], one: Hunk, two: Hunk): number {
  const wide = (hunk: Hunk): [number, number] => {
    const [up, down] = slide(lines, hunk);
    return [hunk.start - up, hunk.start + hunk.count + down];
  };
  return gap(wide(one), wide(two));
}
