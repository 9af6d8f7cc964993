import { type Io, linkedTree, type Platform, type Workspace } from "../host/index.js";
import type { JournalEntry } from "../ports/index.js";
import { withoutSecrets } from "../text/index.js";
import { EntryPaths, type Here } from "./entry-paths.js";

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
