import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Doors, main } from "./cli/index.js";

const program = realpathSync(process.argv[1] as string);

/** A command in a file of its own, beside this one. The build turns `import` into `require`: a path will do. */
function beside(name: string): Doors[string] {
  return () => import(join(dirname(program), name));
}

/** `kedge hook CLIENT` is the guard's own program. */
const startedHook: Doors[string] = async () => {
  const { done } = (await import(join(dirname(program), "hook.cjs"))) as { done: Promise<number> };
  return { run: () => done };
};

function version(): string {
  const manifest = readFileSync(join(dirname(program), "..", "package.json"), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

/** The folder may be gone, and Node says so with a stack. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    process.stderr.write("kedge: the working directory does not exist any more\n");
    process.exit(1);
  }
}

main({
  argv: process.argv.slice(2),
  env: process.env,
  cwd: workingDirectory(),
  doors: { mcp: beside("mcp.cjs"), hook: startedHook },
  program,
  version,
  exit: (status) => process.exit(status),
}).then((status) => {
  process.exitCode = status;
});
