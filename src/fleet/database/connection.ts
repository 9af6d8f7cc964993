/** The driver, as far as it is used: loaded when a store is first asked, so that nobody else pays for it. */
import { configFolder, thisPlatform } from "../../host/index.js";
import { PortError } from "../../ports/index.js";

export type Row = Readonly<Record<string, unknown>>;

/** One connection. */
export interface Connection {
  query(text: string, values: readonly unknown[]): Promise<readonly Row[]>;
  /** Several statements at once. */
  script(text: string): Promise<void>;
}

/** Some connections, lent for one statement at a time: however few there are, nobody who has one waits for another. */
export interface Connections extends Connection {
  /** One for several statements. */
  alone<T>(body: (connection: Connection) => Promise<T>): Promise<T>;
  end(): Promise<void>;
}

export interface ConnectionOptions {
  readonly url: string;
  /** At most so many. */
  readonly most: number;
  /** Milliseconds that connecting, and an answer, may take. */
  readonly patience: number;
}

interface Client {
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Row[] }>;
  on(event: "error", listener: () => void): void;
  release(error?: Error | boolean): void;
}

interface Pool {
  connect(): Promise<Client>;
  on(event: "error", listener: () => void): void;
  on(event: "connect", listener: (client: Client) => void): void;
  end(): Promise<void>;
}

interface Driver {
  readonly Pool: new (options: Record<string, unknown>) => Pool;
}

const hint = "install the driver where Kedge is installed: npm install pg, or npm install --global pg";

export async function loadDriver(): Promise<Driver> {
  try {
    const found = (await import("pg")) as unknown as Driver & { readonly default?: Driver };
    return found.default ?? found;
  } catch (error) {
    const elsewhere = driverElsewhere();
    if (elsewhere) return elsewhere;
    throw new PortError("io", `a store in PostgreSQL needs the package pg; ${hint}`, {
      cause: error,
    });
  }
}

/** A guard stands alone, away from its package: where the person's global packages are, or beside the configuration. */
function driverElsewhere(): Driver | null {
  const { path } = thisPlatform;
  const above = path.dirname(process.execPath);
  const folders = [
    path.join(above, "..", "lib", "node_modules"),
    path.join(above, "node_modules"),
    path.join(configFolder({ env: process.env }), "node_modules"),
  ];
  for (const folder of folders)
    try {
      const { createRequire } = process.getBuiltinModule("node:module");
      return createRequire(path.join(folder, "any.cjs"))("pg") as Driver;
    } catch {
      // The next one.
    }
  return null;
}

export async function connect({ url, most, patience }: ConnectionOptions): Promise<Connections> {
  const { Pool } = await loadDriver();
  const pool = new Pool({
    connectionString: url,
    max: most,
    connectionTimeoutMillis: patience,
    query_timeout: patience,
    idleTimeoutMillis: 60_000,
    // A command ends when its work is done.
    allowExitOnIdle: true,
    keepAlive: true,
    application_name: "kedge",
  });
  // An idle connection that breaks is replaced by the next one that is asked for; one in use fails its statement.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  const alone = async <T>(body: (connection: Connection) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    try {
      const result = await body({
        query: async (text, values) => (await client.query(text, values)).rows,
        script: async (text) => void (await client.query(text)),
      });
      client.release();
      return result;
    } catch (error) {
      // A statement that is still under way in it, or was left open, ends with it.
      client.release(true);
      throw error;
    }
  };
  return {
    alone,
    query: (text, values) => alone((connection) => connection.query(text, values)),
    script: (text) => alone((connection) => connection.script(text)),
    end: () => pool.end(),
  };
}
