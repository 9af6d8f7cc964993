// A host of a fleet, as a process of its own. The task is the argument, as JSON; what came of it is the last line of stdout.
import { writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { fleetStore } from "../../src/fleet/index.js";
import { type Io, nodeIo } from "../../src/host/index.js";
import { nodeFiles } from "../../src/node.js";
import { Session } from "../../src/session/session.js";

export interface Task {
  readonly url: string;
  readonly tree: string;
  readonly root: string;
  readonly state: string;
  readonly lease: number;
  /** Names of agents; each edits for itself, all at once. */
  readonly agents: readonly string[];
  /** Edits of each. */
  readonly count: number;
  readonly paths: readonly string[];
  /** Every edit is a batch over all paths. */
  readonly isBatch?: boolean;
  readonly connections?: number;
  /** Ends or stops before the n-th rename in the tree, with this signal. */
  readonly at?: number;
  readonly signal?: "SIGKILL" | "SIGSTOP";
  /** Written when it is stopped. */
  readonly stopped?: string;
  /** Milliseconds to go on for where calls are refused as `busy`. */
  readonly patience?: number;
  /** Bytes of what the store has at hand. */
  readonly room?: number;
  /** So often each agent makes its edits, of which each replaces the one before; the heap is measured after each time. */
  readonly rounds?: number;
}

export interface Done {
  /** Lines whose edit was accepted. */
  readonly accepted: readonly string[];
  /** Edits that were given up. */
  readonly failed: readonly string[];
  readonly refusals: Readonly<Record<string, number>>;
  /** Milliseconds of each accepted edit. */
  readonly each: readonly number[];
  readonly messages: readonly string[];
  /** Bytes in use after each round, once all garbage is gone. */
  readonly heaps: readonly number[];
}

const task = JSON.parse(process.argv[2] ?? "null") as Task;
let renames = 0;

function mortal(): Io {
  const { at = 0, signal = "SIGKILL", stopped, root } = task;
  const strike = (to: string): void => {
    // Paths go through an open folder: the name tells.
    if (at === 0 || to.startsWith(task.state) || !(to.startsWith("/proc") || to.startsWith(root))) return;
    renames += 1;
    if (renames !== at) return;
    if (stopped) writeFileSync(stopped, "");
    process.kill(process.pid, signal);
    // Till it is there.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  };
  return {
    ...nodeIo,
    rename(from, to) {
      strike(to);
      nodeIo.rename(from, to);
    },
  };
}

const refusals: Record<string, number> = {};
const messages = new Set<string>();
const accepted: string[] = [];
const failed: string[] = [];
const each: number[] = [];

const files = nodeFiles({ roots: [task.root], state: task.state, io: mortal(), limits: { wait: 120_000 } });
const store = fleetStore({
  ...{ url: task.url, tree: task.tree, root: task.root, state: task.state, lease: task.lease, wait: 120_000 },
  ...{ workspace: { root: task.root, key: task.root }, report: (line: string) => void messages.add(line) },
  ...(task.connections ? { connections: task.connections } : {}),
  ...(task.room ? { room: task.room } : {}),
});

async function heapInUse(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // What a weak map or a stream let go of is found one time later.
  for (let time = 0; time < 5; time++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
}

async function edit(session: Session, agent: string, number: number): Promise<void> {
  const line = `${agent} ${number}`;
  const started = performance.now();
  const deadline = started + (task.patience ?? 120_000);
  for (;;) {
    const from = performance.now();
    const named = task.isBatch ? task.paths : [task.paths[number % task.paths.length] as string];
    const anchors: string[] = [];
    for (const path of named) {
      const { text } = await session.read({ path });
      const rows = text.split("\n");
      const own = rows.findIndex((row) => row.endsWith(`|here ${agent}`)) + (task.rounds ? 1 : 0);
      anchors.push(rows[own]?.split("|")[0] ?? "");
    }
    const requests = named.map((path, at) => ({
      path,
      edits: [
        {
          op: task.rounds ? ("set_line" as const) : ("insert_after" as const),
          anchor: anchors[at] as string,
          text: line,
        },
      ],
    }));
    const result = anchors.includes("")
      ? null
      : task.isBatch
        ? await session.multiEdit({ files: requests })
        : await session.edit(requests[0] as (typeof requests)[0]);
    if (result && !result.isError) {
      if (result.text.includes("record")) messages.add(result.text);
      each.push(performance.now() - from);
      accepted.push(line);
      return;
    }
    const code = result ? ((result.details as { code?: string }).code ?? "?") : "unread";
    refusals[code] = (refusals[code] ?? 0) + 1;
    if (result && messages.size < 50) messages.add(result.text.slice(0, 300));
    if (performance.now() > deadline) {
      failed.push(line);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 5 + 20 * Math.random()));
  }
}

const sessions = task.agents.map((agent) => ({
  agent,
  session: new Session({ files, store, agent, clock: Date.now }),
}));
const heaps: number[] = [];
for (let round = 0; round < (task.rounds ?? 1); round++) {
  await Promise.all(
    sessions.map(async ({ session, agent }) => {
      for (let at = 0; at < task.count; at++) await edit(session, agent, round * task.count + at);
    }),
  );
  if (task.rounds) heaps.push(await heapInUse());
}
const done: Done = { accepted, failed, refusals, each, messages: [...messages], heaps };
await store.end();
process.stdout.write(`${JSON.stringify(done)}\n`);
