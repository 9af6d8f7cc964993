/** The text of a file with lost work in it again: the journaled change, carried to the file as it is now. */
import { carried, historyOf, isProblems, spliced } from "../calls/index.js";
import { compare, type History, type LineChange, type Region } from "../changes/index.js";
import { anchorOf, type Problem, problem } from "../edits/index.js";
import { Document, LineSet, lineIndexes, type Splice } from "../text/index.js";
import type { Gone, Trace } from "./edited-places.js";
import type { Course } from "./file-steps.js";
import type { Examined, LostWork } from "./find-lost.js";
import { bare } from "./survival.js";

/** Why it cannot be: what stands in the way (nothing, where a text is not kept), or edits that it builds upon. */
type Hindrance = { readonly problems: readonly Problem[] } | { readonly needs: readonly string[] };

/** `map` is how the text comes from that of now; null: there is none now. */
export type Rebuilt = { readonly text: Document; readonly map: LineChange | null } | Hindrance;

interface Rebuilding {
  readonly examined: Examined;
  /** To be brought back, oldest first. */
  readonly chosen: readonly LostWork[];
  /** Lost too, but not asked for. */
  readonly others: readonly LostWork[];
  /** Gone from the file, but not lost: they are in commits. */
  readonly ended: readonly LostWork[];
}

export async function rebuild(asked: Rebuilding): Promise<Rebuilt> {
  const { examined, chosen, others } = asked;
  const { now, source } = examined;
  const move = others.find(({ what }) => what === "moved");
  if (source && move) return { needs: [move.entry.id] };
  if (!now) return whenGone(asked);
  const whole = others.length + asked.ended.length === 0 ? await wentBack(examined, chosen) : null;
  if (whole) return whole;
  const alone = others.length > 0 ? await oneByOne(examined, chosen, now) : null;
  return alone ?? mergeChain(asked, now);
}

/** Of a file that is gone all that was lost comes back together, or what begins with creating it. */
async function whenGone(asked: Rebuilding): Promise<Rebuilt> {
  const { examined, chosen, others } = asked;
  const { course, texts } = examined;
  const [first, ...rest] = chosen;
  if (others.length > 0) {
    const isNew = first?.entry.before === null && first.entry.after !== null;
    const created = isNew ? await texts(first.entry.after as string) : null;
    const made = created && (await oneByOne(examined, rest, created));
    return made && "text" in made
      ? { text: made.text, map: null }
      : { needs: others.map(({ entry }) => entry.id) };
  }
  const last = course.states.findLastIndex(({ version }) => version !== null);
  const text = await course.textAt(last);
  if (!text) return { problems: [] };
  // What vanished before the file did is not in its last text.
  const earlier = chosen.map(({ traces, ...work }) => ({
    ...work,
    traces: traces.map((trace) => ({ ...trace, gone: trace.gone.filter(({ state }) => state !== last) })),
  }));
  const made = await mergeChain({ ...asked, chosen: earlier }, text);
  return "text" in made ? { text: made.text, map: null } : made;
}

/** The file is exactly what it was before some journaled edits, and nobody else came in between: they are made again. */
async function wentBack({ course, now }: Examined, chosen: readonly LostWork[]): Promise<Rebuilt | null> {
  const last = course.last - 1;
  const all = chosen.flatMap(({ traces }) => traces.flatMap(({ gone }) => gone));
  if (!now || all.length === 0 || all.some(({ state }) => state !== last)) return null;
  const back = course.states.findLastIndex(({ version }, at) => at < last && version === now.version);
  if (back < 0 || course.states.slice(back + 1, last + 1).some(({ isForeign }) => isForeign)) return null;
  const text = await course.textAt(last);
  return text && { text, map: course.map(back, last) ?? compare(now, text) };
}

/** Each edit's own change; null if one of them does not fit. */
async function oneByOne(
  { texts }: Examined,
  chosen: readonly LostWork[],
  now: Document,
): Promise<Rebuilt | null> {
  const changes: LineChange[] = [];
  let text = now;
  for (const { entry, traces } of chosen) {
    const from = entry.before === null ? Document.fromText("") : await texts(entry.before);
    const to = entry.after === null ? null : await texts(entry.after);
    const regions = traces.map(({ region }) => region);
    const found = from && to && carried({ from, to, regions, now: text });
    if (!found || isProblems(found)) return null;
    const made = spliced(text, found);
    changes.push(made.change);
    text = made.document;
  }
  return { text, map: joined(changes, now) };
}

function joined(changes: readonly LineChange[], now: Document): LineChange {
  return changes.reduce((one, two) => one.compose(two), compare(now, now));
}

interface Place {
  readonly trace: Trace;
  readonly gone: Gone;
}

/** All that vanished at one time comes back as one merge, so that what builds upon other lost work comes back too. */
async function mergeChain(asked: Rebuilding, now: Document): Promise<Rebuilt> {
  const { course } = asked.examined;
  const places = asked.chosen.flatMap(({ traces }) =>
    traces.flatMap((trace) => trace.gone.map((gone): Place => ({ trace, gone }))),
  );
  const changes: LineChange[] = [];
  let text = now;
  for (const state of [...new Set(places.map(({ gone }) => gone.state))].sort((one, two) => one - two)) {
    const target = await course.textAt(state);
    if (!target) return { problems: [] };
    const own = places.filter(({ gone }) => gone.state === state);
    const { regions } = compare(text, target);
    const to: Target = { asked, state, target, now: text, regions, histories: new Map() };
    const apart = await allBack(clusters(own, state, course), to);
    // Equal lines may have been taken for each other: then all places together, which cannot cross.
    const found = "splices" in apart && !inOrder(apart.splices) ? await comeBack(own, to) : apart;
    if (!("splices" in found)) return found;
    const made = spliced(text, found.splices);
    changes.push(made.change);
    text = made.document;
  }
  return { text, map: joined(changes, now) };
}

async function allBack(groups: readonly (readonly Place[])[], to: Target): Promise<Found> {
  const splices: Splice[] = [];
  for (const places of groups) {
    const found = await comeBack(places, to);
    if (!("splices" in found)) return found;
    for (const splice of found.splices) splices.push(splice);
  }
  return { splices };
}

function inOrder(splices: readonly Splice[]): boolean {
  return splices.every(({ start }, at) => at === 0 || (splices[at - 1] as Splice).end <= start);
}

/** Places that no line separates which stood there all the time come back together. */
function clusters(places: readonly Place[], state: number, course: Course): Place[][] {
  const map = course.map(lowest(state, course), state);
  const left = new Set(places);
  const found: Place[][] = [];
  for (const { bStart, bEnd } of map?.regions ?? []) {
    const own = [...left].filter(({ gone }) => isIn(gone, bStart, bEnd));
    for (const place of own) left.delete(place);
    if (own.length > 0) found.push(own);
  }
  const first = ([place]: readonly Place[]) => place?.gone.lines.spans()[0]?.[0] ?? place?.gone.gap ?? 0;
  return [...found, ...[...left].map((place) => [place])].sort((one, two) => first(one) - first(two));
}

/** The earliest state from which lines can be followed to this one. */
function lowest(state: number, course: Course): number {
  let from = state;
  while (from > 0 && course.states[from]?.map) from--;
  return from;
}

function isIn({ lines, gap }: Gone, start: number, end: number): boolean {
  if (gap !== null && start <= gap && gap <= end) return true;
  return !lines.intersect(LineSet.of(start < end ? [[start, end]] : [])).isEmpty;
}

interface Target {
  readonly asked: Rebuilding;
  readonly state: number;
  readonly target: Document;
  readonly now: Document;
  /** From now to what it was last: lines [bStart, bEnd) are those that were there. */
  readonly regions: readonly Region[];
  /** By their base. */
  readonly histories: Map<number, History>;
}

type Found = { readonly splices: readonly Splice[] } | Hindrance;

async function comeBack(places: readonly Place[], to: Target): Promise<Found> {
  const taken = await takenBack(places, to);
  if (taken && to.asked.others.length > 0) return taken;
  const merged = await fromEarlier(places, to);
  return "problems" in merged && taken ? taken : merged;
}

const mostBases = 16;

/** Earlier times, those first that touch least; where everything comes back, first the one that all places share. */
function* bases(places: readonly Place[], { asked, state }: Target): Generator<number> {
  const { course } = asked.examined;
  const newest = places.reduce((least, { trace }) => Math.min(least, trace.state), state) - 1;
  if (asked.others.length + asked.ended.length === 0) yield lowest(state, course);
  for (let base = newest; base >= 0 && base > newest - mostBases; base--) {
    yield base;
    if (!course.states[base]?.map) return;
  }
}

/** The place reads as it did at an earlier time, and becomes what it was last. Only lines go that the edits took out. */
async function fromEarlier(places: readonly Place[], to: Target): Promise<Found> {
  const { asked, state, target, histories } = to;
  const { course } = asked.examined;
  let problems: readonly Problem[] = [];
  for (const base of bases(places, to)) {
    const isNone = course.states[base]?.version === null;
    const from = isNone ? Document.fromText("") : await course.textAt(base);
    const map = isNone ? compare(Document.fromText(""), target) : course.map(base, state);
    if (!from || !map) continue;
    const isAsked = ({ bStart, bEnd }: Region) => places.some(({ gone }) => isIn(gone, bStart, bEnd));
    const regions = map.regions.filter(isAsked);
    if (!places.every(({ gone }) => regions.some(({ bStart, bEnd }) => isIn(gone, bStart, bEnd)))) continue;
    const history = histories.get(base) ?? historyOf(from, to.now);
    histories.set(base, history);
    const found = carried({ from, to: target, regions, now: to.now, history });
    if (!isProblems(found)) {
      const needs = alsoIn(regions, asked.others, state);
      if (needs.length > 0) return { needs };
      const taken = await course.takenBy(places.map(({ trace }) => trace));
      const put = new Set(regions.flatMap(({ bStart, bEnd }) => target.lines(bStart, bEnd)).map(bare));
      const mayGo = (line: string): boolean => line === "" || taken.has(line) || put.has(line);
      const isOwn = ({ start, end }: Splice) => to.now.lines(start, end).map(bare).every(mayGo);
      if (found.every(isOwn)) return { splices: found };
      const lines = found.flatMap(({ start, end }) => lineIndexes(start, end));
      problems = [
        inTheWay(
          to.now,
          lines.filter((at) => !mayGo(bare(to.now.text(at)))),
        ),
      ];
      continue;
    }
    problems = found;
  }
  return { problems };
}

/** Lines that would go with it, and that are others'. */
function inTheWay(now: Document, lines: readonly number[]): Problem {
  const mismatches = lines.map((at) => ({
    ...{ anchor: anchorOf(now, at, "hex6"), line: at + 1, cause: "inserted" as const },
    ...{ expected: null, actual: null, shown: null, now: now.text(at) },
  }));
  return problem("stale", [], "", { mismatches });
}

function alsoIn(regions: readonly Region[], works: readonly LostWork[], state: number): string[] {
  const isThere = (gone: Gone) =>
    gone.state === state && regions.some(({ bStart, bEnd }) => isIn(gone, bStart, bEnd));
  return works
    .filter(({ traces }) => traces.some(({ gone }) => gone.some(isThere)))
    .map(({ entry }) => entry.id);
}

/**
 * Only these places changed, and what stands there is nothing, or text that these very edits had taken out: what was
 * done to them is taken back.
 */
async function takenBack(places: readonly Place[], to: Target): Promise<Found | null> {
  const { asked, target, now } = to;
  const { course } = asked.examined;
  const regions = to.regions.filter(({ bStart, bEnd }) =>
    places.some(({ gone }) => isIn(gone, bStart, bEnd)),
  );
  if (regions.length === 0) return null;
  const own = places.reduce((set, { gone }) => set.union(gone.lines), LineSet.empty);
  const taken: string[] = [];
  for (const { trace } of places) {
    const before = await course.textAt(trace.state - 1);
    for (const line of before?.lines(trace.region.aStart, trace.region.aEnd) ?? []) taken.push(line);
  }
  for (const { aStart, aEnd, bStart, bEnd } of regions) {
    const others = bStart < bEnd ? LineSet.of([[bStart, bEnd]]).subtract(own) : LineSet.empty;
    if (others.spans().some(([start, end]) => target.lines(start, end).some(isText))) return null;
    if (!isWithin(now.lines(aStart, aEnd).filter(isText), taken)) return null;
  }
  const found = carried({ from: now, to: target, regions, now });
  return isProblems(found) ? null : { splices: found };
}

const isText = (line: string): boolean => line.trim() !== "";

/** Whether these lines are some of those, in the same order. */
function isWithin(lines: readonly string[], all: readonly string[]): boolean {
  let at = 0;
  for (const line of lines) {
    at = all.indexOf(line, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
