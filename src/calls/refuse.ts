import type { SchemeName } from "../anchors/index.js";
import {
  choiceLines,
  type Door,
  type NewName,
  nextStep,
  notRead,
  type RefusalDetails,
  refusalBody,
  refusalDetails,
  rejected,
  selectRows,
  spokenScheme,
  takenBackText,
  tooLong,
} from "../answers/index.js";
import { hunksOf } from "../changes/index.js";
import { decidingCode, type Mismatch } from "../edits/index.js";
import {
  type Env,
  epochOf,
  isCollision,
  journalRefusal,
  type OpenFile,
  remover,
  type UnitEnv,
  writer,
} from "../ledger/index.js";
import { type Choice, choicePlaces, openAnchors } from "../merge/index.js";
import type { JournalEntry, Json } from "../ports/index.js";
import type { Hunk, LineSet } from "../text/index.js";
import type { Entry, Verdict } from "./judge.js";
import { namedAnew, showNamed } from "./new-anchors.js";
import type { BatchRefusal, Result } from "./result.js";
import { handleFor, keepRetry, plainSplices, type Retry } from "./retry-handles.js";

type RefusedVerdict = Extract<Verdict, { kind: "refused" }>;

/** One file of a refused call. */
interface RefusedFile {
  readonly opened: OpenFile;
  readonly verdict: Verdict;
  readonly entry?: Entry;
}

interface RefusedCall {
  readonly tool: string;
  readonly request: string;
  readonly entries: Retry["entries"];
  readonly single: boolean;
  /** The client's name for the call: told twice, it is refused once. */
  readonly name?: string;
  /** The files that have changed since the handle of a retry was given. */
  readonly outdated?: readonly string[];
}

const contentionWindow = 10 * 60 * 1000;
const contentionCount = 3;

/** Words a refusal of a whole call: rows shown, handle kept, journal written. Nothing of any file is. */
export async function refuse(
  call: RefusedCall,
  files: readonly RefusedFile[],
  env: UnitEnv,
): Promise<Result<BatchRefusal>> {
  const { outdated = [] } = call;
  const have = outdated.length === 1 ? "has" : "have";
  const parts =
    outdated.length > 0
      ? [`${outdated.join(", ")} ${have} changed again since this handle was given: judged anew.`]
      : [];
  const all: RefusalDetails[] = [];
  const readable: RefusalDetails[] = [];
  let complete = true;
  let rowCount = 0;
  for (const { opened, verdict } of files) {
    if (verdict.kind !== "refused") continue;
    const told = await refuseFile(call, opened, verdict, env);
    complete &&= told.complete;
    rowCount += told.rows;
    all.push(told.details);
    if (told.isReadable) readable.push(told.details);
    parts.push(...(call.single ? [] : [`${opened.file.path}:`]), ...told.lines);
  }
  const voice = call.single ? env.voice : { ...env.voice, door: batchDoor(env.voice.door) };
  const retry = complete ? await offer(call, files, env) : null;
  const places = await offerChoices(call, files, { complete, door: voice.door }, env);
  for (const [at, details] of all.entries()) {
    const found = places.get(details.path);
    if (!found) continue;
    all[at] = { ...details, places: found.places };
    readable.splice(
      0,
      readable.length,
      ...readable.map((one) => (one === details ? (all[at] as RefusalDetails) : one)),
    );
    parts.push(...found.lines);
  }
  const code = decidingCode(all.map((one) => one.code));
  const first = all[0] as RefusalDetails;
  for (const details of retry ? [{ ...first, retry }] : readable) {
    const next = nextStep(details, rowCount, voice);
    if (next && !parts.includes(next)) parts.push(next);
  }
  const merged: BatchRefusal = {
    ...first,
    code,
    message: all.map(({ message }) => message).join("; "),
    mismatches: all.flatMap(({ mismatches }) => mismatches),
    remaps: all.flatMap(({ remaps }) => remaps),
    ...(retry ? { retry } : {}),
    ...(places.size > 0 ? { places: all.flatMap((one) => one.places ?? []) } : {}),
    ...(call.single ? {} : { files: all }),
  };
  const text = [rejected, ...parts.filter((part, at) => part !== "" || parts[at - 1] !== "")].join("\n");
  return { text, isError: true, details: merged };
}

async function refuseFile(call: RefusedCall, opened: OpenFile, verdict: RefusedVerdict, env: UnitEnv) {
  const { path } = opened.file;
  const problems = verdict.refused.problems.map((one) =>
    one.code === "not_read" ? { ...one, message: notRead(path, env.voice.door, opened.document) } : one,
  );
  const now = opened.document;
  const plain = refusalDetails(path, { ...verdict.refused, problems });
  const mismatches = plain.mismatches.map(({ origin, ...one }) => {
    const by = now ? changer(opened, one.line, origin) : null;
    return by === null ? one : { ...one, by };
  });
  const details = { ...plain, mismatches };
  const hidden = now === null || problems.some(({ code }) => code === "not_read");
  const { rows, shown, complete } = hidden
    ? { rows: [], shown: null, complete: true }
    : selectRows(problems, now);
  const scheme = spokenScheme(problems, env.anchors);
  const isSentAgain = call.outdated !== undefined && call.outdated.length > 0;
  const { before, isTold } = countRefusal(opened, call);
  const repeated = isSentAgain ? 0 : before;
  const newNames = shown ? await showRows(call, opened, { shown, scheme }, env) : [];
  const contention = isTold ? null : await contend(opened, details, env);
  const lines = refusalBody({
    details,
    problems,
    rows,
    complete,
    now,
    scheme,
    repeated,
    voice: env.voice,
    newNames,
    ...(contention ? { contention } : {}),
  });
  lines.unshift(...(await takenBackNotes(opened, env)));
  const { code, message, affectedRanges } = details;
  if (!isTold) journalRefusal(opened, { tool: call.tool, path, code, message, lines: affectedRanges }, env);
  opened.save();
  const seen = shown !== null && !shown.isEmpty;
  const isReadable = tooLong(problems, now, env.voice.door).length === 0;
  return { details, lines, rows: rows.length, complete: complete && seen, isReadable };
}

/** Records the rows that a refusal shows. Returns names for those whose anchors mean another line too, now that they are shown. */
async function showRows(
  { request }: RefusedCall,
  opened: OpenFile,
  { shown, scheme }: { readonly shown: LineSet; readonly scheme: SchemeName },
  { voice }: Env,
): Promise<readonly NewName[]> {
  if (shown.isEmpty) return [];
  const before = opened.agent;
  opened.showed(shown, scheme, "refusal", request);
  const renamed = voice.numbered ? [] : await namedAnew(opened, shown, scheme);
  if (renamed.length > 0) {
    opened.update(before);
    showNamed(opened, { printed: shown, scheme, renamed }, "refusal", request);
  }
  return renamed;
}

/** Names the authors of the lines that are there now, or of their removal. */
function changer(opened: OpenFile, line: number | null, origin: Mismatch["origin"]): string | null {
  if (line !== null) return line <= opened.text.lineCount ? writer(opened, line - 1) : null;
  return origin ? remover(opened, origin) : null;
}

/** How often this very request was refused before. `isTold`: the client has told of this call already. */
function countRefusal(opened: OpenFile, { request, name }: RefusedCall) {
  const { agent } = opened;
  const last = agent.past.refused.find((one) => one.request === request);
  const isTold = name !== undefined && last?.name === name;
  const before = (last?.count ?? 0) - (isTold ? 1 : 0);
  const others = agent.past.refused.filter((one) => one.request !== request).slice(-15);
  const counted = { request, count: before + 1, ...(name === undefined ? {} : { name }) };
  opened.update({ ...agent, past: { ...agent.past, refused: [...others, counted] } });
  opened.tick();
  return { before, isTold };
}

async function contend(
  opened: OpenFile,
  { code, path, mismatches, affectedRanges }: RefusalDetails,
  env: Env,
): Promise<string | null> {
  if (code !== "stale" && code !== "deleted") return null;
  // The agent alone changed the lines: there is nobody to take turns with.
  if (mismatches.length > 0 && mismatches.every(({ by }) => by === "you")) return null;
  const since = env.clock() - contentionWindow;
  const entries = await env.store.journal({ files: [opened.file.key], since });
  // The same lines of the same text, tried again by the same agent, are one mismatch.
  const here = { agent: env.agent, before: opened.document?.version ?? null, lines: affectedRanges };
  const distinct = new Set([...entries.filter(isCollision), here].map(collisionKey)).size;
  if (distinct < contentionCount) return null;
  return `Contention: ${distinct} mismatches on ${path} in ten minutes. Its writers need to take turns, not to retry.`;
}

function collisionKey({ agent, before, lines }: Pick<JournalEntry, "agent" | "before" | "lines">): string {
  return JSON.stringify([agent, before, lines]);
}

/** One way to take the ambiguous anchors of one file of a call. */
interface Decided {
  readonly opened: OpenFile;
  readonly choice: Choice;
  /** `anchorKey` of each of the anchors. */
  readonly keys: readonly string[];
}

interface Places {
  readonly places: NonNullable<RefusalDetails["places"]>;
  readonly lines: readonly string[];
}

/** For each file with ambiguous anchors the lines they may mean, and the handles, if it is the only such file. */
async function offerChoices(
  call: RefusedCall,
  files: readonly RefusedFile[],
  { complete, door }: { readonly complete: boolean; readonly door: Door },
  env: UnitEnv,
): Promise<Map<string, Places>> {
  const found = new Map<string, Places>();
  const unclear = files.flatMap(({ opened, verdict }) =>
    verdict.kind === "refused" && opened.document && openAnchors(verdict.refused.problems).length > 0
      ? [{ opened, now: opened.document, refused: verdict.refused }]
      : [],
  );
  for (const { opened, now, refused } of unclear) {
    const { problems, choices = [] } = refused;
    const keys = openAnchors(problems).map(({ key }) => key);
    const handles: string[] = [];
    const offered: Choice[] = [];
    for (const choice of unclear.length === 1 && complete ? choices : []) {
      const handle = await offer(call, files, env, { opened, choice, keys });
      if (handle === null) continue;
      handles.push(handle);
      offered.push(choice);
    }
    const { path } = opened.file;
    const send = handles.map((handle) => door.retry(path, handle));
    const places = choicePlaces(problems, offered, handles, now);
    found.set(path, { places, lines: choiceLines(openAnchors(problems), offered, send) });
  }
  return found;
}

/** Keeps the call under a handle, if sending it again on the rows shown is not a guess for any file. */
async function offer(
  call: RefusedCall,
  files: readonly RefusedFile[],
  env: UnitEnv,
  decided?: Decided,
): Promise<string | null> {
  const kept: Retry["files"][number][] = [];
  for (const { opened, verdict, entry } of files) {
    // The call would have to be kept, and it quotes the file.
    if (!opened.isKeepable) return null;
    if (!opened.document) {
      // Made from what the call says; that nobody else has made it is seen then.
      if (verdict.kind === "refused") return null;
      continue;
    }
    const { key } = opened.file;
    const { version } = opened.document;
    const isDecided = decided?.opened === opened;
    const splices = splicesOf(verdict, isDecided ? decided.choice : null);
    if (!splices) return null;
    const meant = isDecided ? { version, lines: linesMeant(decided) } : entry?.forced?.meant;
    kept.push({ key, version, splices: plainSplices(splices), ...(meant ? { meant } : {}) });
  }
  const versions = kept.map(({ version }) => version);
  const handle = handleFor(call.request, decided ? [...versions, decided.choice.lines.join()] : versions);
  await keepHandle(handle, call, kept, env);
  return handle;
}

function linesMeant({ choice, keys }: Decided): Record<string, number> {
  return Object.fromEntries(keys.map((key, at) => [key, choice.lines[at] as number]));
}

function splicesOf(verdict: Verdict, choice: Choice | null): readonly Hunk[] | null {
  if (verdict.kind === "refused") return choice ? choice.splices : verdict.refused.forced;
  return hunksOf(verdict.applied.change.regions, verdict.applied.document);
}

export async function keepHandle(
  handle: string,
  { request, entries, single }: Pick<RefusedCall, "request" | "entries" | "single">,
  files: Retry["files"],
  env: UnitEnv,
): Promise<void> {
  const kept: Retry["entries"][number][] = [];
  for (const { path, edits } of entries) {
    const { key } = await env.files.identify(path);
    kept.push({ path, edits: edits as Json, key });
  }
  await keepRetry(env, { handle, epoch: await epochOf(env), request, single, files, entries: kept });
}

/** A batch is sent again by its handle alone. */
function batchDoor(door: Door): Door {
  return { ...door, retry: (_, handle) => door.retry(null, handle) };
}

/** Tells an agent, once, of its own edits that are gone because an earlier text came back. Returns at most one note. */
export async function takenBackNotes(opened: OpenFile, env: Env): Promise<string[]> {
  const { agent, file } = opened;
  if (agent.takenBack.length === 0) return [];
  opened.update({ ...agent, takenBack: [] });
  // An edit that was made again since stands.
  const gone = new Set(agent.takenBack.filter((version) => version !== opened.document?.version));
  if (gone.size === 0) return [];
  const entries = await env.store.journal({ files: [file.key] });
  const ids = entries
    .filter(({ kind, agent, after }) => kind === "commit" && agent === env.agent && gone.has(after ?? ""))
    .map(({ id }) => id);
  return [takenBackText(file.path, ids)];
}
