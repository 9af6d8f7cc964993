/**
 * The text of a file with lost work in it again. Each text that last held some of the work is merged with the file now,
 * from a text that the file had before the work.
 */
import { type Merged, merge3 } from "../calls/index.js";
import { compare, LineChange, type Region } from "../changes/index.js";
import { anchorOf, type Problem, problem } from "../edits/index.js";
import { Document, LineSet, lineIndexes } from "../text/index.js";
import type { Gone, Trace } from "./edited-places.js";
import type { Examined, LostWork } from "./find-lost.js";
import { bare } from "./survival.js";

/** Problems are empty if a text is not kept; `needs` are lost edits that this work builds on. */
type Hindrance = { readonly problems: readonly Problem[] } | { readonly needs: readonly string[] };

/** `change` leads from the text now to this text; null if there is no file now. */
export type MergedBack = { readonly text: Document; readonly change: LineChange | null } | Hindrance;

interface Merging {
  readonly examined: Examined;
  /** To be brought back, oldest first. */
  readonly chosen: readonly LostWork[];
  /** Lost too, but not asked for. */
  readonly others: readonly LostWork[];
  /** Gone from the file, but not lost: they are in commits. */
  readonly ended: readonly LostWork[];
}

export async function mergeBack(asked: Merging): Promise<MergedBack> {
  const { examined, chosen, others } = asked;
  const { now, source } = examined;
  const move = others.find(({ what }) => what === "moved");
  if (source && move) return { needs: [move.entry.id] };
  if (!now) return mergeMissing(asked);
  const alone = others.length > 0 ? await mergeOwnChanges(examined, chosen, now) : await rewound(asked);
  return alone ?? mergeStates(asked, now);
}

/** All work in a missing file comes back together, or the work that begins with the creation of the file. */
async function mergeMissing(asked: Merging): Promise<MergedBack> {
  const { examined, chosen, others } = asked;
  const { course, texts } = examined;
  const [first, ...rest] = chosen;
  if (others.length > 0) {
    const isNew = first?.entry.before === null && first.entry.after !== null;
    const created = isNew ? await texts(first.entry.after as string) : null;
    const made = created && (await mergeOwnChanges(examined, rest, created));
    return made ? { text: made.text, change: null } : { needs: others.map(({ entry }) => entry.id) };
  }
  const last = course.states.findLastIndex(({ version }) => version !== null);
  const text = await course.textAt(last);
  if (!text) return { problems: [] };
  // Work that vanished before the file did is not in its last text.
  const earlier = chosen.map(({ traces, ...work }) => ({
    ...work,
    traces: traces.map((trace) => ({ ...trace, gone: trace.gone.filter(({ state }) => state !== last) })),
  }));
  const made = await mergeStates({ ...asked, chosen: earlier }, text);
  return "text" in made ? { text: made.text, change: null } : made;
}

/** The last text, if the file is exactly what it was before some journaled edits, and nobody else came in between. */
async function rewound({ examined, chosen, ended }: Merging): Promise<MergedBack | null> {
  const { course, now } = examined;
  const last = course.last - 1;
  const places = placesOf(chosen);
  if (!now || ended.length > 0 || places.length === 0) return null;
  if (places.some(({ gone }) => gone.state !== last)) return null;
  const back = course.states.findLastIndex(({ version }, at) => at < last && version === now.version);
  if (back < 0 || course.states.slice(back + 1, last + 1).some(({ isForeign }) => isForeign)) return null;
  const text = await course.textAt(last);
  return text && { text, change: course.map(back, last) ?? compare(now, text) };
}

/** Each edit by its own change, without what others did between; null if one of them does not fit. */
async function mergeOwnChanges({ texts }: Examined, chosen: readonly LostWork[], now: Document) {
  let text = now;
  let change = LineChange.identity(now.lineCount);
  for (const { entry, traces } of chosen) {
    const base = entry.before === null ? Document.fromText("") : await texts(entry.before);
    const ours = entry.after === null ? null : await texts(entry.after);
    const regions = traces.map(({ region }) => region);
    const merged = base && ours && merge3({ base, ours, regions, now: text });
    if (!merged || "problems" in merged) return null;
    change = change.compose(merged.change);
    text = merged.document;
  }
  return { text, change };
}

interface Place {
  readonly trace: Trace;
  readonly gone: Gone;
}

function placesOf(works: readonly LostWork[]): Place[] {
  return works.flatMap(({ traces }) =>
    traces.flatMap((trace) => trace.gone.map((gone): Place => ({ trace, gone }))),
  );
}

/** One merge for each text that last held some of the work. */
async function mergeStates(asked: Merging, now: Document): Promise<MergedBack> {
  const places = placesOf(asked.chosen);
  let text = now;
  let change = LineChange.identity(now.lineCount);
  for (const state of [...new Set(places.map(({ gone }) => gone.state))].sort((one, two) => one - two)) {
    const ours = await asked.examined.course.textAt(state);
    if (!ours) return { problems: [] };
    const lost = places.filter(({ gone }) => gone.state === state);
    const merged = await mergeState(asked, { state, ours, lost, now: text });
    if (!("document" in merged)) return merged;
    change = change.compose(merged.change);
    text = merged.document;
  }
  return { text, change };
}

/** A state that last held some of the work, with its text. */
interface Loss {
  readonly state: number;
  readonly ours: Document;
  readonly lost: readonly Place[];
  readonly now: Document;
}

async function mergeState(asked: Merging, loss: Loss): Promise<Merged | Hindrance> {
  const { state, ours, lost, now } = loss;
  const { course } = asked.examined;
  const reverted = await revert(asked, loss);
  if (reverted && asked.others.length > 0) return reverted;
  let problems: readonly Problem[] = [];
  for (const at of basesOf(asked, loss)) {
    const isNone = course.states[at]?.version === null;
    const base = isNone ? Document.fromText("") : await course.textAt(at);
    const map = isNone ? compare(Document.fromText(""), ours) : course.map(at, state);
    if (!base || !map) continue;
    const regions = map.regions.filter((region) => lost.some(({ gone }) => isIn(gone, region)));
    if (!lost.every(({ gone }) => regions.some((region) => isIn(gone, region)))) continue;
    const merged = merge3({ base, ours, regions, now });
    if ("problems" in merged) {
      problems = merged.problems;
      continue;
    }
    const needs = worksIn(regions, asked.others, state);
    if (needs.length > 0) return { needs };
    const inTheWay = await foreignLines(merged.change, regions, asked, loss);
    if (inTheWay.length === 0) return merged;
    problems = [inTheWayProblem(now, inTheWay)];
  }
  return reverted ?? { problems };
}

const mostBases = 16;

/** Earlier states: if all work comes back, first the oldest that lines are followed from; then the newest. */
function* basesOf({ examined, others, ended }: Merging, { state, lost }: Loss): Generator<number> {
  const { course } = examined;
  const newest = lost.reduce((least, { trace }) => Math.min(least, trace.state), state) - 1;
  if (others.length + ended.length === 0) {
    let oldest = state;
    while (oldest > 0 && course.states[oldest]?.map) oldest--;
    yield oldest;
  }
  for (let at = newest; at >= 0 && at > newest - mostBases; at--) {
    yield at;
    if (!course.states[at]?.map) return;
  }
}

/**
 * Takes back the change from the last text to the text now, if nothing else is in these places, and nothing stands there but
 * text that these very edits had removed.
 */
async function revert({ examined }: Merging, { ours, lost, now }: Loss): Promise<Merged | null> {
  const regions = compare(now, ours).regions.filter((region) => lost.some(({ gone }) => isIn(gone, region)));
  if (regions.length === 0) return null;
  const own = lost.reduce((set, { gone }) => set.union(gone.lines), LineSet.empty);
  const removed: string[] = [];
  for (const { trace } of lost) {
    const before = await examined.course.textAt(trace.state - 1);
    for (const line of before?.lines(trace.region.aStart, trace.region.aEnd) ?? []) removed.push(line);
  }
  for (const { aStart, aEnd, bStart, bEnd } of regions) {
    const others = lineIndexes(bStart, bEnd).filter((line) => !own.has(line));
    if (others.some((line) => isText(ours.text(line)))) return null;
    if (!isWithin(now.lines(aStart, aEnd).filter(isText), removed)) return null;
  }
  const merged = merge3({ base: now, ours, regions, now });
  return "problems" in merged ? null : merged;
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

function isIn({ lines, gap }: Gone, { bStart, bEnd }: Region): boolean {
  if (gap !== null && bStart <= gap && gap <= bEnd) return true;
  return bStart < bEnd && !lines.intersect(LineSet.of([[bStart, bEnd]])).isEmpty;
}

function worksIn(regions: readonly Region[], works: readonly LostWork[], state: number): string[] {
  const isThere = (gone: Gone) => gone.state === state && regions.some((region) => isIn(gone, region));
  return works
    .filter(({ traces }) => traces.some(({ gone }) => gone.some(isThere)))
    .map(({ entry }) => entry.id);
}

/** Lines now that the merge would remove, and that the restored edits neither removed nor wrote. */
async function foreignLines(
  change: LineChange,
  regions: readonly Region[],
  { examined }: Merging,
  { ours, lost, now }: Loss,
): Promise<number[]> {
  const removed = await examined.course.takenBy(lost.map(({ trace }) => trace));
  const written = new Set(regions.flatMap(({ bStart, bEnd }) => ours.lines(bStart, bEnd)).map(bare));
  const mayGo = (line: string): boolean => line === "" || removed.has(line) || written.has(line);
  return change.regions
    .flatMap(({ aStart, aEnd }) => lineIndexes(aStart, aEnd))
    .filter((at) => !mayGo(bare(now.text(at))));
}

function inTheWayProblem(now: Document, lines: readonly number[]): Problem {
  const mismatches = lines.map((at) => ({
    ...{ anchor: anchorOf(now, at, "hex6"), line: at + 1, cause: "inserted" as const },
    ...{ expected: null, actual: null, shown: null, now: now.text(at) },
  }));
  return problem("stale", [], "", { mismatches });
}
