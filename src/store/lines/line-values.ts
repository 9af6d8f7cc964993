import { withChecksum } from "../../host/index.js";
import { Recent } from "../../text/index.js";
import type { FileStamp } from "./file-stamp.js";
import { appendTo, linesOf, readFrom } from "./line-file.js";
import { replaceFile, type StoreContext } from "./replace-file.js";

interface KnownValue<T> {
  readonly stamp: FileStamp;
  readonly value: T;
  /** Where the last line that counts ends. */
  readonly end: number;
}

/** The value that a line is written for. */
type Made<T> = (text: string) => T;

const mostKnown = 64;

/**
 * Values that have a file of lines each: a line says what came to what the lines before it say. A file is read on from
 * where it was read last, and the same object comes back while nobody wrote since.
 */
export class LineValues<T> {
  private readonly known = new Recent<string, KnownValue<T>>(mostKnown);

  /** `next`: what a line makes of the value before; null: the line does not count. */
  constructor(
    private readonly context: StoreContext,
    private readonly next: (before: T | null, text: string) => T | null,
  ) {}

  /** null: there is no such file, or no line of it counts. */
  get(path: string): T | null {
    const known = this.known.get(path);
    const isLonger = ({ ino, size }: FileStamp): boolean =>
      known !== undefined && ino === known.stamp.ino && size >= known.stamp.size;
    const found = readFrom(this.context, path, (stamp) => {
      if (!known || !isLonger(stamp)) return 0;
      return isSame(stamp, known.stamp) ? null : known.end;
    });
    if (found === null) return null;
    const { stamp, bytes } = found;
    const start = known && isLonger(stamp) ? known.end : 0;
    let value: T | null = start === 0 ? null : this.last(path);
    let end = start;
    if (bytes === null) return value;
    if (stamp.size === 0) value = this.next(null, "");
    for (const line of linesOf(bytes)) {
      const next = this.next(value, line.text);
      if (next === null) continue;
      value = next;
      end = start + line.end;
    }
    if (value !== null) this.known.set(path, { stamp, value, end });
    return value;
  }

  /** The value that was read or written last. */
  last(path: string): T | null {
    return this.known.get(path)?.value ?? null;
  }

  forget(path: string): void {
    this.known.delete(path);
  }

  /** False: somebody wrote since the value was read or written, or the file got too long; the value is to be written whole. */
  isAppended(path: string, line: object, made: Made<T>, longest = Number.POSITIVE_INFINITY): boolean {
    const known = this.known.get(path);
    this.known.delete(path);
    if (!known) return false;
    const { bytes, text } = encoded(line);
    const isOther = (now: FileStamp): boolean =>
      !isSame(now, known.stamp) || now.size + bytes.length > longest;
    const stamp = appendTo(this.context, path, bytes, isOther);
    if (stamp) this.known.set(path, { stamp, value: made(text), end: stamp.size });
    return stamp !== null;
  }

  replace(path: string, line: object, made: Made<T>): void {
    this.known.delete(path);
    const { bytes, text } = encoded(line);
    const stamp = replaceFile(this.context, path, bytes);
    this.known.set(path, { stamp, value: made(text), end: bytes.length });
  }
}

/** A line begins with its break: one that was cut off spoils no other. */
function encoded(line: object) {
  const text = withChecksum(line);
  return { text, bytes: new TextEncoder().encode(`\n${text}`) };
}

function isSame(one: FileStamp, other: FileStamp): boolean {
  return one.ino === other.ino && one.size === other.size && one.time === other.time;
}
