/** One file as it is on the disk: its identity, and its bytes where that says too little. */
import { closeQuietly, flags, ifThere, nodeIo, readAll, type Stat } from "../../host/index.js";

/** A file as a look remembers it. */
export interface Sighting {
  /** Inode, size, and the times of text and file; "" if the file is not there. */
  readonly identity: string;
  /** null: there is no file. A file that is too large to be read has a name made of its identity. */
  readonly version: string | null;
  /** Its text is on record. */
  readonly isKept: boolean;
}

export const absent: Sighting = { identity: "", version: null, isKept: false };

/** Times of a file closer than this to a look may belong to a later change as well. */
const settledAfter = 2_000;

export interface DiskFile {
  readonly identity: string;
  /** Milliseconds: the later one of text and file. */
  readonly changed: number;
  readonly size: number;
  /** A link, a folder, a pipe. */
  readonly isOther: boolean;
}

/** null: there is nothing. */
export function statOf(path: string): DiskFile | null {
  try {
    const stat = ifThere(() => nodeIo.lstat(path));
    return stat && fileOf(stat);
  } catch {
    return null;
  }
}

function fileOf(stat: Stat): DiskFile {
  const { ino, size, mtimeNs, ctimeNs, mtimeMs, ctimeMs } = stat;
  return {
    identity: `${ino}.${size}.${mtimeNs}.${ctimeNs}`,
    changed: Math.max(Number(mtimeMs), Number(ctimeMs)),
    size: Number(size),
    isOther: !stat.isFile(),
  };
}

/** Whether the identity alone tells that the text is what it was at a look of that time. */
export function isSettled({ changed }: DiskFile, time: number): boolean {
  return changed < time - settledAfter;
}

/** The bytes with the identity of the file that was opened; null if it is not there, too large, or cannot be read. */
export function readSighted(
  path: string,
  limit: number,
): { readonly file: DiskFile; readonly bytes: Uint8Array } | null {
  let fd: number | null = null;
  try {
    fd = ifThere(() => nodeIo.open(path, flags.read));
    if (fd === null) return null;
    const stat = nodeIo.fstat(fd);
    const bytes = stat.isFile() ? readAll(nodeIo, fd, limit, stat) : null;
    return bytes && { file: fileOf(stat), bytes };
  } catch {
    return null;
  } finally {
    if (fd !== null) closeQuietly(nodeIo, fd);
  }
}
