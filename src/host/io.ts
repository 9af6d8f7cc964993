// By name: a copy of all that the module has is made of an import as a whole.
import {
  accessSync,
  type BigIntStats,
  close,
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  utimesSync,
  write,
  writeSync,
} from "node:fs";

export type Stat = BigIntStats;
type Entry = Pick<Dirent, "name" | "isFile" | "isDirectory" | "isSymbolicLink">;

/**
 * Every call that touches the disk, so that a test can make any of them fail and can play another system. Synchronous,
 * but for what takes the disk's time: a promise for each call of microseconds would cost more than the call.
 */
export interface Io {
  open(path: string, flags: number, mode?: number): number;
  close(fd: number): void;
  /** Closes beside other work: the last descriptor of a removed file frees its blocks, which takes as long as a rename over it. */
  release(fd: number): void;
  /** Fills as much of `target` as there is; null for `position` goes on where the last call ended. */
  read(fd: number, target: Uint8Array, position: number | null): number;
  /** May write less than it was given. */
  write(fd: number, bytes: Uint8Array, position: number | null): number;
  /** The same where the last call ended, beside other work; into a file that was opened `through`, flushed as well. */
  writeThrough(fd: number, bytes: Uint8Array): Promise<number>;
  fsync(fd: number): void;
  /** The same, beside other work. */
  flush(fd: number): Promise<void>;
  truncate(fd: number, length: number): void;
  chmod(fd: number, mode: number): void;
  chown(fd: number, uid: number, gid: number): void;
  fstat(fd: number): Stat;
  stat(path: string): Stat;
  lstat(path: string): Stat;
  /** For what is mostly not there: an error that is thrown and caught takes five times as long. */
  isThere(path: string): boolean;
  access(path: string, mode: number): void;
  touch(path: string, seconds: number): void;
  realpath(path: string): string;
  readlink(path: string): string;
  readdir(path: string): Entry[];
  mkdir(path: string, mode: number): void;
  rmdir(path: string): void;
  rename(from: string, to: string): void;
  link(from: string, to: string): void;
  unlink(path: string): void;
}

const exact = { bigint: true } as const;

export const nodeIo: Io = {
  open: (path, flags, mode) => openSync(path, flags, mode),
  close: (fd) => closeSync(fd),
  release: (fd) => close(fd, () => {}),
  read: (fd, target, position) => readSync(fd, target, 0, target.length, position),
  write: (fd, bytes, position) => writeSync(fd, bytes, 0, bytes.length, position),
  writeThrough: (fd, bytes) =>
    new Promise((resolve, reject) => {
      write(fd, bytes, 0, bytes.length, null, (error, written) => (error ? reject(error) : resolve(written)));
    }),
  fsync: (fd) => fsyncSync(fd),
  flush: (fd) =>
    new Promise((resolve, reject) => {
      fsync(fd, (error) => (error ? reject(error) : resolve()));
    }),
  truncate: (fd, length) => ftruncateSync(fd, length),
  chmod: (fd, mode) => fchmodSync(fd, mode),
  chown: (fd, uid, gid) => fchownSync(fd, uid, gid),
  fstat: (fd) => fstatSync(fd, exact),
  stat: (path) => statSync(path, exact),
  lstat: (path) => lstatSync(path, exact),
  isThere: (path) => existsSync(path),
  access: (path, mode) => accessSync(path, mode),
  touch: (path, seconds) => utimesSync(path, seconds, seconds),
  // The system's own gives names back in the case they have on disk; the one written in JavaScript does not.
  realpath: (path) => realpathSync.native(path),
  readlink: (path) => readlinkSync(path),
  readdir: (path) => readdirSync(path, { withFileTypes: true }),
  mkdir: (path, mode) => {
    mkdirSync(path, mode);
  },
  rmdir: (path) => rmdirSync(path),
  rename: (from, to) => renameSync(from, to),
  link: (from, to) => linkSync(from, to),
  unlink: (path) => unlinkSync(path),
};

const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_APPEND } = constants;
// Windows has neither; nothing there blocks on open, and links are caught by comparing real paths.
const noFollow = constants.O_NOFOLLOW ?? 0;
const noWait = constants.O_NONBLOCK ?? 0;

/** `read` does not wait for the other end of a named pipe; none of them follows a link in the last place. */
export const flags = {
  read: O_RDONLY | noFollow | noWait,
  create: O_WRONLY | O_CREAT | O_EXCL | noFollow,
  /** To be added: what is written is on the disk when the call is back. */
  through: constants.O_SYNC ?? 0,
  update: O_RDWR | noFollow,
  append: O_RDWR | O_CREAT | O_APPEND | noFollow,
  extend: O_RDWR | O_APPEND | noFollow,
  folder: O_RDONLY | (constants.O_DIRECTORY ?? 0),
  writable: constants.W_OK,
} as const;

export function errorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** null instead of an error where there is no such file. */
export function ifThere<T>(action: () => T): T | null {
  try {
    return action();
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Closes in every case; a failed close counts only if nothing else failed before. */
export function withFile<T>(io: Io, fd: number, body: (fd: number) => T): T {
  let result: T;
  try {
    result = body(fd);
  } catch (error) {
    closeQuietly(io, fd);
    throw error;
  }
  io.close(fd);
  return result;
}

/** After another failure, which is the one that explains. */
export function closeQuietly(io: Io, fd: number): void {
  try {
    io.close(fd);
  } catch {}
}

export function writeAll(io: Io, fd: number, bytes: Uint8Array, position: number | null = null): void {
  let done = 0;
  while (done < bytes.length) {
    const rest = done === 0 ? bytes : bytes.subarray(done);
    const written = io.write(fd, rest, position === null ? null : position + done);
    if (written <= 0) throw noMoreBytes();
    done += written;
  }
}

export function noMoreBytes(): Error {
  return Object.assign(new Error("the disk takes no more bytes"), { code: "ENOSPC" });
}

/** null if there is more than `limit`. Reads to the end, whatever size the system announces: it may grow meanwhile. */
export function readAll(io: Io, fd: number, limit: number, stat = io.fstat(fd)): Uint8Array | null {
  const size = Number(stat.size);
  if (size > limit) return null;
  // Room for one byte more than announced: a call that leaves it empty has met the end.
  let bytes: Uint8Array = Buffer.allocUnsafeSlow(size + 1);
  let filled = 0;
  for (;;) {
    const count = io.read(fd, bytes.subarray(filled), null);
    if (count === 0) return bytes.subarray(0, filled);
    filled += count;
    if (filled > limit) return null;
    if (filled === size) return bytes.subarray(0, filled);
    if (filled === bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(4096, bytes.length * 2));
      larger.set(bytes);
      bytes = larger;
    }
  }
}

/** A whole file, for the state folder; null if it is not there. */
export function readFile(io: Io, path: string): Uint8Array | null {
  const fd = ifThere(() => io.open(path, flags.read));
  return fd === null ? null : withFile(io, fd, () => readAll(io, fd, Number.MAX_SAFE_INTEGER));
}

/** Files that root makes in the state folder of somebody would be in their way for ever. */
export function giveToOwner(
  io: Io,
  fd: number | null,
  made: { readonly path: string; readonly above: string },
): void {
  if (process.geteuid?.() !== 0) return;
  try {
    const { uid, gid } = io.stat(made.above);
    if (uid === 0n) return;
    const give = (opened: number): void => io.chown(opened, Number(uid), Number(gid));
    if (fd === null) withFile(io, io.open(made.path, flags.folder), give);
    else give(fd);
  } catch {
    // They are told, should it be in their way.
  }
}

/** Whether there was anything to remove. */
export function remove(io: Io, path: string): boolean {
  const removed = ifThere(() => {
    io.unlink(path);
    return true;
  });
  return removed ?? false;
}

/** Somebody may remove the folders above meanwhile; but one that leads nowhere stays as it is. */
const folderAttempts = 20;

/** A file of the state folder. */
export function makeFolder(
  io: Io,
  path: string,
  parent: (path: string) => string,
  left: number = folderAttempts,
): void {
  const above = parent(path);
  try {
    io.mkdir(path, 0o700);
    giveToOwner(io, null, { path, above });
  } catch (error) {
    if (errorCode(error) === "EEXIST") return;
    if (errorCode(error) !== "ENOENT" || above === path || left === 0) throw error;
    makeFolder(io, above, parent);
    makeFolder(io, path, parent, left - 1);
  }
}
