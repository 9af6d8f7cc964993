/** Remembers which files have live edits, and how the journal left each of them: a look costs what is new in the journal. */
import type { CallEnv, Env } from "../../ledger/index.js";
import type { JournalEntry, Json } from "../../ports/index.js";
import {
  type FileJournal,
  fileJournals,
  hasSweep,
  isNobodys,
  isSteady,
  keyFinder,
  liveEdits,
  readJournal,
  undoes,
} from "./file-journal.js";

/** A file with live edits, as a look needs it that finds the file untouched. */
interface LiveFile {
  readonly key: string;
  /** The version that the last entry left. */
  readonly last: string | null;
  readonly count: number;
  readonly isSwept: boolean;
  readonly isSteady: boolean;
  /** When the newest live edit was made. */
  readonly newest: number;
}

/** Files that moves, undos or restores connect: what becomes of one of them is told by the entries of all. */
interface Group {
  readonly keys: readonly string[];
  readonly files: readonly LiveFile[];
}

interface Remembered {
  readonly format: number;
  /** The end of the journal that it was made of. */
  readonly mark: string;
  readonly groups: readonly Group[];
}

/** Another one whenever the shape or the meaning of the record changes: an older record is made again. */
const format = 2;
const day = 86_400_000;
/** Two looks at the clock. */
const moment = 60_000;

/** A live file, and the keys of the files whose entries tell of it. */
export type Living = LiveFile & { readonly keys: readonly string[] };

/** Files with live edits that were made since then. */
export async function liveFiles(since: number, env: CallEnv): Promise<Living[]> {
  // The age is rounded up, so that one record serves a window that moves: what is older is left out below.
  const days = Math.max(1, Math.ceil((env.clock() - since - moment) / day));
  const from = Math.min(since, env.clock() - days * day);
  const name = `live edits of ${days} days`;
  const known = rememberedIn((await env.store.record(name))?.value ?? null);
  const news = await env.store.journalSince(known?.mark ?? null);
  const groups = known
    ? await continued(known.groups, news.entries, from, env)
    : await grouped(await readJournal(env, from), from, env);
  if (known?.mark !== news.mark) {
    const value: Remembered = { format, mark: news.mark, groups: groups.filter(isOf(from)) };
    // Made again by the next look.
    await env.store.putRecord(name, value as unknown as Json).catch(() => false);
  }
  return groups.flatMap(({ keys, files }) =>
    files.filter(({ newest }) => newest >= since).map((file) => ({ ...file, keys })),
  );
}

function isOf(from: number) {
  return ({ files }: Group): boolean => files.some(({ newest }) => newest >= from);
}

function rememberedIn(value: Json): Remembered | null {
  const found = value as unknown as Partial<Remembered> | null;
  return found?.format === format ? (found as Remembered) : null;
}

function isChange({ kind }: JournalEntry): boolean {
  return kind === "commit" || kind === "undo";
}

/** A commit that says something of its own file alone, and takes nothing back. */
function isPlain({ kind, to, edits, instead }: JournalEntry): boolean {
  return kind === "commit" && to === undefined && edits === undefined && instead === undefined;
}

/** Ids of the edits that the entry takes back, brings back, or makes in another work tree. */
function namedBy(entry: JournalEntry): readonly string[] {
  return [...undoes(entry), ...(entry.edits ?? []), ...(entry.instead ?? [])];
}

async function continued(
  before: readonly Group[],
  news: readonly JournalEntry[],
  from: number,
  env: Env,
): Promise<readonly Group[]> {
  const changes = news.filter((entry) => isChange(entry) && entry.time >= from);
  if (changes.length === 0) return before;
  const groups = new Map(before.flatMap((group) => group.keys.map((key) => [key, group])));
  const again = await keysTogether(
    changes.filter((entry) => !isPlain(entry)),
    groups,
    from,
    env,
  );
  for (const entry of changes) {
    const { file: key } = entry;
    if (again.has(key)) continue;
    const group = groups.get(key) ?? { keys: [key], files: [] };
    const files = withEntry(group.files, entry);
    const next = { ...group, files };
    for (const one of group.keys) groups.set(one, next);
  }
  for (const key of again) groups.delete(key);
  const left = [...new Set(groups.values())].filter(({ files }) => files.length > 0);
  if (again.size === 0) return left;
  const entries = await env.store.journal({ files: [...again], since: from });
  return [...left, ...(await grouped(entries, from, env))];
}

function withEntry(files: readonly LiveFile[], entry: JournalEntry): readonly LiveFile[] {
  const { file: key, before, after, time, swept } = entry;
  const known = files.find((file) => file.key === key);
  const isLive = !isNobodys(entry);
  if (!known && !isLive) return files;
  const next: LiveFile = {
    ...{ key, last: after, count: (known?.count ?? 0) + 1 },
    isSwept: (known?.isSwept ?? false) || swept !== undefined,
    isSteady: !known || (known.isSteady && known.last === before),
    newest: isLive ? Math.max(time, known?.newest ?? 0) : (known?.newest ?? 0),
  };
  return [...files.filter((file) => file !== known), next];
}

/** All files that these entries, and those that they name, connect with each other. */
async function keysTogether(
  entries: readonly JournalEntry[],
  groups: ReadonlyMap<string, Group>,
  from: number,
  env: Env,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const keyOf = keyFinder(env);
  for (let more = entries; more.length > 0; ) {
    const added = new Set<string>();
    for (const { file, to } of more) {
      const target = to === undefined ? null : await keyOf(to);
      for (const key of [file, ...(target === null ? [] : [target])])
        for (const one of groups.get(key)?.keys ?? [key]) if (!found.has(one)) added.add(one);
    }
    for (const key of added) found.add(key);
    const ids = new Set(more.flatMap(namedBy));
    const named = ids.size > 0 ? await env.store.journal({ ids: [...ids], since: from }) : [];
    more = named.filter((entry) => isChange(entry) && !found.has(entry.file));
  }
  return found;
}

/** Sorts what the entries leave by the files that they connect. */
async function grouped(entries: readonly JournalEntry[], from: number, env: Env): Promise<Group[]> {
  const keyOf = keyFinder(env);
  const live = liveEdits(entries, from);
  const journals = await fileJournals(entries, live, keyOf);
  const parts = new Parts();
  const byId = new Map(entries.map((entry) => [entry.id, entry.file]));
  for (const entry of entries) {
    if (!isChange(entry) || isPlain(entry)) continue;
    const target = entry.to === undefined ? null : await keyOf(entry.to);
    if (target !== null) parts.join(entry.file, target);
    for (const id of namedBy(entry)) parts.join(entry.file, byId.get(id) ?? entry.file);
  }
  const groups = new Map<string, { keys: readonly string[]; files: LiveFile[] }>();
  for (const journal of journals) {
    const keys = parts.of(journal.key);
    const group = groups.get(keys[0] as string) ?? { keys, files: [] };
    groups.set(keys[0] as string, group);
    const file = liveFile(journal, live);
    if (file) group.files.push(file);
  }
  return [...groups.values()].filter(({ files }) => files.length > 0);
}

function liveFile(journal: FileJournal, live: ReadonlySet<string>): LiveFile | null {
  const { key, entries } = journal;
  const times = entries.filter(({ id }) => live.has(id)).map(({ time }) => time);
  if (times.length === 0) return null;
  return {
    ...{ key, last: entries.at(-1)?.after ?? null, count: entries.length },
    ...{ isSwept: hasSweep(journal), isSteady: isSteady(journal) },
    newest: times.reduce((one, other) => Math.max(one, other)),
  };
}

/** Keys that belong together. */
class Parts {
  private readonly parts = new Map<string, string[]>();

  of(key: string): readonly string[] {
    return this.parts.get(key) ?? [key];
  }

  join(one: string, other: string): void {
    const [own, theirs] = [this.of(one), this.of(other)];
    if (own === theirs || one === other) return;
    const all = [...own, ...theirs];
    for (const key of all) this.parts.set(key, all);
  }
}
