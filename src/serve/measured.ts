/** The ports of a server, with a clock at their locks. */
import {
  type Cancellation,
  type FileId,
  type Files,
  type Held,
  type Intent,
  type JournalEntry,
  type JournalQuery,
  type Json,
  type LedgerStore,
  PortError,
  type SearchQuery,
  type Unit,
} from "../ports/index.js";

/** A folder or an address of the server itself, and what callers are told in its place. */
export interface OwnName {
  readonly text: string;
  readonly told: string;
}

export interface Watch {
  /** Told how long a call waited for locks, in seconds. */
  readonly waited: (place: "host" | "store", seconds: number) => void;
  readonly own: readonly OwnName[];
  /** Takes a line for the person who runs the server. */
  readonly report: (line: string) => void;
}

/** Callers hear the cause of a failure; where the server keeps its record is for its log alone. */
async function discreet<T>({ own, report }: Watch, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof PortError) || !own.some(({ text }) => error.message.includes(text))) throw error;
    // Busy is nobody's fault, and every call would say so.
    if (error.code !== "busy") report(error.message);
    const message = own.reduce((rest, { text, told }) => rest.replaceAll(text, told), error.message);
    throw new PortError(error.code, message);
  }
}

async function timed<T, R>(
  watch: Watch,
  place: "host" | "store",
  take: (body: (held: T) => Promise<R>) => Promise<R>,
  body: (held: T) => Promise<R>,
): Promise<R> {
  const began = performance.now();
  return discreet(watch, () =>
    take((held) => {
      watch.waited(place, (performance.now() - began) / 1000);
      return body(held);
    }),
  );
}

export function measuredFiles(files: Files, watch: Watch): Files {
  const { codec, isLasting } = files;
  return {
    ...(isLasting ? { isLasting } : {}),
    ...(codec ? { codec: codec.bind(files) } : {}),
    identify: (path: string) => discreet(watch, () => files.identify(path)),
    read: (file: FileId) => discreet(watch, () => files.read(file)),
    search: (query: SearchQuery) => discreet(watch, () => files.search(query)),
    hold: <T>(held: readonly FileId[], body: (held: Held) => Promise<T>, signal?: Cancellation) =>
      timed<Held, T>(watch, "host", (inner) => files.hold(held, inner, signal), body),
  };
}

export function measuredStore(store: LedgerStore, watch: Watch): LedgerStore {
  return {
    look: (file, agent) => discreet(watch, () => store.look(file, agent)),
    versions: (ids) => discreet(watch, () => store.versions(ids)),
    journal: (query?: JournalQuery) => discreet(watch, () => store.journal(query)),
    journalSince: (mark) => discreet(watch, () => store.journalSince(mark)),
    record: (name) => discreet(watch, () => store.record(name)),
    append: (entries: readonly JournalEntry[]) => discreet(watch, () => store.append(entries)),
    putRecord: (name: string, value: Json, was?: string | null) =>
      discreet(watch, () => store.putRecord(name, value, was)),
    ledgers: () => discreet(watch, () => store.ledgers()),
    unit: <T>(files: readonly FileId[], agent: string, body: (unit: Unit) => Promise<T>, intent?: Intent) =>
      timed<Unit, T>(watch, "store", (inner) => store.unit(files, agent, inner, intent), body),
  };
}
