import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";

const folder = "bench/results";

function output(program: string, args: readonly string[]): string {
  try {
    return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "none";
  }
}

/** The surroundings that figures depend on. No names of machines or folders: this is published. */
function surroundings(command: string): Record<string, string> {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const [processor] = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    command,
    kedge: version,
    node: process.version,
    git: output("git", ["--version"]).replace(/^git version /, ""),
    patch: output("patch", ["--version"]).split("\n")[0] as string,
    system: `${process.platform} ${process.arch}`,
    processor: `${cpus().length} × ${processor?.model.trim() ?? "unknown"}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
  };
}

/** Writes bench/results/<name>.json, from which tables and plots are made. */
export function writeResults(
  name: string,
  command: string,
  results: Readonly<Record<string, unknown>>,
): void {
  mkdirSync(folder, { recursive: true });
  const text = `${JSON.stringify({ about: surroundings(command), ...results }, null, 2)}\n`;
  writeFileSync(join(folder, `${name}.json`), text);
}

/** A goal and what was measured. */
export interface Goal {
  readonly what: string;
  readonly goal: number;
  readonly measured: number;
}

/** Prints which goals are met; the process ends non-zero if one is missed. */
export function judge(goals: readonly Goal[]): void {
  for (const { what, goal, measured } of goals) {
    const isMet = measured <= goal;
    console.log(
      `${isMet ? "met   " : "MISSED"}  ${measured.toFixed(2).padStart(8)}  (goal ${goal})  ${what}`,
    );
    if (!isMet) process.exitCode = 1;
  }
}
