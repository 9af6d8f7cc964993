/** A git repository in which agents and a person work, through the command line in this process. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { main } from "../../src/cli/index.js";
import { makeStream } from "../../src/cli/print/output.js";
import { program } from "../cli/support.js";

/** The conversation of the agent that works behind a guard. */
export const conversation = "2114cf24-e226-421b-a9e0-fcca7d493fb1";

export interface Answer {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

export class TestRepository {
  readonly scratch = mkdtempSync(join(tmpdir(), "kedge-authors-"));
  readonly folder = join(this.scratch, "work");
  /** Variables of every process, beside the usual ones. */
  variables: NodeJS.ProcessEnv = {};
  private counter = 0;

  constructor(files: Readonly<Record<string, string>> = {}) {
    mkdirSync(join(this.scratch, "home"), { recursive: true });
    mkdirSync(this.folder);
    onTestFinished(() => rmSync(this.scratch, { recursive: true, force: true }));
    this.git("init", "-q", "-b", "main");
    for (const [key, value] of [
      ["user.name", "A Person"],
      ["user.email", "person@example.com"],
      ["core.autocrlf", "false"],
    ] as const)
      this.git("config", key, value);
    for (const [path, text] of Object.entries(files)) this.put(path, text);
    if (Object.keys(files).length > 0) this.commitAll("first");
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** A program or the person writes a file. */
  put(path: string, text: string | Uint8Array): void {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    writeFileSync(this.path(path), text);
  }

  text(path: string): string {
    return readFileSync(this.path(path), "latin1");
  }

  env(): NodeJS.ProcessEnv {
    const home = join(this.scratch, "home");
    const { PATH = "" } = process.env;
    const usual = { PATH, HOME: home, XDG_CONFIG_HOME: join(home, "config"), GIT_CONFIG_NOSYSTEM: "1" };
    return { ...usual, ...this.variables };
  }

  git(...args: string[]): string {
    return execFileSync("git", args, {
      cwd: this.folder,
      env: this.env(),
      encoding: "latin1",
      stdio: "pipe",
    });
  }

  tryGit(args: readonly string[], input = ""): { status: number | null; out: string } {
    const { status, stdout, stderr } = spawnSync("git", [...args], {
      ...{ cwd: this.folder, env: this.env(), input, encoding: "latin1" },
    });
    return { status, out: stdout + stderr };
  }

  commitAll(message: string): void {
    this.git("add", "-A");
    this.git("commit", "-q", "-m", message);
  }

  gitHook(name: string, script: string): void {
    const path = this.path(`.git/hooks/${name}`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
  }

  async kedge(agent: string, ...args: string[]): Promise<Answer> {
    const printed = { out: "", err: "" };
    const env = { ...this.env(), KEDGE_STATE: join(this.scratch, "state"), KEDGE_SESSION: agent };
    const stream = (name: "out" | "err") =>
      makeStream({
        ...{ env, isTerminal: false, columns: 80 },
        write: (bytes) => {
          printed[name] += Buffer.from(bytes).toString("latin1");
        },
      });
    const output = { out: stream("out"), err: stream("err") };
    const common = { cwd: this.folder, doors: {}, program: "kedge", version: () => "0", exit: () => {} };
    const status = await main({ ...common, argv: args, env, output });
    return { status, ...printed };
  }

  /** A process of its own. */
  start(agent: string, ...args: string[]): ChildProcess {
    const env = { ...this.env(), KEDGE_STATE: join(this.scratch, "state"), KEDGE_SESSION: agent };
    return spawn(process.execPath, [program, ...args], { cwd: this.folder, env, stdio: "ignore" });
  }

  async ok(agent: string, ...args: string[]): Promise<string> {
    const { status, out, err } = await this.kedge(agent, ...args);
    if (status !== 0) throw new Error(`kedge ${args.join(" ")}: ${status}\n${out}${err}`);
    return out;
  }

  /** An agent's edit: the file reads so afterwards. */
  async write(agent: string, path: string, text: string): Promise<void> {
    const from = join(this.scratch, `text-${this.counter++}`);
    writeFileSync(from, text, "latin1");
    await this.ok(agent, "write", path, "--from", from, "--gate", "off");
  }

  /** An agent puts one text in the place of another. */
  async replace(agent: string, path: string, old: string, text: string): Promise<void> {
    const now = this.text(path);
    if (!now.includes(old)) throw new Error(`${path} does not hold ${JSON.stringify(old)}`);
    await this.write(
      agent,
      path,
      now.replace(old, () => text),
    );
  }

  /** An agent calls a file by another name. */
  move(agent: string, path: string, to: string): Promise<void> {
    return this.apply(agent, path, { op: "move_file", to });
  }

  remove(agent: string, path: string): Promise<void> {
    return this.apply(agent, path, { op: "delete_file" });
  }

  private async apply(agent: string, path: string, edit: object): Promise<void> {
    this.put("../request.json", JSON.stringify({ files: [{ path, edits: [edit] }] }));
    await this.ok(agent, "apply", "../request.json", "--gate", "off");
  }

  /** An event of a client, as its hook gets it; the answer, null for silence. */
  hook(event: object): unknown {
    const state = join(this.scratch, "state");
    const argv = [program, "hook", "claude-code", "--state", state];
    const { stdout, status } = spawnSync(process.execPath, argv, {
      ...{ cwd: this.folder, env: { ...this.env(), KEDGE_STATE: state }, encoding: "utf8" },
      input: JSON.stringify({ session_id: conversation, cwd: this.folder, ...event }),
    });
    if (status !== 0) throw new Error(`hook: ${status}`);
    return stdout.trim() === "" ? null : JSON.parse(stdout);
  }

  /** A command of the agent `claude-code:CONVERSATION`, with the guard around it. */
  shell(command: string): void {
    const call = { tool_name: "Bash", tool_use_id: `call ${this.counter++}`, tool_input: { command } };
    this.hook({ hook_event_name: "PreToolUse", ...call });
    execFileSync("sh", ["-c", command], { cwd: this.folder, env: this.env(), stdio: "pipe" });
    const output = { stdout: "", stderr: "", interrupted: false };
    const calls = [{ ...call, tool_response: output }];
    this.hook({ hook_event_name: "PostToolBatch", tool_calls: calls });
  }

  head(path: string): string {
    return this.git("show", `HEAD:${path}`);
  }
}
