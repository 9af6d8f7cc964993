/** Brings lost edits of one file back, and writes the file. */
import { type Returned, writeBack } from "../calls/index.js";
import { unifiedDiff } from "../changes/index.js";
import { batchId, type CallEnv, contextOf, OpenFile, type UnitEnv, withFiles } from "../ledger/index.js";
import { type Held, PortError } from "../ports/index.js";
import { type FileFindings, findLost, type LostWork, type Survey } from "./find-lost.js";
import { mergeBack } from "./merge-back.js";
import { type EditsElsewhere, editsElsewhere, makeHere } from "./moved-tree.js";
import { alreadyThere, editNames, notMerged, type Outcome, refused, restored } from "./restore-result.js";

/** Files that come back by one call: each by itself, but one undo takes all of them back. */
export interface Together {
  isBatch: boolean;
  batch?: string;
  /** Nothing is written. */
  readonly isDryRun: boolean;
}

export interface Asked {
  readonly found: FileFindings;
  readonly ids: ReadonlySet<string>;
  readonly survey: Survey;
  readonly together: Together;
  /** Everything that is lost was asked for, and nothing by its id. */
  readonly isAll: boolean;
}

/** Brings all of the edits back together. If something is in the way, those that were lost last come back first. */
export async function restoreFile(asked: Asked, env: CallEnv): Promise<Outcome[]> {
  const outcome = await tryFile(asked, env);
  const [newest = [], ...older] = byLoss(asked);
  const isInTheWay = outcome.kind === "refused" && outcome.refusal.mismatches.length > 0;
  if (!isInTheWay || older.length === 0) return [outcome];
  asked.together.isBatch = true;
  const first = await tryFile({ ...asked, ids: new Set(newest) }, env);
  return [first, ...(await restoreFile({ ...asked, ids: new Set(older.flat()) }, env))];
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

async function tryFile(asked: Asked, env: CallEnv): Promise<Outcome> {
  const { found, ids, survey, isAll } = asked;
  const { path } = found.file;
  try {
    const edits = found.journal.entries.filter(({ id }) => ids.has(id));
    const there = found.now ? null : await editsElsewhere(edits, survey.commits);
    // A folder for the file alone would help nobody: only edits that are named go into another work tree.
    if (there)
      return isAll
        ? offerPresentTree(there, path)
        : await makeInPresentTree(there, asked.together.isDryRun, env);
    const files = found.source ? [found.file, found.source] : [found.file];
    return await withFiles(files, env, (held, inner) => mergeFile(asked, held, inner));
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return refused({ path, ids: [...ids] }, error.code, error.message);
  }
}

function offerPresentTree({ tree, path, edits }: EditsElsewhere, old: string): Outcome {
  const ids = edits.map(({ id }) => id);
  const [verb, them] = ids.length === 1 ? ["was", "it"] : ["were", "them"];
  const message = `${editNames(ids)} of ${old} ${verb} made in the work tree ${tree}, which is gone: \`kedge restore ${ids.join(" ")}\` makes ${them} in ${path}`;
  return refused({ path: old, ids }, "not_found", message);
}

export async function makeInPresentTree(
  there: EditsElsewhere,
  isDryRun: boolean,
  env: CallEnv,
): Promise<Outcome> {
  const { tree, path, edits } = there;
  const named = { path, ids: edits.map(({ id }) => id) };
  if (isDryRun) return restored(named, `[the work tree ${tree} is gone; ${path} would be written]`, []);
  const made = await makeHere(there, env);
  if ("problems" in made) return notMerged(made, named, () => null);
  const { before, text, change, warnings } = made;
  const isNew = !before || !change;
  const diff = isNew
    ? `[${path} created: ${lineCount(text.lineCount)}]`
    : unifiedDiff(path, before, text, change);
  return restored(named, `[the work tree ${tree} is gone]\n${diff}`, warnings);
}

function lineCount(count: number): string {
  return `${count} ${count === 1 ? "line" : "lines"}`;
}

async function mergeFile(asked: Asked, held: Held, env: UnitEnv): Promise<Outcome> {
  const { found, ids, survey } = asked;
  const named = { path: found.file.path, ids: [...ids] };
  const write: PutBack = (files, edits) => put(files, edits, { held, together: asked.together }, env);
  const context = await contextOf(env);
  const target = await OpenFile.open(held, found.file, context);
  const source = found.source && (await OpenFile.open(held, found.source, context));
  // Once more, now that nobody else writes; which of the edits are in commits is known.
  const findings = await findLost(found.journal, { ...survey, commits: null }, env);
  const { now, edited } = findings;
  if (now?.version !== (source ?? target).document?.version) throw changedMeanwhile(named.path);
  const chosen = findings.lost.filter(({ entry }) => ids.has(entry.id));
  if (chosen.length === 0) return alreadyThere(named);
  if (chosen.some(({ what, places }) => what === "lines" && places.length === 0))
    return notMerged({ problems: [] }, named, () => null);
  if (chosen.some(({ what }) => what === "deleted")) return deleteAgain(target, chosen, write);
  const lost = new Set(found.lost.map(({ entry }) => entry.id));
  const others = findings.lost.filter(({ entry }) => lost.has(entry.id) && !ids.has(entry.id));
  const ended = findings.lost.filter(({ entry }) => !lost.has(entry.id));
  const merged = await mergeBack({ findings, chosen, others, ended });
  if (!("text" in merged))
    return notMerged(merged, named, (line) => {
      const by = edited.all.findLast(({ lines }) => lines.has(line - 1))?.entry.agent;
      return by === env.agent ? "you" : (by ?? null);
    });
  const { text, change } = merged;
  if (text.version === now?.version && !source) return alreadyThere(named);
  const back: Returned = { opened: target, text, maps: change && !source ? [change] : [] };
  const files = source
    ? [
        { ...back, from: source },
        { opened: source, text: null, maps: [] },
      ]
    : [back];
  const warnings = await write(files, named.ids);
  const shown = [
    source ? `[${source.file.path} moved to ${named.path}]` : "",
    now ? "" : `[${named.path} brought back: ${lineCount(text.lineCount)}]`,
    now && change ? unifiedDiff(named.path, now, text, change) : "",
  ];
  return restored(named, shown.filter((part) => part !== "").join("\n"), warnings);
}

function changedMeanwhile(path: string): PortError {
  return new PortError("busy", `${path} changed while it was being restored: try again`);
}

/** Returns, in words, what could not be recorded. */
type PutBack = (files: readonly Returned[], ids: readonly string[]) => Promise<string[]>;

async function put(
  files: readonly Returned[],
  ids: readonly string[],
  { held, together }: { readonly held: Held; readonly together: Together },
  env: UnitEnv,
): Promise<string[]> {
  const { opened } = files[0] as Returned;
  if (together.isDryRun) return [];
  if (files.length > 1 || together.isBatch) together.batch ??= batchId(opened, env);
  const batch = together.batch === undefined ? {} : { batch: together.batch };
  const entry = { tool: "restore", kind: "commit", edits: ids, ...batch } as const;
  const warnings = await writeBack(files, { held, told: () => entry }, env);
  if (warnings === "changed") throw changedMeanwhile(opened.file.path);
  return warnings;
}

/** A file that was deleted and is back goes again, if it is the file that was deleted. */
async function deleteAgain(target: OpenFile, chosen: readonly LostWork[], write: PutBack): Promise<Outcome> {
  const named = { path: target.file.path, ids: chosen.map(({ entry }) => entry.id) };
  if (!chosen.some(({ entry }) => entry.before === target.document?.version)) {
    const message = `${named.path} was deleted by edit ${named.ids[0]} and is there again with other text`;
    return refused(named, "stale", message);
  }
  const warnings = await write([{ opened: target, text: null, maps: [] }], named.ids);
  return restored(named, `[${named.path} deleted again]`, warnings);
}
