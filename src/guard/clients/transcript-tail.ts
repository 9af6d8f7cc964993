/** Transcripts that clients keep: lines of JSON, only ever appended to. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Older lines are left out: a hook has no time for them. */
const longestTail = 8 * 1024 * 1024;
/** The same where something would be refused otherwise. */
const longestSearch = 64 * 1024 * 1024;
const block = 4 * 1024 * 1024;

interface Tail {
  readonly text: string;
  /** The size of the file. */
  readonly to: number;
}

/** The end of a file, from this byte on at most. Nothing, if it cannot be read. */
export function tailOf(path: string, from = 0): Tail {
  const tail = withFile(path, (fd, size) => {
    const start = Math.max(from <= size ? from : 0, size - longestTail);
    return { text: bytesOf(fd, start, size).toString("utf8"), to: size };
  });
  return tail ?? { text: "", to: from };
}

interface Lines {
  readonly lines: readonly string[];
  /** The line to begin with was reached, or the beginning of the file. */
  readonly isComplete: boolean;
}

/** The lines from the last one that `begins` on, read from the end. None, if the file cannot be read. */
export function linesSince(path: string, begins: (line: string) => boolean, isLate: () => boolean): Lines {
  const found = withFile(path, (fd, size) => {
    const lines: string[] = [];
    let rest = Buffer.alloc(0);
    for (let at = size; at > 0; ) {
      if (size - at >= longestSearch || isLate()) return { lines: lines.reverse(), isComplete: false };
      const start = Math.max(0, at - block);
      const bytes = Buffer.concat([bytesOf(fd, start, at), rest]);
      const cut = start === 0 ? 0 : bytes.indexOf("\n") + 1;
      at = start;
      rest = start > 0 && cut === 0 ? bytes : bytes.subarray(0, cut);
      if (rest === bytes) continue;
      for (const line of bytes.toString("utf8", cut).split("\n").reverse()) {
        lines.push(line);
        if (begins(line)) return { lines: lines.reverse(), isComplete: true };
      }
    }
    return { lines: lines.reverse(), isComplete: true };
  });
  return found ?? { lines: [], isComplete: true };
}

/** Null if it is no file or cannot be read. A pipe without a writer would be waited for. */
function withFile<T>(path: string, read: (fd: number, size: number) => T): T | null {
  try {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stat = fstatSync(fd);
      return stat.isFile() ? read(fd, stat.size) : null;
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}

function bytesOf(fd: number, start: number, end: number): Buffer {
  const bytes = Buffer.alloc(end - start);
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, start));
}

export function parsedLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
