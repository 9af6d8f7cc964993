import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { findRepository, nodeIo, type Repository } from "../host/index.js";
import type { Commits, Committed, FileId, PutAway } from "../ports/index.js";
import { ask, contentsOf } from "./blobs.js";
import { committedTexts } from "./work-tree.js";

export interface GitOptions {
  /** The folder that relative paths start from. */
  readonly base: string;
  /** A folder of the repository, for files of work trees that are gone. */
  readonly root: string;
}

/** Older places of HEAD are left out. The newest and the oldest texts of a file are looked at. */
const mostStashes = 20;
const mostTexts = 60;
const mostRenames = 20;

/**
 * Lists the git commits of a file: those of branches, tags, remotes and HEAD, and all that HEAD of its work tree has
 * been at; not those of the stash, which only keep work aside. Where git cannot tell, there are none.
 */
export function gitCommits({ base, root }: GitOptions): Commits {
  return {
    async of(file: FileId, since: number): Promise<readonly Committed[]> {
      const path = resolve(base, file.path);
      const { folder, rest } = placeOf(path);
      const own = findRepository(folder);
      const name = (top: string): string => slashed(join(relative(top, folder), rest));
      const found = own ? await commitsOf(own, [name(own.root)], since).catch(() => []) : [];
      if (found.length > 0 || existsSync(dirname(path))) return found;
      const top = findRepository(root);
      return top ? commitsOf(top, endsOf(path), since).catch(() => []) : [];
    },
    async putAway(file: FileId) {
      const path = resolve(base, file.path);
      const { folder, rest } = placeOf(path);
      const own = findRepository(folder);
      if (!own || !nodeIo.isThere(join(own.common, "logs", "refs", "stash"))) return [];
      const name = slashed(join(relative(own.root, folder), rest));
      const listed = await ask(own, [
        "log",
        "-g",
        "--format=%H %ct",
        `--max-count=${mostStashes}`,
        "refs/stash",
      ]);
      const found: PutAway[] = [];
      for (const [at, line] of String(listed).trim().split("\n").entries()) {
        const [commit = "", time] = line.split(" ");
        // Untracked files are in a commit of their own.
        for (const tree of [commit, `${commit}^3`]) {
          const bytes = (await committedTexts(own, tree, [name]).catch(() => null))?.get(name);
          if (bytes) found.push({ name: `stash@{${at}}`, bytes, time: Number(time) * 1000 });
        }
      }
      return found;
    },
    async presentPath(key: string, tree: string): Promise<string | null> {
      if (tree === root || existsSync(join(tree, ".git"))) return null;
      return join(root, relative(tree, key));
    },
  };
}

const slashed = (path: string): string => path.replaceAll(sep, "/");

/** The deepest folder on the way to a file that is there, and the rest of the way. */
function placeOf(path: string): { folder: string; rest: string } {
  const above = dirname(path);
  let folder = above;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return { folder: realpathSync(folder), rest: join(relative(folder, above), basename(path)) };
}

/** Tries every tail of a path: nothing tells which part was inside a work tree that is gone. */
function endsOf(path: string): string[] {
  const names = slashed(path)
    .split("/")
    .filter((name) => name !== "");
  return names.map((_, at) => names.slice(at).join("/"));
}

async function commitsOf(
  repository: Repository,
  paths: readonly string[],
  since: number,
): Promise<Committed[]> {
  const heads = (await headsOf(repository)).join("\n");
  const range = ["--ignore-missing", "--branches", "--tags", "--remotes", "--stdin"];
  const age = `--max-age=${Math.floor(since / 1000)}`;
  const plain = [...logArguments, "--no-renames", "--full-history", age, ...range, "--", ...paths];
  const changes = parseLog(String(await ask(repository, plain, `HEAD\n${heads}\n`)));
  return texts(repository, [...changes, ...(await renames(repository, changes))]);
}

/** The commits that are checked out: of this work tree, and of the others. */
async function headsOf(repository: Repository): Promise<string[]> {
  const printed = String(await ask(repository, ["worktree", "list", "--porcelain", "-z"]).catch(() => ""));
  return printed.split("\0").flatMap((line) => /^HEAD ([0-9a-f]{40,64})$/.exec(line)?.[1] ?? []);
}

const logArguments = ["log", "-z", "-m", "--raw", "--no-abbrev", "--format=%H %ct"];

/** Returns the new name of a file that a commit renamed. */
async function renames(repository: Repository, changes: readonly FileChange[]): Promise<FileChange[]> {
  const gone = changes.filter(({ blob }) => blob === null).slice(0, mostRenames);
  if (gone.length === 0) return [];
  const commits = gone.map(({ commit }) => commit);
  const log = [...logArguments, "--no-walk", "-M", "--diff-filter=R", "--stdin"];
  const found = parseLog(String(await ask(repository, log, `${commits.join("\n")}\n`)));
  return found.filter(({ commit, from }) => gone.some((one) => one.commit === commit && one.from === from));
}

/** The change of one file by one commit; a blob of null is a deletion. */
interface FileChange {
  readonly commit: string;
  readonly time: number;
  /** The path before it. */
  readonly from: string;
  readonly blob: string | null;
}

/** With -z: a commit's line, then for each file ":modes blobs status" and its path (two of a rename), ended by NUL. */
function parseLog(output: string): FileChange[] {
  const words = output.split("\0").map((word) => word.replace(/^\n/, ""));
  const found: FileChange[] = [];
  let [commit, time] = ["", 0];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    const heading = /^([0-9a-f]{40,64}) (\d+)$/.exec(word);
    if (heading) [commit, time] = [heading[1] as string, Number(heading[2]) * 1000];
    if (!word.startsWith(":")) continue;
    const [, mode, , blob = "", status = ""] = word.split(" ");
    const from = words[++at] ?? "";
    if (status.startsWith("R")) at++;
    const isFile = mode?.startsWith("100");
    if (isFile || status === "D") found.push({ commit, time, from, blob: isFile ? blob : null });
  }
  return found;
}

async function texts(repository: Repository, changes: readonly FileChange[]): Promise<Committed[]> {
  const newest = new Map<string, number>();
  for (const { blob, time } of changes) if (blob) newest.set(blob, Math.max(time, newest.get(blob) ?? 0));
  const blobs = [...newest.keys()];
  const some = blobs.filter((_, at) => at < mostTexts / 2 || at >= blobs.length - mostTexts / 2);
  const contents = await contentsOf(repository, some);
  const deleted = changes.filter(({ blob }) => blob === null).map(({ time }) => ({ time, bytes: null }));
  const kept = some.flatMap((blob) => {
    const bytes = contents.get(blob);
    return bytes ? [{ time: newest.get(blob) ?? 0, bytes }] : [];
  });
  return [...kept, ...deleted];
}
