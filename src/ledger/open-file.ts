import type { SchemeName } from "../anchors/index.js";
import { History, type LineChange } from "../changes/index.js";
import type { View } from "../edits/index.js";
import type { Clock, FileId, Files, Held, Measure } from "../ports/index.js";
import { type Codec, type Document, LineSet } from "../text/index.js";
import {
  type AgentLedger,
  carry,
  emptyLedger,
  hasSeen,
  isCurrent,
  isShownLast,
  know,
  type LedgerShowing,
  met,
  newestFor,
  type Printer,
  show,
  showLate,
  wrote,
} from "./agent-ledger.js";
import { rememberWhole, revived, type Sight, seenOf, viewOf } from "./agent-view.js";
import { type FileLedger, ledgerFrom, outcomeOf, type StateRecord } from "./file-ledger.js";
import { hashesOf, isKeepable, KeptTexts, needed, parse, textToKeep } from "./file-texts.js";
import type { Seen } from "./gate.js";
import type { Recorder } from "./recorder.js";

export const searchedShowings = 24;
/** The texts of this many reads and searches are at hand, to tell what the agent has looked at since. */
const lookedBack = 8;

/** A row that a request names, by its number and, if it could be read, its hash. */
export interface NamedRow {
  readonly line: number;
  readonly hash?: string;
}

/** Showings up to this many rows keep their hashes too. */
const hashedRows = 80;

export interface FileContext {
  readonly files: Files;
  readonly store: Recorder;
  readonly agent: string;
  readonly epoch: number;
  readonly clock: Clock;
  /** When the call came. */
  readonly now: number;
  /** Forced encoding. */
  readonly codec: Codec | null;
}

/** One file while it is held: its bytes, its ledger, what one agent has seen of it. Changes are kept until `save`. */
export class OpenFile {
  private changed = false;
  /** The file as found is a state that nobody recorded before. */
  isFresh = false;
  /** Size and hash of a file that is too large to be read: the document stands in for its text. */
  measure: Measure | null = null;
  /** The agent's ledger as recorded, before it was carried to the file as found. */
  private found: AgentLedger = emptyLedger(0);
  private readonly loaded: KeptTexts;
  /** The text as it is now, after a commit the new one. */
  text: Document;
  private known: History | null = null;
  /** Texts of states found or made while the file was held: lines are followed through them later. */
  private readonly fresh: Document[] = [];
  /** The part that is recorded already. */
  private saved: FileLedger;
  /** The file whose record this one takes over. */
  private like: string | null = null;

  private constructor(
    readonly file: FileId,
    readonly document: Document | null,
    private ledger: FileLedger,
    readonly context: FileContext,
  ) {
    this.loaded = new KeptTexts(context);
    this.text = document as Document;
    this.saved = ledger;
  }

  static async open(held: Held, file: FileId, context: FileContext): Promise<OpenFile> {
    return OpenFile.of(await held.read(file), file, context);
  }

  static async of(bytes: Uint8Array | null, file: FileId, context: FileContext): Promise<OpenFile> {
    const ledger = ledgerFrom(await context.store.look(file.key, context.agent), context.epoch);
    const last = ledger.states.at(-1)?.encoding ?? null;
    const document = bytes && (await parse(bytes, last, context));
    const opened = new OpenFile(file, document, ledger, context);
    if (document) await opened.arrive(document);
    return opened;
  }

  /** The file as found is the newest state; what the agent knows is carried to it. */
  private async arrive(document: Document): Promise<void> {
    this.found = this.agent;
    this.isFresh = this.ledger.states.at(-1)?.version !== document.version;
    if (this.isFresh) this.push(document, null);
    if (!hasSeen(this.found)) return;
    await this.load([this.found.state]);
    this.carryOn();
  }

  /** Everything the agent knows, as it is now; if an older text returned, what it knew then is known again. */
  private carryOn(): void {
    const before = this.agent;
    const { states, history } = this;
    if (!hasSeen(before) || before.state === states.length - 1) return;
    const { agent } = this.context;
    this.update(revived(carry(before, history), before, { states, history, agent }));
  }

  /** Whether anything may be recorded that quotes the file. */
  get isKeepable(): boolean {
    return this.document ? isKeepable(this.file, this.document) : this.file.keep;
  }

  get isCurrent(): boolean {
    return isCurrent(this.agent, this.states.length - 1);
  }

  /** Takes over what is recorded of a file at another path, if that once had this text and nothing is recorded here. */
  async succeed(other: OpenFile): Promise<boolean> {
    const { document } = this;
    if (!document || this.saved.states.length > 0) return false;
    if (!other.ledger.states.some(({ version }) => version === document.version)) return false;
    this.takeOver(other);
    this.fresh.length = 0;
    this.known = null;
    this.changed = true;
    await this.arrive(document);
    return true;
  }

  /** The text of a state, if it is kept. */
  async textAt(at: number): Promise<Document | null> {
    const state = this.ledger.states[at];
    if (!state) return null;
    if (this.document && state.version === this.text.version) return this.text;
    await this.loaded.load([state]);
    return this.loaded.text(state.version).document ?? null;
  }

  /**
   * Puts aside the file as found, which nobody recorded before: something happened in between. `between` is a text it
   * had meanwhile, if that is not the one recorded last. `arriveAgain` takes the file up.
   */
  async stepBack(between: Document | null): Promise<void> {
    const before = await this.textAt(this.states.length - 2);
    this.ledger = { ...this.ledger, states: this.states.slice(0, -1) };
    this.fresh.pop();
    this.known = null;
    this.update(this.found);
    if (before) {
      this.text = before;
      await this.load([this.found.state].filter((state) => state >= 0));
    }
    if (!between) return;
    this.push(between, null);
    if (hasSeen(this.agent)) this.update(carry(this.agent, this.history));
  }

  /**
   * Records the text that another program's tool wrote for the agent, after `stepBack`. `written`: lines that the agent
   * knows by that.
   */
  wrote(document: Document, exact: LineChange | null, written: LineSet): void {
    this.push(document, exact, this.context.agent);
    const agent = wrote(this.agent, this.history, written);
    this.update({ ...agent, newest: { state: this.states.length - 1, order: this.tick() } });
  }

  /** A state that was recorded as nobody's is the agent's: its tool made it. */
  async claim(at: number, exact: LineChange | null, written: LineSet): Promise<void> {
    const state = this.states[at] as StateRecord;
    const mine = { ...state, exact, by: this.context.agent };
    this.ledger = { ...this.ledger, states: this.states.with(at, mine) };
    this.known = null;
    await this.load([at]);
    const map = this.history.follow(at);
    this.credit(map ? map.carry(written) : LineSet.empty);
  }

  /** Lines of the text now that the agent knows, and others that changed unseen, without a moment at which it saw them. */
  credit(lines: LineSet, changed = LineSet.empty): void {
    if (lines.isEmpty) return;
    if (!hasSeen(this.agent)) this.showed(lines, null, "observed");
    this.update(know(this.agent, lines, changed));
  }

  /** Takes up the file as it was found, after `stepBack`. */
  arriveAgain(): void {
    if (!this.document || this.states.at(-1)?.version === this.document.version) return;
    this.push(this.document, null);
    this.carryOn();
  }

  /**
   * Rows that were shown of an older state, and only now are told of: what became of them since is pending. The state
   * is one that all of them stand in.
   */
  async showedLate(at: number, rows: LineSet): Promise<void> {
    await this.load([at]);
    const map = this.history.follow(at);
    if (!map) return;
    const lineCount = (this.states[at] as StateRecord).lineCount;
    const showing = {
      order: this.tick(),
      time: this.context.clock(),
      state: at,
      rows,
      scheme: null,
      lineCount,
      printer: "observed" as const,
    };
    this.update(showLate(this.agent, showing, { map, last: this.states.length - 1 }));
  }

  /**
   * Loads the texts that judging these lines takes: those of the showings that printed rows with these numbers, and
   * the newest one shown, in which quoted text is searched; a quote that is gone may have stood in an older one.
   */
  async prepare(anchors: readonly NamedRow[], quotes: boolean): Promise<void> {
    const { showings } = this.agent;
    const newest = [newestFor(this.agent, null), this.agent.newest].filter((one) => one !== null);
    const older = quotes ? showings.slice(-searchedShowings) : [];
    const recent = showings.filter(({ printer }) => printer !== "edit" && printer !== "refusal");
    const asked = showings.filter(({ rows, hashes }) =>
      anchors.some(({ line, hash }) => rows.has(line - 1) && (!hash || !hashes || hashes[line - 1] === hash)),
    );
    // The newest row of each number is what a wrong anchor is explained with.
    const last = anchors.flatMap(({ line }) => showings.findLast(({ rows }) => rows.has(line - 1)) ?? []);
    await this.load(
      [...asked, ...last, ...older, ...newest, ...recent.slice(-lookedBack)].map(({ state }) => state),
    );
  }

  private push(
    document: Document,
    exact: StateRecord["exact"],
    by: string | null = exact ? this.context.agent : null,
  ): void {
    const state: StateRecord = {
      version: document.version,
      lineCount: document.lineCount,
      encoding: document.encoding === "utf-8" ? null : document.encoding,
      ...{ exact, by },
      time: this.context.now,
    };
    this.ledger = { ...this.ledger, states: [...this.ledger.states, state] };
    if (this.document) this.loaded.keep(this.text);
    this.text = document;
    this.fresh.push(document);
    this.known = null;
  }

  get states(): readonly StateRecord[] {
    return this.ledger.states;
  }

  get history(): History {
    if (this.known) return this.known;
    const { text: now, loaded, states } = this;
    const last = states.at(-1);
    this.known = new History(states, {
      agent: this.context.agent,
      text: (state) => (state === last ? { document: now } : loaded.text(state.version)),
    });
    return this.known;
  }

  /** Loads the texts without which lines of these states cannot be followed to the newest. */
  async load(states: readonly number[]): Promise<void> {
    const wanted = needed(this.ledger.states, [...new Set(states)], this.context.agent);
    const older = [...wanted].flatMap((at) => this.ledger.states[at] ?? []);
    const newest = this.text.version;
    if (await this.loaded.load(older.filter(({ version }) => version !== newest))) this.known = null;
  }

  get agent(): AgentLedger {
    return this.ledger.agent;
  }

  update(agent: AgentLedger): void {
    if (agent === this.agent) return;
    this.ledger = { ...this.ledger, agent };
    this.changed = true;
  }

  /** The next number in the ledger's own counting of what happened. */
  tick(): number {
    this.ledger = { ...this.ledger, order: this.ledger.order + 1 };
    this.changed = true;
    return this.ledger.order;
  }

  view(request: string): View {
    return viewOf(this.sight, request);
  }

  seen(request: string): Seen {
    return seenOf(this.sight, this.file.path, request);
  }

  private get sight(): Sight {
    const { agent, history, text } = this;
    return { agent, history, text, now: this.context.now };
  }

  /** Rows of the newest state were printed to the agent. */
  showed(rows: LineSet, scheme: SchemeName | null, printer: Printer, request?: string): number {
    const state = this.ledger.states.length - 1;
    if (isShownLast(this.agent, { state, rows, scheme, printer }) && this.agent.newest)
      return this.agent.newest.order;
    const order = this.tick();
    const showing: LedgerShowing = {
      ...{ order, state, rows, scheme, printer, time: this.context.clock() },
      lineCount: this.text.lineCount,
      ...(request === undefined ? {} : { request }),
      ...(scheme && rows.size <= hashedRows ? { hashes: hashesOf(this.text, rows, scheme) } : {}),
    };
    this.update(show(this.agent, showing));
    return order;
  }

  /** Nothing but cut rows of lines that no read shows whole were printed. */
  met(): void {
    const order = this.tick();
    this.update(met(this.agent, this.states.length - 1, order));
  }

  /** The file was given this text by the agent; `exact` tells how, line by line, if it is known. */
  committed(document: Document, exact: StateRecord["exact"]): void {
    this.push(document, exact);
    this.changed = true;
  }

  /** An edit was taken back: whoever sends it again does not repeat it. */
  undone(): void {
    const states = this.states.with(-1, { ...(this.states.at(-1) as StateRecord), isUndo: true });
    this.ledger = { ...this.ledger, states };
    this.known = null;
    this.update({ ...this.agent, past: { ...this.agent.past, committed: null, noop: null } });
  }

  /** A moved file takes its record along. */
  adopt(other: OpenFile): void {
    this.takeOver(other);
    this.loaded.adopt(other.loaded);
    this.text = other.text;
    this.known = null;
    this.changed = true;
  }

  private takeOver({ ledger, saved, file }: OpenFile): void {
    this.ledger = ledger;
    this.saved = saved;
    this.like = file.key;
  }

  /** Has the record written with the rest of the call. */
  save(): void {
    if (!this.changed) return;
    const { store } = this.context;
    const { file } = this;
    for (const text of this.fresh.splice(0)) store.keep(textToKeep(file, text, this.textBefore(text)));
    const newest = this.states.at(-1);
    if (newest && this.agent.state === this.states.length - 1) this.update(rememberWhole(this.agent, newest));
    const like = this.like === null ? {} : { like: this.like };
    store.setFile({ ...outcomeOf(file.key, this.saved, this.ledger), ...like });
    this.saved = this.ledger;
    this.like = null;
    this.changed = false;
  }

  private textBefore({ version }: Document): Document | null {
    const at = this.states.findLastIndex((state) => state.version === version);
    const before = this.states[at - 1]?.version ?? "";
    return before === this.document?.version ? this.document : (this.loaded.text(before).document ?? null);
  }

  /** The file is gone from its path: nothing counts as shown there any more, and its text is kept for an undo. */
  release(): void {
    const { document, file, measure, isKeepable } = this;
    const { store } = this.context;
    if (document && isKeepable && !measure)
      store.keep({ id: document.version, bytes: document.toBytes(), file: file.key });
    store.setFile({ file: file.key, isGone: true });
    this.changed = false;
  }
}
