import { PortError } from "../session/index.js";
import { failure } from "./failure.js";
import { type Disk, isBehind } from "./folder.js";
import { closeQuietly, errorCode, flags, type Io, ifThere, type Stat } from "./io.js";

/** A regular file that is open for reading. */
export interface Opened {
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
    if (stat.isDirectory()) throw new PortError("io", `cannot read ${path}: it is a folder`);
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
