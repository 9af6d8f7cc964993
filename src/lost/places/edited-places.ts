/** Follows each place that a live edit changed, step by step, to the file now. */
import type { LineChange } from "../../changes/index.js";
import { type Texts, writtenLines } from "../../ledger/index.js";
import type { JournalEntry } from "../../ports/index.js";
import { type Document, LineSet } from "../../text/index.js";
import {
  carryPlace,
  type EditedPlace,
  enclosingSpan,
  firstLineWithoutWords,
  followStep,
  hasGone,
  isFollowed,
  isPresent,
  isTouched,
  type Lines,
  placesOfEdit,
  type Removed,
  removeAll,
  withReplaced,
} from "./edited-place.js";
import { type FileJournal, undoes } from "./file-journal.js";
import { type FileState, FileSteps } from "./file-steps.js";
import {
  type Comparison,
  hasReturned,
  isAlike,
  normalised,
  pairedLines,
  type Survival,
  survivalOf,
  without,
} from "./survival.js";

/** Lines of larger places are loaded again: a file that is written whole again and again would fill the memory. */
const heldLines = 64;

/** A file that an edit deleted. */
interface DeletedFile {
  readonly entry: JournalEntry;
  readonly isBack: boolean;
}

interface Judged extends Survival {
  /** The lines that the edit removed are there again. */
  readonly hasReturned: boolean;
}

/** A text of the file, and a text in which its work is looked for. */
type Pair = Pick<Comparison, "before" | "now" | "change" | "isUnrelated">;

export class EditedPlaces {
  readonly all: EditedPlace[] = [];
  deleted: readonly DeletedFile[] = [];
  /** In a long journal most places are replaced sooner or later: later steps do not concern them. */
  private readonly followed = new Set<EditedPlace>();
  private readonly blind = new Set<EditedPlace>();
  private firstSighted = 0;
  private readonly byEdit = new Map<string, EditedPlace[]>();
  private readonly byReplacement = new Map<string, EditedPlace[]>();
  /** Work that came back when an edit was undone, by that edit: it goes again when the edit is made again. */
  private readonly returned = new Map<string, { readonly place: EditedPlace; readonly work: Removed }[]>();
  /** Edits that each restore brought back. */
  private readonly restores = new Map<string, readonly string[]>();
  private readonly removedLines = new Map<EditedPlace, readonly string[]>();
  private firstText: ReadonlySet<string> | null = null;

  private constructor(
    readonly steps: FileSteps,
    private readonly live: ReadonlySet<string>,
  ) {}

  /** Follows every place to the file now. */
  static async of(journal: FileJournal, live: ReadonlySet<string>, now: Document | null, texts: Texts) {
    const places = new EditedPlaces(new FileSteps(texts), live);
    for (const { id, edits } of journal.entries) if (edits) places.restores.set(id, edits);
    let last: FileState | null = null;
    for await (const state of places.steps.walk(journal, now)) {
      if (state.entry) await places.followEntry(state.entry, state.change);
      else await places.followOthers(state);
      last = state;
    }
    if (now && last?.entry) await places.findAgain(now);
    return places;
  }

  /**
   * Whether all work that vanished of a place is in this text. A text that was `made` before the work vanished came from one
   * with the edit, and holds what became of it; a later one has what was put in its place as well.
   */
  async isIn(place: EditedPlace, now: Document, made = Number.POSITIVE_INFINITY): Promise<boolean> {
    for (const gone of place.gone) {
      // Nobody knows when others did it.
      const vanished = this.steps.states[gone.state + 1]?.entry?.time ?? made;
      const isLater = Number.isFinite(made) && made <= vanished;
      if (!(await this.isThere(place, gone, now, isLater))) return false;
    }
    return true;
  }

  /** Lines, normalised, that these places removed, or that others did whose text they replaced. */
  async removedBy(places: readonly EditedPlace[]): Promise<ReadonlySet<string>> {
    const removed = new Set<string>();
    const all = [...new Set(places.flatMap(withReplaced))].sort((one, two) => one.state - two.state);
    for (const place of all) for (const line of await this.removed(place)) removed.add(line);
    return removed;
  }

  private async removed(place: EditedPlace): Promise<readonly string[]> {
    const known = this.removedLines.get(place);
    if (known) return known;
    const before = await this.steps.textAt(place.state - 1);
    const lines = before?.lines(place.region.aStart, place.region.aEnd).map(normalised) ?? [];
    if (lines.length <= heldLines) this.removedLines.set(place, lines);
    return lines;
  }

  private async isThere(place: EditedPlace, gone: Removed, now: Document, isLater: boolean) {
    const before = await this.steps.textAt(gone.state);
    if (!before || place.isBlind) return false;
    const pair = { before, now, change: this.steps.comparison(before, now), isUnrelated: !isLater };
    const found = await this.judge(place, gone, pair);
    return found.gone.isEmpty && !found.hasReturned;
  }

  /** The version was there before the edit, and was not after it. */
  private isRewound({ state }: EditedPlace, version: string): boolean {
    const at = this.steps.lastBefore(this.steps.last, version);
    return at >= 0 && at < state;
  }

  /** `old` are lines, normalised, that edits removed in these places. */
  private async judge(place: EditedPlace, { lines, gap }: Lines, pair: Pair, old?: ReadonlySet<string>) {
    const removed = old ?? (await this.removedBy([place]));
    this.firstText ??= new Set((await this.steps.textAt(0))?.lines().map(normalised) ?? []);
    const { firstText } = this;
    const comparison: Comparison = {
      ...pair,
      isEarlierText: this.isRewound(place, pair.now.version),
      isOld: (line) => firstText.has(line) || removed.has(line),
    };
    const found: Judged = { ...survivalOf(lines, comparison), hasReturned: false };
    const at = gap ?? firstLineWithoutWords(lines, pair.before);
    if (at !== null) return { ...found, hasReturned: await this.hasReturned(place, at, comparison) };
    const kept = pair.change.carry(lines);
    if (!found.gone.isEmpty || kept.size === lines.size) return found;
    // All of it is there in another layout; it may have been there before the edit, too.
    const after = await this.steps.textAt(place.state);
    const own = after?.lines(place.region.bStart, place.region.bEnd).map(normalised) ?? [];
    const others = without(await this.removed(place), own);
    if (!hasReturned(enclosingSpan({ lines, gap }), others, comparison)) return found;
    return { ...found, lines: kept, gone: lines.subtract(pairedLines(pair.change)) };
  }

  /** Lines are back that this edit removed, or an edit whose text it replaced. */
  private async hasReturned(place: EditedPlace, gap: number, comparison: Comparison): Promise<boolean> {
    for (const one of withReplaced(place)) {
      const removed = await this.removed(one);
      if ((one === place || removed.length > 0) && hasReturned([gap, gap], removed, comparison)) return true;
    }
    return false;
  }

  /** Somebody who is not in the journal changed the file. */
  private async followOthers({ version, change }: FileState): Promise<void> {
    const { steps } = this;
    const last = steps.last - 1;
    const [before, now] = [await steps.textAt(last), await steps.textAt(steps.last)];
    const wasThere = steps.states[last]?.version !== null;
    const isKnown = steps.lastBefore(steps.last, version) >= 0;
    await this.lookForDeleted(version, now);
    const met = [...this.followed, ...(isKnown || version === null ? this.blind : [])];
    const pair = before && now && change ? { before, now, change, isUnrelated: false } : null;
    const touched = pair ? met.filter((one) => !one.isBlind && isTouched(one, pair.before, pair.change)) : [];
    const old = await this.removedBy(touched);
    const sizes = this.sizesOf(touched);
    const isMet = new Set(touched);
    for (const place of met) {
      const isLastSeen = !change || place.isBlind;
      if (version === null) removeAll(place, last);
      else if (isLastSeen) {
        if (wasThere && this.isRewound(place, version)) removeAll(place, last);
      } else if (pair && isMet.has(place)) await this.meet(place, pair, old);
      else carryPlace(place, change);
      this.sort(place);
    }
    if (version !== null && wasThere && !change) this.loseSight();
    // A file that is put back to a text that it had gets no text in the place of any.
    if (!isKnown) for (const place of touched) this.allow(place, sizes);
    if (now) await this.findAgain(now);
  }

  private async lookForDeleted(version: string | null, now: Document | null): Promise<void> {
    const found: DeletedFile[] = [];
    for (const { entry } of this.deleted) {
      const before = now && (await this.steps.textOf(entry.before));
      const isSame = version !== null && version === entry.before;
      found.push({ entry, isBack: isSame || (before !== null && now !== null && isAlike(before, now)) });
    }
    this.deleted = found;
  }

  private async meet(place: EditedPlace, pair: Pair, old: ReadonlySet<string>): Promise<void> {
    const state = this.steps.last - 1;
    const { lines, gap } = place;
    carryPlace(place, pair.change);
    const found = await this.judge(place, { lines, gap }, pair, old);
    place.lines = found.lines;
    const removed = found.gone.subtract(found.replaced);
    if (!removed.isEmpty) place.gone.push({ state, lines: removed, gap: null });
    if (!found.replaced.isEmpty)
      place.gone.push({ state, lines: found.replaced, gap: null, isReplaced: true });
    if (!found.hasReturned) return;
    const at = gap ?? firstLineWithoutWords(lines, pair.before) ?? 0;
    place.gone.push({ state, lines: LineSet.empty, gap: at });
    place.gap = null;
    place.lines = LineSet.empty;
  }

  /** How many lines of each edit are there. */
  private sizesOf(places: readonly EditedPlace[]): Map<string, number> {
    return new Map([...new Set(places.map(({ entry }) => entry.id))].map((id) => [id, this.sizeOf(id)]));
  }

  private sizeOf(id: string): number {
    return (this.byEdit.get(id) ?? []).reduce((sum, { lines }) => sum + lines.size, 0);
  }

  /** Other text in the place of some lines, while most of the edit is there, is a change and takes nothing away. */
  private allow(place: EditedPlace, sizes: ReadonlyMap<string, number>): void {
    const { id } = place.entry;
    if (this.sizeOf(id) * 2 < (sizes.get(id) ?? 0)) return;
    const isAltered = ({ state, isReplaced }: Removed): boolean =>
      isReplaced === true && state === this.steps.last - 1;
    place.altered.push(...place.gone.filter(isAltered));
    place.gone = place.gone.filter((one) => !isAltered(one));
    this.sort(place);
  }

  /** Work that vanished and is there again may be replaced by a later edit, or vanish once more. */
  private async findAgain(now: Document): Promise<void> {
    const stateOf = ({ gone, altered }: EditedPlace) => (gone[0] ?? altered[0])?.state ?? 0;
    const places = [...this.followed].filter(hasGone).sort((one, two) => stateOf(one) - stateOf(two));
    for (const place of places) {
      const back: Removed[] = [];
      for (const one of [...place.gone, ...place.altered])
        if (one.state < this.steps.last - 1 && (await this.isThere(place, one, now, false))) back.push(one);
      await this.bringBack(place, back, now, LineSet.empty);
      place.altered = place.altered.filter((one) => !back.includes(one));
      place.gone = place.gone.filter((one) => !back.includes(one));
      this.sort(place);
    }
  }

  private async followEntry(entry: JournalEntry, change: LineChange | null): Promise<void> {
    const { steps } = this;
    const last = steps.last - 1;
    if (!change && entry.after !== null && steps.states[last]?.version !== null) this.loseSight();
    const undone = undoes(entry);
    const unrestored = new Set(undone.flatMap((id) => this.restores.get(id) ?? []));
    const paired = change && pairedLines(change);
    const step = { entry, change, paired, state: last, undone: new Set(undone), unrestored };
    const replaced: EditedPlace[] = [];
    for (const place of this.followed) {
      if (followStep(place, step)) replaced.push(place);
      if (entry.swept) await this.keepReturned(place, last);
      if (!isFollowed(place)) this.sort(place);
    }
    if (replaced.length > 0) this.byReplacement.set(entry.id, replaced);
    await this.bringBackAll(entry, undone);
    this.deleted = this.deleted.flatMap((one) => {
      if (entry.edits?.includes(one.entry.id)) return [{ ...one, isBack: false }];
      if (unrestored.has(one.entry.id)) return [{ ...one, isBack: true }];
      return entry.edits || entry.kind === "undo" ? [one] : [];
    });
    if (!this.live.has(entry.id)) return;
    if (entry.after === null) this.deleted = [...this.deleted, { entry, isBack: false }];
    else this.begin(entry, placesOfEdit(entry, change, steps.last, replaced));
  }

  /** A removal is lost once its lines are back, not where a sweep removed the lines around it. */
  private async keepReturned(place: EditedPlace, state: number): Promise<void> {
    const gap = place.gone.find((one) => one.state === state && one.gap !== null && one.lines.isEmpty);
    if (!gap) return;
    const [before, now] = [await this.steps.textAt(state), await this.steps.textAt(state + 1)];
    const pair = before &&
      now && { before, now, change: this.steps.comparison(before, now), isUnrelated: false };
    if (pair && (await this.judge(place, gap, pair)).hasReturned) return;
    place.gone = place.gone.filter((one) => one !== gap);
  }

  private begin({ id }: JournalEntry, places: readonly EditedPlace[]): void {
    this.byEdit.set(id, [...(this.byEdit.get(id) ?? []), ...places]);
    for (const place of places) {
      this.all.push(place);
      this.sort(place);
    }
  }

  /** A restore brings back the lines that had vanished, an undo the lines that the undone step had replaced or swept away. */
  private async bringBackAll({ edits = [] }: JournalEntry, undone: readonly string[]): Promise<void> {
    const isSwept = ({ state }: Removed) => undone.includes(this.steps.states[state + 1]?.entry?.id ?? "");
    const places = new Set([
      ...edits.flatMap((id) => this.byEdit.get(id) ?? []),
      ...undone.flatMap((id) => this.byReplacement.get(id) ?? []),
      ...(undone.length > 0 ? this.all.filter(({ gone }) => gone.some(isSwept)) : []),
    ]);
    const now = places.size > 0 ? await this.steps.textAt(this.steps.last) : null;
    if (!now) return;
    const change = this.steps.states.at(-1)?.change;
    const written = change ? writtenLines(change) : LineSet.all(now.lineCount);
    for (const place of places) {
      const isRestored = edits.includes(place.entry.id);
      const back = place.replaced.filter((one) => undone.includes(one.by) || (one.isUndone && isRestored));
      const again = isRestored ? place.gone : place.gone.filter(isSwept);
      await this.bringBack(place, [...back, ...again], now, written);
      place.replaced = place.replaced.filter((one) => !back.includes(one));
      for (const work of back)
        this.returned.set(work.by, [...(this.returned.get(work.by) ?? []), { place, work }]);
      place.gone = place.gone.filter((one) => !again.includes(one));
      this.sort(place);
    }
    for (const id of edits) await this.takeAgain(id);
  }

  /** Lines that vanished after an edit was undone are the edit's removal once it is made again: no loss. */
  private async takeAgain(id: string): Promise<void> {
    for (const { place, work } of this.returned.get(id) ?? []) {
      const taken = await this.textsOf(work);
      const left: Removed[] = [];
      for (const one of place.gone) {
        const texts = await this.textsOf(one);
        const lines = one.lines.indexes().filter((_, at) => !hasTaken(taken, texts[at] as string));
        if (lines.length > 0 || one.gap !== null) left.push({ ...one, lines: LineSet.lines(lines) });
      }
      place.gone = left;
      this.sort(place);
    }
    this.returned.delete(id);
  }

  private async textsOf({ state, lines }: Removed): Promise<string[]> {
    const text = await this.steps.textAt(state);
    return lines.indexes().map((line) => normalised(text?.text(line) ?? ""));
  }

  /** `written` are the lines that work is taken to be in if comparing does not find it. */
  private async bringBack(
    place: EditedPlace,
    removed: readonly Removed[],
    now: Document,
    written: LineSet,
  ): Promise<void> {
    for (const { state, lines, gap } of removed) {
      const before = await this.steps.textAt(state);
      const change = before && this.steps.comparison(before, now);
      const found = change ? change.carry(lines) : LineSet.empty;
      place.lines = place.lines.union(found.isEmpty && !lines.isEmpty ? written : found);
      if (change && gap !== null) place.gap = change.gap(gap);
    }
  }

  private sort(place: EditedPlace): void {
    const [isOn, isHere] = [isFollowed(place), isPresent(place)];
    if (isOn) this.followed.add(place);
    else this.followed.delete(place);
    if (isHere && !isOn) this.blind.add(place);
    else this.blind.delete(place);
  }

  /** A text is not kept: the places so far can be followed no longer. */
  private loseSight(): void {
    for (; this.firstSighted < this.all.length; this.firstSighted++) {
      const place = this.all[this.firstSighted] as EditedPlace;
      place.isBlind = true;
      this.sort(place);
    }
  }
}

/** Takes one of equal texts out of a list; tells whether there was one. */
function hasTaken(texts: string[], text: string): boolean {
  const at = texts.indexOf(text);
  if (at >= 0) texts.splice(at, 1);
  return at >= 0;
}
