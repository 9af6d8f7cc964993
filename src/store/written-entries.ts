import { type Io, linkedTree, type Platform, type Workspace } from "../host/index.js";
import type { JournalEntry } from "../ports/index.js";
import { withoutSecrets } from "../text/index.js";

/** Where relative paths of a process start, and the workspace around it. */
export interface Here {
  readonly cwd: string;
  readonly root: string;
}

interface WritingOptions {
  readonly workspace: Pick<Workspace, "key">;
  readonly here?: Here;
  readonly io: Io;
  readonly platform: Platform;
}

/** Journal entries as they are written down, and as a caller here reads them. */
export class WrittenEntries {
  private readonly paths: EntryPaths | null;
  /** The work tree of each folder. */
  private readonly trees = new Map<string, string | null>();

  constructor(private readonly options: WritingOptions) {
    this.paths = options.here ? new EntryPaths(options.here, options.platform) : null;
  }

  completed(entry: JournalEntry): JournalEntry {
    const tree = entry.kind === "commit" || entry.kind === "undo" ? this.treeOf(entry.file) : null;
    const { cause } = entry;
    const named = this.paths?.absolute(entry) ?? entry;
    const masked = cause === undefined ? named : { ...named, cause: withoutSecrets(cause) };
    return tree === null ? masked : { ...masked, tree };
  }

  placed(entries: readonly JournalEntry[]): readonly JournalEntry[] {
    const { paths } = this;
    return paths ? entries.map((entry) => paths.relative(entry)) : entries;
  }

  /** A work tree that is gone tells nothing, so it is written down while it is there. */
  private treeOf(file: string): string | null {
    const { io, platform, workspace } = this.options;
    const { path } = platform;
    const folder = path.dirname(file);
    const known = this.trees.get(folder);
    if (known !== undefined) return known;
    const tree = path.isAbsolute(file) ? linkedTree(folder, workspace.key, { io, platform }) : null;
    this.trees.set(folder, tree);
    return tree;
  }
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
