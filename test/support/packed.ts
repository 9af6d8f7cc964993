/** Kedge as a person gets it: the archive that `npm pack` makes, installed by npm under a prefix of its own. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./project.js";

export interface Packed {
  /** The command on the PATH. */
  readonly kedge: string;
  /** The installed package. */
  readonly folder: string;
}

/** What npm said where it could not fetch the three dependencies: no fault of ours. */
export interface Unreachable {
  readonly reason: string;
}

/** Packs the built tree into `scratch`. */
export function pack(scratch: string): string {
  const flags = ["--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", scratch];
  const made = JSON.parse(npm(["pack", ...flags], repository).stdout);
  const [first] = Array.isArray(made) ? made : Object.values<{ filename: string }>(made);
  return join(scratch, first.filename);
}

/** Installs an archive as `npm install -g` does, for a user whose prefix is below `scratch`. */
export function installPacked(archive: string, scratch: string): Packed | Unreachable {
  const prefix = join(scratch, "prefix");
  mkdirSync(prefix, { recursive: true });
  const flags = ["--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=1", "--loglevel=error"];
  const { status, stderr } = npm(["install", "--global", "--prefix", prefix, ...flags, archive], scratch);
  if (status !== 0) {
    const isFetch = /E(?:AI_AGAIN|NOTFOUND|CONNREFUSED|CONNRESET|TIMEDOUT|HOSTUNREACH)|network/i.test(stderr);
    if (isFetch) return { reason: `npm reaches no registry: ${stderr.trim().split("\n")[0]}` };
    throw new Error(stderr);
  }
  return { kedge: join(prefix, "bin", "kedge"), folder: join(prefix, "lib", "node_modules", "kedge") };
}

function npm(args: readonly string[], cwd: string) {
  return spawnSync("npm", args, { cwd, encoding: "utf8" });
}

export const ownVersion: string = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")).version;
