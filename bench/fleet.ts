/** The store that several hosts share beside the one in a folder, in one run: an edit, many files, one file. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { packagedPostgres } from "../scripts/postgres-packages.mjs";
import { startPostgres } from "../test/fleet/postgres.js";
import { type Report, runWorker, type Task } from "./fleet/worker.js";
import { judge, writeResults } from "./results.js";

const isQuick = process.argv.includes("--quick");
const rounds = isQuick ? 1 : 3;
const lines = 1500;

interface Row {
  readonly what: string;
  /** Milliseconds. */
  readonly folder: number;
  readonly database: number;
  readonly ratio: number;
  readonly goal: number;
}

interface Load {
  readonly processes: number;
  readonly agents: number;
  readonly count: number;
  /** The file of an agent. */
  readonly path: (agent: number) => string;
}

let trees = 0;

/** One run of a load, on a tree of its own; a process is a host with a state folder of its own where the store is shared. */
async function run(url: string | null, { processes, agents, count, path }: Load): Promise<Report[]> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "kedge-bench-")));
  try {
    const root = join(base, "tree");
    mkdirSync(root);
    const all = Array.from({ length: agents }, (_, at) => ({ name: `agent${at}`, path: path(at) }));
    for (const name of new Set(all.map((agent) => agent.path))) {
      const own = all.filter((agent) => agent.path === name);
      const room = Math.max(2, Math.floor(lines / own.length));
      const text = own.flatMap((agent) => [
        `here ${agent.name}`,
        ...Array.from({ length: room }, (_, at) => `const ${agent.name}_${at} = ${at};`),
      ]);
      writeFileSync(join(root, name), `${text.join("\n")}\n`);
    }
    trees += 1;
    const workers = Array.from({ length: processes }, (_, at) => {
      const state = join(base, url ? `state${at}` : "state");
      mkdirSync(state, { recursive: true });
      const own = all.filter((_, agent) => agent % processes === at);
      return start({ url, tree: `tree ${process.pid} ${trees}`, root, state, agents: own, count });
    });
    await Promise.allSettled(workers.map(({ ready }) => ready));
    for (const { go } of workers) go();
    await Promise.allSettled(workers.map(({ report }) => report));
    const reports = await Promise.all(workers.map(({ report }) => report));
    for (const agent of all) {
      const written = readFileSync(join(root, agent.path), "utf8").split("\n");
      const found = written.filter((line) => line.startsWith(`${agent.name} `));
      if (new Set(found).size !== count || found.length !== count)
        throw new Error(`${agent.name}: ${found.length} of ${count} edits are in the file`);
    }
    return reports;
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

function start(task: Task) {
  const child = spawn(process.execPath, [process.argv[1] as string, "--worker", JSON.stringify(task)]);
  let output = "";
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += String(chunk);
  });
  const report = new Promise<Report>((resolve, reject) => {
    child.on("close", (status) => {
      if (status === 0) resolve(JSON.parse(output.split("\n")[1] ?? "null") as Report);
      else reject(new Error(errors));
    });
  });
  const ready = new Promise((resolve) => child.stdout.once("data", resolve));
  child.stdout.on("data", (chunk) => {
    output += String(chunk);
  });
  return { ready: Promise.race([ready, report]), go: () => child.stdin.end(), report };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const medianEdit = (reports: readonly Report[]): number => median(reports.flatMap(({ each }) => each));
/** Milliseconds for each edit of all together. */
const perEdit = (reports: readonly Report[]): number =>
  Math.max(...reports.map(({ took }) => took)) / reports.flatMap(({ each }) => each).length;

/** Both in turn, so that what else the machine does meets both. */
async function compared(
  url: string,
  what: string,
  load: Load,
  { of, goal }: { readonly of: (reports: readonly Report[]) => number; readonly goal: number },
): Promise<Row> {
  const folder: number[] = [];
  const database: number[] = [];
  for (let round = 0; round < rounds; round++) {
    folder.push(of(await run(null, load)));
    database.push(of(await run(url, load)));
  }
  const ratio = median(database.map((value, at) => value / (folder[at] as number)));
  const row = { what, folder: median(folder), database: median(database), ratio, goal };
  console.log(
    `${what}: ${row.folder.toFixed(2)} ms in a folder, ${row.database.toFixed(2)} ms in the database`,
  );
  return row;
}

async function bench(): Promise<void> {
  const home = packagedPostgres(resolve("node_modules/.cache/kedge/postgres"));
  if (home === null) {
    console.log("skipped: npm has no PostgreSQL for this platform");
    return;
  }
  const postgres = await startPostgres(home);
  try {
    const { url } = postgres;
    const one: Load = { processes: 1, agents: 1, count: isQuick ? 40 : 150, path: () => "a.ts" };
    const many: Load = { processes: 4, agents: 64, count: isQuick ? 5 : 10, path: (at) => `${at}.ts` };
    const crowd: Load = { processes: 4, agents: 256, count: 1, path: () => "a.ts" };
    const rows = [
      await compared(url, "an edit", one, { of: medianEdit, goal: 1.6 }),
      await compared(url, "64 agents on 64 files by 4 processes, time for each edit", many, {
        of: perEdit,
        goal: 1 / 0.6,
      }),
      await compared(url, "256 agents on one file by 4 processes, median wait", crowd, {
        of: medianEdit,
        goal: 3,
      }),
    ];
    judge(
      rows.map(({ what, ratio, goal }) => ({ what: `${what}, × the folder store`, goal, measured: ratio })),
    );
    if (!isQuick) writeResults("fleet", "npm run bench:fleet", { rounds, lines, postgres: "18.4", rows });
  } finally {
    await postgres.dispose();
  }
}

if (process.argv[2] === "--worker") {
  const task = JSON.parse(process.argv[3] as string) as Task;
  const report = await runWorker(task, async () => {
    process.stdout.write("ready\n");
    await new Promise((resolve) => process.stdin.resume().once("end", resolve));
  });
  process.stdout.write(`${JSON.stringify(report)}\n`);
} else await bench();
