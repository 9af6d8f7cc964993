import {
  errorCode,
  type Io,
  isMissing,
  makeFolder,
  newToken,
  type Platform,
  reason,
} from "../../host/index.js";

/** The surroundings for putting things of the state folder aside. */
export interface StateFolder {
  readonly io: Io;
  readonly platform: Platform;
  readonly clock: () => number;
  readonly report: (line: string) => void;
  readonly state: string;
}

/** Moves what is damaged out of the way, for a person to look at; the work goes on without it. */
export function putAside(
  { io, platform, clock, report, state }: StateFolder,
  path: string,
  why: string,
): void {
  const { join, basename, dirname } = platform.path;
  const aside = join(state, "damaged");
  const target = join(aside, `${basename(path)}-${newToken(clock)}`);
  try {
    makeFolder(io, aside, dirname);
    io.rename(path, target);
    report(`${path} is damaged (${why}); put aside as ${target}`);
  } catch (error) {
    report(`${path} is damaged (${why}) and cannot be put aside: ${reason(error)}`);
  }
}

/** Files where folders should be, a folder or a pipe where the file should be, and links that lead nowhere. */
const misplaced = new Set([
  ...["ENOTDIR", "EISDIR", "EEXIST", "EPERM", "ENOTEMPTY", "ELOOP", "ENOENT", "EFTYPE"],
]);

/** Once more, after whatever stood in the way to `path` was put aside. */
export function repairing<T>(folder: StateFolder, path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!misplaced.has(errorCode(error)) || !makeWay(folder, path)) throw error;
    return action();
  }
}

/** Whether anything stood in the way. */
export function makeWay(folder: StateFolder, path: string): boolean {
  const { platform, state } = folder;
  const names = platform.path.relative(state, path).split(platform.path.sep);
  let at = state;
  for (const [index, name] of names.entries()) {
    at = platform.path.join(at, name);
    const found = kindOf(folder, at);
    const wanted = index === names.length - 1 ? "file" : "folder";
    if (found === null) return false;
    if (found === wanted || (wanted === "folder" && found === "link" && isLinkToFolder(folder, at))) continue;
    putAside(folder, at, `a ${found} in the place of a ${wanted}`);
    return true;
  }
  return false;
}

/** null: nothing, or nothing that can be looked at. */
function kindOf({ io }: StateFolder, path: string): string | null {
  try {
    const stat = io.lstat(path);
    if (stat.isSymbolicLink()) return "link";
    if (stat.isDirectory()) return "folder";
    return stat.isFile() ? "file" : "pipe or device";
  } catch {
    return null;
  }
}

function isLinkToFolder({ io }: StateFolder, link: string): boolean {
  try {
    return io.stat(link).isDirectory();
  } catch (error) {
    return !isMissing(error) && errorCode(error) !== "ELOOP";
  }
}
