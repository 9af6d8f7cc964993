/** An audit of made sessions against parsing them, each in a process of its own: time, computing time, and memory at most. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { audit } from "../../src/audit/index.js";
import { linesOf } from "../../src/audit/sessions/lines.js";
import { processor, type Row } from "./harness.js";
import { makeSession } from "./sessions.js";

const [files, bytes] = [40, 5_000_000];
const rounds = 3;
const middle = Math.floor(rounds / 2);
const goals = { time: 2, memory: 512 };

interface Spent {
  /** Milliseconds by the wall. */
  readonly time: number;
  /** Milliseconds of computing, in all threads. */
  readonly computing: number;
  /** Megabytes at most. */
  readonly memory: number;
}

const works = {
  async parse(folder: string): Promise<void> {
    for (const name of readdirSync(folder))
      for (const line of linesOf(join(folder, name), { read() {}, damaged() {} })) JSON.parse(line);
  },
  async audit(folder: string): Promise<void> {
    const program = resolve("dist/bin.cjs");
    const { report } = await audit({ paths: [folder], env: {}, home: folder, program });
    if (report.edits === 0) throw new Error("nothing was audited");
  },
};

/** In the child. */
export async function auditChild(work: string, folder: string): Promise<void> {
  const start = { time: performance.now(), computing: processor() };
  await works[work as keyof typeof works](folder);
  const spent: Spent = {
    time: performance.now() - start.time,
    computing: processor() - start.computing,
    memory: process.resourceUsage().maxRSS / 1024,
  };
  process.stdout.write(JSON.stringify(spent));
}

export function auditRows(program: string): Row[] {
  const folder = mkdtempSync(join(tmpdir(), "kedge-bench-audit-"));
  try {
    for (let at = 0; at < files; at++) makeSession(folder, `session${at}`, bytes);
    const run = (work: keyof typeof works): Spent =>
      JSON.parse(
        execFileSync(process.execPath, [program, "--audit-child", work, folder], { encoding: "utf8" }),
      ) as Spent;
    const all = Array.from({ length: rounds }, () => ({ own: run("audit"), base: run("parse") }));
    const memory = all.map(({ own }) => own.memory).sort((one, two) => one - two);
    const size = `${(files * bytes) / 1e6} MB of sessions`;
    const row = (work: string, what: "time" | "computing"): Row => {
      const ratios = all.map(({ own, base }) => own[what] / base[what]).sort((one, two) => one - two);
      const milliseconds = all.map(({ own }) => own[what]).sort((one, two) => one - two)[middle] as number;
      return {
        ...{ work, goal: goals.time, milliseconds, baseline: "parsing every line" },
        ratio: ratios[middle] as number,
        spread: [ratios[0] as number, ratios.at(-1) as number],
      };
    };
    const whole = row(`audit of ${size}`, "time");
    const { milliseconds } = whole;
    return [
      whole,
      row("computing of it, in all threads", "computing"),
      {
        ...{ work: `memory of it, ${Math.round(memory.at(-1) as number)} MB at most`, goal: 1, milliseconds },
        ratio: (memory.at(-1) as number) / goals.memory,
        spread: [(memory[0] as number) / goals.memory, (memory.at(-1) as number) / goals.memory],
        baseline: `${goals.memory} MB`,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
