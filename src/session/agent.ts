import type { Splice } from "../core/index.js";
import type { Json, LedgerStore } from "./ports.js";

/** A refused request that can be sent again by its handle: once, and on the version its refusal showed. */
export interface Retry {
  readonly handle: string;
  readonly request: string;
  /** The request as it came, for judging it anew if a file has changed again. */
  readonly entries: readonly { readonly path: string; readonly edits: Json }[];
  readonly files: readonly {
    readonly key: string;
    readonly version: string;
    readonly splices: readonly {
      readonly start: number;
      readonly end: number;
      readonly lines: readonly string[];
    }[];
  }[];
  readonly single: boolean;
}

/** What is recorded of an agent across files. A fold begins a new epoch: ledgers of older ones count as empty. */
export interface AgentRecord {
  readonly epoch: number;
  readonly retries: readonly Retry[];
}

const keptRetries = 32;

export async function agentRecord(store: LedgerStore, agent: string): Promise<AgentRecord> {
  const record = (await store.agent(agent)) as Partial<AgentRecord> | null;
  return { epoch: record?.epoch ?? 0, retries: record?.retries ?? [] };
}

export async function saveAgentRecord(store: LedgerStore, agent: string, record: AgentRecord): Promise<void> {
  await store.saveAgent(agent, record as unknown as Json);
}

export async function keepRetry(store: LedgerStore, agent: string, retry: Retry): Promise<void> {
  const record = await agentRecord(store, agent);
  const retries = [...record.retries.filter(({ handle }) => handle !== retry.handle), retry].slice(
    -keptRetries,
  );
  await saveAgentRecord(store, agent, { ...record, retries });
}

/** Takes a handle out of the record: it is good for one use. */
export async function takeRetry(store: LedgerStore, agent: string, handle: string): Promise<Retry | null> {
  const record = await agentRecord(store, agent);
  const found = record.retries.find((retry) => retry.handle === handle) ?? null;
  if (found) {
    const retries = record.retries.filter((retry) => retry !== found);
    await saveAgentRecord(store, agent, { ...record, retries });
  }
  return found;
}

/** Short, and the same only for the same request on the same versions. */
export function handleFor(request: string, versions: readonly string[]): string {
  let hash = 0x811c9dc5;
  for (const character of `${request}\n${versions.join()}`)
    hash = Math.imul(hash ^ (character.codePointAt(0) as number), 0x01000193) >>> 0;
  return `r${(hash % 36 ** 5).toString(36)}`;
}

export function plainSplices(splices: readonly Splice[]): Retry["files"][number]["splices"] {
  return splices.map(({ start, end, lines }) => ({
    start,
    end,
    lines: lines.map((line) => (typeof line === "string" ? line : line.text)),
  }));
}
