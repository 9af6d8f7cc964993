import { ifThere, readFile, reason, stateFailure, withChecksum, withoutChecksum } from "../host/index.js";
import type { Json } from "../ports/index.js";
import type { FileStamp } from "./lines/file-stamp.js";
import { appendTo, lineFeed, readFrom } from "./lines/line-file.js";
import { putAside } from "./lines/put-aside.js";
import { replaceFile, type StoreContext } from "./lines/replace-file.js";

/** A record and the names that it was made for, since a file's name is one-way. */
export interface RecordEntry {
  readonly key: string;
  readonly agent?: string;
  readonly record: Json;
}

/** Beyond this, and beyond a few of its lines, a file is written anew with the last of them alone. */
const longestFile = 32 * 1024;
const keptLines = 4;
const mostKnownRecords = 64;

interface KnownRecord {
  readonly stamp: FileStamp;
  readonly entry: RecordEntry;
}

/** One small file a record. New values are appended as a line, and the last whole line counts. */
export class Records {
  /** The values that were read or written last: the same object comes back while nobody wrote since. */
  private readonly known = new Map<string, KnownRecord>();

  constructor(private readonly context: StoreContext) {}

  get(path: string): RecordEntry | null {
    const known = this.known.get(path);
    const found = readFrom(this.context, path, (stamp) => (known && isSame(stamp, known.stamp) ? null : 0));
    if (found === null) return null;
    if (found.bytes === null) return (known as KnownRecord).entry;
    const entry = lastEntry(found.bytes);
    if (typeof entry === "string") {
      putAside(this.context, path, entry);
      return null;
    }
    this.remember(path, { stamp: found.stamp, entry });
    return entry;
  }

  set(path: string, entry: RecordEntry): void {
    const bytes = new TextEncoder().encode(`\n${withChecksum(entry)}`);
    this.known.delete(path);
    try {
      const isTooLong = (size: number): boolean => size > longestFile && size > keptLines * bytes.length;
      const appended = appendTo(this.context, path, bytes, isTooLong);
      this.remember(path, { stamp: appended ?? replaceFile(this.context, path, bytes), entry });
    } catch (error) {
      throw stateFailure(`record ${path}`, this.context.state, error);
    }
  }

  private remember(path: string, known: KnownRecord): void {
    if (this.known.size >= mostKnownRecords) this.known.clear();
    this.known.set(path, known);
  }
}

/** A record without a line that can be read: whoever needs it puts it aside. */
export function isDamaged({ io }: StoreContext, path: string): boolean {
  const bytes = ifThere(() => readFile(io, path));
  return bytes !== null && typeof lastEntry(bytes) === "string";
}

function isSame(one: FileStamp, other: FileStamp): boolean {
  return one.ino === other.ino && one.size === other.size && one.time === other.time;
}

/** The last whole line, or why there is none. */
function lastEntry(bytes: Uint8Array): RecordEntry | string {
  let why = "not a record";
  for (let end = bytes.length; end > 0; ) {
    const start = bytes.lastIndexOf(lineFeed, end - 1);
    try {
      const entry = withoutChecksum(decodeText(bytes.subarray(start + 1, end))) as RecordEntry | null;
      if (typeof entry?.key === "string" && entry.record !== undefined) return entry;
    } catch (error) {
      why = reason(error);
    }
    end = start;
  }
  return why;
}

function decodeText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}
