/** One agent's view of one file as it was at a moment: from the rows it had been shown by then and the states of the file. */
import { type FileContext, hasSeen, OpenFile } from "../../ledger/index.js";
import type { FileId } from "../../ports/index.js";
import { LineSet } from "../../text/index.js";
import type { LaneNow } from "./lane.js";

/** Showings that are looked back at; older ones hardly tell more. */
const showingsUsed = 40;

/** Returns the lane in the line numbers of that moment; null if nothing of the file had been shown by then. */
export async function laneThen(
  bytes: Uint8Array,
  file: FileId,
  { context, time }: { readonly context: FileContext; readonly time: number },
): Promise<LaneNow | null> {
  const opened = await OpenFile.of(bytes, file, context);
  const { states, agent } = opened;
  const at = states.findLastIndex((state) => state.time <= time);
  const showings = agent.showings.filter((one) => one.time <= time && one.state <= at).slice(-showingsUsed);
  if (!hasSeen(agent) || at < 0 || showings.length === 0) return null;
  const own = states.flatMap(({ by, exact }, state) =>
    state <= at && by === context.agent && exact ? [state] : [],
  );
  await opened.load([...new Set([...showings.map(({ state }) => state), ...own, at])]);
  const { history } = opened;
  let [shown, stale, wrote] = [LineSet.empty, LineSet.empty, LineSet.empty];
  for (const { state, rows, printed = rows } of showings) {
    const change = history.follow(state, at);
    if (!change) continue;
    const others = change.regions.filter(
      ({ aStart, aEnd, bStart, bEnd, own: isOwn }) =>
        !isOwn && bStart < bEnd && !printed.intersect(LineSet.of([[aStart, aEnd]])).isEmpty,
    );
    const seen = change.carry(printed);
    stale = stale.union(LineSet.of(others.map(({ bStart, bEnd }) => [bStart, bEnd] as const))).subtract(seen);
    shown = shown.union(seen);
  }
  for (const state of own) {
    const regions = (states[state]?.exact?.regions ?? []).filter(({ bStart, bEnd }) => bStart < bEnd);
    const lines = LineSet.of(regions.map(({ bStart, bEnd }) => [bStart, bEnd] as const));
    wrote = wrote.union(history.follow(state, at)?.carry(lines) ?? LineSet.empty);
  }
  stale = stale.subtract(wrote);
  const last = Math.max(...showings.map((one) => one.time));
  const since = states.find((state) => state.time > last && state.by !== context.agent)?.time ?? time;
  return {
    lane: {
      agent: context.agent,
      wrote: wrote.ranges(),
      shown: shown.subtract(wrote).subtract(stale).ranges(),
      stale: stale.ranges(),
    },
    lines: states[at]?.lineCount ?? 0,
    behind: stale.isEmpty
      ? null
      : { lines: stale.ranges(), removed: 0, by: writersThen(states, at, context), since },
    shown: last,
  };
}

/** Returns who had changed the file by then, besides the agent, newest first. */
function writersThen(states: OpenFile["states"], at: number, { agent }: FileContext): readonly string[] {
  const names = states.slice(0, at + 1).flatMap(({ by }) => (by !== null && by !== agent ? [by] : []));
  return [...new Set(names.reverse())].slice(0, 3);
}
