/** A real repository with agents that work through the real hook, and a home of its own. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const program = resolve("dist/bin.cjs");

export class Tree {
  private readonly home = mkdtempSync(join(tmpdir(), "kedge-ui-"));
  readonly root = join(this.home, "harbour");
  private readonly started: ChildProcess[] = [];

  constructor(files: Readonly<Record<string, string>>) {
    mkdirSync(this.root);
    for (const [name, text] of Object.entries(files)) this.write(name, text);
    this.git("init", "-q", "-b", "main");
    this.git("add", "-A");
    this.git("commit", "-q", "-m", "start");
  }

  get env(): NodeJS.ProcessEnv {
    const { PATH } = process.env;
    return {
      PATH,
      HOME: this.home,
      XDG_STATE_HOME: join(this.home, "state"),
      XDG_CONFIG_HOME: join(this.home, "config"),
    };
  }

  git(...args: string[]): string {
    const identity = ["-c", "user.name=A Person", "-c", "user.email=person@example.com"];
    return execFileSync("git", [...identity, ...args], { cwd: this.root, env: this.env, encoding: "utf8" });
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.root, name), text);
  }

  text(name: string): string {
    return readFileSync(join(this.root, name), "utf8");
  }

  kedge(...args: string[]): string {
    return spawnSync(process.execPath, [program, ...args], {
      cwd: this.root,
      env: this.env,
      encoding: "utf8",
    }).stdout;
  }

  /** Starts `kedge ui` and returns the address that it prints. */
  async ui(): Promise<{ address: string; another(): Promise<string>; stop(): Promise<void> }> {
    const child = spawn(process.execPath, [program, "ui", "--no-open"], { cwd: this.root, env: this.env });
    this.started.push(child);
    const line = () =>
      new Promise<string>((done) => child.stdout.once("data", (data) => done(String(data).trim())));
    const address = await line();
    return {
      address,
      another: () => {
        const next = line();
        child.stdin.write("\n");
        return next;
      },
      stop: () =>
        new Promise((done) => {
          child.once("exit", () => done());
          child.kill("SIGINT");
        }),
    };
  }

  agent(id: string): Agent {
    return new Agent(this, id);
  }

  /** Sends an event of Claude Code to the hook; returns what the hook answered. */
  hook(session: string, event: Record<string, unknown>): string {
    const common = {
      session_id: session,
      cwd: this.root,
      transcript_path: join(this.home, `${session}.jsonl`),
    };
    const input = JSON.stringify({ ...common, permission_mode: "acceptEdits", ...event });
    const args = [program, "hook", "claude-code"];
    return spawnSync(process.execPath, args, { cwd: this.root, env: this.env, input, encoding: "utf8" })
      .stdout;
  }

  clear(): void {
    for (const child of this.started) child.kill("SIGKILL");
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** One conversation of Claude Code. */
class Agent {
  private calls = 0;

  constructor(
    private readonly tree: Tree,
    private readonly id: string,
  ) {
    tree.hook(id, { hook_event_name: "SessionStart", source: "startup" });
  }

  private event(name: string, tool: string, input: object, response?: object): string {
    const told = { hook_event_name: name, tool_name: tool, tool_input: input, tool_use_id: `t${this.calls}` };
    return this.tree.hook(this.id, response ? { ...told, tool_response: response } : told);
  }

  private batch(tool: string, input: object, response: string): void {
    const tool_calls = [
      { tool_name: tool, tool_input: input, tool_use_id: `t${this.calls}`, tool_response: response },
    ];
    this.tree.hook(this.id, { hook_event_name: "PostToolBatch", tool_calls });
  }

  /** The model gets a file with numbers; the hook is told after all calls of one answer. */
  read(name: string): void {
    this.calls += 1;
    const input = { file_path: join(this.tree.root, name) };
    const rows = this.tree.text(name).replace(/\n$/, "").split("\n");
    this.batch("Read", input, rows.map((row, at) => `${at + 1}\t${row}`).join("\n"));
  }

  /** Returns whether the edit was let through. */
  edit(name: string, old: string, made: string): boolean {
    this.calls += 1;
    const filePath = join(this.tree.root, name);
    const input = { file_path: filePath, old_string: old, new_string: made, replace_all: false };
    const originalFile = this.tree.text(name);
    if (/"deny"/.test(this.event("PreToolUse", "Edit", input))) return false;
    this.tree.write(
      name,
      originalFile.replace(old, () => made),
    );
    const response = {
      filePath,
      oldString: old,
      newString: made,
      originalFile,
      structuredPatch: [],
      userModified: false,
    };
    this.event("PostToolUse", "Edit", input, { ...response, replaceAll: false });
    this.batch("Edit", input, "done");
    return true;
  }

  async run(command: string, action: () => unknown): Promise<void> {
    this.calls += 1;
    const input = { command, description: "" };
    this.event("PreToolUse", "Bash", input);
    await action();
    this.event("PostToolUse", "Bash", input, { stdout: "", stderr: "", interrupted: false, isImage: false });
    this.batch("Bash", input, "");
  }
}
