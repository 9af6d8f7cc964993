import { type Document, LineMap, LineSet, type Region } from "../core/index.js";
import type { JournalEntry } from "./ports.js";
import { bare, type Place, regionsNear, type Standing } from "./stands.js";

/** A file that an edit deleted, and whether it is there again. */
export interface Deleted {
  readonly entry: JournalEntry;
  back: boolean;
}

/** Two texts; `old` are the lines, bare, that edits took out where they differ. null: one did not come from the other. */
export interface Pair {
  readonly before: Document;
  readonly now: Document;
  readonly map: LineMap;
  readonly old: ReadonlySet<string> | null;
}

export interface Judgement extends Standing {
  /** What was taken out of the place is there again. */
  readonly isBack: boolean;
}

/** What became of one place that an edit changed. Numbers are lines of the state that the course has come to. */
export interface Trace {
  readonly entry: JournalEntry;
  /** The state that the edit led to. */
  readonly state: number;
  /** The place, in the edit's own change. */
  readonly region: Region;
  /** Places whose text the edit took out, wholly or partly. */
  readonly over: readonly Trace[];
  lines: LineSet;
  /** Of a place where lines were only taken out. */
  gap: number | null;
  gone: Gone[];
  /** Lines that somebody else wrote other text in the place of, while most of the edit stood: a change, and no loss. */
  altered: Gone[];
  replaced: Replaced[];
  /** A text in between is not kept: whether it stands is only told by versions. */
  blind: boolean;
}

/** What a later edit put other text in the place of, in the last state that held it. */
interface Replaced {
  readonly state: number;
  readonly lines: LineSet;
  readonly gap: number | null;
  readonly by: string;
  /** It was no other edit that replaced it: this very edit was undone. */
  readonly isUndone: boolean;
}

/** Work that vanished, in the last state that held it. */
export interface Gone {
  readonly state: number;
  readonly lines: LineSet;
  readonly gap: number | null;
  /** Other text stands in its place. */
  readonly isReplaced?: boolean;
}

export function readMap(change: readonly number[]): LineMap | null {
  try {
    return LineMap.fromJSON(change);
  } catch {
    return null;
  }
}

/** Of a file that was created, all of it, be it empty. */
function regionsOf({ before, change }: JournalEntry, map: LineMap | null): readonly Region[] {
  const regions = (map ?? (change ? readMap(change) : null))?.regions ?? [];
  const nothing = { aStart: 0, aEnd: 0, bStart: 0, bEnd: 0 };
  return regions.length > 0 || before !== null ? regions : [nothing];
}

/** An edit that has just been made, place by place; `replaced` are those of which it took something out. */
export function tracesOf(
  entry: JournalEntry,
  map: LineMap | null,
  state: number,
  replaced: readonly Trace[],
): Trace[] {
  return regionsOf(entry, map).map((region): Trace => {
    const { aStart, aEnd, bStart, bEnd } = region;
    const taken = span(aStart, aEnd);
    const isTaken = ({ by, lines, gap }: Replaced) =>
      by === entry.id && (isInside(gap, region) || !lines.intersect(taken).isEmpty);
    const over = replaced.filter((one) => one.replaced.some(isTaken));
    const place = { lines: span(bStart, bEnd), gap: bStart < bEnd ? null : bStart };
    return { entry, state, region, over, ...place, gone: [], altered: [], replaced: [], blind: false };
  });
}

function span(start: number, end: number): LineSet {
  return start < end ? LineSet.of([[start, end]]) : LineSet.empty;
}

const mostBelow = 32;

/** A place, and those whose text it took out, and whose they did. */
export function below(trace: Trace): readonly Trace[] {
  const found = new Set([trace]);
  for (const one of found) for (const over of one.over) if (found.size < mostBelow) found.add(over);
  return [...found];
}

/** A journaled step, from the state of this number. */
export interface Step {
  readonly entry: JournalEntry;
  readonly map: LineMap | null;
  /** Edits that the step undoes. */
  readonly undoes: ReadonlySet<string>;
  /** Edits that it takes away again, by undoing their restore. */
  readonly unrestores: ReadonlySet<string>;
  readonly paired: LineSet | null;
  readonly state: number;
}

/** Whether something of it stands, as far as is known. */
export function isThere({ lines, gap }: Trace): boolean {
  return gap !== null || !lines.isEmpty;
}

/**
 * Follows a place through a journaled step. Text that the step replaces is not lost, unless the step undoes a restore:
 * then it is lost as before. Returns whether the step replaced any of it.
 */
export function follow(trace: Trace, { entry, map, paired, state, undoes, unrestores }: Step): boolean {
  const { lines, gap } = trace;
  if (trace.blind || !isThere(trace) || (map && isAbove(trace, map))) return false;
  const isUnrestored = unrestores.has(trace.entry.id);
  const replaced = paired ? lines.subtract(paired) : lines;
  const isOver = gap !== null && (!map || map.regions.some((region) => isIn(gap, region, isUnrestored)));
  const isReplaced = isOver || !replaced.isEmpty;
  trace.lines = map ? map.carry(lines) : LineSet.empty;
  trace.gap = gap === null || !map || isOver ? null : map.gap(gap);
  if (!isReplaced) return false;
  const taken = { state, lines: replaced, gap: isOver ? gap : null };
  if (isUnrestored) trace.gone.push(taken);
  else trace.replaced.push({ ...taken, by: entry.id, isUndone: undoes.has(trace.entry.id) });
  return !isUnrestored;
}

/** Nothing changed beside it or above: most places of a long journal, at most steps. */
function isAbove({ lines, gap }: Trace, { regions: [first] }: LineMap): boolean {
  return !first || Math.max(gap ?? 0, lines.spans().at(-1)?.[1] ?? 0) < first.aStart;
}

function isInside(gap: number | null, { aStart, aEnd }: Region): boolean {
  return gap !== null && aStart < gap && gap < aEnd;
}

/** Whether a gap is inside of a region; `orBeside` counts its ends, where lines come back. */
function isIn(gap: number, region: Region, orBeside: boolean): boolean {
  return orBeside ? region.aStart <= gap && gap <= region.aEnd : isInside(gap, region);
}

/** A step that touches nothing of it. */
export function carryOn(trace: Trace, map: LineMap): void {
  if (isAbove(trace, map)) return;
  trace.lines = map.carry(trace.lines);
  if (trace.gap !== null) trace.gap = map.gap(trace.gap);
}

/** Whether others changed something at the place, or so near that lines taken out there may be back. */
export function isTouched({ lines, gap, region }: Trace, before: Document, map: LineMap): boolean {
  const [start, end] = hullOf({ lines, gap });
  const around: Place = [Math.min(start, gap ?? start), Math.max(end, gap ?? end)];
  if (regionsNear(around, region.aEnd - region.aStart, map).length === 0) return false;
  const at = gap ?? muteLine(lines, before);
  const isNear = at !== null && regionsNear([at, at], region.aEnd - region.aStart, map).length > 0;
  return isNear || map.carry(lines).size < lines.size;
}

/** Where lines stand that tell nothing, and all of them: what the edit did there was to take others out. */
export function muteLine(lines: LineSet, text: Document): number | null {
  const spans = lines.spans();
  const isMute = spans.every(([start, end]) => text.lines(start, end).every((line) => bare(line) === ""));
  return isMute ? (spans[0]?.[0] ?? null) : null;
}

/** All of it is gone; it was last seen in the state of this number. */
export function vanish(trace: Trace, state: number): void {
  trace.gone.push({ state, lines: trace.lines, gap: trace.gap });
  trace.lines = LineSet.empty;
  trace.gap = null;
}

/** From the first to the last line of what vanished. */
export function hullOf({ lines, gap }: Pick<Gone, "lines" | "gap">): Place {
  const spans = lines.spans();
  return [spans[0]?.[0] ?? gap ?? 0, spans.at(-1)?.[1] ?? gap ?? 0];
}
