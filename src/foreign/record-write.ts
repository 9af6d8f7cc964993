/** Records what other programs' tools have done to files for an agent. */
import { type Edited, newLines, type Touched, tell, unseenLines } from "../calls/index.js";
import { compare, LineChange } from "../changes/index.js";
import { quotesIn } from "../edits/index.js";
import {
  type CallEnv,
  contextOf,
  journalChange,
  OpenFile,
  type UnitEnv,
  withFiles,
  withOpen,
  writtenLines,
} from "../ledger/index.js";
import { isSameText } from "../placement/index.js";
import { PortError } from "../ports/index.js";
import { type Document, LineSet, lineIndexes, splitText } from "../text/index.js";
import { type Base, baseOf, differences, madeOf, type ObservedWrite } from "./written-texts.js";

type Told = ObservedWrite & { readonly path: string; readonly tool: string };

/**
 * Records a write that has happened: the agent knows what it wrote, and the journal has it. Other differences in the file by
 * then are somebody else's, mostly a formatter's.
 */
export async function recordWrite(write: Told, outer: CallEnv): Promise<Touched | null> {
  return withOpen(write.path, outer, async (opened, env) => {
    const now = opened.document;
    if (!now) {
      if (write.change?.kind !== "delete") throw new PortError("not_found", `${write.path} does not exist`);
      await gone(write.tool, opened, env);
      return null;
    }
    let untold = LineSet.empty;
    if (isCreated(write, opened)) await recordCreation(write, opened, now, env);
    else untold = await recordChange(write, opened, now, env);
    const touched = tell(untold, opened, write.room ?? Number.POSITIVE_INFINITY);
    opened.save();
    return touched;
  });
}

/** True if there was no file, as the client says, or as far as anything is recorded. */
function isCreated({ before, change, whole }: Told, opened: OpenFile): boolean {
  const isWhole = change === undefined ? whole : change.kind === "whole";
  return (
    before === null ||
    (before === undefined && isWhole === true && opened.states.length === 1 && opened.isFresh)
  );
}

async function recordCreation(write: Told, opened: OpenFile, now: Document, env: UnitEnv): Promise<void> {
  const made = write.change && !write.modified ? madeOf(write.change, null, now) : null;
  const after = made && opened.isFresh && !isSameText(made.document, now) ? made.document : now;
  const change = differences(null, after);
  const all = LineSet.all(after.lineCount);
  if (write.modified) opened.tick();
  else if (!opened.isFresh) await opened.claim(opened.states.length - 1, null, LineSet.all(now.lineCount));
  else {
    await opened.stepBack(null);
    opened.wrote(after, null, all);
    opened.showed(all, null, "edit");
  }
  journal(write.tool, opened, { before: null, after, change }, env);
  opened.arriveAgain();
}

/** Records a change and returns the lines of the file now that it changed and that the agent has to be told of. */
async function recordChange(write: Told, opened: OpenFile, now: Document, env: UnitEnv): Promise<LineSet> {
  const base = await baseOf(write, opened, now);
  const newest = opened.states.length - 1;
  if (base?.made.change.isIdentity) return LineSet.empty;
  if (base && !base.isOwn) return recordUnclear(write, opened, base, env);
  if (base && opened.isFresh && (base.at < 0 || base.at === newest - 1)) {
    const { document: before, made } = base;
    await opened.stepBack(base.at < 0 ? before : null);
    const after = isSameText(made.document, now) ? now : made.document;
    const { own, untold } = writingOf(write, {
      map: made.change,
      before,
      after,
      known: opened.seen("").known,
    });
    opened.wrote(after, made.change, own);
    // The agent knows its own lines where it wrote them.
    opened.showed(own, null, "edit");
    journal(write.tool, opened, { before, after, change: made.change }, env);
    const written = opened.states.length - 1;
    opened.arriveAgain();
    return opened.history.follow(written)?.carry(untold) ?? LineSet.empty;
  }
  const next = base && base.at >= 0 ? await opened.textAt(base.at + 1) : null;
  if (base && next && opened.states[base.at + 1]?.by === null && isSameText(base.made.document, next)) {
    const { document: before, made } = base;
    await opened.load([base.at]);
    const known = opened.view("").known(base.at);
    const { own, untold } = writingOf(write, { map: made.change, before, after: next, known });
    await opened.claim(base.at + 1, made.change, own);
    journal(write.tool, opened, { before, after: next, change: made.change }, env);
    return opened.history.follow(base.at + 1)?.carry(untold) ?? LineSet.empty;
  }
  // The tool's change cannot be told from changes of others: only matches of its own words are certain.
  opened.credit(ownWords(write, now));
  return LineSet.empty;
}

/** Returns what the agent knows of the text that its tool wrote, and what it has to be told: with `all` it named no place. */
function writingOf({ change, whole }: Told, edited: Edited) {
  const { map, after } = edited;
  if (whole || change?.kind === "whole") return { own: LineSet.all(after.lineCount), untold: LineSet.empty };
  if (change?.kind !== "quotes") return { own: writtenLines(map), untold: LineSet.empty };
  const { quotes } = change;
  const unseen = unseenLines(edited, { words: new Set(newLines(quotes)), quotes });
  const isAll = quotes.some(({ all }) => all);
  const untold = isAll ? unseenLines(edited, { words: new Set(), quotes }) : LineSet.empty;
  return { own: writtenLines(map).subtract(unseen), untold };
}

/**
 * Records the text before and the disk's text, whose author stays unknown, so that the agent is told what it did not write
 * like any other change.
 */
async function recordUnclear(
  write: Told,
  opened: OpenFile,
  { at, document: before, made: { document: after, change } }: Base,
  env: UnitEnv,
): Promise<LineSet> {
  const newest = opened.states.length - 1;
  if (at === newest - 1 && opened.states[newest]?.by === null) {
    journal(write.tool, opened, { before, after, change }, env);
    // The version is kept even if no line of it is credited.
    opened.tick();
  }
  opened.credit(ownWords(write, after));
  return LineSet.empty;
}

function ownWords({ change, whole, modified }: Told, now: Document): LineSet {
  if (modified) return LineSet.empty;
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
      : change.hunks.flatMap(({ replacements }) => replacements.map(({ lines }) => lines.join("\n")));
  const places = texts.filter((text) => text.trim() !== "").map((text) => quotesIn(now, text));
  const spans = places.flatMap((found) => (found.length === 1 ? found : []));
  const lines = spans.flatMap(([first, last]) => lineIndexes(first, last + 1));
  const words = new Set(texts.flatMap((text) => splitText(text)));
  // The rest of a line that holds other words too may be unseen.
  return LineSet.lines(lines.filter((line) => words.has(now.text(line))));
}

interface Done {
  readonly before: Document | null;
  readonly after: Document | null;
  readonly change: LineChange;
  /** The file at its new path. */
  readonly to?: OpenFile;
}

function journal(
  tool: string,
  opened: OpenFile,
  { before, after, change, ...moved }: Done,
  env: UnitEnv,
): void {
  const versions = { before: before?.version ?? null, after: after?.version ?? null };
  journalChange(opened, { tool, kind: "commit", ...versions, change, ...moved }, env);
}

async function gone(tool: string, opened: OpenFile, env: UnitEnv): Promise<void> {
  const before = await opened.textAt(opened.states.length - 1);
  if (before) {
    const change = LineChange.whole(before.lineCount, 0);
    journal(tool, opened, { before, after: null, change }, env);
  }
  opened.release();
}

/**
 * Takes along what is recorded of a file that now has a recorded version under another path. If it is gone from its old
 * path, it was moved, and the journal says so.
 */
export async function follow(from: string, to: string, outer: CallEnv): Promise<boolean> {
  const [source, target] = [await outer.files.identify(from), await outer.files.identify(to)];
  if (source.key === target.key) return false;
  return withFiles([source, target], outer, async (held, env) => {
    const context = await contextOf(env);
    const before = await OpenFile.open(held, source, context);
    const opened = await OpenFile.open(held, target, context);
    if (!(await opened.succeed(before))) return false;
    if (!before.document) {
      const change = LineChange.identity(opened.text.lineCount);
      const [last] = await env.store.journal({ files: [source.key], last: 1 });
      // A look at the tree may have found the move already.
      if (last?.to === undefined)
        journal("moved", before, { before: opened.text, after: opened.text, change, to: opened }, env);
      before.release();
    }
    opened.save();
    return opened.seen("").hasSeen;
  });
}
