import type { SchemeName } from "../anchors/index.js";
import { LineChange, type Step } from "../changes/index.js";
import type { FileOutcome, FileRecord, Json } from "../ports/index.js";
import { LineSet, Recent } from "../text/index.js";
import { type AgentLedger, emptyLedger, hasSeen, type LedgerShowing, type Printer } from "./agent-ledger.js";
import { forget, forgottenFrom, forgottenJson, type RawForgotten } from "./forgotten-rows.js";

/** One state the file was in, as it is written down. */
export interface StateRecord extends Step {
  /** Not UTF-8: how it was read. */
  readonly encoding: string | null;
  readonly by: string | null;
  readonly time: number;
  /** Made by taking an edit back. */
  readonly isUndo?: true;
}

/** The part of a file's record that one agent needs. Its state numbers count from `first` on. */
export interface FileLedger {
  /** The number that the first state has in the store. */
  readonly first: number;
  readonly states: readonly StateRecord[];
  readonly agent: AgentLedger;
  /** Counts what happened between this agent and the file, through all its epochs. */
  readonly order: number;
}

/** Changed whenever what an agent has seen is written down otherwise: a record of another format is none. */
const format = 4;
/** This many of the last states are at hand whatever the agent refers to. */
const recentStates = 50;

/** Records that were read or written before: the same JSON is the same record. */
const readStates = new WeakMap<object, StateRecord>();
const writtenStates = new WeakMap<StateRecord, Json>();
const writtenShowings = new WeakMap<LedgerShowing, Json>();
const readLedgers = new WeakMap<object, Numbered>();

/** Lists that were read before, by their first record: where it begins later with each edit, there would be one for each. */
const readLists = new Recent<object, { records: readonly Json[]; states: StateRecord[] }>(64);

/** A ledger whose states have the numbers of the store. */
interface Numbered {
  readonly ledger: AgentLedger;
  readonly order: number;
  /** The version of its newest state: a record of states that was lost in part, and grew again, is another one. */
  readonly version: string | null;
}

/** Reads a record back; anything that is not one is as good as none: the agent reads the file again. */
export function ledgerFrom(record: FileRecord, epoch: number): FileLedger {
  const found = numberedFrom(record.ledger);
  const order = found?.order ?? 0;
  const end = record.first + record.states.length;
  const now = found?.ledger.epoch === epoch ? found : null;
  const since = now ? sinceOf(now.ledger, end) : end;
  const first = Math.max(record.first, Math.min(since, end - recentStates));
  const states = statesFrom(
    first === record.first ? record.states : record.states.slice(first - record.first),
  );
  const agent = now && isOf(now, first, states) ? renumbered(now.ledger, -first) : emptyLedger(epoch);
  return { first, states, agent: afterUndo(agent, states), order };
}

/** Returns the states to write: those from the first on that was not there when it was read. */
export function outcomeOf(file: string, before: FileLedger, after: FileLedger): FileOutcome {
  const { first, states, agent, order } = after;
  let same = 0;
  if (before.first === first)
    while (same < before.states.length && before.states[same] === states[same]) same += 1;
  const isLonger = same < states.length || same < before.states.length;
  const numbered = {
    ledger: renumbered(agent, first),
    order,
    version: states[agent.state]?.version ?? null,
  };
  return {
    file,
    ...(isLonger ? { states: { from: first + same, states: states.slice(same).map(stateJson) } } : {}),
    ledger: {
      record: numberedJson(numbered),
      since: sinceOf(numbered.ledger, first + states.length),
    },
  };
}

/** The encoding that the file was read in last, if that was not UTF-8. */
export function encodingIn({ states }: FileRecord): string | null {
  return statesFrom(states.slice(-1))[0]?.encoding ?? null;
}

/** Whether a ledger of this epoch says that anything was shown. */
export function isSeen(record: Json, epoch: number): boolean {
  const found = numberedFrom(record);
  return found !== null && found.ledger.epoch === epoch && hasSeen(found.ledger);
}

/** Mostly states are only added: those that an earlier call read are not read again. */
function statesFrom(records: readonly Json[]): readonly StateRecord[] {
  const [first = null] = records;
  const known = isList(first) ? readLists.get(first) : undefined;
  let same = 0;
  while (known && same < records.length && records[same] === known.records[same]) same += 1;
  const states = known ? known.states.slice(0, same) : [];
  try {
    for (const record of records.slice(same)) {
      if (!isList(record)) throw new TypeError("not a state");
      const state = readStates.get(record) ?? stateFrom(record as unknown as RawState);
      const { exact } = state;
      const before = states.at(-1);
      // A change that begins with another number of lines is not one of the state before.
      if (exact && before && exact.before !== before.lineCount) throw new TypeError("not the next state");
      readStates.set(record, state);
      states.push(state);
    }
  } catch {
    return [];
  }
  if (isList(first)) readLists.set(first, { records, states });
  return states;
}

function numberedFrom(record: Json): Numbered | null {
  if (!isObject(record) || record.format !== format) return null;
  const known = readLedgers.get(record);
  if (known) return known;
  try {
    const raw = record as unknown as RawAgent & Pick<Numbered, "order" | "version">;
    const found = { ledger: agentFrom(raw), order: raw.order, version: raw.version };
    readLedgers.set(record, found);
    return found;
  } catch {
    return null;
  }
}

function numberedJson(numbered: Numbered): Json {
  const { ledger, order, version } = numbered;
  const json = { format, order, version, ...(agentJson(ledger) as object) } as unknown as Json & object;
  readLedgers.set(json, numbered);
  return json;
}

function stateJson(state: StateRecord): Json {
  const known = writtenStates.get(state);
  if (known !== undefined) return known;
  const { version, lineCount, encoding, exact, by, time, isUndo } = state;
  const json = [
    version,
    lineCount,
    encoding,
    exact ? exact.toJSON() : null,
    by,
    time,
    ...(isUndo ? [1] : []),
  ];
  writtenStates.set(state, json);
  readStates.set(json, state);
  return json;
}

/** The newest state that the ledger was carried to is the one that is recorded under its number. */
function isOf({ ledger, version }: Numbered, first: number, states: readonly StateRecord[]): boolean {
  return ledger.state < 0 || states[ledger.state - first]?.version === version;
}

/** An edit was taken back: whoever sends it again does not repeat it. */
function afterUndo(agent: AgentLedger, states: readonly StateRecord[]): AgentLedger {
  const { committed, noop } = agent.past;
  if (!committed && !noop) return agent;
  const isUndone = states.slice(agent.state + 1).some(({ isUndo }) => isUndo);
  return isUndone ? { ...agent, past: { ...agent.past, committed: null, noop: null } } : agent;
}

/** The oldest state that a ledger refers to. */
function sinceOf(ledger: AgentLedger, end: number): number {
  return referred(ledger).reduce((oldest, state) => Math.min(oldest, state), end);
}

function referred({ state, newest, showings, known, refusals }: AgentLedger): number[] {
  const named = [...showings, ...refusals, ...(newest ? [newest] : [])].map((one) => one.state);
  return [...named, ...known.keys(), ...(state >= 0 ? [state] : [])];
}

/** Counts states from elsewhere. Showings of a state that was dropped are forgotten: the agent reads it again. */
function renumbered(agent: AgentLedger, by: number): AgentLedger {
  if (by === 0 || !hasSeen(agent)) return agent;
  const isLeft = (state: number): boolean => state + by >= 0;
  const placed = <T extends { readonly state: number }>(one: T): T[] =>
    isLeft(one.state) ? [{ ...one, state: one.state + by }] : [];
  const known = [...agent.known].flatMap(([state, lines]) =>
    isLeft(state) ? [[state + by, lines] as const] : [],
  );
  const dropped = agent.showings.filter(({ state }) => !isLeft(state));
  return {
    ...agent,
    newest: (agent.newest && placed(agent.newest)[0]) ?? null,
    forgotten: dropped.length > 0 ? forget(agent.forgotten, dropped) : agent.forgotten,
    state: isLeft(agent.state) ? agent.state + by : -1,
    settled: agent.settled < 0 ? -1 : Math.max(-1, agent.settled + by),
    showings: agent.showings.flatMap(placed),
    refusals: agent.refusals.flatMap(placed),
    known: new Map(known),
  };
}

function agentJson(agent: AgentLedger): Json {
  return {
    epoch: agent.epoch,
    state: agent.state,
    showings: agent.showings.map(showingJson),
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

/** Showings are many and never changed: each is put into words once. */
function showingJson(showing: LedgerShowing): Json {
  const known = writtenShowings.get(showing);
  if (known !== undefined) return known;
  const { order, state, rows, scheme, lineCount, printer, request, hashes, time, printed } = showing;
  const json = [
    ...[order, state, rows.toJSON(), scheme, lineCount, printer, request ?? null, hashes ?? null, time],
    ...(printed ? [printed.toJSON()] : []),
  ];
  writtenShowings.set(showing, json);
  return json;
}

type Flat = readonly number[];
type RawState = readonly [string, number, string | null, Flat | null, string | null, number, 1?];
type RawShowing = readonly [
  ...[number, number, Flat, SchemeName | null, number, Printer, string | null],
  ...[Readonly<Record<number, string>> | null, number, Flat?],
];

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

/** Throws for a record that is none: the file counts as one of which nothing is recorded. */
function stateFrom([version, lineCount, encoding, exact, by, time, undo]: RawState): StateRecord {
  const isNamed = typeof version === "string" && isCount(lineCount) && typeof time === "number";
  const isTold = isTextOrNull(encoding) && isTextOrNull(by);
  const isFollowed =
    exact === null || (Array.isArray(exact) && exact.every(isCount) && exact[1] === lineCount);
  if (!isNamed || !isTold || !isFollowed) throw new TypeError("not a state");
  const state = { version, lineCount, encoding, exact: exact && LineChange.fromJSON(exact), by, time };
  return undo ? { ...state, isUndo: true } : state;
}

const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === "string";

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

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

function isObject(value: Json | null): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
