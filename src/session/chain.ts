import type { JournalEntry } from "./ports.js";

/** What the journal says of one file, from its first live edit on, under whatever names it had. */
export interface Chain {
  readonly key: string;
  readonly path: string;
  /** Commits and undos, oldest first. */
  readonly entries: readonly JournalEntry[];
}

/** Edits that were taken back. */
export function undoneIds(entries: readonly JournalEntry[]): Set<string> {
  return new Set(
    entries.filter(({ kind }) => kind === "undo").flatMap(({ cause }) => (cause ?? "").split(" ")),
  );
}

/** Edits that still count: not undone, and not restores, which only bring back what counts already. */
export function liveEdits(entries: readonly JournalEntry[], since: number): Set<string> {
  const undone = undoneIds(entries);
  return new Set(
    entries
      .filter(({ kind, edits, time }) => kind === "commit" && edits === undefined && time >= since)
      .map(({ id }) => id)
      .filter((id) => !undone.has(id)),
  );
}

interface Growing {
  key: string;
  path: string;
  entries: JournalEntry[];
}

/** `keyOf` is the file behind a path; null if it cannot be looked at. */
export async function chainsOf(
  entries: readonly JournalEntry[],
  live: ReadonlySet<string>,
  keyOf: (path: string) => Promise<string | null>,
): Promise<Chain[]> {
  const chains = new Map<string, Growing>();
  const moves = new Map(entries.filter(({ to }) => to !== undefined).map((entry) => [entry.id, entry]));
  const carry = (chain: Growing | undefined, key: string, path: string): void => {
    if (!chain) return;
    chains.delete(chain.key);
    chains.set(key, Object.assign(chain, { key, path }));
  };
  for (const entry of entries) {
    if (entry.kind !== "commit" && entry.kind !== "undo") continue;
    const taken = entry.kind === "undo" ? (entry.cause ?? "").split(" ") : [];
    const back = taken.map((id) => moves.get(id)).find((move) => move?.file === entry.file);
    if (back?.to !== undefined && entry.after !== null) {
      const there = await keyOf(back.to);
      carry(there === null ? undefined : chains.get(there), entry.file, entry.path);
    }
    const { file: key, path } = entry;
    const chain = chains.get(key) ?? { key, path, entries: [] };
    chains.set(key, chain);
    if (chain.entries.length > 0 || live.has(entry.id)) chain.entries.push(entry);
    if (entry.to === undefined) continue;
    const to = await keyOf(entry.to);
    if (to === null) chains.delete(entry.file);
    else carry(chain, to, entry.to);
  }
  return [...chains.values()].filter((chain) => chain.entries.length > 0);
}
