import { reason } from "./failure.js";
import type { Disk, Folder } from "./folder.js";
import { errorCode, flags, type Io, ifThere, type Stat, withFile } from "./io.js";
import { noSecondNames } from "./slot.js";

/** The file's state if its bytes are still these, else null. */
export function lookAgain(disk: Disk, folder: Folder, name: string, bytes: Uint8Array | null): Stat | null {
  const { io } = disk;
  const fd = bytes === null ? null : ifThere(() => io.open(folder.at(name), flags.read));
  if (fd === null || bytes === null) return null;
  return withFile(io, fd, () => {
    // Taken before the bytes are read, so that a write during the comparison shows.
    const stat = io.fstat(fd);
    return holds(io, fd, stat, bytes) ? stat : null;
  });
}

/** A piece stays in the processor's cache; reading the whole into new memory takes several times as long. */
const scratch = new Uint8Array(1 << 17);

function holds(io: Io, fd: number, stat: Stat, bytes: Uint8Array): boolean {
  if (!stat.isFile() || Number(stat.size) !== bytes.length) return false;
  for (let position = 0; position < bytes.length; ) {
    const count = io.read(fd, scratch, position);
    const expected = bytes.subarray(position, position + count);
    if (count === 0 || Buffer.compare(scratch.subarray(0, count), expected) !== 0) return false;
    position += count;
  }
  // Whether it has grown since is seen by its state, which is looked at once more.
  return true;
}

/** Nothing happened to the file since it was compared. Large files take longer to compare than a write takes. */
export function stillSame(folder: Folder, name: string, seen: Stat): boolean {
  const now = folder.stat(name);
  return now !== null && now.dev === seen.dev && now.ctimeNs === seen.ctimeNs && isUntouched(now, seen);
}

/** Nobody wrote into it: a rename or a second name changes the date of its state, but not that of its content. */
export function isUntouched(now: Stat, seen: Stat): boolean {
  return now.ino === seen.ino && now.size === seen.size && now.mtimeNs === seen.mtimeNs;
}

/**
 * A second name for the file that is about to be replaced. A writer who does not lock, and has it open, writes into
 * that file and no longer into the one that has its name; so it is looked at once more afterwards. False where files
 * have one name only.
 */
export function keepName({ io }: Disk, folder: Folder, name: string, old: string): boolean {
  try {
    io.link(folder.at(name), folder.at(old));
    return true;
  } catch (error) {
    if (noSecondNames.has(errorCode(error)) || errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

export interface Replaced {
  readonly name: string;
  readonly path: string;
  /** The second name of the file that was replaced, and its state when it was compared. */
  readonly old: string;
  readonly seen: Stat;
  /** The file that replaced it, when it was written. */
  readonly fresh: Stat | null;
}

/**
 * Asked after a rename: whether nobody wrote into the file that was replaced. If somebody did, it gets its name back,
 * with all that they still write, and the caller starts over from there.
 */
export function wasLast(disk: Disk, folder: Folder, replaced: Replaced): boolean {
  const { name, path, old, seen, fresh } = replaced;
  try {
    const kept = folder.stat(old);
    if (kept === null || isUntouched(kept, seen)) return true;
    const now = folder.stat(name);
    if (now !== null && fresh !== null && isUntouched(now, fresh)) {
      disk.io.rename(folder.at(old), folder.at(name));
      folder.flush();
      return false;
    }
    disk.report(`${path}: two programs that do not lock wrote at the same moment; the later write stands`);
  } catch (error) {
    disk.report(`${path}: what another program wrote at the same moment may be lost: ${reason(error)}`);
  }
  return true;
}
