/** The programs that a client starts: Node by a lasting path, and a copy of the guard's program that no upgrade removes. */

import { createHash } from "node:crypto";
import {
  cpSync,
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

/** The guard's program as it was built, beside the command line's own. */
const builtHook = (program: string): string => join(dirname(program), "hook.cjs");

export type CopyState = "missing" | "outdated" | "current";

export function copyState(state: string, program: string): CopyState {
  if (!existsSync(hookPath(state))) return "missing";
  return digest(readFileSync(hookPath(state))) === digest(bytesAt(builtHook(program)))
    ? "current"
    : "outdated";
}

/** By a rename: a hook that starts meanwhile reads the old program or the new one. */
export function copyHook(state: string, program: string): void {
  const bytes = bytesAt(builtHook(program));
  const path = hookPath(state);
  const temporary = `${path}.${process.pid}.tmp`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(temporary, bytes, { mode: 0o600, flag: "wx", flush: true });
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
  copyEncodings(dirname(path), program);
}

/** The packages that the hook loads for a file that is not UTF-8. A file is not guarded, and the log says so, if they are missing. */
const encodings = ["iconv-lite", "safer-buffer", "chardet"];

function copyEncodings(folder: string, program: string): void {
  for (const name of encodings) {
    const source = packageFolder(name, program);
    const target = join(folder, "node_modules", name);
    if (source !== null) cpSync(source, target, { recursive: true, force: true });
  }
}

/** Returns the folder of an installed dependency of the program: the nearest with its name. */
function packageFolder(name: string, program: string): string | null {
  for (let at = dirname(program); ; at = dirname(at)) {
    const folder = join(at, "node_modules", name);
    if (existsSync(join(folder, "package.json"))) return folder;
    if (dirname(at) === at) return null;
  }
}

export function removeHook(state: string): void {
  rmSync(dirname(hookPath(state)), { recursive: true, force: true });
}

function bytesAt(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch {
    throw new InputError(`${path} is missing: this build of kedge has no guard to install`);
  }
}

export function digest(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}
