/** Rule 1: which line of the file now an anchor means, of all rows that were printed with it. */
import { type SchemeName, scheme } from "../anchors/index.js";
import { LineSet } from "../text/index.js";
import { forgotten, gapRows } from "./conflict.js";
import type { ParsedEdit, Ref } from "./edit.js";
import { type Located, type View, withLook } from "./located-edit.js";
import { aboutLine, anchorOf, type Problem, problem, whereabouts } from "./problem.js";
import { carryingLines, isCarried } from "./unprinted-anchor.js";

/** A printed row: a line of a state, named by an anchor. */
interface Row {
  readonly state: number;
  readonly index: number;
  /** Which showings printed it. */
  readonly showings: readonly number[];
}

/** Tells anchors of a call apart, however they are spelt. */
function anchorKey({ anchor: { line, hash, scheme, content } }: Ref): string {
  return `${scheme} ${line} ${hash} ${content ?? ""}`;
}

/**
 * The rows that count. All must stand in one living line, or be one line that is gone: nothing decides between two. A
 * line that is gone counts while the agent was not told of its loss. "forgotten": some rows cannot be followed.
 */
function livingRows(ref: Ref, rows: readonly Row[], view: View): Row[] | Problem | "forgotten" {
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
  if (isLost && living.size + gone.length > 1 && !isOneGoneLine(gone, living.size, view)) return "forgotten";
  const untold = gone.filter((row) => !isTold(row, view));
  if (living.size === 0) {
    const counting = untold.length > 0 ? untold : gone;
    return isOneGoneLine(counting, 0, view) ? counting : allGone(ref, counting, view);
  }
  const [only] = living.values();
  return living.size === 1 && only && untold.length === 0 ? only : ambiguous(ref, living, untold, view);
}

function isOneGoneLine([first, ...others]: readonly Row[], living: number, { history }: View): boolean {
  if (living > 0 || !first) return false;
  return others.every((row) => {
    const [older, newer] = first.state <= row.state ? [first, row] : [row, first];
    return history.follow(older.state, newer.state)?.index(older.index) === newer.index;
  });
}

/** The agent took the line out itself, or was shown what stands there instead. */
function isTold(row: Row, view: View): boolean {
  if (view.history.hasRemoved(row.state, row.index)) return true;
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
    const there = bStart < bEnd ? LineSet.of([[bStart, bEnd]]) : gapRows(fate.region, view.history.now);
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
  const says = aboutLine(ref, (name) => `${name} was shown for ${where}: which one is meant cannot be told`);
  return problem("ambiguous", [], says, {
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
function allGone(ref: Ref, gone: readonly Row[], view: View): Problem {
  const mismatches = gone.map(({ state, index }) => ({
    ...withoutLine(ref.given),
    cause: "deleted" as const,
    shown: view.history.text(state, index),
  }));
  const says = aboutLine(
    ref,
    (name) => `${name} was shown for ${gone.length} lines, and all of them are gone`,
  );
  return problem("deleted", [], says, {
    mismatches,
    rows: lossRows(gone, view),
  });
}

/** Rules 1 and 2: which lines the anchors of an edit mean, and in which text; or all that is wrong with them. */
export function locate(edit: ParsedEdit, refs: readonly Ref[], view: View): Located | Problem[] {
  const candidates: Row[][] = [];
  const problems: Problem[] = [];
  const unprinted: number[] = [];
  for (const [at, ref] of refs.entries()) {
    // A single line is a range whose ends are one anchor.
    const same = refs.findIndex(({ given }) => given === ref.given);
    if (same < at) {
      candidates.push(candidates[same] as Row[]);
      continue;
    }
    const printed = printedRows(ref, view);
    if (printed === "unprinted") {
      unprinted.push(at);
      candidates.push([]);
      continue;
    }
    const rows = Array.isArray(printed) ? livingRows(ref, printed, view) : printed;
    candidates.push(Array.isArray(rows) ? rows : []);
    if (rows === "forgotten") return [forgotten(edit, refs, view.history.now)];
    if (!Array.isArray(rows)) problems.push({ ...rows, edits: [edit.index] });
  }
  if (unprinted.length > 0) problems.push(...addCarrying({ edit, refs, unprinted }, candidates, view));
  if (problems.length > 0) return problems.map((one) => withWhereabouts(one, refs, view));
  const located = base(edit, refs, candidates, view);
  return "base" in located ? withLook(edit, located, view) : located;
}

function withWhereabouts(found: Problem, refs: readonly Ref[], view: View): Problem {
  const isForgotten = found.mismatches.some(({ cause }) => cause === "forgotten");
  return isForgotten ? { ...found, reread: whereabouts(refs, view.history.now) } : found;
}

/** Which of the anchors are bad, each named once however often it is given. */
export function badOnes(refs: readonly Ref[], isBad: (at: number) => boolean): number[] {
  const bad: number[] = [];
  for (let at = 0; at < refs.length; at++)
    if (isBad(at) && !bad.some((other) => refs[other]?.given === refs[at]?.given)) bad.push(at);
  return bad;
}

interface Unprinted {
  readonly edit: ParsedEdit;
  readonly refs: readonly Ref[];
  /** Which of them no row was printed for. */
  readonly unprinted: readonly number[];
}

/** Adds the lines that carry such anchors now. The ends of a range have one offset, a destination has its own. */
function addCarrying(
  { edit, refs, unprinted }: Unprinted,
  candidates: readonly Row[][],
  { history, within = 0 }: View,
): Problem[] {
  const ends = "start" in edit ? 2 : 1;
  const isEnd = (at: number): boolean => at < ends;
  return [unprinted.filter(isEnd), unprinted.filter((at) => !isEnd(at))].flatMap((together) => {
    if (together.length === 0) return [];
    const given = together.map((at) => refs[at] as Ref);
    const lines = carryingLines(given, history.now, within);
    if (!Array.isArray(lines)) return [{ ...lines, edits: [edit.index] }];
    for (const [one, at] of together.entries())
      candidates[at]?.push({ state: history.last, index: lines[one] as number, showings: [] });
    return [];
  });
}

/** The rows that were printed with an anchor; an echoed content is a second witness. */
function printedRows(ref: Ref, view: View): Row[] | Problem | "unprinted" {
  const { line, hash, scheme: name, content } = ref.anchor;
  const decided = view.meant?.lines.get(anchorKey(ref));
  if (view.meant && decided !== undefined)
    return view.meant.state < 0
      ? noRow(ref, [], true, view)
      : [{ state: view.meant.state, index: decided, showings: [] }];
  const index = line - 1;
  const found: Row[] = [];
  const others: ShownRow[] = [];
  let forgotten = view.forgotten?.(index, hash, name) ?? false;
  const { choice } = view;
  const chosen = choice?.anchors.has(anchorKey(ref)) ? choice.showing : null;
  for (const [at, { state, rows, scheme: used, hashes }] of view.showings.entries()) {
    if (used === null || !rows.has(index) || (chosen !== null && at !== chosen)) continue;
    const shown = hashes?.[index] ?? view.history.hash(state, index, used);
    if (shown === null) forgotten = true;
    else if (used !== name || shown !== hash)
      others.push({ state, index, showings: [at], scheme: used, hash: shown });
    else if (content !== undefined && (view.history.text(state, index) ?? content) !== content)
      others.push({ state, index, showings: [at], scheme: used, hash: shown });
    else {
      const same = found.findIndex((row) => row.state === state);
      const before = found[same];
      if (before) found[same] = { ...before, showings: [...before.showings, at] };
      else found.push({ state, index, showings: [at] });
    }
  }
  if (found.length > 0 && (!forgotten || chosen !== null)) return found;
  if (view.within !== undefined && others.length === 0)
    if (!forgotten || isCarried(ref, view.history.now)) return "unprinted";
  return noRow(ref, others, forgotten, view);
}

interface PrintedAnchor {
  /** 0-based. */
  readonly line: number;
  readonly hash: string;
  readonly scheme: SchemeName;
}

/** The lines of the file now that an anchor may mean; -1: one that is gone, and the agent was not told. */
export function linesMeant({ line, hash, scheme: name }: PrintedAnchor, view: View): ReadonlySet<number> {
  const { history, showings } = view;
  const lines = new Set<number>();
  if (view.forgotten?.(line, hash, name)) lines.add(-1);
  for (const [at, { state, rows, scheme: used, hashes }] of showings.entries()) {
    if (used !== name || !rows.has(line)) continue;
    if ((hashes?.[line] ?? history.hash(state, line, name)) !== hash) continue;
    const now = history.follow(state)?.index(line) ?? -1;
    if (now >= 0 || !isTold({ state, index: line, showings: [at] }, view)) lines.add(now);
  }
  return lines;
}

/** A printed row, with the scheme of its anchor. */
interface ShownRow extends Row {
  readonly scheme: SchemeName;
  readonly hash: string;
}

function noRow(ref: Ref, others: readonly ShownRow[], forgotten: boolean, view: View): Problem {
  const { line, hash, scheme: name } = ref.anchor;
  const last = others.at(-1);
  if (last && !forgotten) {
    const now = view.history.follow(last.state)?.index(last.index) ?? -1;
    const used = last.hash;
    const tag = scheme(last.scheme).tag(line, used);
    const message =
      used === hash && last.scheme === name
        ? `${tag} was given with a text that is not that line's`
        : `${ref.given} does not fit: line ${line} was last shown as ${tag}`;
    return problem("wrong_hash", [], message, {
      mismatches: [
        {
          anchor: ref.given,
          line: now < 0 ? null : now + 1,
          expected: ref.given,
          actual: tag,
          cause: "miscopied",
          shown: view.history.text(last.state, last.index),
          now: now < 0 ? null : view.history.now.text(now),
        },
      ],
      rows: now < 0 ? LineSet.empty : LineSet.of([[now, now + 1]]),
    });
  }
  if (forgotten)
    return problem(
      "stale",
      [],
      aboutLine(ref, (name) => `the version in which ${name} was shown is no longer kept`),
      {
        mismatches: [unplaced(ref, "forgotten")],
      },
    );
  const { lineCount } = view.history.now;
  const exists = line <= lineCount;
  const rows = exists ? LineSet.of([[line - 1, line]]) : LineSet.empty;
  const many = `has ${lineCount} ${lineCount === 1 ? "line" : "lines"}`;
  const end = exists ? "" : `; the file ${lineCount === 0 ? "is empty: use append" : many}`;
  const found = unplaced(ref, "never_shown");
  return problem("not_shown", [], `line ${line} (${ref.given}) was never shown${end}`, {
    mismatches: [exists ? found : { ...found, line: null }],
    rows,
    missing: rows,
  });
}

function unplaced(ref: Ref, cause: "forgotten" | "never_shown") {
  const line = ref.anchor.line;
  return { anchor: ref.given, line, expected: ref.given, actual: null, cause, shown: null, now: null };
}

/** Printed of this text: in this state, or before, and it is the same text again with the line where it was. */
function isIn({ state, index }: Row, later: number, { history }: View): boolean {
  if (state >= later) return state === later;
  const { states } = history;
  const isSame = states[state]?.version === states[later]?.version;
  return isSame && history.follow(state, later)?.index(index) === index;
}

/** Rule 2: the newest text in which all anchors were printed, else the newest of theirs, the others carried to it. */
function base(
  edit: ParsedEdit,
  refs: readonly Ref[],
  candidates: readonly Row[][],
  view: View,
): Located | Problem[] {
  const [first] = candidates[0] as Row[];
  if (first && candidates.every((rows) => rows.length === 1 && rows[0]?.state === first.state))
    return { base: first.state, lines: candidates.map(([row]) => (row as Row).index) };
  const states = new Set(candidates.flat().map((row) => row.state));
  const newestFirst = [...states].sort((one, two) => two - one);
  const shared = newestFirst.find((state) =>
    candidates.every((rows) => rows.some((row) => isIn(row, state, view))),
  );
  const chosen = shared ?? (newestFirst[0] as number);
  const lines: number[] = [];
  for (const rows of candidates) {
    const row = rowOf(rows, chosen, view);
    const map = view.history.follow(row.state, chosen);
    if (!map) return [forgotten(edit, refs, view.history.now)];
    lines.push(map.index(row.index));
  }
  const lost = badOnes(refs, (at) => (lines[at] as number) < 0);
  if (lost.length === 0) return { base: chosen, lines };
  return lost.map((at) =>
    changedBefore(edit, refs[at] as Ref, rowOf(candidates[at] as Row[], chosen, view), view),
  );
}

function rowOf(rows: readonly Row[], chosen: number, view: View): Row {
  return rows.findLast((one) => isIn(one, chosen, view)) ?? (rows.at(-1) as Row);
}

function changedBefore(edit: ParsedEdit, ref: Ref, row: Row, view: View): Problem {
  const shown = view.history.text(row.state, row.index);
  return problem("stale", [edit.index], `${ref.given} changed before the edit's other anchor was shown`, {
    mismatches: [{ ...unplaced(ref, "never_shown"), line: null, cause: "changed", shown }],
  });
}
