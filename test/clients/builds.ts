/**
 * Which clients are run, and where they are. They are large, so npm fetches them on demand into a cache outside the
 * tree; one that cannot be fetched is skipped, with the reason.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Driver } from "./driver.js";
import { drivers } from "./drivers/index.js";

const cache = process.env.KEDGE_CLIENTS_CACHE ?? join(homedir(), ".cache", "kedge-clients");
const usual = ["claude-code-2.1.328", "opencode"];

/** KEDGE_CLIENTS: names or beginnings of names, separated by commas; `all`; nothing or 1: the usual ones. */
export function chosenDrivers(): Driver[] {
  const asked = process.env.KEDGE_CLIENTS ?? "1";
  if (asked === "all") return [...drivers];
  const names = asked === "1" ? usual : asked.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !drivers.some((driver) => driver.name.startsWith(name)));
  if (unknown.length > 0) {
    const known = drivers.map(({ name }) => name).join(", ");
    throw new Error(`KEDGE_CLIENTS names no known client: ${unknown.join(", ")}. Known: ${known}, or all.`);
  }
  return drivers.filter((driver) => names.some((name) => driver.name.startsWith(name)));
}

/** The build of that name. */
export function chosen(name: string): Driver {
  const found = drivers.find((driver) => driver.name === name);
  if (!found) throw new Error(`there is no build ${name}`);
  return found;
}

/** The PATH of a client's process: first what was fetched with it, such as a newer Node. */
export function pathFor(program: string, path = ""): string {
  return `${dirname(program)}${delimiter}${path}`;
}

export type Installed = { readonly program: string } | { readonly reason: string };

export function install(driver: Driver): Installed {
  const folder = join(cache, driver.name);
  const program = join(folder, "node_modules", ".bin", driver.program);
  if (existsSync(program)) return { program };
  mkdirSync(folder, { recursive: true });
  console.log(`fetching ${driver.package} into ${folder}`);
  const flags = ["--no-audit", "--no-fund", "--no-save", "--prefix", folder];
  const node = driver.node ? [`node-${process.platform}-${process.arch}@${driver.node}`] : [];
  const got = spawnSync("npm", ["install", ...flags, driver.package, ...node], {
    cwd: folder,
    encoding: "utf8",
    timeout: 400_000,
  });
  if (got.status !== 0 || !existsSync(program)) {
    const said = got.stderr?.split("\n").filter((line) => line.startsWith("npm error")) ?? [];
    const why = [got.error?.message, ...said].find(Boolean) ?? "it said nothing";
    return { reason: `npm could not fetch ${driver.package}: ${why}` };
  }
  // An npm that leaves install scripts out leaves a client without its binary.
  const env = { ...process.env, PATH: pathFor(program, process.env.PATH) };
  const answered = spawnSync(program, ["--version"], { encoding: "utf8", timeout: 60_000, env });
  if (answered.status === 0) return { program };
  rmSync(folder, { recursive: true, force: true });
  return { reason: `${driver.package} was fetched but does not start` };
}
