/** Lists lost edits, and notices new losses after a command. */
import { LineChange, unifiedDiff } from "../changes/index.js";
import { type CallEnv, type Env, journalLoss } from "../ledger/index.js";
import { type JournalEntry, type Json, PortError } from "../ports/index.js";
import { Document, type Range } from "../text/index.js";
import {
  type FileFindings,
  fileOf,
  findLost,
  isQuiet,
  isUntouched,
  type LostRequest,
  type LostWork,
  readText,
  type Survey,
  sinceOf,
  surveyOf,
} from "./find-lost.js";
import { hasSweep } from "./places/file-journal.js";
import { type Living, liveFiles } from "./places/live-files.js";

/** An edit whose lines are gone though no journaled edit replaced them. */
export interface LostEdit {
  readonly id: string;
  readonly batch?: string;
  /** The time of the edit, in milliseconds since 1970, its author and tool. */
  readonly time: number;
  readonly agent: string;
  readonly tool: string;
  readonly path: string;
  /** The lines that the edit changed, in the numbers of that time. */
  readonly lines: readonly Range[];
  /** Lines are gone, or a deletion or move of the file was taken back. */
  readonly what: LostWork["what"];
  /** The number of lines that are gone; 0 if lines that the edit removed are back. */
  readonly gone: number;
  /** The text is kept, so that the edit can be restored. */
  readonly kept: boolean;
  /** The edit is put away there, as `stash@{0}`. */
  readonly stash?: string;
  /** A command, or a write of the whole file, put other text in its place. */
  readonly overwritten?: boolean;
  readonly diff: string;
  /** The first notice of the loss; null if it was not noticed before. */
  readonly lost: LostNotice | null;
}

export interface LostNotice {
  readonly time: number;
  readonly agent: string;
  readonly tool: string;
  /** The first line of the command; null if it is not known. */
  readonly command: string | null;
}

/** A command that has just run. */
export interface LostCause extends LostRequest {
  readonly tool: string;
  /** Left out if the cause is unknown, as before a command. */
  readonly command?: string;
  /** Branches may have moved: what was in a commit may be in none. */
  readonly hasMovedRefs?: boolean;
}

/** All edits of everybody that are lost now. */
export async function lost(request: LostRequest, env: CallEnv): Promise<LostEdit[]> {
  const found: LostEdit[] = [];
  const surveyed = surveys(request, env);
  for (const file of await liveFiles(sinceOf(request, env), env)) {
    const version = await versionOf(file, env);
    const isAsBefore = !file.isSwept && file.isSteady && version === file.last;
    if (isAsBefore && !request.overwritten) continue;
    const survey = await surveyed(file);
    const journal = survey.journals.find(({ key }) => key === file.key);
    const findings = await looked(async () => {
      const now = journal ? await readText(await fileOf(journal, env), env) : null;
      if (!journal || (isUntouched(journal, now) && !request.overwritten)) return null;
      return findLost(journal, survey, env);
    });
    for (const work of findings?.lost ?? [])
      found.push(await described(work, findings as FileFindings, survey));
  }
  return found.sort((one, two) => one.time - two.time);
}

/** Surveys of a file and those that are connected with it, each made once. */
function surveys(request: LostRequest, env: Env): (file: Living) => Promise<Survey> {
  const known = new Map<string, Promise<Survey>>();
  return ({ keys }) => {
    const [first = ""] = keys;
    const survey = known.get(first) ?? surveyOf(request, env, keys);
    known.set(first, survey);
    return survey;
  };
}

/** The version of the text that is there now, null if there is none; undefined where a closer look has to tell. */
async function versionOf({ key }: Living, env: Env): Promise<string | null | undefined> {
  const file = await env.files.identify(key).catch(() => null);
  if (file?.key !== key) return undefined;
  const text = await looked(async () => ({ now: await readText(file, env) }));
  return text ? (text.now?.version ?? null) : undefined;
}

/** Returns null for a file that cannot be read. */
async function looked<T>(run: () => Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof PortError) return null;
    throw error;
  }
}

/** The last look at a file: its version, the length of its journal, the edits that were lost. */
type Look = readonly [version: string | null, entries: number, lost: readonly string[]];
type Looks = Record<string, Look>;

/** Two processes that write it at once look once more than they have to. */
const looksKey = "looks for lost work";

/**
 * Finds edits that were lost since the last look, and journals them with their cause. Runs after every command: an
 * unchanged file is read, and compared with nothing.
 */
export async function lostBy(cause: LostCause, env: CallEnv): Promise<LostEdit[]> {
  const surveyed = surveys(cause, env);
  const record = await env.store.record(looksKey);
  const before = (record?.value ?? {}) as unknown as Looks;
  const after: Looks = {};
  const found: LostEdit[] = [];
  for (const file of await liveFiles(sinceOf(cause, env), env)) {
    const last = before[file.key];
    const look = await looked(() => lookAt(file, cause.hasMovedRefs ? undefined : last, surveyed, env));
    if (look ?? last) after[file.key] = look?.seen ?? (last as Look);
    const { findings } = look ?? {};
    if (!findings) continue;
    const survey = await surveyed(file);
    const fresh = findings.lost.filter((work) => !last?.[2].some((one) => isOf(one, work, findings)));
    if (fresh.length > 0) await noteLoss(fresh, findings, cause, env);
    for (const work of fresh) found.push(await described(work, findings, survey));
  }
  if (JSON.stringify(after) !== JSON.stringify(before))
    await env.store.putRecord(looksKey, after as unknown as Json);
  const time = env.clock();
  const told = { time, agent: env.agent, tool: cause.tool, command: commandOf(cause) };
  return found.map((one) => ({ ...one, lost: told })).sort((one, two) => one.time - two.time);
}

interface Seen {
  readonly seen: Look;
  readonly findings?: FileFindings;
}

/** Returns null if the file is as it was at the last look. */
async function lookAt(
  file: Living,
  last: Look | undefined,
  surveyed: (file: Living) => Promise<Survey>,
  env: Env,
): Promise<Seen | null> {
  const { count } = file;
  // Work that was lost at the last look may be back.
  const wasWhole = !last || last[2].length === 0;
  const known = await versionOf(file, env);
  if (known !== undefined && last?.[0] === known && last[1] === count) return null;
  if (wasWhole && !file.isSwept && known === file.last) return null;
  const survey = await surveyed(file);
  const journal = survey.journals.find(({ key }) => key === file.key);
  if (!journal) return null;
  const now = await readText(await fileOf(journal, env), env);
  const version = now?.version ?? null;
  if (last?.[0] === version && last[1] === count) return null;
  if (wasWhole && !hasSweep(journal) && version === journal.entries.at(-1)?.after) return null;
  if (wasWhole && (await isQuiet(journal, now, env))) return { seen: [version, count, []] };
  const findings = await findLost(journal, survey, env);
  return { seen: [version, count, findings.lost.map((work) => lossOf(work, findings))], findings };
}

/**
 * Work that is put away is told of, and told of again when it is dropped; so is an edit of which more is gone, or that was
 * there again and is gone once more.
 */
function lossOf(work: LostWork, findings: FileFindings): string {
  const { entry, stash } = work;
  const where = stash === undefined ? [] : ["in the stash"];
  return [entry.id, goneOf(work), stoodAt(work, findings), ...where].join(" ");
}

/** Whether that loss was told of, when it was no smaller. Records of before have no time, older ones no count. */
function isOf(told: string, work: LostWork, findings: FileFindings): boolean {
  const [id, count, time, ...where] = told.split(" ");
  return (
    id === work.entry.id &&
    where.length > 0 === (work.stash !== undefined) &&
    !(Number(count) < goneOf(work)) &&
    !(Number(time) < stoodAt(work, findings))
  );
}

/** The time of the newest change after which what is gone was there: its own, or one that brought it back. */
function stoodAt({ entry, places }: LostWork, { journal, edited }: FileFindings): number {
  const restored = journal.entries.findLast(({ edits }) => edits?.includes(entry.id));
  const { states } = edited.steps;
  const times = places.flatMap(({ gone }) =>
    gone.map(({ state }) => {
      let at = state;
      while (at > 0 && !states[at]?.entry) at--;
      return states[at]?.entry?.time ?? 0;
    }),
  );
  return times.reduce((last, time) => Math.max(last, time), Math.max(entry.time, restored?.time ?? 0));
}

function goneOf({ places }: LostWork): number {
  return places.flatMap((place) => place.gone).reduce((sum, one) => sum + one.lines.size, 0);
}

const longestCommand = 200;

function commandOf({ command }: LostCause): string | null {
  const line = command?.trim().split("\n")[0] ?? "";
  if (line === "") return null;
  return line.length > longestCommand ? `${line.slice(0, longestCommand - 1)}…` : line;
}

async function noteLoss(
  works: readonly LostWork[],
  { file, journal, now }: FileFindings,
  cause: LostCause,
  env: CallEnv,
): Promise<void> {
  const command = commandOf(cause);
  const lost = {
    ...{ tool: cause.tool, before: journal.entries.at(-1)?.after ?? null, after: now?.version ?? null },
    lines: works.flatMap(({ entry }) => entry.lines),
    edits: works.map(({ entry }) => entry.id),
    ...(command === null || !file.keep ? {} : { cause: command }),
  };
  await journalLoss(file, lost, env);
}

async function described(work: LostWork, findings: FileFindings, { notices }: Survey): Promise<LostEdit> {
  const { entry, what } = work;
  const gone = goneOf(work);
  const { id, time, agent, tool, lines, batch } = entry;
  const notice = notices.get(id);
  return {
    ...{ id, time, agent, tool, lines, what, gone, path: findings.file.path },
    ...(batch === undefined ? {} : { batch }),
    ...(work.stash === undefined ? {} : { stash: work.stash }),
    ...(work.isOverwritten ? { overwritten: true } : {}),
    ...{ kept: await isKept(work, findings), diff: await diffOf(entry, findings) },
    lost: notice
      ? { time: notice.time, agent: notice.agent, tool: notice.tool, command: notice.cause ?? null }
      : null,
  };
}

async function isKept({ places, entry }: LostWork, { texts, edited }: FileFindings): Promise<boolean> {
  if (places.some(({ isBlind }) => isBlind)) return false;
  if (entry.after !== null && !(await texts(entry.after))) return false;
  for (const { gone } of places)
    for (const { state } of gone) if (!(await edited.steps.textAt(state))) return false;
  return true;
}

async function diffOf(entry: JournalEntry, { texts, file }: FileFindings): Promise<string> {
  if (entry.after === null) return `[${file.path} was deleted]`;
  const moved = entry.to === undefined ? "" : `[${entry.path} was moved to ${entry.to}]`;
  const before = entry.before === null ? Document.fromText("") : await texts(entry.before);
  const after = await texts(entry.after);
  if (!before || !after || !entry.change) return moved;
  const diff = unifiedDiff(file.path, before, after, LineChange.fromJSON(entry.change));
  return [moved, diff].filter((part) => part !== "").join("\n");
}
