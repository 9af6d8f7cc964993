/** Takes edits back, newest first, or makes edits again that were undone. */
import { type Result, type Returned, writeBack } from "../calls/index.js";
import {
  batchId,
  type CallEnv,
  contextOf,
  type Env,
  journalThrown,
  OpenFile,
  withFiles,
} from "../ledger/index.js";
import { type FileId, type JournalEntry, type JournalQuery, PortError } from "../ports/index.js";
import { liveCommits, readAbout, undoes, undoneIds } from "./places/file-journal.js";
import { CannotUndo, type HeldFiles, type Taken, takeBack, turned } from "./take-back.js";

export interface UndoRequest {
  /** Only edits of this file. */
  readonly path?: string;
  /** An edit or a batch of anybody; the id of an undo makes its edits again. */
  readonly id?: string;
  /** How many of the last edits; default 1. */
  readonly last?: number;
  /** A batch, by its id. */
  readonly batch?: string;
  /** Edits of all agents, not only of this one. */
  readonly anyone?: boolean;
  readonly dryRun?: boolean;
}

export interface UndoDetails {
  readonly status: "applied" | "dry_run";
  readonly undone: readonly UndoneEdit[];
  /** These edits had been undone, and are made again. */
  readonly again?: true;
  /** Failures to record it. */
  readonly warnings?: readonly string[];
}

interface UndoneEdit {
  readonly id: string;
  readonly path: string;
  readonly diff: string;
  /** The author of the edit. */
  readonly agent: string;
}

const attempts = 5;

type Choose = (env: Env) => Promise<readonly Taken[]>;

export async function undo(request: UndoRequest, env: CallEnv): Promise<Result<UndoDetails>> {
  return tryTakeBack(
    { tool: "undo", path: request.path, dryRun: request.dryRun },
    (inner) => choose(request, inner),
    env,
  );
}

/** Makes edits again that were undone, oldest first. `ids` are such edits. */
export async function redo(
  ids: readonly string[],
  { dryRun }: Pick<UndoRequest, "dryRun">,
  env: CallEnv,
): Promise<Result<UndoDetails>> {
  const chooseThem: Choose = async (inner) => chooseUndone(ids, await readAbout(inner, ids), inner);
  return tryTakeBack({ tool: "restore", dryRun }, chooseThem, env);
}

interface Taking {
  readonly tool: "undo" | "restore";
  readonly path?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

async function tryTakeBack(taking: Taking, choose: Choose, env: CallEnv): Promise<Result<UndoDetails>> {
  let { path } = taking;
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const chosen = await choose(env);
      path = chosen[0]?.path;
      const result = await takeChosen(taking, { choose, chosen }, env);
      if (result) return result;
    }
    throw new PortError("busy", "others keep undoing at the same time: try again");
  } catch (error) {
    const found = error instanceof CannotUndo ? error.found : null;
    const place = found?.path ?? path;
    // A restore journals its refusals itself.
    if (taking.tool === "undo" && error instanceof PortError && typeof place === "string") {
      const { code, message } = error;
      const lines = found?.affectedRanges ?? [];
      await journalThrown({ tool: "undo", path: place, code, message, lines }, env);
    }
    throw error;
  }
}

/** null: others have undone or edited meanwhile, so that other edits are meant. */
async function takeChosen(
  { tool, dryRun }: Taking,
  { choose, chosen }: { readonly choose: Choose; readonly chosen: readonly Taken[] },
  outer: CallEnv,
): Promise<Result<UndoDetails> | null> {
  const { files, keys } = await filesOf(chosen, outer);
  return withFiles(files, outer, async (held, env) => {
    const context = await contextOf(env);
    const meant = await choose(env);
    if (meant.length !== chosen.length || meant.some(({ id }, at) => id !== chosen[at]?.id)) return null;
    const returned: Returned[] = [];
    for (const file of files) {
      const opened = await OpenFile.open(held, file, context);
      returned.push({ opened, text: opened.document, maps: [] });
    }
    const byKey = new Map(returned.map((one) => [one.opened.file.key, one]));
    const heldFiles: HeldFiles = { byKey, keys };
    const undone: UndoneEdit[] = [];
    for (const entry of chosen) {
      const { id, path, agent } = entry;
      undone.push({ id, path, diff: await takeBack(entry, heldFiles, env), agent });
    }
    const isAgain = chosen.some((entry) => entry.isAgain);
    const done = { undone, ...(isAgain ? { again: true as const } : {}) };
    if (dryRun) return undoResult({ status: "dry_run", ...done }, env);
    const [first] = returned;
    const batch = returned.length > 1 && first ? { batch: batchId(first.opened, env) } : {};
    const told = ({ opened }: Returned) => {
      const { key, path } = opened.file;
      const own = chosen.filter(({ file, to }) => file === key || to === path).map(({ id }) => id);
      if (own.length === 0) return null;
      return isAgain
        ? ({ tool, kind: "commit", edits: own, ...batch } as const)
        : ({ tool, kind: "undo", cause: own.join(" "), ...batch } as const);
    };
    const warnings = await writeBack(returned, { held, told }, env);
    if (warnings === "changed")
      throw new PortError("busy", "a file changed while its edits were being undone: try again");
    return undoResult({ status: "applied", ...done, ...(warnings.length > 0 ? { warnings } : {}) }, env);
  });
}

/** Every file that the edits name, once. */
async function filesOf(chosen: readonly Taken[], env: Env) {
  const files = new Map<string, FileId>();
  const keys = new Map<string, string>();
  for (const { path, to } of chosen)
    for (const name of to === undefined ? [path] : [path, to]) {
      const file = await env.files.identify(name);
      files.set(file.key, file);
      keys.set(name, file.key);
    }
  const other = chosen.find((entry) => keys.get(entry.path) !== entry.file);
  if (other) throw new CannotUndo(other, "its path leads to another file than it did, by a link on the way");
  return { files: [...files.values()], keys };
}

function undoResult(details: UndoDetails, env: Env): Result<UndoDetails> {
  const done = details.again ? "made again" : "undone";
  const verb = details.status === "dry_run" ? `would be ${done}` : done;
  const whose = (owner: string): string => (owner === env.agent ? "" : ` of ${owner}`);
  const lines = [
    ...details.undone.map((one) => `${one.path}: edit ${one.id}${whose(one.agent)} ${verb}\n${one.diff}`),
    ...(details.warnings ?? []).map((warning) => `! ${warning}`),
  ];
  return { text: lines.join("\n"), isError: false, details };
}

/** The commits to take back, newest first, without the ones that are undone already. */
async function choose(request: UndoRequest, env: Env): Promise<readonly Taken[]> {
  const { id, batch, path, anyone = false, last = 1 } = request;
  if (id !== undefined || batch !== undefined) {
    const journal = await readAbout(env, [batch ?? id ?? ""]);
    return chooseNamed(request, countingCommits(journal), journal, env);
  }
  const key = path === undefined ? null : (await env.files.identify(path)).key;
  const files = key === null ? {} : { files: [key] };
  let whole: readonly JournalEntry[] = [];
  for await (const mine of liveCommits(anyone ? files : { ...files, agent: env.agent }, env)) {
    const calls = [...new Set(mine.map(callOf))];
    // A batch is taken back as it was made: as one.
    whole = mine.filter((entry) => calls.slice(0, last).includes(callOf(entry)));
    // The oldest call may begin further back.
    if (calls.length > last) break;
  }
  if (whole.length > 0) return whole;
  const hasOthers = !anyone && (await hasCommits(files, env));
  const where = key === null ? "" : ` of ${path}`;
  const what = anyone || !hasOthers ? "to undo" : "of yours to undo, only of others";
  throw new PortError("not_found", `there is no edit${where} ${what}`);
}

async function hasCommits(query: Pick<JournalQuery, "files">, env: Env): Promise<boolean> {
  for await (const commits of liveCommits(query, env)) if (commits.length > 0) return true;
  return false;
}

/** Newest first. */
function countingCommits(journal: readonly JournalEntry[]): JournalEntry[] {
  const undone = undoneIds(journal);
  return journal.filter(({ kind, id }) => kind === "commit" && !undone.has(id)).reverse();
}

const callOf = ({ id, batch }: JournalEntry): string => batch ?? id;

/** An edit or a batch by its id; an undo by its id is taken back by making its edits again. */
async function chooseNamed(
  { id, batch }: UndoRequest,
  commits: readonly JournalEntry[],
  journal: readonly JournalEntry[],
  env: Env,
): Promise<readonly Taken[]> {
  const isNamed = (one: JournalEntry): boolean =>
    one.id === id || (one.batch !== undefined && one.batch === (batch ?? id));
  const found = commits.filter(isNamed);
  if (found.length > 0) return found;
  const undos = journal.filter((entry) => entry.kind === "undo" && isNamed(entry));
  if (undos.length > 0) {
    const ids = undos.flatMap(undoes);
    return chooseUndone(ids, await readAbout(env, ids), env);
  }
  throw new PortError("not_found", `there is no edit ${id ?? batch} to undo`);
}

/** Edits that were undone, oldest first. A restore that was undone means the edits that it had brought back. */
async function chooseUndone(
  ids: readonly string[],
  journal: readonly JournalEntry[],
  env: Env,
): Promise<readonly Taken[]> {
  const undone = undoneIds(journal);
  const named = journal.filter(({ id }) => ids.includes(id));
  const meant = new Set([...ids, ...named.flatMap(({ edits = [] }) => edits)]);
  const found = journal.filter(
    ({ id, kind, edits }) => kind === "commit" && !edits && meant.has(id) && undone.has(id),
  );
  if (found.length === 0) throw new PortError("not_found", `nothing of ${ids.join(", ")} is undone`);
  return Promise.all(found.map((entry) => turned(entry, env)));
}
