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
}

/** Work that vanished, in the last state that held it. */
export interface Gone {
  readonly state: number;
  readonly lines: LineSet;
  readonly gap: number | null;
  /** Where it would stand. null: there is no file. */
  readonly place: Place | null;
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
    return { entry, state, region, over, ...place, gone: [], replaced: [], blind: false };
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
  readonly paired: LineSet | null;
  readonly state: number;
}

/** Whether something of it stands, as far as is known. */
export function isThere({ lines, gap }: Trace): boolean {
  return gap !== null || !lines.isEmpty;
}

/** Takes a place along; what the step replaces does not have to stand any more. Whether it did replace something. */
export function follow(trace: Trace, { entry, map, paired, state }: Step): boolean {
  const isOwn = entry.agent === trace.entry.agent && entry.edits === undefined;
  // Who edits the place again has decided anew what stands there.
  if (isOwn && trace.gone.length > 0) trace.gone = trace.gone.filter(({ place }) => !touches(place, map));
  if (map) carryGone(trace, map);
  const { lines, gap } = trace;
  if (trace.blind || !isThere(trace) || (map && isAbove(trace, map))) return false;
  const replaced = paired ? lines.subtract(paired) : lines;
  const isOver = gap !== null && (!map || map.regions.some((region) => isInside(gap, region)));
  const isReplaced = isOver || !replaced.isEmpty;
  if (isReplaced) trace.replaced.push({ state, lines: replaced, gap: isOver ? gap : null, by: entry.id });
  trace.lines = map ? map.carry(lines) : LineSet.empty;
  trace.gap = gap === null || !map || isOver ? null : map.gap(gap);
  return isReplaced;
}

/** Nothing changed beside it or above: most places of a long journal, at most steps. */
function isAbove({ lines, gap }: Trace, { regions: [first] }: LineMap): boolean {
  return !first || Math.max(gap ?? 0, lines.spans().at(-1)?.[1] ?? 0) < first.aStart;
}

function carryGone(trace: Trace, map: LineMap): void {
  for (const [at, one] of trace.gone.entries()) {
    const place = carriedPlace(one.place, map);
    if (place !== one.place) trace.gone[at] = { ...one, place };
  }
}

function isInside(gap: number | null, { aStart, aEnd }: Region): boolean {
  return gap !== null && aStart < gap && gap < aEnd;
}

/** A step that touches nothing of it. */
export function carryOn(trace: Trace, map: LineMap): void {
  carryGone(trace, map);
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
  trace.gone.push({ state, lines: trace.lines, gap: trace.gap, place: null });
  trace.lines = LineSet.empty;
  trace.gap = null;
}

/** From the first to the last line of what vanished. */
export function hullOf({ lines, gap }: Pick<Gone, "lines" | "gap">): Place {
  const spans = lines.spans();
  return [spans[0]?.[0] ?? gap ?? 0, spans.at(-1)?.[1] ?? gap ?? 0];
}

function touches(place: Gone["place"], map: LineMap | null): boolean {
  return place === null || map === null || map.touching(place[0], place[1]).length > 0;
}

export function carriedPlace(place: Gone["place"], map: LineMap): Gone["place"] {
  const [first] = map.regions;
  if (place === null || !first || place[1] < first.aStart) return place;
  const [start, end] = place;
  if (start < end) return map.hull(start, end);
  const gap = map.gap(start);
  return [gap, gap];
}
