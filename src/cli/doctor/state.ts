import { accessSync, constants, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The state folder as `doctor` sees it. Nothing here changes anything. */
interface StateHealth {
  readonly files: number;
  readonly bytes: number;
  readonly isPrivate: boolean;
  readonly isWritable: boolean;
  /** Files that were put aside as damaged. */
  readonly damaged: number;
  /** Batches that a crash left unfinished. */
  readonly unfinished: number;
  readonly locks: readonly HeldLock[];
}

export interface HeldLock {
  readonly path: string;
  readonly pid: number | null;
  readonly host: string;
  /** Milliseconds since its holder last showed a sign of life. */
  readonly silent: number;
}

export function stateHealth(folder: string, now: number): StateHealth {
  const { files, bytes } = sizeBelow(folder);
  return {
    files,
    bytes,
    isPrivate: process.platform === "win32" || (statSync(folder).mode & 0o077) === 0,
    isWritable: isWritable(folder),
    damaged: entriesOf(join(folder, "damaged")).length,
    unfinished: entriesOf(join(folder, "batches")).length,
    locks: entriesOf(join(folder, "locks"))
      .filter((name) => !name.includes("."))
      .flatMap((name) => readLock(join(folder, "locks", name), now)),
  };
}

function readLock(path: string, now: number): HeldLock[] {
  try {
    const modified = lstatSync(path).mtimeMs;
    const lock = JSON.parse(readFileSync(path, "utf8")) as { path?: string; pid?: number; host?: string };
    const silent = Math.max(0, now - modified);
    return [{ path: lock.path ?? path, pid: lock.pid ?? null, host: lock.host ?? "", silent }];
  } catch {
    // The lock was released meanwhile.
    return [];
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function sizeBelow(folder: string): { files: number; bytes: number } {
  let files = 0;
  let bytes = 0;
  for (const name of entriesOf(folder)) {
    const path = join(folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) {
      const below = sizeBelow(path);
      files += below.files;
      bytes += below.bytes;
    } else if (stat) {
      files += 1;
      bytes += stat.size;
    }
  }
  return { files, bytes };
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
