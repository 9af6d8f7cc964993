/** Opens the uncommitted work of a tree for the commands that say whose it is. */
import { resolve } from "node:path";
import {
  type Author,
  CommitRefusal,
  type FileWork,
  fromTop,
  isCertain,
  type MissingNeed,
  type Party,
} from "../../../authors/index.js";
import { findRepository, type Repository } from "../../../host/index.js";
import { outside, shortAgentName, visible } from "../../../text/index.js";
import { openTree } from "../../../tree/index.js";
import { workspaceFor } from "../../../workspace/index.js";
import { UsageError } from "../../args.js";
import type { Context } from "../../context.js";
import { failed } from "../../flag-types.js";
import { isTerminal } from "../../input.js";
import { type Opened, open } from "../../open-workspace.js";
import { agentNamed } from "../../print/log-rows.js";
import { rangeList } from "../../print/shell-wording.js";

export interface OpenedWork extends Opened {
  readonly repository: Repository;
  /** From the top of the work tree. */
  readonly paths: readonly string[];
}

/** Writes down first what changed with no tool telling of it. */
export async function openWork(context: Context, paths: readonly string[]): Promise<OpenedWork> {
  const { cwd } = context;
  const repository = findRepository(resolve(cwd, paths[0] ?? "."));
  if (!repository || repository.isBare)
    throw new CommitRefusal(
      "no_repository",
      `${cwd} is no work tree of git: there is no HEAD to compare with`,
    );
  const { root } = repository;
  const opened = await open(context, paths, workspaceFor(root, []));
  const { files, store, settings, identity } = opened;
  const tree = openTree({
    root,
    files,
    store,
    clock: Date.now,
    env: context.env,
    mode: settings.tree ?? "dirty",
  });
  await tree.observe({ kind: "tool", agent: identity.id, cwd }).catch(() => {});
  return { ...opened, repository, paths: paths.map((path) => inTree(resolve(cwd, path), repository)) };
}

function inTree(path: string, repository: Repository): string {
  const way = fromTop(path, repository);
  if (way === null) throw new UsageError(`${path} is outside of ${repository.root}`);
  return way;
}

/** Whose changes the flags ask for: --mine without an agent is the person. */
export async function partyOf(context: Context, opened: OpenedWork, isClaiming = false): Promise<Party> {
  const { args } = context;
  const asked = ["mine", "agent", "person"].filter((flag) => args.has(flag));
  if (asked.length > 1) throw new UsageError(`--${asked[0]} and --${asked[1]} exclude each other`);
  const named = args.text("agent");
  if (args.has("person")) return { agent: outside, isClaiming };
  if (named !== undefined) return { agent: await agentNamed(named, opened.store), isClaiming };
  const { identity, store } = opened;
  const isUnnamed = identity.source === "process" || identity.source === "shared";
  const isAgent =
    !isUnnamed || (!isTerminal(context) && (await store.journal({ agent: identity.id, last: 1 })).length > 0);
  return { agent: isAgent ? identity.id : outside, isClaiming };
}

/** The person is not named: it may have been any program that no agent started. */
export function whoIs({ authors }: Pick<Author, "authors">, nameOf = shortAgentName): string {
  return authors.map((name) => (name === outside ? "you or another program" : nameOf(name))).join(" or ");
}

/** Says that there is nothing of an author. */
export function noLinesOf({ agent }: Pick<Party, "agent">): string {
  return `no uncommitted lines of ${whoIs({ authors: [agent] })}`;
}

/** The name that a flag takes. */
export function partyName({ agent }: Pick<Party, "agent">): string {
  return agent === outside ? "person" : shortAgentName(agent);
}

function ranges(lines: readonly number[]): string {
  const found: { start: number; end: number }[] = [];
  for (const line of [...lines].sort((one, two) => one - two)) {
    const last = found.at(-1);
    if (last && line <= last.end + 1) last.end = Math.max(last.end, line);
    else found.push({ start: line, end: line });
  }
  return rangeList(found);
}

/** One sentence for each change that stands on somebody else's, and the flag that takes those along. */
export function needSentence({ path, author, lines, standing, why }: MissingNeed): string {
  const who = whoIs(author);
  const flag = isCertain(author)
    ? `--with ${partyName({ agent: author.authors[0] as string })}`
    : "--with-unknown";
  const own = lines.length === 0 ? path : `${path}:${ranges(lines)}`;
  const theirs = standing.length === 0 ? "" : ` (${ranges(standing)})`;
  const stands = {
    between: `stands on lines of ${who}${theirs}`,
    new: `is in a new file of ${who}${theirs}`,
    moved: `is in a file that ${who} moved`,
  }[why];
  return visible(`${own} ${stands}; ${flag} takes ${why === "moved" ? "the move" : "them"} along`);
}

/** Lines that nobody gets unless they are claimed. */
export function uncertainLines(
  works: readonly FileWork[],
): { path: string; lines: number[]; authors: string }[] {
  const found = new Map<string, { path: string; lines: number[]; authors: string }>();
  for (const { path, items, author } of works) {
    const add = (one: Author, line: number | null): void => {
      if (one.authors.length === 1) return;
      const key = `${path}\n${whoIs(one)}`;
      const row = found.get(key) ?? { path, lines: [], authors: whoIs(one) };
      if (line !== null) row.lines.push(line);
      found.set(key, row);
    };
    if (!items) add(author, null);
    let line = 0;
    for (const item of items ?? []) {
      if (item.kind !== "removed") line++;
      if (item.author) add(item.author, item.kind === "removed" ? null : line);
    }
  }
  return [...found.values()];
}

export function tellUncertain(works: readonly FileWork[], { output }: Context): void {
  for (const { path, lines, authors } of uncertainLines(works)) {
    const where = lines.length === 0 ? path : `${path}:${ranges(lines)}`;
    output.err.line(visible(`kedge: ${where} is of ${authors}; --with-unknown claims it`));
  }
}

/** Runs a command; a refusal is told in words, with --json as an object. */
export async function answering(context: Context, body: () => Promise<number>): Promise<number> {
  const { args, output } = context;
  try {
    return await body();
  } catch (error) {
    if (!(error instanceof CommitRefusal)) throw error;
    const { code, message, needs } = error;
    if (args.has("json")) output.out.line(JSON.stringify({ status: "refused", code, message, needs }));
    output.err.line(`kedge: ${message.split("\n").map(visible).join("\n  ")}`);
    return code === "busy" ? busy : failed;
  }
}

const busy = 6;
