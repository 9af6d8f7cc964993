import { type Caller, epochOf } from "../ledger/index.js";
import type { Json, LedgerStore } from "../ports/index.js";
import { type Splice, shortHash } from "../text/index.js";

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

/**
 * Handles have a record of their own: should two processes of one agent write it at once, a handle is lost, which costs
 * sending the edits again, and nothing else.
 */
function retriesKey(agent: string): string {
  return `retries of ${agent}`;
}

async function retriesOf({ store, agent }: Caller): Promise<readonly Retry[]> {
  const record = (await store.file(retriesKey(agent))) as { readonly retries?: readonly Retry[] } | null;
  return record?.retries ?? [];
}

async function saveRetries({ store, agent }: Caller, retries: readonly Retry[]): Promise<void> {
  await store.saveFile(retriesKey(agent), { retries } as unknown as Json);
}

/** The last change of such a record in this process: calls on different files go on at once, and share the record. */
const changes = new WeakMap<LedgerStore, Promise<unknown>>();

function inTurn<T>(store: LedgerStore, change: () => Promise<T>): Promise<T> {
  const done = (changes.get(store) ?? Promise.resolve()).then(change);
  changes.set(
    store,
    done.catch(() => {}),
  );
  return done;
}

export function keepRetry(caller: Caller, retry: Retry): Promise<void> {
  return inTurn(caller.store, async () => {
    const others = (await retriesOf(caller)).filter(({ handle }) => handle !== retry.handle);
    await saveRetries(caller, [...others, retry].slice(-keptRetries));
  });
}

/** Returns where the files of a handle are; null if it is not on record. Does not use it up. */
export async function filesOfRetry(caller: Caller, handle: string): Promise<readonly string[] | null> {
  const found = (await retriesOf(caller)).find((retry) => retry.handle === handle);
  return found?.entries.map(({ key, path }) => key ?? path) ?? null;
}

/** Takes a handle out of the record, unless it is only looked at: it is good for one use, and not after a fold. */
export function takeRetry(caller: Caller, handle: string, onlyLook = false): Promise<Retry | null> {
  return inTurn(caller.store, async () => {
    const retries = await retriesOf(caller);
    const found = retries.find((retry) => retry.handle === handle) ?? null;
    if (!found) return null;
    const others = retries.filter((retry) => retry !== found);
    if (!onlyLook) await saveRetries(caller, others);
    return found.epoch === (await epochOf(caller)) ? found : null;
  });
}

/** Short, and the same only for the same request on the same versions. */
export function handleFor(request: string, versions: readonly string[]): string {
  return `r${shortHash(`${request}\n${versions.join()}`)}`;
}

export function plainSplices(splices: readonly Splice[]): Retry["files"][number]["splices"] {
  return splices.map(({ start, end, lines, anchor }) => ({
    start,
    end,
    lines: lines.map((line) => (typeof line === "string" ? line : line.text)),
    ...(anchor === undefined ? {} : { anchor }),
  }));
}
