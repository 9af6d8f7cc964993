/** One place that an edit changed: the lines that are there, the lines that are gone, and how steps change both. */
import { type LineChange, type Region, readChange } from "../../changes/index.js";
import type { JournalEntry } from "../../ports/index.js";
import { type Document, LineSet } from "../../text/index.js";
import { normalised, regionsNear, type Span } from "./survival.js";

/** Lines of one state; `gap` is the place of an edit that only removed lines. */
export interface Lines {
  readonly lines: LineSet;
  readonly gap: number | null;
}

/** Work that is gone, in the last state that held it. */
export interface Removed extends Lines {
  readonly state: number;
  /** Other text is in its place. */
  readonly isReplaced?: boolean;
}

/** Work that a journaled step put other text in the place of: no loss. */
interface Replaced extends Removed {
  readonly by: string;
  /** The step undid this very edit. */
  readonly isUndone: boolean;
}

/** Numbers of lines are those of the newest state. */
export interface EditedPlace {
  readonly entry: JournalEntry;
  /** The state that the edit led to. */
  readonly state: number;
  /** The place in the edit's own change. */
  readonly region: Region;
  /** Places whose text the edit replaced, wholly or partly. */
  readonly over: readonly EditedPlace[];
  lines: LineSet;
  gap: number | null;
  gone: Removed[];
  /** Lines that others wrote other text in the place of, while most of the edit was there. */
  altered: Removed[];
  replaced: Replaced[];
  /** A text in between is not kept: only versions tell whether the work is there. */
  isBlind: boolean;
}

/** The places of an edit that has just been made; `replaced` are the places of which it replaced something. */
export function placesOfEdit(
  entry: JournalEntry,
  change: LineChange | null,
  state: number,
  replaced: readonly EditedPlace[],
): EditedPlace[] {
  const found = (change ?? (entry.change ? readChange(entry.change) : null))?.regions ?? [];
  // All of a file that was created is the edit's, be it empty.
  const nothing = { aStart: 0, aEnd: 0, bStart: 0, bEnd: 0 };
  const regions = found.length > 0 || entry.before !== null ? found : [nothing];
  return regions.map((region): EditedPlace => {
    const { aStart, aEnd, bStart, bEnd } = region;
    const own = span(aStart, aEnd);
    const isOwn = ({ by, lines, gap }: Replaced) =>
      by === entry.id && (isInside(gap, region) || !lines.intersect(own).isEmpty);
    const over = replaced.filter((one) => one.replaced.some(isOwn));
    const place = { lines: span(bStart, bEnd), gap: bStart < bEnd ? null : bStart };
    return { entry, state, region, over, ...place, gone: [], altered: [], replaced: [], isBlind: false };
  });
}

function span(start: number, end: number): LineSet {
  return start < end ? LineSet.of([[start, end]]) : LineSet.empty;
}

const mostReplaced = 32;

/** A place, the places whose text it replaced, and so on. */
export function withReplaced(place: EditedPlace): readonly EditedPlace[] {
  const found = new Set([place]);
  for (const one of found) for (const over of one.over) if (found.size < mostReplaced) found.add(over);
  return [...found];
}

/** A journaled step from the state of this number. */
interface Step {
  readonly entry: JournalEntry;
  readonly change: LineChange | null;
  readonly paired: LineSet | null;
  readonly state: number;
  readonly undone: ReadonlySet<string>;
  /** Edits that the step removes again, by undoing their restore. */
  readonly unrestored: ReadonlySet<string>;
}

/** Whether something of the work is there, as far as is known. */
export function isPresent({ lines, gap }: EditedPlace): boolean {
  return gap !== null || !lines.isEmpty;
}

export function hasGone({ gone, altered }: EditedPlace): boolean {
  return gone.length + altered.length > 0;
}

/** Whether later steps concern the place. */
export function isFollowed(place: EditedPlace): boolean {
  return hasGone(place) || (isPresent(place) && !place.isBlind);
}

/**
 * Follows a place through a journaled step. Text that the step replaces is not lost, unless the step undoes a restore: then
 * the text is lost as before. Returns whether the step replaced any of it.
 */
export function followStep(place: EditedPlace, step: Step): boolean {
  const { entry, change, paired, state } = step;
  const { lines, gap } = place;
  if (place.isBlind || !isPresent(place) || (change && isAbove(place, change))) return false;
  const isUnrestored = step.unrestored.has(place.entry.id);
  const swept = entry.swept && LineSet.fromJSON(entry.swept);
  const isOver = isGapReplaced(gap, change, isUnrestored || swept !== undefined);
  const removed = { state, lines: paired ? lines.subtract(paired) : lines, gap: isOver ? gap : null };
  place.lines = change ? change.carry(lines) : LineSet.empty;
  place.gap = gap === null || !change || isOver ? null : change.gap(gap);
  if (!isOver && removed.lines.isEmpty) return false;
  if (swept && (isOver || !removed.lines.intersect(swept).isEmpty)) {
    place.gone.push({ ...removed, lines: removed.lines.intersect(swept) });
    const rest = removed.lines.subtract(swept);
    if (rest.isEmpty) return false;
    place.replaced.push({ state, lines: rest, gap: null, by: entry.id, isUndone: false });
    return true;
  }
  if (isUnrestored) place.gone.push(removed);
  else place.replaced.push({ ...removed, by: entry.id, isUndone: step.undone.has(place.entry.id) });
  return !isUnrestored;
}

/** Whether all changes are below the place: so it is with most places of a long journal, at most steps. */
function isAbove({ lines, gap }: EditedPlace, { regions: [first] }: LineChange): boolean {
  return !first || Math.max(gap ?? 0, lines.spans.at(-1)?.[1] ?? 0) < first.aStart;
}

/** Lines that come back do so at the ends of a gap, too. */
function isGapReplaced(gap: number | null, change: LineChange | null, orBeside: boolean): boolean {
  if (gap === null) return false;
  const isBeside = ({ aStart, aEnd }: Region) => orBeside && aStart <= gap && gap <= aEnd;
  return !change || change.regions.some((region) => isInside(gap, region) || isBeside(region));
}

function isInside(gap: number | null, { aStart, aEnd }: Region): boolean {
  return gap !== null && aStart < gap && gap < aEnd;
}

/** Carries a place over a step that touches nothing of it. */
export function carryPlace(place: EditedPlace, change: LineChange): void {
  if (isAbove(place, change)) return;
  place.lines = change.carry(place.lines);
  if (place.gap !== null) place.gap = change.gap(place.gap);
}

/** Whether a change touches the place, or is so near that lines removed there may be back. */
export function isTouched(
  { lines, gap, region }: EditedPlace,
  before: Document,
  change: LineChange,
): boolean {
  const [start, end] = enclosingSpan({ lines, gap });
  const around: Span = [Math.min(start, gap ?? start), Math.max(end, gap ?? end)];
  if (regionsNear(around, region.aEnd - region.aStart, change).length === 0) return false;
  const at = gap ?? firstLineWithoutWords(lines, before);
  const isNear = at !== null && regionsNear([at, at], region.aEnd - region.aStart, change).length > 0;
  return isNear || change.carry(lines).size < lines.size;
}

/** The first of lines without words, if all are: the work of the edit was to remove others there. */
export function firstLineWithoutWords(lines: LineSet, text: Document): number | null {
  const spans = lines.spans;
  const hasWords = ([start, end]: Span) => text.lines(start, end).some((line) => normalised(line) !== "");
  return spans.some(hasWords) ? null : (spans[0]?.[0] ?? null);
}

/** All work of the place is gone; the state of this number was the last that held it. */
export function removeAll(place: EditedPlace, state: number): void {
  if (!isPresent(place)) return;
  place.gone.push({ state, lines: place.lines, gap: place.gap });
  place.lines = LineSet.empty;
  place.gap = null;
}

export function enclosingSpan({ lines, gap }: Lines): Span {
  const spans = lines.spans;
  return [spans[0]?.[0] ?? gap ?? 0, spans.at(-1)?.[1] ?? gap ?? 0];
}
