import { nameOf, newToken, nodeIo, reason, systemProcesses, thisPlatform } from "../host/index.js";
import type {
  FileId,
  FileRecord,
  Intent,
  JournalEntry,
  JournalNews,
  JournalQuery,
  Json,
  LedgerStore,
  NamedRecord,
  RecordedLedger,
  Unit,
} from "../ports/index.js";
import { defaultBounds, WrittenEntries } from "../store/index.js";
import { arrive } from "./arrival.js";
import { Later } from "./calls/later.js";
import { Leases } from "./calls/lease.js";
import { finishCall, sentEntries } from "./calls/outcome.js";
import { StoreUnit } from "./calls/unit.js";
import { Database } from "./database/database.js";
import type { Ground } from "./ground.js";
import { healthOf, type StoreHealth } from "./health.js";
import { journalNews, readJournal } from "./journal-queries.js";
import { KnownRecords, type LoadedFile } from "./known/known-records.js";
import { VersionTexts } from "./known/version-texts.js";
import type { FleetOptions } from "./options.js";
import { columnOf, TreeNames, textIn } from "./tree-names.js";

/** Milliseconds. A hook is waited for by its client. */
const patience = { usual: 5_000, brief: 1_500 };
const usualWait = 10_000;
/** Bytes, for records; half as many again for texts. */
const usualRoom = 32 * 1024 * 1024;
const pruneEvery = 6 * 3_600_000;
/** Every so many calls somebody asks whether pruning is due. */
const callsBetween = 100;
/** Those that no age removes. */
const keptRecords = ["tokens"];

/** The record of one tree in a database. */
export class PostgresStore implements LedgerStore {
  readonly ground: Ground;
  readonly database: Database;
  private readonly later: Later;
  private arrived: Promise<void> | null = null;
  private calls = 0;

  constructor(private readonly options: FleetOptions) {
    const { io = nodeIo, platform = thisPlatform, clock = Date.now, report = () => {} } = options;
    const processes = options.processes ?? systemProcesses(io, platform);
    const isBrief = options.brief ?? false;
    const database = new Database({
      ...{ url: options.url, patience: options.patience ?? (isBrief ? patience.brief : patience.usual) },
      ...(options.connections ? { most: options.connections } : {}),
      ...(options.onTrip ? { onTrip: options.onTrip } : {}),
    });
    this.database = database;
    const names = new TreeNames({ root: options.root, host: processes.self().host, platform });
    const { tree, lease, wait = usualWait, room = usualRoom } = options;
    const columns = (files: readonly FileId[]): string[] =>
      [...new Set(files.map(({ key }) => columnOf(names.stored(key))))].sort(byBytes);
    const folder = platform.path.join(options.state, "later", nameOf(`${options.url} ${tree}`));
    this.later = new Later({ io, platform, clock, report, folder });
    this.ground = {
      ...{ database, tree, names, lease, wait, processes, clock, report, columns, reader: this },
      ...{ records: new KnownRecords(room), leases: new Leases(database, lease), brief: 500 },
      texts: new VersionTexts({ database, tree, isBrief, clock, report, room: room / 2 }),
      written: new WrittenEntries({ ...options, io, platform }),
      disk: { io, platform, report, leave: () => {} },
      later: (call) => this.later.keep(call),
      ...(options.at ? { at: options.at } : {}),
    };
  }

  async unit<T>(
    files: readonly FileId[],
    agent: string,
    body: (unit: Unit) => Promise<T>,
    intent?: Intent,
  ): Promise<T> {
    await this.sendLater();
    try {
      return await new StoreUnit(this.ground, { files, agent, intent }).run(body);
    } finally {
      this.calls += 1;
      if (this.calls % callsBetween === 0) await this.pruneIfDue();
    }
  }

  /** Edits that were written while the store was out of reach go on record before anything else does. */
  private sendLater(): Promise<void> {
    return this.later.send(async (call) => {
      await finishCall(this.ground, call, true);
    });
  }

  /** Refuses a tree that is not the one on record; asked once. */
  arrive(): Promise<void> {
    this.arrived ??= arrive(this.ground, this.options.root).catch((error) => {
      this.arrived = null;
      throw error;
    });
    return this.arrived;
  }

  async prune(): Promise<{ removed: number; bytes: number }> {
    const { age, size } = { ...defaultBounds, ...this.options.bounds };
    const values = [this.ground.tree, age / 1000, size, keptRecords];
    const [row] = await this.database.ask("select kedge.prune_1($1, $2, $3, $4) as answer", values);
    return JSON.parse(row?.answer as string) as { removed: number; bytes: number };
  }

  /** A hook leaves the work to others, which take some seconds over it now and then. */
  private async pruneIfDue(): Promise<void> {
    const { tree, report } = this.ground;
    if (this.options.brief) return;
    try {
      const [row] = await this.database.ask("select kedge.is_due_1($1, $2) as due", [
        tree,
        pruneEvery / 1000,
      ]);
      if (row?.due === true) await this.prune();
    } catch (error) {
      report(`pruning failed: ${reason(error)}`);
    }
  }

  health(): Promise<StoreHealth> {
    return healthOf(this.ground);
  }

  async unsaid(): Promise<number> {
    await this.sendLater();
    return this.later.count();
  }

  async purge(): Promise<void> {
    await this.database.ask("select kedge.purge_1($1, $2)", [this.ground.tree, keptRecords]);
    this.ground.texts.forget();
  }

  async look(file: string, agent: string): Promise<FileRecord> {
    const { database, tree, records, names } = this.ground;
    const question = records.question(columnOf(names.stored(file)), columnOf(agent));
    const values = [tree, question.agent, question.file, question.mark];
    const [row] = await database.ask("select kedge.look_1($1, $2, $3, $4) as answer", values);
    const { files } = JSON.parse(row?.answer as string) as { readonly files: readonly [LoadedFile] };
    return records.take(question, files[0]);
  }

  versions(ids: readonly string[]): Promise<Map<string, Uint8Array>> {
    return this.ground.texts.get(ids);
  }

  async journal(query?: JournalQuery): Promise<readonly JournalEntry[]> {
    return this.ground.written.placed(await readJournal(this.ground, query));
  }

  async journalSince(mark: string | null): Promise<JournalNews> {
    const news = await journalNews(this.ground, mark);
    return { ...news, entries: this.ground.written.placed(news.entries) };
  }

  async record(name: string): Promise<NamedRecord | null> {
    const { database, tree, names } = this.ground;
    const values = [tree, columnOf(names.record(name))];
    const [row] = await database.ask(
      "select value, mark from kedge.records where tree = $1 and name = $2",
      values,
    );
    return row
      ? { value: names.value(name, JSON.parse(row.value as string) as Json), mark: row.mark as string }
      : null;
  }

  async putRecord(name: string, value: Json, was?: string | null): Promise<boolean> {
    const { database, tree, names, clock } = this.ground;
    const values = [
      tree,
      columnOf(names.record(name)),
      JSON.stringify(names.storedValue(name, value)),
      newToken(clock),
    ];
    if (was === undefined) await database.ask("select kedge.put_1($1, $2, $3, $4)", values);
    else {
      const [row] = await database.ask("select kedge.put_if_1($1, $2, $3, $4, $5) as done", [...values, was]);
      return row?.done === true;
    }
    return true;
  }

  async append(entries: readonly JournalEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const { database, tree } = this.ground;
    const sent = JSON.stringify(sentEntries(this.ground, entries));
    await database.ask("select kedge.append_1($1, $2, $3)", (again) => [tree, sent, again]);
  }

  async ledgers(): Promise<readonly RecordedLedger[]> {
    const { database, tree, names } = this.ground;
    const text = "select file, agent, ledger, label from kedge.ledgers where tree = $1";
    const rows = await database.ask(text, [tree]);
    return rows.map(({ file, agent, ledger, label }) => {
      const [stored, who] =
        label === null
          ? [textIn(file as string) ?? "", textIn(agent as string) ?? ""]
          : (JSON.parse(label as string) as [string, string]);
      return { file: names.key(stored) ?? stored, agent: who, ledger: JSON.parse(ledger as string) as Json };
    });
  }

  end(): Promise<void> {
    return this.database.end();
  }
}

/** As the database orders them. */
function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
