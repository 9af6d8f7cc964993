/** Keeps two records of an agent itself: the epoch that its ledgers count in, and its name. */
import {
  agentRecord,
  type LedgerStore,
  type NamedRecord,
  PortError,
  type StoreReader,
} from "../ports/index.js";
import { withoutSecrets } from "../text/index.js";
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

/** A name tells a person on this machine which agent is which; no text for a model has it. */
const longestName = 24;

const recordName = (agent: string): string => `name of ${agent}`;

/** Keeps letters, digits and blanks, and ends with a whole word if the first is not too long. */
function agentNameFrom(text: string): string {
  const plain = withoutSecrets(text.slice(0, 1000))
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  if (plain.length <= longestName) return plain;
  const cut = plain.slice(0, longestName + 1);
  const end = cut.lastIndexOf(" ");
  return (end > 0 ? cut.slice(0, end) : cut.slice(0, longestName)).trim();
}

/** The name of an agent; null if it has none. */
export async function nameOfAgent(agent: string, store: StoreReader): Promise<string | null> {
  const value = (await store.record(recordName(agent)))?.value;
  return typeof value === "string" ? value : null;
}

/** Names an agent by the first prompt that it is given, unless it has a name. */
export async function nameByPrompt(agent: string, prompt: string, store: LedgerStore): Promise<void> {
  const name = agentNameFrom(prompt);
  if (name !== "") await store.putRecord(recordName(agent), name, null);
}

/** Gives an agent another name. */
export async function renameAgent(agent: string, name: string, store: LedgerStore): Promise<string> {
  const plain = agentNameFrom(name);
  if (plain === "") throw new PortError("bad_request", "a name has letters or digits");
  await store.putRecord(recordName(agent), plain);
  return plain;
}
