/** A text that came back byte for byte, as after `git checkout`: what the agent knew of it holds again. */
import type { History, Region } from "../core/index.js";
import { LineSet } from "../core/index.js";
import { type AgentLedger, type Deletion, knownNow, type LedgerShowing } from "./ledger.js";
import type { StateRecord } from "./record.js";

/** Texts that were shown to the end; more than these are not remembered. */
const keptWhole = 16;

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
  const silent = (history.follow(before.state)?.regions ?? []).filter((region) => isUntoldRegion(region, before));
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

/** The agent was never told of the text that stood there meanwhile. */
function isUntoldRegion({ aStart, aEnd }: Region, { pending, deletions }: AgentLedger): boolean {
  if (aStart < aEnd) return pending.containsSpan(aStart, aEnd);
  return deletions.some(({ gap }) => gap === aStart);
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
export function rememberWhole(ledger: AgentLedger, { version, lines }: StateRecord): AgentLedger {
  const { whole, pending, deletions } = ledger;
  const isWhole = pending.isEmpty && deletions.length === 0 && knownNow(ledger).containsSpan(0, lines);
  if (!isWhole || whole.at(-1) === version) return ledger;
  return { ...ledger, whole: [...whole.filter((one) => one !== version), version].slice(-keptWhole) };
}
