import type { SchemeName } from "../anchors/index.js";
import { LineChange } from "../changes/index.js";
import type { Json, LedgerStore } from "../ports/index.js";
import { LineSet } from "../text/index.js";
import { type AgentLedger, emptyLedger, type LedgerShowing, type Printer } from "./agent-ledger.js";
import { forget, forgottenFrom, forgottenJson, type RawForgotten } from "./forgotten-rows.js";

/** A ledger as it was saved last, and what told it from others then. */
interface Saved {
  readonly stamp: string;
  readonly ledger: FileLedger;
}

/** By the key of the file. To read a long record back takes longer than everything else that an edit does. */
const saved = new WeakMap<LedgerStore, Map<string, Saved>>();
const most = 16;

/** What is recorded of a file that is held. */
export async function loadLedger(store: LedgerStore, key: string): Promise<FileLedger> {
  const last = saved.get(store)?.get(key);
  if (last && last.stamp === (await stampOf(store, key))) return last.ledger;
  return fromJson(await store.file(key));
}

export async function saveLedger(store: LedgerStore, key: string, ledger: FileLedger): Promise<void> {
  const all = saved.get(store) ?? new Map<string, Saved>();
  all.delete(key);
  await store.saveFile(key, toJson(ledger));
  const stamp = await stampOf(store, key);
  if (!stamp) return;
  if (all.size >= most) all.clear();
  saved.set(store, all.set(key, { stamp, ledger }));
}

/** What cannot be told is read again; the record itself is saved all the same. */
async function stampOf(store: LedgerStore, key: string): Promise<string> {
  try {
    return (await store.stamp?.(key)) ?? "";
  } catch {
    return "";
  }
}

/** One state the file was in, as it is written down. */
export interface StateRecord {
  readonly version: string;
  readonly lines: number;
  /** Not UTF-8: how it was read. */
  readonly encoding: string | null;
  /** The exact change from the state before, and who made it. */
  readonly exact: LineChange | null;
  readonly by: string | null;
  readonly time: number;
}

/** Everything recorded of one file, for all agents. */
export interface FileLedger {
  readonly order: number;
  readonly states: readonly StateRecord[];
  readonly agents: Agents;
}

/** What one agent has seen of the file, since its last fold. */
export function agentLedger(
  { agents }: FileLedger,
  { agent, epoch }: { readonly agent: string; readonly epoch: number },
): AgentLedger {
  const found = agents.get(agent);
  return found && found.epoch === epoch ? found : emptyLedger(epoch);
}

/** As it was read, or as it is to be written, or both while it is unchanged. */
interface Entry {
  readonly raw?: RawAgent;
  made?: AgentLedger;
}

/** What each agent has seen, read only when it is asked for: many may work on a file, and a call is that of one. */
export class Agents {
  static readonly none = new Agents(new Map());

  private constructor(private readonly entries: ReadonlyMap<string, Entry>) {}

  static read(raw: Readonly<Record<string, RawAgent>>): Agents {
    return new Agents(new Map(Object.entries(raw).map(([id, one]) => [id, { raw: one }])));
  }

  get size(): number {
    return this.entries.size;
  }

  get(id: string): AgentLedger | undefined {
    const entry = this.entries.get(id);
    return entry && made(entry);
  }

  with(id: string, ledger: AgentLedger): Agents {
    return new Agents(new Map(this.entries).set(id, { made: ledger }));
  }

  map(change: (ledger: AgentLedger) => AgentLedger): Agents {
    return new Agents(new Map(this.all().map(([id, ledger]) => [id, { made: change(ledger) }])));
  }

  all(): [string, AgentLedger][] {
    return [...this.entries].map(([id, entry]) => [id, made(entry)]);
  }

  /** The states that they refer to. */
  states(): Set<number> {
    const used = new Set<number>();
    for (const { raw, made } of this.entries.values())
      for (const state of made ? referred(made) : referredRaw(raw as RawAgent)) used.add(state);
    return used;
  }

  toJSON(): Json {
    const json = ([id, { raw, made }]: readonly [string, Entry]) => [id, raw ?? (made && agentJson(made))];
    return Object.fromEntries([...this.entries].map(json)) as Json;
  }
}

/** What is none is as good as nothing seen. */
function made(entry: Entry): AgentLedger {
  try {
    entry.made ??= agentFrom(entry.raw as RawAgent);
  } catch {
    entry.made = emptyLedger(-1);
  }
  return entry.made;
}

export const emptyFile: FileLedger = { order: 0, states: [], agents: Agents.none };

/** Changed whenever what an agent has seen is written down otherwise: a record of another format is none. */
const format = 2;
const keptStates = 1000;
/** So many of the last are kept as they are: something may still be found out about those. */
const statesKeptWhole = 50;

/** Forgets states that no agent refers to, and the oldest beyond a bound; who referred to those must read again. */
export function trimmed(ledger: FileLedger): FileLedger {
  const used = ledger.agents.states();
  const last = ledger.states.length - 1;
  const first = Math.max(Math.min(...used, last), ledger.states.length - keptStates, 0);
  const states: StateRecord[] = [];
  const places = new Map<number, number>();
  for (const [at, state] of ledger.states.entries()) {
    if (at < first) continue;
    const before = states.at(-1);
    const isLeft = !used.has(at - 1) && at - 1 > first && at <= last - statesKeptWhole;
    // What one agent did in several steps that nobody refers to is one change.
    if (before?.exact && state.exact && isLeft && before.by === state.by) {
      states[states.length - 1] = { ...state, exact: before.exact.compose(state.exact) };
      places.delete(at - 1);
    } else states.push(state);
    places.set(at, states.length - 1);
  }
  if (states.length === ledger.states.length) return ledger;
  return { ...ledger, states, agents: ledger.agents.map((agent) => renumbered(agent, places)) };
}

function referred({ state, newest, showings, known, refusals }: AgentLedger): number[] {
  const named = [...showings, ...refusals, ...(newest ? [newest] : [])].map((one) => one.state);
  return [...named, ...known.keys(), ...(state >= 0 ? [state] : [])];
}

function referredRaw({ state, newest, showings, known, refusals }: RawAgent): number[] {
  try {
    const named = [...showings, ...refusals].map(([, at]) => at);
    const others = [...known.map(([at]) => at), ...(newest ? [newest.state] : [])];
    return [...named, ...others, ...(state >= 0 ? [state] : [])];
  } catch {
    return [];
  }
}

/** `places`: of each state that is left, where it is now. */
function renumbered(agent: AgentLedger, places: ReadonlyMap<number, number>): AgentLedger {
  const placed = <T extends { readonly state: number }>(one: T): T[] => {
    const state = places.get(one.state);
    return state === undefined ? [] : [{ ...one, state }];
  };
  const known = [...agent.known].flatMap(([state, lines]) =>
    places.has(state) ? [[places.get(state) as number, lines] as const] : [],
  );
  let { settled } = agent;
  while (settled >= 0 && !places.has(settled)) settled--;
  return {
    ...agent,
    newest: (agent.newest && placed(agent.newest)[0]) ?? null,
    forgotten: forget(
      agent.forgotten,
      agent.showings.filter(({ state }) => !places.has(state)),
    ),
    state: places.get(agent.state) ?? -1,
    settled: places.get(settled) ?? -1,
    showings: agent.showings.flatMap(placed),
    refusals: agent.refusals.flatMap(placed),
    known: new Map(known),
  };
}

export function toJson(ledger: FileLedger): Json {
  const states = ledger.states.map(({ version, lines, encoding, exact, by, time }) => [
    version,
    lines,
    encoding,
    exact ? exact.toJSON() : null,
    by,
    time,
  ]);
  return { format, order: ledger.order, states, agents: ledger.agents.toJSON() };
}

function agentJson(agent: AgentLedger): Json {
  return {
    epoch: agent.epoch,
    state: agent.state,
    showings: agent.showings.map(
      ({ order, state, rows, scheme, lineCount, printer, request, hashes, time, printed }) => [
        ...[order, state, rows.toJSON(), scheme, lineCount, printer, request ?? null, hashes ?? null, time],
        ...(printed ? [printed.toJSON()] : []),
      ],
    ),
    known: [...agent.known].map(([state, lines]) => [state, lines.toJSON()]),
    pending: agent.pending.toJSON(),
    deletions: agent.deletions.map(({ gap, count, sides, told }) => [
      gap,
      count,
      sides,
      ...(told ? [told] : []),
    ]),
    refusals: agent.refusals.map(({ request, state, lines }) => [request, state, lines.toJSON()]),
    past: agent.past as unknown as Json,
    newest: agent.newest && { ...agent.newest },
    settled: agent.settled,
    forgotten: forgottenJson(agent.forgotten),
    ...{ whole: agent.whole, takenBack: agent.takenBack },
  };
}

/** Reads a record back; anything that is not one is as good as none: the agent reads the file again. */
export function fromJson(record: Json | null): FileLedger {
  if (!isObject(record) || record.format !== format) return emptyFile;
  try {
    const raw = record as unknown as RawFile;
    return { order: raw.order, states: raw.states.map(stateFrom), agents: Agents.read(raw.agents) };
  } catch {
    return emptyFile;
  }
}

type Flat = readonly number[];
type RawState = readonly [string, number, string | null, Flat | null, string | null, number];
type RawShowing = readonly [
  ...[number, number, Flat, SchemeName | null, number, Printer, string | null],
  ...[Readonly<Record<number, string>> | null, number, Flat?],
];

interface RawFile {
  readonly order: number;
  readonly states: readonly RawState[];
  readonly agents: Readonly<Record<string, RawAgent>>;
}

interface RawAgent {
  readonly epoch: number;
  readonly state: number;
  readonly showings: readonly RawShowing[];
  readonly known: readonly (readonly [number, Flat])[];
  readonly pending: Flat;
  readonly deletions: readonly (readonly [number, number, number?, (readonly string[])?])[];
  readonly refusals: readonly (readonly [string, number, Flat])[];
  readonly past: AgentLedger["past"];
  readonly newest: AgentLedger["newest"];
  readonly settled?: number;
  readonly forgotten: RawForgotten;
  readonly whole: readonly string[];
  readonly takenBack: readonly string[];
}

function stateFrom([version, lines, encoding, exact, by, time]: RawState): StateRecord {
  return { version, lines, encoding, exact: exact && LineChange.fromJSON(exact), by, time };
}

function showingFrom([
  order,
  state,
  rows,
  scheme,
  lineCount,
  printer,
  request,
  hashes,
  time,
  printed,
]: RawShowing): LedgerShowing {
  const showing = { order, state, rows: LineSet.fromJSON(rows), scheme, lineCount, printer, time };
  return {
    ...showing,
    ...(request === null ? {} : { request }),
    ...(hashes ? { hashes } : {}),
    ...(printed ? { printed: LineSet.fromJSON(printed) } : {}),
  };
}

function agentFrom(raw: RawAgent): AgentLedger {
  return {
    epoch: raw.epoch,
    state: raw.state,
    showings: raw.showings.map(showingFrom),
    known: new Map(raw.known.map(([state, lines]) => [state, LineSet.fromJSON(lines)])),
    pending: LineSet.fromJSON(raw.pending),
    deletions: raw.deletions.map(([gap, count, sides = 0, told]) => ({
      gap,
      count,
      sides,
      ...(told ? { told } : {}),
    })),
    refusals: raw.refusals.map(([request, state, lines]) => ({
      request,
      state,
      lines: LineSet.fromJSON(lines),
    })),
    past: raw.past,
    newest: raw.newest,
    settled: raw.settled ?? -1,
    forgotten: forgottenFrom(raw.forgotten),
    ...{ whole: raw.whole, takenBack: raw.takenBack },
  };
}

function isObject(value: Json | null): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
