/** N agents, real processes, on one tree: through the disk ledger, with string replacement, with full re-reads. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Report, runWorker, type Task, type Way } from "./agents/worker.js";
import { judge, writeResults } from "./results.js";
import { sourceText } from "./speed/text.js";

const ways: readonly Way[] = ["kedge", "string replacement", "full re-read"];
const counts = process.argv.includes("--quick") ? [2, 8] : [2, 4, 8, 16, 32, 64, 128, 256];
const edits = 8;
const files = ["a.ts", "b.ts", "c.ts", "d.ts"];

interface Outcome {
  readonly way: Way;
  readonly agents: number;
  readonly wanted: number;
  readonly accepted: number;
  readonly relocated: number;
  readonly refused: number;
  readonly givenUp: number;
  /** Accepted edits that are not in the files in the end. */
  readonly lost: number;
  /** Accepted edits that are there more than once. */
  readonly doubled: number;
  /** o200k tokens for each accepted edit. */
  readonly tokens: number;
  /** Milliseconds of processor time for each accepted edit, its read and its refusals included. */
  readonly processor: number;
  readonly seconds: number;
}

interface Worker {
  /** Settles when the process has started, so that all can begin together. */
  readonly ready: Promise<unknown>;
  readonly go: () => void;
  readonly report: Promise<Report>;
}

function start(task: Task): Worker {
  const child = spawn(process.execPath, [process.argv[1] as string, "--worker", JSON.stringify(task)]);
  const chunks: Buffer[] = [];
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errors += String(chunk);
  });
  const report = new Promise<Report>((resolve, reject) => {
    child.on("close", (status) => {
      const [, last = ""] = String(Buffer.concat(chunks)).split("\n");
      if (status === 0) resolve(JSON.parse(last) as Report);
      else reject(new Error(errors));
    });
  });
  const ready = new Promise((resolve) => child.stdout.once("data", resolve));
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  return { ready: Promise.race([ready, report]), go: () => child.stdin.end(), report };
}

async function simulate(way: Way, agents: number): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "kedge-agents-"));
  const [root, state] = [join(folder, "work"), join(folder, "state")];
  mkdirSync(root);
  for (const [at, name] of files.entries()) writeFileSync(join(root, name), sourceText(300, at + 1));
  try {
    const workers = Array.from({ length: agents }, (_, at) =>
      start({ way, name: `agent${at}`, root, state, files, edits }),
    );
    await Promise.all(workers.map(({ ready }) => ready));
    const started = performance.now();
    for (const { go } of workers) go();
    const reports = await Promise.all(workers.map(({ report }) => report));
    const seconds = (performance.now() - started) / 1000;
    return { way, agents, wanted: agents * edits, ...(await summed(reports, root)), seconds };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function summed(reports: readonly Report[], root: string) {
  // Not at the top: workers are this file too, and its tables take half a second of each.
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  const text = files.map((name) => readFileSync(join(root, name), "utf8")).join("\n");
  const found = new Map<string, number>();
  for (const [mark] of text.matchAll(/\bagent\d+\.\d+\b/g)) found.set(mark, (found.get(mark) ?? 0) + 1);
  const marks = reports.flatMap((one) => one.marks);
  const sum = (key: "relocated" | "refused" | "givenUp" | "processor"): number =>
    reports.reduce((total, one) => total + one[key], 0);
  const tokens = reports.flatMap(({ spoken }) => spoken).reduce((total, one) => total + countTokens(one), 0);
  return {
    ...{
      accepted: marks.length,
      relocated: sum("relocated"),
      refused: sum("refused"),
      givenUp: sum("givenUp"),
    },
    lost: marks.filter((mark) => !found.has(mark)).length,
    doubled: marks.filter((mark) => (found.get(mark) ?? 0) > 1).length,
    tokens: Math.round(tokens / Math.max(1, marks.length)),
    processor: sum("processor") / Math.max(1, marks.length),
  };
}

async function main(): Promise<void> {
  const outcomes: Outcome[] = [];
  console.log(
    "agents  way                  accepted  relocated  refused  given up  lost  doubled  tokens/edit  cpu ms/edit  seconds",
  );
  for (const agents of counts)
    for (const way of ways) {
      const one = await simulate(way, agents);
      outcomes.push(one);
      const cells = [
        one.accepted,
        one.relocated,
        one.refused,
        one.givenUp,
        one.lost,
        one.doubled,
        one.tokens,
      ];
      console.log(
        `${String(agents).padStart(6)}  ${way.padEnd(18)}${cells.map((cell) => String(cell).padStart(10)).join("")}${one.processor.toFixed(1).padStart(10)}${one.seconds.toFixed(1).padStart(10)}`,
      );
    }
  console.log();
  const ours = outcomes.filter(({ way }) => way === "kedge");
  judge([
    {
      what: "accepted edits of kedge that were lost",
      goal: 0,
      measured: ours.reduce((sum, one) => sum + one.lost, 0),
    },
    {
      what: "accepted edits of kedge that are there twice",
      goal: 0,
      measured: ours.reduce((sum, one) => sum + one.doubled, 0),
    },
  ]);
  if (!process.argv.includes("--quick"))
    writeResults("agents", "npm run bench:agents", { edits, files: files.length, outcomes });
}

const [, , kind, task] = process.argv;
if (kind === "--worker") await runWorker(JSON.parse(task as string) as Task);
else await main();
