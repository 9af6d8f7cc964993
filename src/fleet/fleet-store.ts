import { onlooker } from "../ports/index.js";
import { type NodeStore, nodeStore } from "../store/index.js";
import type { StoreHealth } from "./health.js";
import type { FleetOptions } from "./options.js";
import type { PostgresStore } from "./postgres-store.js";

export interface FleetStore extends NodeStore {
  /** Throws if the tree here is not the one on record. */
  arrive(): Promise<void>;
  health(): Promise<StoreHealth>;
  /** How many calls that were written are not on record yet. */
  unsaid(): Promise<number>;
  /** Ends the connections. */
  end(): Promise<void>;
}

/**
 * The record of a tree in PostgreSQL; what concerns this host alone (notes from process to process, texts that no agent
 * touched) is in its state folder as ever. The database is asked when the first call is made, and its driver loaded then.
 */
export function fleetStore(options: FleetOptions): FleetStore {
  const local = nodeStore(options);
  let opened: Promise<PostgresStore> | null = null;
  const opening = (): Promise<PostgresStore> => {
    opened ??= import("./postgres-store.js").then((module) => new module.PostgresStore(options));
    return opened;
  };
  const remote = async (): Promise<PostgresStore> => {
    const store = await opening();
    // A hook has no time for it, and its conversation has a server or a command that does it.
    if (!options.brief && !options.isOnlooker) await store.arrive();
    return store;
  };
  const versions = async (ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> => {
    const found = await (await remote()).versions(ids);
    const missing = ids.filter((id) => !found.has(id));
    const own = missing.length > 0 ? await local.versions(missing) : new Map<string, Uint8Array>();
    return new Map([...found, ...own]);
  };
  return {
    notes: local.notes,
    versions,
    look: async (file, agent) => (await remote()).look(file, agent),
    journal: async (query) => (await remote()).journal(query),
    journalSince: async (mark) => (await remote()).journalSince(mark),
    record: async (name) => (await remote()).record(name),
    append: async (entries) => (await remote()).append(entries),
    putRecord: async (name, value, was) => (await remote()).putRecord(name, value, was),
    ledgers: async () => (await remote()).ledgers(),
    async unit(files, agent, body, intent) {
      if (agent === onlooker && files.length === 0) return local.unit(files, agent, body);
      return (await remote()).unit(files, agent, (unit) => body({ ...unit, versions }), intent);
    },
    async prune() {
      await local.prune();
      return (await remote()).prune();
    },
    tidy: () => local.tidy(),
    async purge() {
      await local.purge();
      await (await opening()).purge();
    },
    damage: () => local.damage(),
    arrive: async () => (await opening()).arrive(),
    health: async () => (await opening()).health(),
    unsaid: async () => (await opening()).unsaid(),
    end: async () => (await opened)?.end(),
  };
}
