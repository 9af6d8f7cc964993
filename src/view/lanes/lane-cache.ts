/** Lanes of the files that matter, made anew only where the file, its journal or what the agent was shown has changed. */
import { type FileContext, type Look, lookingContext } from "../../ledger/index.js";
import type { FileId, JournalEntry, LedgerStore } from "../../ports/index.js";
import { type LaneNow, laneOf } from "./lane.js";
import { laneThen } from "./lane-then.js";

export const mostFiles = 500;
/** Files whose lanes are drawn of the past. */
const filesThen = 60;
/** Lanes that are kept; with more, all are made anew. */
const mostLanes = 32_000;
/** Milliseconds in which a tool tells of what it has written. */
const untoldFor = 1500;
const newline = 10;

export interface LaneSource {
  readonly look: Look & { readonly store: LedgerStore };
  /** The path as people here write it. */
  shownPath(key: string): string;
  /** Another text whenever the file is another one; null if there is none. */
  stamp(key: string): Promise<string | null>;
}

export interface SeenLane {
  readonly file: string;
  readonly agent: string;
  readonly made: LaneNow;
}

interface Kept {
  readonly stamp: string;
  readonly made: LaneNow | null;
}

export class LaneCache {
  private readonly lanes = new Map<string, Kept>();
  private readonly stamps = new Map<string, { stamp: string | null; entry: string; since: number }>();
  private readonly counts = new Map<string, { readonly stamp: string; readonly lines: number }>();

  constructor(private readonly source: LaneSource) {}

  /** Returns the lanes of these files, and of others that agents were shown, as far as there is room. */
  async of(entries: readonly JournalEntry[], files: readonly string[]): Promise<Map<string, SeenLane>> {
    const { look } = this.source;
    const newest = new Map(entries.map(({ file, id }) => [file, id]));
    const wanted = new Set(files);
    const ledgers = await look.store.ledgers();
    for (const { file } of ledgers) if (wanted.size < mostFiles) wanted.add(file);
    const found = new Map<string, SeenLane>();
    const stamps = new Map<string, string | null>();
    const contexts = new Map<string, FileContext>();
    for (const { file, agent, ledger } of ledgers) {
      if (!wanted.has(file)) continue;
      const entry = newest.get(file) ?? "";
      if (!stamps.has(file)) stamps.set(file, await this.settledStamp(file, entry));
      const stamp = stamps.get(file) ?? null;
      if (stamp === null) continue;
      const context = contexts.get(agent) ?? (await lookingContext({ ...look, agent }));
      contexts.set(agent, context);
      const made = await this.lane(file, `${stamp} ${entry} ${orderIn(ledger)}`, context);
      if (made) found.set(`${file}\0${agent}`, { file, agent, made });
    }
    if (this.lanes.size > mostLanes) this.lanes.clear();
    return found;
  }

  /** Returns the lanes as they were at a moment: asked for now and then, and made anew each time. */
  async at(files: readonly string[], time: number): Promise<Map<string, SeenLane>> {
    const { look } = this.source;
    const wanted = new Set(files.slice(0, filesThen));
    const found = new Map<string, SeenLane>();
    for (const { file, agent } of await look.store.ledgers()) {
      if (wanted.size < filesThen) wanted.add(file);
      if (!wanted.has(file)) continue;
      const context = await lookingContext({ ...look, agent });
      const made = await this.drawn(file, (bytes) => laneThen(bytes, this.fileOf(file), { context, time }));
      if (made) found.set(`${file}\0${agent}`, { file, agent, made });
    }
    return found;
  }

  /** Returns how many lines a file has that no agent was shown; 0 if it is gone or cannot be read. */
  async linesOf(key: string): Promise<number> {
    const stamp = await this.source.stamp(key);
    if (stamp === null) return 0;
    const known = this.counts.get(key);
    if (known?.stamp === stamp) return known.lines;
    const bytes = await this.source.look.files.read(this.fileOf(key)).catch(() => null);
    const breaks = bytes?.reduce((count, byte) => count + (byte === newline ? 1 : 0), 0) ?? 0;
    const lines = breaks + (bytes && bytes.length > 0 && bytes.at(-1) !== newline ? 1 : 0);
    this.counts.set(key, { stamp, lines });
    return lines;
  }

  private fileOf(key: string): FileId {
    return { key, path: this.source.shownPath(key), keep: true };
  }

  /**
   * A tool writes first and tells afterwards: for a moment its own change looks like somebody else's. A file that has just
   * changed is drawn as it was, until the journal tells of the change or a moment has passed.
   */
  private async settledStamp(file: string, entry: string): Promise<string | null> {
    const stamp = await this.source.stamp(file);
    const { clock } = this.source.look;
    const known = this.stamps.get(file);
    const since = known?.since || clock();
    const isWaiting = known && known.stamp !== stamp && known.entry === entry && clock() - since <= untoldFor;
    this.stamps.set(file, isWaiting ? { ...known, since } : { stamp, entry, since: 0 });
    return isWaiting ? known.stamp : stamp;
  }

  private async lane(file: string, stamp: string, context: FileContext): Promise<LaneNow | null> {
    const key = `${file}\0${context.agent}`;
    const kept = this.lanes.get(key);
    if (kept?.stamp === stamp) return kept.made;
    const made = await this.drawn(file, (bytes) => laneOf(bytes, this.fileOf(file), context));
    this.lanes.set(key, { stamp, made });
    return made;
  }

  /** A file that cannot be read, or is no text, has no lines to draw. */
  private async drawn(
    key: string,
    draw: (bytes: Uint8Array) => Promise<LaneNow | null>,
  ): Promise<LaneNow | null> {
    try {
      const bytes = await this.source.look.files.read(this.fileOf(key));
      return bytes && (await draw(bytes));
    } catch {
      return null;
    }
  }
}

/** Counts what happened between an agent and a file: another number whenever something was shown. */
function orderIn(ledger: unknown): unknown {
  return (ledger as { readonly order?: number } | null)?.order;
}
