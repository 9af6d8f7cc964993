import { forgotten } from "./conflict.js";
import type { Edit, Ref } from "./edit.js";
import { anchorOf, type Problem, problem } from "./problem.js";
import { LineSet } from "./ranges.js";
import { type SchemeName, scheme } from "./scheme.js";
import type { View } from "./view.js";
import { whereabouts } from "./whereabouts.js";

/** A printed row: a line of a state, named by an anchor. */
export interface Row {
  readonly state: number;
  readonly index: number;
  /** Which showings printed it. */
  readonly showings: readonly number[];
}

/** Anchors of one edit, found in one text the agent was shown. */
export interface Located {
  readonly base: number;
  /** For each anchor, in the order given, its line in the base. */
  readonly lines: readonly number[];
  /** What the agent should know of how an anchor was understood. */
  readonly doubts?: readonly string[];
}

/** Rules 1 and 2: which lines the anchors of an edit mean, and in which text; or all that is wrong with them. */
export function locate(edit: Edit, refs: readonly Ref[], view: View): Located | Problem[] {
  const candidates: Row[][] = [];
  const problems: Problem[] = [];
  for (const [at, ref] of refs.entries()) {
    // A single line is a range whose ends are one anchor.
    const same = refs.findIndex(({ given }) => given === ref.given);
    const rows = same < at ? (candidates[same] as Row[]) : printedRows(ref, view);
    candidates.push(Array.isArray(rows) ? rows : []);
    if (!Array.isArray(rows)) problems.push({ ...rows, edits: [edit.index] });
  }
  // What else could be ambiguous, these may decide once they are right.
  if (problems.length > 0) return problems.map((one) => withWhereabouts(one, refs, view));
  const decided = decide(candidates, view);
  const open = badOnes(refs, (at) => isOpen(decided[at] as Row[], view));
  // Where a row of a text that is not kept stands now nobody knows, only that it was shown.
  if (open.some((at) => (decided[at] as Row[]).some(({ state }) => !view.history.follow(state))))
    return [forgotten(edit, refs, view.history.now)];
  if (open.length > 0) return open.map((at) => ambiguous(edit, refs[at] as Ref, decided[at] as Row[], view));
  const located = base(edit, refs, decided, view);
  const doubts = decided === candidates ? [] : shownElsewhere(refs, candidates, decided, view);
  return doubts.length === 0 || !("base" in located) ? located : { ...located, doubts };
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

/** Rule 1: an anchor means only rows that were printed with it; an echoed content is a second witness. */
function printedRows(ref: Ref, view: View): Row[] | Problem {
  const { line, hash, scheme: name, content } = ref.anchor;
  const index = line - 1;
  const found: Row[] = [];
  const others: ShownRow[] = [];
  let forgotten = view.forgotten?.(index, hash) ?? false;
  for (const [at, { state, rows, scheme: used, hashes }] of view.showings.entries()) {
    if (used === null || !rows.has(index)) continue;
    const shown = hashes?.[index] ?? view.history.hash(state, index, used);
    if (shown === null) forgotten = true;
    else if (used !== name || shown !== hash)
      others.push({ state, index, showings: [at], scheme: used, hash: shown });
    else if (content !== undefined && (view.history.document(state)?.text(index) ?? content) !== content)
      others.push({ state, index, showings: [at], scheme: used, hash: shown });
    else {
      const same = found.findIndex((row) => row.state === state);
      const before = found[same];
      if (before) found[same] = { ...before, showings: [...before.showings, at] };
      else found.push({ state, index, showings: [at] });
    }
  }
  if (found.length > 0 && !forgotten) return found;
  const { now, last } = view.history;
  if (
    view.open &&
    others.length === 0 &&
    index < now.lineCount &&
    view.history.hash(last, index, name) === hash
  )
    if (content === undefined || now.text(index) === content) return [{ state: last, index, showings: [] }];
  return noRow(ref, others, forgotten, view);
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
    const document = view.history.document(last.state);
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
          shown: document?.text(last.index) ?? null,
          now: now < 0 ? null : view.history.now.text(now),
        },
      ],
      rows: now < 0 ? LineSet.empty : LineSet.of([[now, now + 1]]),
    });
  }
  if (forgotten)
    return problem("stale", [], `the version in which ${ref.given} was shown is no longer kept`, {
      mismatches: [blank(ref, "forgotten")],
    });
  if (view.open) return unseen(ref, view);
  const { lineCount } = view.history.now;
  const exists = line <= lineCount;
  const rows = exists ? LineSet.of([[line - 1, line]]) : LineSet.empty;
  const many = `has ${lineCount} ${lineCount === 1 ? "line" : "lines"}`;
  const end = exists ? "" : `; the file ${lineCount === 0 ? "is empty: use append" : many}`;
  const found = blank(ref, "never_shown");
  return problem("not_shown", [], `line ${line} (${ref.given}) was never shown${end}`, {
    mismatches: [exists ? found : { ...found, line: null }],
    rows,
    missing: rows,
  });
}

/** No gate asks for a showing, so the line itself has to carry the hash, and does not. */
function unseen(ref: Ref, view: View): Problem {
  const { now } = view.history;
  const index = ref.anchor.line - 1;
  const there = index < now.lineCount;
  const rows = there ? LineSet.of([[index, index + 1]]) : LineSet.empty;
  const actual = there ? anchorOf(now, index, ref.anchor.scheme) : null;
  const what = actual ? `line ${index + 1} is ${actual} now` : `there is no line ${index + 1} now`;
  return problem(there ? "stale" : "deleted", [], `${ref.given} does not fit: ${what}`, {
    mismatches: [
      {
        ...blank(ref, "never_shown"),
        line: there ? index + 1 : null,
        cause: there ? "changed" : "deleted",
        actual,
        shown: ref.anchor.content ?? null,
        now: there ? now.text(index) : null,
      },
    ],
    rows,
    changed: rows,
  });
}

function blank(ref: Ref, cause: "forgotten" | "never_shown") {
  const line = ref.anchor.line;
  return { anchor: ref.given, line, expected: ref.given, actual: null, cause, shown: null, now: null };
}

/** Where rows stand now; rows that are gone are one place only if they were the same line. */
function places(rows: readonly Row[], view: View): Row[][] {
  const groups: { now: number; rows: Row[] }[] = [];
  for (const row of rows) {
    const now = view.history.follow(row.state)?.index(row.index) ?? -1;
    const group = groups.find(
      (one) => one.now === now && (now >= 0 || one.rows.some((other) => sameLine(other, row, view))),
    );
    if (group) group.rows.push(row);
    else groups.push({ now, rows: [row] });
  }
  return groups.map((group) => group.rows);
}

/** Several rows carry the anchor, and they do not stand in one place. */
function isOpen(rows: readonly Row[], view: View): boolean {
  return rows.length > 1 && places(rows, view).length > 1;
}

function sameLine(one: Row, two: Row, view: View): boolean {
  const [older, newer] = one.state <= two.state ? [one, two] : [two, one];
  return view.history.follow(older.state, newer.state)?.index(older.index) === newer.index;
}

/**
 * Where an anchor could mean several places, the edit's other anchors decide if only one was printed together with
 * them: by one showing. Rows of one version that were printed at different times were not meant together; where they
 * would say otherwise, and are newer, nothing is decided.
 */
function decide(candidates: Row[][], view: View): Row[][] {
  if (candidates.length < 2 || !candidates.some((rows) => isOpen(rows, view))) return candidates;
  const together = candidates.map((rows) =>
    rows.filter((row) =>
      candidates.every((others) =>
        others.some((other) => other.showings.some((at) => row.showings.includes(at))),
      ),
    ),
  );
  const isDecided = together.every((rows) => rows.length > 0) && !isContested(candidates, together, view);
  return isDecided ? together : candidates;
}

/** An agent that took a row of its last answer together with an older one meant another line than was decided. */
function shownElsewhere(
  refs: readonly Ref[],
  candidates: readonly Row[][],
  decided: readonly Row[][],
  view: View,
): string[] {
  const now = (row: Row): number => view.history.follow(row.state)?.index(row.index) ?? -1;
  return badOnes(refs, (at) => isOpen(candidates[at] as Row[], view)).flatMap((at) => {
    const [taken] = decided[at] as [Row];
    const newest = Math.max(...(decided[at] as Row[]).flatMap(({ showings }) => showings));
    const other = (candidates[at] as Row[]).findLast(
      (row) => now(row) >= 0 && now(row) !== now(taken) && row.showings.some((one) => one > newest),
    );
    const { given } = refs[at] as Ref;
    const beside = refs.find((ref) => ref.given !== given)?.given;
    if (!other || now(taken) < 0) return [];
    return [
      `${given} was shown last for line ${now(other) + 1}, but together with ${beside} for line ${now(taken) + 1}: that one was taken; undo if it was not meant`,
    ];
  });
}

/** A newer text has all anchors too, printed at different times, and there they are in other places. */
function isContested(candidates: readonly Row[][], together: readonly Row[][], view: View): boolean {
  const newest = Math.max(...together.flat().map(({ state }) => state));
  const newer = (candidates[0] as Row[]).filter(({ state }) => state > newest);
  return newer.some(({ state }) => {
    const there = candidates.map((rows) => rows.filter((row) => row.state === state));
    if (there.some((rows) => rows.length === 0)) return false;
    return there.some((rows, at) => isOpen([...rows, ...(together[at] as Row[])], view));
  });
}

function ambiguous(edit: Edit, ref: Ref, rows: readonly Row[], view: View): Problem {
  const { history } = view;
  const found = places(rows, view).map(([row]) => row as Row);
  const mismatches = found.map((row) => {
    const now = history.follow(row.state)?.index(row.index) ?? -1;
    return {
      anchor: ref.given,
      line: now < 0 ? null : now + 1,
      expected: ref.given,
      actual: now < 0 ? null : anchorOf(history.now, now, ref.anchor.scheme),
      cause: now < 0 ? ("deleted" as const) : ("ambiguous" as const),
      shown: history.document(row.state)?.text(row.index) ?? null,
      now: now < 0 ? null : history.now.text(now),
    };
  });
  const lines = mismatches.flatMap(({ line }) => (line === null ? [] : [[line - 1, line] as const]));
  const where = mismatches
    .map(({ line }) => (line === null ? "a line that is gone" : `line ${line}`))
    .join(" or ");
  return problem("ambiguous", [edit.index], `${ref.given} was shown for different lines: now ${where}`, {
    mismatches,
    rows: LineSet.of(lines),
  });
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
  edit: Edit,
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

function changedBefore(edit: Edit, ref: Ref, row: Row, view: View): Problem {
  const shown = view.history.document(row.state)?.text(row.index) ?? null;
  return problem("stale", [edit.index], `${ref.given} changed before the edit's other anchor was shown`, {
    mismatches: [{ ...blank(ref, "never_shown"), line: null, cause: "changed", shown }],
  });
}
