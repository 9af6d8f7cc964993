import { PortError } from "../ports/index.js";
import { closeQuietly, errorCode, flags, giveToOwner, type Io, makeFolder, nodeIo } from "./io.js";
import { homeFolder, isWindows, type Platform, system, thisPlatform } from "./platform.js";

/** Somebody may forget the whole workspace meanwhile, and with it the folder or the file on its way. */
export const attempts = 20;

export function openStateFile(io: Io, { path }: Platform, file: string, mode: number = flags.create): number {
  for (let attempt = 1; ; attempt++) {
    try {
      const fd = io.open(file, mode, 0o600);
      checkRegular(io, fd);
      giveToOwner(io, fd, { path: file, above: path.dirname(file) });
      return fd;
    } catch (error) {
      if (errorCode(error) !== "ENOENT" || attempt === attempts) throw error;
      makeFolder(io, path.dirname(file), path.dirname);
    }
  }
}

/** A pipe would take what is written to it, and nobody would ever read it. */
function checkRegular(io: Io, fd: number): void {
  if (io.fstat(fd).isFile()) return;
  closeQuietly(io, fd);
  throw Object.assign(new Error("not a regular file"), { code: "EFTYPE" });
}

export interface StateOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly report?: (line: string) => void;
  readonly io?: Io;
  readonly platform?: Platform;
  readonly home?: string;
  /** Where a substitute is made if the state folder cannot be written. */
  readonly temporary?: string;
}

/**
 * The folder for everything that outlives a process: `KEDGE_STATE`, else the platform's place for such things. A
 * sandbox that permits only the workspace and the temporary folder gets a folder there, and a line that says so:
 * processes outside the sandbox then do not share its locks.
 *
 * @example
 * console.log(stateFolder({ env: process.env }) === process.env.KEDGE_STATE); // → true
 */
export function stateFolder(options: StateOptions): string {
  const { io = nodeIo, platform = thisPlatform, report = () => {} } = options;
  const { path } = platform;
  const wanted = wantedFolder(options);
  if (isUsable(io, platform, wanted)) return wanted;
  const user = process.getuid?.() ?? "user";
  const substitute = path.join(options.temporary ?? system().tmpdir(), `kedge-${user}`);
  if (!isUsable(io, platform, substitute) || !isPrivate(io, platform, substitute)) return wanted;
  report(`${wanted} cannot be written; using ${substitute} instead`);
  return substitute;
}

/** The state folder if it can be written. */
export function wantedFolder(options: StateOptions): string {
  const { env, platform = thisPlatform } = options;
  const given = env.KEDGE_STATE;
  if (given && !platform.path.isAbsolute(given)) throw relative(given);
  return platform.path.resolve(given || defaultFolder(options, platform));
}

/** Left out of the ways to read it: the working directory of each caller is its own, and mostly the workspace. */
function relative(given: string): PortError {
  const shown = JSON.stringify(given);
  return new PortError(
    "bad_request",
    `KEDGE_STATE has to be an absolute path; it is ${shown}, which would be another folder for every caller`,
  );
}

function defaultFolder({ env, home = homeFolder(env) }: StateOptions, { name, path }: Platform): string {
  if (name === "win32") return path.join(env.LOCALAPPDATA || path.join(home, "AppData", "Local"), "kedge");
  if (name === "darwin") return path.join(home, "Library", "Application Support", "kedge");
  // A relative path there is to be ignored, says the XDG specification.
  const given = env.XDG_STATE_HOME;
  const base = given && path.isAbsolute(given) ? given : path.join(home, ".local", "state");
  return path.join(base, "kedge");
}

/** The folder for the user's configuration file. */
export function configFolder(options: StateOptions): string {
  const { env, platform = thisPlatform, home = homeFolder(env) } = options;
  const { name, path } = platform;
  if (name === "win32") return path.join(env.APPDATA || path.join(home, "AppData", "Roaming"), "kedge");
  const given = env.XDG_CONFIG_HOME;
  return path.join(given && path.isAbsolute(given) ? given : path.join(home, ".config"), "kedge");
}

function isUsable(io: Io, { path }: Platform, folder: string): boolean {
  try {
    if (!io.isThere(folder)) makeFolder(io, folder, path.dirname);
    io.access(folder, flags.writable);
    return io.stat(folder).isDirectory();
  } catch {
    return false;
  }
}

/** In a folder that all users share, somebody else may have made it first. */
function isPrivate(io: Io, platform: Platform, folder: string): boolean {
  if (isWindows(platform)) return true;
  const stat = io.lstat(folder);
  const own = stat.uid === BigInt(process.getuid?.() ?? 0);
  return stat.isDirectory() && own && (stat.mode & 0o077n) === 0n;
}
