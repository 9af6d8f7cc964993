/** A PostgreSQL for tests: the one that KEDGE_TEST_POSTGRES names, or one from npm, started here and ended again. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const helper: string = join(import.meta.dirname, "../../scripts/postgres-packages.mjs");
const shell: string = join(import.meta.dirname, "../../scripts/shell.mjs");

export interface Postgres {
  readonly url: string;
  readonly port: number;
  /** "immediate": as after a crash. */
  stop(how?: "fast" | "immediate"): Promise<void>;
  start(): Promise<void>;
  /** Ends it and removes its data. */
  dispose(): Promise<void>;
}

/** Where its programs are; null: PostgreSQL could not be fetched here. */
export async function postgresHome(): Promise<string | null> {
  const { packagedPostgres } = (await import(helper)) as typeof import("../../scripts/postgres-packages.mjs");
  const { cache } = (await import(shell)) as { readonly cache: string };
  return packagedPostgres(join(cache, "postgres"));
}

/** An unprivileged user where we are root, as whom PostgreSQL does not run. */
function somebody(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {};
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((one) => one.startsWith("nobody:"));
  const [, , uid, gid] = line?.split(":") ?? [];
  if (uid === undefined) throw new Error("there is no user nobody to run PostgreSQL as");
  return { uid: Number(uid), gid: Number(gid) };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function startPostgres(home: string, settings: readonly string[] = []): Promise<Postgres> {
  const user = somebody();
  const base = mkdtempSync(join(tmpdir(), "kedge-postgres-data-"));
  if (user.uid !== undefined) chownSync(base, user.uid, user.gid as number);
  const data = join(base, "data");
  const env = { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" };
  const made = spawnSync(
    join(home, "bin/initdb"),
    ["-D", data, "-U", "kedge", "-A", "trust", "-E", "UTF8", "--no-sync"],
    { ...user, env, cwd: base, encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error ?? made.stderr}`);
  const port = await freePort();
  const args = [
    ...["-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1"],
    ...["-c", "unix_socket_directories=", "-c", "max_connections=300"],
    ...settings.flatMap((one) => ["-c", one]),
  ];
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    const started = spawn(join(home, "bin/postgres"), args, { ...user, env, cwd: base, stdio: "pipe" });
    child = started;
    let said = "";
    started.stderr?.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4000);
    });
    for (const deadline = Date.now() + 60_000; !said.includes("ready to accept connections"); ) {
      if (started.exitCode !== null || Date.now() > deadline)
        throw new Error(`PostgreSQL did not start: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const stop = async (how: "fast" | "immediate" = "fast"): Promise<void> => {
    const ending = child;
    if (!ending || ending.exitCode !== null) return;
    const ended = new Promise((resolve) => ending.once("exit", resolve));
    ending.kill(how === "fast" ? "SIGINT" : "SIGQUIT");
    await ended;
    child = null;
  };
  await start();
  const dispose = async (): Promise<void> => {
    await stop("immediate");
    rmSync(base, { recursive: true, force: true });
  };
  return { url: `postgres://kedge@127.0.0.1:${port}/postgres`, port, stop, start, dispose };
}
