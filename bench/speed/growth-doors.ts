/** The programs that people and clients start, where the journal is long: processor time of whole processes. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { nodeStore } from "../../src/node.js";
import type { JournalEntry } from "../../src/ports/index.js";
import { Document } from "../../src/text/index.js";
import { type Curve, type Grown, median, ratioRow } from "./growth-row.js";
import type { Row } from "./harness.js";

const files = 200;
const appended = 500;
const rounds = { warm: 3, measured: 15 };
const goal = 1.3;

interface Workspace {
  readonly root: string;
  /** Starts a program there, and returns the milliseconds of processor time that it took. */
  run(program: string, args: readonly string[], input?: string): number;
}

/** Files that agents edited by turns; each is as its last entry left it. */
async function workspace(folder: string, entries: number): Promise<Workspace> {
  mkdirSync(join(folder, "src"), { recursive: true });
  const root = realpathSync(folder);
  spawnSync("git", ["init", "-q"], { cwd: root });
  const state = `${root}-state`;
  const texts = ["export const value = compute(1);\n", "export const value = compute(2);\n"];
  const versions = texts.map((text) => Document.fromText(text).version);
  const paths = Array.from({ length: files }, (_, at) => join(root, "src", `${at}.ts`));
  for (const path of paths) writeFileSync(path, texts[0] as string);
  const store = nodeStore({ state, workspace: { key: join(root, ".git") } });
  const entry = (number: number): JournalEntry => {
    const turns = Math.floor((entries - 1 - number) / files);
    const path = paths[number % files] as string;
    return {
      ...{ id: `old${number}`, time: Date.now() - 1000, agent: `agent${number % 20}`, tool: "edit" },
      ...{ kind: "commit", path, file: path, lines: [{ start: 1, end: 1 }], change: [1, 1, 0, 1, 0, 1] },
      ...{ before: versions[(turns + 1) % 2] as string, after: versions[turns % 2] as string },
    };
  };
  for (let at = 0; at < entries; at += appended)
    await store.append(Array.from({ length: Math.min(appended, entries - at) }, (_, add) => entry(at + add)));
  const told = `${root}-time`;
  const script = `${root}-clock.cjs`;
  writeFileSync(
    script,
    `process.on("exit", () => {
      const { user, system } = process.cpuUsage();
      require("node:fs").writeFileSync(${JSON.stringify(told)}, String((user + system) / 1000));
    });`,
  );
  const env = { PATH: process.env.PATH, HOME: root, KEDGE_STATE: state, KEDGE_SESSION: "bench" };
  const run = (program: string, args: readonly string[], input = ""): number => {
    const all = ["--require", script, program, ...args, ...(program.endsWith("hook.cjs") ? [state] : [])];
    const { status, stdout, stderr } = spawnSync(process.execPath, all, { cwd: root, env, input });
    if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
    if (args[0] === "log" && !`${stdout}`.includes(`old${entries - 1}`))
      throw new Error(`the long journal is not this workspace's: ${stdout}`);
    return Number(readFileSync(told, "utf8"));
  };
  return { root, run };
}

/** The rows of the programs, with the longest journal over the shortest. */
export async function doorRows(folder: string, journals: readonly number[]): Promise<Grown> {
  const [bin, hook] = [resolve("dist/bin.cjs"), resolve("dist/hook.cjs")];
  if (!existsSync(bin) || !existsSync(hook)) throw new Error("dist is missing: npm run build makes it");
  const places: Workspace[] = [];
  for (const entries of journals) places.push(await workspace(join(folder, `doors-${entries}`), entries));
  const event = ({ root }: Workspace, name: string, more: object): string =>
    JSON.stringify({ session_id: "bench", cwd: root, hook_event_name: name, ...more });
  const asked = ({ run }: Workspace, input: string): number => run(hook, ["claude-code", "--state"], input);
  const call = { tool_name: "Bash", tool_input: { command: "node build.js" }, tool_response: "done" };
  const works: Readonly<Record<string, (at: Workspace) => number>> = {
    "hook after a command": (at) => asked(at, event(at, "PostToolBatch", { tool_calls: [call] })),
    "hook at a prompt": (at) => asked(at, event(at, "UserPromptSubmit", { prompt: "go on" })),
    "kedge log --max 5": ({ run }) => run(bin, ["log", "--max", "5"]),
    "kedge undo, tried out": ({ run }) => run(bin, ["undo", "--dry-run"]),
    "kedge lost, nothing changed": ({ run }) => run(bin, ["lost"]),
  };
  for (const at of places) {
    at.run(bin, ["write", "new.ts"], "more();\n");
    asked(at, event(at, "SessionStart", { source: "startup" }));
  }
  const rows: Row[] = [];
  const curves: Curve[] = [];
  for (const [name, work] of Object.entries(works)) {
    const times = places.map((): number[] => []);
    for (let round = 0; round < rounds.warm + rounds.measured; round++)
      for (const [which, at] of places.entries()) {
        const time = work(at);
        if (round >= rounds.warm) times[which]?.push(time);
      }
    const [few = [], many = []] = [times[0], times.at(-1)];
    rows.push(ratioRow(`${name}, 100,000 journal entries`, "1,000", goal, [many, few]));
    curves.push({ name, values: times.map(median) });
  }
  return { rows, curves };
}
