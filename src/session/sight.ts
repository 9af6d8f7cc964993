/** What an agent has seen of a file, as one request may see it: its own refusals are left out. */
import { type Document, type History, LineSet, type View } from "../core/index.js";
import { isForgotten } from "./forgotten.js";
import type { Seen } from "./gate.js";
import {
  type AgentLedger,
  type Deletion,
  hasSeen,
  knownNow,
  type LedgerShowing,
  newestFor,
  showingsFor,
  shownInRefusals,
} from "./ledger.js";

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
    showings: showingsFor(agent, request).map((one) => ({ ...one, isLook: isLook(one, sight, request) })),
    forgotten: (index, hash, scheme) => isForgotten(agent.forgotten, index, hash, scheme),
    isUntold: (start, end) => isUntold(agent, request, { start, end }),
    known: (state) => knownIn(agent, state, request, history),
    read: knownNow(agent),
    ...(newest ? { newest: newest.state } : {}),
  };
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
  const map = from < to ? history.follow(from, to) : history.follow(to, from)?.invert();
  return map ? map.carry(lines) : LineSet.empty;
}
