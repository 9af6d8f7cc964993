import { writeTemporary } from "./content.js";
import { reason } from "./failure.js";
import type { Disk, Folder } from "./folder.js";
import { flags, type Io, ifThere, readAll, type Stat } from "./io.js";

/** How long a writer may pause, in milliseconds, before what it wrote counts as all of it. */
const quiet = 15;

/**
 * A file that is about to be replaced, held open. A writer who does not lock, and had it open or opened it at the last
 * moment, writes into this file and no longer into the one that has its name: here that is still seen.
 */
export class Witness {
  private isOpen = true;

  private constructor(
    private readonly disk: Disk,
    private readonly fd: number,
    /** As it was when its bytes were compared. */
    readonly seen: Stat,
  ) {}

  /** null if it no longer holds these bytes. */
  static open(disk: Disk, folder: Folder, name: string, bytes: Uint8Array): Witness | null {
    const { io } = disk;
    const fd = ifThere(() => io.open(folder.at(name), flags.read));
    if (fd === null) return null;
    try {
      // Taken before the bytes are read, so that a write during the comparison shows.
      const seen = io.fstat(fd);
      if (holds(io, fd, seen, bytes)) return new Witness(disk, fd, seen);
    } catch (error) {
      io.close(fd);
      throw error;
    }
    io.close(fd);
    return null;
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    try {
      this.disk.io.close(this.fd);
    } catch {
      // Nothing was written through it.
    }
  }

  /** What was written into it after all, once the writer is done; null if nothing was. */
  async written(): Promise<Uint8Array | null> {
    let before = this.seen;
    for (;;) {
      const now = this.disk.io.fstat(this.fd);
      if (now.size === before.size && now.mtimeNs === before.mtimeNs) break;
      before = now;
      await new Promise((resolve) => setTimeout(resolve, quiet));
    }
    if (before === this.seen) return null;
    return readAll(this.disk.io, this.fd, Number.MAX_SAFE_INTEGER);
  }
}

export interface Replaced {
  readonly name: string;
  readonly path: string;
  readonly temporary: string;
  readonly before: Uint8Array;
  /** The new file, to know it again. */
  readonly fresh: Stat | null;
}

/**
 * Called after a rename. True if nobody wrote into the file that was replaced; else what they wrote is put back in
 * its place, and the caller starts over from there.
 */
export async function wasLast(
  disk: Disk,
  folder: Folder,
  witness: Witness,
  replaced: Replaced,
): Promise<boolean> {
  const { io, report } = disk;
  const { name, path, temporary, before, fresh } = replaced;
  try {
    const theirs = await witness.written();
    if (theirs === null || Buffer.compare(theirs, before) === 0) return true;
    writeTemporary(disk, folder, { name: temporary, bytes: theirs, like: witness.seen });
    if (folder.stat(name)?.ino === fresh?.ino) {
      io.rename(folder.at(temporary), folder.at(name));
      folder.flush();
      return false;
    }
    folder.discard(temporary);
    report(`${path}: what another program wrote at the same moment was replaced by a third one`);
  } catch (error) {
    folder.discard(temporary);
    report(`${path}: what another program wrote at the same moment may be lost: ${reason(error)}`);
  }
  return true;
}

/** The file's state if its bytes are still these, else null. */
export function lookAgain(disk: Disk, folder: Folder, name: string, bytes: Uint8Array | null): Stat | null {
  const witness = bytes && Witness.open(disk, folder, name, bytes);
  witness?.close();
  return witness?.seen ?? null;
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
  return (
    now !== null &&
    now.ino === seen.ino &&
    now.dev === seen.dev &&
    now.size === seen.size &&
    now.mtimeNs === seen.mtimeNs &&
    now.ctimeNs === seen.ctimeNs
  );
}
