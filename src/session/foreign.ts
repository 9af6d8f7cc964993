/** What other programs' tools do to files for an agent, and what is written down of it. */
import {
  Change,
  changedRanges,
  compare,
  type Document,
  LineSet,
  type Range,
  type Replaced,
  replaceQuotes,
  wholeFile,
} from "../core/index.js";
import { type ForeignChange, quotesOf, sameLines } from "./consider.js";
import { knownNow } from "./ledger.js";
import { OpenFile } from "./open.js";
import { PortError } from "./ports.js";
import { contextOf } from "./reading.js";
import { entryId } from "./refuse.js";
import type { Env } from "./result.js";

/** What a tool has done, as far as it is told: else all that differs from the text before is its doing. */
export interface ObservedWrite {
  readonly tool?: string;
  readonly change?: ForeignChange;
  /** The text it was done to; null: there was no file. */
  readonly before?: string | null;
  /** All of the file was written. */
  readonly whole?: boolean;
}

/**
 * The tool has done it: what the agent wrote it knows, and the journal has it. What the file holds besides, by then, is
 * somebody else's doing: a formatter's, mostly.
 */
export async function recordWrite(
  write: ObservedWrite & { readonly path: string; readonly tool: string },
  env: Env,
): Promise<void> {
  const file = await env.files.identify(write.path);
  const context = await contextOf(env);
  await env.files.hold([file], async (held) => {
    const opened = await OpenFile.open(held, file, context);
    const before = await opened.stepBack(write.before);
    const now = opened.document;
    if (!now) {
      if (write.change?.kind === "delete") return gone(write.tool, opened, env);
      throw new PortError("not_found", `${write.path} does not exist`);
    }
    const made = write.change ? madeOf(write.change, before, now) : null;
    const after = made && sameLines(made.document, now) ? now : (made?.document ?? now);
    const change = made?.change ?? differences(before, now);
    if (change.isEmpty && before) {
      opened.arriveAgain();
      return opened.save();
    }
    const isWhole = write.whole || write.change?.kind === "whole" || !before;
    opened.wrote(after, before ? change.map : null, isWhole);
    await journal(write.tool, opened, { before, after, change }, env);
    opened.arriveAgain();
    await opened.save();
  });
}

function madeOf(change: ForeignChange, before: Document | null, now: Document): Replaced | null {
  if (change.kind === "quotes") return before && replaceQuotes(before, change.quotes);
  if (change.kind === "patch") return before && replaceQuotes(before, quotesOf(change, before));
  if (change.kind === "delete" || change.content === null) return null;
  const document = wholeFile(change.content, before ?? now);
  if ("unencodable" in document) return null;
  return { document, change: differences(before, document) };
}

function differences(before: Document | null, after: Document): Change<string> {
  const lines = after.lines();
  if (!before) return Change.of(0, [{ start: 0, end: 0, lines }]);
  const hunks = compare(before, after).regions.map((region) => ({
    start: region.aStart,
    end: region.aEnd,
    lines: lines.slice(region.bStart, region.bEnd),
  }));
  return Change.of(before.lineCount, hunks);
}

interface Done {
  readonly before: Document | null;
  readonly after: Document | null;
  readonly change: Change<string>;
  /** Where it went. */
  readonly to?: string;
}

async function journal(
  tool: string,
  opened: OpenFile,
  { before, after, change, to }: Done,
  env: Env,
): Promise<void> {
  const time = env.clock();
  await env.store.append({
    ...{ id: entryId(time, opened), time, agent: env.agent, tool, kind: "commit" },
    ...{ path: opened.file.path, file: opened.file.key },
    before: before?.version ?? null,
    after: after?.version ?? null,
    lines: changedRanges(change.map),
    change: change.map.toJSON(),
    ...(to === undefined ? {} : { to }),
  });
}

async function gone(tool: string, opened: OpenFile, env: Env): Promise<void> {
  const before = await opened.lastText();
  if (before) {
    const change = Change.of<string>(before.lineCount, [{ start: 0, end: before.lineCount, lines: [] }]);
    await journal(tool, opened, { before, after: null, change }, env);
  }
  await opened.forget();
}

/** What stands in a file other than the agent wrote it, since it wrote. */
export interface Formatted {
  /** Empty where there are too many to show. */
  readonly rows: readonly { readonly line: number; readonly text: string }[];
  readonly ranges: readonly Range[];
  readonly deleted: number;
}

const shownRows = 40;
const shownCharacters = 4_000;

function indexes(lines: LineSet): number[] {
  return lines.spans().flatMap(([start, end]) => Array.from({ length: end - start }, (_, at) => start + at));
}

/** Looks at a file that the agent wrote, once everything that runs after a write has run. The rows count as shown. */
export async function formatted(path: string, env: Env): Promise<Formatted | null> {
  const file = await env.files.identify(path);
  const context = await contextOf(env);
  return env.files.hold([file], async (held) => {
    const opened = await OpenFile.open(held, file, context);
    const { document } = opened;
    const map = document && (await opened.sinceOwn());
    if (!document || !map || map.isIdentity) return null;
    const { agent } = opened;
    const spans = map.regions.filter(({ bStart, bEnd }) => bStart < bEnd);
    const lines = LineSet.of(spans.map(({ bStart, bEnd }) => [bStart, bEnd] as const)).subtract(
      knownNow(agent),
    );
    const deleted = map.regions.filter(({ bStart }) => agent.deletions.some(({ gap }) => gap === bStart));
    if (lines.isEmpty && deleted.length === 0) return null;
    const length = indexes(lines).reduce((sum, at) => sum + document.text(at).length, 0);
    const isShort = lines.size <= shownRows && length <= shownCharacters;
    const rows = isShort ? indexes(lines).map((at) => ({ line: at + 1, text: document.text(at) })) : [];
    if (isShort) opened.showed(lines, null, "observed");
    const told = new Set(deleted.map(({ bStart }) => bStart));
    const deletions = opened.agent.deletions.filter(({ gap }) => !told.has(gap));
    opened.update({ ...opened.agent, deletions });
    await opened.save();
    const count = deleted.reduce((sum, { aStart, aEnd }) => sum + aEnd - aStart, 0);
    return { rows, ranges: lines.ranges(), deleted: count };
  });
}

/**
 * A file stands, with a text it was recorded with, under another path: what is recorded of it goes along. One that is
 * gone from its old path was moved, and the journal says so.
 */
export async function follow(from: string, to: string, env: Env): Promise<boolean> {
  const [source, target] = [await env.files.identify(from), await env.files.identify(to)];
  if (source.key === target.key) return false;
  const context = await contextOf(env);
  return env.files.hold([source, target], async (held) => {
    const before = await OpenFile.open(held, source, context);
    const opened = await OpenFile.open(held, target, context);
    if (!(await opened.succeed(before))) return false;
    if (!before.document) {
      const change = Change.of<string>(opened.text.lineCount, []);
      await journal(
        "moved",
        before,
        { before: opened.text, after: opened.text, change, to: target.path },
        env,
      );
      await before.forget();
    }
    await opened.save();
    return opened.seen("").hasSeen;
  });
}

/** What others changed in lines that the agent has seen. */
export interface News {
  readonly rows: readonly { readonly line: number; readonly text: string; readonly by: string | null }[];
  readonly deleted: number;
  /** Not all of it is among the rows. */
  readonly more: readonly Range[];
}

/** Tells it once: the rows count as shown. */
export async function news(path: string, env: Env): Promise<News | null> {
  const file = await env.files.identify(path);
  const context = await contextOf(env);
  return env.files.hold([file], async (held) => {
    const opened = await OpenFile.open(held, file, context);
    const { document } = opened;
    const { pending, deletions } = opened.agent;
    if (!document || (pending.isEmpty && deletions.length === 0)) return null;
    const told: number[] = [];
    let length = 0;
    for (const at of indexes(pending).slice(0, shownRows)) {
      length += document.text(at).length;
      if (length > shownCharacters) break;
      told.push(at);
    }
    const lines = LineSet.of(told.map((at) => [at, at + 1] as const));
    const rows = told.map((at) => ({ line: at + 1, text: document.text(at), by: opened.writer(at) }));
    if (!lines.isEmpty) opened.showed(lines, null, "observed");
    opened.update({ ...opened.agent, deletions: [] });
    await opened.save();
    const deleted = deletions.reduce((sum, { count }) => sum + count, 0);
    return { rows, deleted, more: pending.subtract(lines).ranges() };
  });
}
