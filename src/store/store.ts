import {
  type Io,
  ifThere,
  nameOf,
  nodeIo,
  type Platform,
  reason,
  thisPlatform,
  ticks,
  type Workspace,
} from "../host/index.js";
import {
  type FileId,
  type FileRecord,
  type JournalEntry,
  type JournalNews,
  type JournalQuery,
  type Json,
  type LedgerStore,
  type NamedRecord,
  type NewVersion,
  type Outcome,
  type RecordedLedger,
  tokensRecord,
  type Unit,
} from "../ports/index.js";
import { FileRecords } from "./file-records.js";
import { Journal } from "./journal.js";
import { repairing } from "./lines/put-aside.js";
import { replaceFile, type StoreContext } from "./lines/replace-file.js";
import { NamedRecords } from "./named-records.js";
import { Notes } from "./notes.js";
import { type Bounds, marker, prune, removeTree, workspacesByPruning } from "./prune.js";
import { format, label, olderFormat } from "./recorded-workspaces.js";
import { olderVersion, takeOver } from "./take-over.js";
import { Versions } from "./versions.js";
import { type Here, WrittenEntries } from "./written-entries.js";

export interface NodeStoreOptions {
  /** The state folder (see `stateFolder`). */
  readonly state: string;
  readonly workspace: Pick<Workspace, "key">;
  readonly bounds?: Partial<Bounds>;
  /** Journal entries are written with absolute paths, and read with paths from here. Absent: as calls name them. */
  readonly here?: Here;
  /** For a process that ends soon, like a hook: nothing is pruned by itself, and short texts are not compressed. */
  readonly brief?: boolean;
  readonly report?: (line: string) => void;
  readonly io?: Io;
  readonly platform?: Platform;
  readonly clock?: () => number;
}

export interface NodeStore extends LedgerStore {
  readonly notes: Notes;
  /** Removes what is too old or too much. Happens by itself now and then, when a version is kept. */
  prune(): Promise<{ removed: number; bytes: number }>;
  /**
   * For a process that ends soon: prunes this workspace and another one, if it is an hour since the last time, for some
   * tenths of a second. The next such process goes on with what is left.
   */
  tidy(): void;
  /** Forgets everything of this workspace but the tokens of those who may reach it. */
  purge(): Promise<void>;
  /** Counts lines of the journal and records that cannot be read. Puts nothing aside. */
  damage(): Promise<{ lines: number; records: number }>;
}

export const defaultBounds: Bounds = { age: 14 * 86_400_000, size: 512 * 1024 * 1024 };

const pruneEvery = 6 * 3_600_000;
const tidyEvery = 3_600_000;
/** Milliseconds. */
const tidyFor = 300;
/** Or after this much was written by one process. */
const pruneAfter = 32 * 1024 * 1024;

/**
 * The ledger on disk: a folder for each workspace in the state folder, readable while others write, every record and
 * version a file of its own. Damaged records are put aside and reported.
 *
 * @example
 * const store = nodeStore({ state, workspace: findWorkspace(root) });
 * console.log((await store.journal()).length); // → 0
 */
export function nodeStore(options: NodeStoreOptions): NodeStore {
  return new DiskStore(options);
}

class DiskStore implements NodeStore {
  readonly notes: Notes;
  private readonly context: StoreContext;
  private readonly files: FileRecords;
  private readonly named: NamedRecords;
  private readonly texts: Versions;
  private readonly entries: Journal;
  private readonly bounds: Bounds;
  private readonly written: WrittenEntries;
  /** The state folder of version 0.1.0 for the same workspace. */
  private readonly older: string;
  private isNamed = false;
  private sincePruned = Number.POSITIVE_INFINITY;

  constructor(private readonly options: NodeStoreOptions) {
    const { io = nodeIo, platform = thisPlatform, clock = Date.now, report = () => {} } = options;
    const folder = platform.path.join(options.state, format, nameOf(options.workspace.key));
    this.context = { io, platform, clock, report, folder, state: options.state };
    this.older = platform.path.join(options.state, olderFormat, nameOf(options.workspace.key));
    this.bounds = { ...defaultBounds, ...options.bounds };
    this.notes = new Notes(this.context);
    this.files = new FileRecords(this.context);
    this.named = new NamedRecords(this.context);
    // A bound is kept by removing segments that are full.
    const most = this.bounds.size / 8;
    this.texts = new Versions(this.context, options.brief ?? false, most);
    this.entries = new Journal(this.context, most);
    this.begin();
    this.written = new WrittenEntries({ ...options, io, platform });
  }

  private begin(): void {
    try {
      takeOver(this.context, this.older);
    } catch (error) {
      this.context.report(`${this.older} cannot be taken over: ${reason(error)}`);
    }
  }

  async look(file: string, agent: string): Promise<FileRecord> {
    return this.files.look(file, agent);
  }

  async versions(ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const found = this.texts.get(ids);
    for (const id of ids) {
      const bytes = found.has(id) ? null : olderVersion(this.context, this.older, id);
      if (bytes) found.set(id, bytes);
    }
    return found;
  }

  async journal(query: JournalQuery = {}): Promise<readonly JournalEntry[]> {
    return this.written.placed(this.entries.read(query));
  }

  async journalSince(mark: string | null): Promise<JournalNews> {
    const news = this.entries.since(mark);
    return { ...news, entries: this.written.placed(news.entries) };
  }

  async record(name: string): Promise<NamedRecord | null> {
    return this.named.get(name);
  }

  async putRecord(name: string, value: Json, was?: string | null): Promise<boolean> {
    return this.named.put(name, value, was);
  }

  async append(entries: readonly JournalEntry[]): Promise<void> {
    this.entries.append(entries.map((entry) => this.written.completed(entry)));
  }

  async ledgers(): Promise<readonly RecordedLedger[]> {
    return this.files.all();
  }

  /** The locks of `Files` are lock enough. */
  async unit<T>(_: readonly FileId[], agent: string, body: (unit: Unit) => Promise<T>): Promise<T> {
    return body({
      look: (file, other) => this.look(file, other),
      versions: (ids) => this.versions(ids),
      journal: (query) => this.journal(query),
      journalSince: (mark) => this.journalSince(mark),
      record: (name) => this.record(name),
      finish: (outcome) => this.finish(outcome, agent),
    });
  }

  /** A failed write does not hinder the others. */
  private async finish({ files, versions, entries, records }: Outcome, agent: string): Promise<void> {
    const failures: unknown[] = [];
    const attempt = (action: () => unknown): void => {
      try {
        action();
      } catch (error) {
        failures.push(error);
      }
    };
    this.name();
    attempt(() => this.keep(versions));
    if (entries.length > 0)
      attempt(() => this.entries.append(entries.map((entry) => this.written.completed(entry))));
    // A record that is moved goes before the place that it leaves.
    const ordered = [
      ...files.filter(({ like }) => like !== undefined),
      ...files.filter(({ like }) => like === undefined),
    ];
    for (const outcome of ordered) attempt(() => this.files.set(outcome, agent));
    for (const { name, value } of records) attempt(() => this.named.put(name, value));
    if (failures.length > 0) throw failures[0];
  }

  private keep(versions: readonly NewVersion[]): void {
    if (versions.length === 0) return;
    this.sincePruned += this.texts.keep(versions);
    if (!this.options.brief && this.sincePruned > pruneAfter) this.pruneIfDue();
  }

  async prune(): Promise<{ removed: number; bytes: number }> {
    this.pruneOlder();
    return prune(this.context, this.bounds);
  }

  /** By age alone: nothing is written there any more. */
  private pruneOlder(deadline?: number): void {
    const context = { ...this.context, folder: this.older };
    if (!this.context.io.isThere(this.older)) return;
    const { isEmpty } = prune(context, { ...this.bounds, size: Number.MAX_SAFE_INTEGER }, deadline);
    if (isEmpty) removeTree(context, this.older);
  }

  tidy(): void {
    const { clock, folder, report } = this.context;
    try {
      const last = this.lastPruned(this.context);
      if (last !== null && clock() - last < tidyEvery) return;
      const deadline = ticks() + tidyFor;
      this.pruneOlder(deadline);
      const other = workspacesByPruning(this.context).find((one) => one !== folder);
      const contexts = [folder, ...(other ? [other] : [])].map((one) => ({ ...this.context, folder: one }));
      for (const context of contexts) {
        const { isDone, isEmpty } = prune(context, this.bounds, deadline);
        if (isEmpty && context.folder !== folder) removeTree(context, context.folder);
        else if (isDone) this.mark(context);
      }
    } catch (error) {
      report(`pruning failed: ${reason(error)}`);
    }
  }

  private lastPruned({ io, platform, folder }: StoreContext): number | null {
    const stat = ifThere(() => io.lstat(platform.path.join(folder, marker)));
    return stat && Number(stat.mtimeMs);
  }

  private mark(context: StoreContext): void {
    replaceFile(context, context.platform.path.join(context.folder, marker), new Uint8Array(0));
  }

  async purge(): Promise<void> {
    const { folder, platform } = this.context;
    // Without its tokens a tree would be open to whoever comes.
    const kept = this.named.folderOf(tokensRecord);
    repairing(this.context, platform.path.join(folder, "files"), () =>
      removeTree(this.context, folder, kept),
    );
    if (this.context.io.isThere(this.older)) removeTree(this.context, this.older);
    this.isNamed = false;
  }

  async damage(): Promise<{ lines: number; records: number }> {
    return { lines: this.entries.damaged(), records: this.files.damaged() };
  }

  /** At first when the last time is long ago, by anybody; then whenever much was written. */
  private pruneIfDue(): void {
    const { clock, report } = this.context;
    try {
      const last = this.lastPruned(this.context);
      const first = !Number.isFinite(this.sincePruned);
      this.sincePruned = 0;
      if (first && last !== null && clock() - last < pruneEvery) return;
      this.mark(this.context);
      if (last !== null) prune(this.context, this.bounds);
    } catch (error) {
      report(`pruning failed: ${reason(error)}`);
    }
  }

  /** Names are one-way: this says which workspace the folder is for. */
  private name(): void {
    if (this.isNamed) return;
    this.isNamed = true;
    const { io, platform, folder } = this.context;
    const path = platform.path.join(folder, label);
    try {
      if (ifThere(() => io.lstat(path)) !== null) return;
      replaceFile(this.context, path, new TextEncoder().encode(JSON.stringify(this.options.workspace)));
    } catch {
      // Only a help for people who look; saving the record will say what is wrong.
    }
  }
}
