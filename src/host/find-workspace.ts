import { type Io, ifThere, nodeIo, readFile } from "./io.js";
import { type Platform, thisPlatform } from "./platform.js";

export interface Workspace {
  /** The top of the work tree; without git, the folder itself. */
  readonly root: string;
  /** Key of the workspace: the git folder that all work trees of a repository share, else the root. */
  readonly key: string;
}

/** A repository on the disk, found without starting git. */
export interface Repository {
  /** The top of the work tree; of a bare repository the folder itself. */
  readonly root: string;
  /** Its own git folder: of a further work tree, or of a submodule, that one's. */
  readonly git: string;
  /** The git folder that all work trees share. */
  readonly common: string;
  /** A git folder without a work tree, which somebody named. */
  readonly isBare: boolean;
}

interface Looking {
  readonly io?: Io;
  readonly platform?: Platform;
}

/**
 * The workspace a folder belongs to. Work trees of one repository are one workspace with different files in it. Read
 * off the disk: starting git would take longer than everything else a hook does.
 *
 * @example
 * console.log(findWorkspace(root).root === root); // → true
 */
export function findWorkspace(folder: string, looking: Looking = {}): Workspace {
  const found = findRepository(folder, looking);
  if (found !== null) return { root: found.root, key: found.common };
  const start = startOf(folder, looking);
  return { root: start, key: start };
}

/**
 * The repository a folder lies in: the nearest folder above with `.git`. A folder that itself looks like a git folder is
 * none: git would take it for one, and anybody can commit such a folder. `named` says that a person named this very folder.
 */
export function findRepository(
  folder: string,
  looking: Looking & { readonly named?: boolean } = {},
): Repository | null {
  const { io = nodeIo, platform = thisPlatform, named = false } = looking;
  const { path } = platform;
  const start = startOf(folder, looking);
  for (let at = start; ; at = path.dirname(at)) {
    const found = gitFolder(io, platform, path.join(at, ".git"));
    if (found !== null) return { root: at, ...found, isBare: false };
    if (named && at === start && isGitFolder(io, platform, at))
      return { root: at, git: at, common: at, isBare: true };
    if (path.dirname(at) === at) return null;
  }
}

/** A folder that cannot be followed (a loop of links, no permission, a NUL in its name) is where its name says. */
function startOf(folder: string, { io = nodeIo, platform = thisPlatform }: Looking): string {
  try {
    return io.realpath(folder);
  } catch {
    return platform.path.resolve(folder);
  }
}

function isGitFolder(io: Io, { path }: Platform, folder: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => io.isThere(path.join(folder, name)));
}

/** `.git` is a folder, or in a work tree a file "gitdir: …" that leads to one with a file `commondir`. */
function gitFolder(
  io: Io,
  { path }: Platform,
  git: string,
): { readonly git: string; readonly common: string } | null {
  try {
    const stat = io.isThere(git) ? ifThere(() => io.stat(git)) : null;
    if (stat === null) return null;
    const text = (file: string): string | null => {
      const bytes = readFile(io, file);
      return bytes && new TextDecoder().decode(bytes).trim();
    };
    let own = git;
    if (!stat.isDirectory()) {
      const link = /^gitdir: (.+)$/m.exec(text(git) ?? "")?.[1];
      if (link === undefined) return null;
      own = path.resolve(path.dirname(git), link);
    } else if (ifThere(() => io.stat(path.join(git, "HEAD"))) === null) return null;
    const named = path.join(own, "commondir");
    const common = io.isThere(named) ? text(named) : null;
    const shared = common === null ? own : path.resolve(own, common);
    return { git: own, common: ifThere(() => io.realpath(shared)) ?? shared };
  } catch {
    // A repository that cannot be looked into is none.
    return null;
  }
}

/** The linked work tree of this repository that a folder is in; null in the main one. */
export function linkedTree(
  folder: string,
  key: string,
  { io = nodeIo, platform = thisPlatform }: { readonly io?: Io; readonly platform?: Platform } = {},
): string | null {
  const found = findWorkspace(folder, { io, platform });
  if (found.key !== key || found.root === key) return null;
  return ifThere(() => io.stat(platform.path.join(found.root, ".git")))?.isDirectory() === false
    ? found.root
    : null;
}
