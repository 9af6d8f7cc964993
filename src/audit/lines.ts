/** Reads a file of any size line by line, in a bounded piece of memory. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { Progress } from "./steps.js";

const piece = 4 * 1024 * 1024;
/** A longer line is left out: no client writes any. */
const longest = 256 * 1024 * 1024;
const lineFeed = 10;

/** `isWanted` looks at the line's first bytes. */
export function* linesOf(
  path: string,
  progress: Progress,
  isWanted: (head: string) => boolean = () => true,
): Generator<string> {
  // A pipe without a writer would be waited for.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(fd).isFile()) return;
    let buffer = Buffer.allocUnsafe(piece);
    let kept = 0;
    let isSkipping = false;
    for (;;) {
      const count = readSync(fd, buffer, kept, buffer.length - kept, null);
      const end = kept + count;
      let start = 0;
      for (
        let at = buffer.indexOf(lineFeed, kept);
        at >= 0 && at < end;
        at = buffer.indexOf(lineFeed, start)
      ) {
        if (!isSkipping) yield* wanted(buffer, start, at, isWanted);
        isSkipping = false;
        start = at + 1;
      }
      if (count === 0) {
        if (!isSkipping) yield* wanted(buffer, start, end, isWanted);
        return;
      }
      progress.read(count);
      kept = end - start;
      if (start > 0) buffer.copyWithin(0, start, end);
      else if (kept === buffer.length && buffer.length < longest) {
        const larger = Buffer.allocUnsafe(buffer.length * 2);
        buffer.copy(larger, 0, 0, kept);
        buffer = larger;
      } else if (kept === buffer.length) {
        isSkipping = true;
        progress.damaged();
        kept = 0;
      }
    }
  } finally {
    closeSync(fd);
  }
}

const headLength = 160;

function* wanted(
  buffer: Buffer,
  start: number,
  end: number,
  isWanted: (head: string) => boolean,
): Generator<string> {
  if (end <= start) return;
  if (!isWanted(buffer.toString("latin1", start, Math.min(end, start + headLength)))) return;
  yield buffer.toString("utf8", start, end);
}

export function parsedLine(line: string, progress: Progress): unknown {
  try {
    return JSON.parse(line);
  } catch {
    progress.damaged();
    return null;
  }
}
