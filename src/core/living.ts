/** Rule 1: which line of the file now an anchor means, of all rows that were printed with it. */
import { around } from "./conflict.js";
import type { Ref } from "./edit.js";
import { anchorOf, type Problem, problem } from "./problem.js";
import { LineSet } from "./ranges.js";
import type { View } from "./view.js";

/** A printed row: a line of a state, named by an anchor. */
export interface Row {
  readonly state: number;
  readonly index: number;
  /** Which showings printed it. */
  readonly showings: readonly number[];
}

/** Tells anchors of a call apart, however they are spelt. */
export function anchorKey({ anchor: { line, hash, scheme, content } }: Ref): string {
  return `${scheme} ${line} ${hash} ${content ?? ""}`;
}

/**
 * The rows that count. All must stand in one living line, or be one line that is gone: nothing decides between two. A
 * line that is gone counts while the agent was not told of its loss. "forgotten": some rows cannot be followed.
 */
export function livingRows(ref: Ref, rows: readonly Row[], view: View): Row[] | Problem | "forgotten" {
  const { history } = view;
  const living = new Map<number, Row[]>();
  const gone: Row[] = [];
  let isLost = false;
  for (const row of rows) {
    const map = history.follow(row.state);
    isLost ||= map === null;
    const now = map?.index(row.index) ?? -1;
    if (now >= 0) living.set(now, [...(living.get(now) ?? []), row]);
    else gone.push(row);
  }
  if (isLost && living.size + gone.length > 1 && !areOneLine(gone, living.size, view)) return "forgotten";
  const untold = gone.filter((row) => !isTold(row, view));
  if (living.size === 0) {
    const counting = untold.length > 0 ? untold : gone;
    return areOneLine(counting, 0, view) ? counting : allGone(ref, counting, view);
  }
  const [only] = living.values();
  return living.size === 1 && only && untold.length === 0 ? only : ambiguous(ref, living, untold, view);
}

function areOneLine([first, ...others]: readonly Row[], living: number, { history }: View): boolean {
  if (living > 0 || !first) return false;
  return others.every((row) => {
    const [older, newer] = first.state <= row.state ? [first, row] : [row, first];
    return history.follow(older.state, newer.state)?.index(older.index) === newer.index;
  });
}

/** The agent took the line out itself, or was shown what stands there instead. */
function isTold(row: Row, view: View): boolean {
  if (view.history.tookOut(row.state, row.index)) return true;
  const hull = hullOf(row, view);
  return hull !== null && view.isUntold !== undefined && !view.isUntold(hull.start, hull.end);
}

/** The lines of the file now that stand where a line was that is gone. */
function hullOf({ state, index }: Row, { history }: View): { start: number; end: number } | null {
  const fate = history.follow(state)?.mapLine(index);
  return fate?.kind === "deleted" ? { start: fate.region.bStart, end: fate.region.bEnd } : null;
}

/** The rows that show that lines are gone: those that stand there instead, else their neighbours. */
function lossRows(rows: readonly Row[], view: View): LineSet {
  return rows.reduce((set, row) => {
    const fate = view.history.follow(row.state)?.mapLine(row.index);
    if (fate?.kind !== "deleted") return set;
    const { bStart, bEnd } = fate.region;
    const there = bStart < bEnd ? LineSet.of([[bStart, bEnd]]) : around(fate.region, view.history.now);
    return set.union(there);
  }, LineSet.empty);
}

function ambiguous(
  ref: Ref,
  living: ReadonlyMap<number, readonly Row[]>,
  gone: readonly Row[],
  view: View,
): Problem {
  const { history } = view;
  const { given, anchor } = ref;
  const lines = [...living].sort(([one], [two]) => one - two);
  const mismatches = [
    ...lines.map(([line]) => {
      const text = history.now.text(line);
      const actual = anchorOf(history.now, line, anchor.scheme);
      return { ...withoutLine(given), line: line + 1, actual, shown: text, now: text };
    }),
    ...gone.map(({ state, index }) => ({
      ...withoutLine(given),
      shown: history.text(state, index),
    })),
  ];
  const numbers = lines.map(([line]) => line + 1);
  const where = [
    `${numbers.length === 1 ? "line" : "lines"} ${numbers.join(" and ")}`,
    ...(gone.length > 0 ? ["a line that others took out"] : []),
  ].join(" and ");
  return problem("ambiguous", [], `${given} was shown for ${where}: which one is meant cannot be told`, {
    mismatches,
    rows: LineSet.lines(lines.map(([line]) => line)).union(lossRows(gone, view)),
    open: {
      ...{ key: anchorKey(ref), given },
      scheme: anchor.scheme,
      lines: lines.map(([line, rows]) => ({ line, showings: rows.flatMap(({ showings }) => showings) })),
    },
  });
}

function withoutLine(given: string) {
  return {
    ...{ anchor: given, expected: given, cause: "ambiguous" as const },
    ...{ line: null, actual: null, shown: null, now: null },
  };
}

/** Several lines had the anchor, and none of them is left. */
function allGone({ given }: Ref, gone: readonly Row[], view: View): Problem {
  const mismatches = gone.map(({ state, index }) => ({
    ...withoutLine(given),
    cause: "deleted" as const,
    shown: view.history.text(state, index),
  }));
  return problem("deleted", [], `${given} was shown for ${gone.length} lines, and all of them are gone`, {
    mismatches,
    rows: lossRows(gone, view),
  });
}
