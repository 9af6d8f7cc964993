/** Reads a file of any size line by line, in a bounded piece of memory. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { Progress } from "./steps.js";

const pieceSize = 4 * 1024 * 1024;
/** A longer line is left out: no client writes any. */
const longestLine = 256 * 1024 * 1024;
const lineFeed = 10;

/** Where a line stands in its file, in bytes. */
export interface LineSpan {
  readonly start: number;
  readonly end: number;
}

/** The line that was given last. */
export interface LineCursor {
  start: number;
  end: number;
}

/** `isWanted` looks at the line's first bytes. */
export function* linesOf(
  path: string,
  progress: Progress,
  isWanted: (head: string) => boolean = () => true,
  cursor: LineCursor = { start: 0, end: 0 },
): Generator<string> {
  // Opening a pipe that has no writer would block.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(fd).isFile()) return;
    let buffer = Buffer.allocUnsafe(pieceSize);
    let kept = 0;
    /** Where the buffer begins in the file. */
    let base = 0;
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
        [cursor.start, cursor.end] = [base + start, base + at];
        const line = isSkipping ? null : lineIn(buffer, { start, end: at }, isWanted);
        if (line !== null) yield line;
        isSkipping = false;
        start = at + 1;
      }
      if (count === 0) {
        [cursor.start, cursor.end] = [base + start, base + end];
        const line = isSkipping ? null : lineIn(buffer, { start, end }, isWanted);
        if (line !== null) yield line;
        return;
      }
      progress.read(count);
      kept = end - start;
      base += start;
      if (start > 0) buffer.copyWithin(0, start, end);
      else if (kept === buffer.length && buffer.length < longestLine) {
        const larger = Buffer.allocUnsafe(buffer.length * 2);
        buffer.copy(larger, 0, 0, kept);
        buffer = larger;
      } else if (kept === buffer.length) {
        isSkipping = true;
        progress.damaged();
        base += kept;
        kept = 0;
      }
    }
  } finally {
    closeSync(fd);
  }
}

const headLength = 160;

/** null: it is empty, or nobody wants it. */
function lineIn(
  buffer: Buffer,
  { start, end }: LineSpan,
  isWanted: (head: string) => boolean,
): string | null {
  if (end <= start) return null;
  const isRead = isWanted(buffer.toString("latin1", start, Math.min(end, start + headLength)));
  return isRead ? buffer.toString("utf8", start, end) : null;
}

/** Reads some lines again. */
export function linesAt(path: string, spans: readonly LineSpan[]): string[] {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    return spans.map(({ start, end }) => {
      const bytes = Buffer.allocUnsafe(end - start);
      return bytes.toString("utf8", 0, readSync(fd, bytes, 0, bytes.length, start));
    });
  } finally {
    closeSync(fd);
  }
}

export function parsedLine(line: string, progress: Progress): unknown {
  try {
    return JSON.parse(line);
  } catch {
    progress.damaged();
    return null;
  }
}
