/**
 * Where an edit goes. An edit is a change to the text the agent saw, and is carried from there to the file now:
 *
 * 1. Which line: an anchor means only rows printed with it; all of them must arrive at one line (locate-anchor.ts).
 * 2. Base: the newest text in which all anchors of the edit were printed (locate-anchor.ts), or the text now, if the agent
 *    has looked since at all that others changed there (located-edit.ts). The agent's own work since then is in its picture
 *    of the file, and never in its way (`BelievedText`, history.ts).
 * 3. Ours: the named ranges and gaps; lines certainly retyped unchanged are not touched (`ourHunks`, located-edit.ts).
 * 4. Theirs: what changed from base to now (history.ts, compare.ts).
 * 5. Meeting: both are kept where an unchanged line stands between, and where others only changed what is beside the
 *    named lines; the same text on both sides is already there; anything else is a conflict, and nothing is written
 *    (meeting.ts, touching.ts).
 * 6. Repeats are noticed by the call: it knows what was committed and refused before (src/calls).
 *
 * Nothing is matched fuzzily, and no text of the caller's is altered here. A retry handle may take the file's blanks
 * (blank-match.ts).
 */

import {
  badOnes,
  byBase,
  forgotten,
  type Located,
  type LocatedEdit,
  locate,
  locateText,
  ourHunks,
  ownChange,
  type ParsedEdit,
  type Problem,
  problem,
  type Ref,
  type Span,
  type View,
} from "../edits/index.js";
import type { Hunk } from "../text/index.js";
import { type Met, meet } from "./meeting.js";

export interface Resolution extends Met {
  readonly named: readonly LocatedEdit[];
}

export type Gate = (named: LocatedEdit, view: View) => Problem | null;

export function resolve(edits: readonly ParsedEdit[], view: View, gate: Gate = () => null): Resolution {
  const problems: Problem[] = [];
  const named: LocatedEdit[] = [];
  for (const found of nameAll(edits, view)) {
    if ("code" in found) problems.push(found);
    else named.push(found);
  }
  const resolved = resolveNamed(named, view, gate);
  return { ...resolved, problems: [...problems, ...resolved.problems] };
}

/** Rules 4 and 5 for edits whose lines are known already; an undo begins here. */
export function resolveNamed(named: readonly LocatedEdit[], view: View, gate: Gate = () => null): Resolution {
  const problems: Problem[] = [];
  for (const one of named) {
    const blocked = gate(one, view);
    if (blocked) problems.push(blocked);
  }
  problems.push(...overlaps(named, view));
  const met = meet(named, view);
  return {
    named,
    pieces: met.pieces,
    alreadyThere: met.alreadyThere,
    problems: [...problems, ...met.problems],
  };
}

function nameAll(edits: readonly ParsedEdit[], view: View): (LocatedEdit | Problem)[] {
  const quotes = edits.filter((edit) => edit.op === "replace_text");
  const others = edits.filter((edit) => edit.op !== "replace_text");
  return [...others.flatMap((edit) => name(edit, view)), ...locateText(quotes, view)];
}

/** Rules 1 to 3 for one edit. */
function name(
  edit: Exclude<ParsedEdit, { op: "replace_text" }>,
  view: View,
): LocatedEdit | Problem | Problem[] {
  const { history } = view;
  if (edit.op === "append" || edit.op === "prepend") {
    const gap = edit.op === "append" ? history.now.lineCount : 0;
    return {
      edits: [edit],
      base: history.last,
      refs: [],
      spans: [],
      gap,
      beside: null,
      hunks: [insertion(gap, edit.text)],
    };
  }
  const refs = anchorsOf(edit);
  const located = locate(edit, refs, view);
  if (!("base" in located)) return located;
  const believed = history.believed(located.base);
  if (!believed) return forgotten(edit, refs, history.now);
  const lines = located.lines.map((line) => believed.fromShown.index(line));
  const changed = badOnes(refs, (at) => (lines[at] as number) < 0);
  if (changed.length > 0) {
    const again = sentBefore(edit, located, view);
    if (again) return again;
    const { base, lines: shown } = located;
    return changed.map((at) => ownChange(edit, refs[at] as Ref, { base, line: shown[at] as number }, view));
  }
  // One literal: a call may hold hundreds of edits, and spreading an object costs more than locating a line.
  const made = (
    spans: readonly Span[],
    gap: number | null,
    beside: number | null,
    hunks: readonly Hunk<string>[],
  ): LocatedEdit => ({
    edits: [edit],
    base: located.base,
    refs: refs.map((ref, at) => ({ ref, line: lines[at] as number })),
    spans,
    gap,
    beside,
    hunks,
    lookedAt: located.lookedAt,
  });
  if (edit.op === "insert_after" || edit.op === "insert_before") {
    const beside = lines[0] as number;
    const gap = edit.op === "insert_after" ? beside + 1 : beside;
    return made([], gap, beside, [insertion(gap, edit.text)]);
  }
  const span = spanOf(edit, lines);
  if ("code" in span) return span;
  const { document } = believed;
  if (edit.op === "move_lines" || edit.op === "copy_lines") {
    const beside = lines[2] as number;
    const before = document.lines(span.start, span.end);
    return {
      ...made([span], beside + 1, beside, carriedHunks(edit.op, span, beside + 1, before)),
      apart: true,
    };
  }
  return made([span], null, null, ourHunks(document, span, edit.text));
}

/** Recognises an edit the agent made before, in other words, and whose text is in the file: the same on both sides. */
function sentBefore(edit: ParsedEdit, { base, lines }: Located, { history }: View): LocatedEdit | null {
  const [start = 0, end = 0] = lines;
  if (!("text" in edit) || !("start" in edit) || start > end) return null;
  const span = history.became(base, start, end + 1);
  const { text } = edit;
  if (!span || span.end - span.start !== text.length) return null;
  if (!text.every((line, at) => history.now.hasText(span.start + at, line))) return null;
  const spans = text.length > 0 ? [span] : [];
  return { edits: [edit], base: history.last, refs: [], spans, gap: null, beside: null, hunks: [] };
}

function anchorsOf(edit: Exclude<ParsedEdit, { op: "replace_text" | "append" | "prepend" }>): Ref[] {
  if ("anchor" in edit) return [edit.anchor];
  return "after" in edit ? [edit.start, edit.end, edit.after] : [edit.start, edit.end];
}

function spanOf(edit: ParsedEdit, lines: readonly number[]): Span | Problem {
  const [start, end] = lines as [number, number];
  if (start <= end) return { start, end: end + 1 };
  const range = `${end + 1}-${start + 1}`;
  return problem("bad_request", [edit.index], `start is after end: the range ${range} is named backwards`);
}

function insertion(gap: number, lines: readonly string[]): Hunk<string> {
  return { start: gap, end: gap, lines };
}

/** Hunks of a move or a copy of these lines. */
export function carriedHunks(
  op: "move_lines" | "copy_lines",
  span: Span,
  gap: number,
  lines: readonly string[],
): Hunk<string>[] {
  if (op === "copy_lines") return [insertion(gap, lines)];
  if (gap >= span.start && gap <= span.end) return [];
  const removal = { ...span, lines: [] };
  return gap < span.start ? [insertion(gap, lines), removal] : [removal, insertion(gap, lines)];
}

interface Mark extends Span {
  readonly named: LocatedEdit;
}

/**
 * Two edits of one call must not name the same line, nor one insert strictly inside the other's range. Edits of one
 * base are judged there; edits of different bases by the lines they name that still stand in the file now.
 */
function overlaps(named: readonly LocatedEdit[], view: View): Problem[] {
  const groups = byBase(named);
  const problems: Problem[] = [];
  for (const group of groups.values()) {
    const marks: Mark[] = [];
    for (const one of group) addMarks(one, one.spans, one.gap, marks);
    for (const [one, two] of clashes(marks)) problems.push(overlap(one, two));
  }
  if (groups.size < 2) return problems;
  const marks: Mark[] = [];
  for (const one of named) addMarksNow(one, view, marks);
  for (const [one, two] of clashes(marks)) if (one.base !== two.base) problems.push(overlap(one, two));
  return problems;
}

function addMarks(named: LocatedEdit, spans: readonly Span[], gap: number | null, marks: Mark[]): void {
  for (const { start, end } of spans) marks.push({ named, start, end });
  if (gap !== null) marks.push({ named, start: gap, end: gap });
}

function addMarksNow(named: LocatedEdit, view: View, marks: Mark[]): void {
  const theirs = view.history.believed(named.base)?.toNow;
  if (!theirs) return;
  const spans = named.spans.flatMap(({ start, end }) => {
    let [first, last] = [start, end - 1];
    while (first <= last && theirs.index(first) < 0) first++;
    while (last > first && theirs.index(last) < 0) last--;
    return first <= last ? [{ start: theirs.index(first), end: theirs.index(last) + 1 }] : [];
  });
  let { gap } = named;
  if (gap !== null && named.beside !== null) {
    const beside = theirs.index(named.beside);
    gap = beside < 0 ? null : beside + (gap - named.beside);
  }
  addMarks(named, spans, gap, marks);
}

function clashes(marks: Mark[]): [LocatedEdit, LocatedEdit][] {
  marks.sort((one, two) => one.start - two.start || two.end - one.end);
  const found: [LocatedEdit, LocatedEdit][] = [];
  let reaching: Mark[] = [];
  for (const mark of marks) {
    reaching = reaching.filter(({ end }) => end > mark.start);
    // One clash for each mark: a thousand edits of one line are no million problems.
    const other = reaching.find((one) =>
      mark.end > mark.start ? one.named !== mark.named : one.start < mark.start,
    );
    if (other) found.push([other.named, mark.named]);
    if (mark.end > mark.start) reaching.push(mark);
  }
  return found;
}

function overlap(one: LocatedEdit, two: LocatedEdit): Problem {
  const describe = ({ edits: [edit], refs }: LocatedEdit) =>
    `edits[${edit?.index}] ${edit?.op}${[...new Set(refs.map(({ ref }) => ` ${ref.given}`))].join("")}`;
  const indexes = [...one.edits, ...(one === two ? [] : two.edits)].map((edit) => edit.index);
  const message =
    one === two
      ? `${describe(one)} has its destination inside its own range`
      : `${describe(one)} and ${describe(two)} name the same lines`;
  return problem("overlap", indexes, message);
}
