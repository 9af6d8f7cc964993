import { closeQuietly, errorCode, failure, flags, type Io, ifThere, type Stat } from "../host/index.js";
import { PortError } from "../ports/index.js";
import { type Disk, isBehind } from "./folder-handle.js";

export interface Limits {
  /** Bytes of the largest file that is read or written. */
  readonly size: number;
  /** Milliseconds to wait for a file that another process holds. */
  readonly wait: number;
  /** Milliseconds that a search may take. */
  readonly time: number;
}

export const defaultLimits: Limits = { size: 64 * 1024 * 1024, wait: 10_000, time: 30_000 };

/** A regular file that is open for reading. */
interface Opened {
  readonly fd: number;
  readonly stat: Stat;
  readonly path: string;
}

/** The path led to another file by the time it was opened. */
export const moved = Symbol("moved");

/** Opens what stands behind a real path; null if nothing does. `path` is how it was asked for. */
export function openReal(disk: Disk, real: string, path: string): Opened | null | typeof moved {
  const { io } = disk;
  let fd: number | null = null;
  try {
    fd = ifThere(() => io.open(real, flags.read));
    if (fd === null) return null;
    const stat = io.fstat(fd);
    if (stat.isDirectory()) throw new PortError("io", `${path} is a folder; name a file in it`);
    if (!stat.isFile()) throw new PortError("io", `cannot read ${path}: it is not a regular file`);
    if (isBehind(disk, fd, real)) return { fd, stat, path };
    closeQuietly(io, fd);
    return moved;
  } catch (error) {
    if (fd !== null) closeQuietly(io, fd);
    // A link in the last place, where there was none when the path was followed.
    if (errorCode(error) === "ELOOP") return moved;
    throw failure("read", path, error);
  }
}

/** Closes the file whatever comes of it. */
export async function useOpened<T>(
  io: Io,
  { fd, stat, path }: Opened,
  use: (fd: number, stat: Stat) => T | Promise<T>,
): Promise<T> {
  let isOpen = true;
  try {
    const result = await use(fd, stat);
    isOpen = false;
    io.close(fd);
    return result;
  } catch (error) {
    if (isOpen) closeQuietly(io, fd);
    throw (error as Error).name === "AbortError" ? error : failure("read", path, error);
  }
}
/** In all: a process may have many sessions, each on files of its own. */
const mostBytes = 4 * 1024 * 1024;
/** The memory for each file beside its bytes is about this much: many short ones are a lot, too. */
const besides = 1024;

/**
 * The contents of files when they were read or written last. A second reader gets the same object, and knows by it that
 * nothing changed.
 */
export class Recent {
  private readonly contents = new Map<string, Uint8Array>();
  private size = 0;

  get(key: string): Uint8Array | undefined {
    return this.contents.get(key);
  }

  keep(key: string, bytes: Uint8Array): void {
    this.drop(key);
    if (bytes.length > mostBytes) return;
    this.contents.set(key, bytes);
    this.size += bytes.length + besides;
    while (this.size > mostBytes) this.drop(this.contents.keys().next().value as string);
  }

  private drop(key: string): void {
    const bytes = this.contents.get(key);
    if (bytes) this.size -= bytes.length + besides;
    this.contents.delete(key);
  }
}
