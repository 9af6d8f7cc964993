import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { type Doors, main, mcpRun, serveRun } from "./cli/index.js";

const program = realpathSync(process.argv[1] as string);

/** `kedge hook CLIENT` is the guard's own program. The build turns `import` into `require`: a path will do. */
const startedHook: Doors[string] = async () => {
  // It reads stdin at once, and nothing is heard meanwhile: a signal ends it by itself, as it ends an installed hook.
  for (const signal of ["SIGINT", "SIGTERM"]) process.removeAllListeners(signal);
  const { done } = (await import(join(dirname(program), "hook.cjs"))) as { done: Promise<number> };
  return { run: () => done };
};

/** Put here by the build: a plugin's copy of this program has no package around it. */
declare const PACKAGE_VERSION: string;

/** The folder may be gone, and Node says so with a stack. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    process.stderr.write("kedge: the working directory does not exist any more\n");
    process.exit(1);
  }
}

async function run(): Promise<number> {
  return main({
    argv: process.argv.slice(2),
    env: process.env,
    cwd: workingDirectory(),
    doors: {
      mcp: async () => ({ run: mcpRun(await import("./mcp/index.js")) }),
      serve: async () => ({ run: serveRun(await import("./mcp/index.js")) }),
      hook: startedHook,
    },
    program,
    version: () => PACKAGE_VERSION,
    exit: (status) => process.exit(status),
  });
}

/** A thread of this program: only an audit makes any. */
async function runThread(): Promise<void> {
  const { playGivenSessions } = await import("./audit/index.js");
  playGivenSessions();
}

if (isMainThread)
  run().then((status) => {
    process.exitCode = status;
  });
else runThread();
