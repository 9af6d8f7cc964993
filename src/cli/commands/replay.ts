import { resolve } from "node:path";
import {
  allMechanisms,
  type CaseSet,
  generate,
  gitSource,
  peer,
  ReplayError,
  readPrepared,
  type Score,
  score,
  setText,
  showCase,
  tablesText,
} from "../../replay/index.js";
import type { Context, Run } from "../context.js";
import { done } from "../exit.js";
import { InputError } from "../input.js";
import type { Stream } from "../output.js";

const defaultCases = 400;
const barWidth = 24;

export const run: Run = (context) =>
  replay(context).catch((error: unknown) => {
    throw error instanceof ReplayError ? new InputError(error.message) : error;
  });

const replay: Run = async (context) => {
  const { args, output } = context;
  const bar = progressBar(output.err);
  const set = await readSet(context, bar);
  const mechanisms = [...(await allMechanisms()), ...args.texts("peer").map(peer)];
  const id = args.text("show");
  if (id !== undefined) {
    const wanted = set.cases.find((one) => one.id.startsWith(id));
    if (!wanted) throw new InputError(`there is no case ${id} in set ${set.hash}`);
    if (args.has("json")) output.out.line(JSON.stringify(wanted));
    else output.out.line(await showCase(wanted, mechanisms, output.out.columns));
    return done;
  }
  const { name, seed, hash, cases, drawn } = set;
  if (args.has("json")) output.out.line(JSON.stringify({ name, seed, hash, cases: cases.length, drawn }));
  else output.out.line(`${setText(set)}\n`);
  const scores: Score[] = [];
  for (const mechanism of mechanisms) {
    const one = await score(mechanism, cases, (at) => bar(mechanism.name, at, cases.length));
    scores.push(one);
    if (args.has("json")) output.out.line(JSON.stringify(one));
  }
  if (args.has("json")) return done;
  output.out.line(tablesText(scores));
  const wrong = scores.flatMap(({ classes }) => Object.values(classes).flatMap((one) => one.wrongIds));
  if (wrong[0] !== undefined)
    output.out.line(`\nOne of them, side by side: kedge replay ${again(context)}--show ${wrong[0]}`);
  return done;
};

async function readSet({ args, cwd }: Context, bar: Bar): Promise<CaseSet> {
  const folder = args.text("set");
  if (folder !== undefined) return readPrepared(resolve(cwd, folder));
  const cases = args.number("cases") ?? defaultCases;
  const source = gitSource(resolve(cwd, args.positionals[0] ?? "."));
  const seed = args.text("seed") ?? "1";
  const onProgress = (at: number): void => bar("making cases", Math.min(at, cases), cases);
  const set = await generate({ source, seed, cases, onProgress });
  bar("making cases", cases, cases);
  if (set.cases.length === 0) throw new InputError(nothing(set));
  return set;
}

/** Why a history gives no case. */
function nothing({ drawn }: CaseSet): string {
  const reasons = Object.entries(drawn).map(([reason, count]) => `${reason} (${count})`);
  if (reasons.length > 0) return `no case can be made from this history: ${reasons.join(", ")}`;
  return "this history has no text of 20 to 3,000 lines that was changed twice, so there is nothing to replay";
}

/** The flags that lead to the same set. */
function again({ args }: Context): string {
  const given = ["set", "cases", "seed"].flatMap((name) => {
    const value = args.text(name);
    return value === undefined ? [] : [`--${name} ${value} `];
  });
  return [...args.positionals.map((path) => `${path} `), ...given].join("");
}

type Bar = (what: string, at: number, of: number) => void;

/** Only where somebody looks, and at most every fiftieth of a second. */
function progressBar(stream: Stream): Bar {
  let last = 0;
  return (what, at, of) => {
    if (!stream.isTerminal) return;
    const now = performance.now();
    if (at < of && now - last < 20) return;
    last = now;
    const filled = Math.round((barWidth * at) / of);
    const line = `${"█".repeat(filled)}${"░".repeat(barWidth - filled)} ${what} ${at}/${of}`;
    stream.raw(at < of ? `\r\x1b[K${line}` : "\r\x1b[K");
  };
}
