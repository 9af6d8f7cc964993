import type { SchemeName } from "../anchors/index.js";
import type { History } from "../changes/index.js";
import { LineSet } from "../text/index.js";
import { type Forgotten, forget, nothingForgotten, retired } from "./forgotten-rows.js";

/**
 * The call that printed rows to an agent. Only a read, whole or in part or of what has changed (delta), retires the
 * older rows of the numbers it prints.
 */
export type Printer = "read" | "delta" | "search" | "edit" | "refusal" | "observed";

/** Rows printed at one moment. `rows` are those that still name lines. */
export interface LedgerShowing {
  readonly order: number;
  /** When it was answered, in milliseconds since 1970. */
  readonly time: number;
  readonly state: number;
  readonly rows: LineSet;
  readonly scheme: SchemeName | null;
  /** The anchors that the rows were printed with, by line index, where they are few. */
  readonly hashes?: Readonly<Record<number, string>>;
  /** Lines of that state in all. */
  readonly lineCount: number;
  readonly printer: Printer;
  /** All rows that were printed, where a read has retired some: they count again should the text come back. */
  readonly printed?: LineSet;
  /** For a refusal: the request it answered. Judging that request again leaves these rows out. */
  readonly request?: string;
}

/** Rows seen in a refusal, kept apart for the same reason. */
interface RefusalRows {
  readonly request: string;
  readonly state: number;
  readonly lines: LineSet;
}

/** Lines the agent knew that others removed, or put fewer in the place of: before line `gap` (0-based), `count` of them. */
export interface Deletion {
  readonly gap: number;
  readonly count: number;
  /** The line above it was shown since (1), the one below (2): together they tell that nothing is between them. */
  readonly sides: number;
  /** Requests whose refusals have shown both since. */
  readonly told?: readonly string[];
}

/** All of it is read and written with every call, so of what is rarely asked for few are kept. */
const keptAnswers = { read: 400, other: 100 };
/** Showings all of whose rows are retired tell what was once shown; a few are enough. */
const keptEmptied = 8;
const keptRefusals = 16;

/** A request that was refused, how often, and what the client called it the last time. */
interface Refusal {
  readonly request: string;
  readonly count: number;
  readonly name?: string;
}

/** The agent's last call on the file: the basis of the repeat rules. */
interface Past {
  readonly committed: {
    readonly request: string;
    readonly order: number;
    /** The version that the call made of the file. */
    readonly version: string;
  } | null;
  readonly noop: { readonly request: string; readonly count: number } | null;
  readonly refused: readonly Refusal[];
}

/**
 * Everything that one agent has seen of one file. Showings name lines; known lines open the gate. A value, never
 * changed.
 */
export interface AgentLedger {
  readonly epoch: number;
  /** The newest state this ledger has been carried to; -1 before anything was shown. */
  readonly state: number;
  readonly showings: readonly LedgerShowing[];
  /** Known lines of the newest state, and as they were in older states that rows still name. */
  readonly known: ReadonlyMap<number, LineSet>;
  /** Lines of the newest state in seen territory that others wrote and that were not shown yet. */
  readonly pending: LineSet;
  readonly deletions: readonly Deletion[];
  readonly refusals: readonly RefusalRows[];
  readonly past: Past;
  /** The newest state of which anything was shown, but for refusals, and when that was. */
  readonly newest: { readonly state: number; readonly order: number } | null;
  /** Up to this state the agent was told what others made of what it wrote; -1: nothing yet. */
  readonly settled: number;
  readonly forgotten: Forgotten;
  /** Versions that were shown whole. */
  readonly whole: readonly string[];
  /** Versions that the agent made and that were taken back from outside, and it was not told. */
  readonly takenBack: readonly string[];
}

export function emptyLedger(epoch: number): AgentLedger {
  return {
    epoch,
    state: -1,
    showings: [],
    known: new Map(),
    pending: LineSet.empty,
    deletions: [],
    refusals: [],
    past: { committed: null, noop: null, refused: [] },
    newest: null,
    settled: -1,
    forgotten: nothingForgotten,
    ...{ whole: [], takenBack: [] },
  };
}

export function hasSeen(ledger: AgentLedger): boolean {
  return ledger.state >= 0;
}

/** The agent saw or wrote the file last as it is in this state, and nothing that it saw before has changed since. */
export function isCurrent({ newest, pending, deletions }: AgentLedger, state: number): boolean {
  return newest?.state === state && pending.isEmpty && deletions.length === 0;
}

/** These rows were shown last, in the same way, and no call was refused since: to show them again tells nothing new. */
export function isShownLast({ showings, newest, past }: AgentLedger, showing: Shown): boolean {
  const { printer } = showing;
  const before = showings.at(-1);
  const isRead = (printer === "read" || printer === "observed") && past.refused.length === 0;
  return isRead && isSame(before, showing) && before?.order === newest?.order;
}

function isReader(printer: Printer): boolean {
  return printer === "read" || printer === "delta";
}

type Shown = Pick<LedgerShowing, "state" | "rows" | "scheme" | "printer">;

/** The same rows, printed in the same way. */
function isSame(before: Shown | undefined, { state, rows, scheme, printer }: Shown): boolean {
  const isAlike = before?.printer === printer && before.state === state && before.scheme === scheme;
  return isAlike && before.rows.isEqual(rows);
}

export function knownNow(ledger: AgentLedger): LineSet {
  return ledger.known.get(ledger.state) ?? LineSet.empty;
}

/** Carries knowledge to the newest state of the file; names stay where they are. */
export function carry(ledger: AgentLedger, history: History): AgentLedger {
  const to = history.last;
  if (!hasSeen(ledger) || ledger.state === to) return ledger;
  const map = history.follow(ledger.state, to);
  const before = knownNow(ledger);
  const known = new Map(ledger.known).set(to, map ? map.carry(before) : LineSet.empty);
  const moved = { ...ledger, state: to, known, refusals: carriedRefusals(ledger, map, to) };
  if (!map) return pruned({ ...moved, pending: LineSet.empty, deletions: [] });
  const seen = ledger.refusals.reduce((set, { lines }) => set.union(lines), before.union(ledger.pending));
  const { lines, gone } = foreignChanges(seen, map);
  return pruned({
    ...moved,
    pending: map.carry(ledger.pending).union(lines),
    deletions: [...movedGaps(ledger.deletions, map), ...gone].sort((one, two) => one.gap - two.gap),
  });
}

/** Rows seen in refusals are carried like known lines, each by itself. */
function carriedRefusals({ refusals }: AgentLedger, map: Mapping | null, state: number): RefusalRows[] {
  return refusals.map(({ request, lines }) => ({
    request,
    state,
    lines: map ? map.carry(lines) : LineSet.empty,
  }));
}

/** Lines that others wrote or removed inside territory that the agent has seen. */
function foreignChanges(territory: LineSet, map: Mapping): { lines: LineSet; gone: Deletion[] } {
  const spans: (readonly [number, number])[] = [];
  const gone: Deletion[] = [];
  const isIn = (line: number) => line < 0 || line >= map.before || territory.has(line);
  for (const { aStart, aEnd, bStart, bEnd } of map.regions) {
    const seen =
      aStart < aEnd
        ? !territory.intersect(LineSet.of([[aStart, aEnd]])).isEmpty
        : isIn(aStart - 1) && isIn(aEnd);
    if (!seen) continue;
    if (bStart < bEnd) spans.push([bStart, bEnd]);
    // An agent that is shown the fewer lines that are there now, and not where they end, cannot tell that others went.
    const count = aEnd - aStart - (bEnd - bStart);
    if (count > 0) gone.push({ gap: bEnd, count, sides: 0 });
  }
  return { lines: LineSet.of(spans), gone };
}

function movedGaps(deletions: readonly Deletion[], map: Mapping): Deletion[] {
  return deletions.map(({ gap, count, ...since }) => ({
    ...{ gap: map.gap(gap), count },
    ...(map.touching(gap, gap).length > 0 ? { sides: 0 } : since),
  }));
}

/** An agent that writes on both sides of a gap, and over it, has settled what stands there. */
function openGaps(deletions: readonly Deletion[], map: Mapping): Deletion[] {
  const isOver = (gap: number) => map.regions.some(({ aStart, aEnd }) => aStart < gap && gap < aEnd);
  return movedGaps(
    deletions.filter(({ gap }) => !isOver(gap)),
    map,
  );
}

/** Known lines of old states are needed only while rows of those states can still be named. */
function pruned(ledger: AgentLedger): AgentLedger {
  const named = new Set(ledger.showings.map(({ state }) => state)).add(ledger.state);
  const known = [...ledger.known].filter(([state]) => named.has(state));
  return { ...ledger, known: new Map(known) };
}

/** Rows of the newest state were printed. */
export function show(ledger: AgentLedger, showing: LedgerShowing): AgentLedger {
  const { state, rows, printer, request, order } = showing;
  // Nothing printed is nothing shown, unless there is nothing to print.
  if (rows.isEmpty && showing.lineCount > 0) return ledger;
  if (request !== undefined) return showRefusal(ledger, showing, request);
  const { scheme } = showing;
  const isRead = isReader(printer) || printer === "observed";
  // A second reading tells all that the first one told: kept twice, it would push out what was shown earlier.
  const isAgain = isRead && isSame(ledger.showings.at(-1), showing);
  const others = isAgain ? ledger.showings.slice(0, -1) : ledger.showings;
  const retiring = isReader(printer) ? scheme : null;
  const older = retiring === null ? others : others.map((one) => retire(one, rows, retiring));
  // An agent that reads has stopped sending the same call: the count of its refusals begins anew.
  const past = isRead ? { ...ledger.past, refused: [] } : ledger.past;
  return bounded({
    ...ledger,
    past,
    state,
    showings: [...older, showing],
    known: new Map(ledger.known).set(state, (ledger.known.get(state) ?? LineSet.empty).union(rows)),
    pending: ledger.pending.subtract(rows),
    deletions: ledger.deletions.flatMap((one) => untold(one, showing)),
    newest: { state, order },
    forgotten: retiring === null ? ledger.forgotten : retired(ledger.forgotten, rows, retiring),
  });
}

/**
 * The file was read, and none of the lines asked for can be printed whole: no row names them and the gate stays closed,
 * but a quote of what a cut row shows is judged by itself, in the text as it is now.
 */
export function met(ledger: AgentLedger, state: number, order: number): AgentLedger {
  const known = new Map(ledger.known).set(state, ledger.known.get(state) ?? LineSet.empty);
  return { ...ledger, state, known, newest: { state, order } };
}

/** A read that prints a number again, in the same scheme, tells what that number names now. */
function retire(showing: LedgerShowing, anew: LineSet, scheme: SchemeName): LedgerShowing {
  if (showing.scheme !== scheme) return showing;
  const rows = showing.rows.subtract(anew);
  return rows.size === showing.rows.size
    ? showing
    : { ...showing, rows, printed: showing.printed ?? showing.rows };
}

/** Lines that are gone are noticed where both lines beside the gap are printed, or the one at the file's edge. */
function untold(deletion: Deletion, showing: LedgerShowing): Deletion[] {
  const sides = deletion.sides | sidesShown(deletion, showing);
  return sides === 3 ? [] : [{ ...deletion, sides }];
}

function sidesShown({ gap }: Deletion, { rows, lineCount }: LedgerShowing): number {
  const above = gap === 0 || rows.has(gap - 1) ? 1 : 0;
  const below = gap >= lineCount || rows.has(gap) ? 2 : 0;
  return above | below;
}

function showRefusal(ledger: AgentLedger, showing: LedgerShowing, request: string): AgentLedger {
  const { state, rows } = showing;
  return bounded({
    ...ledger,
    state: Math.max(ledger.state, state),
    showings: [...ledger.showings, showing],
    refusals: [...ledger.refusals, { request, state, lines: rows }].slice(-keptRefusals),
    deletions: ledger.deletions.map((one) =>
      sidesShown(one, showing) === 3 ? { ...one, told: [...(one.told ?? []), request] } : one,
    ),
  });
}

/** Lines of the newest state are known, and others changed unseen, without a moment at which they were shown. */
export function know(ledger: AgentLedger, lines: LineSet, changed: LineSet): AgentLedger {
  const before = knownNow(ledger);
  const known = new Map(ledger.known).set(ledger.state, before.union(lines));
  const pending = ledger.pending.subtract(lines).union(changed.subtract(before));
  return { ...ledger, known, pending };
}

/** Rows of an older state were printed, and only now it is told: what became of them since is pending. */
export function showLate(
  given: AgentLedger,
  showing: LedgerShowing,
  { map, last }: { readonly map: Mapping; readonly last: number },
): AgentLedger {
  const ledger = hasSeen(given) ? given : { ...given, state: last };
  const { state, rows, order } = showing;
  const { lines, gone } = foreignChanges(rows, map);
  const before = knownNow(ledger);
  const known = new Map(ledger.known).set(ledger.state, before.union(map.carry(rows)));
  return bounded({
    ...ledger,
    showings: [...ledger.showings, showing],
    known: known.set(state, (known.get(state) ?? LineSet.empty).union(rows)),
    pending: ledger.pending.union(lines.subtract(before)),
    deletions: [...ledger.deletions, ...gone].sort((one, two) => one.gap - two.gap),
    newest: ledger.newest && ledger.newest.state > state ? ledger.newest : { state, order },
  });
}

/** The newest thing shown, as this request may see it: its own refusals are left out. */
export function newestFor(
  ledger: AgentLedger,
  request: string | null,
): { state: number; order: number } | null {
  const refusals = ledger.showings.filter((one) => one.request !== undefined && one.request !== request);
  const last = refusals.at(-1);
  return last && last.order > (ledger.newest?.order ?? -1) ? last : ledger.newest;
}

/**
 * Drops what is too much; rows that named lines are remembered as forgotten, never silently. Reads are kept longer:
 * older anchors come from there.
 */
function bounded(ledger: AgentLedger): AgentLedger {
  const emptied = ledger.showings.filter(({ rows }) => rows.isEmpty).slice(0, -keptEmptied);
  const left = ledger.showings.filter((one) => !emptied.includes(one));
  const isRead = ({ printer }: LedgerShowing): boolean => isReader(printer);
  const dropped = new Set([
    ...left.filter((one) => !isRead(one)).slice(0, -keptAnswers.other),
    ...left.filter(isRead).slice(0, -keptAnswers.read),
  ]);
  return pruned({
    ...ledger,
    showings: dropped.size === 0 ? left : left.filter((one) => !dropped.has(one)),
    forgotten: forget(ledger.forgotten, [...dropped]),
  });
}

/**
 * The agent's own edit led to the newest state: what it wrote it knows, everything else it follows exactly. Nothing is untold
 * of a text that was shown whole and is back: what is missing there is missing from another text.
 */
export function wrote(ledger: AgentLedger, history: History, written: LineSet): AgentLedger {
  const state = history.last;
  const map = hasSeen(ledger) ? history.follow(ledger.state, state) : null;
  const kept = map ? map.carry(knownNow(ledger)) : LineSet.empty;
  const isWhole = ledger.whole.includes(history.states[ledger.state]?.version ?? "");
  return pruned({
    ...ledger,
    state,
    refusals: carriedRefusals(ledger, map, state),
    known: new Map(ledger.known).set(state, kept.union(written)),
    pending: map && !isWhole ? map.carry(ledger.pending) : LineSet.empty,
    deletions: map && !isWhole ? openGaps(ledger.deletions, map) : [],
  });
}

/** Rows that name lines, as this request may see them. */
export function showingsFor(ledger: AgentLedger, request: string): readonly LedgerShowing[] {
  return ledger.showings.filter((showing) => showing.request !== request);
}

/** The lines above and below a place between lines. */
export function besideGap(gap: number, lineCount: number): LineSet {
  return LineSet.of([[Math.max(0, gap - 1), Math.min(lineCount, gap + 1)]]);
}

/** Lines that others wrote in seen territory and no answer has shown yet. */
export function untoldLines(ledger: AgentLedger): LineSet {
  return ledger.pending.subtract(shownInRefusals(ledger, null));
}

/** Lines that refusals of other requests have shown, in the newest state. */
export function shownInRefusals(ledger: AgentLedger, request: string | null): LineSet {
  const others = ledger.refusals.filter((refusal) => refusal.request !== request);
  return others.reduce((set, { lines }) => set.union(lines), LineSet.empty);
}

type Mapping = NonNullable<ReturnType<History["follow"]>>;
