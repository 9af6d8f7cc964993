/** A git commit of one author's lines. */
import { accessSync, constants, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { headOf, runGit, runOwnGit } from "../git/index.js";
import type { Repository } from "../host/index.js";
import {
  type Cancellation,
  type Files,
  type Json,
  type LedgerStore,
  throwIfAborted,
} from "../ports/index.js";
import type { Party } from "./author.js";
import { rememberCommitted, rememberMove } from "./committed.js";
import { type FileWork, loadWork, type Surroundings } from "./file-work.js";
import { type CommittedPath, followCommit, mergeIndex } from "./merge-index.js";
import { type Plan, type PlannedFile, planFor } from "./plan.js";
import { CommitRefusal } from "./refusal.js";
import { text } from "./work-tree.js";
import {
  type IndexChange,
  objectsBeside,
  patchOf,
  type Scratch,
  withScratch,
  writePlan,
} from "./write-tree.js";

export interface Wanted {
  readonly party: Party;
  /** Whose changes come along where the party's stand on them. */
  readonly companions: readonly Party[];
  /** Paths from the top; none: the whole tree. */
  readonly paths: readonly string[];
}

export interface Work extends Plan {
  readonly works: readonly FileWork[];
}

export async function planWork(around: Surroundings, { party, companions, paths }: Wanted): Promise<Work> {
  const works = await loadWork(around, paths);
  return { works, ...planFor(works, party, companions) };
}

/** Returns the changes of a plan as a patch; nothing is written in the repository. */
export async function patchOfPlan(repository: Repository, planned: readonly PlannedFile[]): Promise<Buffer> {
  if (planned.length === 0) return Buffer.alloc(0);
  return withScratch(async (scratch) => {
    const variables = { GIT_INDEX_FILE: scratch.index, ...(await objectsBeside(repository, scratch)) };
    const head = await headOf(repository);
    const { tree } = await writePlan(repository, head, planned, variables);
    return patchOf(repository, head, tree, variables);
  });
}

const unfinished: readonly (readonly [name: string, what: string])[] = [
  ["MERGE_HEAD", "a merge"],
  ["rebase-apply/applying", "git am"],
  ["rebase-merge", "a rebase"],
  ["rebase-apply", "a rebase"],
  ["CHERRY_PICK_HEAD", "a cherry-pick"],
  ["REVERT_HEAD", "a revert"],
  ["sequencer", "a cherry-pick or revert of several commits"],
];

/** A commit in the middle of these would end them, with half of the lines. */
export function refuseUnfinished({ git }: Repository): void {
  const found = unfinished.find(([name]) => existsSync(join(git, name)));
  if (found) throw new CommitRefusal("underway", `${found[1]} is in progress: end it first`);
}

export interface Committing extends Surroundings {
  readonly store: LedgerStore;
  readonly files: Pick<Files, "identify" | "hold">;
  /** Ends git with its hooks, unless the commit is made by then. */
  readonly interrupt?: Cancellation;
}

export interface Committed {
  /** null: only staged. */
  readonly commit: string | null;
  readonly plan: Work;
}

/** Commits, or with no message only stages. `check` refuses a plan. */
export async function commit(
  around: Committing,
  wanted: Wanted,
  { message, check }: { readonly message: string | null; readonly check: (plan: Work) => void },
): Promise<Committed> {
  // One at a time; a signal waits for the end. No such file is ever made.
  const turn = await around.files.identify(resolve(around.repository.root, ".kedge-commit"));
  return around.files.hold([turn], async () => {
    for (let attempt = 1; ; attempt++) {
      const done = await withScratch((scratch) => once(around, wanted, { message, check, scratch }));
      if (done) return done;
      if (attempt === attempts)
        throw new CommitRefusal("busy", "the branch keeps moving: run the command again");
    }
  });
}

const attempts = 5;

interface Attempt {
  readonly message: string | null;
  readonly check: (plan: Work) => void;
  readonly scratch: Scratch;
}

/** null: somebody else committed meanwhile, and nothing was done. */
async function once(around: Committing, wanted: Wanted, attempt: Attempt): Promise<Committed | null> {
  const { repository } = around;
  const { message, check, scratch } = attempt;
  refuseUnfinished(repository);
  if (existsSync(join(repository.git, "index.lock")))
    throw new CommitRefusal("busy", `git holds the index: ${join(repository.git, "index.lock")} is there`);
  await finishKilled(around, scratch);
  const head = await headOf(repository);
  const plan = await planWork(around, wanted);
  check(plan);
  const variables = { GIT_INDEX_FILE: scratch.index };
  const { tree, changes } = await writePlan(repository, head, plan.files, variables);
  if (head !== null && tree === (await treeOf(repository, head)))
    throw new CommitRefusal("nothing", "nothing to commit: HEAD has these lines already");
  const merge = { planned: plan.files, changes };
  if (message === null) {
    if ((await headOf(repository)) !== head) return null;
    await mergeIndex(repository, merge, scratch);
    return { commit: null, plan };
  }
  await remember(around.store, plan.files, changes);
  const { interrupt, store } = around;
  const bases = new Map(plan.files.map(({ work }) => [work.from ?? work.path, work.head]));
  const paths = changes.map((change) => ({ ...change, base: bases.get(change.path) ?? null }));
  await store.putRecord(killedName(repository), { head, tree, paths } as unknown as Json);
  const made = await gitCommit(repository, { message, head, tree, scratch, interrupt });
  if (made === null) return null;
  try {
    await mergeIndex(repository, merge, scratch);
    await store.putRecord(killedName(repository), null);
  } catch (error) {
    // With the index as it was, the next commit would take the new lines back.
    await setBack(repository, made, head);
    throw error;
  }
  return { commit: made, plan };
}

const killedName = ({ root }: Repository): string => `commit under way in ${root}`;

interface UnderWay {
  readonly head: string | null;
  readonly tree: string;
  readonly paths: readonly CommittedPath[];
}

/** A process that was killed may have left a commit whose index is as it was: the next commit would take its lines back. */
async function finishKilled({ repository, store }: Committing, scratch: Scratch): Promise<void> {
  const name = killedName(repository);
  const killed = (await store.record(name))?.value as unknown as UnderWay | null | undefined;
  if (!killed) return;
  const made = await headOf(repository);
  const isMade = made !== null && made !== killed.head && (await treeOf(repository, made)) === killed.tree;
  if (isMade && (await parentOf(repository, made)) === killed.head)
    await followCommit(repository, killed.paths, scratch);
  await store.putRecord(name, null);
}

async function parentOf(repository: Repository, commit: string): Promise<string | null> {
  const ids = (await text(repository, ["rev-list", "--parents", "-n", "1", commit])).trim().split(" ");
  return ids[1] ?? null;
}

async function treeOf(repository: Repository, commit: string): Promise<string> {
  return (await text(repository, ["rev-parse", `${commit}^{tree}`])).trim();
}

async function remember(
  store: LedgerStore,
  planned: readonly PlannedFile[],
  changes: readonly IndexChange[],
): Promise<void> {
  const blobs = new Map(changes.map(({ path, file }) => [path, file?.blob]));
  for (const { work, lines } of planned) {
    const blob = blobs.get(work.path);
    if (work.from !== null) await rememberMove(work.key, work.fromKey, store);
    if (lines && blob)
      await rememberCommitted(
        work.key,
        blob,
        lines.map(({ line }) => line),
        store,
      );
  }
}

interface Meant {
  readonly message: string;
  readonly head: string | null;
  readonly tree: string;
  readonly scratch: Scratch;
  readonly interrupt: Cancellation | undefined;
}

/** null: HEAD was another one by then; the commit is taken back. */
async function gitCommit(
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

async function setBack(repository: Repository, made: string, to: string | null): Promise<void> {
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
