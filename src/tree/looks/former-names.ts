/** Finds the entries of a file under all the names that it had. */
import type { JournalEntry, StoreReader } from "../../ports/index.js";

type JournalOf = Pick<StoreReader, "journal">;

/** The last move to each of these files, and to those that they came from, by the key that it led to. */
export async function movesTo(
  keys: readonly string[],
  store: JournalOf,
): Promise<ReadonlyMap<string, JournalEntry>> {
  const found = new Map<string, JournalEntry>();
  for (let asked = keys; asked.length > 0; ) {
    const moves = (await store.journal({ movedTo: asked })).filter(({ kind }) => kind === "commit");
    for (const move of moves) found.set(move.toFile as string, move);
    asked = moves.map(({ file }) => file).filter((file) => !found.has(file));
  }
  return found;
}

export interface Trail {
  /** Entries of a file, those under its former names first. */
  readonly journal: JournalEntry[];
  /** Its former keys, the last one first. */
  readonly former: string[];
}

/** Follows a file back. `byFile` has the entries of its former keys as well. */
export function trailOf(
  key: string,
  byFile: ReadonlyMap<string, readonly JournalEntry[]>,
  moves: ReadonlyMap<string, JournalEntry>,
): Trail {
  const own = byFile.get(key) ?? [];
  const seen = new Set([key]);
  const before: JournalEntry[] = [];
  let time = Number.POSITIVE_INFINITY;
  for (let at = moves.get(key); at && !seen.has(at.file) && at.time <= time; at = moves.get(at.file)) {
    const move: JournalEntry = at;
    seen.add(move.file);
    time = move.time;
    before.unshift(...(byFile.get(move.file) ?? []).filter(({ time: then }) => then <= move.time));
  }
  const first = before.at(-1)?.time ?? Number.NEGATIVE_INFINITY;
  return { journal: [...before, ...own.filter((entry) => entry.time >= first)], former: [...seen].slice(1) };
}

export function entriesByFile(entries: readonly JournalEntry[]): Map<string, JournalEntry[]> {
  const byFile = new Map<string, JournalEntry[]>();
  for (const entry of entries) {
    const own = byFile.get(entry.file);
    if (own) own.push(entry);
    else byFile.set(entry.file, [entry]);
  }
  return byFile;
}

/** Whether the entry left no file with this key: it went elsewhere. */
export function hasLeft({ file, toFile }: JournalEntry, key: string): boolean {
  return toFile !== undefined && file === key && toFile !== key;
}
