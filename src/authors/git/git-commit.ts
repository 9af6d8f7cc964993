/** Runs `git commit` with the person's hooks on a tree that is meant, and takes back what came out otherwise. */
import { accessSync, constants } from "node:fs";
import { join, resolve } from "node:path";
import { headOf, runGit, runOwnGit } from "../../git/index.js";
import type { Repository } from "../../host/index.js";
import { type Cancellation, throwIfAborted } from "../../ports/index.js";
import { CommitRefusal } from "../refusal.js";
import { text } from "./work-tree.js";
import type { Scratch } from "./write-tree.js";

export async function parentOf(repository: Repository, commit: string): Promise<string | null> {
  const ids = (await text(repository, ["rev-list", "--parents", "-n", "1", commit])).trim().split(" ");
  return ids[1] ?? null;
}

export async function treeOf(repository: Repository, commit: string): Promise<string> {
  return (await text(repository, ["rev-parse", `${commit}^{tree}`])).trim();
}

interface Meant {
  readonly message: string;
  readonly head: string | null;
  readonly tree: string;
  readonly scratch: Scratch;
  readonly interrupt: Cancellation | undefined;
}

/** null: HEAD was another one by then; the commit is taken back. */
export async function gitCommit(
  repository: Repository,
  { message, head, tree, scratch, interrupt }: Meant,
): Promise<string | null> {
  throwIfAborted(interrupt);
  const variables = { GIT_INDEX_FILE: scratch.index };
  const args = ["commit", "-q", "-m", message];
  const { status, said } = await runOwnGit(repository, args, variables, (kill) => {
    interrupt?.addEventListener("abort", kill);
    return () => {};
  });
  const made = await headOf(repository);
  if (status !== 0) {
    const hooks = await activeHooks(repository, beforeHooks);
    const by = hooks.length > 0 ? ` (hooks: ${hooks.join(", ")})` : "";
    throw new CommitRefusal("git", `git commit failed${by}:\n${said.trim()}`);
  }
  if (made === null || made === head) throw new CommitRefusal("git", `git made no commit:\n${said.trim()}`);
  const parent = await parentOf(repository, made);
  if (parent !== head) {
    await setBack(repository, made, parent);
    return null;
  }
  const committed = await treeOf(repository, made);
  if (committed === tree) return made;
  await setBack(repository, made, head);
  const lines = await differences(repository, tree, committed);
  const hooks = (await activeHooks(repository, beforeHooks)).join(", ") || "a hook";
  throw new CommitRefusal(
    "hook",
    `${hooks} put other lines into the commit, and the branch is set back: ${lines.join("; ")}`,
  );
}

export async function setBack(repository: Repository, made: string, to: string | null): Promise<void> {
  const args = [
    "update-ref",
    "-m",
    "kedge: take the commit back",
    ...(to === null ? ["-d", "HEAD"] : ["HEAD", to]),
    made,
  ];
  await runGit(repository, { args });
}

const beforeHooks = ["pre-commit", "prepare-commit-msg", "commit-msg"];

async function activeHooks(repository: Repository, names: readonly string[]): Promise<string[]> {
  const { said } = await runOwnGit(repository, ["rev-parse", "--git-path", "hooks"]);
  const folder = resolve(repository.root, said.trim());
  return names.filter((name) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const mostShown = 5;

/** Names lines in which two trees differ. */
async function differences(repository: Repository, from: string, to: string): Promise<string[]> {
  const args = [
    "diff-tree",
    "-p",
    "-U0",
    "--no-color",
    "--no-renames",
    "--no-ext-diff",
    "--src-prefix=a/",
    "--dst-prefix=b/",
  ];
  const rows = (await text(repository, [...args, from, to])).split("\n");
  const found: string[] = [];
  let path = "";
  for (const row of rows) {
    path = /^(?:---|\+\+\+) [ab]\/(.*)$/.exec(row)?.[1] ?? path;
    const [, start, count = "1"] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(row) ?? [];
    if (start === undefined) continue;
    const first = Number(start);
    const last = first + Number(count) - 1;
    found.push(`${path}:${last > first ? `${first}-${last}` : first}`);
  }
  return found.length > mostShown
    ? [...found.slice(0, mostShown), `and ${found.length - mostShown} more places`]
    : found;
}
