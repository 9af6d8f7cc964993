import type { LedgerStore } from "./ports.js";
import { type FileLedger, fromJson, toJson } from "./record.js";

/** A ledger as it was saved last, and what told it from others then. */
interface Saved {
  readonly stamp: string;
  readonly ledger: FileLedger;
}

/** By the key of the file. To read a long record back takes longer than everything else that an edit does. */
const saved = new WeakMap<LedgerStore, Map<string, Saved>>();
const most = 16;

/** What is recorded of a file that is held. */
export async function loadLedger(store: LedgerStore, key: string): Promise<FileLedger> {
  const last = saved.get(store)?.get(key);
  if (last && last.stamp === (await stampOf(store, key))) return last.ledger;
  return fromJson(await store.file(key));
}

export async function saveLedger(store: LedgerStore, key: string, ledger: FileLedger): Promise<void> {
  const all = saved.get(store) ?? new Map<string, Saved>();
  all.delete(key);
  await store.saveFile(key, toJson(ledger));
  const stamp = await stampOf(store, key);
  if (!stamp) return;
  if (all.size >= most) all.clear();
  saved.set(store, all.set(key, { stamp, ledger }));
}

/** What cannot be told is read again; the record itself is saved all the same. */
async function stampOf(store: LedgerStore, key: string): Promise<string> {
  try {
    return (await store.stamp?.(key)) ?? "";
  } catch {
    return "";
  }
}
