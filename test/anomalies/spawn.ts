import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import type { Task } from "./worker.js";

export interface Ended {
  readonly signal: string | null;
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Builds the worker once; each call starts a process, of another user if one is given. */
export async function workers(): Promise<{
  /** The file that takes a task as its argument. */
  readonly program: string;
  run(task: Task, user?: number): Promise<Ended>;
  dispose(): void;
}> {
  const folder = mkdtempSync(join(tmpdir(), "kedge-worker-"));
  chmodSync(folder, 0o755);
  const outfile = join(folder, "worker.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "worker.ts")],
    ...{ outfile, bundle: true, platform: "node", format: "esm", packages: "external", logLevel: "silent" },
  });
  return {
    program: outfile,
    run: (task, user) => start(outfile, task, user),
    dispose: () => rmSync(folder, { recursive: true }),
  };
}

function start(program: string, task: Task, user?: number): Promise<Ended> {
  const identity = user === undefined ? {} : { uid: user, gid: user, cwd: "/" };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, JSON.stringify(task)], identity);
    let output = "";
    let errors = "";
    child.stdout.on("data", (chunk) => {
      output += String(chunk);
    });
    child.stderr.on("data", (chunk) => {
      errors += String(chunk);
    });
    child.on("close", (code, signal) => resolve({ signal, code, output, errors }));
  });
}
