/** Brings lost edits back, file by file: a file that cannot be restored does not hold up the others. */
import type { Result } from "../calls/index.js";
import { type CallEnv, type Env, journalThrown } from "../ledger/index.js";
import { type JournalEntry, PortError } from "../ports/index.js";
import {
  type FileFindings,
  fileOf,
  findLost,
  isUntouched,
  type LostRequest,
  readText,
  type Survey,
  surveyOf,
} from "./find-lost.js";
import { editsElsewhere } from "./moved-tree.js";
import { isPresent } from "./places/edited-place.js";
import { undoes, undoneIds } from "./places/file-journal.js";
import { type Asked, makeInPresentTree, restoreFile, type Together } from "./restore-file.js";
import {
  alreadyThere,
  type Outcome,
  type RestoreDetails,
  refused,
  restored,
  restoreResult,
} from "./restore-result.js";
import { CannotUndo } from "./take-back.js";
import { redo } from "./undo.js";

export interface RestoreRequest extends LostRequest {
  /** Lost edits, or batches, by their ids. */
  readonly ids?: readonly string[];
  /** Everything that is lost. */
  readonly all?: boolean;
  /** Nothing is written: the answer tells what would be. */
  readonly dryRun?: boolean;
}

export async function restore(request: RestoreRequest, env: CallEnv): Promise<Result<RestoreDetails>> {
  const tool = "restore";
  try {
    const outcomes = await tryRestore(request, env);
    for (const one of outcomes)
      if (one.kind === "refused" && !request.dryRun) {
        const { path, code, message, affectedRanges: lines } = one.refusal;
        await journalThrown({ tool, path, code, message, lines }, env);
      }
    return restoreResult(outcomes);
  } catch (error) {
    if (error instanceof NotRestored && !request.dryRun) {
      const { path, code, message } = error;
      await journalThrown({ tool, path, code, message, lines: [] }, env);
    }
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

async function tryRestore(request: RestoreRequest, env: CallEnv): Promise<Outcome[]> {
  const { ids: given = [], all = false, dryRun = false } = request;
  if (!all && given.length === 0)
    throw new PortError("bad_request", "name the edits to restore by their ids, or all of them");
  const found = await surveyOf(request, env);
  const { ids, undone } = sorted(given, found.entries);
  // A text that was overwritten comes back if it is named, as does one that was dismissed.
  const survey = all ? found : { ...found, overwritten: ids, forgotten: new Set<string>() };
  const findings = await findAll(survey, all ? null : ids, env);
  const outcomes: Outcome[] = all ? [] : explained(ids, findings, survey);
  if (!all && undone.length > 0) outcomes.push(...(await makeAgain(undone, { survey, dryRun }, env)));
  const together: Together = { isBatch: false, isDryRun: dryRun };
  const asked = findings.flatMap((found): Asked[] => {
    const chosen = found.lost.filter(({ entry }) => all || isNamed(entry, ids)).map(({ entry }) => entry.id);
    return chosen.length > 0 ? [{ found, ids: new Set(chosen), survey, together, isAll: all }] : [];
  });
  together.isBatch = asked.length > 1;
  for (const one of asked) outcomes.push(...(await restoreFile(one, env)));
  return outcomes;
}

/**
 * Ids of edits that may be lost, and of edits that were undone. An undo, or a restore that was undone, means the edits
 * that it was about.
 */
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

function isNamed({ id, batch }: JournalEntry, ids: readonly string[]): boolean {
  return ids.includes(id) || (batch !== undefined && ids.includes(batch));
}

/** Edits that were undone are no lost work: their change is made once more. */
async function makeAgain(
  ids: readonly string[],
  { survey, dryRun }: { readonly survey: Survey; readonly dryRun: boolean },
  env: CallEnv,
): Promise<Outcome[]> {
  const edits = survey.entries.filter(({ id }) => ids.includes(id));
  const there = await editsElsewhere(edits, survey.commits);
  try {
    if (there) return [await makeInPresentTree(there, dryRun, env)];
    const { undone, warnings } = (await redo(ids, { dryRun }, env)).details;
    return undone.map(({ id, path, diff }, at) =>
      restored({ path, ids: [id] }, diff, at === 0 ? warnings : []),
    );
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    const found = error instanceof CannotUndo ? error.found : null;
    return [refused({ path: found?.path ?? "", ids }, error.code, error.message, found ?? {})];
  }
}

/** null for `named`: every file with lost work is meant. */
async function findAll(survey: Survey, named: readonly string[] | null, env: Env): Promise<FileFindings[]> {
  const found: FileFindings[] = [];
  for (const journal of survey.journals) {
    const isAsked = named && journal.entries.some((entry) => isNamed(entry, named));
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

/** Edits that were asked for and are not lost: told if they are there, else a mistake. */
function explained(ids: readonly string[], findings: readonly FileFindings[], survey: Survey): Outcome[] {
  const lost = findings.flatMap((one) => one.lost);
  return ids
    .filter((id) => !lost.some(({ entry }) => isNamed(entry, [id])))
    .map((id) => {
      const edit = survey.entries.find((entry) => entry.kind === "commit" && isNamed(entry, [id]));
      if (!edit) throw new PortError("not_found", `there is no edit ${id}; nothing was restored`);
      const other = survey.entries.findLast(({ instead }) => instead?.includes(edit.id));
      if (other) return alreadyThere({ path: other.path, ids: [id] });
      const found = findings.find(({ journal }) => journal.entries.includes(edit));
      const places = found?.edited.all.filter(({ entry }) => isNamed(entry, [id])) ?? [];
      if (found && (places.length === 0 || places.some(isPresent)))
        return alreadyThere({ path: found.file.path, ids: [id] });
      const why = places.some(({ gone }) => gone.length > 0)
        ? "it is in a commit, or its file has another name"
        : "a later edit replaced it";
      const message = `edit ${id} of ${edit.path} is not lost: ${why}; nothing was restored`;
      throw new NotRestored(edit.path, { code: "not_found", message });
    });
}
