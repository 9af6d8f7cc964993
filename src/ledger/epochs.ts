import type { LedgerStore } from "../ports/index.js";
import { hasSeen } from "./agent-ledger.js";
import { fromJson } from "./file-ledger.js";

/** What a call needs for looking at an agent's records. */
export interface Caller {
  readonly store: LedgerStore;
  readonly agent: string;
}

/** A fold begins a new epoch: ledgers of older ones count as empty. */
export async function epochOf({ store, agent }: Caller): Promise<number> {
  const record = (await store.agent(agent)) as { readonly epoch?: number } | null;
  return record?.epoch ?? 0;
}

/** To whom files were shown, or by whom they were written, and how many of them still count. */
export async function audience(store: LedgerStore): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const key of await store.files())
    for (const [agent, ledger] of fromJson(await store.file(key)).agents.all()) {
      const isCounted = hasSeen(ledger) && ledger.epoch === (await epochOf({ store, agent }));
      counts.set(agent, (counts.get(agent) ?? 0) + (isCounted ? 1 : 0));
    }
  return counts;
}

/** Nothing counts as shown any more, and no handle is good. Only a fold writes this record, so no lock is needed. */
export async function beginEpoch(caller: Caller): Promise<void> {
  const epoch = await epochOf(caller);
  await caller.store.saveAgent(caller.agent, { epoch: epoch + 1 });
}
