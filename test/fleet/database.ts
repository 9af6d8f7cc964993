/** One database for a whole run; vitest starts it before the first test. */
import { postgresHome, startPostgres } from "./postgres.js";

const address = "KEDGE_FLEET_DATABASE";

export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  const given = process.env.KEDGE_TEST_POSTGRES;
  if (given) {
    process.env[address] = given;
    return undefined;
  }
  const home = await postgresHome();
  if (home === null) {
    console.log(
      "fleets: skipped, there is no PostgreSQL: npm has none for this platform, and KEDGE_TEST_POSTGRES is not set",
    );
    return undefined;
  }
  // The machine does not fail here: what counts is what PostgreSQL keeps when it does.
  const postgres = await startPostgres(home, ["fsync=off"]);
  process.env[address] = postgres.url;
  return () => postgres.dispose();
}

/** Its address; null: there is none here, and the tests are skipped. */
export function databaseUrl(): string | null {
  return process.env[address] ?? null;
}
