import type { Platform } from "../host/index.js";
import type { JournalEntry } from "../ports/index.js";

/** Where relative paths of a process start, and the workspace around it. */
export interface Here {
  readonly cwd: string;
  readonly root: string;
}

/**
 * Names the files of journal entries so that an entry means the same file from every folder: a call names files from
 * where it is made, and the next one may be made elsewhere. Written absolute, read as a caller here would name them.
 */
export class EntryPaths {
  constructor(
    private readonly here: Here,
    private readonly platform: Platform,
  ) {}

  absolute(entry: JournalEntry): JournalEntry {
    const resolve = (path: string): string => this.platform.path.resolve(this.here.cwd, path);
    return {
      ...entry,
      path: resolve(entry.path),
      ...(entry.to === undefined ? {} : { to: resolve(entry.to) }),
    };
  }

  /** Entries without a folder to start from name files by a relative path; the key, the real path, leads back to it. */
  relative(entry: JournalEntry): JournalEntry {
    const { resolve, isAbsolute } = this.platform.path;
    const { path, file, to } = entry;
    if (isAbsolute(path)) return this.named(entry, path, to);
    const tail = path.replace(/^(\.[\\/])+/, "");
    const isTail = file.toLowerCase().endsWith(tail.toLowerCase());
    const folder = isTail ? file.slice(0, file.length - tail.length) : null;
    if (folder === null) return { ...entry, path: this.shortest(file) };
    return this.named(entry, folder + tail, to === undefined ? undefined : resolve(folder, to));
  }

  private named(entry: JournalEntry, path: string, to: string | undefined): JournalEntry {
    return { ...entry, path: this.shortest(path), ...(to === undefined ? {} : { to: this.shortest(to) }) };
  }

  /** A path as somebody here would write it: relative inside the workspace, else absolute. */
  private shortest(path: string): string {
    const { cwd, root } = this.here;
    const isNear = this.isWithin(path, cwd) || (this.isWithin(path, root) && this.isWithin(cwd, root));
    return isNear ? this.platform.path.relative(cwd, path) || "." : path;
  }

  private isWithin(path: string, folder: string): boolean {
    const { relative, isAbsolute, sep } = this.platform.path;
    const way = relative(folder, path);
    return way === "" || !(way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way));
  }
}
