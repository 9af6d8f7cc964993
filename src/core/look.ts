/** Rule 2, last part: an agent that has looked at all that it changes speaks of the text now. */
import type { Edit } from "./edit.js";
import type { Region } from "./linemap.js";
import { LineSet } from "./ranges.js";
import type { View } from "./view.js";

/** Anchors of one edit, found in one text the agent was shown. */
export interface Located {
  readonly base: number;
  /** For each anchor, in the order given, its line in the base. */
  readonly lines: readonly number[];
  /** Changes of others, in lines of the text now, that the agent has looked at since it was shown these anchors. */
  readonly lookedAt?: readonly Region[];
}

/**
 * Others changed something where the edit is to go. If a read or a search has printed, since these anchors were shown, all
 * that they left there, the text now is what the agent speaks of.
 */
export function withLook(edit: Edit, located: Located, view: View): Located {
  const { history } = view;
  const { base, lines } = located;
  if (base === history.last || view.showings.every(({ isLook, state }) => !isLook || state <= base))
    return located;
  const toNow = history.follow(base);
  const now = toNow ? lines.map((line) => toNow.index(line)) : [];
  if (!toNow || now.length === 0 || now.some((line) => line < 0)) return located;
  const spans = spansOf(edit, lines);
  const foreign = toNow.regions.filter(({ own }) => !own);
  const inside = foreign.filter((one) => spans.some(([start, end]) => one.aStart < end && one.aEnd > start));
  const beside = foreign.filter(
    (one) => !inside.includes(one) && spans.some(([start, end]) => one.aStart <= end && one.aEnd >= start),
  );
  if (inside.length + beside.length === 0) return located;
  const looked = lookedAt(base, view);
  const isSeen = ({ bStart, bEnd }: Region): boolean =>
    looked.containsSpan(bStart, bEnd) && view.isUntold?.(bStart, bEnd) === false;
  const own = LineSet.of(
    toNow.regions.filter((one) => one.own && one.bStart < one.bEnd).map(({ bStart, bEnd }) => [bStart, bEnd]),
  );
  const known = looked.union(own);
  const isReread = (): boolean => spansOf(edit, now).every(([start, end]) => known.containsSpan(start, end));
  if (!inside.every(isSeen) || !(beside.every(isSeen) || isReread())) return located;
  return { base: history.last, lines: now, lookedAt: inside };
}

/** Lines [start, end) that an edit names by its anchors, which stand in these lines. */
function spansOf(edit: Edit, lines: readonly number[]): [number, number][] {
  const [first = 0, second = first, third] = lines;
  const hasRange = "start" in edit;
  const named: [number, number][] = hasRange
    ? [[Math.min(first, second), Math.max(first, second) + 1]]
    : [[first, first + 1]];
  return third === undefined ? named : [...named, [third, third + 1]];
}

/** Lines of the text now that a read or a search has printed as they are, since a state. */
function lookedAt(base: number, { history, showings }: View): LineSet {
  return showings.reduce((set, { isLook, state, rows }) => {
    const map = isLook && state > base ? history.follow(state) : null;
    return map ? set.union(map.carry(rows)) : set;
  }, LineSet.empty);
}
