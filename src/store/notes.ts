import {
  flags,
  ifThere,
  nameOf,
  newToken,
  openStateFile,
  readFile,
  reason,
  remove,
  withFile,
} from "../host/index.js";
import type { Json } from "../ports/index.js";
import { repairing } from "./lines/put-aside.js";
import type { StoreContext } from "./lines/replace-file.js";

/**
 * Short notes from process to process: lists that are only ever appended to, one for each kind and name. The loss of a
 * note costs a message, never a file: failures are reported and forgotten.
 */
export class Notes {
  private readonly folder: string;

  constructor(private readonly context: StoreContext) {
    this.folder = context.platform.path.join(context.folder, "notes");
  }

  add(kind: string, name: string, note: Json): void {
    const { io, platform } = this.context;
    const path = this.pathOf(kind, name);
    this.quietly(path, () => {
      const fd = repairing(this.context, path, () => openStateFile(io, platform, path, flags.append));
      withFile(io, fd, () => io.write(fd, new TextEncoder().encode(`${JSON.stringify(note)}\n`), null));
    });
  }

  /** Whether anything was noted, or tried to be where the disk was full. */
  has(kind: string, name: string): boolean {
    return this.context.io.isThere(this.pathOf(kind, name));
  }

  all(kind: string, name: string): Json[] {
    return this.read(this.pathOf(kind, name));
  }

  /** Reads and removes: of two processes that take at once, one gets them. */
  take(kind: string, name: string): Json[] {
    const { io, clock } = this.context;
    const path = this.pathOf(kind, name);
    if (!io.isThere(path)) return [];
    const mine = `${path}.${newToken(clock)}.tmp`;
    try {
      io.rename(path, mine);
    } catch {
      return [];
    }
    const notes = this.read(mine);
    this.quietly(mine, () => remove(io, mine));
    return notes;
  }

  /** How many others have notes of this kind that were added to since. */
  others(kind: string, name: string, since: number): number {
    const { io, platform } = this.context;
    const own = this.pathOf(kind, name);
    const entries = ifThere(() => io.readdir(this.folder)) ?? [];
    const paths = entries
      .filter((entry) => entry.name.startsWith(`${kind}-`) && entry.name.endsWith(".jsonl"))
      .map((entry) => platform.path.join(this.folder, entry.name));
    return paths.filter(
      (path) => path !== own && Number(ifThere(() => io.lstat(path))?.mtimeMs ?? 0) >= since,
    ).length;
  }

  private pathOf(kind: string, name: string): string {
    return this.context.platform.path.join(this.folder, `${kind}-${nameOf(name)}.jsonl`);
  }

  private read(path: string): Json[] {
    const { io } = this.context;
    const bytes = this.quietly(path, () => (io.isThere(path) ? readFile(io, path) : null));
    if (!bytes) return [];
    const lines = new TextDecoder().decode(bytes).split("\n");
    return lines.flatMap((line) => {
      try {
        return [JSON.parse(line) as Json];
      } catch {
        return [];
      }
    });
  }

  private quietly<T>(path: string, run: () => T): T | null {
    try {
      return run();
    } catch (error) {
      this.context.report(`${path}: ${reason(error)}`);
      return null;
    }
  }
}
