import {
  type Codec,
  Document,
  History,
  LineSet,
  type SchemeName,
  type State,
  scheme,
  type View,
} from "../core/index.js";
import type { Seen } from "./gate.js";
import {
  type AgentLedger,
  carry,
  emptyLedger,
  hasSeen,
  knownIn,
  knownNow,
  type LedgerShowing,
  newestFor,
  type Printer,
  show,
  showingsFor,
  shownInRefusals,
  wrote,
} from "./ledger.js";
import type { FileId, Files, Held, LedgerStore } from "./ports.js";
import { emptyFile, type FileLedger, fromJson, type StateRecord, toJson, trimmed } from "./record.js";
import { hashBytes, hashesKey, needed, parse, writtenLines } from "./texts.js";

/** Files up to this size are kept whole; of larger ones only the line hashes. */
export const keptBytes = 4 * 1024 * 1024;

const searchedShowings = 24;

/** A row that a request names, by its number and, if it could be read, its hash. */
export interface NamedRow {
  readonly line: number;
  readonly hash?: string;
}

/** Of showings up to this many rows the hashes are kept too. */
const hashedRows = 80;

export interface Context {
  readonly files: Files;
  readonly store: LedgerStore;
  readonly agent: string;
  readonly epoch: number;
  readonly now: number;
  /** Forced encoding. */
  readonly codec: Codec | null;
}

/** One file while it is held: its bytes, its ledger, what one agent has seen of it. Changes are kept until `save`. */
export class OpenFile {
  private changed = false;
  /** What was recorded of the agent before it was carried to the file as found. */
  private found: AgentLedger = emptyLedger(0);
  private readonly loaded = new Map<string, Document | Uint32Array | null>();
  private current: Document | null = null;
  private known: History | null = null;
  /** Texts of states found or made while the file was held: lines are followed through them later. */
  private readonly fresh: Document[] = [];

  private constructor(
    readonly file: FileId,
    readonly document: Document | null,
    private ledger: FileLedger,
    private readonly context: Context,
  ) {}

  static async open(held: Held, file: FileId, context: Context): Promise<OpenFile> {
    const bytes = await held.read(file);
    const ledger = fromJson(await context.store.file(file.key));
    const last = ledger.states.at(-1)?.encoding ?? null;
    const document = bytes && (await parse(bytes, last, context));
    const opened = new OpenFile(file, document, ledger, context);
    if (document) await opened.arrive(document);
    return opened;
  }

  /** The file as found is the newest state; what the agent knows is carried to it. */
  private async arrive(document: Document): Promise<void> {
    this.found = this.agent;
    if (this.ledger.states.at(-1)?.version !== document.version) this.push(document, null);
    if (!hasSeen(this.found)) return;
    await this.load([this.found.state]);
    this.update(carry(this.found, this.history));
  }

  /**
   * Loads the texts that judging these lines takes: those of the showings that printed rows with these numbers, and
   * the newest one shown, in which quoted text is searched; a quote that is gone may have stood in an older one.
   */
  async prepare(anchors: readonly NamedRow[], quotes: boolean): Promise<void> {
    const { showings } = this.agent;
    const newest = [newestFor(this.agent, null), this.agent.newest].filter((one) => one !== null);
    const older = quotes ? showings.slice(-searchedShowings) : [];
    const asked = showings.filter(({ rows, hashes }) =>
      anchors.some(({ line, hash }) => rows.has(line - 1) && (!hash || !hashes || hashes[line - 1] === hash)),
    );
    // The newest row of each number is what a wrong anchor is explained with.
    const last = anchors.flatMap(({ line }) => showings.findLast(({ rows }) => rows.has(line - 1)) ?? []);
    await this.load([...asked, ...last, ...older, ...newest].map(({ state }) => state));
  }

  private push(document: Document, exact: StateRecord["exact"]): void {
    const state: StateRecord = {
      version: document.version,
      lines: document.lineCount,
      encoding: document.encoding === "utf-8" ? null : document.encoding,
      exact,
      by: exact ? this.context.agent : null,
      time: this.context.now,
    };
    this.ledger = { ...this.ledger, states: [...this.ledger.states, state] };
    if (this.document) this.loaded.set(this.text.version, this.text);
    this.current = document;
    this.fresh.push(document);
    this.known = null;
  }

  get states(): readonly StateRecord[] {
    return this.ledger.states;
  }

  /** The text as it is now, after a commit the new one. */
  get text(): Document {
    return (this.current ?? this.document) as Document;
  }

  get history(): History {
    this.known ??= new History(
      this.ledger.states.map((state, at): State => {
        const kept =
          at === this.ledger.states.length - 1 ? this.text : (this.loaded.get(state.version) ?? null);
        const document = kept instanceof Document ? kept : null;
        const hashes = kept instanceof Uint32Array ? kept : null;
        const own = state.exact !== null && state.by === this.context.agent;
        return { version: state.version, lineCount: state.lines, document, hashes, exact: state.exact, own };
      }),
    );
    return this.known;
  }

  /** Loads the texts without which lines of these states cannot be followed to the newest. */
  private async load(states: readonly number[]): Promise<void> {
    const wanted = new Set<number>();
    for (const from of states) for (const state of needed(this.ledger.states, from)) wanted.add(state);
    for (const at of wanted) {
      const state = this.ledger.states[at];
      if (!state || this.loaded.has(state.version) || state.version === this.text.version) continue;
      this.loaded.set(state.version, await this.fetch(state));
    }
    this.known = null;
  }

  private async fetch({ version, encoding }: StateRecord): Promise<Document | Uint32Array | null> {
    const bytes = await this.context.store.version(version);
    if (bytes) {
      const document = await parse(bytes, encoding, this.context);
      return document.version === version ? document : null;
    }
    const hashes = await this.context.store.version(hashesKey(version));
    return hashes && new Uint32Array(hashes.slice().buffer);
  }

  get agent(): AgentLedger {
    const { agent, epoch } = this.context;
    const found = this.ledger.agents.get(agent);
    return found && found.epoch === epoch ? found : emptyLedger(epoch);
  }

  update(agent: AgentLedger): void {
    if (agent === this.agent) return;
    this.ledger = { ...this.ledger, agents: new Map(this.ledger.agents).set(this.context.agent, agent) };
    this.changed = true;
  }

  /** The next number in the ledger's own counting of what happened. */
  tick(): number {
    this.ledger = { ...this.ledger, order: this.ledger.order + 1 };
    this.changed = true;
    return this.ledger.order;
  }

  view(request: string): View {
    const agent = this.agent;
    const history = this.history;
    const newest = newestFor(agent, request);
    return {
      history,
      showings: showingsFor(agent, request, history),
      forgotten: agent.forgotten,
      known: (state) => knownIn(agent, state, request, history),
      ...(newest ? { newest: newest.state } : {}),
    };
  }

  seen(request: string): Seen {
    const { agent, history } = this;
    return {
      path: this.file.path,
      hasSeen: hasSeen(agent),
      known: hasSeen(agent) ? knownIn(agent, history.last, request, history) : knownNow(agent),
      lineCount: this.text.lineCount,
      pending: agent.pending.subtract(shownInRefusals(agent, request)).size + agent.deletions.length,
    };
  }

  /** Rows of the newest state were printed to the agent. */
  showed(rows: LineSet, scheme: SchemeName | null, printer: Printer, request?: string): number {
    const state = this.ledger.states.length - 1;
    const before = this.agent.showings.at(-1);
    const isRepeated =
      printer === "read" && before?.printer === "read" && before.state === state && before.scheme === scheme;
    if (isRepeated && before.order === this.agent.newest?.order && before.rows.equals(rows))
      return before.order;
    const order = this.tick();
    const showing: LedgerShowing = {
      ...{ order, state, rows, scheme, printer },
      lineCount: this.text.lineCount,
      ...(request === undefined ? {} : { request }),
      ...(scheme && rows.size <= hashedRows ? { hashes: this.hashesOf(rows, scheme) } : {}),
    };
    this.update(show(this.agent, showing));
    return order;
  }

  private hashesOf(rows: LineSet, name: SchemeName): Record<number, string> {
    const indexes = rows
      .spans()
      .flatMap(([start, end]) => Array.from({ length: end - start }, (_, at) => start + at));
    return Object.fromEntries(indexes.map((index) => [index, scheme(name).hashLine(this.text, index)]));
  }

  /** The file was given this text by the agent; `exact` tells how, line by line, if it is known. */
  committed(document: Document, exact: StateRecord["exact"]): void {
    this.push(document, exact);
    this.changed = true;
  }

  /** The agent changed the file with somebody else's tool: all that differs from what it last saw is its own. */
  ownWrite(whole: boolean): void {
    const last = this.ledger.states.length - 1;
    const before = this.found;
    const map = hasSeen(before) ? this.history.follow(before.state) : null;
    const record = this.ledger.states[last] as StateRecord;
    if (map && !map.isIdentity && before.state === last - 1)
      this.ledger = {
        ...this.ledger,
        states: [...this.ledger.states.slice(0, last), { ...record, exact: map, by: this.context.agent }],
      };
    this.known = null;
    const written = whole || !map ? LineSet.all(record.lines) : writtenLines(map);
    const order = this.tick();
    this.update({ ...wrote(before, this.history, written), newest: { state: last, order } });
  }

  /** A moved file takes its record along. */
  adopt(other: OpenFile): void {
    this.ledger = other.ledger;
    for (const [version, text] of other.loaded) this.loaded.set(version, text);
    this.current = other.text;
    this.known = null;
    this.changed = true;
  }

  /** Who took out a line of an older state, as far as commits are recorded. */
  remover(state: number, line: number): string | null {
    let at = line;
    for (let next = state + 1; next <= this.history.last; next++) {
      const { exact, by } = this.ledger.states[next] as StateRecord;
      const map = exact ?? this.history.follow(next - 1, next);
      if (!map) return null;
      const found = map.index(at);
      if (found < 0) return exact ? this.nameOf(by) : null;
      at = found;
    }
    return null;
  }

  /** Who wrote a line of the text now, as far as commits are recorded: "you", an agent, or null. */
  writer(line: number): string | null {
    const { history } = this;
    for (let state = history.last; state > 0; state--) {
      const { exact, by } = this.ledger.states[state] as StateRecord;
      if (!exact) continue;
      const there = history.follow(state)?.invert().index(line) ?? -1;
      if (there < 0) continue;
      if (exact.regions.some(({ bStart, bEnd }) => bStart <= there && there < bEnd)) return this.nameOf(by);
    }
    return null;
  }

  private nameOf(by: string | null): string | null {
    return by === this.context.agent ? "you" : by;
  }

  async save(): Promise<void> {
    if (!this.changed) return;
    const { store } = this.context;
    const { file } = this;
    for (const text of this.fresh.splice(0)) {
      if (file.keep && text.bytes.length <= keptBytes) await store.keepVersion(text.version, text.bytes);
      else await store.keepVersion(hashesKey(text.version), hashBytes(text));
    }
    this.ledger = trimmed(this.ledger);
    await store.saveFile(file.key, toJson(this.ledger));
    this.changed = false;
  }

  /** The file is gone, or became another: what was recorded under its key no longer counts. */
  async forget(): Promise<void> {
    await this.context.store.saveFile(this.file.key, toJson(emptyFile));
    this.changed = false;
  }
}
