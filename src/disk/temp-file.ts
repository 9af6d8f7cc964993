import {
  closeQuietly,
  errorCode,
  flags,
  ifThere,
  isWindows,
  noMoreBytes,
  type Platform,
  type Stat,
  writeAll,
} from "../host/index.js";
import { noSecondNames } from "../locks/index.js";
import { type Measure, PortError } from "../ports/index.js";
import { type Disk, Folder } from "./folder-handle.js";
import { isSameMeasure, measureBeside } from "./measure.js";

/** Another file as it is, if that is still what was measured. */
export interface Copied {
  readonly folder: Folder;
  readonly name: string;
  readonly measure: Measure;
}

interface NewContent {
  readonly name: string;
  readonly bytes: Uint8Array | Copied;
  /** The file whose mode and owner it gets; null: those of any new file. */
  readonly like: Stat | null;
  /** It takes that file's place: if it cannot have the same owner, `Bound` is thrown. */
  readonly replaces: boolean;
}

/**
 * The file has to be written in place: renaming over it would part it from its other names, give it to somebody else,
 * or is not possible.
 */
export class Bound extends Error {}

/** The whole content, flushed, under a name that nobody uses; nothing is left of it if that fails. */
export async function writeTemporary(disk: Disk, folder: Folder, content: NewContent): Promise<void> {
  const { io } = disk;
  const fd = io.open(folder.at(content.name), flags.create, modeOf(content.like));
  try {
    try {
      await fill(disk, fd, content);
      io.fsync(fd);
    } catch (error) {
      closeQuietly(io, fd);
      throw error;
    }
    io.close(fd);
  } catch (error) {
    folder.discard(content.name);
    throw error;
  }
}

/** The same, beside other work, for what is held in memory. */
export async function writeBeside(
  disk: Disk,
  folder: Folder,
  name: string,
  bytes: Uint8Array,
): Promise<void> {
  const fd = openNew(disk, folder, name, null);
  let isOpen = true;
  try {
    await store(disk, fd, bytes);
    isOpen = false;
    disk.io.close(fd);
  } catch (error) {
    if (isOpen) closeQuietly(disk.io, fd);
    folder.discard(name);
    throw error;
  }
}

/** For `store`. */
export function openNew({ io, platform }: Disk, folder: Folder, name: string, like: Stat | null): number {
  const through = isThrough(platform) ? flags.through : 0;
  return io.open(folder.at(name), flags.create | through, modeOf(like));
}

/** Elsewhere a flush does more than writing through: macOS also tells the disk to keep nothing back. */
function isThrough({ name }: Platform): boolean {
  return name === "linux";
}

/** Writing and flushing at once takes one call, and leaves this thread to its own work. */
export async function store(
  disk: Disk,
  fd: number,
  bytes: Uint8Array,
  like: Stat | null = null,
): Promise<void> {
  const { io, platform } = disk;
  for (let done = 0; done < bytes.length; ) {
    const written = await io.writeThrough(fd, done === 0 ? bytes : bytes.subarray(done));
    if (written <= 0) throw noMoreBytes();
    done += written;
  }
  const isActing = like !== null && (like.mode & 0o6000n) !== 0n;
  // Unless it is root who writes, that removed what a program may do in its owner's name.
  if (isActing) copyOwner(disk, fd, like);
  if (isActing || bytes.length === 0 || !isThrough(platform)) await io.flush(fd);
}

async function fill(disk: Disk, fd: number, { bytes, like, replaces }: NewContent): Promise<void> {
  if (bytes instanceof Uint8Array) writeAll(disk.io, fd, bytes);
  else await copy(disk, fd, bytes);
  if (like !== null) makeLike(disk, fd, like, replaces);
}

/** The file's own state before, which is dated by the clock of its file system. */
export function makeLike(disk: Disk, fd: number, like: Stat, replaces: boolean): Stat {
  const { own, isKept } = copyOwner(disk, fd, like);
  if (replaces && !isKept) throw new Bound("its owner would be another");
  return own;
}

/** A file that has changed is found out by who compares it next; here it must only not take its place. */
async function copy({ io }: Disk, fd: number, { folder, name, measure }: Copied): Promise<void> {
  const source = io.open(folder.at(name), flags.read);
  let copied: Measure;
  try {
    copied = await measureBeside(io, source, { copyTo: fd });
  } finally {
    closeQuietly(io, source);
  }
  if (!isSameMeasure(copied, measure))
    throw new PortError("busy", `${name} changes while it is moved; nothing was changed`);
}

/** Nobody else's content is readable for more people than it was, not even for a moment. */
function modeOf(like: Stat | null): number {
  if (like === null) return 0o666;
  return like.uid === self ? Number(like.mode & 0o777n) : 0o600;
}

/** Asked for once: a call for it takes as long as looking at the file. */
const self = BigInt(process.geteuid?.() ?? -1);

const notPermitted = new Set(["EPERM", "EINVAL", "ENOSYS", "ENOTSUP"]);

function isPermitted(action: () => void): boolean {
  try {
    action();
    return true;
  } catch (error) {
    if (notPermitted.has(errorCode(error))) return false;
    throw error;
  }
}

function copyOwner({ io, platform }: Disk, fd: number, like: Stat): { own: Stat; isKept: boolean } {
  const own = io.fstat(fd);
  if (isWindows(platform)) return { own, isKept: true };
  const uid = Number(like.uid);
  const gid = Number(like.gid);
  const same = own.uid === like.uid && own.gid === like.gid;
  const isKept = same || isPermitted(() => io.chown(fd, uid, gid));
  // Else at least the group; but then it must not act with the rights of its new owner.
  const hasGroup = isKept || own.gid === like.gid || isPermitted(() => io.chown(fd, Number(own.uid), gid));
  const mode = isKept ? Number(like.mode & 0o7777n) : forOthers(like, hasGroup);
  // A change of owner removes what a program may do in its owner's name.
  if (mode !== Number(own.mode & 0o7777n) || !same) isPermitted(() => io.chmod(fd, mode));
  return { own, isKept };
}

/** Another group gets no more than everybody has. */
function forOthers({ mode }: Stat, hasGroup: boolean): number {
  const all = Number(mode & 0o777n);
  return hasGroup ? all : (all & 0o707) | ((all & 0o007) << 3);
}

/**
 * Under its name only if the name is free: a rename would go over a file that somebody made meanwhile. The temporary
 * name may be left.
 */
export function putNew({ io }: Disk, folder: Folder, temporary: string, name: string): boolean {
  try {
    io.link(folder.at(temporary), folder.at(name));
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    if (!noSecondNames.has(errorCode(error))) throw error;
    if (folder.stat(name) !== null) return false;
    io.rename(folder.at(temporary), folder.at(name));
  }
  return true;
}

/** Missing folders on the way to a new file; those that were made, outermost first. */
export function missingFolders(disk: Disk, path: string): string[] {
  const missing: string[] = [];
  for (let at = path; ; at = disk.platform.path.dirname(at)) {
    const stat = ifThere(() => disk.io.stat(at));
    if (stat && !stat.isDirectory()) throw Object.assign(new Error(`${at} is a file`), { code: "ENOTDIR" });
    if (stat) return missing;
    missing.unshift(at);
    if (disk.platform.path.dirname(at) === at) return missing;
  }
}

export function makeFolders(disk: Disk, path: string): string[] {
  const missing = missingFolders(disk, path);
  for (const folder of missing) makeOne(disk, folder);
  return missing;
}

/** Through the folder above it, so that it is not made where a link leads that was put there meanwhile. */
export function makeOne(disk: Disk, path: string): void {
  inFolderAbove(disk, path, (at) => {
    try {
      disk.io.mkdir(at, 0o777);
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  });
}

export function removeFolders(disk: Disk, folders: readonly string[]): void {
  for (const path of folders.toReversed()) {
    try {
      inFolderAbove(disk, path, (at) => disk.io.rmdir(at));
    } catch {
      // Not empty: somebody put something there meanwhile, and it is theirs. Not there: it was never made.
    }
  }
}

function inFolderAbove(disk: Disk, path: string, body: (at: string) => void): void {
  const { dirname, basename } = disk.platform.path;
  const above = Folder.open(disk, dirname(path));
  if (above === null) throw Object.assign(new Error(`${dirname(path)} is gone`), { code: "ENOENT" });
  try {
    body(above.at(basename(path)));
  } finally {
    above.close();
  }
}
