import { agentRecord, type LedgerStore, type NamedRecord, type StoreReader } from "../ports/index.js";
import { isSeen } from "./file-ledger.js";

/** The ports that looking at an agent's records takes. */
export interface Caller<Store extends StoreReader = StoreReader> {
  readonly store: Store;
  readonly agent: string;
}

function epochIn(record: NamedRecord | null): number {
  return (record?.value as { readonly epoch?: number } | null | undefined)?.epoch ?? 0;
}

/** A fold begins a new epoch: ledgers of older ones count as empty. */
export async function epochOf({ store, agent }: Caller): Promise<number> {
  return epochIn(await store.record(agentRecord(agent)));
}

/** To whom files were shown, or by whom they were written, and how many of them still count. */
export async function audience(store: LedgerStore): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const epochs = new Map<string, number>();
  for (const { agent, ledger } of await store.ledgers()) {
    const epoch = epochs.get(agent) ?? (await epochOf({ store, agent }));
    epochs.set(agent, epoch);
    counts.set(agent, (counts.get(agent) ?? 0) + (isSeen(ledger, epoch) ? 1 : 0));
  }
  return counts;
}

/** Nothing counts as shown any more, and no handle is good. Two folds at once are one. */
export async function beginEpoch({ store, agent }: Caller<LedgerStore>): Promise<void> {
  const name = agentRecord(agent);
  const before = await store.record(name);
  await store.putRecord(name, { epoch: epochIn(before) + 1 }, before?.mark ?? null);
}
