import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { measure, type Row } from "./harness.js";

/** Whole processes, from start to end: what an agent's shell waits for. */
export function startRows(): Row[] {
  const program = resolve("dist/bin.cjs");
  if (!existsSync(program)) throw new Error("dist/bin.cjs is missing: npm run build makes it");
  const folder = mkdtempSync(join(tmpdir(), "kedge-start-"));
  try {
    writeFileSync(join(folder, "small.txt"), "one line of text\n".repeat(40));
    const env = { PATH: process.env.PATH, KEDGE_STATE: join(folder, "state"), KEDGE_SESSION: "bench" };
    const start = (...args: string[]) => {
      const { status } = spawnSync(process.execPath, args, { cwd: folder, env });
      if (status !== 0) throw new Error(`node ${args.join(" ")}: exit status ${status}`);
    };
    const bare = { name: "node -e 0", run: () => start("-e", "0") };
    return [measure("kedge read of a small file", 2.5, () => start(program, "read", "small.txt"), bare)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
