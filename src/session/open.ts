import {
  type Codec,
  Document,
  History,
  type LineMap,
  LineSet,
  type SchemeName,
  type State,
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
  type Printer,
  show,
  showingsFor,
  wrote,
} from "./ledger.js";
import type { FileId, Files, Held, LedgerStore } from "./ports.js";
import { emptyFile, type FileLedger, fromJson, type StateRecord, toJson, trimmed } from "./record.js";

/** Files up to this size are kept whole; of larger ones only the line hashes. */
export const keptBytes = 4 * 1024 * 1024;

const searchedShowings = 24;

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
  async prepare(lines: readonly number[], quotes: boolean): Promise<void> {
    const { showings, newest } = this.agent;
    const older = quotes ? showings.slice(-searchedShowings).map(({ state }) => state) : [];
    const asked = showings
      .filter(({ rows }) => lines.some((line) => rows.has(line - 1)))
      .map(({ state }) => state);
    await this.load([...asked, ...older, ...(newest ? [newest.state] : [])]);
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
    const hashes = await this.context.store.version(hashesOf(version));
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
    return {
      history,
      showings: showingsFor(agent, request, history),
      forgotten: agent.forgotten,
      known: (state) => knownIn(agent, state, request, history),
      ...(agent.newest ? { newest: agent.newest.state } : {}),
    };
  }

  seen(request: string): Seen {
    const { agent, history } = this;
    return {
      path: this.file.path,
      hasSeen: hasSeen(agent),
      known: hasSeen(agent) ? knownIn(agent, history.last, request, history) : knownNow(agent),
      lineCount: this.text.lineCount,
      pending: agent.pending.size + agent.deletions.length,
    };
  }

  /** Rows of the newest state were printed to the agent. */
  showed(rows: LineSet, scheme: SchemeName | null, printer: Printer, request?: string): number {
    const state = this.ledger.states.length - 1;
    const order = this.tick();
    const showing: LedgerShowing = { order, state, rows, scheme, lineCount: this.text.lineCount, printer };
    this.update(show(this.agent, request === undefined ? showing : { ...showing, request }));
    return order;
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
      else await store.keepVersion(hashesOf(text.version), hashBytes(text));
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

/** The lines a change writes, in the numbers after it. */
export function writtenLines(map: LineMap): LineSet {
  const spans = map.regions.map(({ bStart, bEnd }) => [bStart, bEnd] as const);
  return LineSet.of(spans.filter(([start, end]) => start < end));
}

function hashesOf(version: string): string {
  return `${version}-hashes`;
}

function hashBytes(document: Document): Uint8Array {
  const hashes = Uint32Array.from({ length: document.lineCount }, (_, index) => document.lineHash(index));
  return new Uint8Array(hashes.buffer);
}

/** The states whose text is compared when lines are followed from one state to the last, and that state itself. */
function needed(states: readonly StateRecord[], from: number): Set<number> {
  const wanted = new Set([from]);
  let at = from;
  const between = (one: number, two: number): void => {
    if (one === two || states[one]?.version === states[two]?.version) return;
    wanted.add(one).add(two);
  };
  for (let next = from + 1; next < states.length; next++) {
    if (!states[next]?.exact) continue;
    between(at, next - 1);
    at = next;
  }
  between(at, states.length - 1);
  return wanted;
}

async function parse(bytes: Uint8Array, last: string | null, context: Context): Promise<Document> {
  if (context.codec) return Document.parse(bytes, { codec: context.codec });
  const document = Document.parse(bytes);
  if (document.encoding !== "latin1" || document.binary || !context.files.codec) return document;
  const fallback = await context.files.codec(bytes, last);
  return fallback ? Document.parse(bytes, { fallback }) : document;
}
