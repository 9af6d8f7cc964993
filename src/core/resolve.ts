/**
 * Where an edit goes. An edit is a change to the text the agent saw, and is carried from there to the file now:
 *
 * 1. Which line: an anchor means only rows printed with it; all of them must arrive at one line (locate.ts).
 * 2. Base: the newest text in which all anchors of the edit were printed (locate.ts).
 *    What the agent itself did since is in its picture of the file, and never in its way (history.ts, Believed).
 * 3. Ours: the named ranges and gaps; lines certainly retyped unchanged are not touched (`ours`).
 * 4. Theirs: what changed from base to now (history.ts, compare.ts).
 * 5. Meeting: both are kept where an unchanged line stands between; the same text on both sides is already there;
 *    anything else is a conflict, and nothing is written (`meet`).
 * 6. Repeats are the session's to notice: it knows what was committed and refused before.
 *
 * Nothing is matched fuzzily, and no text of the caller's is altered here. A retry handle may take the file's blanks (meant.ts).
 */
import type { Hunk } from "./change.js";
import { conflict, forgotten, ownChange, sourceConflict } from "./conflict.js";
import type { Document } from "./document.js";
import type { Edit, Ref } from "./edit.js";
import type { Believed } from "./history.js";
import type { LineMap, Region } from "./linemap.js";
import { badOnes, type Located, locate } from "./locate.js";
import { type Named, oursIn, type Span } from "./named.js";
import { type Problem, problem } from "./problem.js";
import { locateText } from "./quote.js";
import type { View } from "./view.js";

/** A piece of an accepted edit, in lines of the file now; `order` ranks pieces that meet at one point. */
export interface Piece extends Hunk<string> {
  readonly named: Named;
  readonly order: 0 | 1 | 2;
  readonly anchor?: number;
}

export interface Resolution {
  readonly named: readonly Named[];
  readonly pieces: readonly Piece[];
  /** Located edits that were found to be in the file already, wholly or with all they change. */
  readonly alreadyThere: readonly Named[];
  readonly problems: readonly Problem[];
}

export type Gate = (named: Named, view: View) => Problem | null;

export function resolve(edits: readonly Edit[], view: View, gate: Gate = () => null): Resolution {
  const problems: Problem[] = [];
  const named: Named[] = [];
  for (const found of nameAll(edits, view)) {
    if ("code" in found) problems.push(found);
    else named.push(found);
  }
  const resolved = resolveNamed(named, view, gate);
  return { ...resolved, problems: [...problems, ...resolved.problems] };
}

/** Rules 4 and 5 for edits whose lines are known already; an undo begins here. */
export function resolveNamed(named: readonly Named[], view: View, gate: Gate = () => null): Resolution {
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

function nameAll(edits: readonly Edit[], view: View): (Named | Problem)[] {
  const quotes = edits.filter((edit) => edit.op === "replace_text");
  const others = edits.filter((edit) => edit.op !== "replace_text");
  return [...others.flatMap((edit) => name(edit, view)), ...locateText(quotes, view)];
}

/** Rules 1 to 3 for one edit. */
function name(edit: Exclude<Edit, { op: "replace_text" }>, view: View): Named | Problem | Problem[] {
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
  const refs = refsOf(edit);
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
  ): Named => ({
    edits: [edit],
    base: located.base,
    refs: refs.map((ref, at) => ({ ref, line: lines[at] as number })),
    spans,
    gap,
    beside,
    hunks,
    doubts: located.doubts,
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
    return made([span], beside + 1, beside, carried(edit.op, span, beside + 1, before));
  }
  return made([span], null, null, oursIn(document, span, edit.text));
}

/** What the agent asked for before, in other words, and stands there: the same text on both sides. */
function sentBefore(edit: Edit, { base, lines }: Located, { history }: View): Named | null {
  const [start = 0, end = 0] = lines;
  if (!("text" in edit) || !("start" in edit) || start > end) return null;
  const span = history.became(base, start, end + 1);
  const { text } = edit;
  if (!span || span.end - span.start !== text.length) return null;
  if (!text.every((line, at) => history.now.reads(span.start + at, line))) return null;
  const spans = text.length > 0 ? [span] : [];
  return { edits: [edit], base: history.last, refs: [], spans, gap: null, beside: null, hunks: [] };
}

function refsOf(edit: Exclude<Edit, { op: "replace_text" | "append" | "prepend" }>): Ref[] {
  if ("anchor" in edit) return [edit.anchor];
  return "after" in edit ? [edit.start, edit.end, edit.after] : [edit.start, edit.end];
}

function spanOf(edit: Edit, lines: readonly number[]): Span | Problem {
  const [start, end] = lines as [number, number];
  if (start <= end) return { start, end: end + 1 };
  const range = `${end + 1}-${start + 1}`;
  return problem("bad_request", [edit.index], `start is after end: the range ${range} is named backwards`);
}

function insertion(gap: number, lines: readonly string[]): Hunk<string> {
  return { start: gap, end: gap, lines };
}

/** What a move or a copy of these lines does to the text. */
export function carried(
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
  readonly named: Named;
}

/**
 * Two edits of one call must not name the same line, nor one insert strictly inside the other's range. Edits of one
 * base are judged there; edits of different bases by the lines they name that still stand in the file now.
 */
function overlaps(named: readonly Named[], view: View): Problem[] {
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

/** Edits by the text they were made for. A call may hold hundreds: what is done for each of them is done in loops. */
function byBase(named: readonly Named[]): Map<number, Named[]> {
  const groups = new Map<number, Named[]>();
  for (const one of named) {
    const group = groups.get(one.base);
    if (group) group.push(one);
    else groups.set(one.base, [one]);
  }
  return groups;
}

function addMarks(named: Named, spans: readonly Span[], gap: number | null, marks: Mark[]): void {
  for (const { start, end } of spans) marks.push({ named, start, end });
  if (gap !== null) marks.push({ named, start: gap, end: gap });
}

function addMarksNow(named: Named, view: View, marks: Mark[]): void {
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

function clashes(marks: Mark[]): [Named, Named][] {
  marks.sort((one, two) => one.start - two.start || two.end - one.end);
  const found: [Named, Named][] = [];
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

function overlap(one: Named, two: Named): Problem {
  const describe = ({ edits: [edit], refs }: Named) =>
    `edits[${edit?.index}] ${edit?.op}${[...new Set(refs.map(({ ref }) => ` ${ref.given}`))].join("")}`;
  const indexes = [...one.edits, ...(one === two ? [] : two.edits)].map((edit) => edit.index);
  const message =
    one === two
      ? `${describe(one)} has its destination inside its own range`
      : `${describe(one)} and ${describe(two)} name the same lines`;
  return problem("overlap", indexes, message);
}

/** Rules 4 and 5, for all edits of a base together: what one of them alone does not explain, all of them may. */
function meet(named: readonly Named[], view: View): Omit<Resolution, "named"> {
  const pieces: Piece[] = [];
  const problems: Problem[] = [];
  const there = new Set<Named>();
  for (const [base, group] of byBase(named)) {
    const believed = view.history.believed(base);
    if (!believed) {
      problems.push(...group.map((one) => conflict(one, [], view)));
      continue;
    }
    const theirs = believed.toNow;
    const hunks: Member[] = [];
    for (const one of group) for (const hunk of one.hunks) hunks.push({ named: one, hunk });
    hunks.sort((a, b) => a.hunk.start - b.hunk.start || a.hunk.end - b.hunk.end);
    for (const { members, regions } of meetings(hunks, believed, view)) {
      if (regions.length === 0)
        for (const { named: one, hunk } of members) pieces.push(piece(one, hunk, theirs));
      else if (sameText(members, regions, believed.document, view))
        for (const { named: one } of members) there.add(one);
      else
        for (const one of new Set(members.map(({ named }) => named)))
          problems.push(conflict(one, regions, view));
    }
    for (const one of group) {
      if (one.edits[0]?.op !== "move_lines" && one.edits[0]?.op !== "copy_lines") continue;
      const written = pieces.filter((made) => made.named === one).length;
      if (!problems.some(({ edits }) => edits.includes(one.edits[0]?.index ?? -1)))
        problems.push(...sourceConflict(one, theirs, view, written));
    }
  }
  const writing = new Set(pieces.map((one) => one.named));
  return {
    pieces: pieces.sort(inOrder),
    problems,
    alreadyThere: [...there].filter((one) => !writing.has(one)),
  };
}

interface Member {
  readonly named: Named;
  readonly hunk: Hunk<string>;
}

/** Groups hunks that meet the same foreign regions; a hunk that meets none stands alone. */
function meetings(hunks: readonly Member[], believed: Believed, view: View) {
  const groups: { members: Member[]; regions: Region[] }[] = [];
  for (const member of hunks) {
    const regions = believed.toNow
      .touching(member.hunk.start, member.hunk.end)
      .filter((region) => !standsBetween(member.hunk, region, believed.document, view));
    const last = groups.at(-1);
    const shared = last?.regions.some((region) => regions.includes(region));
    if (last && shared) {
      last.members.push(member);
      last.regions = [...new Set([...last.regions, ...regions])];
    } else groups.push({ members: [member], regions });
  }
  return groups;
}

/**
 * Two replacements directly beside each other, one of which has its near line in common before and after: whichever
 * of several equal lines it was, one of them stands between. Insertions get no such benefit: on which side of the
 * other's text they belong would be a guess.
 */
function standsBetween(hunk: Hunk<string>, region: Region, before: Document, view: View): boolean {
  if (hunk.start === hunk.end || region.aStart === region.aEnd) return false;
  const { now } = view.history;
  const theirs = (a: number, b: number) => region.bStart < region.bEnd && before.sameText(a, now, b);
  const mine = (line: number, at: number) => before.text(line) === hunk.lines.at(at);
  if (region.aEnd === hunk.start) return theirs(region.aEnd - 1, region.bEnd - 1) || mine(hunk.start, 0);
  if (region.aStart === hunk.end) return theirs(region.aStart, region.bStart) || mine(hunk.end - 1, -1);
  return false;
}

/** Whether ours and theirs come to the same text over all that they cover together. */
function sameText(
  members: readonly Member[],
  regions: readonly Region[],
  before: Document,
  view: View,
): boolean {
  const [first, last] = [regions[0] as Region, regions.at(-1) as Region];
  const start = members.reduce((least, { hunk }) => Math.min(least, hunk.start), first.aStart);
  const end = members.reduce((most, { hunk }) => Math.max(most, hunk.end), last.aEnd);
  let from = start;
  const ours = members.map(({ hunk }) => {
    const lines = [...before.lines(from, hunk.start), ...hunk.lines];
    from = hunk.end;
    return lines;
  });
  const mine = [...ours, before.lines(from, end)].flat();
  const theirs = view.history.now.lines(first.bStart - (first.aStart - start), last.bEnd + (end - last.aEnd));
  return mine.length === theirs.length && mine.every((line, at) => line === theirs[at]);
}

function piece(named: Named, hunk: Hunk<string>, theirs: LineMap): Piece {
  const { start, end, lines } = hunk;
  const from = start < end ? theirs.index(start) : start > 0 ? theirs.index(start - 1) + 1 : 0;
  const order = start < end || named.gap === start ? 1 : orderBeside(named.spans, start);
  const made = { named, start: from, end: from + (end - start), lines, order } as const;
  return named.beside === null || start < end ? made : { ...made, anchor: theirs.index(named.beside) };
}

/** Text put in at the end of a range comes before inserts at that point, text at its beginning after them. */
export function orderBeside(spans: readonly Span[], point: number): 0 | 1 | 2 {
  if (spans.some(({ end }) => end === point)) return 0;
  return spans.some(({ start }) => start === point) ? 2 : 1;
}

/** At one point: text of the range that ends there, inserts in the caller's order, the range that begins there. */
export function inOrder(one: Piece, two: Piece): number {
  return one.start - two.start || rank(one) - rank(two) || index(one) - index(two);
}

const rank = (piece: Piece): number => (piece.start === piece.end ? piece.order : 3);
const index = (piece: Piece): number => piece.named.edits[0]?.index ?? 0;
