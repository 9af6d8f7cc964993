/** The states of a file from its first live edit to now: journaled steps, and between them the changes of others. */
import { compare, LineChange, pairLayout, readChange } from "../../changes/index.js";
import type { Texts } from "../../ledger/index.js";
import type { JournalEntry } from "../../ports/index.js";
import type { Document } from "../../text/index.js";
import type { FileJournal } from "./file-journal.js";

/** One state of a file; `version` is null if there was no file. */
export interface FileState {
  readonly version: string | null;
  /** From the state before; null if a text is not kept, or there was no file. */
  readonly change: LineChange | null;
  /** The journaled step that led here; null after a change of others. */
  readonly entry: JournalEntry | null;
}

export class FileSteps {
  readonly states: FileState[] = [];
  private readonly byVersion = new Map<string | null, number[]>();
  private readonly compared = new WeakMap<Document, Map<string, LineChange>>();

  constructor(private readonly texts: Texts) {}

  /** Yields after each step, so that texts around it are still at hand. */
  async *walk({ entries }: FileJournal, now: Document | null): AsyncGenerator<FileState> {
    this.push({ version: entries[0]?.before ?? null, change: null, entry: null });
    for (const entry of entries) {
      // A moved file has the text it had; under its new name there was none.
      const isMoveBack =
        entry.kind === "undo" && entry.before === null && this.version !== null && entry.after !== null;
      if (entry.before !== this.version && !isMoveBack) yield await this.byOthers(entry.before);
      yield this.push({ version: entry.after, change: await this.changeOf(entry), entry });
    }
    const last = now?.version ?? null;
    if (last !== this.version) yield await this.byOthers(last);
  }

  get last(): number {
    return this.states.length - 1;
  }

  private get version(): string | null {
    return this.states.at(-1)?.version ?? null;
  }

  async textOf(version: string | null): Promise<Document | null> {
    return version === null ? null : this.texts(version);
  }

  async textAt(state: number): Promise<Document | null> {
    return this.textOf(this.states[state]?.version ?? null);
  }

  /** From a state to a later one, through every step between; null if that cannot be told. */
  change(from: number, to: number): LineChange | null {
    let change: LineChange | null = this.states[from + 1]?.change ?? null;
    for (let at = from + 2; at <= to && change; at++) {
      const next = this.states[at]?.change;
      change = next ? change.compose(next) : null;
    }
    return from < to ? change : null;
  }

  /** The last state before this one that had the version; -1 if none had. */
  lastBefore(state: number, version: string | null): number {
    return this.byVersion.get(version)?.findLast((at) => at < state) ?? -1;
  }

  /** Compares a text with the text of many places. */
  comparison(before: Document, now: Document): LineChange {
    const changes = this.compared.get(now) ?? new Map<string, LineChange>();
    const change = changes.get(before.version) ?? compare(before, now);
    this.compared.set(now, changes.set(before.version, change));
    return change;
  }

  private push(state: FileState): FileState {
    const states = this.byVersion.get(state.version) ?? [];
    states.push(this.states.length);
    this.byVersion.set(state.version, states);
    this.states.push(state);
    return state;
  }

  private async byOthers(version: string | null): Promise<FileState> {
    const before = await this.textAt(this.last);
    const now = await this.textOf(version);
    return this.push({ version, change: before && now && this.changeTo(before, now), entry: null });
  }

  /** Lines go back to an earlier state on the way they came: comparing cannot tell equal lines apart. */
  private changeTo(before: Document, now: Document): LineChange {
    const back = this.lastBefore(this.states.length, now.version);
    const change = back < 0 ? null : this.change(back, this.last)?.invert();
    if (!change) return compare(before, now);
    const regions = change.regions.filter(
      ({ aStart, aEnd, bStart, bEnd }) =>
        aEnd - aStart !== bEnd - bStart || !before.isSameLines(aStart, aEnd, now, bStart),
    );
    return LineChange.of(change.before, change.after, regions);
  }

  private async changeOf({ before, after, change, reformat }: JournalEntry): Promise<LineChange | null> {
    if (after === null || this.version === null) return null;
    const journaled = change && before !== null ? readChange(change) : null;
    if (journaled && !reformat) return journaled;
    const [old, now] = [await this.texts(this.version), await this.texts(after)];
    if (!old || !now) return journaled;
    const found = journaled ?? compare(old, now);
    return reformat ? pairLayout(old, now, found) : found;
  }
}
