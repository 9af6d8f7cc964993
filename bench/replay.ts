/**
 * Mechanisms and peers side by side on stale edits. `--repo PATH` makes the cases from a git history, `--set DIR` reads
 * prepared ones; without either it is this repository's history, and the set beside the project if it is there. The
 * published sets (`--write`) have both: a prepared set is no sample, it has as many cases of each class.
 */
import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  allMechanisms,
  type CaseSet,
  generate,
  gitSource,
  peer,
  readPrepared,
  type Score,
  score,
  setText,
  tablesText,
} from "../src/replay/index.js";
import { installedPeers } from "./peers/install.js";
import { writeResults } from "./results.js";

const { values } = parseArgs({
  options: {
    repo: { type: "string", multiple: true },
    set: { type: "string" },
    seed: { type: "string", default: "1" },
    cases: { type: "string", default: "1000" },
    "no-peers": { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
// So that what outlives an interruption is cleaned up: nothing is, when a signal ends the process by itself.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

const prepared = resolve("../shared/replay/cases");

async function sets(): Promise<CaseSet[]> {
  const found: CaseSet[] = [];
  const folder = values.set ?? (values.repo && !values.write ? undefined : prepared);
  if (folder !== undefined && existsSync(folder))
    found.push({ ...readPrepared(folder), name: "the prepared set" });
  const repositories = values.repo ?? (values.set && !values.write ? [] : ["."]);
  for (const path of repositories) {
    const made = await generate({ source: gitSource(path), seed: values.seed, cases: Number(values.cases) });
    found.push({ ...made, name: nameOf(path) });
  }
  return found;
}

/** The published name: the folder alone, or what is before "/repo" in a store of bare repositories. */
function nameOf(path: string): string {
  if (resolve(path) === process.cwd()) return "kedge";
  const name =
    basename(resolve(path)) === "repo" ? basename(dirname(resolve(path))) : basename(resolve(path));
  return name.replace("+", "/").replace(/\.git$/, "");
}

function progress(name: string, of: number): (done: number) => void {
  if (!process.stderr.isTTY) return () => {};
  return (done) => {
    const filled = Math.round((20 * done) / of);
    const end = done === of ? "\r\x1b[K" : "";
    process.stderr.write(`\r${"█".repeat(filled)}${"░".repeat(20 - filled)} ${name} ${done}/${of}${end}`);
  };
}

const results: unknown[] = [];
const peers = values["no-peers"] ? [] : installedPeers((line) => console.error(line));
for (const set of await sets()) {
  console.log(`\n${setText(set)}\n`);
  const scores: Score[] = [];
  for (const mechanism of [...(await allMechanisms()), ...peers.map(({ given }) => peer(given))]) {
    const started = performance.now();
    scores.push(await score(mechanism, set.cases, progress(mechanism.name, set.cases.length)));
    console.error(`${mechanism.name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
  console.log(tablesText(scores));
  const { name, seed, hash, cases, drawn } = set;
  results.push({ name, seed, hash, cases: cases.length, drawn, scores });
  const [ours] = scores;
  const wrong = Object.entries(ours?.classes ?? {}).filter(
    ([row, tally]) => (!row.includes("debatable") && tally.wrong > 0) || tally.secondTime.length > 0,
  );
  if (wrong.length > 0) process.exitCode = 1;
}
const packages = peers.flatMap((one) => one.packages);
const given = [
  ...(values.set ? ["--set the prepared set"] : []),
  ...(values.repo ?? []).map((path) => `--repo ${nameOf(path)}`),
];
const command = [
  "npm run bench:replay -- --write",
  `--cases ${values.cases} --seed ${values.seed}`,
  ...given,
].join(" ");
if (values.write) writeResults("replay", command, { peers: packages, sets: results });
