/** A store in few words: one record, one text, one entry at a time. */
import {
  agentRecord,
  type JournalEntry,
  type Json,
  keptVersion,
  type LedgerStore,
  type Outcome,
} from "../../src/ports/index.js";

const nothing: Outcome = { files: [], versions: [], entries: [], records: [] };

/** Writes down what a call on no other file would. */
export function finish(store: LedgerStore, outcome: Partial<Outcome>, agent = "one"): Promise<void> {
  return store.unit([], agent, (unit) => unit.finish({ ...nothing, ...outcome }));
}

export function storing(store: LedgerStore, agent = "one") {
  return {
    /** The agent's ledger of a file. */
    file: async (key: string): Promise<Json | null> => (await store.look(key, agent)).ledger,
    saveFile: (key: string, record: Json) =>
      finish(
        store,
        {
          files: [{ file: key, states: { from: 0, states: [["s"]] }, ledger: { record, since: 0 } }],
        },
        agent,
      ),
    files: async (): Promise<string[]> => [...new Set((await store.ledgers()).map(({ file }) => file))],
    agent: async (id: string): Promise<Json | null> => (await store.record(agentRecord(id)))?.value ?? null,
    saveAgent: (id: string, record: Json) => store.putRecord(agentRecord(id), record),
    version: (id: string) => keptVersion(store, id),
    keepVersion: (id: string, bytes: Uint8Array, file = "/work/a.ts") =>
      finish(store, { versions: [{ id, bytes, file }] }, agent),
    append: (entry: JournalEntry) => store.append([entry]),
    journal: () => store.journal(),
  };
}

interface Alterations {
  /** Which texts can be had. */
  readonly isKept?: (id: string) => boolean;
  /** Takes the place of `finish` of each unit. */
  readonly finish?: (outcome: Outcome, write: (outcome: Outcome) => Promise<void>) => Promise<void>;
  readonly append?: LedgerStore["append"];
}

/** The same store but for some answers, inside units and outside. */
export function altered(store: LedgerStore, { isKept, finish, append }: Alterations): LedgerStore {
  const versions: LedgerStore["versions"] = (ids) =>
    store.versions(isKept ? ids.filter((id) => isKept(id)) : ids);
  return {
    look: (file, agent) => store.look(file, agent),
    versions,
    journal: (query) => store.journal(query),
    journalSince: (mark) => store.journalSince(mark),
    record: (name) => store.record(name),
    unit: (files, agent, body) =>
      store.unit(files, agent, (unit) =>
        body({
          ...unit,
          versions,
          finish: (outcome) => (finish ? finish(outcome, (one) => unit.finish(one)) : unit.finish(outcome)),
        }),
      ),
    append: append ?? ((entries) => store.append(entries)),
    putRecord: (name, value, was) => store.putRecord(name, value, was),
    ledgers: () => store.ledgers(),
  };
}
