/** The work tree as git sees it: files that differ from the index, or from HEAD in it; HEAD; what is under way. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nodeIo, type Repository } from "../host/index.js";
import { ask, contentsOf } from "./blobs.js";
import { GitFailure, runGit } from "./run-git.js";

export interface ListingBounds {
  /** Milliseconds; without end if it is infinite. */
  readonly time: number;
  /** Bytes of names. */
  readonly names: number;
}

/** Paths from the top, with "/". */
export interface Listing {
  /** Tracked files whose text differs from the index. */
  readonly changed: readonly string[];
  /** Files that git would add: they are not ignored. */
  readonly untracked: readonly string[];
  /** Those of the index that differ from HEAD. */
  readonly staged: readonly string[];
}

/**
 * Lists what of the work tree is in no commit. `knownStaged` is the list for an index and a HEAD that are as they were then.
 * null where it takes longer than the bounds allow, or git cannot tell.
 */
export async function listChanges(
  repository: Repository,
  { time, names }: ListingBounds,
  knownStaged: readonly string[] | null,
): Promise<Listing | null> {
  try {
    const settings = await withoutFilters(repository);
    const timeout = Number.isFinite(time) ? { timeout: time } : {};
    const run = async (args: readonly string[]): Promise<string[]> =>
      namesIn(await runGit(repository, { args, settings, longest: names, ...timeout }));
    const [changed, staged] = await Promise.all([
      run(["ls-files", "-m", "-o", "-t", "--exclude-standard", "-z"]),
      knownStaged ??
        run(["diff-index", "--cached", "--name-only", "--no-renames", "-z", "HEAD", "--"]).catch(() =>
          run(["ls-files", "-z"]),
        ),
    ]);
    // Each with a letter before it; a file that is gone has two.
    const isOther = (name: string): boolean => name.startsWith("? ");
    const pathOf = (name: string): string => name.slice(2);
    const tracked = changed.filter((name) => !isOther(name)).map(pathOf);
    return { changed: [...new Set(tracked)], untracked: changed.filter(isOther).map(pathOf), staged };
  } catch (error) {
    if (error instanceof GitFailure) return null;
    throw error;
  }
}

/** A repository in the tree is listed as a folder; its files are its own. */
function namesIn(output: Buffer): string[] {
  return String(output)
    .split("\0")
    .filter((name) => name !== "" && !name.endsWith("/"));
}

/** A filter is a program that the repository names. Git starts it where the times of a file say too little. */
export async function withoutFilters({ root, git, common, isBare }: Repository): Promise<[string, string][]> {
  const configuration = [join(common, "config"), join(git, "config.worktree")].map(textOf).join("\n");
  if (!/filter|include/i.test(configuration)) return [];
  const args = ["config", "--name-only", "-z", "--get-regexp", "^filter[.]"];
  const repository = { root, git, common, isBare };
  const keys = String(await runGit(repository, { args, timeout: 5_000 }).catch(() => "")).split("\0");
  const names = new Set(keys.flatMap((key) => /^filter\.(.*)\.[^.]*$/s.exec(key)?.[1] ?? []));
  return [...names].flatMap((name): [string, string][] => [
    [`filter.${name}.clean`, ""],
    [`filter.${name}.smudge`, ""],
    [`filter.${name}.process`, ""],
    [`filter.${name}.required`, "false"],
  ]);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** The commit that is checked out, read off the disk; null where there is none yet. */
export async function headOf(repository: Repository): Promise<string | null> {
  const { git, common } = repository;
  const head = textOf(join(git, "HEAD")).trim();
  const id = /^[0-9a-f]{40,64}$/;
  if (id.test(head)) return head;
  const ref = /^ref: (refs\/\S+)$/.exec(head)?.[1];
  if (ref === undefined) return null;
  const loose = [textOf(join(git, ref)), textOf(join(common, ref))]
    .map((text) => text.trim())
    .find((text) => id.test(text));
  if (loose) return loose;
  const packed = textOf(join(common, "packed-refs"));
  const at = packed.indexOf(` ${ref}\n`);
  if (at >= 0) return packed.slice(packed.lastIndexOf("\n", at) + 1, at);
  if (ref !== "refs/heads/.invalid") return null;
  return ask(repository, ["rev-parse", "--verify", "-q", "HEAD"]).then(
    (printed) => String(printed).trim(),
    () => null,
  );
}

const unfinished = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];

/** A merge, a rebase or the like has begun and not ended: texts of files are in between. */
export function isUnderWay({ git }: Repository): boolean {
  return unfinished.some((name) => nodeIo.isThere(join(git, name)));
}

/** Tells one state of the index from another, without reading it. */
export function indexStamp({ git }: Repository): string {
  try {
    const { ino, size, mtimeNs } = nodeIo.lstat(join(git, "index"));
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    return "";
  }
}

const pathsAtOnce = 200;

/** Bytes of files in a commit, by path; a path that is no file there is left out. */
export async function committedTexts(
  repository: Repository,
  commit: string,
  paths: readonly string[],
): Promise<Map<string, Uint8Array>> {
  const blobs = new Map<string, string>();
  for (let at = 0; at < paths.length; at += pathsAtOnce) {
    const some = paths.slice(at, at + pathsAtOnce);
    const printed = String(await ask(repository, ["ls-tree", "-z", commit, "--", ...some]));
    for (const line of printed.split("\0")) {
      const [, mode, id, path] = /^(\d+) blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
      if (id && path && mode?.startsWith("100")) blobs.set(path, id);
    }
  }
  if (blobs.size === 0) return new Map();
  const contents = await contentsOf(repository, [...new Set(blobs.values())]);
  return new Map(
    [...blobs].flatMap(([path, id]) => {
      const bytes = contents.get(id);
      return bytes ? [[path, bytes] as const] : [];
    }),
  );
}

/** How many files differ between two commits; 0 where that cannot be told. */
export async function countChanged(repository: Repository, from: string, to: string): Promise<number> {
  const args = ["diff-tree", "-r", "--name-only", "--no-renames", "-z", from, to];
  return ask(repository, args).then(
    (printed) => namesIn(printed).length,
    () => 0,
  );
}
