/** Files of the state folder that grow line by line. */
import { flags, type Io, ifThere, readAll, reason, withFile, writeAll } from "../../host/index.js";
import { type FileStamp, stampOf } from "./file-stamp.js";
import { makeWay, repairing } from "./put-aside.js";
import type { StoreContext } from "./replace-file.js";

export const lineFeed = 10;

/** Reads a file from an offset on; null: there is no such file, or it cannot be read. */
export function readFrom(
  context: StoreContext,
  path: string,
  offsetIn: (stamp: FileStamp) => number | null,
): { readonly stamp: FileStamp; readonly bytes: Uint8Array | null } | null {
  const { io } = context;
  try {
    // Opened, since what is remembered of a name may be old where several machines use a disk.
    const fd = io.isThere(path) ? ifThere(() => io.open(path, flags.read)) : null;
    if (fd === null) return null;
    return withFile(io, fd, () => {
      const stamp = stampOf(io, fd);
      const offset = offsetIn(stamp);
      if (offset === null) return { stamp, bytes: null };
      return {
        stamp,
        bytes: offset === 0 ? readAll(io, fd, Number.MAX_SAFE_INTEGER) : tailOf(io, fd, offset, stamp.size),
      };
    });
  } catch (error) {
    if (!makeWay(context, path)) context.report(`${path} cannot be read: ${reason(error)}`);
    return null;
  }
}

function tailOf(io: Io, fd: number, offset: number, size: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(Math.max(0, size - offset));
  let filled = 0;
  while (filled < bytes.length) {
    const count = io.read(fd, bytes.subarray(filled), offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

/** The names in a folder; of one that cannot be read, none. */
export function namesIn(context: StoreContext, folder: string): string[] {
  const { io, report, platform } = context;
  try {
    return (ifThere(() => io.readdir(folder)) ?? []).map(({ name }) => name);
  } catch (error) {
    if (!makeWay(context, platform.path.join(folder, "any")))
      report(`${folder} cannot be read: ${reason(error)}`);
    return [];
  }
}

/**
 * Appends with a single call, so that lines of several processes do not mix: a new file in the place of the old one takes
 * ten times as long, and a hundred times where the disk is busy. A line begins with its break, so one that was cut off
 * spoils no other. null: there is no such file, or `isOther` says that it is to be written anew.
 */
export function appendTo(
  context: StoreContext,
  path: string,
  bytes: Uint8Array,
  isOther: (now: FileStamp) => boolean,
): FileStamp | null {
  const { io } = context;
  return repairing(context, path, () => {
    const fd = io.isThere(path) ? ifThere(() => io.open(path, flags.extend)) : null;
    if (fd === null) return null;
    return withFile(io, fd, () => {
      const now = stampOf(io, fd);
      if (now.size === 0 || isOther(now)) return null;
      try {
        writeAll(io, fd, bytes);
      } catch (error) {
        withdraw(io, fd, now.size);
        throw error;
      }
      return stampOf(io, fd);
    });
  });
}

/** Should it fail, the half line is passed over. */
function withdraw(io: Io, fd: number, size: number): void {
  try {
    io.truncate(fd, size);
  } catch {}
}

/** Lines that begin with a break, and where each ends. */
export function* linesOf(bytes: Uint8Array): Generator<{ readonly text: string; readonly end: number }> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let start = 0; start < bytes.length; ) {
    const next = bytes.indexOf(lineFeed, start);
    const end = next < 0 ? bytes.length : next;
    if (end > start) {
      let text = "";
      try {
        text = decoder.decode(bytes.subarray(start, end));
      } catch {}
      yield { text, end };
    }
    start = end + 1;
  }
}
