import { PortError } from "../../ports/index.js";
import type { Connection } from "../database/connection.js";
import { housekeeping } from "./housekeeping.js";
import { outcomes } from "./outcomes.js";
import { tables } from "./tables.js";
import { units } from "./units.js";

/** The steps from each version of the schema to the next. A step that is published is never changed. */
export const steps: readonly string[] = [`${tables}${units}${outcomes}${housekeeping}`];

/** One for all databases of a server: making a schema is rare. */
const lock = 5_364_310;
/** PostgreSQL 14. */
const oldest = 140_000;
/** Milliseconds that calls of the version before may take to end. */
const longestWait = 60_000;

/** The version of the schema in a database; 0: there is none. */
export async function schemaVersion(connection: Connection): Promise<number> {
  const [found] = await connection.query("select to_regclass('kedge.meta') is not null as there", []);
  if (found?.there !== true) return 0;
  const [meta] = await connection.query("select version from kedge.meta", []);
  return Number(meta?.version ?? 0);
}

/**
 * Makes the schema, or brings it to this version. One process at a time does: the others wait, and find it done. Calls of an
 * older version that are under way are let end, and no new ones begin.
 */
export async function migrate(connection: Connection, wanted = steps): Promise<void> {
  const [server] = await connection.query("select current_setting('server_version_num')::int as version", []);
  if (Number(server?.version) < oldest)
    throw new PortError("io", `the store is PostgreSQL ${server?.version}: 14 or later is needed`);
  await connection.query("select pg_advisory_lock($1)", [lock]);
  try {
    const now = await schemaVersion(connection);
    if (now > wanted.length) throw newerSchema(now, wanted.length);
    if (now === wanted.length) return;
    if (now > 0) await letEnd(connection, wanted.length);
    await connection.query("begin", []);
    try {
      if (now === 0) await connection.script(beginnings);
      for (const step of wanted.slice(now)) await connection.script(step);
      await connection.query("update kedge.meta set version = $1, next = null", [wanted.length]);
      await connection.query("commit", []);
    } catch (error) {
      await connection.query("rollback", []);
      if (now > 0) await connection.query("update kedge.meta set next = null", []);
      throw error;
    }
  } finally {
    await connection.query("select pg_advisory_unlock($1)", [lock]);
  }
}

const beginnings = `
create schema if not exists kedge;
create table kedge.meta (
  one boolean primary key default true check (one),
  version int not null,
  next int,
  made timestamptz not null default clock_timestamp()
);
insert into kedge.meta (version) values (0);
`;

/** Older programs begin nothing from here on: the version is announced before its step is taken. */
async function letEnd(connection: Connection, version: number): Promise<void> {
  await connection.query("update kedge.meta set next = $1", [version]);
  const deadline = Date.now() + longestWait;
  for (;;) {
    const [row] = await connection.query(
      "select count(*)::int as count from kedge.units where until > clock_timestamp()",
      [],
    );
    if (row?.count === 0 || Date.now() > deadline) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export function newerSchema(found: number, known: number): PortError {
  return new PortError(
    "io",
    `the store has schema ${found}, and this version of Kedge knows ${known}: update Kedge on this host`,
  );
}
