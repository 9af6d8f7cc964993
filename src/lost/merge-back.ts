/**
 * The text of a file with lost work in it again. Each text that last held some of the work is merged with the file now,
 * from a text that the file had before the work.
 */
import { type Merged, merge3 } from "../calls/index.js";
import { compare, LineChange, type Region } from "../changes/index.js";
import { anchorOf, type Problem, problem } from "../edits/index.js";
import { Document, LineSet, lineIndexes } from "../text/index.js";
import type { FileFindings, LostWork } from "./find-lost.js";
import type { EditedPlace, Removed } from "./places/edited-place.js";
import { normalised } from "./places/survival.js";

/** Problems are empty if a text is not kept; `needs` are lost edits that this work builds on. */
type Hindrance = { readonly problems: readonly Problem[] } | { readonly needs: readonly string[] };

/** `change` leads from the text now to this text; null if there is no file now. */
export type MergedBack = { readonly text: Document; readonly change: LineChange | null } | Hindrance;

interface Merging {
  readonly findings: FileFindings;
  /** To be brought back, oldest first. */
  readonly chosen: readonly LostWork[];
  /** Lost too, but not asked for. */
  readonly others: readonly LostWork[];
  /** Gone from the file, but not lost: they are in commits. */
  readonly ended: readonly LostWork[];
}

export async function mergeBack(asked: Merging): Promise<MergedBack> {
  const { findings, chosen, others } = asked;
  const { now, source } = findings;
  const move = others.find(({ what }) => what === "moved");
  if (source && move) return { needs: [move.entry.id] };
  if (!now) return mergeMissing(asked);
  const alone = others.length > 0 ? await mergeOwnChanges(findings, chosen, now) : null;
  return alone ?? mergeStates(asked, now);
}

/** All work in a missing file comes back together, or the work that begins with the creation of the file. */
async function mergeMissing(asked: Merging): Promise<MergedBack> {
  const { findings, chosen, others } = asked;
  const { edited, texts } = findings;
  const [first, ...rest] = chosen;
  if (others.length > 0) {
    const isNew = first?.entry.before === null && first.entry.after !== null;
    const created = isNew ? await texts(first.entry.after as string) : null;
    const made = created && (await mergeOwnChanges(findings, rest, created));
    return made ? { text: made.text, change: null } : { needs: others.map(({ entry }) => entry.id) };
  }
  const last = edited.steps.states.findLastIndex(({ version }) => version !== null);
  const text = await edited.steps.textAt(last);
  if (!text) return { problems: [] };
  // Work that vanished before the file did is not in its last text.
  const earlier = chosen.map(({ places, ...work }) => ({
    ...work,
    places: places.map((place) => ({ ...place, gone: place.gone.filter(({ state }) => state !== last) })),
  }));
  const made = await mergeStates({ ...asked, chosen: earlier }, text);
  return "text" in made ? { text: made.text, change: null } : made;
}

/** Each edit by its own change, without what others did between; null if one of them does not fit. */
async function mergeOwnChanges({ texts }: FileFindings, chosen: readonly LostWork[], now: Document) {
  let text = now;
  let change = LineChange.identity(now.lineCount);
  for (const { entry, places } of chosen) {
    const base = entry.before === null ? Document.fromText("") : await texts(entry.before);
    const ours = entry.after === null ? null : await texts(entry.after);
    const regions = places.map(({ region }) => region);
    const merged = base && ours && merge3({ base, ours, regions, now: text });
    if (!merged || "problems" in merged) return null;
    change = change.compose(merged.change);
    text = merged.document;
  }
  return { text, change };
}

interface LostPlace {
  readonly place: EditedPlace;
  readonly gone: Removed;
}

function placesOf(works: readonly LostWork[]): LostPlace[] {
  return works.flatMap(({ places }) =>
    places.flatMap((place) => place.gone.map((gone): LostPlace => ({ place, gone }))),
  );
}

/** One merge for each text that last held some of the work. */
async function mergeStates(asked: Merging, now: Document): Promise<MergedBack> {
  const places = placesOf(asked.chosen);
  let text = now;
  let change = LineChange.identity(now.lineCount);
  for (const state of [...new Set(places.map(({ gone }) => gone.state))].sort((one, two) => one - two)) {
    const ours = await asked.findings.edited.steps.textAt(state);
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
  readonly lost: readonly LostPlace[];
  readonly now: Document;
}

async function mergeState(asked: Merging, loss: Loss): Promise<Merged | Hindrance> {
  const { state, ours, now } = loss;
  let problems: readonly Problem[] = [];
  for await (const { base, regions, isOwn } of basesOf(asked, loss)) {
    const merged = merge3({ base, ours, regions, now });
    if ("problems" in merged) {
      problems = merged.problems;
      continue;
    }
    if (isOwn) return merged;
    const needs = worksIn(regions, asked.others, state);
    if (needs.length > 0) return { needs };
    const inTheWay = await foreignLines(merged.change, regions, asked, loss);
    if (inTheWay.length === 0) return merged;
    problems = [inTheWayProblem(now, inTheWay)];
  }
  return { problems };
}

/** A text that work can be merged from, and the places in which it differs from the text that last held the work. */
interface Base {
  readonly base: Document;
  readonly regions: readonly Region[];
  /** Nobody but the lost edits changed these places, and no other work is in them. */
  readonly isOwn?: true;
}

async function* basesOf(asked: Merging, loss: Loss): AsyncGenerator<Base> {
  if (asked.others.length > 0) yield* nowAsBase(asked, loss);
  else yield* rewoundBase(asked, loss);
  yield* earlierBases(asked, loss);
  if (asked.others.length === 0) yield* nowAsBase(asked, loss);
}

/** The text now, if it is exactly a text before some journaled edits, and nobody else came in between: all differences. */
function* rewoundBase({ findings, ended }: Merging, { state, now }: Loss): Generator<Base> {
  const { steps } = findings.edited;
  if (ended.length > 0 || state !== steps.last - 1) return;
  const back = steps.lastBefore(state, now.version);
  const change = back < 0 ? null : steps.change(back, state);
  const isAlone = steps.states.slice(back + 1, state + 1).every(({ entry }) => entry);
  if (change && isAlone) yield { base: now, regions: change.regions, isOwn: true };
}

const mostBases = 16;

/** Texts of earlier states: if all work comes back, first the oldest from which lines are followed; then the newest. */
async function* earlierBases(
  { findings, others, ended }: Merging,
  { state, ours, lost }: Loss,
): AsyncGenerator<Base> {
  const { steps } = findings.edited;
  const newest = lost.reduce((least, { place }) => Math.min(least, place.state), state) - 1;
  const states: number[] = [];
  for (let at = newest; at >= 0 && at > newest - mostBases; at--) {
    states.push(at);
    if (!steps.states[at]?.change) break;
  }
  if (others.length + ended.length === 0)
    states.unshift(steps.states.findLastIndex(({ change }, at) => at <= state && !change));
  for (const at of states) {
    const isNone = steps.states[at]?.version === null;
    const base = isNone ? Document.fromText("") : await steps.textAt(at);
    const change = base && (isNone ? compare(base, ours) : steps.change(at, state));
    const regions = change?.regions.filter((region) => lost.some(({ gone }) => isIn(gone, region))) ?? [];
    const isWhole = lost.every(({ gone }) => regions.some((region) => isIn(gone, region)));
    if (base && change && isWhole) yield { base, regions };
  }
}

/**
 * The text now, if nothing else differs in these places, and nothing is there but text that these very edits had removed:
 * the change since is taken back.
 */
async function* nowAsBase({ findings }: Merging, { ours, lost, now }: Loss): AsyncGenerator<Base> {
  const regions = compare(now, ours).regions.filter((region) => lost.some(({ gone }) => isIn(gone, region)));
  const own = lost.reduce((set, { gone }) => set.union(gone.lines), LineSet.empty);
  const removed: string[] = [];
  for (const { place } of lost) {
    const before = await findings.edited.steps.textAt(place.state - 1);
    for (const line of before?.lines(place.region.aStart, place.region.aEnd) ?? []) removed.push(line);
  }
  const isOwn = ({ aStart, aEnd, bStart, bEnd }: Region): boolean => {
    const others = lineIndexes(bStart, bEnd).filter((line) => !own.has(line));
    return !others.some((line) => isText(ours.text(line))) && isWithin(now.lines(aStart, aEnd), removed);
  };
  if (regions.length > 0 && regions.every(isOwn)) yield { base: now, regions, isOwn: true };
}

const isText = (line: string): boolean => line.trim() !== "";

/** Whether these lines, but for blank ones, are some of those, in the same order. */
function isWithin(lines: readonly string[], all: readonly string[]): boolean {
  let at = 0;
  for (const line of lines.filter(isText)) {
    at = all.indexOf(line, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

function isIn({ lines, gap }: Removed, { bStart, bEnd }: Region): boolean {
  if (gap !== null && bStart <= gap && gap <= bEnd) return true;
  return bStart < bEnd && !lines.intersect(LineSet.of([[bStart, bEnd]])).isEmpty;
}

function worksIn(regions: readonly Region[], works: readonly LostWork[], state: number): string[] {
  const isThere = (gone: Removed) => gone.state === state && regions.some((region) => isIn(gone, region));
  return works
    .filter(({ places }) => places.some(({ gone }) => gone.some(isThere)))
    .map(({ entry }) => entry.id);
}

/** Lines now that the merge would remove, and that the restored edits neither removed nor wrote. */
async function foreignLines(
  change: LineChange,
  regions: readonly Region[],
  { findings }: Merging,
  { ours, lost, now }: Loss,
): Promise<number[]> {
  const removed = await findings.edited.removedBy(lost.map(({ place }) => place));
  const written = new Set(regions.flatMap(({ bStart, bEnd }) => ours.lines(bStart, bEnd)).map(normalised));
  const isRemovable = (line: string): boolean => line === "" || removed.has(line) || written.has(line);
  return change.regions
    .flatMap(({ aStart, aEnd }) => lineIndexes(aStart, aEnd))
    .filter((at) => !isRemovable(normalised(now.text(at))));
}

function inTheWayProblem(now: Document, lines: readonly number[]): Problem {
  const mismatches = lines.map((at) => ({
    ...{ anchor: anchorOf(now, at, "hex6"), line: at + 1, cause: "inserted" as const },
    ...{ expected: null, actual: null, shown: null, now: now.text(at) },
  }));
  return problem("stale", [], "", { mismatches });
}
