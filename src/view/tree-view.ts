/** The state of a tree with its agents, made from journal and ledgers, and kept up with what is new. */
import type { JournalEntry } from "../ports/index.js";
import { AgentColours } from "../text/index.js";
import { agentRows, agentsFor, isEdit, workingFor } from "./agent-rows.js";
import type {
  Activity,
  EventDetails,
  EventPage,
  StaleView,
  ViewEvent,
  ViewFile,
  ViewState,
} from "./contract.js";
import { LaneCache, type LaneSource, mostFiles, type SeenLane } from "./lanes/lane-cache.js";
import { Losses, type LossSource, later, longLooksAfter } from "./losses.js";
import { eventOf, reasonOf, standingInTheWay } from "./view-events.js";
import { hour } from "./words.js";

/** Newest entries that are held; older ones are read from the journal when a page of them is asked for. */
const entriesHeld = 20_000;
/** Entries that are read before the first state is shown; the others follow. */
const entriesFirst = 3000;
/** In a quiet repository the newest files are shown, however old. */
const leastFiles = 20;
/** The tree is looked at so often while somebody watches. */
const looksEvery = 2000;
const slices = 120;

export interface TreeViewOptions extends LaneSource, LossSource {
  readonly repository: string;
  readonly hasActions: boolean;
  branch(): Promise<string | null>;
  /** Writes down what changed in the tree since somebody looked last. */
  lookAtTree(): Promise<void>;
  /** The name that a person gave an agent, or the first words of its prompt. */
  words(agent: string): Promise<string | null>;
  diff(entry: JournalEntry): Promise<string | null>;
}

export class TreeView {
  private entries: JournalEntry[] = [];
  private mark: string | null = null;
  /** Entries that were held once, and are not any more; older ones that were added later count the other way. */
  private dropped = 0;
  private filling: Promise<void> | null = null;
  /** When the tree was looked at last: not before the first state is shown. */
  private looked: number;
  private readonly lanes: LaneCache;
  private readonly losses: Losses;
  private readonly colours = new AgentColours();

  constructor(private readonly options: TreeViewOptions) {
    this.looked = options.look.clock();
    this.lanes = new LaneCache(options);
    this.losses = new Losses(options);
  }

  /** Reads what is new; the first call reads the newest entries. */
  private async catchUp(): Promise<void> {
    const { store } = this.options.look;
    if (this.mark === null) {
      this.mark = (await store.journalSince(null)).mark;
      this.entries = [...(await store.journal({ last: entriesFirst }))];
      if (this.entries.length === entriesFirst) this.filling = this.fill();
      return;
    }
    const { entries, mark } = await store.journalSince(this.mark);
    this.mark = mark;
    const known = new Set(this.entries.slice(-entries.length - 200).map(({ id }) => id));
    const fresh = entries.filter(({ id }) => !known.has(id));
    this.entries.push(...fresh);
    const excess = this.entries.length - entriesHeld;
    if (excess < entriesHeld / 2) return;
    this.entries = this.entries.slice(excess);
    this.dropped += excess;
  }

  /** Reads the rest of the entries that are held, once the first state is on its way. */
  private async fill(): Promise<void> {
    await later(longLooksAfter);
    const all = await this.options.look.store.journal({ last: entriesHeld + this.entries.length });
    const first = all.findIndex(({ id }) => id === this.entries[0]?.id);
    const older = first < 0 ? [] : all.slice(Math.max(0, first - entriesHeld), first);
    this.entries = [...older, ...this.entries];
    this.dropped -= older.length;
  }

  /** The mark counts entries: several feeds, and questions in between, take nothing from each other. */
  async news(mark: string | null): Promise<{ events: ViewEvent[]; mark: string }> {
    await this.lookNowAndThen();
    await this.catchUp();
    const total = this.dropped + this.entries.length;
    const fresh = mark === null ? [] : this.entries.slice(Math.max(0, Number(mark) - this.dropped));
    return { events: fresh.map((one) => this.shown(one)), mark: String(total) };
  }

  /** A tree that cannot be looked at is shown as the journal has it. */
  private async lookNowAndThen(): Promise<void> {
    const { clock } = this.options.look;
    if (clock() - this.looked < looksEvery) return;
    await this.options.lookAtTree().catch(() => {});
    this.looked = clock();
  }

  private shown(entry: JournalEntry): ViewEvent {
    const owners = (entry.edits ?? []).flatMap((id) => this.find(id)?.agent ?? []);
    return eventOf(entry, { path: this.options.shownPath(entry.file), owners: [...new Set(owners)] });
  }

  /** Newest first: what is asked for is mostly of the last minutes. */
  private find(id: string): JournalEntry | undefined {
    return this.entries.findLast((one) => one.id === id);
  }

  /** Waits for the survey that is under way: for a single look. */
  async settled(): Promise<void> {
    await Promise.all([this.losses.settled(), this.filling]);
  }

  async state(at?: number): Promise<ViewState> {
    await this.catchUp();
    const { look, repository, hasActions } = this.options;
    const now = at ?? look.clock();
    const entries = at === undefined ? this.entries : this.entries.filter(({ time }) => time <= at);
    const wanted = this.wantedFiles(entries, now);
    const seen = at === undefined ? await this.lanes.of(entries, wanted) : await this.lanes.at(wanted, at);
    const lost = at === undefined ? this.losses.now(this.entries, this.mark) : this.losses.noted(entries);
    const files = await this.files(entries, seen, now);
    const stale = this.stale(seen);
    const agents = await agentRows(entries, {
      ...{ lost, stale, now },
      shown: [...seen.values()].map(({ agent, made }) => ({ agent, time: made.shown })),
      words: (agent) => this.options.words(agent),
      hue: (agent) => this.colours.hueOf(agent),
      path: (file) => this.options.shownPath(file),
    });
    if (at === undefined) this.colours.keep(agents.map(({ id }) => id));
    const recent = entries.filter(({ time }) => time > now - hour);
    return {
      ...{ time: now, repository, branch: await this.options.branch(), agents, files, stale, lost },
      counts: {
        agents: agents.length,
        working: agents.filter(({ seen: time }) => time > now - workingFor).length,
        edits: entries.filter(isEdit).length,
        editsLastHour: recent.filter(isEdit).length,
        relocated: entries.filter((one) => isEdit(one) && (one.relocated ?? 0) > 0).length,
        refused: entries.filter(({ kind }) => kind === "refusal").length,
        lost: lost.length,
      },
      actions: hasActions && at === undefined,
    };
  }

  /** Hot first: edited lately, then whatever was edited last. */
  private wantedFiles(entries: readonly JournalEntry[], now: number): string[] {
    const wanted = new Set<string>();
    for (let at = entries.length - 1; at >= 0 && wanted.size < mostFiles; at--) {
      const { file, time, kind } = entries[at] as JournalEntry;
      if (kind === "head") continue;
      if (time < now - agentsFor && wanted.size >= leastFiles) break;
      wanted.add(file);
    }
    return [...wanted];
  }

  private async files(
    entries: readonly JournalEntry[],
    seen: ReadonlyMap<string, SeenLane>,
    now: number,
  ): Promise<ViewFile[]> {
    const told = new Map<string, { time: number; edits: number }>();
    for (const { file, time, kind } of entries) {
      if (kind === "head") continue;
      const one = told.get(file) ?? { time, edits: 0 };
      told.set(file, { time: Math.max(one.time, time), edits: one.edits + (kind === "commit" ? 1 : 0) });
    }
    const lanes = new Map<string, SeenLane[]>();
    for (const pair of seen.values()) lanes.set(pair.file, [...(lanes.get(pair.file) ?? []), pair]);
    const keys = new Set([...this.wantedFiles(entries, now), ...lanes.keys()]);
    const files = await Promise.all(
      [...keys].map(async (key): Promise<ViewFile> => {
        const here = lanes.get(key) ?? [];
        const { time = Math.max(0, ...here.map(({ made }) => made.shown)), edits = 0 } = told.get(key) ?? {};
        return {
          path: this.options.shownPath(key),
          lines: here[0]?.made.lines ?? (await this.lanes.linesOf(key)),
          ...{ time, edits },
          lanes: here.map(({ made }) => made.lane),
        };
      }),
    );
    return (
      files
        // A file of which there were refusals alone need never have been there.
        .filter(({ lines, edits, lanes: own }) => lines > 0 || edits > 0 || own.length > 0)
        .sort((one, two) => two.time - one.time || (one.path < two.path ? -1 : 1))
        .slice(0, mostFiles)
    );
  }

  private stale(seen: ReadonlyMap<string, SeenLane>): StaleView[] {
    return [...seen.values()].flatMap(({ file, agent, made: { behind } }) =>
      behind ? [{ agent, path: this.options.shownPath(file), ...behind }] : [],
    );
  }

  /** A page of events before one of them, or up to a moment; the newest without either. */
  async history(before: string | null, max: number, at?: number): Promise<EventPage> {
    await this.catchUp();
    const page = (entries: readonly JournalEntry[], end: number): EventPage => {
      const chosen = entries.slice(Math.max(0, end - max), end).toReversed();
      return {
        events: chosen.map((one) => this.shown(one)),
        next: end > max ? (chosen.at(-1)?.id ?? null) : null,
      };
    };
    const endIn = (entries: readonly JournalEntry[]): number =>
      before !== null
        ? entries.findIndex(({ id }) => id === before)
        : at === undefined
          ? entries.length
          : entries.findLastIndex(({ time }) => time <= at) + 1;
    const held = endIn(this.entries);
    if (held > max || (before === null && at === undefined)) return page(this.entries, held);
    // Older than what is held: the journal is asked for more of its newest entries until the page is among them.
    const all = await this.options.look.store.journal({ last: this.entries.length + 10 * entriesHeld });
    const end = endIn(all);
    return end < 0 ? { events: [], next: null } : page(all, end);
  }

  async event(id: string): Promise<EventDetails | null> {
    const entry =
      this.find(id) ?? (await this.options.look.store.journal({ ids: [id] })).find((one) => one.id === id);
    if (!entry) return null;
    const event = this.shown(entry);
    if (entry.kind !== "refusal")
      return { event, diff: await this.options.diff(entry), reason: null, because: null };
    const cause = standingInTheWay(entry, this.entries);
    const because = cause && { event: this.shown(cause), diff: await this.options.diff(cause) };
    return { event, diff: null, reason: reasonOf(entry), because };
  }

  async activity(from: number): Promise<Activity> {
    await this.catchUp();
    const to = this.options.look.clock();
    // A timeline that began before the entries at hand would show a quiet time that was none.
    const held = this.dropped === 0 && !this.filling ? from : (this.entries[0]?.time ?? from);
    const begin = Math.max(from, held);
    const width = Math.max(1, (to - begin) / slices);
    const counted = Array.from({ length: slices }, () => ({ edits: 0, refusals: 0, lost: 0 }));
    for (const { time, kind } of this.entries) {
      const slice = counted[Math.min(slices - 1, Math.floor((time - begin) / width))];
      if (time < begin || !slice) continue;
      if (kind === "refusal") slice.refusals += 1;
      else if (kind === "lost") slice.lost += 1;
      else slice.edits += 1;
    }
    return { from: begin, to, slices: counted };
  }
}
