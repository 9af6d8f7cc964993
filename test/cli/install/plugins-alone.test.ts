/** Each plugin's folder, copied to a machine that has nothing but Node: does it guard? */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

type Call = Record<string, unknown>;

let scratch: string;
let env: Record<string, string>;
const inherited = { ...process.env };

beforeEach(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), "kedge-alone-")));
  const bin = join(scratch, "bin");
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  env = { PATH: bin, HOME: scratch };
  mkdirSync(join(scratch, "work"));
});

afterEach(() => {
  process.env = { ...inherited };
  rmSync(scratch, { recursive: true, force: true });
});

/** The folder as a marketplace's cache has it: under another name, with nothing of Kedge around it. */
function alone(plugin: string): string {
  const folder = join(scratch, "cache", "0a1b2c");
  cpSync(join("plugins", plugin), folder, { recursive: true });
  return folder;
}

/** A file of the workspace. */
function put(name: string, content: string | Uint8Array): string {
  const path = join(scratch, "work", name);
  writeFileSync(path, content);
  return path;
}

const text = "one\ntwo\nthree\n";
const numbered = (lines: string): string =>
  lines
    .replace(/^/gm, "\t")
    .split("\n")
    .map((row, at) => `${at + 1}${row}`)
    .join("\n");

describe.skipIf(process.platform === "win32")("a plugin's folder alone", () => {
  describe("for Claude Code", () => {
    /** Sends an event to the command that hooks.json names for it. */
    function send(folder: string, event: Call): { answer: string; said: string } {
      const { hooks } = JSON.parse(readFileSync(join(folder, "hooks/hooks.json"), "utf8"));
      const [{ hooks: list }] = hooks[event.hook_event_name as string];
      const [{ command, args }] = list as [{ command: string; args: string[] }];
      const words = args.map((word) => word.replace(/^\$\{CLAUDE_PLUGIN_ROOT\}/, folder));
      const input = JSON.stringify({
        ...{ session_id: "s", transcript_path: "", cwd: join(scratch, "work"), permission_mode: "default" },
        ...event,
      });
      const { stdout, stderr, status } = spawnSync(command, words, { env, input, encoding: "utf8" });
      expect(status).toBe(0);
      return { answer: stdout, said: stderr };
    }

    const edit = (path: string, from: string, to: string): Call => ({
      ...{ hook_event_name: "PreToolUse", tool_name: "Edit", tool_use_id: "t" },
      tool_input: { file_path: path, old_string: from, new_string: to, replace_all: false },
    });
    const read = (path: string, lines: string): Call => ({
      hook_event_name: "PostToolBatch",
      tool_calls: [
        {
          ...{ tool_name: "Read", tool_input: { file_path: path }, tool_use_id: "r" },
          tool_response: numbered(lines),
        },
      ],
    });

    test("refuses an edit of a file that was not read, and lets it through once it was", () => {
      const folder = alone("claude-code");
      const path = put("a.txt", text);
      expect(send(folder, { hook_event_name: "SessionStart", source: "startup" }).answer).toContain(
        "kedge: guarding",
      );
      expect(send(folder, edit(path, "two", "TWO")).answer).toContain('"permissionDecision":"deny"');
      send(folder, read(path, text));
      expect(send(folder, edit(path, "two", "TWO")).answer).not.toContain("deny");
      put("a.txt", text.replace("two", "2"));
      expect(send(folder, edit(path, "two", "TWO")).answer).toContain('"permissionDecision":"deny"');
    });

    test("reads a file that is not UTF-8", () => {
      const folder = alone("claude-code");
      // "日本語のテキスト" and two lines of ASCII, in Shift_JIS.
      const japanese = Buffer.from("93fa967b8cea82cc8365834c8358836782c582b7", "hex");
      const path = put("j.txt", Buffer.concat([japanese, Buffer.from("\ntwo\nthree\n")]));
      expect(send(folder, edit(path, "日本語のテキストです", "x")).answer).toContain("deny");
      send(folder, read(path, "日本語のテキストです\ntwo\nthree\n"));
      expect(send(folder, edit(path, "日本語のテキストです", "x")).answer).not.toContain("deny");
    });
  });

  /** Starts a command of a hooks file as its client does: by a shell, with the plugin's folder in a variable. */
  function send(folder: string, command: string, event: Call): string {
    const input = JSON.stringify({ cwd: join(scratch, "work"), ...event });
    const shell = { PATH: `${env.PATH}:/usr/bin:/bin`, HOME: env.HOME, PLUGIN_ROOT: folder };
    const { stdout, status } = spawnSync("/bin/sh", ["-c", command], { env: shell, input, encoding: "utf8" });
    expect(status).toBe(0);
    return stdout;
  }

  test("guards Codex", () => {
    const folder = alone("codex");
    const { hooks } = JSON.parse(readFileSync(join(folder, "hooks/hooks.json"), "utf8"));
    const path = put("a.txt", text);
    const common = { session_id: "s", transcript_path: "", permission_mode: "default", tool_use_id: "t" };
    const patch = `*** Begin Patch\n*** Update File: ${path}\n@@\n one\n-two\n+TWO\n three\n*** End Patch\n`;
    const before = { ...common, hook_event_name: "PreToolUse", tool_name: "apply_patch" };
    const edit = () =>
      send(folder, hooks.PreToolUse[0].hooks[0].command, { ...before, tool_input: { command: patch } });
    expect(edit()).toContain('"permissionDecision":"deny"');
    send(folder, hooks.PostToolUse[0].hooks[0].command, {
      ...{ ...common, hook_event_name: "PostToolUse", tool_name: "Bash" },
      ...{ tool_input: { command: `cat ${path}` }, tool_response: text },
    });
    expect(edit()).not.toContain("deny");
  });

  test("guards Copilot CLI", () => {
    const folder = alone("copilot");
    const { hooks } = JSON.parse(readFileSync(join(folder, "hooks.json"), "utf8"));
    const path = put("a.txt", text);
    const toolArgs = { path, old_str: "two", new_str: "TWO" };
    const edit = () => send(folder, hooks.preToolUse[0].bash, { sessionId: "s", toolName: "edit", toolArgs });
    expect(edit()).toContain('"permissionDecision":"deny"');
    send(folder, hooks.postToolUse[0].bash, {
      ...{ sessionId: "s", toolName: "view", toolArgs: { path } },
      toolResult: { resultType: "success", textResultForLlm: text },
    });
    expect(edit()).not.toContain("deny");
  });

  test("guards opencode", async () => {
    const folder = alone("opencode");
    Object.assign(process.env, { PATH: env.PATH, HOME: env.HOME, XDG_STATE_HOME: "", KEDGE_STATE: "" });
    const { Kedge } = (await import(pathToFileURL(join(folder, "kedge.js")).href)) as {
      Kedge(context: object): Promise<Record<string, (i: Call, o: Call) => Promise<void>>>;
    };
    const tui = { showToast: async () => {} };
    const hooks = await Kedge({ client: { tui }, directory: join(scratch, "work") });
    const filePath = put("a.txt", text);
    const edit = () =>
      hooks["tool.execute.before"]?.(
        { tool: "edit", sessionID: "s", callID: "c" },
        { args: { filePath, oldString: "two", newString: "TWO" } },
      );
    await expect(edit()).rejects.toThrow("was not read");
    const listed = "1: one\n2: two\n3: three\n\n(End of file - total 3 lines)\n";
    const display = { type: "file", path: filePath, text: text.trimEnd(), lineStart: 1, lineEnd: 3 };
    await hooks["tool.execute.after"]?.(
      { tool: "read", sessionID: "s", callID: "d", args: { filePath } },
      {
        output: `<path>${filePath}</path>\n<type>file</type>\n<content>\n${listed}</content>`,
        metadata: { truncated: false, display: { ...display, totalLines: 3, truncated: false } },
      },
    );
    await edit();
  });

  test("guards pi", async () => {
    const folder = alone("pi");
    Object.assign(process.env, { PATH: env.PATH, HOME: env.HOME, XDG_STATE_HOME: "", KEDGE_STATE: "" });
    const { default: extension } = (await import(pathToFileURL(join(folder, "kedge.js")).href)) as {
      default(api: object): void;
    };
    const handlers: Record<string, (event: Call, context: object) => Promise<unknown>> = {};
    extension({
      on: (name: string, handler: (event: Call, context: object) => Promise<unknown>) => {
        handlers[name] = handler;
      },
    });
    const sessionManager = { getSessionId: () => "s", getBranch: () => [] };
    const context = { hasUI: false, cwd: join(scratch, "work"), sessionManager };
    const path = put("a.txt", text);
    const input = { path, edits: [{ oldText: "two", newText: "TWO" }] };
    const edit = () => handlers.tool_call?.({ toolName: "edit", toolCallId: "c", input }, context);
    expect(await edit()).toMatchObject({ block: true, reason: expect.stringContaining("was not read") });
    const content = [{ type: "text", text }];
    const result = {
      toolName: "read",
      toolCallId: "d",
      input: { path },
      content,
      isError: false,
      details: {},
    };
    await handlers.tool_result?.(result, context);
    expect(await edit()).toBe(undefined);
  });

  test("serves Kedge's tools, and has the skill's scripts", () => {
    const folder = alone("claude-code-tools");
    const path = put("a.txt", text);
    const request = (id: number, method: string, params: object) =>
      `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
    const initialize = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    };
    const input = [
      request(1, "initialize", initialize),
      `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`,
      request(2, "tools/call", { name: "read_file", arguments: { path } }),
    ].join("");
    const options = { cwd: join(scratch, "work"), env, encoding: "utf8" as const };
    const served = spawnSync("node", [join(folder, "launch.cjs"), "bin", "mcp"], { ...options, input });
    expect(served.stdout).toContain("|two");
    const system = { ...env, PATH: `${env.PATH}:/usr/bin:/bin` };
    const script = join(folder, "skills/hashed-edit/scripts/read-with-hashes.sh");
    const rows = spawnSync("sh", [script, path, "--start", "2", "--end", "2"], { ...options, env: system });
    expect(rows.stdout).toMatch(/^2#[0-9a-f]{4}\|two\n$/);
  });
});
