/**
 * A whole run of a real client against a model that answers at once, with the guard and without, by turns: by the wall, and in
 * processor time of all processes.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chosen, install } from "../../test/clients/builds.js";
import type { Driver } from "../../test/clients/driver.js";
import { type Agent, type Guard, Stage } from "../../test/clients/stage.js";
import { ratioRow, type Times } from "./growth-row.js";
import type { Row } from "./harness.js";

const builds: readonly (readonly [name: string, goal: number])[] = [
  ["claude-code-2.1.328", 2],
  ["pi-0.73.1", 1.5],
  ["opencode-1.18.33", 1.5],
];
const rounds = { warm: 1, measured: 3 };
const names = ["a.ts", "b.ts", "c.ts", "d.ts"];
const line = (name: string, at: number): string => `export const value${at} = compute("${name}", ${at});`;
const files = Object.fromEntries(
  [...names, "begin.ts"].map((name) => [
    name,
    `${Array.from({ length: 300 }, (_, at) => line(name, at)).join("\n")}\n`,
  ]),
);

/** Makes 26 calls: 8 reads, 12 edits and 6 commands. */
async function work(agent: Agent): Promise<void> {
  for (const [turn, name] of names.entries()) {
    await agent.read(name);
    for (let at = 0; at < 3; at++)
      await agent.edit(name, line(name, 20 + at), `${line(name, 20 + at)} // ${turn}`);
    await agent.read(name, { first: 10, count: 40 });
    await agent.shell(`grep -n value2 ${name} | head -5`);
  }
  for (let at = 0; at < 2; at++) await agent.shell("true");
}

async function begin(agent: Agent): Promise<void> {
  await agent.read("begin.ts");
  for (const at of [1, 2]) await agent.edit("begin.ts", line("begin.ts", at), "begun();");
  for (let at = 0; at < 2; at++) await agent.shell("true");
}

interface Spent {
  readonly wall: number;
  readonly processor: number;
}

async function run(driver: Driver, program: string, guard: Guard): Promise<Spent> {
  const stage = await Stage.open({ driver, program, files, guard });
  try {
    // As after the first conversation on a machine: its programs are compiled.
    await stage.play(begin);
    const [begun, used] = [performance.now(), ofChildren()];
    await stage.play(work);
    const spent = { wall: performance.now() - begun, processor: ofChildren() - used };
    for (const name of names)
      if (stage.place.text(name).split(" // ").length !== 4)
        throw new Error(`${driver.title} did not make its edits of ${name}`);
    return spent;
  } finally {
    stage.close();
  }
}

/** Milliseconds of processor time of all processes that were started from here and have ended; 0 where no file tells. */
function ofChildren(): number {
  const stat = "/proc/self/stat";
  if (!existsSync(stat)) return 0;
  const fields = readFileSync(stat, "utf8").split(") ")[1]?.split(" ") ?? [];
  // In hundredths of a second: user and system time of children, those of theirs that they waited for included.
  return 10 * (Number(fields[13]) + Number(fields[14]));
}

async function rowsOf(name: string, goal: number): Promise<Row[]> {
  const driver = chosen(name);
  const installed = install(driver);
  if ("reason" in installed) throw new Error(installed.reason);
  const [wall, processor]: [Times, Times] = [
    [[], []],
    [[], []],
  ];
  for (let round = 0; round < rounds.warm + rounds.measured; round++)
    for (const [at, guard] of (["user", "none"] as const).entries()) {
      const spent = await run(driver, installed.program, guard);
      if (round < rounds.warm) continue;
      wall[at as 0 | 1].push(spent.wall);
      processor[at as 0 | 1].push(spent.processor);
    }
  const what = `${driver.title} with the guard, 26 calls`;
  return [
    ratioRow(what, "without, by the wall", goal, wall),
    // A plugin's process of the guard outlives its client by a moment, so nobody waits for it: its time would be missing.
    ...(ofChildren() > 0 && driver.client === "claude-code"
      ? [ratioRow(what, "without, in processor time", goal, processor)]
      : []),
    ...(driver.client === "claude-code" ? await processRows(driver, installed.program) : []),
  ];
}

/** How many processes of the guard an edit and a read start: each Node that the client starts writes down its arguments. */
async function processRows(driver: Driver, program: string): Promise<Row[]> {
  let started = "";
  const prepare: Parameters<typeof Stage.open>[0]["prepare"] = (place) => {
    started = join(place.home, "started");
    const told = join(place.home, "told.cjs");
    const path = JSON.stringify(started);
    writeFileSync(told, `require("node:fs").appendFileSync(${path}, process.argv.join(" ") + "\\n");\n`);
    place.variables.NODE_OPTIONS = `--require ${told}`;
  };
  const stage = await Stage.open({ driver, program, files, guard: "user", prepare });
  try {
    const count = (): number =>
      readFileSync(started, "utf8")
        .split("\n")
        .filter((one) => /hook\.cjs/.test(one)).length;
    const counts: Record<string, number[]> = { edit: [], read: [] };
    await stage.play(async (agent) => {
      const counted = async (kind: string, call: Promise<unknown>): Promise<void> => {
        const before = count();
        await call;
        counts[kind]?.push(count() - before);
      };
      await agent.shell("true");
      for (const name of names) {
        await counted("read", agent.read(name));
        await counted("edit", agent.edit(name, line(name, 5), "changed();"));
      }
    });
    return Object.entries(counts).map(([kind, all]) => ({
      ...{ work: `${driver.title}: processes that the guard starts for one ${kind}`, baseline: "one" },
      ...{ goal: kind === "edit" ? 2 : 1, ratio: Math.max(...all), milliseconds: 0 },
      spread: [Math.min(...all), Math.max(...all)] as const,
    }));
  } finally {
    stage.close();
  }
}

export async function clientRows(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, goal] of builds) rows.push(...(await rowsOf(name, goal)));
  return rows;
}
