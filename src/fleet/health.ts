import { type Holder, ticks } from "../host/index.js";
import type { Ground } from "./ground.js";
import { schemaVersion } from "./schema/migrate.js";

/** A store as whoever runs it wants to know it. */
export interface StoreHealth {
  /** The version of PostgreSQL. */
  readonly server: string;
  readonly schema: number;
  /** Milliseconds of a round trip. */
  readonly trip: number;
  /** Milliseconds by which the database's clock is ahead of the one here. */
  readonly ahead: number;
  readonly entries: number;
  readonly agents: number;
  /** The size of the texts and the journal of the tree. */
  readonly bytes: number;
  /** Files that calls hold, with those that are not heard of any more. */
  readonly held: readonly {
    readonly holder: Holder;
    /** Milliseconds that it is not heard of beyond its lease; below 0 while that lasts. */
    readonly silent: number;
    /** It may be writing in place. */
    readonly isBound: boolean;
  }[];
}

const sizes = `
select (select count(*) from kedge.journal where tree = $1)::float8 as entries,
  (select count(distinct agent) from kedge.ledgers where tree = $1)::float8 as agents,
  ((select coalesce(sum(octet_length(data)), 0) from kedge.versions where tree = $1)
    + (select coalesce(sum(octet_length(entry)), 0) from kedge.journal where tree = $1))::float8 as bytes`;

const held = `
select holder, bound, (extract(epoch from clock_timestamp() - until) * 1000)::float8 as silent
from kedge.units where tree = $1 order by until`;

const clocks = `
select current_setting('server_version') as server,
  (extract(epoch from clock_timestamp()) * 1000)::float8 as now`;

export async function healthOf({ database, tree, clock }: Ground): Promise<StoreHealth> {
  await database.migrated();
  const schema = await schemaVersion({
    query: (text, values) => database.ask(text, values),
    script: async () => {},
  });
  await database.ask(clocks, []);
  const started = ticks();
  const [at] = await database.ask(clocks, []);
  const trip = ticks() - started;
  const here = clock();
  const [size] = await database.ask(sizes, [tree]);
  const units = await database.ask(held, [tree]);
  return {
    ...{ server: String(at?.server), schema, trip, ahead: Number(at?.now) + trip / 2 - here },
    ...{ entries: Number(size?.entries), agents: Number(size?.agents), bytes: Number(size?.bytes) },
    held: units.map(({ holder, bound, silent }) => ({
      ...{ holder: JSON.parse(holder as string) as Holder, silent: Number(silent), isBound: bound === true },
    })),
  };
}
