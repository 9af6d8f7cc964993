import { type Io, ifThere, nodeIo, readFile } from "./io.js";
import { type Platform, thisPlatform } from "./platform.js";

export interface Workspace {
  /** The top of the work tree; without git, the folder itself. */
  readonly root: string;
  /** What tells it apart: the git folder that all work trees of a repository share, else the root. */
  readonly key: string;
}

/**
 * The workspace a folder belongs to. Work trees of one repository are one workspace with different files in it. Read
 * off the disk: starting git would take longer than everything else a hook does.
 */
export function findWorkspace(
  folder: string,
  { io = nodeIo, platform = thisPlatform }: { readonly io?: Io; readonly platform?: Platform } = {},
): Workspace {
  const { path } = platform;
  const start = ifThere(() => io.realpath(folder)) ?? path.resolve(folder);
  for (let at = start; ; at = path.dirname(at)) {
    const key = commonFolder(io, platform, path.join(at, ".git"));
    if (key !== null) return { root: at, key };
    if (path.dirname(at) === at) return { root: start, key: start };
  }
}

/** `.git` is a folder, or in a work tree a file "gitdir: …" that leads to one with a file `commondir`. */
function commonFolder(io: Io, { path }: Platform, git: string): string | null {
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
    return ifThere(() => io.realpath(shared)) ?? shared;
  } catch {
    // A repository that cannot be looked into is none.
    return null;
  }
}
