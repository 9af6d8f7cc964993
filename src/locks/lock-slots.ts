import {
  errorCode,
  flags,
  held,
  type Io,
  ifThere,
  isMissing,
  newToken,
  type Platform,
  remove,
  withFile,
  writeAll,
} from "../host/index.js";

/** A file of this process that is a lock as long as it has the lock's name besides its own. */
export interface Slot {
  readonly path: string;
  /** Bytes it was ever filled with, so that nothing older shows behind what is shorter. */
  readonly size: number;
  /** The lock that it says it is. */
  readonly label: Label;
  /** When it was written or dated last. */
  readonly dated: number;
  readonly round: number;
}

export interface Label {
  readonly token: string;
  readonly key: string;
  readonly real: string;
}

/**
 * Files to make locks of, used again and again. A second name for a file that is there takes a tenth of the time of a
 * new file where many come and go (ext4 does not reuse the number of a removed file for five seconds, and looks at all
 * of those first), and a lock is never seen without its content.
 */
export class Slots {
  private readonly idle: Slot[] = [];
  private round = 0;

  constructor(
    private readonly io: Io,
    private readonly platform: Platform,
    private readonly folder: string,
    private readonly clock: () => number,
  ) {}

  /**
   * One that says already what it should, which saves writing it: then the lock is taken by the same token again. The
   * slot has to be dated more often than anybody who waits for it takes to believe its holder dead.
   */
  again({ key, real }: Omit<Label, "token">, datedFor: number): Slot | null {
    const last = this.idle.at(-1);
    if (last?.label.key !== key || last.label.real !== real || last.round !== this.round) return null;
    // Files that were locked together have one token: another of them may be locked by it already.
    if (held.tokens.has(last.label.token)) return null;
    this.idle.pop();
    const now = this.clock();
    if (Math.abs(now - last.dated) < datedFor) return last;
    try {
      this.io.touch(last.path, now / 1000);
      return { ...last, dated: now };
    } catch {
      return null;
    }
  }

  /** Throws ENOENT or ENOTDIR if the folder is not there. */
  fill(label: Label, bytes: Uint8Array): Slot {
    const used = this.idle.pop();
    const again = used && ifThere(() => this.io.open(used.path, flags.update));
    if (used && again !== null && again !== undefined)
      return this.write(used.path, again, label, padded(bytes, used.size));
    const path = this.platform.path.join(this.folder, `${newToken(this.clock)}${ending}`);
    const fd = this.io.open(path, flags.create, 0o600);
    held.clearAtExit(() => remove(this.io, path));
    return this.write(path, fd, label, bytes);
  }

  /** For slots whose lock is gone: a slot that still has a lock's name must not be written to. */
  free(slot: Slot): void {
    this.idle.push(slot);
  }

  /** A file is left, or may be, that has a token in its name and will be removed one day: none so far may be used again. */
  renew(): void {
    this.round += 1;
  }

  private write(path: string, fd: number, label: Label, bytes: Uint8Array): Slot {
    try {
      withFile(this.io, fd, () => writeAll(this.io, fd, bytes, 0));
      return { path, size: bytes.length, label, dated: this.clock(), round: this.round };
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
