/** The files of a work tree that differ from HEAD, with git's texts of them. */
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { runGit, withoutFilters } from "../../git/index.js";
import { ifThere, type Repository } from "../../host/index.js";

/** A file as a tree or an index holds it. */
export interface GitFile {
  readonly mode: string;
  readonly blob: string;
}

export interface ChangedFile {
  /** From the top, with "/". */
  readonly path: string;
  readonly head: GitFile | null;
  readonly staged: GitFile | null;
  /** The mode of the file on the disk; null: there is none. */
  readonly mode: string | null;
  /** A filter of git's makes another text of it. */
  readonly isFiltered: boolean;
}

export async function text(repository: Repository, args: readonly string[], input = ""): Promise<string> {
  return String(await runGit(repository, { args, input }));
}

/** Lists files that differ from HEAD in the index or on the disk, and those with conflicts; `paths` are from the top. */
export async function changedFiles(
  repository: Repository,
  paths: readonly string[],
): Promise<{ readonly files: ChangedFile[]; readonly conflicts: string[] }> {
  const flags = ["--porcelain=v2", "-z", "--untracked-files=all", "--ignore-submodules=all", "--no-renames"];
  const settings = await withoutFilters(repository);
  const args = ["status", ...flags, "--", ...paths];
  const rows = String(await runGit(repository, { args, settings })).split("\0");
  const found = new Map<string, Omit<ChangedFile, "isFiltered">>();
  const conflicts: string[] = [];
  for (const row of rows) {
    const [, fields = "", path = ""] = /^(1(?: \S+){7}|u(?: \S+){9}|\?) (.*)$/s.exec(row) ?? [];
    if (fields.startsWith("u")) conflicts.push(path);
    if (fields === "" || fields.startsWith("u") || path.endsWith("/")) continue;
    const [, , submodule, headMode, stagedMode, nowMode, headBlob, stagedBlob] = fields.split(" ");
    if (submodule?.startsWith("S")) continue;
    const known = found.get(path);
    found.set(path, {
      path,
      head: known?.head ?? fileOf(headMode, headBlob),
      staged: known?.staged ?? fileOf(stagedMode, stagedBlob),
      mode: modeOnDisk(join(repository.root, path), nowMode),
    });
  }
  const filtered = await filteredPaths(repository, [...found.keys()]);
  const files = [...found.values()].map((file) => ({ ...file, isFiltered: filtered.has(file.path) }));
  return { files, conflicts };
}

function fileOf(mode = "000000", blob = ""): GitFile | null {
  return mode === "000000" ? null : { mode, blob };
}

/** `told` is git's word for a tracked file: on some disks a mode says nothing. */
function modeOnDisk(path: string, told = "000000"): string | null {
  const stat = ifThere(() => lstatSync(path));
  if (!stat || stat.isDirectory()) return null;
  if (stat.isSymbolicLink()) return "120000";
  if (told.startsWith("100")) return told;
  return stat.mode & 0o100 ? "100755" : "100644";
}

/** The bytes that git would keep, but for filters. */
export function bytesOnDisk({ root }: Repository, { path, mode }: ChangedFile): Uint8Array | null {
  if (mode === null) return null;
  const place = join(root, path);
  return mode === "120000" ? readlinkSync(place, { encoding: "buffer" }) : readFileSync(place);
}

async function filteredPaths(repository: Repository, paths: readonly string[]): Promise<Set<string>> {
  const args = ["check-attr", "-z", "--stdin", "filter", "ident", "working-tree-encoding"];
  if (paths.length === 0) return new Set();
  const words = (await text(repository, args, paths.map((path) => `${path}\0`).join(""))).split("\0");
  const found = new Set<string>();
  for (let at = 0; at + 2 < words.length; at += 3)
    if (!["unspecified", "unset"].includes(words[at + 2] as string)) found.add(words[at] as string);
  return found;
}
