/** Rule 5: where the hunks of a call meet changes of others. */
import type { BelievedText, LineChange, Region } from "../changes/index.js";
import {
  byBase,
  conflict,
  type LocatedEdit,
  type Problem,
  type Span,
  sourceConflict,
  type View,
} from "../edits/index.js";
import { type Document, type Hunk, LineSet } from "../text/index.js";
import { Beside, type Member, rangeOf } from "./touching.js";

/** A piece of an accepted edit, in lines of the file now; `order` ranks pieces that meet at one point. */
export interface PlacedHunk extends Hunk<string> {
  readonly named: LocatedEdit;
  readonly order: 0 | 1 | 2;
  readonly anchor?: number;
}

/** Located edits after they met the changes of others. */
export interface Met {
  readonly pieces: readonly PlacedHunk[];
  /** Located edits that were found to be in the file already, wholly or with all they change. */
  readonly alreadyThere: readonly LocatedEdit[];
  readonly problems: readonly Problem[];
}

/** Rules 4 and 5, for all edits of a base together: what one of them alone does not explain, all of them may. */
export function meet(named: readonly LocatedEdit[], view: View): Met {
  const pieces: PlacedHunk[] = [];
  const problems: Problem[] = [];
  const there = new Set<LocatedEdit>();
  for (const [base, group] of byBase(named)) {
    const believed = view.history.believed(base);
    if (!believed) {
      problems.push(...group.map((one) => conflict(one, [], view)));
      continue;
    }
    const theirs = believed.toNow;
    const members: Member[] = [];
    for (const one of group) {
      if (hasUnknownLines(one, believed)) problems.push(conflict(one, [], view));
      else
        for (const hunk of one.hunks)
          members.push({ named: one, hunk, regions: regionsAt(hunk, believed, view) });
    }
    members.sort((a, b) => a.hunk.start - b.hunk.start || a.hunk.end - b.hunk.end);
    let beside: Beside | undefined;
    for (const { members: meeting, regions } of meetings(members)) {
      if (regions.length === 0) {
        for (const { named: one, hunk } of meeting) pieces.push(piece(one, hunk, theirs));
      } else if (isSameText(meeting, regions, view, believed.document)) {
        for (const { named: one } of meeting) there.add(one);
      } else {
        beside ??= new Beside(believed, view.history.now);
        const kept = beside.kept(meeting);
        const refused = new Set<LocatedEdit>();
        for (const member of meeting) {
          if (kept.has(member)) pieces.push(piece(member.named, member.hunk, theirs));
          else refused.add(member.named);
        }
        for (const one of refused) problems.push(conflict(one, regions, view));
      }
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

/** Whether an edit retypes a line of unknown text, or changes it as others did, cannot be told. */
function hasUnknownLines({ spans }: LocatedEdit, { unknown }: BelievedText): boolean {
  return spans.some(({ start, end }) => !unknown.intersect(LineSet.of([[start, end]])).isEmpty);
}

/** The changes of others that touch a hunk, with no unchanged line between. */
function regionsAt(hunk: Hunk<string>, { toNow, document }: BelievedText, view: View): readonly Region[] {
  const touching = toNow.touching(hunk.start, hunk.end);
  return touching.length === 0
    ? touching
    : touching.filter((region) => !hasLineBetween(hunk, region, document, view));
}

/** Groups changes that meet the same changes of others; one that meets none stands alone. */
function meetings(sorted: readonly Member[]): { members: readonly Member[]; regions: readonly Region[] }[] {
  const groups: { members: Member[]; regions: Set<Region> }[] = [];
  for (const member of sorted) {
    const { regions } = member;
    const last = groups.at(-1);
    if (last && regions.some((region) => last.regions.has(region))) {
      last.members.push(member);
      for (const region of regions) last.regions.add(region);
    } else groups.push({ members: [member], regions: new Set(regions) });
  }
  return groups.map(({ members, regions }) => ({ members, regions: [...regions] }));
}

/**
 * Two replacements directly beside each other, one of which has its near line in common before and after: whichever
 * of several equal lines it was, one of them stands between. Insertions get no such benefit: on which side of the
 * other's text they belong would be a guess.
 */
function hasLineBetween(hunk: Hunk<string>, region: Region, before: Document, view: View): boolean {
  if (hunk.start === hunk.end || region.aStart === region.aEnd) return false;
  const { now } = view.history;
  const theirs = (a: number, b: number) => region.bStart < region.bEnd && before.isSameText(a, now, b);
  const mine = (line: number, at: number) => before.text(line) === hunk.lines.at(at);
  if (region.aEnd === hunk.start) return theirs(region.aEnd - 1, region.bEnd - 1) || mine(hunk.start, 0);
  if (region.aStart === hunk.end) return theirs(region.aStart, region.bStart) || mine(hunk.end - 1, -1);
  return false;
}

/** Whether ours and theirs come to the same text over all that they cover together. */
function isSameText(
  members: readonly Member[],
  regions: readonly Region[],
  view: View,
  before: Document,
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

function piece(named: LocatedEdit, hunk: Hunk<string>, theirs: LineChange): PlacedHunk {
  const { start, end, lines } = hunk;
  const isAbove = start === end && rangeOf(named, hunk)?.start === start;
  const from = start < end || isAbove ? theirs.index(start) : start > 0 ? theirs.index(start - 1) + 1 : 0;
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
export function inOrder(one: PlacedHunk, two: PlacedHunk): number {
  return one.start - two.start || rank(one) - rank(two) || index(one) - index(two);
}

const rank = (piece: PlacedHunk): number => (piece.start === piece.end ? piece.order : 3);
const index = (piece: PlacedHunk): number => piece.named.edits[0]?.index ?? 0;
