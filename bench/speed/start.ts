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
    // A client has a home, and hands its environment on.
    const home = { PATH: process.env.PATH, HOME: folder };
    const env = { ...home, KEDGE_STATE: join(folder, "state"), KEDGE_SESSION: "bench" };
    const start = (args: readonly string[], input = "") => {
      const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, env, input });
      if (status !== 0) throw new Error(`node ${args.join(" ")}: exit status ${status}`);
      return stdout.toString();
    };
    const bare = { name: "node -e 0", run: () => start(["-e", "0"]) };
    return [
      measure("kedge read of a small file", 2.5, () => start([program, "read", "small.txt"]), bare),
      ...hookRows(folder, start, bare),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Start = (args: readonly string[], input?: string) => string;

/** The guard's hook as a client starts it, on files of 300 lines: the events that come most often. */
function hookRows(folder: string, start: Start, bare: { name: string; run: () => unknown }): Row[] {
  const hook = resolve("dist/hook.cjs");
  const path = join(folder, "source.ts");
  const lines = Array.from({ length: 300 }, (_, at) => `const value${at} = compute(${at});`);
  writeFileSync(path, `${lines.join("\n")}\n`);
  const event = (name: string, more: object): string =>
    JSON.stringify({ session_id: "bench", cwd: folder, hook_event_name: name, ...more });
  const shown = lines.map((line, at) => `${at + 1}\t${line}`).join("\n");
  const read = { tool_name: "Read", tool_input: { file_path: path }, tool_response: shown };
  const seen = event("PostToolBatch", { tool_calls: [read] });
  const edit = { file_path: path, old_string: "compute(7)", new_string: "compute(8)" };
  const asked = event("PreToolUse", { tool_name: "Edit", tool_input: edit });
  const run = (input: string) => () => start([hook, "claude-code", "--state", join(folder, "state")], input);
  let files = 0;
  const first = () => {
    const other = join(folder, `other${++files}.ts`);
    writeFileSync(other, `${lines.map((line) => `${line} // ${files}`).join("\n")}\n`);
    const rows = lines.map((line, at) => `${at + 1}\t${line} // ${files}`).join("\n");
    return event("PostToolBatch", {
      tool_calls: [{ tool_name: "Read", tool_input: { file_path: other }, tool_response: rows }],
    });
  };
  // The client's part, made before the clock runs; more than are needed.
  const firsts = Array.from({ length: 150 }, first);
  if (!run(asked)().includes("deny")) throw new Error("the hook lets an unread edit through");
  run(seen)();
  if (run(asked)() !== "") throw new Error("the hook refuses a read edit");
  return [
    measure("hook: an edit is let through", 1.5, run(asked), bare),
    measure("hook: a file is read again", 1.5, run(seen), bare),
    measure("hook: a file is read for the first time", 1.5, () => run(firsts.pop() ?? first())(), bare),
  ];
}
