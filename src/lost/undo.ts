import { type RefusalDetails, refusalDetails } from "../answers/index.js";
import { type Merging, merge3, type Result, type Returned, settle } from "../calls/index.js";
import { LineChange, unifiedDiff } from "../changes/index.js";
import { type Problem, problem } from "../edits/index.js";
import { batchId, contextOf, type Env, journalThrown, keptTexts, OpenFile } from "../ledger/index.js";
import { type FileId, type JournalEntry, PortError, type Write } from "../ports/index.js";
import type { Document } from "../text/index.js";
import { undoes, undoneIds } from "./file-journal.js";

export interface UndoRequest {
  /** Only edits of this file. */
  readonly path?: string;
  /** An edit or a batch, whosever it is; of an undo: the edits that it took back are made again. */
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
  readonly undone: readonly TakenBack[];
  /** These edits had been undone, and are made again. */
  readonly again?: true;
  /** What could not be recorded of it. */
  readonly warnings?: readonly string[];
}

interface TakenBack {
  readonly id: string;
  readonly path: string;
  readonly diff: string;
  /** Who made the edit. */
  readonly agent: string;
}

/** Somebody changed what an edit left, with what stands there now as far as it can be told. */
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

/** An edit to take back. One that was undone is turned round: what takes that back makes the edit again. */
interface Taken extends JournalEntry {
  readonly isAgain?: true;
}

async function turned(entry: JournalEntry, { files }: Env): Promise<Taken> {
  const { before, after, change, path, to, folders: _, ...rest } = entry;
  const turn: Taken = { ...rest, path, before: after, after: before, isAgain: true };
  const inverse = change ? { change: LineChange.fromJSON(change).invert().toJSON() } : {};
  if (to === undefined) return { ...turn, ...inverse };
  return { ...turn, ...inverse, path: to, to: path, file: (await files.identify(to)).key };
}

const attempts = 5;

type Choose = () => Promise<readonly Taken[]>;

/** Takes edits back, newest first: the inverse of each, carried to the file now by the rules that edits follow. */
export async function undo(request: UndoRequest, env: Env): Promise<Result<UndoDetails>> {
  return tryTakeBack(
    { tool: "undo", path: request.path, dryRun: request.dryRun },
    () => choose(request, env),
    env,
  );
}

/** Makes edits again that were undone, oldest first. `ids` are such edits. */
export async function redo(ids: readonly string[], env: Env): Promise<Result<UndoDetails>> {
  return tryTakeBack({ tool: "restore" }, () => chooseUndone(ids, env), env);
}

interface Taking {
  readonly tool: "undo" | "restore";
  readonly path?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

async function tryTakeBack(taking: Taking, choose: Choose, env: Env): Promise<Result<UndoDetails>> {
  let { path } = taking;
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const chosen = await choose();
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
      await journalThrown(
        { tool: "undo", path: place, code, message, lines: found?.affectedRanges ?? [] },
        env,
      );
    }
    throw error;
  }
}

/** null: others have undone or edited meanwhile, so that others are meant. */
async function takeChosen(
  { tool, dryRun }: Taking,
  { choose, chosen }: { readonly choose: Choose; readonly chosen: readonly Taken[] },
  env: Env,
): Promise<Result<UndoDetails> | null> {
  const files = new Map<string, FileId>();
  const keys = new Map<string, string>();
  for (const entry of chosen)
    for (const path of entry.to === undefined ? [entry.path] : [entry.path, entry.to]) {
      const file = await env.files.identify(path);
      files.set(file.key, file);
      keys.set(path, file.key);
    }
  for (const entry of chosen)
    if (keys.get(entry.path) !== entry.file)
      throw new CannotUndo(entry, "its path leads to another file than it did, by a link on the way");
  const context = await contextOf(env);
  return env.files.hold([...files.values()], async (held) => {
    const meant = await choose();
    if (meant.length !== chosen.length || meant.some(({ id }, at) => id !== chosen[at]?.id)) return null;
    const undone: TakenBack[] = [];
    const texts: Texts = { of: new Map(), keys };
    for (const file of files.values()) {
      const opened = await OpenFile.open(held, file, context);
      texts.of.set(file.key, { opened, text: opened.document, maps: [] });
    }
    const isAgain = chosen.some((entry) => entry.isAgain);
    for (const entry of chosen) undone.push({ ...(await takeBack(entry, texts, env)), agent: entry.agent });
    const said: Said = { undone, isAgain, agent: env.agent };
    if (dryRun) return undoResult("dry_run", said);
    const writes = [...texts.of.values()].flatMap(writesOf);
    if (!(await held.commit(writes)))
      throw new PortError("busy", "a file changed while its edits were being undone: try again");
    const warnings: string[] = [];
    const [first] = texts.of.values();
    const batch = texts.of.size > 1 && first ? { batch: batchId(first.opened, env) } : {};
    for (const one of texts.of.values()) {
      const { key, path } = one.opened.file;
      const own = chosen.filter(({ file, to }) => file === key || to === path).map(({ id }) => id);
      const told = isAgain
        ? ({ tool, kind: "commit", edits: own, ...batch } as const)
        : ({ tool, kind: "undo", cause: own.join(" "), ...batch } as const);
      if (own.length > 0) warnings.push(...(await settle(one, told, env)));
    }
    return undoResult("applied", said, warnings);
  });
}

function writesOf({ opened, text, spelled, from, folders }: Returned): Write[] {
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

interface Said {
  readonly undone: readonly TakenBack[];
  readonly isAgain: boolean;
  /** Who asked. */
  readonly agent: string;
}

function undoResult(
  status: UndoDetails["status"],
  { undone, isAgain, agent }: Said,
  warnings: readonly string[] = [],
): Result<UndoDetails> {
  const done = isAgain ? "made again" : "undone";
  const verb = status === "dry_run" ? `would be ${done}` : done;
  const whose = (owner: string): string => (owner === agent ? "" : ` of ${owner}`);
  const lines = [
    ...undone.map((one) => `${one.path}: edit ${one.id}${whose(one.agent)} ${verb}\n${one.diff}`),
    ...warnings.map((warning) => `! ${warning}`),
  ];
  const details: UndoDetails = {
    ...{ status, undone },
    ...(isAgain ? { again: true } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
  return { text: lines.join("\n"), isError: false, details };
}

/** The commits to take back, newest first. What was undone already is passed over. */
async function choose(request: UndoRequest, env: Env): Promise<readonly Taken[]> {
  const all = await env.store.journal();
  const undone = undoneIds(all);
  const key = request.path === undefined ? null : (await env.files.identify(request.path)).key;
  const commits = all.filter((entry) => entry.kind === "commit" && !undone.has(entry.id)).reverse();
  if (request.id !== undefined || request.batch !== undefined) return namedCommits(request, commits, env);
  const others = commits.filter((entry) => key === null || entry.file === key);
  const mine = others.filter((entry) => request.anyone || entry.agent === env.agent);
  // A batch is taken back as it was made: as one.
  const calls = [...new Set(mine.map(callOf))].slice(0, request.last ?? 1);
  const whole = mine.filter((entry) => calls.includes(callOf(entry)));
  if (whole.length > 0) return whole;
  const where = key === null ? "" : ` of ${request.path}`;
  const what = request.anyone || others.length === 0 ? "to undo" : "of yours to undo, only of others";
  throw new PortError("not_found", `there is no edit${where} ${what}`);
}

/** An edit or a batch by its id; an undo by its id is taken back by making its edits again. */
async function namedCommits(
  { id, batch }: UndoRequest,
  commits: readonly JournalEntry[],
  env: Env,
): Promise<readonly Taken[]> {
  const isNamed = (one: JournalEntry): boolean =>
    one.id === id || (one.batch !== undefined && one.batch === (batch ?? id));
  const found = commits.filter(isNamed);
  if (found.length > 0) return found;
  const undos = (await env.store.journal()).filter((entry) => entry.kind === "undo" && isNamed(entry));
  if (undos.length > 0) return chooseUndone(undos.flatMap(undoes), env);
  throw new PortError("not_found", `there is no edit ${id ?? batch} to undo`);
}

/** Edits that were undone, oldest first. An undone restore stands for what it had brought back. */
async function chooseUndone(ids: readonly string[], env: Env): Promise<readonly Taken[]> {
  const all = await env.store.journal();
  const undone = undoneIds(all);
  const meant = new Set([
    ...ids,
    ...all.filter(({ id }) => ids.includes(id)).flatMap(({ edits = [] }) => edits),
  ]);
  const found = all.filter(
    ({ id, kind, edits }) => kind === "commit" && !edits && meant.has(id) && undone.has(id),
  );
  if (found.length === 0) throw new PortError("not_found", `nothing of ${ids.join(", ")} is undone`);
  return Promise.all(found.map((entry) => turned(entry, env)));
}

const callOf = ({ id, batch }: JournalEntry): string => batch ?? id;

interface Texts {
  /** By the file's key. */
  readonly of: Map<string, Returned>;
  /** The key of each path. */
  readonly keys: ReadonlyMap<string, string>;
}

async function takeBack(entry: Taken, texts: Texts, env: Env) {
  const place = texts.of.get(entry.file) as Returned;
  const gone = (): PortError =>
    new CannotUndo(
      entry,
      place.opened.file.keep
        ? "its text is no longer kept"
        : "of files that look secret, or are outside the roots, no text is kept",
    );
  const kept = keptTexts(place.opened.document?.encoding ?? null, [place.text], env);
  const load = async (version: string | null): Promise<Document | null> => {
    const document = version === null ? null : await kept(version);
    if (version !== null && !document) throw gone();
    return document;
  };
  const before = await load(entry.before);
  if (entry.to !== undefined || entry.after === null || before === null)
    return replaceWhole(entry, before, texts, kept);
  const after = await load(entry.after);
  if (!place.text) throw new CannotUndo(entry, "the file was deleted since");
  if (!after) throw gone();
  const now = place.text;
  if (now.version === after.version) {
    place.text = before;
    const map = entry.change ? LineChange.fromJSON(entry.change).invert() : null;
    if (map && !place.isWhole) place.maps.push(map);
    return { id: entry.id, path: entry.path, diff: map ? unifiedDiff(entry.path, now, before, map) : "" };
  }
  const change = LineChange.fromJSON(entry.change ?? [after.lineCount, after.lineCount]);
  // The lines the edit took out come back, byte for byte, where nobody changed what it put there.
  const merged = merge(entry, { base: after, ours: before, regions: change.invert().regions, now });
  place.text = merged.document;
  if (!place.isWhole) place.maps.push(merged.change);
  return {
    id: entry.id,
    path: entry.path,
    diff: unifiedDiff(entry.path, now, merged.document, merged.change),
  };
}

function merge(entry: Taken, merging: Merging) {
  const merged = merge3(merging);
  if ("problems" in merged) throw standsInTheWay(entry, merged.problems);
  return merged;
}

function standsInTheWay(entry: Taken, problems: readonly Problem[]): PortError {
  const lines = problems.flatMap(({ mismatches }) =>
    mismatches.flatMap(({ line }) => (line === null ? [] : [line])),
  );
  const where =
    lines.length === 1
      ? `line ${lines[0]} was`
      : lines.length > 0
        ? `lines ${lines.slice(0, 5).join(", ")}${lines.length > 5 ? ", …" : ""} were`
        : "its lines were";
  return new CannotUndo(entry, `${where} changed since`, problems);
}

type Kept = ReturnType<typeof keptTexts>;

/** A file that is not what an edit of the whole of it left: how it differs, if that text is kept. */
async function changedSince(entry: Taken, current: Document | null, kept: Kept): Promise<PortError> {
  if (entry.after === null) return new CannotUndo(entry, "the file is there again");
  if (!current) return new CannotUndo(entry, "the file was deleted since");
  const from = await kept(entry.after);
  const whole = from && [{ aStart: 0, aEnd: from.lineCount, bStart: 0, bEnd: 0 }];
  const merged = from && whole && merge3({ base: from, ours: from, regions: whole, now: current });
  const problems = merged && "problems" in merged ? merged.problems : [];
  return new CannotUndo(entry, "the file was changed since", problems);
}

/** A creation is undone by deleting, a deletion by bringing back, a move by moving back; only if unchanged since. */
async function replaceWhole(entry: Taken, before: Document | null, texts: Texts, kept: Kept) {
  const place = texts.of.get(entry.file);
  const moved = entry.to === undefined ? null : texts.of.get(texts.keys.get(entry.to) ?? "");
  const current = (moved ?? place)?.text ?? null;
  const isRespelled = moved !== null && moved === place;
  if ((current?.version ?? null) !== entry.after) throw await changedSince(entry, current, kept);
  if (moved !== null && !isRespelled && place?.text)
    throw new CannotUndo(entry, `another file is at ${entry.path} now`);
  // What was moved here before, in the same undo, has its record where it came from; it may be this very place.
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
  return { id: entry.id, path: entry.path, diff: `[${entry.path} ${what}]` };
}
