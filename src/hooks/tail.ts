/** Transcripts that clients keep: lines of JSON, only ever appended to. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** What lies further back is left out: a hook has no time for it. */
const longestTail = 8 * 1024 * 1024;

export interface Tail {
  readonly text: string;
  /** The size of the file. */
  readonly to: number;
}

/** The end of a file, from this byte on at most. Nothing, if it cannot be read. */
export function tailOf(path: string, from = 0): Tail {
  try {
    const fd = openSync(path, "r");
    try {
      const { size } = fstatSync(fd);
      const start = Math.max(from <= size ? from : 0, size - longestTail);
      const bytes = Buffer.alloc(size - start);
      const count = readSync(fd, bytes, 0, bytes.length, start);
      return { text: bytes.toString("utf8", 0, count), to: size };
    } finally {
      closeSync(fd);
    }
  } catch {
    return { text: "", to: from };
  }
}

export function parsedLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
