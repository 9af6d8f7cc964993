/** A git commit of one author's lines. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { headOf } from "../git/index.js";
import type { Repository } from "../host/index.js";
import { type Cancellation, type Files, type Json, type LedgerStore, PortError } from "../ports/index.js";
import type { Party } from "./author.js";
import { rememberCommitted } from "./committed.js";
import { type FileWork, loadWork, type Surroundings } from "./file-work.js";
import { gitCommit, parentOf, setBack, treeOf } from "./git/git-commit.js";
import { type CommittedPath, followCommit, mergeIndex } from "./git/merge-index.js";
import {
  type IndexChange,
  objectsBeside,
  patchOf,
  type Scratch,
  withScratch,
  writePlan,
} from "./git/write-tree.js";
import { type Plan, type PlannedFile, planFor } from "./plan.js";
import { CommitRefusal } from "./refusal.js";

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
  return inTurn(around, async () => {
    for (let attempt = 1; ; attempt++) {
      const done = await withScratch((scratch) => once(around, wanted, { message, check, scratch }));
      if (done) return done;
      if (attempt === attempts)
        throw new CommitRefusal("busy", "the branch keeps moving: run the command again");
    }
  });
}

const attempts = 5;

/** Milliseconds that the commits of others may take, with all their hooks. */
const longestTurn = 600_000;

/** One at a time; a signal waits for the end. The holder of the turn may be at work for minutes: nobody calls it busy before. */
async function inTurn<T>({ files, repository }: Committing, body: () => Promise<T>): Promise<T> {
  // No such file is ever made.
  const turn = await files.identify(resolve(repository.root, ".kedge-commit"));
  for (const end = Date.now() + longestTurn; ; ) {
    let hasBegun = false;
    try {
      return await files.hold([turn], () => {
        hasBegun = true;
        return body();
      });
    } catch (error) {
      const isWaiting = !hasBegun && error instanceof PortError && error.code === "busy";
      if (!isWaiting) throw error;
      if (Date.now() > end)
        throw new CommitRefusal("busy", "another kedge commit does not end: run this one again");
    }
  }
}

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

async function remember(
  store: LedgerStore,
  planned: readonly PlannedFile[],
  changes: readonly IndexChange[],
): Promise<void> {
  const blobs = new Map(changes.map(({ path, file }) => [path, file?.blob]));
  for (const { work, lines } of planned) {
    const blob = blobs.get(work.path);
    if (lines && blob)
      await rememberCommitted(
        work.key,
        blob,
        lines.map(({ line }) => line),
        store,
      );
  }
}
