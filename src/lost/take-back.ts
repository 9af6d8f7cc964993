/** One edit taken back: the merge of the text that it left, the text that it found, and the file now. */
import { type RefusalDetails, refusalDetails } from "../answers/index.js";
import { merge3, mergeChange, type Returned } from "../calls/index.js";
import { compare, LineChange, unifiedDiff } from "../changes/index.js";
import { type Problem, problem } from "../edits/index.js";
import { type Env, keptTexts, type Texts } from "../ledger/index.js";
import { type JournalEntry, PortError } from "../ports/index.js";
import type { Document } from "../text/index.js";

/** An edit to take back. An edit that was undone is turned round: to take that back makes the edit again. */
export interface Taken extends JournalEntry {
  readonly isAgain?: true;
}

export async function turned(entry: JournalEntry, { files }: Env): Promise<Taken> {
  const { before, after, change, path, to, folders: _, ...rest } = entry;
  const turn: Taken = { ...rest, path, before: after, after: before, isAgain: true };
  const inverse = change ? { change: LineChange.fromJSON(change).invert().toJSON() } : {};
  if (to === undefined) return { ...turn, ...inverse };
  const { key } = await files.identify(to);
  return { ...turn, ...inverse, path: to, to: path, file: key, toFile: entry.file };
}

/** Somebody changed the text that an edit left; `found` is the text now, as far as it can be told. */
export class CannotUndo extends PortError {
  readonly found: Pick<RefusalDetails, "path" | "mismatches" | "affectedRanges">;
  constructor({ id, path, isAgain }: Taken, why: string, problems: readonly Problem[] = []) {
    const message = `edit ${id} of ${path} cannot be ${isAgain ? "made again" : "undone"}: ${why}`;
    super("stale", message);
    const all = [problem("stale", [], message), ...problems];
    const found = refusalDetails(path, { status: "refused", problems: all, remaps: [], forced: null });
    const mismatches = found.mismatches.map(({ origin: _, ...one }) => one);
    this.found = { path, mismatches, affectedRanges: found.affectedRanges };
  }
}

/** The files of an undo while they are held. */
export interface HeldFiles {
  readonly byKey: ReadonlyMap<string, Returned>;
  /** The key of each path. */
  readonly keys: ReadonlyMap<string, string>;
}

/** Changes the texts of the held files. Returns the change as a diff, or in words. */
export async function takeBack(entry: Taken, files: HeldFiles, env: Env): Promise<string> {
  const place = files.byKey.get(entry.file) as Returned;
  const texts = keptTexts(place.opened.document?.encoding ?? null, [place.text], env);
  const load = async (version: string): Promise<Document> => {
    const document = await texts(version);
    if (document) return document;
    const why = place.opened.file.keep
      ? "its text is no longer kept"
      : "of files that look secret, or are outside the roots, no text is kept";
    throw new CannotUndo(entry, why);
  };
  const before = entry.before === null ? null : await load(entry.before);
  if (entry.to !== undefined || entry.after === null || before === null)
    return replaceWhole(entry, before, files, texts);
  const after = await load(entry.after);
  const now = place.text;
  if (!now) throw new CannotUndo(entry, "the file was deleted since");
  const change = entry.change ? LineChange.fromJSON(entry.change).invert() : compare(after, before);
  const merged = mergeChange(after, before, change, now);
  if ("problems" in merged)
    throw new CannotUndo(entry, `${linesIn(merged.problems)} changed since`, merged.problems);
  place.text = merged.document;
  if (!place.isWhole) place.maps.push(merged.change);
  return unifiedDiff(entry.path, now, merged.document, merged.change);
}

function linesIn(problems: readonly Problem[]): string {
  const lines = problems.flatMap(({ mismatches }) => mismatches.flatMap(({ line }) => line ?? []));
  if (lines.length === 1) return `line ${lines[0]} was`;
  if (lines.length === 0) return "its lines were";
  return `lines ${lines.slice(0, 5).join(", ")}${lines.length > 5 ? ", …" : ""} were`;
}

/** A file that is not what an edit of the whole of it left: how it differs, if that text is kept. */
async function changedSince(entry: Taken, now: Document | null, texts: Texts): Promise<PortError> {
  if (entry.after === null) return new CannotUndo(entry, "the file is there again");
  if (!now) return new CannotUndo(entry, "the file was deleted since");
  const base = await texts(entry.after);
  const regions = base ? LineChange.whole(base.lineCount, 0).regions : [];
  const merged = base && merge3({ base, ours: base, regions, now });
  const problems = merged && "problems" in merged ? merged.problems : [];
  return new CannotUndo(entry, "the file was changed since", problems);
}

/** A creation is undone by deleting, a deletion by bringing back, a move by moving back; only if unchanged since. */
async function replaceWhole(
  entry: Taken,
  before: Document | null,
  { byKey, keys }: HeldFiles,
  texts: Texts,
): Promise<string> {
  const place = byKey.get(entry.file);
  const moved = entry.to === undefined ? null : byKey.get(keys.get(entry.to) ?? "");
  const now = (moved ?? place)?.text ?? null;
  const isRespelled = moved !== null && moved === place;
  if ((now?.version ?? null) !== entry.after) throw await changedSince(entry, now, texts);
  if (moved !== null && !isRespelled && place?.text)
    throw new CannotUndo(entry, `another file is at ${entry.path} now`);
  // A file that the same undo moved here before has its record where it came from; that may be this very place.
  const origin = moved?.from ?? moved?.opened;
  if (moved) {
    moved.text = null;
    delete moved.from;
  }
  const made = moved ?? place;
  if (made && entry.folders !== undefined) made.folders = entry.folders;
  if (place) {
    place.text = before;
    place.isWhole = true;
    place.maps.length = 0;
    if (isRespelled) place.spelled = entry.path;
    else if (origin && origin !== place.opened) place.from = origin;
    else if (origin) delete place.from;
  }
  const what =
    entry.after === null ? "brought back" : moved ? `moved back from ${entry.to}` : "deleted again";
  return `[${entry.path} ${what}]`;
}
