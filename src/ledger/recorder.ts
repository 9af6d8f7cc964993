/** Collects what a call writes down, and writes all of it at once. Questions go to the unit of the call. */
import type {
  FileOutcome,
  FileRecord,
  JournalEntry,
  JournalNews,
  JournalQuery,
  Json,
  NamedRecord,
  NewVersion,
  StoreReader,
  Unit,
} from "../ports/index.js";

export class Recorder implements StoreReader {
  private files: FileOutcome[] = [];
  private texts: NewVersion[] = [];
  private entries: JournalEntry[] = [];
  private named = new Map<string, Json>();

  constructor(readonly unit: Unit) {}

  look(file: string, agent: string): Promise<FileRecord> {
    return this.unit.look(file, agent);
  }

  versions(ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    return this.unit.versions(ids);
  }

  journal(query?: JournalQuery): Promise<readonly JournalEntry[]> {
    return this.unit.journal(query);
  }

  journalSince(mark: string | null): Promise<JournalNews> {
    return this.unit.journalSince(mark);
  }

  async record(name: string): Promise<NamedRecord | null> {
    const value = this.named.get(name);
    return value === undefined ? this.unit.record(name) : { value, mark: "" };
  }

  /** A file that only gets another spelling of its name keeps its record. */
  setFile(outcome: FileOutcome): void {
    const { like, ...own } = outcome;
    if (like !== outcome.file) this.files.push(outcome);
    else this.files = [...this.files.filter(({ file, isGone }) => file !== like || !isGone), own];
  }

  keep(text: NewVersion): void {
    this.texts.push(text);
  }

  add(entry: JournalEntry): void {
    this.entries.push(entry);
  }

  setRecord(name: string, value: Json): void {
    this.named.set(name, value);
  }

  /** A write that failed is not tried again. */
  async finish(): Promise<void> {
    const { files, texts: versions, entries, named } = this;
    if (files.length + versions.length + entries.length + named.size === 0) return;
    const records = [...named].map(([name, value]) => ({ name, value }));
    this.files = [];
    this.texts = [];
    this.entries = [];
    this.named = new Map();
    await this.unit.finish({ files, versions, entries, records });
  }
}
