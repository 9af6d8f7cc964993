import { type Caller, epochOf, type Recorder } from "../ledger/index.js";
import type { Json, LedgerStore, NamedRecord } from "../ports/index.js";
import { type Hunk, shortHash } from "../text/index.js";

/** The lines (0-based) of a version that a handle takes ambiguous anchors for, by `anchorKey`. */
export interface Meant {
  readonly version: string;
  readonly lines: Readonly<Record<string, number>>;
}

/** A refused request that can be sent again by its handle: once, and on the version its refusal showed. */
export interface Retry {
  readonly handle: string;
  readonly epoch: number;
  readonly request: string;
  /** The request as it came, for judging it anew if a file has changed again. */
  readonly entries: readonly {
    readonly path: string;
    readonly edits: Json;
    /** Key of the file: a relative path leads elsewhere from another folder. */
    readonly key?: string;
  }[];
  readonly files: readonly {
    readonly key: string;
    readonly version: string;
    readonly splices: readonly {
      readonly start: number;
      readonly end: number;
      readonly lines: readonly string[];
      readonly anchor?: number;
    }[];
    readonly meant?: Meant;
  }[];
  readonly single: boolean;
}

const keptRetries = 32;

/** Each handle has a record of its own: calls of one agent on different files go on at once. */
function retryKey(agent: string, handle: string): string {
  return `retry ${handle} of ${agent}`;
}

/** The names of the handles that are good, oldest first. Two calls that write it at once forget a handle later. */
function handlesKey(agent: string): string {
  return `retries of ${agent}`;
}

function valueIn<T>(record: NamedRecord | null): T | null {
  return (record?.value ?? null) as T | null;
}

/** Has a handle written with the rest of the call; the oldest beyond a bound is good no more. */
export async function keepRetry({ store, agent }: Caller<Recorder>, retry: Retry): Promise<void> {
  const { handle } = retry;
  const before = valueIn<readonly string[]>(await store.record(handlesKey(agent))) ?? [];
  const handles = [...before.filter((one) => one !== handle), handle];
  for (const old of handles.splice(0, Math.max(0, handles.length - keptRetries)))
    store.setRecord(retryKey(agent, old), null);
  store.setRecord(handlesKey(agent), handles);
  store.setRecord(retryKey(agent, handle), retry as unknown as Json);
}

/** Returns where the files of a handle are; null if it is not on record. Does not use it up. */
export async function filesOfRetry(caller: Caller, handle: string): Promise<readonly string[] | null> {
  const found = valueIn<Retry>(await caller.store.record(retryKey(caller.agent, handle)));
  return found?.entries.map(({ key, path }) => key ?? path) ?? null;
}

/** Takes a handle out of the record, unless it is only looked at: it is good for one use, and not after a fold. */
export async function takeRetry(
  caller: Caller<LedgerStore>,
  handle: string,
  onlyLook = false,
): Promise<Retry | null> {
  const { store, agent } = caller;
  const key = retryKey(agent, handle);
  const record = await store.record(key);
  const found = valueIn<Retry>(record);
  if (!found || !record) return null;
  if (!onlyLook && !(await store.putRecord(key, null, record.mark))) return null;
  return found.epoch === (await epochOf(caller)) ? found : null;
}

/** Short, and the same only for the same request on the same versions. */
export function handleFor(request: string, versions: readonly string[]): string {
  return `r${shortHash(`${request}\n${versions.join()}`)}`;
}

export function plainSplices(splices: readonly Hunk[]): Retry["files"][number]["splices"] {
  return splices.map(({ start, end, lines, anchor }) => ({
    start,
    end,
    lines: lines.map((line) => (typeof line === "string" ? line : line.text)),
    ...(anchor === undefined ? {} : { anchor }),
  }));
}
