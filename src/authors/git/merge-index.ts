/** Brings the index onto a new commit: what others staged stays staged, as changes. */
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { contentsOf, runGit } from "../../git/index.js";
import type { Repository } from "../../host/index.js";
import { nameOfAuthor } from "../author.js";
import { placesIn } from "../file-work.js";
import { linesOf } from "../lines/follow.js";
import { joined, remembering } from "../lines/text-work.js";
import { type Replacement, removerIn, type WovenLine } from "../lines/weave.js";
import type { PlannedFile } from "../plan.js";
import { CommitRefusal } from "../refusal.js";
import type { GitFile } from "./work-tree.js";
import { type IndexChange, type Scratch, updateIndex, writeBlob } from "./write-tree.js";

export interface IndexMerge {
  readonly planned: readonly PlannedFile[];
  /** The commit's change of each path. */
  readonly changes: readonly IndexChange[];
}

const mostReadings = 5;

/** Puts a merged index in place of the one that was read, and of no other. */
export async function mergeIndex(repository: Repository, merge: IndexMerge, scratch: Scratch): Promise<void> {
  await changeIndex(repository, (variables) => mergedEntries(repository, merge, variables), scratch);
}

/** A path in a commit, and its file in HEAD before. */
export interface CommittedPath extends IndexChange {
  readonly base: GitFile | null;
}

/** Brings paths with nothing staged onto a commit whose process was killed. */
export async function followCommit(
  repository: Repository,
  paths: readonly CommittedPath[],
  scratch: Scratch,
): Promise<void> {
  const entries = async (variables: NodeJS.ProcessEnv): Promise<IndexChange[]> => {
    const names = paths.map(({ path }) => path);
    const staged = await entriesOf(repository, names, variables);
    return paths.filter(({ path, base }) => isSameFile(staged.get(path) ?? null, base));
  };
  await changeIndex(repository, entries, scratch);
}

async function changeIndex(
  repository: Repository,
  entries: (variables: NodeJS.ProcessEnv) => Promise<IndexChange[]>,
  scratch: Scratch,
): Promise<void> {
  const index = join(repository.git, "index");
  const next = join(scratch.folder, "next-index");
  const variables = { GIT_INDEX_FILE: next };
  for (let attempt = 0; attempt < mostReadings; attempt++) {
    const read = existsSync(index) ? readFileSync(index) : null;
    rmSync(next, { force: true });
    if (read) copyFileSync(index, next);
    await updateIndex(repository, await entries(variables), variables);
    // Files that differ from the index make git end with an error here.
    await runGit(repository, { args: ["update-index", "-q", "--refresh"], variables }).catch(() => {});
    if (await replace(index, read, readFileSync(next))) return;
  }
  throw new CommitRefusal("busy", "the index keeps changing: run the command again");
}

/** Milliseconds; git holds an index for as long as it writes it. */
const patience = 10_000;

/** Takes the lock that git takes. False: the index is another one by now. */
async function replace(index: string, read: Buffer | null, next: Buffer): Promise<boolean> {
  const lock = `${index}.lock`;
  const file = await locked(lock);
  try {
    const now = existsSync(index) ? readFileSync(index) : null;
    const isSame = now === null || read === null ? now === read : now.equals(read);
    if (!isSame) {
      closeSync(file);
      rmSync(lock);
      return false;
    }
    for (let at = 0; at < next.length; ) at += writeSync(file, next, at);
    closeSync(file);
    renameSync(lock, index);
    return true;
  } catch (error) {
    rmSync(lock, { force: true });
    throw error;
  }
}

async function locked(lock: string): Promise<number> {
  for (const end = Date.now() + patience; ; await delay(20)) {
    try {
      return openSync(lock, "wx", 0o644);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (Date.now() > end) throw new CommitRefusal("busy", `git holds the index: ${lock} is there`);
    }
  }
}

async function mergedEntries(
  repository: Repository,
  { planned, changes }: IndexMerge,
  variables: NodeJS.ProcessEnv,
): Promise<IndexChange[]> {
  const paths = changes.map(({ path }) => path);
  const staged = await entriesOf(repository, paths, variables);
  const works = new Map(planned.map((one) => [one.work.path, one]));
  const merged: IndexChange[] = [];
  for (const change of changes) {
    const one = works.get(change.path);
    const entry = staged.get(change.path) ?? null;
    // A moved file has no former text under its name.
    const base = one && one.work.from === null ? one.work.head : null;
    if (isSameFile(entry, base) || !one) merged.push(change);
    else if (entry === null || isSameFile(entry, change.file)) continue;
    else if (change.file === null || !one.lines || !one.work.weave) merged.push(change);
    else {
      const bytes = (await contentsOf(repository, [entry.blob])).get(entry.blob) ?? new Uint8Array(0);
      const blob = await writeBlob(repository, mergedText(one, bytes));
      const mode = !base || entry.mode === base.mode ? change.file.mode : entry.mode;
      merged.push({ path: change.path, file: { mode, blob } });
    }
  }
  return merged;
}

function isSameFile(one: GitFile | null, other: GitFile | null): boolean {
  return one?.mode === other?.mode && one?.blob === other?.blob;
}

async function entriesOf(
  repository: Repository,
  paths: readonly string[],
  variables: NodeJS.ProcessEnv,
): Promise<Map<string, GitFile>> {
  const args = ["ls-files", "-s", "-z", "--", ...paths];
  const rows = String(await runGit(repository, { args, variables })).split("\0");
  return new Map(
    rows.flatMap((row) => {
      const [, mode, blob, path] = /^(\d+) ([0-9a-f]+) \d\t(.*)$/s.exec(row) ?? [];
      return mode && blob && path !== undefined ? [[path, { mode, blob }] as const] : [];
    }),
  );
}

/**
 * Line by line: what the commit changed is as the commit has it, all else as it is staged, but for lines that neither HEAD
 * nor the file has any more: they go with the commit of whoever removed them, or the next one would bring them back. A
 * line that was only laid out anew is there still, and waits for its own author.
 */
function mergedText({ work, lines, taken }: PlannedFile, staged: Uint8Array): Uint8Array {
  const { weave, items } = work;
  if (!weave || !items || !lines) return staged;
  const text = linesOf(staged);
  const places = placesIn(text, weave, staged);
  const isStaged = new Set(places);
  const isChanged = new Map<WovenLine, boolean>();
  const known = new Set<WovenLine | null>();
  for (const item of items) {
    known.add(item.line).add(item.twin ?? null);
    if (item.line && taken.has(item)) isChanged.set(item.line, item.kind === "inserted");
  }
  const committing = new Set([...taken].map(({ author }) => nameOfAuthor(author)));
  const fate = remembering((by: Replacement) => {
    const left = by.inserted.filter((one) => one.isAlive && !isChanged.has(one));
    return {
      isCommitted: committing.has(nameOfAuthor(removerIn(by))),
      left: new Set(left.map((one) => nameOfAuthor(one.by))),
    };
  });
  const isReplaced = (line: WovenLine): boolean => {
    if (known.has(line) || !line.diedIn) return false;
    const { isCommitted, left } = fate(line.diedIn);
    return isCommitted && !left.has(nameOfAuthor(line.by));
  };
  const merged: { text: string }[] = [];
  let at = 0;
  const unknown = (): void => {
    for (; at < text.length && !places[at]; at++) merged.push({ text: text[at] as string });
  };
  unknown();
  for (const line of weave.all()) {
    if (isChanged.get(line) ?? (isStaged.has(line) && !isReplaced(line))) merged.push(line);
    if (places[at] !== line) continue;
    at++;
    unknown();
  }
  return Buffer.from(joined(merged), "latin1");
}
