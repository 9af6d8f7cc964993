/** Rule 2, last part: an agent that has looked at all that it changes speaks of the text now. */
import type { SchemeName } from "../anchors/index.js";
import { compareLines, History, type Region } from "../changes/index.js";
import { type Document, type Hunk, LineSet } from "../text/index.js";
import type { ParsedEdit, Ref } from "./edit.js";

/** Anchors of one edit, found in one text the agent was shown. */
export interface Located {
  readonly base: number;
  /** For each anchor, in the order given, its line in the base. */
  readonly lines: readonly number[];
  /** Changes of others, in lines of the text now, that the agent has looked at since it was shown these anchors. */
  readonly lookedAt?: readonly Region[];
}

/**
 * Others changed something where the edit is to go. If a read or a search has told, since these anchors were shown, of all lines
 * that the edit names, the text now is what the agent speaks of.
 */
export function withLook(edit: ParsedEdit, located: Located, view: View): Located {
  const { history } = view;
  const { base, lines } = located;
  if (base === history.last || view.showings.every(({ looked, state }) => !looked || state <= base))
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
    looked.hasSpan(bStart, bEnd) && view.isUntold?.(bStart, bEnd) === false;
  const own = LineSet.of(
    toNow.regions.filter((one) => one.own && one.bStart < one.bEnd).map(({ bStart, bEnd }) => [bStart, bEnd]),
  );
  const known = looked.union(own);
  const isReread = (): boolean => spansOf(edit, now).every(([start, end]) => known.hasSpan(start, end));
  // A search prints lines by themselves. Lines of others inside a range are known to be there where all of it was printed.
  const isBesideOnly = inside.length === 0 && beside.every(isSeen);
  if (!inside.every(isSeen) || !(isBesideOnly || isReread())) return located;
  return { base: history.last, lines: now, lookedAt: inside };
}

/** Lines [start, end) that an edit names by its anchors, which stand in these lines. */
function spansOf(edit: ParsedEdit, lines: readonly number[]): [number, number][] {
  const [first = 0, second = first, third] = lines;
  const hasRange = "start" in edit;
  const named: [number, number][] = hasRange
    ? [[Math.min(first, second), Math.max(first, second) + 1]]
    : [[first, first + 1]];
  return third === undefined ? named : [...named, [third, third + 1]];
}

/** Lines of the text now of which a read or a search has told since a state. */
function lookedAt(base: number, { history, showings }: View): LineSet {
  return showings.reduce((set, { looked, state }) => {
    const map = looked && state > base ? history.follow(state) : null;
    return looked && map ? set.union(map.carry(looked)) : set;
  }, LineSet.empty);
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Edits of a call, located: usually one, several where quotes share a line. All numbers are lines of the base as believed. */
export interface LocatedEdit {
  readonly edits: readonly ParsedEdit[];
  readonly base: number;
  readonly refs: readonly { readonly ref: Ref; readonly line: number }[];
  /** Lines it names, for the gate and for overlap. */
  readonly spans: readonly Span[];
  readonly gap: number | null;
  /** The line whose terminator inserted text takes. */
  readonly beside: number | null;
  /** Lines it changes, with their new text. */
  readonly hunks: readonly Hunk<string>[];
  /** An unchanged line has to stand between it and what others changed: it carries lines, whose surroundings count. */
  readonly apart?: boolean;
  /** Changes of others, in lines of the text now, that lie in what it names and that the agent has looked at. */
  readonly lookedAt?: readonly Region[] | undefined;
}

/** Edits by the text they were made for. A call may hold hundreds: what is done for each of them is done in loops. */
export function byBase(named: readonly LocatedEdit[]): Map<number, LocatedEdit[]> {
  const groups = new Map<number, LocatedEdit[]>();
  for (const one of named) {
    const group = groups.get(one.base);
    if (group) group.push(one);
    else groups.set(one.base, [one]);
  }
  return groups;
}

/** Rule 3: what lines `[start, end)` of a text become; those certainly retyped unchanged are not touched. */
export function ourHunks(document: Document, { start, end }: Span, after: readonly string[]): Hunk<string>[] {
  const [line] = after;
  if (end - start !== 1 || after.length !== 1 || line === undefined)
    return ourChange(document.lines(start, end), after, start);
  return document.hasText(start, line) ? [] : [{ start, end, lines: after }];
}

export function ourChange(
  before: readonly string[],
  after: readonly string[],
  start: number,
): Hunk<string>[] {
  if (before.length === 1 && after.length === 1)
    return before[0] === after[0] ? [] : [{ start, end: start + 1, lines: after }];
  return compareLines(before, after).regions.map((region) => ({
    start: start + region.aStart,
    end: start + region.aEnd,
    lines: after.slice(region.bStart, region.bEnd),
  }));
}

/** Rows printed to an agent, at one moment, of one state of the file. Retired rows are left out. */
export interface Showing {
  readonly state: number;
  readonly rows: LineSet;
  /** null: printed without anchors. Rows like these name nothing. */
  readonly scheme: SchemeName | null;
  /**
   * Lines of the state that it tells of, where it is a read or a search which the agent can have seen before it wrote the
   * call that is judged.
   */
  readonly looked?: LineSet | null;
  /** Hashes that were printed, by line index, where they are few: an anchor is checked without the text then. */
  readonly hashes?: Readonly<Record<number, string>>;
}

/** All that resolution may know of what one agent has seen of one file. */
export interface View {
  readonly history: History;
  /** Oldest first. */
  readonly showings: readonly Showing[];
  /** The newest state any of which was shown, with anchors or without. */
  readonly newest?: number;
  /** Whether the row (0-based) may have been printed with this too, too long ago to be told apart: then it is refused. */
  readonly forgotten?: (index: number, hash: string, scheme: SchemeName) => boolean;
  /**
   * Whether others changed something in lines [start, end) of the text now, or between their neighbours, and the agent
   * was not told. Without it nothing was told.
   */
  readonly isUntold?: (start: number, end: number) => boolean;
  /** The choice that a retry handle stands for: of these anchors only the rows of this showing count. */
  readonly choice?: { readonly showing: number; readonly anchors: ReadonlySet<string> };
  /** Anchors that a retry handle decided, by `anchorKey`: each means this line of that state (-1: it is not kept). */
  readonly meant?: { readonly state: number; readonly lines: ReadonlyMap<string, number> };
  /** The lines of a state that the agent has seen, in whatever showing, or written. */
  known(state: number): LineSet;
  /** Lines of the file now that the agent knows from something else than a refusal; left out: all. */
  readonly read?: LineSet;
  /**
   * Without a full gate, an anchor that was never printed names the line that carries it now: at its number or, alone of
   * the whole file, at most this many lines away.
   */
  readonly within?: number;
  /** Nothing is recorded of what was shown, so nothing can be said of lines that no anchor names. */
  readonly isUnrecorded?: boolean;
}

/** How far from its number a line may have moved that only its hash tells, unless the caller says otherwise. */
export const recoveryWindow = 8;

/** The view of a caller of whom nothing is recorded: its history is the file now, and it is taken to know all of it. */
export function unrecordedView(now: Document, within: number): View {
  const all = LineSet.all(now.lineCount);
  return { history: History.of(now), showings: [], known: () => all, within, isUnrecorded: true };
}

/** The state that quoted text is searched in. */
export function newestShown(view: View): number | undefined {
  return view.newest ?? view.showings.at(-1)?.state;
}
