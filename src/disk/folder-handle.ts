import { errorCode, flags, type Io, ifThere, type Platform, remove, type Stat } from "../host/index.js";
import { PortError } from "../ports/index.js";

/** The parts of the machine that commits and batches work with. */
export interface Disk {
  readonly io: Io;
  readonly platform: Platform;
  /** Takes a line that a person should see; the work goes on. */
  readonly report: (line: string) => void;
  /** Remembers a file of ours that could not be removed, for the next start. */
  readonly leave: (path: string) => void;
}

/**
 * A folder that is held open while something is done in it.
 *
 * On Linux every path goes through the open folder, which stays this folder even if somebody swaps a link on the way to
 * it; the descriptor alone says which folder it is. Without /proc, and on other systems, the real path is looked at once
 * more when the folder is opened, and a swap right after that look is not noticed.
 */
export class Folder {
  private constructor(
    private readonly disk: Disk,
    readonly path: string,
    private readonly fd: number | null,
    /** The path through the open folder, with "/" at its end. */
    private readonly pinned: string | null,
  ) {}

  /** null if there is no such folder. Throws `busy` if another folder is now behind the path. */
  static open(disk: Disk, path: string): Folder | null {
    const { io, platform } = disk;
    if (platform.name === "win32") {
      if (ifThere(() => io.realpath(path)) === null) return null;
      checkSame(io, path, null);
      return new Folder(disk, path, null, null);
    }
    const fd = openIfThere(io, path);
    if (fd === null) return null;
    try {
      const behind = pathBehind(disk, fd);
      if (behind === null) checkSame(io, path, io.fstat(fd));
      else if (behind !== path) throw swapped(path);
      return new Folder(disk, path, fd, behind === null ? null : `${openedAt(fd)}/`);
    } catch (error) {
      io.close(fd);
      throw error;
    }
  }

  at(name: string): string {
    return this.pinned === null ? this.disk.platform.path.join(this.path, name) : this.pinned + name;
  }

  stat(name: string): Stat | null {
    const path = this.at(name);
    return ifThere(() => this.disk.io.lstat(path));
  }

  /**
   * Makes the names in the folder last. A rename counts with or without this flush, so a failure is reported but does
   * not fail the commit.
   */
  flush(): void {
    try {
      if (this.fd !== null) this.disk.io.fsync(this.fd);
    } catch (error) {
      this.tell(error);
    }
  }

  /** The same, beside other work. */
  async flushed(): Promise<void> {
    try {
      if (this.fd !== null) await this.disk.io.flush(this.fd);
    } catch (error) {
      this.tell(error);
    }
  }

  private tell(error: unknown): void {
    const code = errorCode(error);
    // File systems that cannot flush folders say so like this.
    if (code === "EINVAL" || code === "ENOTSUP" || code === "EPERM") return;
    const { report } = this.disk;
    report(`${this.path}: written, but a power failure now may bring the old content back (${code})`);
  }

  /** Clears a file of ours away, without hiding the failure that made it useless. */
  discard(name: string): void {
    for (const last of [false, true]) {
      try {
        remove(this.disk.io, this.at(name));
        return;
      } catch {
        if (last) this.disk.leave(this.disk.platform.path.join(this.path, name));
      }
    }
  }

  close(): void {
    try {
      if (this.fd !== null) this.disk.io.close(this.fd);
    } catch {
      // Nothing was written through it.
    }
  }
}

// A file in the place of the folder is an error to be told, not an absence.
function openIfThere(io: Io, path: string): number | null {
  try {
    return io.open(path, flags.folder);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Where Linux shows an open file. */
function openedAt(fd: number): string {
  return `/proc/self/fd/${fd}`;
}

/** The path of what is open, as the system knows it; null where it does not tell. */
function pathBehind({ io, platform }: Pick<Disk, "io" | "platform">, fd: number): string | null {
  if (platform.name !== "linux") return null;
  try {
    return io.readlink(openedAt(fd));
  } catch {
    return null;
  }
}

/**
 * Whether what was opened is what stands behind a real path: nobody swapped a link on the way to it. The descriptor alone
 * decides where the system tells its path: a second look at the path could meet the next swap.
 */
export function isBehind(disk: Pick<Disk, "io" | "platform">, fd: number, path: string): boolean {
  const behind = pathBehind(disk, fd);
  if (behind === null) return isSameFolder(disk.io, path, disk.io.fstat(fd));
  // A file that was replaced after it was opened was still the right one.
  return behind === path || behind === `${path} (deleted)`;
}

function isSameFolder(io: Io, path: string, opened: Stat | null): boolean {
  const now = ifThere(() => io.stat(path));
  if (now === null || ifThere(() => io.realpath(path)) !== path) return false;
  return opened === null || (now.dev === opened.dev && now.ino === opened.ino);
}

function checkSame(io: Io, path: string, opened: Stat | null): void {
  if (!isSameFolder(io, path, opened)) throw swapped(path);
}

function swapped(path: string): PortError {
  return new PortError("busy", `${path} was moved or replaced by a link just now; nothing was changed`);
}
