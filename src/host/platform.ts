import path from "node:path";

/** Rules that differ between systems. A value, so that each system's rules can be tried on any other. */
export interface Platform {
  readonly name: string;
  readonly path: path.PlatformPath;
  /** Whether names differ by case; if not given, it is found out on the disk. */
  readonly ignoresCase?: boolean;
}

export const thisPlatform: Platform = { name: process.platform, path };

export function isWindows(platform: Platform): boolean {
  return platform.name === "win32";
}

/** Errors by which Windows says that another program has the file open, or that it is about to vanish. */
const sharing = new Set(["EPERM", "EACCES", "EBUSY"]);

export function isSharingViolation(platform: Platform, code: string): boolean {
  return isWindows(platform) && sharing.has(code);
}

const longestPath = 4096;
const longestName = 255;
const device =
  /^(con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$)(\.|$)/i;

/** Why no file can have this path; null if one can. */
export function absurdPath(platform: Platform, given: unknown): string | null {
  if (typeof given !== "string" || given === "") return "a path is a text that is not empty";
  if (given.includes("\0")) return "a path holds no NUL character";
  // It would be written as another name.
  // Named by their property, V8 would look every character up: a third of a millisecond.
  if (/[\ud800-\udfff]/u.test(given)) return "a path is well-formed Unicode";
  if (given.length > longestPath) return `a path has at most ${longestPath} characters`;
  const windows = isWindows(platform);
  const names = given.replace(/^[A-Za-z]:/, windows ? "" : "$&").split(windows ? /[\\/]/ : "/");
  for (const name of names) {
    if (name.length > longestName) return `a name in a path has at most ${longestName} characters`;
    if (!windows || name === "." || name === "..") continue;
    if (device.test(name)) return `${name} is the name of a device`;
    if (/[:*?"<>|]/.test(name)) return `a name on Windows holds none of : * ? " < > |`;
    if (/[. ]$/.test(name)) return "a name on Windows does not end with a dot or a blank";
  }
  return null;
}
/**
 * Modules that Node loads when they are first asked for, which takes as long as everything else a hook does with them.
 */

/** Milliseconds that only ever grow. `performance` would load ten modules. */
export function ticks(): number {
  // By number: taking an array apart takes as long as the call, until it is compiled.
  const time = process.hrtime();
  return time[0] * 1000 + time[1] / 1e6;
}

export function system(): typeof import("node:os") {
  return process.getBuiltinModule("node:os");
}

/**
 * The user's own folder; where the environment names it, that is what the system would say. A name that is empty or
 * relative would mean another folder for every caller, mostly one in the workspace.
 */
export function homeFolder(env: Readonly<Record<string, string | undefined>>): string {
  const named = process.platform !== "win32" && env.HOME;
  if (named && path.isAbsolute(named)) return named;
  const { homedir, tmpdir, userInfo } = system();
  for (const find of [homedir, () => userInfo().homedir])
    try {
      const found = find();
      if (path.isAbsolute(found)) return found;
    } catch {
      // A container may run as a user that the system has never heard of.
    }
  return tmpdir();
}
