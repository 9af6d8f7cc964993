/** Finds the live edits of the journal whose work is no longer in their files. */
import { compare } from "../changes/index.js";
import { type Env, encodingIn, keptTexts, parse, type Texts } from "../ledger/index.js";
import { type Commits, type FileId, type JournalEntry, PortError } from "../ports/index.js";
import { Document } from "../text/index.js";
import type { EditedPlace } from "./places/edited-place.js";
import { EditedPlaces } from "./places/edited-places.js";
import {
  type FileJournal,
  fileJournals,
  hasSweep,
  isSteady,
  keyFinder,
  liveEdits,
  readJournal,
} from "./places/file-journal.js";
import { isAlike, isWhole, normalised } from "./places/survival.js";

export interface LostRequest {
  /** Only edits that were made since then, in milliseconds since 1970; 14 days by default. */
  readonly since?: number;
  readonly commits?: Commits;
  /** With edits of others that a command, or a write of the whole file, put other text in the place of. */
  readonly overwritten?: boolean;
}

/** An edit that is lost, and how: some of its lines, or the file that it deleted or moved. */
export interface LostWork {
  readonly entry: JournalEntry;
  readonly what: "lines" | "deleted" | "moved";
  /** The places that are gone. */
  readonly places: readonly EditedPlace[];
  /** A command put other text in its place: it is told to nobody. */
  readonly isOverwritten?: boolean;
  /** The name of the place where it is put away. */
  readonly stash?: string;
}

/** One file with live edits. */
export interface FileFindings {
  readonly journal: FileJournal;
  readonly file: FileId;
  /** The place that a moved file came from, if it is there again. */
  readonly source: FileId | null;
  readonly now: Document | null;
  readonly edited: EditedPlaces;
  readonly texts: Texts;
  readonly lost: readonly LostWork[];
}

export interface Survey {
  readonly entries: readonly JournalEntry[];
  readonly live: ReadonlySet<string>;
  readonly journals: readonly FileJournal[];
  /** The newest notice of each lost edit, by its id. */
  readonly notices: ReadonlyMap<string, JournalEntry>;
  /** Lost edits that somebody dismissed. */
  readonly forgotten: ReadonlySet<string>;
  /** Overwritten edits that are asked for, by their ids; "all" of them. */
  readonly overwritten: readonly string[] | "all";
  readonly commits: Commits | null;
}

/** The tool of a notice that lost edits are dismissed. */
export const forgetTool = "forget";

const defaultAge = 14 * 86_400_000;

export function sinceOf({ since }: LostRequest, { clock }: Env): number {
  return since ?? clock() - defaultAge;
}

/** Reads the whole journal, or what it says of some files. */
export async function surveyOf(request: LostRequest, env: Env, files?: readonly string[]): Promise<Survey> {
  const since = sinceOf(request, env);
  const entries = await readJournal(env, since, files);
  const live = liveEdits(entries, since);
  const journals = await fileJournals(entries, live, keyFinder(env));
  const notices = new Map<string, JournalEntry>();
  const forgotten = new Set<string>();
  for (const entry of entries) {
    if (entry.kind !== "lost") continue;
    for (const id of entry.edits ?? [])
      if (entry.tool === forgetTool) forgotten.add(id);
      else notices.set(id, entry);
  }
  const overwritten = request.overwritten ? ("all" as const) : [];
  return { entries, live, journals, notices, forgotten, overwritten, commits: request.commits ?? null };
}

/** Finds the file of a journal by its path, or by its key if the path leads elsewhere. */
export async function fileOf({ key, path }: FileJournal, env: Env): Promise<FileId> {
  const file = await env.files.identify(path).catch(() => null);
  if (file?.key === key) return file;
  const other = await env.files.identify(key);
  if (other.key !== key) throw new PortError("io", `${path} leads to another file than it did`);
  return other;
}

/** The text of a file as a session would read it. */
export async function readText(file: FileId, env: Env): Promise<Document | null> {
  const bytes = await env.files.read(file);
  if (!bytes) return null;
  const plain = Document.parse(bytes);
  if (!env.codec && (plain.encoding !== "latin1" || plain.isBinary)) return plain;
  return parse(bytes, await lastEncoding(file.key, env), env);
}

async function lastEncoding(key: string, env: Env): Promise<string | null> {
  return encodingIn(await env.store.look(key, env.agent));
}

/** Whether the file is as its last journaled edit left it, and nobody else changed it between two edits. */
export function isUntouched(journal: FileJournal, now: Document | null): boolean {
  const last = journal.entries.at(-1)?.after ?? null;
  return !hasSweep(journal) && (now?.version ?? null) === last && isSteady(journal);
}

/**
 * Whether others plainly took nothing away since the last journaled edit: every line is there, reformatted perhaps, and
 * nothing is back of the text before the first edit. Compares two texts only, so the cost does not grow with the journal.
 */
export async function isQuiet(journal: FileJournal, now: Document | null, env: Env): Promise<boolean> {
  const { entries } = journal;
  if (hasSweep(journal)) return false;
  const [first, last] = [entries[0]?.before ?? null, entries.at(-1)?.after ?? null];
  const isOld = entries.some(({ before, after }) => before === now?.version || after === now?.version);
  if (!now || last === null || isOld) return false;
  const texts = keptTexts(now.encoding, [now], env);
  const before = await texts(last);
  const origin = first === null ? null : await texts(first);
  if (!before || (first !== null && !origin)) return false;
  const old = new Set(origin?.lines().map(normalised) ?? []);
  return isWhole({
    ...{ before, now, change: compare(before, now), isEarlierText: false, isUnrelated: false },
    isOld: (line) => old.has(line),
  });
}

export async function findLost(journal: FileJournal, survey: Survey, env: Env): Promise<FileFindings> {
  const file = await fileOf(journal, env);
  const own = await readText(file, env);
  const last = journal.entries.at(-1)?.after ?? null;
  const { live, commits } = survey;
  const encoding = own?.encoding ?? (await lastEncoding(file.key, env));
  const kept = keptTexts(encoding, [own], env);
  const back = own || last === null ? null : await movedBack(journal, await kept(last), env);
  const now = own ?? back?.text ?? null;
  const texts = back ? keptTexts(encoding, [back.text], env) : kept;
  const edited = await EditedPlaces.of(journal, live, now, texts);
  const found: FileFindings = {
    ...{ journal, file, now, edited, texts, lost: [] },
    source: back?.source ?? null,
  };
  const gone = [...lostIn(found, live), ...(await overwrittenIn(found, survey))];
  const lost = gone.filter(({ entry }) => !survey.forgotten.has(entry.id));
  if (lost.length === 0 || (!now && (await isElsewhere(found, lost, env)))) return found;
  return { ...found, lost: eachOnce(commits ? await uncommitted(found, lost, commits, env) : lost) };
}

/** An edit of which something is lost is in that list alone. */
function eachOnce(works: readonly LostWork[]): LostWork[] {
  const lost = new Set(works.filter(({ isOverwritten }) => !isOverwritten).map(({ entry }) => entry));
  return works.filter(({ isOverwritten, entry }) => !isOverwritten || !lost.has(entry));
}

const wholeWriters = /^(?:shell|disk|write|write_file|create)$/i;

/** Work of others that a command, or a write of the whole file, put other text in the place of. */
async function overwrittenIn(
  { journal, edited, now }: FileFindings,
  { live, overwritten }: Survey,
): Promise<LostWork[]> {
  if (overwritten.length === 0) return [];
  const steps = new Map(journal.entries.map((entry) => [entry.id, entry]));
  const byEdit = new Map<JournalEntry, EditedPlace[]>();
  for (const place of edited.all) {
    const { entry } = place;
    if (!live.has(entry.id)) continue;
    if (overwritten !== "all" && ![entry.id, entry.batch].some((id) => id && overwritten.includes(id)))
      continue;
    const gone = place.replaced.filter(({ by, isUndone, lines }) => {
      const step = steps.get(by);
      // Two sets of possible authors may be equal, and the authors different ones.
      const isOther = step !== undefined && (step.agent !== entry.agent || step.authors !== undefined);
      const isTaken = isOther && step.kind === "commit" && !step.edits;
      return isTaken && !isUndone && !lines.isEmpty && wholeWriters.test(step.tool);
    });
    if (gone.length > 0) byEdit.set(entry, [...(byEdit.get(entry) ?? []), { ...place, gone }]);
  }
  const works: LostWork[] = [];
  for (const [entry, places] of byEdit) {
    const work: LostWork = { entry, what: "lines", places, isOverwritten: true };
    if (!now || !(await allStand(edited, [work], now))) works.push(work);
  }
  return works;
}

function movesOf({ entries }: FileJournal): JournalEntry[] {
  return entries.filter(({ kind, to }) => kind === "commit" && to !== undefined);
}

/** Where the file came from, if it is there again instead of where it went. */
async function movedBack(journal: FileJournal, last: Document | null, env: Env) {
  const move = movesOf(journal).at(-1);
  if (!move) return null;
  const source = await env.files.identify(move.path).catch(() => null);
  const text = source && (await readText(source, env));
  if (!source || !text || (last && !isAlike(last, text))) return null;
  return { source, text };
}

function lostIn({ journal, edited, now, source }: FileFindings, live: ReadonlySet<string>): LostWork[] {
  const places = new Map<string, EditedPlace[]>();
  for (const place of edited.all) {
    if (place.gone.length === 0) continue;
    const own = places.get(place.entry.id) ?? [];
    own.push(place);
    places.set(place.entry.id, own);
  }
  const isGone = !now && edited.steps.states.some(({ version }) => version !== null);
  const wasThere = (journal.entries.at(-1)?.after ?? null) !== null;
  // Only the last move is undone by this; earlier moves still hold.
  const lastMove = movesOf(journal).at(-1);
  return journal.entries
    .filter(({ id }) => live.has(id))
    .flatMap((entry): LostWork[] => {
      const own = places.get(entry.id) ?? [];
      if (edited.deleted.some((one) => one.isBack && one.entry === entry))
        return [{ entry, what: "deleted", places: [] }];
      if (isTakenUnkept(entry, journal, now)) return [{ entry, what: "lines", places: [] }];
      const isMove = entry === lastMove && (source !== null || (isGone && wasThere));
      if (isMove) return [{ entry, what: "moved", places: own }];
      return own.length > 0 ? [{ entry, what: "lines", places: own }] : [];
    });
}

/** Whether a sweep took the file as this edit left it, a file of which no text is on record. */
function isTakenUnkept({ id, after }: JournalEntry, { entries }: FileJournal, now: Document | null): boolean {
  const at = entries.findIndex((entry) => entry.id === id);
  const next = entries.slice(at + 1).find(({ before }) => before === after);
  return after !== null && next?.swept?.length === 0 && now?.version !== after;
}

const mostHits = 64;

/** Whether the file is somewhere else with all of its edits, because somebody gave it another name. */
async function isElsewhere(found: FileFindings, lost: readonly LostWork[], env: Env): Promise<boolean> {
  const version = found.journal.entries.findLast(({ after }) => after !== null)?.after ?? null;
  const text = version === null ? null : await found.texts(version);
  const pattern = text && tellingPattern(text, await goneLines(found.edited, lost));
  if (!text || !pattern) return false;
  const query = { pattern, literal: false, ignoreCase: false, maxResults: mostHits };
  const { hits } = await env.files.search(query).catch(() => ({ hits: [] }));
  for (const { path } of hits) {
    const file = await env.files.identify(path).catch(() => null);
    if (!file || (await isOlder(file, found, env))) continue;
    const other = await readText(file, env).catch(() => null);
    if (other && isAlike(text, other) && (await allStand(found.edited, lost, other))) return true;
  }
  return false;
}

/** It was there beside this file: a copy, and no new name of it. */
async function isOlder(other: FileId, { journal }: FileFindings, env: Env): Promise<boolean> {
  const last = journal.entries.findLast(({ after }) => after !== null)?.time ?? 0;
  return (await env.store.journal({ files: [other.key] })).some(
    ({ time, kind }) => kind === "commit" && time <= last,
  );
}

async function goneLines(edited: EditedPlaces, lost: readonly LostWork[]): Promise<string[]> {
  const gone: string[] = [];
  for (const { state, lines } of lost.flatMap(({ places }) => places.flatMap((place) => place.gone))) {
    const texts = (await edited.steps.textAt(state))?.lines() ?? [];
    for (const line of lines.indexes()) gone.push(texts[line] ?? "");
  }
  return gone;
}

/** Matches words that tell a text from others and that no formatter changes: the longest lost ones, and the longest of all. */
function tellingPattern(text: Document, gone: readonly string[]): string {
  const words = /[\p{L}\p{N}_]+(?: [\p{L}\p{N}_]+)*/gu;
  const longest = (lines: readonly string[]) => {
    const runs = new Set(lines.flatMap((line) => line.match(words) ?? []));
    return [...runs].sort((one, two) => two.length - one.length).slice(0, 2);
  };
  return [...new Set([...longest(gone), ...longest(text.lines())])].join("|");
}

async function allStand(
  edited: EditedPlaces,
  lost: readonly LostWork[],
  text: Document,
  made?: number,
): Promise<boolean> {
  for (const { places } of lost)
    for (const place of places) if (!(await edited.isIn(place, text, made))) return false;
  return true;
}

/** Leaves out work that is in a commit: its life in this list has ended. */
async function uncommitted(
  found: FileFindings,
  lost: readonly LostWork[],
  commits: Commits,
  env: Env,
): Promise<LostWork[]> {
  const since = lost.reduce((first, { entry }) => Math.min(first, entry.time), env.clock());
  const made = [...(await commits.of(found.file, since).catch(() => []))];
  // A file that left the name that it had is deleted there: that commits no deletion.
  for (const file of await formerFiles(found, env))
    made.push(...(await commits.of(file, since).catch(() => [])).filter(({ bytes }) => bytes !== null));
  const texts: { time: number; text: Document | null }[] = [];
  for (const { time, bytes } of made)
    texts.push({ time, text: bytes && (await parse(bytes, found.now?.encoding ?? null, env)) });
  const left: LostWork[] = [];
  for (const work of lost) {
    // Commits tell their time in seconds.
    const later = texts.filter(({ time }) => time + 1000 > work.entry.time);
    let ended = false;
    for (const { text, time } of later) ended ||= await holds(found, work, text, time + 1000);
    if (!ended) left.push(work);
  }
  return left.length > 0 ? putAway(found, left, commits, env) : left;
}

/** The file under the names that it had. */
async function formerFiles({ journal, file }: FileFindings, { files }: Env): Promise<FileId[]> {
  const keys = new Set(journal.entries.map((entry) => entry.file));
  keys.delete(file.key);
  const found = await Promise.all([...keys].map((key) => files.identify(key).catch(() => null)));
  return found.filter((one) => one !== null);
}

/** Says of work that is put away where it is. */
async function putAway(
  found: FileFindings,
  lost: readonly LostWork[],
  commits: Commits,
  env: Env,
): Promise<LostWork[]> {
  const places = (await commits.putAway?.(found.file).catch(() => [])) ?? [];
  const works: LostWork[] = [];
  for (const work of lost) {
    let stash: string | undefined;
    for (const { name, bytes, time } of places) {
      const text = await parse(bytes, found.now?.encoding ?? null, env);
      if (stash === undefined && (await holds(found, work, text, time + 1000))) stash = name;
    }
    works.push(stash === undefined ? work : { ...work, stash });
  }
  return works;
}

/** `made` is when the text was committed, at the latest. */
async function holds(
  { edited, texts }: FileFindings,
  work: LostWork,
  text: Document | null,
  made: number,
): Promise<boolean> {
  const { what, entry } = work;
  if (what === "deleted") return text === null;
  if (!text) return false;
  if (what === "lines" && work.places.length === 0) return text.version === entry.after;
  const moved = what === "moved" && entry.after !== null ? await texts(entry.after) : null;
  if (what === "moved" && !(moved && isAlike(moved, text))) return false;
  return allStand(edited, [work], text, made);
}
