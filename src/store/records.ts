import {
  attempts,
  errorCode,
  flags,
  type Io,
  ifThere,
  nameOf,
  newToken,
  openStateFile,
  readFile,
  reason,
  remove,
  stateFailure,
  withChecksum,
  withFile,
  withoutChecksum,
  writeAll,
} from "../host/index.js";
import type { Json } from "../ports/index.js";
import { makeWay, putAside, repairing, type StateFolder } from "./put-aside.js";

export interface StoreContext extends StateFolder {
  /** The workspace's folder in the state folder. */
  readonly folder: string;
}

/**
 * Replaces a file of the state folder as a whole. Not flushed: what a power failure takes from the ledger makes the
 * next edit be refused with "read it again", and a flush would double the time of every commit.
 */
export function replaceFile(context: StoreContext, path: string, bytes: Uint8Array): void {
  repairing(context, path, () => replaceOnce(context, path, bytes));
}

function replaceOnce(context: StoreContext, path: string, bytes: Uint8Array, attempt = 1): void {
  const { io, platform, clock } = context;
  const temporary = `${path}.${newToken(clock)}.tmp`;
  try {
    const fd = openStateFile(io, platform, temporary);
    withFile(io, fd, () => writeAll(io, fd, bytes));
    io.rename(temporary, path);
  } catch (error) {
    try {
      remove(io, temporary);
    } catch {
      // Pruning finds it.
    }
    if (errorCode(error) !== "ENOENT" || attempt === attempts) throw error;
    replaceOnce(context, path, bytes, attempt + 1);
  }
}

interface Entry {
  readonly key: string;
  readonly record: Json;
}

const mostPaths = 2000;
const lineFeed = 10;
/** Beyond this, and beyond a few of its lines, a file is written anew with the last of them alone. */
const longestFile = 32 * 1024;
const keptLines = 4;

/**
 * One small file a record, found by its key without looking at anything else. What is recorded is appended as a line, and
 * the last whole line counts: a new file in the place of the old one takes ten times as long, and a hundred times where
 * the disk is busy. A line begins with its break, so that one that was cut off spoils no other.
 */
export class Records {
  private readonly folder: string;
  private readonly isRare: boolean;
  private readonly paths = new Map<string, string>();

  constructor(
    private readonly context: StoreContext,
    kind: "files" | "agents",
  ) {
    this.folder = context.platform.path.join(context.folder, kind);
    this.isRare = kind === "agents";
  }

  get(key: string): Json | null {
    const path = this.pathOf(key);
    // Most agents have no record.
    const entry = this.isRare && !this.isThere(path) ? null : this.readEntry(path);
    // Two keys of one name: as good as none recorded.
    return entry?.key === key ? entry.record : null;
  }

  set(key: string, record: Json): void {
    const bytes = new TextEncoder().encode(`\n${withChecksum({ key, record } satisfies Entry)}`);
    const path = this.pathOf(key);
    try {
      if (!repairing(this.context, path, () => this.append(path, bytes)))
        replaceFile(this.context, path, bytes);
    } catch (error) {
      throw stateFailure(`record ${path}`, this.context.state, error);
    }
  }

  /** False: there is no such file, or it is too long. Nobody must find a new one half written. */
  private append(path: string, bytes: Uint8Array): boolean {
    const { io } = this.context;
    const fd = this.isThere(path) ? ifThere(() => io.open(path, flags.extend)) : null;
    if (fd === null) return false;
    return withFile(io, fd, () => {
      const size = Number(io.fstat(fd).size);
      if (size === 0 || (size > longestFile && size > keptLines * bytes.length)) return false;
      try {
        writeAll(io, fd, bytes);
      } catch (error) {
        withdraw(io, fd, size);
        throw error;
      }
      return true;
    });
  }

  /** Of the file as it is now: whoever writes makes it longer, or another one. "" if there is none. */
  stamp(key: string): string {
    const { io } = this.context;
    const path = this.pathOf(key);
    // Opened, since what is remembered of a name may be old where several machines use a disk.
    const fd = this.isThere(path) ? ifThere(() => io.open(path, flags.read)) : null;
    if (fd === null) return "";
    const { ino, size, mtimeNs } = withFile(io, fd, () => io.fstat(fd));
    return `${ino} ${size} ${mtimeNs}`;
  }

  keys(): string[] {
    const { io, platform, report } = this.context;
    try {
      const names = io.readdir(this.folder).map(({ name }) => name);
      return names
        .filter((name) => name.endsWith(".json"))
        .flatMap((name) => this.readEntry(platform.path.join(this.folder, name))?.key ?? []);
    } catch (error) {
      if (errorCode(error) !== "ENOENT") report(`${this.folder} cannot be read: ${reason(error)}`);
      return [];
    }
  }

  /** Records without a line that can be read: whoever needs one puts it aside. */
  damaged(): number {
    const { io, platform } = this.context;
    const names = (ifThere(() => io.readdir(this.folder)) ?? []).map(({ name }) => name);
    return names.filter((name) => {
      const path = platform.path.join(this.folder, name);
      const bytes = name.endsWith(".json") ? ifThere(() => readFile(io, path)) : null;
      return bytes !== null && typeof lastEntry(bytes) === "string";
    }).length;
  }

  private pathOf(key: string): string {
    let path = this.paths.get(key);
    if (path === undefined) {
      if (this.paths.size >= mostPaths) this.paths.clear();
      path = this.context.platform.path.join(this.folder, `${nameOf(key)}.json`);
      this.paths.set(key, path);
    }
    return path;
  }

  private isThere(path: string): boolean {
    try {
      return this.context.io.isThere(path);
    } catch {
      return true;
    }
  }

  private readEntry(path: string): Entry | null {
    let bytes: Uint8Array | null;
    try {
      bytes = readFile(this.context.io, path);
    } catch (error) {
      if (!makeWay(this.context, path)) this.context.report(`${path} cannot be read: ${reason(error)}`);
      return null;
    }
    if (bytes === null) return null;
    const entry = lastEntry(bytes);
    if (typeof entry !== "string") return entry;
    putAside(this.context, path, entry);
    return null;
  }
}

/** The last whole line, or why there is none. */
function lastEntry(bytes: Uint8Array): Entry | string {
  let why = "not a record";
  for (let end = bytes.length; end > 0; ) {
    const start = bytes.lastIndexOf(lineFeed, end - 1);
    try {
      const entry = withoutChecksum(decodeText(bytes.subarray(start + 1, end))) as Entry | null;
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

/** Should it fail, the half line is passed over. */
function withdraw(io: Io, fd: number, size: number): void {
  try {
    io.truncate(fd, size);
  } catch {}
}
