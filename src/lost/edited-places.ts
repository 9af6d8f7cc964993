import { LineChange, type Region } from "../changes/index.js";
import type { JournalEntry } from "../ports/index.js";
import { type Document, LineSet } from "../text/index.js";
import { bare, type Place, pairedLines, regionsNear, type Standing } from "./survival.js";

/** A file that an edit deleted, and whether it is there again. */
export interface Deleted {
  readonly entry: JournalEntry;
  back: boolean;
}

/** Two texts; `old` are the lines, bare, that edits took out where they differ. null: one did not come from the other. */
export interface Pair {
  readonly before: Document;
  readonly now: Document;
  readonly map: LineChange;
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

export function readMap(change: readonly number[]): LineChange | null {
  try {
    return LineChange.fromJSON(change);
  } catch {
    return null;
  }
}

/** Of a file that was created, all of it, be it empty. */
function regionsOf({ before, change }: JournalEntry, map: LineChange | null): readonly Region[] {
  const regions = (map ?? (change ? readMap(change) : null))?.regions ?? [];
  const nothing = { aStart: 0, aEnd: 0, bStart: 0, bEnd: 0 };
  return regions.length > 0 || before !== null ? regions : [nothing];
}

/** An edit that has just been made, place by place; `replaced` are those of which it took something out. */
function tracesOf(
  entry: JournalEntry,
  map: LineChange | null,
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
interface Step {
  readonly entry: JournalEntry;
  readonly map: LineChange | null;
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
function follow(trace: Trace, { entry, map, paired, state, undoes, unrestores }: Step): boolean {
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
function isAbove({ lines, gap }: Trace, { regions: [first] }: LineChange): boolean {
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
export function carryOn(trace: Trace, map: LineChange): void {
  if (isAbove(trace, map)) return;
  trace.lines = map.carry(trace.lines);
  if (trace.gap !== null) trace.gap = map.gap(trace.gap);
}

/** Whether others changed something at the place, or so near that lines taken out there may be back. */
export function isTouched({ lines, gap, region }: Trace, before: Document, map: LineChange): boolean {
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

/** The places of all edits of a file. Of a long journal most are replaced sooner or later, and no step concerns them. */
export class Traces {
  readonly all: Trace[] = [];
  private readonly awake = new Set<Trace>();
  /** Those that are there but cannot be followed. */
  private readonly unseen = new Set<Trace>();
  /** All before this one are blind. */
  private firstSighted = 0;
  /** By the edit that made them, and by the edit that replaced something of them. */
  private readonly made = new Map<string, Trace[]>();
  private readonly replaced = new Map<string, Set<Trace>>();

  /** Those that others may have met; `isKnown`: by bringing back a text that was there before, or none. */
  met(isKnown: boolean): Trace[] {
    return isKnown ? [...this.awake, ...this.unseen] : [...this.awake];
  }

  /** Those of which something vanished, by the text that last held it: each text is loaded once. */
  withGone(): Trace[] {
    const found = [...this.awake].filter(hasGone);
    const stateOf = ({ gone, altered }: Trace) => (gone[0] ?? altered[0])?.state ?? 0;
    return found.sort((one, two) => stateOf(one) - stateOf(two));
  }

  /** Edits of these ids made them, or replaced something of them. */
  of(made: readonly string[], replaced: readonly string[]): Set<Trace> {
    const found = new Set(made.flatMap((id) => this.made.get(id) ?? []));
    for (const id of replaced) for (const trace of this.replaced.get(id) ?? []) found.add(trace);
    return found;
  }

  follow(given: Omit<Step, "paired">): void {
    const { map, entry } = given;
    const step: Step = { ...given, paired: map && pairedLines(map) };
    for (const trace of this.awake) {
      if (follow(trace, step)) this.note(trace, entry.id);
      if (!isFollowed(trace)) this.sort(trace);
    }
  }

  private note(trace: Trace, by: string): void {
    const traces = this.replaced.get(by);
    if (traces) traces.add(trace);
    else this.replaced.set(by, new Set([trace]));
  }

  /** An edit that has just been made. */
  begin({ entry, map, state }: Pick<Step, "entry" | "map" | "state">): void {
    const over = [...(this.replaced.get(entry.id) ?? [])].sort(inOrder);
    const begun = tracesOf(entry, map, state, over);
    this.made.set(entry.id, [...(this.made.get(entry.id) ?? []), ...begun]);
    for (const trace of begun) {
      this.all.push(trace);
      this.sort(trace);
    }
  }

  /** For each that is not what it was. */
  sort(trace: Trace): void {
    const isAwake = isFollowed(trace);
    if (isAwake) this.awake.add(trace);
    else this.awake.delete(trace);
    if (!isAwake && isThere(trace)) this.unseen.add(trace);
    else this.unseen.delete(trace);
  }

  /** A text is not kept. */
  loseSight(): void {
    for (; this.firstSighted < this.all.length; this.firstSighted++) {
      const trace = this.all[this.firstSighted] as Trace;
      trace.blind = true;
      this.sort(trace);
    }
  }
}

function hasGone({ gone, altered }: Trace): boolean {
  return gone.length + altered.length > 0;
}

function isFollowed(trace: Trace): boolean {
  return hasGone(trace) || (isThere(trace) && !trace.blind);
}

/** As the edits were made. */
export function inOrder(one: Trace, two: Trace): number {
  return one.state - two.state || one.region.bStart - two.region.bStart;
}

/** One state of the file, as the journal has it or as it was found; null: there was no file. */
export interface CourseState {
  readonly version: string | null;
  /** How it came from the state before, if that can be told. */
  readonly map: LineChange | null;
  /** It came by somebody who is not in the journal. */
  readonly isForeign?: boolean;
}

/** The states a file was in, one after the other. */
export class Way {
  readonly states: CourseState[] = [];
  private readonly places = new Map<string | null, number[]>();
  /** Over 2, 4, 8… steps at once, by the state they start from: no way is long then. */
  private readonly strides: Map<number, LineChange | null>[] = [];

  push(state: CourseState): void {
    const places = this.places.get(state.version) ?? [];
    places.push(this.states.length);
    this.places.set(state.version, places);
    this.states.push(state);
  }

  /** The last state before this one that had the version; -1 if none had. */
  lastBefore(state: number, version: string | null): number {
    return this.places.get(version)?.findLast((at) => at < state) ?? -1;
  }

  /** Where the lines of one state are in a later one, through every step between; null if that cannot be told. */
  map(from: number, to: number): LineChange | null {
    let found: LineChange | null = null;
    for (let at = from; at < to; ) {
      let level = 0;
      while (at % (2 << level) === 0 && at + (2 << level) <= to) level++;
      const step = this.stride(at, level);
      if (!step) return null;
      found = found ? found.compose(step) : step;
      at += 1 << level;
    }
    return found;
  }

  private stride(at: number, level: number): LineChange | null {
    if (level === 0) return this.states[at + 1]?.map ?? null;
    this.strides[level] ??= new Map();
    const strides = this.strides[level];
    const known = strides.get(at);
    if (known !== undefined) return known;
    const [one, two] = [this.stride(at, level - 1), this.stride(at + (1 << (level - 1)), level - 1)];
    const stride = one && two && one.compose(two);
    strides.set(at, stride);
    return stride;
  }
}
