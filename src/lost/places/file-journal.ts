/** Every look into the journal that this folder takes, and the entries of each file. */
import type { Env } from "../../ledger/index.js";
import { idsIn, isAskedFor, type JournalEntry, type JournalQuery } from "../../ports/index.js";

/** Entries of one file from its first live edit on, under all names that the file had. */
export interface FileJournal {
  readonly key: string;
  readonly path: string;
  /** Commits and undos, oldest first. */
  readonly entries: readonly JournalEntry[];
}

/** Oldest first; all of the journal, or from a time on, or of some files. */
export function readJournal(
  { store }: Env,
  since?: number,
  files?: readonly string[],
): Promise<readonly JournalEntry[]> {
  return store.journal({ ...(since === undefined ? {} : { since }), ...(files ? { files } : {}) });
}

/** All that the journal says of these edits or batches: their undos and restores, and what was done to those. */
export async function readAbout({ store }: Env, ids: readonly string[]): Promise<readonly JournalEntry[]> {
  for (let asked = new Set(ids); ; ) {
    const entries = await store.journal({ ids: [...asked] });
    const named = new Set([...asked, ...entries.flatMap(idsIn)]);
    if (named.size === asked.size) return entries;
    asked = named;
  }
}

/** How many of the newest entries that are asked for are read at first, and then, if they do not tell. */
const tails = [4, 64, 1024];

/** The commits that are asked for and count, newest first: more and more of them, up to all. */
export async function* liveCommits(
  query: Pick<JournalQuery, "files" | "agent">,
  env: Env,
): AsyncGenerator<readonly JournalEntry[]> {
  const left = (entries: readonly JournalEntry[], about: readonly JournalEntry[]) => {
    const undone = undoneIds(about);
    return entries
      .filter(({ kind, id, initial }) => kind === "commit" && !initial && !undone.has(id))
      .reverse();
  };
  for (const last of tails) {
    const entries = await env.store.journal({ ...query, last });
    const about = await readAbout(
      env,
      entries.map(({ id }) => id),
    );
    yield left(entries, about);
    if (entries.length < last) return;
  }
  const all = await readJournal(env);
  yield left(
    all.filter((entry) => isAskedFor(entry, query)),
    all,
  );
}

/** Ids of the commits that an undo took back. */
export function undoes({ kind, cause = "" }: JournalEntry): readonly string[] {
  return kind === "undo" ? cause.split(" ") : [];
}

/**
 * Commits that do not count now: they were undone, and not brought back since. A restore counts no more once all edits that
 * it brought back are undone, also when another one brings those back: nothing of the first is left to be taken back.
 */
export function undoneIds(entries: readonly JournalEntry[]): Set<string> {
  const undone = new Set<string>();
  /** The edits that each restore found undone: they are so again once it is taken back. */
  const remade = new Map<string, readonly string[]>();
  const restores = new Map<string, readonly string[]>();
  for (const entry of entries) {
    const { id, kind, edits } = entry;
    for (const one of undoes(entry)) for (const made of [one, ...(remade.get(one) ?? [])]) undone.add(made);
    if (kind === "undo")
      for (const [one, brought] of restores)
        if (brought.every((edit) => undone.has(edit)) && restores.delete(one)) undone.add(one);
    if (kind !== "commit" || !edits) continue;
    remade.set(
      id,
      edits.filter((edit) => undone.delete(edit)),
    );
    restores.set(id, edits);
  }
  return undone;
}

/** Edits that still count: not undone, not made in another work tree instead, and not restores of what counts already. */
export function liveEdits(entries: readonly JournalEntry[], since: number): Set<string> {
  const undone = undoneIds(entries);
  for (const { id, instead } of entries)
    if (!undone.has(id)) for (const one of instead ?? []) undone.add(one);
  return new Set(
    entries
      .filter(({ kind, edits, time }) => kind === "commit" && edits === undefined && time >= since)
      .filter((entry) => !isNobodys(entry))
      .map(({ id }) => id)
      .filter((id) => !undone.has(id)),
  );
}

/**
 * A new layout is nobody's work, nor is git's text. A file that was found gone is made again by many a build, or by git
 * on another branch: only a tool's call says that somebody meant it to go.
 */
export function isNobodys({ tool, after, reformat = false, clean = false }: JournalEntry): boolean {
  return reformat || clean || ((tool === "shell" || tool === "disk") && after === null);
}

/** Whether a step removed lines that count as lost. */
export function hasSweep({ entries }: FileJournal): boolean {
  return entries.some(({ swept }) => swept !== undefined);
}

/** Whether nobody changed the file between two of its entries. */
export function isSteady({ entries }: FileJournal): boolean {
  return entries.every(({ before }, at) => at === 0 || before === (entries[at - 1]?.after ?? null));
}

interface Growing {
  key: string;
  path: string;
  entries: JournalEntry[];
}

/** The key of the file behind a path; null if it cannot be told. */
export function keyFinder({ files }: Env): (path: string) => Promise<string | null> {
  return (path) =>
    files.identify(path).then(
      ({ key }) => key,
      () => null,
    );
}

/** Sorts entries by file. `keyOf` finds the file behind a path; null if it cannot be read. */
export async function fileJournals(
  entries: readonly JournalEntry[],
  live: ReadonlySet<string>,
  keyOf: (path: string) => Promise<string | null>,
): Promise<FileJournal[]> {
  const journals = new Map<string, Growing>();
  const moves = new Map(entries.filter(({ to }) => to !== undefined).map((entry) => [entry.id, entry]));
  const carry = (journal: Growing | undefined, key: string, path: string): void => {
    if (!journal) return;
    journals.delete(journal.key);
    // The file that had this name is gone, and its work may be lost.
    const entries = [...(journals.get(key)?.entries ?? []), ...journal.entries];
    journals.set(key, Object.assign(journal, { key, path, entries }));
  };
  for (const entry of entries) {
    if (entry.kind !== "commit" && entry.kind !== "undo") continue;
    if (entry.after !== null) {
      const back = undoes(entry)
        .map((id) => moves.get(id))
        .find((move) => move?.file === entry.file);
      const there = back?.to === undefined ? null : await keyOf(back.to);
      if (there !== null) carry(journals.get(there), entry.file, entry.path);
      // A move that was undone is made again.
      for (const move of (entry.edits ?? []).map((id) => moves.get(id)))
        if (move?.to !== undefined && (await keyOf(move.to)) === entry.file)
          carry(journals.get(move.file), entry.file, entry.path);
    }
    const { file: key, path } = entry;
    const journal = journals.get(key) ?? { key, path, entries: [] };
    journals.set(key, journal);
    if (journal.entries.length > 0 || live.has(entry.id)) journal.entries.push(entry);
    if (entry.to === undefined) continue;
    const to = await keyOf(entry.to);
    if (to === null) journals.delete(entry.file);
    else carry(journal, to, entry.to);
  }
  return [...journals.values()].filter((journal) => journal.entries.length > 0);
}
