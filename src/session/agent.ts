import type { Splice } from "../core/index.js";
import type { Files, Json, LedgerStore } from "./ports.js";

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
      readonly anchor?: number;
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

interface Holder {
  readonly files: Files;
  readonly store: LedgerStore;
  readonly agent: string;
}

export async function agentRecord(store: LedgerStore, agent: string): Promise<AgentRecord> {
  const record = (await store.agent(agent)) as Partial<AgentRecord> | null;
  return { epoch: record?.epoch ?? 0, retries: record?.retries ?? [] };
}

/** Agents' records are changed under a lock of their own, taken after those of files, if any. */
async function change(env: Holder, update: (record: AgentRecord) => AgentRecord): Promise<void> {
  const lock = { key: `agent ${env.agent}`, path: env.agent, keep: false };
  await env.files.hold([lock], async () => {
    const record = await agentRecord(env.store, env.agent);
    await env.store.saveAgent(env.agent, update(record) as unknown as Json);
  });
}

/** Nothing counts as shown any more, and no handle is good. */
export function beginEpoch(env: Holder): Promise<void> {
  return change(env, ({ epoch }) => ({ epoch: epoch + 1, retries: [] }));
}

export function keepRetry(env: Holder, retry: Retry): Promise<void> {
  return change(env, (record) => {
    const others = record.retries.filter(({ handle }) => handle !== retry.handle);
    return { ...record, retries: [...others, retry].slice(-keptRetries) };
  });
}

/** Takes a handle out of the record: it is good for one use. */
export async function takeRetry(env: Holder, handle: string): Promise<Retry | null> {
  let found: Retry | null = null;
  await change(env, (record) => {
    found = record.retries.find((retry) => retry.handle === handle) ?? null;
    return { ...record, retries: record.retries.filter((retry) => retry !== found) };
  });
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
  return splices.map(({ start, end, lines, anchor }) => ({
    start,
    end,
    lines: lines.map((line) => (typeof line === "string" ? line : line.text)),
    ...(anchor === undefined ? {} : { anchor }),
  }));
}
