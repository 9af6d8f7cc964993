/** Writes planned files as a tree of git's, by an index and a folder for objects of its own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runGit, runOwnGit, withoutFilters } from "../../git/index.js";
import type { Repository } from "../../host/index.js";
import type { PlannedFile } from "../plan.js";
import { type GitFile, text } from "./work-tree.js";

export interface Scratch {
  readonly folder: string;
  readonly index: string;
}

/** A folder that is gone afterwards. */
export async function withScratch<T>(body: (scratch: Scratch) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "kedge-commit-"));
  try {
    return await body({ folder, index: join(folder, "index") });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Variables by which objects are written beside the repository: a look leaves nothing in it. */
export async function objectsBeside(repository: Repository, { folder }: Scratch): Promise<NodeJS.ProcessEnv> {
  const objects = join(folder, "objects");
  mkdirSync(objects);
  const own = (
    await text(repository, ["rev-parse", "--path-format=absolute", "--git-path", "objects"])
  ).trim();
  return {
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: `"${own.replace(/(["\\])/g, "\\$1")}"`,
  };
}

/** Writes bytes as they are. */
export async function writeBlob(
  repository: Repository,
  bytes: Uint8Array,
  variables: NodeJS.ProcessEnv = {},
): Promise<string> {
  const args = ["hash-object", "-w", "--stdin"];
  return String(await runGit(repository, { args, input: bytes, variables })).trim();
}

/** The index as this tree has it; null: empty. */
async function readTree(
  repository: Repository,
  tree: string | null,
  variables: NodeJS.ProcessEnv,
): Promise<void> {
  const args = tree === null ? ["read-tree", "--empty"] : ["read-tree", tree];
  await runGit(repository, { args, variables });
}

export interface IndexChange {
  readonly path: string;
  /** null: the path goes. */
  readonly file: GitFile | null;
}

/** Changes entries of an index. Paths that go come first: a folder may take the place of a file. */
export async function updateIndex(
  repository: Repository,
  changes: readonly IndexChange[],
  variables: NodeJS.ProcessEnv,
): Promise<void> {
  const none = "0".repeat(40);
  const rows = [...changes.filter(({ file }) => !file), ...changes.filter(({ file }) => file)].map(
    ({ path, file }) => `${file?.mode ?? "0"} ${file?.blob ?? none}\t${path}\0`,
  );
  const args = ["update-index", "-z", "--index-info"];
  await runGit(repository, { args, input: rows.join(""), variables });
}

/** Writes the texts of planned files; what becomes of each path. */
async function writeFiles(
  repository: Repository,
  planned: readonly PlannedFile[],
  variables: NodeJS.ProcessEnv,
): Promise<IndexChange[]> {
  const changes: IndexChange[] = [];
  for (const { work, bytes, mode } of planned) {
    if (work.from !== null) changes.push({ path: work.from, file: null });
    if (bytes === null || mode === null) changes.push({ path: work.path, file: null });
    else {
      const blob = work.isFiltered
        ? await filteredBlob(repository, work.path, bytes, variables)
        : await writeBlob(repository, bytes, variables);
      changes.push({ path: work.path, file: { mode, blob } });
    }
  }
  return changes;
}

/** Only a commit runs the person's filters. */
async function filteredBlob(
  repository: Repository,
  path: string,
  bytes: Uint8Array,
  variables: NodeJS.ProcessEnv,
): Promise<string> {
  if (variables.GIT_OBJECT_DIRECTORY) {
    const args = ["hash-object", "-w", "--stdin", `--path=${path}`];
    const settings = await withoutFilters(repository);
    return String(await runGit(repository, { args, input: bytes, variables, settings })).trim();
  }
  return withScratch(async ({ folder }) => {
    const copy = join(folder, "text");
    writeFileSync(copy, bytes);
    const { status, said } = await runOwnGit(repository, ["hash-object", "-w", `--path=${path}`, copy]);
    if (status !== 0) throw new Error(`the filter of ${path} failed: ${said.trim()}`);
    return said.trim().split("\n").at(-1) as string;
  });
}

/** Writes the tree that planned files make of HEAD. */
export async function writePlan(
  repository: Repository,
  head: string | null,
  planned: readonly PlannedFile[],
  variables: NodeJS.ProcessEnv,
): Promise<{ readonly tree: string; readonly changes: readonly IndexChange[] }> {
  await readTree(repository, head, variables);
  const changes = await writeFiles(repository, planned, variables);
  await updateIndex(repository, changes, variables);
  const tree = String(await runGit(repository, { args: ["write-tree"], variables })).trim();
  return { tree, changes };
}

const diffFlags = [
  "-p",
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--binary",
  "--full-index",
  "--no-renames",
  "--src-prefix=a/",
  "--dst-prefix=b/",
];

/** Returns what a tree changes in HEAD, as a patch that `git apply` takes. */
export async function patchOf(
  repository: Repository,
  head: string | null,
  tree: string,
  variables: NodeJS.ProcessEnv,
): Promise<Buffer> {
  const input = new Uint8Array(0);
  const empty = ["hash-object", "-t", "tree", "-w", "--stdin"];
  const from = head ?? String(await runGit(repository, { args: empty, input, variables })).trim();
  return runGit(repository, { args: ["diff-tree", ...diffFlags, from, tree], variables });
}
