import { resolve } from "node:path";
import {
  allMechanisms,
  type Case,
  type CaseSet,
  caseText,
  generate,
  gitSource,
  hasRefused,
  headingText,
  judged,
  type Mechanism,
  peer,
  playAll,
  ReplayError,
  readPrepared,
  type Score,
  score,
  setText,
  tablesText,
  verdictText,
} from "../../../replay/index.js";
import type { Context, Run } from "../../context.js";
import { done } from "../../flag-types.js";
import { InputError } from "../../input.js";
import { wrap } from "../../print/output.js";
import { type Bar, progressBar } from "../../print/progress.js";

const defaultCases = 400;

export const run: Run = async (context) => {
  const { draw, clear } = progressBar(context.output.err);
  context.interrupt.addEventListener("abort", clear);
  try {
    return await replay(context, draw);
  } catch (error) {
    clear();
    throw error instanceof ReplayError ? new InputError(error.message) : error;
  }
};

async function replay(context: Context, bar: Bar): Promise<number> {
  const { args, output } = context;
  const seconds = args.number("peer-timeout");
  const peers = args.texts("peer").map((given) => peer(given, seconds === undefined ? {} : { seconds }));
  const set = await readSet(context, bar);
  const all = await allMechanisms();
  const id = args.text("show");
  if (id !== undefined) {
    await showCase(context, caseNamed(id, set), [...all, ...peers]);
    return done;
  }
  const { name, seed, hash, cases, drawn } = set;
  // A peer is there to be compared.
  const hasTables = args.has("tables") || peers.length > 0;
  const isWhole = hasTables || args.has("json");
  const mechanisms = [...all.filter(({ short }) => isWhole || isJudged(short)), ...peers];
  if (args.has("json")) output.out.line(JSON.stringify({ name, seed, hash, cases: cases.length, drawn }));
  else output.out.line(`${hasTables ? setText(set) : headingText(set)}\n\n`);
  const scores: Score[] = [];
  const found = cases.map((): Record<string, readonly string[]> => ({}));
  for (const mechanism of mechanisms) {
    const one = await score(mechanism, cases, (at, outcomes) => {
      bar(mechanism.name, at, cases.length);
      Object.assign(found[at - 1] as object, { [mechanism.name]: outcomes });
    });
    scores.push(one);
    if (args.has("json")) output.out.line(JSON.stringify(one));
  }
  if (args.has("json")) {
    for (const [at, one] of cases.entries())
      output.out.line(JSON.stringify({ ...named(one), outcomes: found[at] }));
    return done;
  }
  if (hasTables) output.out.line(`${tablesText(scores)}\n\n`);
  for (const line of wrap(verdictText(scores), Math.min(output.out.columns, 100))) output.out.line(line);
  if (!hasTables) {
    output.err.line(`kedge: all ways of editing, case by case: kedge replay ${again(context)}--tables`);
    return done;
  }
  const wrong = scores.flatMap(({ classes }) => Object.values(classes).flatMap((one) => one.wrongIds));
  if (wrong[0] !== undefined)
    output.out.line(`\nOne of them, side by side: kedge replay ${again(context)}--show ${wrong[0]}`);
  return done;
}

const isJudged = (short: string): boolean => judged.some((name) => name === short);

/** A case without its texts. */
const named = ({ id, class: name, path, origin, expect, debatable, sampled }: Case): object => ({
  ...{ id, class: name, path, origin, expect, debatable, sampled },
});

function caseNamed(id: string, { cases, hash }: CaseSet): Case {
  const found = cases.filter((one) => one.id.startsWith(id));
  const [wanted] = found;
  if (!wanted)
    throw new InputError(
      `there is no case ${id} in set ${hash}; the history, --cases, --seed and --set must be those of the run that named it`,
    );
  if (found.length > 1 && !cases.some((one) => one.id === id))
    throw new InputError(
      `${id} begins the names of ${found.length} cases: ${found.map((one) => one.id).join(", ")}`,
    );
  return cases.find((one) => one.id === id) ?? wanted;
}

/** Columns where neither a terminal nor COLUMNS tells the width. */
const pipedColumns = 160;

async function showCase({ args, env, output }: Context, one: Case, all: readonly Mechanism[]): Promise<void> {
  const shown = await playAll(one, all);
  if (args.has("json")) {
    const results = shown.map((each) => ({
      ...{ name: each.mechanism.name, outcome: each.outcome, refused: hasRefused(each) },
      text: each.played.text,
    }));
    output.out.line(JSON.stringify({ ...one, results }));
    return;
  }
  const isKnown = output.out.isTerminal || env.COLUMNS;
  output.out.line(caseText(one, shown, isKnown ? output.out.columns : pipedColumns));
}

async function readSet({ args, cwd }: Context, bar: Bar): Promise<CaseSet> {
  const folder = args.text("set");
  if (folder !== undefined) return readPrepared(resolve(cwd, folder));
  const cases = args.number("cases") ?? defaultCases;
  const source = gitSource(resolve(cwd, args.positionals[0] ?? "."));
  const seed = args.text("seed") ?? "1";
  const onProgress = (at: number): void => bar("making cases", Math.min(at, cases), cases);
  const set = await generate({ source, seed, cases, onProgress });
  bar("making cases", cases, cases);
  if (set.cases.length === 0) throw new InputError(nothing(set, await source.isShallow()));
  return set;
}

/** Why a history gives no case. */
function nothing({ drawn }: CaseSet, isShallow: boolean): string {
  const reasons = Object.entries(drawn).map(([reason, count]) => `${reason} (${count})`);
  const why =
    reasons.length > 0
      ? `no case can be made from this history: ${reasons.join(", ")}`
      : "this history has no text of 20 to 3,000 lines that was changed twice, so there is nothing to replay";
  return isShallow ? `${why}; it is a shallow clone: git fetch --unshallow gets the rest` : why;
}

/** The flags that lead to the same set and the same mechanisms. */
function again({ args }: Context): string {
  const flags = ["set", "cases", "seed"].flatMap((name) => {
    const value = args.text(name);
    return value === undefined ? [] : [`--${name}`, value];
  });
  const peers = args.texts("peer").flatMap((given) => ["--peer", given]);
  return [...args.positionals, ...flags, ...peers].map((word) => `${quoted(word)} `).join("");
}

/** As a shell takes it for one word. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
