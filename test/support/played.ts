import { readdirSync } from "node:fs";
import { join, posix, win32 } from "node:path";
import { type Io, nodeIo, type Platform } from "../../src/host/index.js";

const fail = (code: string, path: string): never => {
  throw Object.assign(new Error(`${code}: played, ${path}`), { code });
};

export interface PlayedSystem {
  readonly platform: Platform;
  readonly io: Io;
  /** Files that another program has open, and how many attempts it takes until it lets go. */
  readonly openElsewhere: Map<string, number>;
}

/**
 * Another system's rules on a folder of this one: names without regard to case and, on macOS, to the form of accents;
 * on Windows drives and backslashes, no folders that can be opened, no renaming over or removing of files that are open.
 */
export function playedSystem(name: "win32" | "darwin", base: string): PlayedSystem {
  const path = name === "win32" ? win32 : posix;
  const openElsewhere = new Map<string, number>();
  const fold = (text: string): string => (name === "darwin" ? text.normalize("NFC") : text).toLowerCase();
  const prefix = name === "win32" ? "C:\\" : "/";

  /** The names of a path as they stand on disk; those that do not exist, as they are given. */
  function names(given: string): string[] {
    if (!given.startsWith(prefix)) return fail("ENOENT", given);
    const wanted = given.slice(prefix.length).split(name === "win32" ? /[\\/]/ : "/");
    const found: string[] = [];
    for (const one of wanted.filter((part) => part !== "")) {
      let entries: string[] = [];
      try {
        entries = readdirSync(join(base, ...found));
      } catch {}
      found.push(entries.find((entry) => fold(entry) === fold(one)) ?? one);
    }
    return found;
  }
  const real = (given: string): string => join(base, ...names(given));
  const checkFree = (given: string): void => {
    const key = fold(real(given));
    const left = openElsewhere.get(key) ?? 0;
    if (left <= 0) return;
    openElsewhere.set(key, left - 1);
    fail("EPERM", given);
  };
  const io: Io = {
    ...nodeIo,
    open(given, flags, mode) {
      if (name === "win32" && isFolder(real(given))) fail("EISDIR", given);
      return nodeIo.open(real(given), flags, mode);
    },
    stat: (given) => nodeIo.stat(real(given)),
    lstat: (given) => nodeIo.lstat(real(given)),
    isThere: (given) => nodeIo.isThere(real(given)),
    access: (given, mode) => nodeIo.access(real(given), mode),
    touch: (given, seconds) => nodeIo.touch(real(given), seconds),
    realpath(given) {
      nodeIo.stat(real(given));
      return path.join(prefix, ...names(given));
    },
    readlink: (given) => nodeIo.readlink(real(given)),
    readdir: (given) => nodeIo.readdir(real(given)),
    mkdir: (given, mode) => nodeIo.mkdir(real(given), mode),
    rmdir: (given) => nodeIo.rmdir(real(given)),
    link: (from, to) => nodeIo.link(real(from), real(to)),
    chown: name === "win32" ? (fd) => fail("ENOSYS", String(fd)) : nodeIo.chown,
    rename(from, to) {
      if (name === "win32") for (const one of [from, to]) checkFree(one);
      nodeIo.rename(real(from), real(to));
    },
    unlink(given) {
      if (name === "win32") checkFree(given);
      nodeIo.unlink(real(given));
    },
  };
  return { platform: { name, path }, io, openElsewhere };
}

function isFolder(path: string): boolean {
  try {
    return nodeIo.stat(path).isDirectory();
  } catch {
    return false;
  }
}
