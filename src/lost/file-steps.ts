import { compare, LineChange } from "../changes/index.js";
import { type Texts, writtenLines } from "../ledger/index.js";
import type { JournalEntry } from "../ports/index.js";
import { type Document, LineSet } from "../text/index.js";
import {
  below,
  type CourseState,
  carryOn,
  type Deleted,
  type Gone,
  hullOf,
  inOrder,
  isThere,
  isTouched,
  type Judgement,
  muteLine,
  type Pair,
  readMap,
  type Trace,
  Traces,
  vanish,
  Way,
} from "./edited-places.js";
import { type Chain, undoes } from "./file-journal.js";
import { bare, isBack, type Meeting, pairedLines, resembles, standing, without } from "./survival.js";

/** So many lines of a place are remembered: a file that is written whole again and again would fill the memory. */
const heldLines = 64;

/** A step with the ids of the commits that it undoes, and of the edits that it restores. */
interface Returning {
  readonly map: LineChange | null;
  readonly undone: ReadonlySet<string>;
  readonly restores: ReadonlySet<string>;
}

/** A file's way from its first live edit to now: journaled steps, and between them whatever others did. */
export class Course {
  deleted: Deleted[] = [];
  private readonly way = new Way();
  private readonly places = new Traces();
  private origin: ReadonlySet<string> | null = null;
  private readonly takenOut = new Map<Trace, readonly string[]>();
  /** Edits that each restore brought back. */
  private readonly restores = new Map<string, readonly string[]>();
  private readonly compared = new WeakMap<Document, Map<string, LineChange>>();

  private constructor(
    private readonly live: ReadonlySet<string>,
    private readonly texts: Texts,
  ) {}

  static async of(chain: Chain, live: ReadonlySet<string>, texts: Texts): Promise<Course> {
    const course = new Course(live, texts);
    for (const { id, edits } of chain.entries) if (edits) course.restores.set(id, edits);
    course.way.push({ version: chain.entries[0]?.before ?? null, map: null });
    for (const entry of chain.entries) {
      // A moved file has the text it had; under its new name there was none.
      if (entry.before !== course.version && !isMoveBack(entry, course)) await course.foreign(entry.before);
      await course.journaled(entry);
    }
    return course;
  }

  /** The file as it is now ends the course. */
  async arrive(now: Document | null): Promise<void> {
    if ((now?.version ?? null) !== this.version) await this.foreign(now?.version ?? null);
    else if (now) await this.findAgain(now);
  }

  get traces(): readonly Trace[] {
    return this.places.all;
  }

  get states(): readonly CourseState[] {
    return this.way.states;
  }

  get version(): string | null {
    return this.states.at(-1)?.version ?? null;
  }

  get last(): number {
    return this.states.length - 1;
  }

  /** Whether all that vanished of a place stands in this text; `isLater`: it came from the text with the edit. */
  async stands(trace: Trace, now: Document, isLater: boolean): Promise<boolean> {
    for (const one of trace.gone) if (!(await this.isThere(trace, one, { now, isLater }))) return false;
    return true;
  }

  private async isThere(
    trace: Trace,
    { state, lines, gap }: Gone,
    { now, isLater }: { readonly now: Document; readonly isLater: boolean },
  ): Promise<boolean> {
    const before = await this.textAt(state);
    if (!before || trace.blind) return false;
    const map = this.comparison(before, now);
    const meeting = await this.meeting(trace, { before, now, map, old: null });
    const found = await this.judge(trace, { lines, gap }, { ...meeting, apart: !isLater });
    return found.gone.isEmpty && !found.isBack;
  }

  private async judge(
    trace: Trace,
    { lines, gap }: Pick<Trace, "lines" | "gap">,
    meeting: Meeting,
  ): Promise<Judgement> {
    const found = standing(lines, meeting);
    const at = gap ?? muteLine(lines, meeting.before);
    if (at !== null) return { ...found, isBack: await this.isBack(trace, at, meeting) };
    const kept = meeting.map.carry(lines);
    if (!found.gone.isEmpty || kept.size === lines.size) return { ...found, isBack: false };
    // All of it stands in another layout; but then so it may have done before the edit.
    const after = await this.textAt(trace.state);
    const own = after?.lines(trace.region.bStart, trace.region.bEnd).map(bare) ?? [];
    const hull = hullOf({ lines, gap: null });
    if (!isBack(hull, without(await this.taken(trace), own), meeting)) return { ...found, isBack: false };
    const gone = lines.subtract(pairedLines(meeting.map));
    return { lines: kept, gone, replaced: LineSet.empty, isBack: false };
  }

  /** What was taken out of the place stands there again: by this edit, or by one whose text it took out. */
  private async isBack(trace: Trace, gap: number, meeting: Meeting): Promise<boolean> {
    for (const one of below(trace)) {
      const taken = await this.taken(one);
      if ((one === trace || taken.length > 0) && isBack([gap, gap], taken, meeting)) return true;
    }
    return false;
  }

  async textAt(state: number): Promise<Document | null> {
    const version = this.states[state]?.version ?? null;
    return version === null ? null : this.texts(version);
  }

  map(from: number, to: number): LineChange | null {
    return this.way.map(from, to);
  }

  /** The text was there before the edit, and was not after it. */
  private isRewound({ state }: Trace, version: string): boolean {
    const at = this.way.lastBefore(this.last, version);
    return at >= 0 && at < state;
  }

  private async meeting(trace: Trace, pair: Pair): Promise<Meeting> {
    const old = pair.old ?? (await this.takenBy([trace]));
    this.origin ??= new Set((await this.textAt(0))?.lines().map(bare) ?? []);
    const { origin } = this;
    return {
      ...{ ...pair, rewound: this.isRewound(trace, pair.now.version), apart: !pair.old },
      // What stood in the file at first counts too.
      isOld: (line) => origin.has(line) || old.has(line),
    };
  }

  /** Lines, bare, that these places took out, or others that they took out. */
  async takenBy(traces: readonly Trace[]): Promise<ReadonlySet<string>> {
    const old = new Set<string>();
    const all = [...new Set(traces.flatMap(below))].sort(inOrder);
    for (const one of all) for (const line of await this.taken(one)) old.add(line);
    return old;
  }

  private async taken(trace: Trace): Promise<readonly string[]> {
    const known = this.takenOut.get(trace);
    if (known) return known;
    const before = await this.textAt(trace.state - 1);
    const lines = before?.lines(trace.region.aStart, trace.region.aEnd).map(bare) ?? [];
    if (lines.length <= heldLines) this.takenOut.set(trace, lines);
    return lines;
  }

  /** Somebody who is not in the journal changed the file. */
  private async foreign(version: string | null): Promise<void> {
    const from = this.version;
    const before = from === null ? null : await this.texts(from);
    const now = version === null ? null : await this.texts(version);
    const map = before && now && this.mapTo(before, now);
    const isOld = this.way.lastBefore(this.states.length, version) >= 0;
    this.way.push({ version, map, isForeign: true });
    for (const one of this.deleted) one.back = await this.isBackAgain(one, version, now);
    const isMet = (trace: Trace) => map !== null && !trace.blind && isTouched(trace, before as Document, map);
    const places = this.places.met(isOld || version === null);
    const touched = new Set(places.filter(isMet));
    const old = touched.size > 0 ? await this.takenBy([...touched]) : new Set<string>();
    const sizes = this.sizesOf(touched);
    for (const trace of places) {
      if (version === null) {
        if (isThere(trace)) vanish(trace, this.last - 1);
      } else if (from === null) {
        // The file is there again: nothing of it can be followed.
      } else if (!map || trace.blind) {
        if (isThere(trace) && this.isRewound(trace, version)) vanish(trace, this.last - 1);
      } else if (before && now && touched.has(trace)) await this.meet(trace, { before, now, map, old });
      else carryOn(trace, map);
      this.places.sort(trace);
    }
    if (version !== null && from !== null && !map) this.places.loseSight();
    // Who puts the file back to a text that it had writes nothing in the place of anything.
    if (!isOld) for (const trace of touched) this.allow(trace, sizes);
    if (now) await this.findAgain(now);
  }

  /** How many lines of each edit stand. */
  private sizesOf(traces: ReadonlySet<Trace>): Map<string, number> {
    const sizes = new Map<string, number>();
    for (const { entry } of traces) if (!sizes.has(entry.id)) sizes.set(entry.id, this.sizeOf(entry.id));
    return sizes;
  }

  private sizeOf(id: string): number {
    return [...this.places.of([id], [])].reduce((sum, { lines }) => sum + lines.size, 0);
  }

  /** Other text in the place of some lines, while most of the edit still stands, is a change and takes nothing away. */
  private allow(trace: Trace, sizes: ReadonlyMap<string, number>): void {
    const { id } = trace.entry;
    if (this.sizeOf(id) * 2 < (sizes.get(id) ?? 0)) return;
    const isAltered = ({ state, isReplaced }: Gone): boolean =>
      isReplaced === true && state === this.last - 1;
    trace.altered.push(...trace.gone.filter(isAltered));
    trace.gone = trace.gone.filter((one) => !isAltered(one));
    this.places.sort(trace);
  }

  /** Work that vanished and is there again: a later edit may replace it, or it may vanish once more. */
  private async findAgain(now: Document): Promise<void> {
    for (const trace of this.places.withGone()) {
      const back: Gone[] = [];
      for (const one of [...trace.gone, ...trace.altered])
        if (one.state < this.last - 1 && (await this.isThere(trace, one, { now, isLater: false })))
          back.push(one);
      for (const { state, lines, gap } of back) {
        const map = this.comparison((await this.textAt(state)) as Document, now);
        trace.lines = trace.lines.union(map.carry(lines));
        if (gap !== null) trace.gap = map.gap(gap);
      }
      trace.gone = trace.gone.filter((one) => !back.includes(one));
      trace.altered = trace.altered.filter((one) => !back.includes(one));
      this.places.sort(trace);
    }
  }

  /** Back to a state that was there before, lines go the way they came: where several are equal, comparing can't tell. */
  private mapTo(before: Document, now: Document): LineChange {
    const back = this.way.lastBefore(this.states.length, now.version);
    const map = back < 0 ? null : this.map(back, this.last)?.invert();
    if (!map) return compare(before, now);
    const regions = map.regions.filter(
      ({ aStart, aEnd, bStart, bEnd }) =>
        aEnd - aStart !== bEnd - bStart || !before.sameLines(aStart, aEnd, now, bStart),
    );
    return LineChange.of(map.before, map.after, regions);
  }

  private async isBackAgain({ entry }: Deleted, version: string | null, now: Document | null) {
    if (version === null || entry.before === null) return false;
    const before = await this.texts(entry.before);
    return version === entry.before || (before !== null && now !== null && resembles(before, now));
  }

  /** Asked for many places in turn. */
  private comparison(before: Document, now: Document): LineChange {
    const maps = this.compared.get(now) ?? new Map<string, LineChange>();
    const map = maps.get(before.version) ?? compare(before, now);
    this.compared.set(now, maps.set(before.version, map));
    return map;
  }

  private async meet(trace: Trace, pair: Pair): Promise<void> {
    const state = this.last - 1;
    const { map, before } = pair;
    const { lines, gap } = trace;
    carryOn(trace, map);
    const found = await this.judge(trace, { lines, gap }, await this.meeting(trace, pair));
    trace.lines = found.lines;
    const removed = found.gone.subtract(found.replaced);
    if (!removed.isEmpty) trace.gone.push({ state, lines: removed, gap: null });
    if (!found.replaced.isEmpty)
      trace.gone.push({ state, lines: found.replaced, gap: null, isReplaced: true });
    if (!found.isBack) return;
    trace.gone.push({ state, lines: LineSet.empty, gap: gap ?? muteLine(lines, before) ?? 0 });
    trace.gap = null;
    trace.lines = LineSet.empty;
  }

  private async journaled(entry: JournalEntry): Promise<void> {
    const map = await this.mapOf(entry);
    this.way.push({ version: entry.after, map });
    if (!map && entry.after !== null && this.states[this.last - 1]?.version !== null) this.places.loseSight();
    const undone = undoes(entry);
    const unrestores = new Set(undone.flatMap((id) => this.restores.get(id) ?? []));
    this.places.follow({ entry, map, state: this.last - 1, undoes: new Set(undone), unrestores });
    await this.bringBackAll(entry, map, undone);
    this.deleted = this.deleted.flatMap((one) => {
      if (entry.edits?.includes(one.entry.id)) return [{ ...one, back: false }];
      if (unrestores.has(one.entry.id)) return [{ ...one, back: true }];
      return entry.edits || entry.kind === "undo" ? [one] : [];
    });
    if (!this.live.has(entry.id)) return;
    if (entry.after === null) this.deleted.push({ entry, back: false });
    else this.places.begin({ entry, map, state: this.last });
  }

  private async mapOf({ before, after, change }: JournalEntry): Promise<LineChange | null> {
    if (after === null || this.version === null) return null;
    const map = change && before !== null ? readMap(change) : null;
    if (map) return map;
    const [old, now] = [await this.texts(this.version), await this.texts(after)];
    return old && now && compare(old, now);
  }

  /** A restore brings back what had vanished, an undo what the undone edit had replaced. */
  private async bringBackAll(
    { edits = [] }: JournalEntry,
    map: LineChange | null,
    undone: readonly string[],
  ): Promise<void> {
    const step: Returning = { map, undone: new Set(undone), restores: new Set(edits) };
    for (const trace of this.places.of(edits, undone)) {
      await this.bringBack(trace, step);
      this.places.sort(trace);
    }
  }

  private async bringBack(trace: Trace, { map, undone, restores }: Returning): Promise<void> {
    const isRestored = restores.has(trace.entry.id);
    const returning = trace.replaced.filter(({ by, isUndone }) => undone.has(by) || (isUndone && isRestored));
    const back = [...returning, ...(isRestored ? trace.gone : [])];
    const now = back.length > 0 ? await this.textAt(this.last) : null;
    if (!now) return;
    for (const { state, lines } of back) {
      const before = await this.textAt(state);
      const found = before ? this.comparison(before, now).carry(lines) : LineSet.empty;
      const written = map ? writtenLines(map) : LineSet.all(now.lineCount);
      trace.lines = trace.lines.union(found.isEmpty && !lines.isEmpty ? written : found);
    }
    for (const { state, gap } of back) {
      const before = gap === null ? null : await this.textAt(state);
      if (before && gap !== null) trace.gap = this.comparison(before, now).gap(gap);
    }
    trace.replaced = trace.replaced.filter((one) => !returning.includes(one));
    if (isRestored) trace.gone = [];
  }
}

/** The undo of a move gives the file its old name again. */
function isMoveBack(entry: JournalEntry, course: Course): boolean {
  return entry.kind === "undo" && entry.before === null && course.version !== null && entry.after !== null;
}
