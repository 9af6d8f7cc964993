import { plainRefusal, type RefusalDetails } from "../answers/index.js";
import { type Result, type Returned, settle } from "../calls/index.js";
import { unifiedDiff } from "../changes/index.js";
import { batchId, contextOf, type Env, journalThrown, OpenFile } from "../ledger/index.js";
import { type Held, type JournalEntry, PortError, type Write } from "../ports/index.js";
import { undoes, undoneIds } from "./file-journal.js";
import {
  type FileFindings,
  fileOf,
  findLost,
  isUntouched,
  type LostRequest,
  type LostWork,
  readText,
  type Survey,
  surveyOf,
} from "./find-lost.js";
import { mergeBack } from "./merge-back.js";
import { type Elsewhere, elsewhere, makeHere } from "./moved-tree.js";
import {
  editNames,
  type Outcome,
  type RestoreDetails,
  type RestoredFile,
  refusalOf,
  restoreResult,
} from "./restored.js";
import { CannotUndo, redo } from "./undo.js";

export interface RestoreRequest extends LostRequest {
  /** Lost edits, or batches, by their ids. */
  readonly ids?: readonly string[];
  /** Everything that is lost. */
  readonly all?: boolean;
}

/** Merges lost edits back, file by file: what cannot come back in one file does not keep others from it. */
export async function restore(request: RestoreRequest, env: Env): Promise<Result<RestoreDetails>> {
  try {
    const outcomes = await tryRestore(request, env);
    for (const one of outcomes) if (one.kind === "refused") await journalRefusal(one.refusal, env);
    return restoreResult(outcomes);
  } catch (error) {
    if (error instanceof NotRestored)
      await journalRefusal(plainRefusal(error.path, error.code, error.message), env);
    throw error;
  }
}

/** Thrown, since nothing at all is restored then. */
class NotRestored extends PortError {
  constructor(
    readonly path: string,
    { code, message }: Pick<PortError, "code" | "message">,
  ) {
    super(code, message);
  }
}

function journalRefusal(
  { path, code, message, affectedRanges: lines }: RefusalDetails,
  env: Env,
): Promise<void> {
  return journalThrown({ tool: "restore", path, code, message, lines }, env);
}

async function tryRestore(request: RestoreRequest, env: Env): Promise<Outcome[]> {
  const { ids: given = [], all = false } = request;
  if (!all && given.length === 0)
    throw new PortError("bad_request", "name the edits to restore by their ids, or all of them");
  const survey = await surveyOf(request, env);
  const { ids, undone } = sorted(given, survey.entries);
  const findings = await findAll(survey, all ? null : new Set(ids), env);
  const together: Together = { isBatch: false };
  const outcomes: Outcome[] = all ? [] : explained(ids, findings, survey);
  if (!all && undone.length > 0) outcomes.push(...(await madeAgain(undone, survey, env)));
  const asked = findings.flatMap((found): Asked[] => {
    const chosen = found.lost.filter(({ entry }) => all || isNamed(entry, ids)).map(({ entry }) => entry.id);
    return chosen.length > 0 ? [{ found, ids: new Set(chosen), survey, together, isAll: all }] : [];
  });
  together.isBatch = asked.length > 1;
  for (const one of asked) outcomes.push(...(await attemptAll(one, env)));
  return outcomes;
}

/** Ids of edits that may be lost, and of edits that were undone. An undo, or a restore that was undone, stands for its edits. */
function sorted(given: readonly string[], entries: readonly JournalEntry[]) {
  const gone = undoneIds(entries);
  const ids = new Set<string>();
  const undone = new Set<string>();
  const add = (id: string): void => {
    const named = entries.filter((entry) => entry.kind !== "refusal" && isNamed(entry, [id]));
    if (named.length === 0) ids.add(id);
    for (const entry of named) {
      const isGone = gone.has(entry.id);
      if (entry.kind === "undo" || (isGone && entry.edits))
        [...undoes(entry), ...(entry.edits ?? [])].forEach(add);
      else (isGone ? undone : ids).add(isGone ? entry.id : id);
    }
  };
  given.forEach(add);
  return { ids: [...ids], undone: [...undone] };
}

/** Edits that were undone are no lost work: their change is made once more. */
async function madeAgain(ids: readonly string[], survey: Survey, env: Env): Promise<Outcome[]> {
  const edits = survey.entries.filter(({ id }) => ids.includes(id));
  const there = await elsewhere(edits[0], survey.commits);
  try {
    if (there) return [await inPresentTree(edits, there, { old: there.path, isAll: false }, env)];
    const { details } = await redo(ids, env);
    const { undone, warnings = [] } = details;
    return undone.map(({ id, path, diff }, at) => ({
      kind: "restored",
      file: { path, ids: [id], diff, ...(at === 0 && warnings.length > 0 ? { warnings } : {}) },
    }));
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    const found = error instanceof CannotUndo ? error.found : null;
    const plain = plainRefusal(found?.path ?? "", error.code, error.message);
    return [{ kind: "refused", refusal: { ...plain, ...found, ids } }];
  }
}

/** Edits of one file come back together. If something is in the way, those that were lost last come back first. */
async function attemptAll(asked: Asked, env: Env): Promise<Outcome[]> {
  const outcome = await attempt(asked, env);
  const [newest = [], ...older] = byLoss(asked);
  const isInTheWay = outcome.kind === "refused" && outcome.refusal.mismatches.length > 0;
  if (!isInTheWay || older.length === 0) return [outcome];
  asked.together.isBatch = true;
  const first = await attempt({ ...asked, ids: new Set(newest) }, env);
  return [first, ...(await attemptAll({ ...asked, ids: new Set(older.flat()) }, env))];
}

/** Ids by the state that last held the edits, newest first. */
function byLoss({ found, ids }: Asked): string[][] {
  const groups = new Map<number, string[]>();
  for (const { entry, places } of found.lost) {
    if (!ids.has(entry.id)) continue;
    const last = Math.max(-1, ...places.flatMap(({ gone }) => gone.map(({ state }) => state)));
    groups.set(last, [...(groups.get(last) ?? []), entry.id]);
  }
  return [...groups].sort(([one], [two]) => two - one).map(([, group]) => group);
}

/** Files that come back by one call: each by itself, but one undo takes all of them back. */
interface Together {
  isBatch: boolean;
  batch?: string;
}

/** What is to come back in one file. */
interface Asked {
  readonly found: FileFindings;
  readonly ids: ReadonlySet<string>;
  readonly survey: Survey;
  readonly together: Together;
  /** Everything that is lost was asked for, and nothing by its id. */
  readonly isAll: boolean;
}

function isNamed({ id, batch }: JournalEntry, ids: readonly string[]): boolean {
  return ids.includes(id) || (batch !== undefined && ids.includes(batch));
}

async function findAll(survey: Survey, named: Set<string> | null, env: Env): Promise<FileFindings[]> {
  const found: FileFindings[] = [];
  for (const journal of survey.journals) {
    const isAsked = named && journal.entries.some((entry) => isNamed(entry, [...named]));
    try {
      const now = isAsked ? null : await readText(await fileOf(journal, env), env);
      if (isAsked || (!named && !isUntouched(journal, now))) found.push(await findLost(journal, survey, env));
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      if (isAsked) throw new NotRestored(journal.path, error);
    }
  }
  return found.sort((one, two) => (one.lost[0]?.entry.time ?? 0) - (two.lost[0]?.entry.time ?? 0));
}

/** Edits that were asked for and are not lost: those that stand are said to; anything else is a mistake. */
function explained(ids: readonly string[], findings: readonly FileFindings[], survey: Survey): Outcome[] {
  const lost = findings.flatMap((one) => one.lost);
  return ids
    .filter((id) => !lost.some(({ entry }) => isNamed(entry, [id])))
    .map((id) => {
      const edits = survey.entries.filter((entry) => entry.kind === "commit" && isNamed(entry, [id]));
      const [edit] = edits;
      if (!edit) throw new PortError("not_found", `there is no edit ${id}; nothing was restored`);
      const other = survey.entries.findLast(({ instead }) => instead?.includes(edit.id));
      if (other) return { kind: "already", file: { path: other.path, ids: [id], diff: "" } };
      const found = findings.find(({ journal }) => journal.entries.includes(edit));
      const places = found?.edited.all.filter(({ entry }) => isNamed(entry, [id])) ?? [];
      const stands = places.some(({ lines, gap }) => !lines.isEmpty || gap !== null);
      if (found && (stands || places.length === 0))
        return { kind: "already", file: { path: found.file.path, ids: [id], diff: "" } };
      const why = places.some(({ gone }) => gone.length > 0)
        ? "it is in a commit, or its file has another name"
        : "a later edit replaced it";
      const message = `edit ${id} of ${edit.path} is not lost: ${why}; nothing was restored`;
      throw new NotRestored(edit.path, { code: "not_found", message });
    });
}

async function attempt(asked: Asked, env: Env): Promise<Outcome> {
  const { found, ids, survey } = asked;
  const path = found.file.path;
  try {
    const edits = found.journal.entries.filter(({ id }) => ids.has(id));
    const there = found.now ? null : await elsewhere(edits[0], survey.commits);
    if (there) return await inPresentTree(edits, there, { old: path, isAll: asked.isAll }, env);
    const files = found.source ? [found.file, found.source] : [found.file];
    return await env.files.hold(files, (held) => write(asked, held, env));
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    const { code, message } = error;
    return { kind: "refused", refusal: { ...plainRefusal(path, code, message), ids: [...ids] } };
  }
}

/** A folder for the file alone would help nobody: the work tree is gone. Only edits that are named go into another one. */
async function inPresentTree(
  edits: readonly JournalEntry[],
  { tree, path }: Elsewhere,
  { old, isAll }: { readonly old: string; readonly isAll: boolean },
  env: Env,
): Promise<Outcome> {
  const ids = edits.map(({ id }) => id);
  if (isAll) {
    const [verb, run] = [ids.length === 1 ? "was" : "were", ids.join(" ")];
    const message = `${editNames(ids)} of ${old} ${verb} made in the work tree ${tree}, which is gone: \`kedge restore ${run}\` makes ${ids.length === 1 ? "it" : "them"} in ${path}`;
    return { kind: "refused", refusal: { ...plainRefusal(old, "not_found", message), ids } };
  }
  const made = await makeHere(edits, path, env);
  if (!("text" in made))
    return { kind: "refused", refusal: refusalOf({ problems: made }, { path, ids }, () => null) };
  const { before, text, map, warnings } = made;
  const diff =
    before && map ? unifiedDiff(path, before, text, map) : `[${path} created: ${lineCount(text.lineCount)}]`;
  const told = `[the work tree ${tree} is gone]\n${diff}`;
  return { kind: "restored", file: { path, ids, diff: told, ...(warnings.length > 0 ? { warnings } : {}) } };
}

async function write({ found, ids, survey, together }: Asked, held: Held, env: Env): Promise<Outcome> {
  const lost = new Set(found.lost.map(({ entry }) => entry.id));
  const context = await contextOf(env);
  const target = await OpenFile.open(held, found.file, context);
  const source = found.source && (await OpenFile.open(held, found.source, context));
  // Once more, now that nobody else writes; which of them are in commits is known.
  const findings = await findLost(found.journal, { ...survey, commits: null }, env);
  if (findings.now?.version !== (source ?? target).document?.version) throw changing(found);
  const chosen = findings.lost.filter(({ entry }) => ids.has(entry.id));
  const told = { path: found.file.path, ids: [...ids] };
  const putting: Putting = { held, together };
  if (chosen.length === 0) return { kind: "already", file: { ...told, diff: "" } };
  if (chosen.some(({ what }) => what === "deleted")) return deleteAgain(target, chosen, putting, env);
  const merged = await mergeBack({
    ...{ findings, chosen },
    others: findings.lost.filter(({ entry }) => lost.has(entry.id) && !ids.has(entry.id)),
    ended: findings.lost.filter(({ entry }) => !lost.has(entry.id)),
  });
  if (!("text" in merged)) {
    const writer = (line: number): string | null => {
      const by = findings.edited.all.findLast(({ lines }) => lines.has(line - 1))?.entry.agent;
      return by === env.agent ? "you" : (by ?? null);
    };
    return { kind: "refused", refusal: refusalOf(merged, told, writer) };
  }
  const { text, change: map } = merged;
  const { now } = findings;
  if (text.version === now?.version && !source) return { kind: "already", file: { ...told, diff: "" } };
  const returned: Returned = { opened: target, text, maps: map && !source ? [map] : [] };
  const gone: Returned[] = source ? [{ opened: source, text: null, maps: [] }] : [];
  const warned = await put(
    source ? [{ ...returned, from: source }, ...gone] : [returned],
    told.ids,
    putting,
    env,
  );
  const diff = now && map ? unifiedDiff(told.path, now, text, map) : "";
  const moved = source ? `[${source.file.path} moved to ${told.path}]` : "";
  const whole = now ? "" : `[${told.path} brought back: ${lineCount(text.lineCount)}]`;
  const shown = [moved, whole, diff].filter((part) => part !== "").join("\n");
  return { kind: "restored", file: { ...told, diff: shown, ...warned } };
}

function lineCount(count: number): string {
  return `${count} ${count === 1 ? "line" : "lines"}`;
}

function changing({ file }: FileFindings): PortError {
  return new PortError("busy", `${file.path} changed while it was being restored: try again`);
}

type Putting = Pick<Asked, "together"> & { readonly held: Held };

async function put(
  files: readonly Returned[],
  ids: readonly string[],
  { held, together }: Putting,
  env: Env,
): Promise<Pick<RestoredFile, "warnings">> {
  const writes = files.map(
    ({ opened, text }): Write => ({
      file: opened.file,
      before: opened.document?.toBytes() ?? null,
      after: text?.toBytes() ?? null,
    }),
  );
  const [first] = files;
  if (!first) return {};
  if (!(await held.commit(writes)))
    throw new PortError("busy", `${first.opened.file.path} changed while it was being restored: try again`);
  if (files.length > 1 || together.isBatch) together.batch ??= batchId(first.opened, env);
  const batch = together.batch === undefined ? {} : { batch: together.batch };
  const warnings: string[] = [];
  for (const one of files)
    warnings.push(...(await settle(one, { tool: "restore", kind: "commit", edits: ids, ...batch }, env)));
  return warnings.length > 0 ? { warnings } : {};
}

/** A file that was deleted and is back goes again, if it is what was deleted. */
async function deleteAgain(
  target: OpenFile,
  chosen: readonly LostWork[],
  putting: Putting,
  env: Env,
): Promise<Outcome> {
  const { path } = target.file;
  const ids = chosen.map(({ entry }) => entry.id);
  if (!chosen.some(({ entry }) => entry.before === target.document?.version)) {
    const message = `${path} was deleted by edit ${ids[0]} and is there again with other text`;
    return { kind: "refused", refusal: { ...plainRefusal(path, "stale", message), ids } };
  }
  const warned = await put([{ opened: target, text: null, maps: [] }], ids, putting, env);
  return { kind: "restored", file: { path, ids, diff: `[${path} deleted again]`, ...warned } };
}
