import type {
  FileRecord,
  JournalEntry,
  JournalQuery,
  Json,
  LedgerStore,
  NamedRecord,
  Outcome,
} from "./store.js";

/** The record of one file. */
interface Recorded {
  states: readonly Json[];
  readonly ledgers: Map<string, Json>;
}

export interface MemoryStoreOptions {
  /** This many bytes of texts are kept: the oldest go first. All of them if not given. */
  readonly keptBytes?: number;
  /** Nobody ever writes to bytes that are given: none are copied. */
  readonly isLasting?: boolean;
}

/**
 * A ledger in memory; it lives as long as the object.
 *
 * @example
 * const session = new Session({ files, store: memoryStore(), agent: "main", clock: Date.now });
 * console.log((await session.read({ path: "a.ts" })).isError); // → false
 */
export function memoryStore(options: MemoryStoreOptions = {}): LedgerStore {
  const store = new MemoryStore(options);
  // Own functions: an embedder that changes one of them spreads the rest.
  const made: LedgerStore = {
    look: (file, agent) => store.look(file, agent),
    versions: (ids) => store.versions(ids),
    journal: (query) => store.journal(query),
    journalSince: (mark) => store.journalSince(mark),
    record: (name) => store.record(name),
    unit: (_, agent, body) =>
      body({
        look: (file, other) => made.look(file, other),
        versions: (ids) => made.versions(ids),
        journal: (query) => made.journal(query),
        journalSince: (mark) => made.journalSince(mark),
        record: (name) => made.record(name),
        finish: (outcome) => store.finish(outcome, agent),
      }),
    append: (entries) => store.append(entries),
    putRecord: (name, value, was) => store.putRecord(name, value, was),
    ledgers: () => store.ledgers(),
  };
  return made;
}

/** Whether an entry is one of those that are asked for, but for `last`. */
export function isAskedFor(entry: JournalEntry, query: JournalQuery): boolean {
  const { files, movedTo, agent, ids, since } = query;
  if (files !== undefined && !files.includes(entry.file)) return false;
  if (movedTo !== undefined && !movedTo.includes(entry.toFile ?? "")) return false;
  if (agent !== undefined && entry.agent !== agent) return false;
  if (since !== undefined && entry.time < since) return false;
  return ids === undefined || idsIn(entry).some((id) => ids.includes(id));
}

/** The ids that an entry is found by: its own, its batch, and those that it names. */
export function idsIn({ id, batch, kind, cause = "", edits = [], instead = [] }: JournalEntry): string[] {
  const undone = kind === "undo" ? cause.split(" ").filter((one) => one !== "") : [];
  return [id, ...(batch === undefined ? [] : [batch]), ...edits, ...instead, ...undone];
}

class MemoryStore implements Omit<LedgerStore, "unit"> {
  private readonly files = new Map<string, Recorded>();
  private readonly texts = new Map<string, Uint8Array>();
  private readonly entries: JournalEntry[] = [];
  private readonly named = new Map<string, { readonly text: string; readonly mark: string }>();
  /** The same entries by their files. */
  private readonly byFile = new Map<string, JournalEntry[]>();
  private puts = 0;
  private kept = 0;

  constructor(private readonly options: MemoryStoreOptions) {}

  async look(file: string, agent: string): Promise<FileRecord> {
    const { states = [], ledgers } = this.files.get(file) ?? {};
    return { first: 0, states, ledger: ledgers?.get(agent) ?? null };
  }

  async versions(ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    return new Map(
      ids.flatMap((id) => {
        const bytes = this.texts.get(id);
        return bytes ? [[id, bytes] as const] : [];
      }),
    );
  }

  async journal(query: JournalQuery = {}): Promise<readonly JournalEntry[]> {
    const [file, ...others] = query.files ?? [];
    const isOne = file !== undefined && others.length === 0;
    const entries = isOne ? (this.byFile.get(file) ?? []) : this.entries;
    const found = entries.filter((entry) => isAskedFor(entry, query));
    return query.last === undefined ? found : found.slice(Math.max(0, found.length - query.last));
  }

  async journalSince(mark: string | null) {
    const entries = mark === null ? [] : this.entries.slice(Number(mark) || 0);
    return { entries, mark: String(this.entries.length) };
  }

  async record(name: string): Promise<NamedRecord | null> {
    const found = this.named.get(name);
    return found ? { value: JSON.parse(found.text) as Json, mark: found.mark } : null;
  }

  async append(entries: readonly JournalEntry[]): Promise<void> {
    this.entries.push(...entries);
    for (const entry of entries) {
      const others = this.byFile.get(entry.file);
      if (others) others.push(entry);
      else this.byFile.set(entry.file, [entry]);
    }
  }

  async putRecord(name: string, value: Json, was?: string | null): Promise<boolean> {
    const now = this.named.get(name)?.mark ?? null;
    if (was !== undefined && was !== now) return false;
    this.puts += 1;
    this.named.set(name, { text: JSON.stringify(value), mark: String(this.puts) });
    return true;
  }

  async ledgers() {
    return [...this.files].flatMap(([file, { ledgers }]) =>
      [...ledgers].map(([agent, ledger]) => ({ file, agent, ledger })),
    );
  }

  async finish({ files, versions, entries, records }: Outcome, agent: string): Promise<void> {
    for (const { id, bytes } of versions) this.keep(id, bytes);
    for (const { file, like } of files) {
      const source = like === undefined ? undefined : this.files.get(like);
      if (source) this.files.set(file, { states: source.states, ledgers: new Map(source.ledgers) });
    }
    for (const { file, isGone, states, ledger } of files) {
      if (isGone) this.files.delete(file);
      const recorded = this.files.get(file) ?? { states: [], ledgers: new Map() };
      if (states) recorded.states = [...recorded.states.slice(0, states.from), ...states.states];
      if (ledger) recorded.ledgers.set(agent, ledger.record);
      if (states || ledger) this.files.set(file, recorded);
    }
    await this.append(entries);
    for (const { name, value } of records) await this.putRecord(name, value);
  }

  private keep(id: string, bytes: Uint8Array): void {
    if (this.texts.has(id)) return;
    const { keptBytes = Number.POSITIVE_INFINITY, isLasting = false } = this.options;
    this.texts.set(id, isLasting ? bytes : bytes.slice());
    this.kept += bytes.length;
    for (const [oldest, { length }] of this.texts) {
      if (this.kept <= keptBytes) return;
      this.texts.delete(oldest);
      this.kept -= length;
    }
  }
}
