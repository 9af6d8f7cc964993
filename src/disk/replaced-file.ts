import {
  closeQuietly,
  errorCode,
  flags,
  type Io,
  ifThere,
  isWindows,
  reason,
  type Stat,
  withFile,
} from "../host/index.js";
import { noSecondNames } from "../locks/index.js";
import type { Content } from "../ports/index.js";
import type { Disk, Folder } from "./folder-handle.js";
import { isSameMeasure, measureBeside } from "./measure.js";

/** The file's state if its bytes are still these, else null. */
function lookAgain({ io }: Disk, folder: Folder, name: string, bytes: Uint8Array | null): Stat | null {
  const fd = bytes === null ? null : ifThere(() => io.open(folder.at(name), flags.read));
  if (fd === null || bytes === null) return null;
  return withFile(io, fd, () => {
    // Taken before the bytes are read, so that a write during the comparison shows.
    const stat = io.fstat(fd);
    return hasBytes(io, fd, stat, bytes) ? stat : null;
  });
}

/** The same for content that may be too large to be held: that is measured beside other work. */
export async function lookAtContent(
  disk: Disk,
  folder: Folder,
  name: string,
  content: Content | null,
): Promise<Stat | null> {
  if (content === null || content instanceof Uint8Array) return lookAgain(disk, folder, name, content);
  const { io } = disk;
  const path = folder.at(name);
  const fd = ifThere(() => io.open(path, flags.read));
  if (fd === null) return null;
  try {
    const stat = io.fstat(fd);
    const mayBe = stat.isFile() && Number(stat.size) === content.size;
    return mayBe && isSameMeasure(await measureBeside(io, fd), content) ? stat : null;
  } finally {
    closeQuietly(io, fd);
  }
}

/**
 * Whether the state tells of every write since. The date of the content is as coarse as the clock's tick, or as the
 * file system keeps it: what was written in the tick that it shows shows nothing.
 */
function isTelling(seen: Stat, fresh: Stat): boolean {
  return seen.mtimeNs < fresh.mtimeNs;
}

/** A piece stays in the processor's cache; reading the whole into new memory takes several times as long. */
const scratch = new Uint8Array(1 << 17);

/** Whether these are the bytes of the file. */
export function hasBytes(io: Io, fd: number, stat: Stat, bytes: Uint8Array): boolean {
  if (!stat.isFile() || Number(stat.size) !== bytes.length) return false;
  // Some file systems announce no size of what is made when it is read.
  if (bytes.length === 0) return io.read(fd, scratch, 0) === 0;
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
export function isStillSame(folder: Folder, name: string, seen: Stat): boolean {
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

/** A file that is about to be replaced, watched from when its bytes are compared until it is gone. */
export class ReplacedFile {
  /** Its state when it had the expected bytes. */
  private seen: Stat | null = null;
  /** Open, so that it is not freed while somebody waits; null on Windows, which renames over no open file. */
  private fd: number | null = null;
  private old: string | null = null;

  constructor(
    private readonly disk: Disk,
    private readonly folder: Folder,
    private readonly name: string,
    private readonly bytes: Uint8Array | null,
  ) {}

  /** Gives it a second name, by which it is reached when it is replaced. */
  keep(old: string): void {
    if (keepName(this.disk, this.folder, this.name, old)) this.old = old;
  }

  /** If it has the expected bytes now, they need not be looked at again as long as nothing happens to it. */
  compare(): void {
    this.seen = lookAgain(this.disk, this.folder, this.name, this.bytes);
  }

  /**
   * The last look before the rename: whether it has the expected bytes. `fresh` is a file made before it was compared: its
   * date is that of this file system's clock.
   */
  isStill(fresh: Stat): boolean {
    const { io, platform } = this.disk;
    this.close();
    // By opening it: what another machine wrote to a disk that both use may not show in what is remembered of a name.
    const path = this.folder.at(this.name);
    const fd = ifThere(() => io.open(path, flags.read));
    this.fd = fd;
    if (fd === null) return false;
    try {
      const { seen } = this;
      const isKnown = seen !== null && isTelling(seen, fresh) && isUnchanged(io.fstat(fd), seen);
      return isKnown || this.hasBytes(fd);
    } finally {
      // At once: beside other work it would still be open when it is renamed over, however often that is tried.
      if (isWindows(platform)) {
        this.fd = null;
        closeQuietly(io, fd);
      }
    }
  }

  private hasBytes(fd: number): boolean {
    const { disk, folder, name, bytes } = this;
    this.keepAgain();
    const stat = disk.io.fstat(fd);
    if (bytes === null || !hasBytes(disk.io, fd, stat, bytes)) return false;
    this.seen = stat;
    return isStillSame(folder, name, stat);
  }

  /** Somebody may have put another file there since the second name was given. */
  private keepAgain(): void {
    const { folder, name, old } = this;
    if (old === null || folder.stat(old)?.ino === folder.stat(name)?.ino) return;
    this.old = null;
    folder.discard(old);
    this.keep(old);
  }

  /**
   * Asked after the rename: whether nobody wrote into it. If somebody did, it gets its name back, with all that they
   * still write, and the caller starts over from there. `after` is what it was replaced by.
   */
  isLast(path: string, after: Uint8Array): boolean {
    const { disk, folder, name, old, seen, fd } = this;
    if (old === null || seen === null) return true;
    try {
      const kept = fd === null ? folder.stat(old) : disk.io.fstat(fd);
      if (kept === null || isUntouched(kept, seen)) return true;
      if (lookAgain(disk, folder, name, after) !== null) {
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

  release(): void {
    if (this.old !== null) this.folder.discard(this.old);
    this.close();
  }

  /** Nothing was written through it, and what it frees is nobody's concern. */
  private close(): void {
    const { fd } = this;
    this.fd = null;
    try {
      if (fd !== null) this.disk.io.release(fd);
    } catch {}
  }
}
