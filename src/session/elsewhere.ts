/** Text that an agent saw in one place is not taken for the same text in another. */
import {
  goneQuote,
  LineSet,
  lineIndexes,
  type Problem,
  placesOf,
  problem,
  type State,
} from "../core/index.js";
import { knownNow, type LedgerShowing, showingsFor, shownInRefusals } from "./ledger.js";
import type { OpenFile } from "./open.js";
import { writtenLines } from "./texts.js";

/** Lines of the text now, half-open, that a tool is about to replace, and what it quotes of them. */
export interface Hit {
  readonly quoted: string;
  readonly start: number;
  readonly end: number;
  /** Not all of it stands there any more: it is what became of the place that was seen. */
  readonly carried?: boolean;
}

/** Lines that the agent saw or wrote in one state of the file, and when. */
type Look = Pick<LedgerShowing, "state" | "rows" | "order">;

/** Everything the agent has looked at, with the texts that it takes to follow it. */
export async function looksOf(opened: OpenFile, request: string): Promise<readonly Look[]> {
  await opened.prepare([], true);
  return showingsFor(opened.agent, request, opened.history);
}

/** Something was seen of a text that is not kept: only what was shown since can be told from what stood there. */
export function isUnplaced(hits: readonly Hit[], looks: readonly Look[], opened: OpenFile): boolean {
  if (looks.every(({ state }) => opened.history.follow(state) !== null)) return false;
  const known = knownNow(opened.agent);
  return hits.some(({ start, end }) => !known.containsSpan(start, end));
}

export function unplaced(): Problem {
  return problem("stale", [], "the text that was shown is not kept, so the quote cannot be placed");
}

/**
 * The place of one of these hits is not the one that is meant, or that cannot be told: the text was seen where it is
 * gone now, and here it was not seen, or not since. A change that was shown to the agent it knows of.
 */
export function elsewhere(
  hits: readonly Hit[],
  looks: readonly Look[],
  opened: OpenFile,
  request: string,
): Problem | null {
  for (const hit of hits) {
    const seen = sightings(hit, looks, opened);
    const isHere = ({ at, hull: [start, end] }: (typeof seen)[number]): boolean =>
      at === hit.start || (hit.carried === true && start <= hit.end && end >= hit.start);
    const here = Math.max(-1, ...seen.filter(isHere).map(({ order }) => order));
    const isKnown = here >= 0 || knownNow(opened.agent).containsSpan(hit.start, hit.end);
    const gone = seen
      .filter((one) => one.at < 0 && one.order >= here && !isHere(one))
      .find((one) => !isKnown || !isTold(one.hull, opened, request));
    if (!gone) continue;
    const found = goneQuote([], { ...gone, length: hit.quoted.length }, opened.text);
    return { ...found, rows: found.rows.union(LineSet.of([[hit.start, hit.end]])) };
  }
  return null;
}

/** Where the quoted text was seen whole, and where those lines are now: -1 if not one after the other. */
function sightings({ quoted }: Hit, looks: readonly Look[], { history }: OpenFile) {
  const { version } = history.states[history.last] as State;
  return looks.flatMap(({ state, rows, order }) => {
    // Text that came back stands where it stood.
    const isBack = history.states[state]?.version === version;
    const believed = history.believed(isBack ? history.last : state);
    if (!believed) return [];
    const { document, fromShown, toNow } = believed;
    const seen = fromShown.carry(rows).union(writtenLines(fromShown));
    return placesOf(document, quoted).flatMap(({ from, first, last }) => {
      if (!seen.containsSpan(first, last + 1)) return [];
      const start = toNow.index(first);
      const isThere =
        start >= 0 &&
        lineIndexes(first, last + 1).every((line) => toNow.index(line) === start + line - first);
      const hull = toNow.hull(first, last + 1);
      return [{ document, from, toNow, order, hull, at: isThere ? start : -1 }];
    });
  });
}

/** The agent was shown what stands in these lines instead, or between which lines nothing does. */
function isTold([start, end]: readonly [number, number], { agent }: OpenFile, request: string): boolean {
  const pending = agent.pending.subtract(shownInRefusals(agent, request));
  if (start < end && !pending.intersect(LineSet.of([[start, end]])).isEmpty) return false;
  return !agent.deletions.some(({ gap }) => gap >= start && gap <= end);
}
