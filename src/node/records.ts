import type { Json } from "../session/index.js";
import { failure, reason } from "./failure.js";
import { errorCode, flags, type Io, makeFolder, readFile, remove, withFile, writeAll } from "./io.js";
import { nameOf, newToken } from "./names.js";
import type { Platform } from "./platform.js";
import { putAside, repairing, type StateFolder } from "./repair.js";

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

function replaceOnce({ io, platform, clock }: StoreContext, path: string, bytes: Uint8Array): void {
  const temporary = `${path}.${newToken(clock)}.tmp`;
  try {
    const fd = openNew(io, platform, temporary);
    withFile(io, fd, () => writeAll(io, fd, bytes));
    io.rename(temporary, path);
  } catch (error) {
    try {
      remove(io, temporary);
    } catch {
      // Pruning finds it.
    }
    throw error;
  }
}

export function openNew(io: Io, { path }: Platform, file: string, mode: number = flags.create): number {
  try {
    return io.open(file, mode, 0o600);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    makeFolder(io, path.dirname(file), path.dirname);
    return io.open(file, mode, 0o600);
  }
}

interface Entry {
  readonly key: string;
  readonly record: Json;
}

const mostPaths = 2000;

/** One small file a record, found by its key without looking at anything else. */
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
    const entry = this.isMissing(path) ? null : this.readEntry(path);
    // Two keys of one name: as good as none recorded.
    return entry?.key === key ? entry.record : null;
  }

  set(key: string, record: Json): void {
    const bytes = new TextEncoder().encode(JSON.stringify({ key, record } satisfies Entry));
    const path = this.pathOf(key);
    try {
      replaceFile(this.context, path, bytes);
    } catch (error) {
      throw failure("record", path, error);
    }
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

  private pathOf(key: string): string {
    let path = this.paths.get(key);
    if (path === undefined) {
      if (this.paths.size >= mostPaths) this.paths.clear();
      path = this.context.platform.path.join(this.folder, `${nameOf(key)}.json`);
      this.paths.set(key, path);
    }
    return path;
  }

  /** Most agents have no record. */
  private isMissing(path: string): boolean {
    try {
      return this.isRare && !this.context.io.isThere(path);
    } catch {
      return false;
    }
  }

  private readEntry(path: string): Entry | null {
    let bytes: Uint8Array | null;
    try {
      bytes = readFile(this.context.io, path);
    } catch (error) {
      if (errorCode(error) === "EISDIR") putAside(this.context, path, "a folder in the place of a file");
      else this.context.report(`${path} cannot be read: ${reason(error)}`);
      return null;
    }
    if (bytes === null) return null;
    try {
      const entry = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as Entry;
      if (typeof entry.key === "string" && entry.record !== undefined) return entry;
      putAside(this.context, path, "not a record");
    } catch (error) {
      putAside(this.context, path, reason(error));
    }
    return null;
  }
}
