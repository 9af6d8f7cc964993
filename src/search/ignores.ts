import type { Ignore } from "ignore";
import type { Disk } from "../disk/index.js";
import { type Io, ifThere, type Platform, readFile } from "../host/index.js";

/** Ignore files in the order of their weight, as in ripgrep; within one kind the deeper file decides. */
export const ignoreFiles = [".rgignore", ".ignore", ".gitignore"] as const;
type Kind = (typeof ignoreFiles)[number];

/** Folders of version control, which hold no work of anybody. */
export const hiddenFolders: ReadonlySet<string> = new Set([".git", ".hg", ".svn", ".jj"]);

/** Names that make a folder a repository whose .gitignore counts. */
const repositories = [".git", ".jj"];

interface Level {
  readonly folder: string;
  readonly rules: Ignore;
}

interface Levels extends Readonly<Record<Kind, readonly Level[]>> {
  /** Within a repository, where alone .gitignore means something. */
  readonly tracked: boolean;
}

const none: Levels = { ".rgignore": [], ".ignore": [], ".gitignore": [], tracked: false };

/** Which files a search skips, by the ignore files on the way to them. */
export class Ignores {
  private readonly known = new Map<string, Levels>();
  /** A file with a brace was read; before the search begins, that is in the folder or above it. */
  isBraced = false;

  private constructor(
    private readonly io: Io,
    private readonly platform: Platform,
    private readonly make: () => Ignore,
    /** The folder that is searched: asked for by name, it is never ignored itself. */
    private readonly top: string,
  ) {}

  /** `aboveCounts` says whether rules from above the folder apply; they do not if the folder itself is ignored. */
  static async of(
    io: Io,
    platform: Platform,
    top: string,
  ): Promise<{ ignores: Ignores; aboveCounts: boolean }> {
    const { default: ignore } = await import("ignore");
    const ignores = new Ignores(io, platform, () => ignore({ ignorecase: false }), top);
    const above = ignores.levelsAbove(top);
    const aboveCounts = !ignores.isExcluded(above, top, true);
    const from = aboveCounts ? above : { ...none, tracked: above.tracked };
    ignores.known.set(top, ignores.descend(from, top));
    return { ignores, aboveCounts };
  }

  /** Decides for a file or folder directly in a folder that is not ignored. */
  isIgnored(folder: string, name: string, isFolder: boolean): boolean {
    if (isFolder && hiddenFolders.has(name)) return true;
    return this.isExcluded(this.levels(folder), this.platform.path.join(folder, name), isFolder);
  }

  /** Decides for any path below the top, which is ignored if a folder on the way is. */
  isSkipped(path: string): boolean {
    const names = this.platform.path.relative(this.top, path).split(this.platform.path.sep);
    let folder = this.top;
    for (const [index, name] of names.entries()) {
      if (this.isIgnored(folder, name, index < names.length - 1)) return true;
      folder = this.platform.path.join(folder, name);
    }
    return false;
  }

  private levels(folder: string): Levels {
    let levels = this.known.get(folder);
    if (levels === undefined) {
      levels = this.descend(this.levels(this.platform.path.dirname(folder)), folder);
      this.known.set(folder, levels);
    }
    return levels;
  }

  private levelsAbove(folder: string): Levels {
    const above = this.platform.path.dirname(folder);
    return above === folder ? none : this.descend(this.levelsAbove(above), above);
  }

  private descend(levels: Levels, folder: string): Levels {
    const entered = { ...levels };
    if (repositories.some((name) => this.isThere(folder, name))) {
      entered.tracked = true;
      // Rules from outside a repository do not count in it; some people ignore all of their home.
      entered[".gitignore"] = [];
    }
    for (const kind of ignoreFiles) {
      if (kind === ".gitignore" && !entered.tracked) continue;
      const text = this.text(folder, kind);
      if (text?.includes("{")) this.isBraced = true;
      if (text !== null) entered[kind] = [{ folder, rules: this.make().add(text) }, ...entered[kind]];
    }
    return entered;
  }

  private isExcluded(levels: Levels, path: string, isFolder: boolean): boolean {
    for (const kind of ignoreFiles) {
      for (const { folder, rules } of levels[kind]) {
        const relative = this.platform.path.relative(folder, path).replaceAll(this.platform.path.sep, "/");
        const { ignored, unignored } = rules.test(isFolder ? `${relative}/` : relative);
        if (ignored || unignored) return ignored;
      }
    }
    return false;
  }

  private isThere(folder: string, name: string): boolean {
    return ifThere(() => this.io.lstat(this.platform.path.join(folder, name))) !== null;
  }

  private text(folder: string, name: string): string | null {
    try {
      const bytes = readFile(this.io, this.platform.path.join(folder, name));
      return bytes && new TextDecoder().decode(bytes);
    } catch {
      return null;
    }
  }
}

/**
 * The files below a folder that are not ignored, in the order of their paths; links are not followed. Folders that
 * cannot be read are passed over, as ripgrep does.
 */
export function* walk(
  disk: Pick<Disk, "io" | "platform">,
  folder: string,
  ignores: Ignores,
): Generator<string> {
  const { io, platform } = disk;
  const names: string[] = [];
  try {
    for (const entry of io.readdir(folder)) {
      if (entry.isFile()) names.push(entry.name);
      // Names with the slash sort the way whole paths do.
      else if (entry.isDirectory()) names.push(`${entry.name}/`);
    }
  } catch {
    return;
  }
  for (const name of names.sort()) {
    const isFolder = name.endsWith("/");
    const bare = isFolder ? name.slice(0, -1) : name;
    if (ignores.isIgnored(folder, bare, isFolder)) continue;
    const path = platform.path.join(folder, bare);
    if (isFolder) yield* walk(disk, path, ignores);
    else yield path;
  }
}
