/** One agent's view of one file: what it wrote, what it was shown, and what of that others have changed since. */
import { type FileContext, hasSeen, knownNow, OpenFile, untoldLines, writer } from "../../ledger/index.js";
import type { FileId } from "../../ports/index.js";
import { LineSet } from "../../text/index.js";
import type { Lane } from "../contract.js";

/** Own edits older than this many states of the file are no longer drawn. */
const statesDrawn = 60;
/** Changed lines whose authors are looked up; a reformatted file has thousands. */
const linesAsked = 40;

export interface LaneNow {
  readonly lane: Lane;
  /** Lines of the file. */
  readonly lines: number;
  /** Null if the view is not behind. */
  readonly behind: {
    readonly lines: Lane["stale"];
    readonly removed: number;
    readonly by: readonly string[];
    readonly since: number;
  } | null;
  /** When the agent was shown something of the file last. */
  readonly shown: number;
}

/** Returns the lane of the context's agent; null if the file was never shown to the agent. */
export async function laneOf(bytes: Uint8Array, file: FileId, context: FileContext): Promise<LaneNow | null> {
  const opened = await OpenFile.of(bytes, file, context);
  const { agent, document } = opened;
  if (!document || !hasSeen(agent)) return null;
  const wrote = await ownLines(opened);
  const stale = untoldLines(agent).subtract(wrote);
  // A deletion counts as made by whoever changed the file last.
  const isOwn = opened.states.at(-1)?.by === context.agent;
  const untold = isOwn ? [] : agent.deletions.filter(({ told = [] }) => told.length === 0);
  const removed = untold.reduce((sum, { count }) => sum + count, 0);
  const isBehind = !stale.isEmpty || removed > 0;
  return {
    lane: {
      agent: context.agent,
      wrote: wrote.ranges(),
      shown: knownNow(agent).subtract(wrote).ranges(),
      stale: stale.ranges(),
    },
    lines: document.lineCount,
    behind: isBehind ? { lines: stale.ranges(), removed, ...changersOf(opened, stale) } : null,
    shown: Math.max(0, ...agent.showings.map(({ time }) => time)),
  };
}

/** Lines that the agent's own edits put into the file, where they are now. */
async function ownLines(opened: OpenFile): Promise<LineSet> {
  const { states, context } = opened;
  const first = Math.max(0, states.length - statesDrawn);
  const own = states.flatMap(({ by, exact }, at) =>
    at >= first && by === context.agent && exact ? [at] : [],
  );
  if (own.length === 0) return LineSet.empty;
  await opened.load(own);
  return own.reduce((all, at) => {
    const regions = states[at]?.exact?.regions ?? [];
    const written = LineSet.of(
      regions.filter(({ bStart, bEnd }) => bStart < bEnd).map(({ bStart, bEnd }) => [bStart, bEnd] as const),
    );
    const change = opened.history.follow(at);
    return change ? all.union(change.carry(written)) : all;
  }, LineSet.empty);
}

/** The author of the changes of the lines, and when the first of them was recorded. */
function changersOf(opened: OpenFile, stale: LineSet): { by: string[]; since: number } {
  const { states, context } = opened;
  const asked = stale.indexes().slice(0, linesAsked);
  const writers = new Set(asked.map((line) => writer(opened, line)));
  const seen = Math.max(0, ...opened.agent.showings.map(({ time }) => time));
  const later = states.filter(({ by, time }) => by !== context.agent && time >= seen);
  // Removed lines have no writer: whoever changed the file since is named.
  if (asked.length === 0) for (const { by } of later) writers.add(by);
  const names = [...writers].filter((one) => one !== null && one !== "you" && one !== context.agent);
  return { by: names as string[], since: later[0]?.time ?? states.at(-1)?.time ?? context.now };
}
