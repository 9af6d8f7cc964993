import {
  errorCode,
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
import type { Json, NamedRecord } from "../ports/index.js";
import { namesIn } from "./lines/line-file.js";
import { makeWay, repairing } from "./lines/put-aside.js";
import type { StoreContext } from "./lines/replace-file.js";

interface NamedLine {
  readonly name: string;
  readonly value: Json;
}

const attempts = 100;

/**
 * Small records by their names: a folder for each, with a file for each time it was put, numbered. The newest counts,
 * and a number can be taken once: of two that replace the same record, one does. Only the last two are left.
 */
export class NamedRecords {
  private readonly folder: string;

  constructor(private readonly context: StoreContext) {
    this.folder = context.platform.path.join(context.folder, "records");
  }

  get(name: string): NamedRecord | null {
    const folder = this.folderOf(name);
    if (!this.isThere(folder)) return null;
    for (let attempt = 0; attempt < attempts; attempt++) {
      const newest = this.newest(folder);
      if (newest === 0) return null;
      const bytes = this.read(this.pathOf(folder, newest));
      // Another one came meanwhile, and this one went.
      if (bytes === null && this.newest(folder) !== newest) continue;
      return { value: bytes && valueIn(bytes, name), mark: String(newest) };
    }
    return null;
  }

  /** False: the record is not the one any more that is to be replaced. */
  put(name: string, value: Json, was?: string | null): boolean {
    const folder = this.folderOf(name);
    try {
      for (let attempt = 0; attempt < attempts; attempt++) {
        const newest = this.newest(folder);
        if (was !== undefined && String(newest) !== (was ?? "0")) return false;
        if (this.create(this.pathOf(folder, newest + 1), { name, value })) {
          if (newest > 1) remove(this.context.io, this.pathOf(folder, newest - 1));
          return true;
        }
      }
      throw new Error("others keep writing it");
    } catch (error) {
      throw stateFailure(`record ${folder}`, this.context.state, error);
    }
  }

  /** Whole at once, under a name that nobody has taken. */
  private create(path: string, line: NamedLine): boolean {
    const { io, platform, clock } = this.context;
    return repairing(this.context, path, () => {
      const temporary = `${path}.${newToken(clock)}.tmp`;
      const fd = openStateFile(io, platform, temporary);
      try {
        withFile(io, fd, () => writeAll(io, fd, new TextEncoder().encode(withChecksum(line))));
        io.link(temporary, path);
        return true;
      } catch (error) {
        if (errorCode(error) === "EEXIST") return false;
        throw error;
      } finally {
        remove(io, temporary);
      }
    });
  }

  private isThere(folder: string): boolean {
    try {
      return this.context.io.isThere(folder);
    } catch {
      return true;
    }
  }

  private newest(folder: string): number {
    const names = namesIn(this.context, folder);
    return names.reduce((newest, name) => Math.max(newest, /^\d+$/.test(name) ? Number(name) : 0), 0);
  }

  private read(path: string): Uint8Array | null {
    try {
      return readFile(this.context.io, path);
    } catch (error) {
      if (!makeWay(this.context, path)) this.context.report(`${path} cannot be read: ${reason(error)}`);
      return null;
    }
  }

  /** The place of a record, whether there is one or not. */
  folderOf(name: string): string {
    return this.context.platform.path.join(this.folder, nameOf(name));
  }

  private pathOf(folder: string, number: number): string {
    return this.context.platform.path.join(folder, String(number));
  }
}

/** Damaged, or of another name that gives the same folder: as good as none. */
function valueIn(bytes: Uint8Array, name: string): Json {
  try {
    const line = withoutChecksum(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as NamedLine | null;
    return line?.name === name ? line.value : null;
  } catch {
    return null;
  }
}
