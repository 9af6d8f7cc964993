/** Brings journaled text back into a file that may have changed since: an undo and a restore are the same merge. */
import { History, hunksOf, type LineChange, type Region, type State } from "../changes/index.js";
import type { LocatedEdit, Problem } from "../edits/index.js";
import {
  type Done,
  journalChange,
  type OpenFile,
  Recording,
  type UnitEnv,
  writtenLines,
  wrote,
} from "../ledger/index.js";
import { applySplices, type PlacedHunk, resolveNamed } from "../merge/index.js";
import { type Held, PortError, type Write } from "../ports/index.js";
import { type Document, type Hunk, LineSet, lineIndexes } from "../text/index.js";

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

/** Merges a whole change. A text that nobody changed since becomes the other one, byte for byte. */
export function mergeChange(base: Document, ours: Document, change: LineChange, now: Document): Merged {
  if (now.version === base.version) return { document: ours, change };
  return merge3({ base, ours, regions: change.regions, now });
}

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
  const splices = pieces.map((piece: PlacedHunk): Hunk => {
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
function hasSameEnds(
  to: Document,
  { bStart, bEnd }: Region,
  now: Document,
  { start, end }: PlacedHunk,
): boolean {
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

/** Entry of the journal for a file that got text back; null: the file gets none. */
type Told = Omit<Done, "before" | "after" | "change"> | null;

/** Writes all of the files or none of them. Returns, in words, what could not be recorded of it. */
export async function writeBack(
  files: readonly Returned[],
  { held, told }: { readonly held: Held; told(returned: Returned): Told },
  env: UnitEnv,
): Promise<string[] | "changed"> {
  if (!(await held.commit(files.flatMap(returningWrites)))) return "changed";
  const warnings: string[] = [];
  for (const one of files) {
    const entry = told(one);
    if (entry) warnings.push(...(await settle(one, entry, env)));
  }
  return warnings;
}

function returningWrites({ opened, text, spelled, from, folders }: Returned): Write[] {
  const { file } = opened;
  const before = opened.document?.toBytes() ?? null;
  const after = text?.toBytes() ?? null;
  if (spelled === undefined)
    return [{ file, before, after, ...(from ? { from: from.file } : {}), ...(folders ? { folders } : {}) }];
  return [
    { file, before, after: null },
    { file: { ...file, path: spelled }, before: null, after, from: file },
  ];
}

/** Ledger and journal, once the file is written. */
async function settle(
  { opened, text, maps, from }: Returned,
  told: NonNullable<Told>,
  env: UnitEnv,
): Promise<string[]> {
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
  journalChange(opened, done, env);
  if (text) opened.save();
  else opened.release();
  const recording = new Recording();
  await recording.try(() => env.store.finish());
  return recording.warnings;
}
