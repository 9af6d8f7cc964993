import type { Disk, Folder } from "./folder.js";
import { errorCode, flags, ifThere, type Stat, withFile, writeAll } from "./io.js";
import { isWindows } from "./platform.js";
import { noSecondNames } from "./slot.js";

export interface NewContent {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The file whose mode and owner it gets; null: those of any new file. */
  readonly like: Stat | null;
}

/** The whole content, flushed, under a name that nobody uses; nothing is left of it if that fails. */
export function writeTemporary(disk: Disk, folder: Folder, content: NewContent): Stat | null {
  const { io } = disk;
  const fd = io.open(folder.at(content.name), flags.create, modeOf(content.like));
  try {
    return withFile(io, fd, () => {
      writeAll(io, fd, content.bytes);
      const made = content.like && copyOwner(disk, fd, content.like);
      io.fsync(fd);
      return made;
    });
  } catch (error) {
    folder.discard(content.name);
    throw error;
  }
}

/** Nobody else's content is readable for more people than it was, not even for a moment. */
function modeOf(like: Stat | null): number {
  if (like === null) return 0o666;
  return like.uid === BigInt(process.geteuid?.() ?? -1) ? Number(like.mode & 0o777n) : 0o600;
}

const notPermitted = new Set(["EPERM", "EINVAL", "ENOSYS", "ENOTSUP"]);

function ifPermitted(action: () => void): boolean {
  try {
    action();
    return true;
  } catch (error) {
    if (notPermitted.has(errorCode(error))) return false;
    throw error;
  }
}

function copyOwner({ io, platform }: Disk, fd: number, like: Stat): Stat {
  const own = io.fstat(fd);
  if (isWindows(platform)) return own;
  const [uid, gid] = [Number(like.uid), Number(like.gid)];
  const same = own.uid === like.uid && own.gid === like.gid;
  const kept = same || ifPermitted(() => io.chown(fd, uid, gid));
  // Else at least the group; but then it must not act with the rights of its new owner.
  if (!kept) ifPermitted(() => io.chown(fd, Number(own.uid), gid));
  const mode = Number(like.mode & (kept ? 0o7777n : 0o777n));
  // A change of owner takes away what a program may do in its owner's name.
  if (mode !== Number(own.mode & 0o7777n) || !same) ifPermitted(() => io.chmod(fd, mode));
  return own;
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
  for (let at = path; ifThere(() => disk.io.stat(at)) === null; at = disk.platform.path.dirname(at)) {
    missing.unshift(at);
    if (disk.platform.path.dirname(at) === at) break;
  }
  return missing;
}

export function makeFolders(disk: Disk, path: string): string[] {
  const missing = missingFolders(disk, path);
  for (const folder of missing) makeOne(disk, folder);
  return missing;
}

export function makeOne({ io }: Disk, folder: string): void {
  try {
    io.mkdir(folder, 0o777);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

export function removeFolders({ io }: Disk, folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      io.rmdir(folder);
    } catch {
      // Somebody put something there meanwhile: then it is theirs.
    }
  }
}
