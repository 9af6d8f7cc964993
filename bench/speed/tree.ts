import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { measure, type Row } from "./harness.js";

/** The hook around a command that writes, in repositories of three sizes: each time it looks at the tree. */
export function treeRows(): Row[] {
  return [
    [500, 3],
    [5_000, 3],
    [50_000, 8],
  ].flatMap(([files = 0, goal = 0]) => rowsOf(files, goal));
}

function rowsOf(files: number, goal: number): Row[] {
  const hook = resolve("dist/hook.cjs");
  if (!existsSync(hook)) throw new Error("dist/hook.cjs is missing: npm run build makes it");
  const folder = mkdtempSync(join(tmpdir(), "kedge-tree-"));
  const root = join(folder, "work");
  try {
    repository(root, files);
    const env = { PATH: process.env.PATH, HOME: folder };
    const start = (args: readonly string[], input = ""): void => {
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, env, input });
      if (status !== 0) throw new Error(`node ${args.join(" ")}: ${stderr}`);
    };
    const event = (name: string, more: object): string =>
      JSON.stringify({ session_id: "bench", cwd: root, hook_event_name: name, ...more });
    const tool_input = { command: "node build.js" };
    const run = (input: string) => () =>
      start([hook, "claude-code", "--state", join(folder, "state")], input);
    const before = event("PreToolUse", { tool_name: "Bash", tool_input });
    const call = { tool_name: "Bash", tool_input, tool_response: "done" };
    const after = event("PostToolBatch", { tool_calls: [call] });
    run(event("SessionStart", { source: "startup" }))();
    const bare = { name: "node -e 0", run: () => start(["-e", "0"]) };
    const of = `in a repository of ${files.toLocaleString("en")} files`;
    return [
      measure(`hook: a look before a command, ${of}`, goal, run(before), bare),
      measure(`hook: a look after a command, ${of}`, goal, run(after), bare),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A hundred files a folder, ten of them with changes that are in no commit. */
function repository(root: string, files: number): void {
  for (let at = 0; at < files; at++) {
    const path = join(root, `folder${Math.floor(at / 100)}`, `file${at}.ts`);
    if (at % 100 === 0) mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `export const value${at} = ${at};\n`);
  }
  const git = (...args: string[]): void => {
    const identity = ["-c", "user.name=a", "-c", "user.email=a@b.example"];
    const { status, stderr } = spawnSync("git", [...identity, ...args], { cwd: root, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  };
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "all");
  for (let at = 0; at < 10; at++) writeFileSync(join(root, "folder0", `file${at}.ts`), `changed ${at}\n`);
}
