import { newToken } from "../../host/index.js";
import { type FileId, idsIn, type JournalEntry, type Outcome } from "../../ports/index.js";
import type { Ground } from "../ground.js";
import { columnOf } from "../tree-names.js";

export interface Ending {
  readonly files: readonly FileId[];
  readonly agent: string;
  readonly token: string;
  /** Its files are all or none: others may have taken them back if they were not held to the end. */
  readonly hasPlan: boolean;
}

/** Writes everything down in one round trip; a text that is told by one the store does not have is sent once more, whole. */
export async function finishUnit(ground: Ground, ending: Ending, outcome: Outcome): Promise<void> {
  const { database, texts, tree, clock } = ground;
  const { agent, token } = ending;
  const mark = newToken(clock);
  const sent = JSON.stringify(sentOutcome(ground, ending, outcome));
  const ledgers = outcome.files.map(({ ledger }) => (ledger ? JSON.stringify(ledger.record) : null));
  const call = [tree, token, ground.columns(ending.files), sent, ledgers, mark];
  let answer: Finished;
  try {
    answer = await finishCall(ground, call);
  } catch (error) {
    if (outcome.entries.length === 0) throw error;
    ground.later(call);
    return;
  }
  if (answer.missing.length > 0) {
    const whole = outcome.versions.filter(({ id }) => answer.missing.includes(id));
    await database.ask("select kedge.keep_1($1, $2)", [tree, JSON.stringify(texts.sent(whole, true))]);
  }
  texts.kept(outcome.versions);
  if (answer.held) know(ground, outcome, { ...answer, agent, mark });
}

/** Keeps in mind what the next call would be told. */
function know(
  { records, names }: Ground,
  { files }: Outcome,
  { revs, agent, mark }: Finished & { readonly agent: string; readonly mark: string },
): void {
  for (const [at, one] of files.entries()) {
    // A file that is named twice has had two revs, and one is told.
    if (files.some((other) => other !== one && other.file === one.file)) continue;
    const file = columnOf(names.stored(one.file));
    const written = { file, agent: columnOf(agent), outcome: one };
    records.wrote({ ...written, rev: revs[file], mark: `${mark}.${at + 1}` });
  }
}

interface Finished {
  /** The files were still held: their records are written. */
  readonly held: boolean;
  /** The texts that are to be sent whole. */
  readonly missing: readonly string[];
  readonly revs: Readonly<Record<string, string>>;
}

const finishing = "select kedge.finish_1($1, $2, $3, $4, $5, $6, $7) as answer";

export async function finishCall(
  { database }: Pick<Ground, "database">,
  call: readonly unknown[],
  isAgain = false,
): Promise<Finished> {
  const [row] = await database.ask(finishing, (again) => [...call, again || isAgain]);
  return JSON.parse(row?.answer as string) as Finished;
}

function sentOutcome(ground: Ground, { agent, hasPlan }: Ending, outcome: Outcome): object {
  const { names, texts, clock } = ground;
  const stored = (key: string): string => columnOf(names.stored(key));
  const files = outcome.files.map(({ file, like, isGone, states, ledger }) => ({
    file: stored(file),
    ...(like === undefined ? {} : { like: stored(like) }),
    ...(isGone ? { gone: true } : {}),
    ...(states ? { from: states.from, states: states.states.map((state) => JSON.stringify(state)) } : {}),
    ...(ledger ? { since: ledger.since, label: labelOf(names.stored(file), agent) } : {}),
  }));
  return {
    ...{ agent: columnOf(agent), batch: hasPlan, files },
    versions: texts.sent(outcome.versions),
    entries: sentEntries(ground, outcome.entries),
    records: outcome.records.map(({ name, value }) => ({
      name: columnOf(names.record(name)),
      value: JSON.stringify(names.storedValue(name, value)),
      mark: newToken(clock),
    })),
  };
}

/** Columns that are too long for an index have another name in their place. */
function labelOf(file: string, agent: string): string | null {
  const isLong = columnOf(file).startsWith("#") || columnOf(agent).startsWith("#");
  return isLong ? JSON.stringify([file, agent]) : null;
}

/** Names a move among the ids by which entries are found; `file` is as the store has it. */
export const nameOfMove = (file: string): string => `moved to ${file}`;

export function sentEntries(
  { names, written }: Pick<Ground, "names" | "written">,
  entries: readonly JournalEntry[],
): object[] {
  return entries.map((entry) => {
    const stored = names.storedEntry(written.completed(entry));
    const { time, agent, file, toFile } = stored;
    const moved = toFile === undefined ? [] : [nameOfMove(toFile)];
    const ids = [...idsIn(entry), ...moved].map(columnOf);
    return { time, agent: columnOf(agent), file: columnOf(file), ids, entry: JSON.stringify(stored) };
  });
}
