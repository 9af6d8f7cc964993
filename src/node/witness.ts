import type { Content } from "../session/index.js";
import { reason } from "./failure.js";
import type { Disk, Folder } from "./folder.js";
import { closeQuietly, errorCode, flags, type Io, ifThere, type Stat, withFile } from "./io.js";
import { isSameMeasure, measureFile } from "./measure.js";
import { isWindows } from "./platform.js";
import { noSecondNames } from "./slot.js";

/** The file's state if its bytes are still these, else null. */
export function lookAgain(disk: Disk, folder: Folder, name: string, bytes: Content | null): Stat | null {
  const { io } = disk;
  const fd = bytes === null ? null : ifThere(() => io.open(folder.at(name), flags.read));
  if (fd === null || bytes === null) return null;
  return withFile(io, fd, () => {
    // Taken before the bytes are read, so that a write during the comparison shows.
    const stat = io.fstat(fd);
    return holds(io, fd, stat, bytes) ? stat : null;
  });
}

/** A file that is about to be replaced, and its state when its bytes were known to be the expected ones. */
export interface Seen {
  readonly stat: Stat;
  /** Open, so that it is not freed while somebody waits; null on Windows, which renames over no open file. */
  readonly fd: number | null;
}

export interface Expected {
  readonly name: string;
  readonly bytes: Content | null;
  /** The file's state if it was found to have these bytes a while ago. */
  readonly early: Stat | null;
  /** A file written before that: its date is the clock's of this file system. */
  readonly fresh: Stat | null;
}

/** The last look before a rename; null if it is not the file with these bytes any more. */
export function lookLast(disk: Disk, folder: Folder, expected: Expected): Seen | null {
  const { name, bytes, early, fresh } = expected;
  const { io, platform } = disk;
  const fd = ifThere(() => io.open(folder.at(name), flags.read));
  if (fd === null) return null;
  let isSame = false;
  try {
    const stat = io.fstat(fd);
    isSame =
      (early !== null && isTelling(early, fresh) && isUnchanged(stat, early)) ||
      (bytes !== null && holds(io, fd, stat, bytes) && stillSame(folder, name, stat));
    return isSame ? { stat, fd: isWindows(platform) ? null : fd } : null;
  } finally {
    if (!isSame || isWindows(platform)) closeQuietly(io, fd);
  }
}

/**
 * Whether the state tells of every write since. The date of the content is as coarse as the clock's tick, or as the
 * file system keeps it: what was written in the tick that it shows shows nothing.
 */
function isTelling(seen: Stat, fresh: Stat | null): boolean {
  return fresh !== null && seen.mtimeNs < fresh.mtimeNs;
}

/** Nothing was written through it, and what it frees is nobody's concern. */
export function release({ io }: Disk, { fd }: Seen): void {
  try {
    if (fd !== null) io.release(fd);
  } catch {}
}

/** A piece stays in the processor's cache; reading the whole into new memory takes several times as long. */
const scratch = new Uint8Array(1 << 17);

function holds(io: Io, fd: number, stat: Stat, bytes: Content): boolean {
  if (!(bytes instanceof Uint8Array))
    return stat.isFile() && Number(stat.size) === bytes.size && isSameMeasure(measureFile(io, fd), bytes);
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
  return now !== null && isUnchanged(now, seen);
}

function isUnchanged(now: Stat, seen: Stat): boolean {
  return now.dev === seen.dev && now.ctimeNs === seen.ctimeNs && isUntouched(now, seen);
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
  /** The second name of the file that was replaced, and the file. */
  readonly old: string;
  readonly seen: Seen;
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
    const kept = seen.fd === null ? folder.stat(old) : disk.io.fstat(seen.fd);
    if (kept === null || isUntouched(kept, seen.stat)) return true;
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
