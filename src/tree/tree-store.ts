import {
  type JournalEntry,
  type Json,
  type LedgerStore,
  type NamedRecord,
  type NewVersion,
  onlooker,
} from "../ports/index.js";
import { entriesByFile, movesTo, trailOf } from "./looks/former-names.js";

/** The part of a store that the tree needs. */
export type TreeStore = LedgerStore;

const recordName = (root: string): string => `tree of ${root}`;

/** Loads what the last look at this work tree left. */
export function loadTree(store: TreeStore, root: string): Promise<NamedRecord | null> {
  return store.record(recordName(root));
}

/** Saves it as a whole. */
export async function saveTree(store: TreeStore, root: string, value: Json): Promise<void> {
  await store.putRecord(recordName(root), value);
}

/** Writes texts down, all at once. */
export async function keepTexts(store: TreeStore, versions: readonly NewVersion[]): Promise<void> {
  if (versions.length === 0) return;
  await store.unit([], onlooker, (unit) => unit.finish({ files: [], versions, entries: [], records: [] }));
}

/** The entries that change a file, under all the names that it had, oldest first. */
export async function changesOf(store: TreeStore, file: string): Promise<readonly JournalEntry[]> {
  const moves = await movesTo([file], store);
  const files = [file, ...[...moves.values()].map((move) => move.file)];
  const { journal } = trailOf(file, entriesByFile(await store.journal({ files })), moves);
  return journal.filter(({ kind }) => kind === "commit" || kind === "undo");
}
