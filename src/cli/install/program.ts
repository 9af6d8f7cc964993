/** The programs that a client starts: Node by a lasting path, and a copy of the guard's program that no upgrade removes. */

import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { InputError } from "../input.js";

/** Folders where package managers keep a link to the Node they last installed. */
const lasting = [
  "/usr/bin",
  "/usr/local/bin",
  "/opt/homebrew/bin",
  "/opt/homebrew/opt/node/bin",
  "/home/linuxbrew/.linuxbrew/bin",
  "/run/current-system/sw/bin",
];

const real = (path: string): string | null => {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
};

/**
 * A version manager's path may be gone with the shell, and the real path of a package manager's Node with its next
 * upgrade: so a lasting link to this very Node, else the file itself.
 */
export function lastingNode(running: string, follow: (path: string) => string | null = real): string {
  const itself = follow(running) ?? running;
  const link = lasting.map((folder) => join(folder, "node")).find((path) => follow(path) === itself);
  return link ?? itself;
}

/** The one copy, for all clients: a new version replaces it, and no configuration has to change for that. */
export const hookPath = (state: string): string => join(state, "hook", "hook.cjs");

export type CopyState = "missing" | "outdated" | "current";

/** The guard's files: its program, and what it loads for a file that is not UTF-8. */
const copied = ["hook.cjs", "chardet.cjs", "iconv-lite.cjs"];

export function copyState(state: string, program: string): CopyState {
  const folder = dirname(hookPath(state));
  if (!existsSync(hookPath(state))) return "missing";
  const isCurrent = (name: string): boolean =>
    existsSync(join(folder, name)) &&
    digest(readFileSync(join(folder, name))) === digest(builtBytes(name, program));
  return copied.every(isCurrent) ? "current" : "outdated";
}

/** By a rename: a hook that starts meanwhile reads the old program or the new one. The program comes last. */
export function copyHook(state: string, program: string): void {
  const folder = dirname(hookPath(state));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of copied.toReversed()) {
    const temporary = join(folder, `${name}.${process.pid}.tmp`);
    try {
      writeFileSync(temporary, builtBytes(name, program), { mode: 0o600, flag: "wx", flush: true });
      renameSync(temporary, join(folder, name));
    } finally {
      rmSync(temporary, { force: true });
    }
  }
}

export function removeHook(state: string): void {
  rmSync(dirname(hookPath(state)), { recursive: true, force: true });
}

/** A file of the guard as it was built, beside the command line's own program. */
function builtBytes(name: string, program: string): Uint8Array {
  const path = join(dirname(program), name);
  try {
    return readFileSync(path);
  } catch {
    throw new InputError(`${path} is missing: this build of kedge has no guard to install`);
  }
}

export function digest(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}
