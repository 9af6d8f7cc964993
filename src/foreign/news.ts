/** Tells an agent, once, what others changed in a file that it has seen or written. */
import type { LineChange } from "../changes/index.js";
import {
  type CallEnv,
  type Env,
  hasSeen,
  knownNow,
  type OpenFile,
  untoldLines,
  withOpen,
  writer,
} from "../ledger/index.js";
import { LineSet, type Range } from "../text/index.js";

/** Differences between what the agent wrote and what the file has. */
export interface Formatted {
  /** Empty if there are too many to show. */
  readonly rows: readonly { readonly line: number; readonly text: string }[];
  readonly ranges: readonly Range[];
  readonly deleted: number;
}

/**
 * Returns what others changed in the agent's text since it was told last; null if a known author wrote since, or nothing is
 * known. A formatter may have run between two edits of one answer.
 */
async function sinceOwn(opened: OpenFile, { agent }: Env): Promise<LineChange | null> {
  const { states } = opened;
  const known = states.findLastIndex(({ by }) => by !== null && by !== agent);
  const first = states.findIndex(({ by }, at) => at > Math.max(known, opened.agent.settled) && by === agent);
  if (first < 0 || !hasSeen(opened.agent)) return null;
  await opened.load([first]);
  return opened.history.follow(first);
}

const shownRows = 40;
const shownCharacters = 4_000;

/** Reads a file that the agent wrote, after everything that runs after a write. The rows count as shown. */
export async function formatted(path: string, room: number, env: CallEnv): Promise<Formatted | null> {
  return withOpen(path, env, async (opened) => {
    const { document } = opened;
    const map = document && (await sinceOwn(opened, env));
    if (hasSeen(opened.agent)) opened.update({ ...opened.agent, settled: opened.states.length - 1 });
    opened.save();
    if (!document || !map || map.isIdentity) return null;
    const { agent } = opened;
    const spans = map.regions.filter(({ bStart, bEnd, own }) => bStart < bEnd && !own);
    const lines = LineSet.of(spans.map(({ bStart, bEnd }) => [bStart, bEnd] as const)).subtract(
      knownNow(agent),
    );
    const shrunk = map.regions.filter(({ bEnd }) => agent.deletions.some(({ gap }) => gap === bEnd));
    const deleted = shrunk.filter(({ bStart, bEnd }) => bStart === bEnd);
    if (lines.isEmpty && deleted.length === 0) return null;
    const length = lines.indexes().reduce((sum, at) => sum + document.text(at).length, 0);
    const isShort = lines.size <= shownRows && length <= Math.min(shownCharacters, room);
    const rows = isShort ? lines.indexes().map((at) => ({ line: at + 1, text: document.text(at) })) : [];
    if (isShort) opened.showed(lines, null, "observed");
    const told = new Set(shrunk.map(({ bEnd }) => bEnd));
    const deletions = opened.agent.deletions.filter(({ gap }) => !told.has(gap));
    opened.update({ ...opened.agent, deletions });
    opened.save();
    const count = deleted.reduce((sum, { aStart, aEnd }) => sum + aEnd - aStart, 0);
    return { rows, ranges: lines.ranges(), deleted: count };
  });
}

/** Lines that the agent itself wrote last. */
function ownLines({ states, history }: OpenFile, { agent }: Env): LineSet {
  let own = LineSet.empty;
  const first = states.findIndex(({ by }) => by === agent);
  for (let at = Math.max(first, 1); first >= 0 && at < states.length; at++) {
    const { by, exact } = states[at] as OpenFile["states"][number];
    own = (own.isEmpty ? null : (exact ?? history.follow(at - 1, at)))?.carry(own) ?? LineSet.empty;
    if (by !== agent || !exact) continue;
    own = own.union(LineSet.of(exact.regions.map(({ bStart, bEnd }) => [bStart, bEnd] as const)));
  }
  return own;
}

/** Changes of others in lines that the agent has seen. */
export interface News {
  readonly rows: readonly { readonly line: number; readonly text: string; readonly by: string | null }[];
  readonly deleted: number;
  /** The rows are not all of it. */
  readonly more: readonly Range[];
}

/**
 * Returns each change once, because the rows count as shown. With `others` the lines that the agent itself changed by a command
 * are left out; a deletion counts as made by whoever changed the file last.
 */
export async function news(
  path: string,
  { room, of = "all" }: { readonly room: number; readonly of?: "all" | "others" },
  env: CallEnv,
): Promise<News | null> {
  return withOpen(path, env, async (opened) => {
    const { document } = opened;
    const isOwn = of === "others" && opened.states.at(-1)?.by === env.agent;
    const deletions = isOwn ? [] : opened.agent.deletions;
    const untold = untoldLines(opened.agent);
    const pending = of === "others" ? untold.subtract(ownLines(opened, env)) : untold;
    if (!document || (pending.isEmpty && deletions.length === 0)) return null;
    const told: number[] = [];
    let length = 0;
    for (const at of pending.indexes().slice(0, shownRows)) {
      length += document.text(at).length;
      if (length > Math.min(shownCharacters, room)) break;
      told.push(at);
    }
    const lines = LineSet.lines(told);
    const rows = told.map((at) => ({ line: at + 1, text: document.text(at), by: writer(opened, at) }));
    if (!lines.isEmpty) opened.showed(lines, null, "observed");
    if (deletions.length > 0) opened.update({ ...opened.agent, deletions: [] });
    opened.save();
    const deleted = deletions.reduce((sum, { count }) => sum + count, 0);
    return { rows, deleted, more: pending.subtract(lines).ranges() };
  });
}
