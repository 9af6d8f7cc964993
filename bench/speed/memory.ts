/** The peak memory of an edit in a file of a million lines, as a person starts it. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { median } from "./growth-row.js";
import type { Row } from "./harness.js";

const lines = 1_000_000;

export function memoryRows(): Row[] {
  const program = resolve("dist/bin.cjs");
  if (!existsSync(program)) throw new Error("dist/bin.cjs is missing: npm run build makes it");
  const folder = mkdtempSync(join(tmpdir(), "kedge-memory-"));
  try {
    const told = join(folder, "told");
    const script = join(folder, "told.cjs");
    writeFileSync(
      script,
      `process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(told)}, String(process.resourceUsage().maxRSS)));`,
    );
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      KEDGE_STATE: join(folder, "state"),
      KEDGE_SESSION: "bench",
    };
    const run = (...args: string[]): { readonly text: string; readonly peak: number } => {
      const all = ["--require", script, program, ...args];
      const { status, stdout, stderr } = spawnSync(process.execPath, all, {
        cwd: folder,
        env,
        encoding: "utf8",
      });
      if (status !== 0) throw new Error(`kedge ${args[0]}: ${stderr}`);
      return { text: stdout, peak: 1024 * Number(readFileSync(told, "utf8")) };
    };
    const edit = (name: string, line: number): number => {
      const { text } = run("read", name, "--start", `${line}`, "--end", `${line}`);
      return run("edit", name, text.split("|")[0] as string, `edited(${line});`).peak;
    };
    writeFileSync(join(folder, "small.ts"), "one line\n".repeat(100));
    const row = (at: number): string => `export const value${at} = compute(${at}, "some text");`;
    writeFileSync(
      join(folder, "large.ts"),
      `${Array.from({ length: lines }, (_, at) => row(at)).join("\n")}\n`,
    );
    const { size } = statSync(join(folder, "large.ts"));
    const turns = [1, 2, 3];
    const [small, large] = ["small.ts", "large.ts"].map((name) =>
      median(turns.map((turn) => edit(name, 20 * turn))),
    );
    const ratio = ((large as number) - (small as number)) / size;
    return [
      {
        work: `peak memory of an edit in a million lines, beyond that of an edit in a hundred`,
        ...{ baseline: `the file, ${Math.round(size / 2 ** 20)} MiB`, goal: 3, ratio, milliseconds: 0 },
        spread: [ratio, ratio],
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
