/** Brings journaled text back into a file that may have changed since: an undo and a restore are the same merge. */
import { History, hunksOf, type LineChange, type Region, type State } from "../changes/index.js";
import type { LocatedEdit, Problem } from "../edits/index.js";
import {
  type Done,
  type Env,
  journalChange,
  type OpenFile,
  Recording,
  writtenLines,
  wrote,
} from "../ledger/index.js";
import { applySplices, type Piece, resolveNamed } from "../merge/index.js";
import { PortError } from "../ports/index.js";
import { type Document, LineSet, lineIndexes, type Splice } from "../text/index.js";

/** A merge of three texts: the change from `base` to `ours`, or those regions of it, is made to the text now. */
export interface Merging {
  readonly base: Document;
  readonly ours: Document;
  readonly regions: readonly Region[];
  readonly now: Document;
}

export type Merged =
  | { readonly document: Document; readonly change: LineChange }
  | { readonly problems: readonly Problem[] };

/** Merges byte for byte, by the rules that edits follow; or says what is in the way. */
export function merge3(merging: Merging): Merged {
  const { base, ours, regions, now } = merging;
  const hunks = hunksOf(regions, ours);
  const origin = new Map<readonly string[], Region>(
    hunks.map(({ lines }, at) => [lines, regions[at] as Region]),
  );
  const spans = hunks.filter(({ start, end }) => start < end).map(({ start, end }) => ({ start, end }));
  const named: LocatedEdit = {
    edits: [],
    base: 0,
    refs: [],
    spans,
    gap: null,
    beside: null,
    hunks,
    apart: true,
  };
  const history = new History([stateOf(base), stateOf(now)]);
  const view = { history, showings: [], known: () => LineSet.all(base.lineCount) };
  const { pieces, problems } = resolveNamed([named], view);
  if (problems.length > 0) return { problems };
  const splices = pieces.map((piece: Piece): Splice => {
    const region = origin.get(piece.lines);
    const isAlike = region && ours.encoding === now.encoding && hasSameEnds(ours, region, now, piece);
    const raw = (at: number) => ours.raw(at);
    const lines = isAlike ? lineIndexes(region.bStart, region.bEnd).map(raw) : piece.lines;
    return { start: piece.start, end: piece.end, lines };
  });
  const made = applySplices(now, splices);
  if (!("document" in made)) throw new PortError(made.code, made.message);
  return made;
}

function stateOf(document: Document): State {
  return { version: document.version, lineCount: document.lineCount, document, exact: null };
}

/** Whether lines end as the one beside them does: a file that was converted meanwhile keeps its new line ends. */
function hasSameEnds(to: Document, { bStart, bEnd }: Region, now: Document, { start, end }: Piece): boolean {
  const ends = (document: Document, before: number, after: number): string => {
    if (before >= 0) return document.terminator(before);
    return after < document.lineCount ? document.terminator(after) : "";
  };
  const [theirs, ours] = [ends(now, start - 1, end), ends(to, bStart - 1, bEnd)];
  return theirs === ours || theirs === "" || ours === "";
}

/** One file that gets text back: its text so far, how it came from the file as found, and whose record it takes over. */
export interface Returned {
  readonly opened: OpenFile;
  text: Document | null;
  readonly maps: LineChange[];
  /** It was given another text as a whole: no lines of the file as found can be followed to it. */
  isWhole?: boolean;
  from?: OpenFile;
  /** It gets this spelling of its name back. */
  spelled?: string;
  /** Folders that were made for it, and go with it. */
  folders?: number;
}

/** Ledger and journal, once the file is written; what could not be recorded, in words. */
export async function settle(
  { opened, text, maps, from }: Returned,
  told: Omit<Done, "before" | "after" | "change">,
  env: Env,
): Promise<string[]> {
  const recording = new Recording();
  const exact = maps.length > 0 ? maps.reduce((first, next) => first.compose(next)) : null;
  const before = opened.document?.version ?? null;
  if (from) opened.adopt(from);
  if (text && text.version !== (from ? from.document?.version : before)) {
    opened.committed(text, exact);
    const written = exact ? writtenLines(exact) : LineSet.all(text.lineCount);
    if (told.kind === "undo") opened.undone();
    if (opened.agent.state >= 0) opened.update(wrote(opened.agent, opened.history, written));
  }
  const done = { ...told, before, after: text?.version ?? null, change: exact };
  await recording.try(() => journalChange(opened, done, env));
  await recording.try(() => (text ? opened.save() : opened.release()));
  return recording.warnings;
}
