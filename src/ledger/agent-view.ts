/** A text that came back byte for byte, as after `git checkout`: what the agent knew of it holds again. */
import type { History, Region } from "../changes/index.js";
import type { View } from "../edits/index.js";
import { type Document, LineSet } from "../text/index.js";
import {
  type AgentLedger,
  type Deletion,
  hasSeen,
  knownNow,
  type LedgerShowing,
  newestFor,
  showingsFor,
  shownInRefusals,
  untoldLines,
} from "./agent-ledger.js";
import type { StateRecord } from "./file-ledger.js";
import { isForgotten } from "./forgotten-rows.js";
import type { Seen } from "./gate.js";

/** Texts that were shown to the end; more than these are not remembered. */
const wholeTextsKept = 16;

/**
 * `now`: the ledger carried to the newest state; `before`: as it was. Nothing is shown by this: rows of that text name lines
 * again, those too that a read retired, and no row is retired.
 */
export function revived(now: AgentLedger, before: AgentLedger, at: Arrival): AgentLedger {
  const { states, history } = at;
  const last = states.length - 1;
  const isSame = (state: number): boolean => states[state]?.version === states[last]?.version;
  const back = [...before.known.keys()].filter((state) => state < last && isSame(state));
  if (back.length === 0) return now;
  const known = before.known.get(Math.max(...back)) as LineSet;
  const silent = (history.follow(before.state)?.regions ?? []).filter((region) =>
    isUntoldRegion(region, before),
  );
  const returned = LineSet.of(
    silent.filter(({ bStart, bEnd }) => bStart < bEnd).map(({ bStart, bEnd }) => [bStart, bEnd]),
  ).intersect(known);
  return {
    ...now,
    known: new Map(now.known).set(last, knownNow(now).union(known)),
    pending: now.pending.subtract(returned),
    deletions: now.deletions.filter((one) => !silent.some((region) => isAt(one, region))),
    showings: now.showings.map((one) => (isSame(one.state) ? restored(one) : one)),
    newest: before.newest && { ...before.newest, state: last },
    takenBack: [...now.takenBack, ...takenBack(at, before.state)],
  };
}

interface Arrival {
  readonly states: readonly StateRecord[];
  readonly history: History;
  readonly agent: string;
}

/** The agent was never told of the text that stood there meanwhile, in no refusal either: its rows name lines that are gone. */
function isUntoldRegion({ aStart, aEnd }: Region, ledger: AgentLedger): boolean {
  if (aStart < aEnd) return untoldLines(ledger).hasSpan(aStart, aEnd);
  return ledger.deletions.some(({ gap, told = [] }) => gap === aStart && told.length === 0);
}

function isAt({ gap }: Deletion, { bStart, bEnd }: Region): boolean {
  return bStart <= gap && gap <= bEnd;
}

function restored({ printed, ...showing }: LedgerShowing): LedgerShowing {
  return printed ? { ...showing, rows: printed } : showing;
}

/** Versions that the agent made of a text that stands there again without them. */
function takenBack({ states, agent }: Arrival, from: number): string[] {
  const last = states.length - 1;
  const before = states.findLastIndex(({ version }, at) => at < last && version === states[last]?.version);
  return states.slice(before + 1, from + 1).flatMap(({ by, version }) => (by === agent ? [version] : []));
}

/** All of the text was shown, and nothing that others did is untold: if it comes back, it reads as it was shown whole. */
export function rememberWhole(ledger: AgentLedger, { version, lineCount }: StateRecord): AgentLedger {
  const { whole, pending, deletions } = ledger;
  const isWhole = pending.isEmpty && deletions.length === 0 && knownNow(ledger).hasSpan(0, lineCount);
  if (!isWhole || whole.at(-1) === version) return ledger;
  return { ...ledger, whole: [...whole.filter((one) => one !== version), version].slice(-wholeTextsKept) };
}
/** The showings of a file as one request may see them: its own refusals are left out. */

export interface Sight {
  readonly agent: AgentLedger;
  readonly history: History;
  readonly text: Document;
  /** When the call came. */
  readonly now: number;
}

/** Calls that come sooner after an answer, in milliseconds, are taken for calls of one message with it. */
const oneMessage = 300;

export function viewOf(sight: Sight, request: string): View {
  const { agent, history } = sight;
  const newest = newestFor(agent, request);
  return {
    history,
    showings: showingsFor(agent, request).map((one) => ({ ...one, looked: lookedAt(one, sight, request) })),
    forgotten: (index, hash, scheme) => isForgotten(agent.forgotten, index, hash, scheme),
    isUntold: (start, end) => isUntold(agent, request, { start, end }),
    known: (state) => knownIn(agent, state, request, history),
    read: knownNow(agent),
    ...(newest ? { newest: newest.state } : {}),
  };
}

/** A delta tells of every line known to the agent that it is as it was, or prints it; a read or a search tells of its rows alone. */
function lookedAt(showing: LedgerShowing, sight: Sight, request: string): LineSet | null {
  if (!isLook(showing, sight, request)) return null;
  const { printer, state, rows } = showing;
  return printer === "delta" ? (sight.agent.known.get(state) ?? rows) : rows;
}

/**
 * A read or a search that the model can have seen before it wrote the call. Calls of one message are written before any of
 * their answers is seen. A call that was refused is judged by what was read since.
 */
function isLook({ printer, time }: LedgerShowing, { agent, now }: Sight, request: string): boolean {
  const isAnswer = printer === "edit" || printer === "refusal";
  return !isAnswer && now - time >= oneMessage && !agent.past.refused.some((one) => one.request === request);
}

export function seenOf({ agent, history, text }: Sight, path: string, request: string): Seen {
  // It reads again as it was shown whole.
  const isWhole = agent.whole.includes(text.version);
  const deletions = isWhole ? [] : untoldDeletions(agent, request);
  const pending = isWhole ? 0 : agent.pending.subtract(shownInRefusals(agent, request)).size;
  return {
    path,
    hasSeen: hasSeen(agent),
    known: hasSeen(agent) ? knownIn(agent, history.last, request, history) : knownNow(agent),
    lineCount: text.lineCount,
    changed: agent.pending,
    pending: pending + deletions.length,
    deletions,
  };
}

/** Where others took lines out, and no refusal of another request has shown both sides of it. */
function untoldDeletions({ deletions }: AgentLedger, request: string): Deletion[] {
  return deletions.filter(({ told = [] }) => told.every((one) => one === request));
}

/** Whether others changed something in lines [start, end) of the newest state, or at their edges, and no other call was told. */
function isUntold(
  ledger: AgentLedger,
  request: string,
  { start, end }: { readonly start: number; readonly end: number },
): boolean {
  const pending = ledger.pending.subtract(shownInRefusals(ledger, request));
  if (start < end && !pending.intersect(LineSet.of([[start, end]])).isEmpty) return true;
  return untoldDeletions(ledger, request).some(({ gap }) => start <= gap && gap <= end);
}

/** The lines of a state this agent has seen, in whatever version and under whatever number, or written. */
function knownIn(ledger: AgentLedger, state: number, request: string, history: History): LineSet {
  let known = ledger.known.get(state) ?? LineSet.empty;
  if (hasSeen(ledger) && state !== ledger.state)
    known = known.union(between(knownNow(ledger), ledger.state, state, history));
  for (const refusal of ledger.refusals)
    if (refusal.request !== request)
      known = known.union(between(refusal.lines, refusal.state, state, history));
  return known;
}

function between(lines: LineSet, from: number, to: number, history: History): LineSet {
  if (from === to) return lines;
  if (from < to) return history.follow(from, to)?.carry(lines) ?? LineSet.empty;
  return history.follow(to, from)?.carryBack(lines) ?? LineSet.empty;
}
