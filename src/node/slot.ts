import { errorCode, flags, type Io, ifThere, isMissing, remove, withFile, writeAll } from "./io.js";
import { newToken } from "./names.js";
import type { Platform } from "./platform.js";
import { held } from "./processes.js";

/** A file of this process that is a lock as long as it has the lock's name besides its own. */
export interface Slot {
  readonly path: string;
  /** Bytes it was ever filled with, so that nothing older shows behind what is shorter. */
  readonly size: number;
}

/**
 * Files to make locks of, used again and again. A second name for a file that is there takes a tenth of the time of a
 * new file where many come and go (ext4 does not reuse the number of a removed file for five seconds, and looks at all
 * of those first), and a lock is never seen without its content.
 */
export class Slots {
  private readonly idle: Slot[] = [];

  constructor(
    private readonly io: Io,
    private readonly platform: Platform,
    private readonly folder: string,
    private readonly clock: () => number,
  ) {}

  /** Throws ENOENT or ENOTDIR if the folder is not there. */
  fill(bytes: Uint8Array): Slot {
    const used = this.idle.pop();
    const again = used && ifThere(() => this.io.open(used.path, flags.update));
    if (used && again !== null && again !== undefined)
      return this.write(used.path, again, padded(bytes, used.size));
    const path = this.platform.path.join(this.folder, `${newToken(this.clock)}${ending}`);
    const fd = this.io.open(path, flags.create, 0o600);
    held.clearAtExit(() => remove(this.io, path));
    return this.write(path, fd, bytes);
  }

  /** For slots whose lock is gone. One that still has a lock's name must not be written to. */
  free(slot: Slot): void {
    this.idle.push(slot);
  }

  private write(path: string, fd: number, bytes: Uint8Array): Slot {
    try {
      withFile(this.io, fd, () => writeAll(this.io, fd, bytes, 0));
      return { path, size: bytes.length };
    } catch (error) {
      try {
        remove(this.io, path);
      } catch {
        // Cleared away at the exit, or by whoever finds that this process is gone.
      }
      throw error;
    }
  }
}

export const ending = ".slot";

/** Blanks behind it do not change what JSON says. */
function padded(bytes: Uint8Array, size: number): Uint8Array {
  if (bytes.length >= size) return bytes;
  const filled = new Uint8Array(size).fill(32);
  filled.set(bytes);
  return filled;
}

export const noSecondNames: ReadonlySet<string> = new Set([
  ...["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EACCES", "EMLINK", "EXDEV", "EINVAL"],
]);

/** True: it is a lock now. False: somebody has it. null: this file system gives no second names. */
export function linkSlot(io: Io, slot: Slot, name: string): boolean | null {
  try {
    io.link(slot.path, name);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    if (noSecondNames.has(errorCode(error))) return null;
    throw error;
  }
}

/** Runs it once more after the folder was made, if that was what was missing. */
export function withFolder<T>(action: () => T, make: () => void): T {
  try {
    return action();
  } catch (error) {
    if (!isMissing(error) && errorCode(error) !== "ELOOP") throw error;
    make();
    return action();
  }
}
