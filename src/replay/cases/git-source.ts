import { statSync } from "node:fs";
import { blobsIn, GitFailure, presentObjects, runGit } from "../../git/index.js";
import { findRepository, type Repository } from "../../host/index.js";
import { ReplayError } from "./case.js";

/** One real change of one file, from blob to blob. */
export interface FileChange {
  readonly path: string;
  readonly commit: string;
  readonly before: string;
  readonly after: string;
}

/** A file that both sides of a real merge had changed. */
export interface FileMerge {
  readonly path: string;
  readonly commit: string;
  readonly parents: readonly [string, string];
  readonly sides: readonly [string, string];
  readonly merged: string;
}

/** The history that cases are made from. */
export interface Source {
  readonly name: string;
  /** Newest first. */
  changes(): Promise<FileChange[]>;
  merges(): Promise<FileMerge[]>;
  /** The blob of the file where the two branches of a merge parted, or null. */
  parting(merge: FileMerge): Promise<string | null>;
  /** Texts fit for a case; null for blobs that are none. */
  texts(blobs: readonly string[]): Promise<(string | null)[]>;
  /** Older commits were not fetched. */
  isShallow(): Promise<boolean>;
}

/** Words for the user why the history cannot be read. */
export class GitError extends ReplayError {
  override readonly name = "GitError";
}

/** Older commits are left out: a history of any length is read in seconds. */
const deepest = 20_000;

export function gitSource(folder: string): Source {
  const git: Git = (args, input = "") => ask(folder, args, input);
  const log = [
    "log",
    "-z",
    "--raw",
    "--no-abbrev",
    "--no-renames",
    "--format=%H %P",
    `--max-count=${deepest}`,
  ];
  const present = (ids: readonly string[]): Promise<string[]> => presentObjects(repositoryAt(folder), ids);
  return {
    name: folder,
    changes: async () => parseChanges(await git([...log, "--no-merges", "--diff-filter=M"])),
    merges: async () => parseMerges(await git([...log, "--min-parents=2", "--max-parents=2", "-c"])),
    async parting({ parents, path }) {
      const [base] = String(await git(["merge-base", ...parents]).catch(() => "")).split("\n");
      if (!base) return null;
      const row = String(await git(["ls-tree", "-z", "--full-tree", base, "--", path]).catch(() => ""));
      return /^100\d{3} blob ([0-9a-f]+)\t/.exec(row)?.[1] ?? null;
    },
    texts: (blobs) => readTexts(git, blobs, present),
    isShallow: async () => String(await git(["rev-parse", "--is-shallow-repository"])).trim() === "true",
  };
}

type Git = (args: readonly string[], input?: string) => Promise<Buffer>;

/** Bytes of blobs that are held at once; at least one blob is. */
const batchBytes = 1 << 26;

async function readTexts(
  git: Git,
  blobs: readonly string[],
  present: (ids: readonly string[]) => Promise<string[]>,
): Promise<(string | null)[]> {
  const input = (ids: readonly string[]): string => ids.map((id) => `${id}\n`).join("");
  let unique = [...new Set(blobs)];
  const check = async (): Promise<string[]> =>
    String(await git(["cat-file", "--batch-check=%(objectsize)"], input(unique))).split("\n");
  const sizes = await check().catch(async () => {
    unique = await present(unique);
    return check();
  });
  const texts = new Map<string, string | null>();
  let [batch, held]: [string[], number] = [[], 0];
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    const found = blobsIn(await git(["cat-file", "--batch"], input(batch)), batch.length);
    for (const [at, id] of batch.entries()) texts.set(id, found[at] ? fitText(found[at]) : null);
    [batch, held] = [[], 0];
  };
  for (const [at, id] of unique.entries()) {
    const size = Number(sizes[at]);
    // Too large for a text of so many lines; "<id> missing" is no number.
    if (!(size <= largest)) continue;
    if (held + size > batchBytes) await flush();
    batch.push(id);
    held += size;
  }
  await flush();
  return blobs.map((id) => texts.get(id) ?? null);
}

function repositoryAt(folder: string): Repository {
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) throw new GitError(`${folder} ${stat ? "is not a folder" : "does not exist"}`);
  // A person named the folder, so it may be a bare repository.
  const repository = findRepository(folder, { named: true });
  if (repository === null) throw new GitError(nowhere(folder));
  return repository;
}

const nowhere = (folder: string): string =>
  `${folder} is not a git repository, nor in one: give the path of one`;

async function ask(folder: string, args: readonly string[], input: string): Promise<Buffer> {
  const repository = repositoryAt(folder);
  try {
    const started = (kill: () => void): (() => void) => untilExit(kill);
    return await runGit(repository, { args, input, started });
  } catch (error) {
    if (error instanceof GitFailure) throw new GitError(worded(folder, error));
    throw error;
  }
}

/** Adds advice to the most frequent messages of git. */
function worded(folder: string, { message, isMissing }: GitFailure): string {
  if (isMissing) return "git was not found: a history can only be read with it (PATH)";
  if (/not a git repository/.test(message)) return nowhere(folder);
  if (/does not have any commits yet/.test(message)) return `${folder} has no commits yet`;
  return message;
}

/** With -z: a commit's line, then for each file ":modes blobs M" and its path, all ended by NUL. */
function* records(
  output: Buffer,
): Generator<{ commit: string; parents: string[]; row: string; path: string }> {
  let [commit, parents]: [string, string[]] = ["", []];
  // Word by word: as one string a long history may be longer than a string can be.
  let from = 0;
  const next = (): string => {
    const end = output.indexOf(0, from);
    const word = output.toString("utf8", from, end < 0 ? output.length : end);
    from = end < 0 ? output.length : end + 1;
    return word;
  };
  while (from < output.length) {
    const word = next().replace(/^\n/, "");
    const heading = /^([0-9a-f]{40,64})((?: [0-9a-f]{40,64})*)$/.exec(word);
    if (heading) [commit, parents] = [heading[1] as string, (heading[2] as string).split(" ").slice(1)];
    else if (word.startsWith(":")) yield { commit, parents, row: word, path: next() };
  }
}

const isFile = (mode: string | undefined): boolean => mode === "100644" || mode === "100755";

function parseChanges(output: Buffer): FileChange[] {
  const found: FileChange[] = [];
  for (const { commit, row, path } of records(output)) {
    const [mode, , before, after] = row.slice(1).split(" ");
    // A change of mode alone leaves the blob.
    if (isFile(mode) && before && after && before !== after) found.push({ path, commit, before, after });
  }
  return found;
}

function parseMerges(output: Buffer): FileMerge[] {
  const found: FileMerge[] = [];
  for (const { commit, parents, row, path } of records(output)) {
    const [one, two, result, first, second, merged, kinds] = row.slice(2).split(" ");
    if (!row.startsWith("::") || kinds !== "MM" || ![one, two, result].every(isFile)) continue;
    const [left, right] = parents;
    if (left && right && first && second && merged)
      found.push({ path, commit, parents: [left, right], sides: [first, second], merged });
  }
  return found;
}

const shortest = 20;
const longest = 3000;

/** A longer line is not shown whole, and what was not shown cannot be edited by its anchor. */
const widest = 2000;
const largest = longest * (widest + 2) * 4;

/**
 * LF ends or CRLF ends, a final newline, UTF-8, 20 to 3,000 lines, none too long to be shown. A byte order mark is left
 * out: no agent is shown it, so none can type it, and a first line with it would be another line.
 */
function fitText(bytes: Buffer): string | null {
  if (bytes.at(-1) !== 10 || bytes.includes(0)) return null;
  let lines = 0;
  for (let at = bytes.indexOf(10); at >= 0 && lines <= longest; at = bytes.indexOf(10, at + 1)) lines++;
  if (lines < shortest || lines > longest) return null;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const rows = text.split(text.includes("\r\n") ? "\r\n" : "\n");
    return rows.some((line) => line.length > widest || /[\r\n]/.test(line)) ? null : text;
  } catch {
    return null;
  }
}
const pending = new Set<() => void>();
let isListening = false;

/**
 * A folder or a program that must not outlive this process: `clean` runs when the process exits, however that comes
 * about, unless the function that is given back was called before.
 */
export function untilExit(clean: () => void): () => void {
  if (!isListening) process.on("exit", cleanAll);
  isListening = true;
  pending.add(clean);
  return () => pending.delete(clean);
}

function cleanAll(): void {
  // The last first: a program may still write into the folder that was made before it.
  for (const clean of [...pending].reverse()) {
    try {
      clean();
    } catch {
      // The others are to be cleaned all the same.
    }
  }
}
