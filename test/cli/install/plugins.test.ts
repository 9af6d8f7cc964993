import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { hookLine, isGuardStart, wordsOf } from "../../../src/cli/install/command.js";
import { lastingNode } from "../../../src/cli/install/program.js";
import type { Setup } from "../../../src/cli/install/types.js";
import { Machine } from "./support.js";

const json = (path: string) => JSON.parse(readFileSync(path, "utf8"));

/** A guard that answers by what it is asked, and writes down what that was. */
const echo = `
const { appendFileSync } = require("node:fs");
require("node:readline").createInterface({ input: process.stdin }).on("line", (text) => {
  appendFileSync(process.argv[process.argv.indexOf("--state") + 1] + "/asked.jsonl", JSON.stringify({ client: process.argv[2], pid: process.pid, event: JSON.parse(text) }) + "\\n");
  const { reply } = JSON.parse(text).o?.args ?? JSON.parse(text).input ?? {};
  if (reply === "crash") process.exit(3);
  console.log(reply === "noise" ? "not JSON" : reply ? JSON.stringify(reply) : "");
});
`;

interface Shim {
  readonly machine: Machine;
  readonly module: Record<string, unknown>;
  asked(): { client: string; pid: number; event: Record<string, unknown> }[];
}

/** The plugin as it is installed, loaded as its client would. */
async function installed(client: string, file: string, settings = "{}"): Promise<Shim> {
  const machine = new Machine();
  machine.put(".config/kedge/config.json", settings);
  const state = machine.path("state");
  await machine.run(`install ${client}`, { KEDGE_STATE: state });
  writeFileSync(join(state, "hook/hook.cjs"), echo);
  const path = machine.path(`${basename(file)}.mjs`);
  cpSync(machine.path(file), path);
  const module = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  const asked = () =>
    readFileSync(join(state, "asked.jsonl"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { machine, module, asked };
}

type Call = Record<string, unknown>;

async function opencode(settings?: string) {
  const shim = await installed("opencode", ".config/opencode/plugin/kedge.js", settings);
  expect(Object.keys(shim.module)).toEqual(["Kedge"]);
  const toasts: string[] = [];
  const tui = { showToast: async ({ body }: { body: { message: string } }) => toasts.push(body.message) };
  const start = shim.module.Kedge as (
    context: object,
  ) => Promise<Record<string, (i: Call, o?: Call) => Promise<void>>>;
  const hooks = await start({ client: { tui }, directory: "/p" });
  const ask = (reply: unknown, args: Call = {}, tool = "edit") => {
    const o = { args: { ...args, reply } };
    return { o, done: hooks["tool.execute.before"]?.({ tool, sessionID: "s", callID: "c" }, o) };
  };
  const result = async (o: Call, reply?: unknown) => {
    await hooks["tool.execute.after"]?.({ tool: "edit", sessionID: "s", callID: "c", args: { reply } }, o);
    return o;
  };
  const event = (type: string, info: Call = {}) => hooks.event?.({ event: { type, properties: { info } } });
  return { ...shim, toasts, ask, result, event };
}

describe("the plugin for opencode", () => {
  test("hands on what tools are about to do, and refuses with the guard's words alone", async () => {
    const { ask, asked } = await opencode();
    await expect(ask({ deny: "read it\nfirst" }).done).rejects.toThrow(/^read it\nfirst$/);
    expect(asked()).toMatchObject([
      {
        client: "opencode",
        event: expect.objectContaining({
          ...{ k: "before", directory: "/p", i: { tool: "edit", sessionID: "s", callID: "c" } },
        }),
      },
    ]);
  });

  test("rewrites arguments in place, and tells of it with the result", async () => {
    const { ask, result, toasts } = await opencode();
    const { o, done } = ask(
      { args: { newString: "y" }, append: "rebased", say: "hello" },
      { oldString: "x" },
    );
    const { args } = o;
    await done;
    expect(o.args).toBe(args);
    expect(args).toEqual({ newString: "y" });
    expect(await result({ output: "done" })).toEqual({ output: "done\n\nrebased" });
    expect(await result({ output: "done" })).toEqual({ output: "done" });
    expect(toasts).toEqual(["hello"]);
  });

  test("a guard that fails lets the call through, and says so once", async () => {
    const { ask, toasts } = await opencode();
    await ask("crash").done;
    await ask("noise").done;
    expect(toasts).toEqual(["kedge: not guarding: it ended with 3. Run: kedge doctor"]);
  });

  test("blocks it, if that was wanted", async () => {
    const { ask } = await opencode('{"failClosed":true}');
    await expect(ask("crash").done).rejects.toThrow("could not check this call: it ended with 3");
    await ask(undefined).done;
  });

  test("starts the program for events that matter only", async () => {
    const { ask, event, asked } = await opencode();
    await ask(undefined, {}, "glob").done;
    await ask(undefined, {}, "read").done;
    await event("session.created", { id: "s", parentID: "p" });
    await event("session.updated", { id: "s" });
    await event("message.updated");
    await event("session.created", { id: "s" });
    await event("session.compacted");
    await event("session.updated", { id: "s", revert: { messageID: "m" } });
    await event("session.updated", { id: "s", revert: { messageID: "m" } });
    expect(asked().map(({ event: { i } }) => (i as Call).type)).toEqual([
      ...["session.created", "session.compacted", "session.updated"],
    ]);
  });
});

async function pi(settings?: string, hasUI = true) {
  const shim = await installed("pi", ".pi/agent/extensions/kedge.js", settings);
  const handlers: Record<string, (event: Call, context: object) => Promise<unknown>> = {};
  (shim.module.default as (api: object) => void)({
    on: (name: string, handler: (event: Call, context: object) => Promise<unknown>) => {
      handlers[name] = handler;
    },
  });
  const notes: string[] = [];
  const ui = { notify: (line: string) => notes.push(line) };
  const context = { ui, hasUI, cwd: "/p", sessionManager: { getSessionId: () => "s" } };
  const send = (name: string, event: Call) => handlers[name]?.(event, context);
  return { ...shim, notes, send };
}

describe("the extension for pi", () => {
  const call = (input: Call) => ({ toolName: "edit", toolCallId: "c", input });

  test("blocks with the guard's words, rewrites in place, tells with the result", async () => {
    const { send, asked, notes } = await pi();
    expect(await send("tool_call", call({ reply: { deny: "no" } }))).toEqual({ block: true, reason: "no" });
    const input = { reply: { args: { path: "b" }, append: "rebased" } };
    expect(await send("tool_call", call(input))).toBe(undefined);
    expect(input).toEqual({ path: "b" });
    const content = [{ type: "text", text: "done" }];
    const result = { ...call({}), content, isError: false, details: {} };
    expect(await send("tool_result", result)).toEqual({
      content: [...content, { type: "text", text: "rebased" }],
    });
    expect(await send("tool_result", result)).toBe(undefined);
    await send("session_start", { reason: "startup" });
    expect(asked().map(({ event }) => event.k)).toEqual([
      ...["tool_call", "tool_call", "tool_result", "tool_result", "session_start"],
    ]);
    expect(asked()[0]).toMatchObject({ client: "pi", event: { session: "s", cwd: "/p", toolName: "edit" } });
    expect(notes).toEqual([]);
  });

  test("asks one process, and another one where somebody has ended that", async () => {
    const { send, asked, notes } = await pi();
    const pids = () => new Set(asked().map(({ pid }) => pid));
    for (let at = 0; at < 3; at++) await send("tool_call", call({}));
    expect(pids().size).toBe(1);
    process.kill(asked()[0]?.pid as number);
    expect(await send("tool_call", call({ reply: { deny: "no" } }))).toMatchObject({ block: true });
    await Promise.all([1, 2, 3].map(() => send("tool_call", call({}))));
    expect(pids().size).toBe(2);
    expect(asked().length).toBe(7);
    expect(notes).toEqual([]);
  });

  test("a guard that fails lets the call through and says so once, or blocks it", async () => {
    const open = await pi();
    expect(await open.send("tool_call", call({ reply: "crash" }))).toBe(undefined);
    expect(await open.send("tool_call", call({ reply: "noise" }))).toBe(undefined);
    expect(open.notes).toEqual(["kedge: not guarding: it ended with 3. Run: kedge doctor"]);
    const closed = await pi('{"failClosed":true}');
    expect(await closed.send("tool_call", call({ reply: "crash" }))).toMatchObject({ block: true });
  });
});

describe("the plugins for Claude Code", () => {
  test("every hook starts the launcher, and none of them may end the agent's run", () => {
    const { hooks } = json("plugins/claude-code/hooks/hooks.json");
    for (const [event, [group]] of Object.entries(hooks) as [string, [{ hooks: Call[] }]][]) {
      expect(event).toMatch(/^(Pre|Post|Session|User|Instructions)/);
      const args = [expect.stringMatching(/PLUGIN_ROOT\}\/launch\.cjs$/), "hook", "claude-code"];
      expect(group.hooks).toEqual([{ type: "command", command: "node", args, timeout: 10 }]);
    }
    expect(json("plugins/claude-code-tools/.mcp.json").mcpServers.kedge).toMatchObject({ alwaysLoad: true });
  });

  const launch = (
    file: string,
    args: readonly string[],
    options: { path: string; input?: string; cwd?: string; env?: Record<string, string> },
  ) =>
    spawnSync(process.execPath, [file, ...args], {
      ...{ encoding: "utf8", input: options.input ?? "{}" },
      cwd: options.cwd,
      env: { PATH: options.path, HOME: options.path, XDG_STATE_HOME: options.path, ...options.env },
    });

  test("the launcher finds the program in the plugin, in the state folder, or by the kedge on the PATH", () => {
    const machine = new Machine();
    const hook = 'console.log("hook", process.argv[1].endsWith("hook.cjs"), process.argv.slice(2).join());';
    const alone = machine.path("cache/kedge/launch.cjs");
    mkdirSync(join(alone, ".."), { recursive: true });
    cpSync("plugins/claude-code/launch.cjs", alone);
    const plugin = join(machine.scratch, "package/plugins/claude-code");
    mkdirSync(join(plugin, "dist"), { recursive: true });
    writeFileSync(join(plugin, "dist/hook.cjs"), hook);
    const first = launch(join(plugin, "launch.cjs"), ["hook", "x"], { path: machine.home });
    expect(first.stdout).toBe("hook true x\n");
    writeFileSync(join(machine.scratch, "package/dist/hook.cjs"), hook);
    const state = machine.path("state");
    mkdirSync(join(state, "kedge/hook"), { recursive: true });
    writeFileSync(join(state, "kedge/hook/hook.cjs"), hook);
    expect(launch(alone, ["hook", "x"], { path: state }).stdout).toBe("hook true x\n");
    if (process.platform === "win32") return;
    mkdirSync(machine.path("bin"));
    writeFileSync(machine.program, "");
    symlinkSync(machine.program, machine.path("bin/kedge"));
    expect(launch(alone, ["hook", "x"], { path: machine.path("bin") }).stdout).toBe("hook true x\n");
  });

  test("the launcher starts nothing that lies in the project", () => {
    const machine = new Machine();
    const file = machine.path("launch.cjs");
    cpSync("plugins/claude-code/launch.cjs", file);
    const cwd = machine.path("project");
    mkdirSync(join(cwd, "bin/hook"), { recursive: true });
    writeFileSync(join(cwd, "bin/kedge"), "");
    for (const name of ["bin/hook.cjs", "bin/hook/hook.cjs"])
      writeFileSync(join(cwd, name), 'console.log("planted")');
    const path = [join(cwd, "bin"), "bin", ""].join(delimiter);
    const { stdout } = launch(file, ["hook", "x"], { path, cwd, env: { KEDGE_STATE: join(cwd, "bin") } });
    expect(stdout).toBe("");
  });

  test("without a program it says so at the start of a conversation, and is silent else", () => {
    const machine = new Machine();
    const file = machine.path("launch.cjs");
    cpSync("plugins/claude-code/launch.cjs", file);
    const send = (name: string) =>
      launch(file, ["hook", "x"], { path: machine.home, input: JSON.stringify({ hook_event_name: name }) });
    expect(send("PreToolUse")).toMatchObject({ status: 0, stdout: "", stderr: "" });
    const said = send("SessionStart");
    expect(JSON.parse(said.stdout)).toEqual({
      systemMessage: expect.stringContaining("Put kedge on the PATH"),
    });
    const server = launch(file, ["bin", "mcp"], { path: machine.home });
    expect(server).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining("on the PATH") });
  });

  test("the skill comes with the tools", () => {
    for (const name of ["SKILL.md", "scripts/edit-by-hash.sh", "scripts/read-with-hashes.sh"])
      expect(existsSync(join("plugins/claude-code-tools/skills/hashed-edit", name))).toBe(true);
  });
});

describe("the plugins of clients that take hooks from a file", () => {
  /** The hooks with a word in the place of what they start. */
  const events = (text: string): unknown =>
    JSON.parse(text, (key, value) =>
      ["command", "bash"].includes(key) ? `…${/\\|\\| exit 0$/.exec(value) ?? ""}` : value,
    );

  test.each([
    ["codex", "hooks/hooks.json", ".codex/hooks.json"],
    ["copilot", "hooks.json", ".copilot/hooks/kedge.json"],
  ])("%s: the same events as an installation", async (client, own, installed) => {
    const machine = new Machine();
    await machine.run(`install ${client}`);
    const hooks = readFileSync(join("plugins", client, own), "utf8");
    expect(events(hooks)).toEqual(events(machine.text(installed) as string));
    const commands = [...hooks.matchAll(/"(?:command|bash)": "((?:[^"\\\\]|\\\\.)*)"/g)].map(
      ([, one]) => one,
    );
    for (const one of commands.filter((word) => word !== "command"))
      expect(one).toMatch(
        new RegExp(`^node \\\\"\\$\\{PLUGIN_ROOT\\}/launch\\.cjs\\\\" hook ${client}( \\|\\| exit 0)?$`),
      );
  });
});

describe("the command", () => {
  const setup = (more: Partial<Setup>): Setup =>
    ({ node: "/usr/bin/node", hook: "/s/hook/hook.cjs", state: null, ...more }) as Setup;

  test.each([
    ["/usr/bin/node", "/s/hook/hook.cjs"],
    ["/Program Files/node", "/my state/hook/hook.cjs"],
    ["/it's/node", "/s $HOME`x`/hook/hook.cjs"],
  ])("%s %s survives a shell", (node, hook) => {
    const line = hookLine(setup({ node, hook }), "codex");
    expect(wordsOf(line)).toEqual([node, hook, "codex"]);
    expect(isGuardStart(line, "codex")).toBe(true);
    expect(isGuardStart(line, "pi")).toBe(false);
    if (process.platform === "win32") return;
    const { stdout } = spawnSync("/bin/sh", ["-c", `printf '%s\\n' ${line}`], { encoding: "utf8" });
    expect(stdout).toBe(`${node}\n${hook}\ncodex\n`);
  });

  test("what others start is not ours", () => {
    for (const line of [
      "node hook.cjs codex",
      "/x/hook.cjs codex",
      "kedge hook codex",
      "/s/hook/hook.cjs codex x",
    ])
      expect(isGuardStart(line, "codex")).toBe(false);
  });

  test("Node by a path that stays: a package manager's link, else the file itself", () => {
    const links: Record<string, string> = {
      "/run/user/0/fnm_multishells/1/bin/node": "/home/u/.fnm/v22/bin/node",
      "/opt/homebrew/bin/node": "/opt/homebrew/Cellar/node/22.1.0/bin/node",
      "/usr/bin/node": "/usr/bin/node",
    };
    const follow = (path: string) =>
      links[path] ?? (path.includes("/v22/") || path.includes("Cellar") ? path : null);
    const resolved = (path: string) => lastingNode(path, follow);
    expect(resolved("/run/user/0/fnm_multishells/1/bin/node")).toBe("/home/u/.fnm/v22/bin/node");
    expect(resolved("/opt/homebrew/Cellar/node/22.1.0/bin/node")).toBe("/opt/homebrew/bin/node");
    expect(resolved("/usr/bin/node")).toBe("/usr/bin/node");
  });
});
