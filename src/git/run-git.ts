/** Every call of git goes through here. A repository is somebody else's work: it may be read, and runs nothing. */

import { statSync } from "node:fs";
import { devNull } from "node:os";
import { dirname } from "node:path";
import { findProgram, findRepository, type Repository } from "../host/index.js";

export interface GitCall {
  readonly args: readonly string[];
  readonly input?: string | Uint8Array;
  /** Variables of git that this call needs: another index, another place for objects. */
  readonly variables?: NodeJS.ProcessEnv;
  /** Settings that count more than any file, beside those of every call. */
  readonly settings?: readonly (readonly [key: string, value: string])[];
  /** Milliseconds; none: as long as it takes. */
  readonly timeout?: number;
  /** Bytes of the answer; a longer one ends the call. */
  readonly longest?: number;
  /** Is given what ends the call at once, and answers what to do when it is over. */
  readonly started?: (kill: () => void) => () => void;
}

/** Git could not be started, or ended with an error; the message is its own. */
export class GitFailure extends Error {
  constructor(
    message: string,
    readonly isMissing = false,
  ) {
    super(message);
  }
}

const protocols = ["file", "ext", "git", "ssh", "http", "https"];

/**
 * Keys that a repository's own configuration may not decide: each of these names a program that git would start, or
 * changes what an answer holds. These keys count more than any file.
 */
const settings = [
  "safe.bareRepository=explicit",
  "protocol.allow=never",
  ...protocols.map((name) => `protocol.${name}.allow=never`),
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.sshCommand=false",
  "core.alternateRefsCommand=false",
  "credential.helper=",
  "gpg.program=false",
  "log.showSignature=false",
  // "remerge" would merge anew, with the merge programs of the repository.
  "log.diffMerges=separate",
  "diff.external=",
  "diff.orderFile=/dev/null",
  "gc.auto=0",
  "maintenance.auto=false",
];

/** Programs that a diff would be given to. */
const plainDiff = ["--no-ext-diff", "--no-textconv"];

/** Git's own variables are left out: in a hook of git's they name another repository, and others can set them as well. */
const isGits = (name: string): boolean => /^(GIT|SSH_ASKPASS)/i.test(name);

function environment(repository: Repository | null, cwd: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !isGits(name));
  return {
    ...Object.fromEntries(kept),
    ...{ LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1" },
    ...{ GIT_ALLOW_PROTOCOL: "", GIT_PROTOCOL_FROM_USER: "0" },
    ...{ GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "", GCM_INTERACTIVE: "never" },
    ...whereabouts(repository, cwd),
  };
}

/** A folder of another user is left to git itself, which takes it only if the person said so (safe.directory). */
function whereabouts(repository: Repository | null, cwd: string): NodeJS.ProcessEnv {
  const alone = { GIT_CEILING_DIRECTORIES: dirname(cwd) };
  // Nor may the person's own configuration change what comes out there.
  if (repository === null) return { ...alone, GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: "1" };
  const owner = statSync(repository.git, { throwIfNoEntry: false })?.uid;
  if (repository.isBare || owner === process.geteuid?.() || process.geteuid === undefined)
    return { GIT_DIR: repository.git, GIT_WORK_TREE: repository.root };
  return alone;
}

/** Program, arguments and environment of a call; null if there is no git. `cwd` is a folder without a repository. */
export function gitCommand(
  where: Repository | { readonly cwd: string },
  args: readonly string[],
): { readonly program: string; readonly args: string[]; readonly env: NodeJS.ProcessEnv } | null {
  const repository = "git" in where ? where : null;
  const cwd = "git" in where ? where.root : where.cwd;
  const program = findProgram("git", {
    searchPath: process.env.PATH,
    outside: [...around(cwd), ...around(process.cwd())],
  });
  if (program === null) return null;
  const [command = "", ...rest] = args;
  const own = command === "log" ? plainDiff : [];
  const set = settings.flatMap((one) => ["-c", one]);
  return {
    program,
    args: ["--no-pager", "--literal-pathspecs", ...set, command, ...own, ...rest],
    env: environment(repository, cwd),
  };
}

/** The repositories that a folder lies in: a submodule lies in another one. */
function around(folder: string): string[] {
  const found = findRepository(folder);
  if (found === null) return [];
  const above = dirname(found.root);
  return [found.root, ...(above === found.root ? [] : around(above))];
}

/** Settings by environment: on the command line a key that holds "=" would be cut there. */
function settingVariables(settings: NonNullable<GitCall["settings"]>): NodeJS.ProcessEnv {
  const pairs = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

/** Runs git in a repository; what it printed. */
export async function runGit(repository: Repository, call: GitCall): Promise<Buffer> {
  const {
    args,
    input = "",
    settings: more = [],
    variables = {},
    timeout,
    longest = Number.POSITIVE_INFINITY,
    started,
  } = call;
  const command = gitCommand(repository, args);
  if (command === null) throw new GitFailure("git was not found", true);
  // Late: it would cost every hook a fifth of its start.
  const { spawn } = await import("node:child_process");
  return new Promise((resolve, reject) => {
    const child = spawn(command.program, command.args, {
      ...{ cwd: repository.root, stdio: ["pipe", "pipe", "pipe"] },
      env: { ...command.env, ...settingVariables(more), ...variables },
      ...(timeout === undefined ? {} : { timeout }),
    });
    const over = started?.(() => child.kill("SIGKILL"));
    const chunks: Buffer[] = [];
    let size = 0;
    let complaint = "";
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > longest) child.kill();
      else chunks.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (complaint.length < 4096) complaint += String(chunk);
    });
    child.on("error", (error) => reject(new GitFailure(`git could not be started: ${error.message}`)));
    child.on("close", (status) => {
      over?.();
      if (status === 0) resolve(Buffer.concat(chunks));
      else reject(new GitFailure(complaint.trim() || `git ${args[0]} failed`));
    });
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

/** Variables of git that would take a call to another repository, index or folder. */
const elsewhere =
  /^GIT_(DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|PREFIX|QUARANTINE_PATH|LITERAL_PATHSPECS)$/i;

/**
 * Runs git as the person does: with their hooks, filters, signing and identity. Only `kedge commit` may, in the repository
 * that it was started in. Returns the words of git, and its status.
 */
export async function runOwnGit(
  { root }: Repository,
  args: readonly string[],
  variables: NodeJS.ProcessEnv = {},
  started: GitCall["started"] = undefined,
): Promise<{ readonly status: number | null; readonly said: string }> {
  const program = findProgram("git", { searchPath: process.env.PATH, outside: around(root) });
  if (program === null) throw new GitFailure("git was not found", true);
  const kept = Object.entries(process.env).filter(([name]) => !elsewhere.test(name));
  const { spawn } = await import("node:child_process");
  return new Promise((resolve, reject) => {
    const env = { ...Object.fromEntries(kept), ...variables };
    const child = spawn(program, [...args], { cwd: root, env, stdio: ["inherit", "pipe", "pipe"] });
    let said = "";
    const over = started?.(() => {
      // A hook of git's may go on, with the pipes: it is not waited for.
      child.on("exit", (status) => resolve({ status, said }));
      child.kill("SIGTERM");
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        said += String(chunk);
      });
    child.on("error", (error) => reject(new GitFailure(`git could not be started: ${error.message}`)));
    child.on("close", (status) => {
      over?.();
      resolve({ status, said });
    });
  });
}

/**
 * Which of these objects are in the repository. In a partial clone git ends at the first that is not, since it may not
 * fetch it; newer versions go on.
 */
export async function presentObjects(repository: Repository, ids: readonly string[]): Promise<string[]> {
  const args = ["rev-list", "--no-walk", "--objects", "--missing=print", "--ignore-missing", "--stdin"];
  const printed = String(await runGit(repository, { args, input: ids.map((id) => `${id}\n`).join("") }));
  const there = new Set(printed.split("\n").map((line) => line.split(" ")[0]));
  return ids.filter((id) => there.has(id));
}
