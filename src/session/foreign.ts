/** What other programs' tools do to files for an agent, and what is written down of it. */
import {
  Change,
  changedRanges,
  compare,
  Document,
  hunkQuotes,
  LineSet,
  quotesIn,
  type Replaced,
  replaceQuotes,
  wholeFile,
} from "../core/index.js";
import { type ForeignChange, madeBy as madeByTool, sameLines } from "./change.js";
import { contextOf, olderTexts, withOpen } from "./holding.js";
import { OpenFile } from "./open.js";
import { PortError } from "./ports.js";
import { entryId } from "./refuse.js";
import type { Env } from "./result.js";
import { writtenLines } from "./texts.js";

/** What a tool has done, as far as it is told: else all that differs from the text before is its doing. */
export interface ObservedWrite {
  readonly tool?: string;
  readonly change?: ForeignChange;
  /** The text it was done to; null: there was no file. */
  readonly before?: string | null;
  /** The text it made of that, where the client tells: it may write other quotes or line ends than it was given. */
  readonly after?: string;
  /** All of the file was written. */
  readonly whole?: boolean;
}

type Told = ObservedWrite & { readonly path: string; readonly tool: string };

/**
 * The tool has done it: what the agent wrote it knows, and the journal has it. What the file holds besides, by then, is
 * somebody else's doing: a formatter's, mostly.
 */
export async function recordWrite(write: Told, env: Env): Promise<void> {
  await withOpen(write.path, env, async (opened) => {
    const now = opened.document;
    if (!now) {
      if (write.change?.kind === "delete") return gone(write.tool, opened, env);
      throw new PortError("not_found", `${write.path} does not exist`);
    }
    if (isCreated(write, opened)) await recordCreation(write, opened, now, env);
    else await recordChange(write, opened, now, env);
    await opened.save();
  });
}

/** There was no file; where that is not told, nothing was recorded of one. */
function isCreated({ before, change, whole }: Told, opened: OpenFile): boolean {
  const isWhole = change === undefined ? whole : change.kind === "whole";
  return (
    before === null ||
    (before === undefined && isWhole === true && opened.states.length === 1 && opened.isFresh)
  );
}

async function recordCreation(write: Told, opened: OpenFile, now: Document, env: Env): Promise<void> {
  const made = write.change ? madeOf(write.change, null, now) : null;
  const after = made && !sameLines(made.document, now) ? made.document : now;
  const change = differences(null, after);
  if (!opened.isFresh) await opened.claim(opened.states.length - 1, null, true);
  else {
    await opened.stepBack(null);
    opened.wrote(after, null, true);
    opened.showed(LineSet.all(after.lineCount), null, "edit");
  }
  await journal(write.tool, opened, { before: null, after, change }, env);
  opened.arriveAgain();
}

async function recordChange(write: Told, opened: OpenFile, now: Document, env: Env): Promise<void> {
  const base = await baseOf(write, opened, now);
  const newest = opened.states.length - 1;
  const isWhole = write.whole || write.change?.kind === "whole";
  if (base?.made.change.isEmpty) return;
  if (base && opened.isFresh && (base.at < 0 || base.at === newest - 1)) {
    const { document: before, made } = base;
    await opened.stepBack(base.at < 0 ? before : null);
    const after = sameLines(made.document, now) ? now : made.document;
    opened.wrote(after, made.change.map, isWhole ?? false);
    // Where it was written is where the agent knows it to stand.
    opened.showed(isWhole ? LineSet.all(after.lineCount) : writtenLines(made.change.map), null, "edit");
    await journal(write.tool, opened, { before, after, change: made.change }, env);
    opened.arriveAgain();
    return;
  }
  const next = base && base.at >= 0 ? await opened.textAt(base.at + 1) : null;
  if (base && next && opened.states[base.at + 1]?.by === null && sameLines(base.made.document, next)) {
    await opened.claim(base.at + 1, base.made.change.map, isWhole ?? false);
    await journal(write.tool, opened, { before: base.document, after: next, change: base.made.change }, env);
    return;
  }
  // What it did cannot be told from what others did: its own words, where they stand, are all that is certain.
  opened.credit(ownWords(write, now));
}

/** A text that the tool worked on, and what it made of it. `at`: the state that has it; -1: none. */
interface Base {
  readonly at: number;
  readonly document: Document;
  readonly made: Replaced;
}

async function baseOf(write: Told, opened: OpenFile, now: Document): Promise<Base | null> {
  const newest = opened.states.length - 1;
  const told =
    typeof write.before === "string" ? Document.parse(new TextEncoder().encode(write.before)) : null;
  let next: Document | null = now;
  let above = newest;
  for await (const { at, text: document } of olderTexts(opened)) {
    const made = !told || sameLines(document, told) ? madeBy(write, document, now) : null;
    if (above !== at + 1) next = null;
    if (made && (told || (next && sameLines(made.document, next)))) return { at, document, made };
    [next, above] = [document, at];
  }
  const undone = told ? null : beforeOf(write, now);
  if (undone && undone.document.version === opened.states[newest - 1]?.version)
    return { at: newest - 1, ...undone };
  // What was not told was done to the text recorded last, and a formatter came right behind.
  const document = told ?? (opened.isFresh ? await opened.textAt(newest - 1) : null);
  const made = document && madeBy(write, document, now);
  return document && made ? { at: told ? -1 : newest - 1, document, made } : null;
}

/** The text before, worked out from the text now: proof enough where it is the version that is recorded, but not kept. */
function beforeOf({ change }: Told, now: Document): Omit<Base, "at"> | null {
  const quotes =
    change?.kind === "quotes"
      ? change.quotes
      : change?.kind === "patch"
        ? hunkQuotes(change.hunks).map((quote) => ({ ...quote, all: false }))
        : [];
  const back = quotes.map((quote) => ({ ...quote, old: quote.new, new: quote.old })).reverse();
  const document = back.length > 0 ? replaceQuotes(now, back)?.document : undefined;
  const made = document && replaceQuotes(document, quotes);
  return document && made ? { document, made } : null;
}

function madeBy({ change, after }: Told, before: Document, now: Document): Replaced | null {
  const told = after === undefined ? null : wholeFile(after, before);
  if (told && !("unencodable" in told)) return { document: told, change: differences(before, told) };
  return change && (change.kind !== "whole" || change.content !== null)
    ? madeOf(change, before, now)
    : { document: now, change: differences(before, now) };
}

function ownWords({ change, whole }: Told, now: Document): LineSet {
  if (!change || (change.kind === "whole" && change.content === null))
    return whole || change ? LineSet.all(now.lineCount) : LineSet.empty;
  if (change.kind === "delete") return LineSet.empty;
  if (change.kind === "whole") {
    const made = madeOf(change, null, now);
    return made ? compare(made.document, now).carry(LineSet.all(made.document.lineCount)) : LineSet.empty;
  }
  const texts =
    change.kind === "quotes"
      ? change.quotes.map((quote) => quote.new)
      : change.hunks.flatMap(({ replacements }) => replacements.map(({ insert }) => insert.join("\n")));
  const places = texts.filter((text) => text.trim() !== "").map((text) => quotesIn(now, text));
  const spans = places.flatMap((found) => (found.length === 1 ? found : []));
  return spans.reduce((set, [first, last]) => set.union(LineSet.of([[first, last + 1]])), LineSet.empty);
}

function madeOf(change: ForeignChange, before: Document | null, now: Document): Replaced | null {
  if (change.kind === "quotes" || change.kind === "patch") return before && madeByTool(change, before);
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
  const before = await opened.textAt(opened.states.length - 1);
  if (before) {
    const change = Change.of<string>(before.lineCount, [{ start: 0, end: before.lineCount, lines: [] }]);
    await journal(tool, opened, { before, after: null, change }, env);
  }
  await opened.forget();
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
