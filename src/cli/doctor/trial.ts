/** A real decision through an installed hook: an edit of a file that was not read, then of one that was. */

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findWorkspace } from "../../host/index.js";
import { nodeStore } from "../../store/index.js";
import type { Environment } from "../context.js";
import type { Started } from "../install/types.js";
import { inScratch } from "./self-test.js";

interface Scene {
  readonly session: string;
  readonly cwd: string;
  readonly path: string;
  readonly text: string;
}

/** Events as a client sends them. */
interface Script {
  /** The event before a change of the second line of a file. */
  edit(scene: Scene): unknown;
  /** The event after a read of the whole file. */
  read(scene: Scene): unknown;
  isDenied(answer: Answer): boolean;
}

interface Answer {
  readonly hookSpecificOutput?: { readonly permissionDecision?: string };
  readonly decision?: string;
  readonly permissionDecision?: string;
  readonly deny?: string;
}

const quote = { old_string: "two", new_string: "TWO" };
const base = ({ session, cwd }: Scene, event: string, tool: string) => ({
  ...{ session_id: session, transcript_path: "", cwd, permission_mode: "default" },
  ...{ hook_event_name: event, tool_name: tool, tool_use_id: "doctor" },
});
const isDeniedByDecision = ({ hookSpecificOutput }: Answer): boolean =>
  hookSpecificOutput?.permissionDecision === "deny";
const isDeniedToPlugin = ({ deny }: Answer): boolean => deny !== undefined;

const scripts: Readonly<Record<string, Script>> = {
  "claude-code": {
    edit: (scene) => ({
      ...base(scene, "PreToolUse", "Edit"),
      tool_input: { file_path: scene.path, ...quote, replace_all: false },
    }),
    read: (scene) => {
      const { session_id, transcript_path, cwd, permission_mode } = base(scene, "", "");
      const tool_response = scene.text
        .split("\n")
        .map((row, at) => `${at + 1}\t${row}`)
        .join("\n");
      const call = {
        tool_name: "Read",
        tool_input: { file_path: scene.path },
        tool_use_id: "doctor",
        tool_response,
      };
      return {
        ...{ session_id, transcript_path, cwd, permission_mode, hook_event_name: "PostToolBatch" },
        tool_calls: [call],
      };
    },
    isDenied: isDeniedByDecision,
  },
  codex: {
    edit: (scene) => ({
      ...base(scene, "PreToolUse", "apply_patch"),
      tool_input: {
        command: `*** Begin Patch\n*** Update File: ${scene.path}\n@@\n one\n-two\n+TWO\n three\n*** End Patch\n`,
      },
    }),
    read: (scene) => ({
      ...base(scene, "PostToolUse", "Bash"),
      tool_input: { command: `cat ${scene.path}` },
      tool_response: scene.text,
    }),
    isDenied: isDeniedByDecision,
  },
  "gemini-cli": {
    edit: (scene) => ({
      ...base(scene, "BeforeTool", "replace"),
      tool_input: { file_path: scene.path, instruction: "", ...quote },
    }),
    read: (scene) => ({
      ...base(scene, "AfterTool", "read_file"),
      tool_input: { file_path: scene.path },
      tool_response: { llmContent: scene.text, returnDisplay: "" },
    }),
    isDenied: ({ decision }) => decision === "deny",
  },
  "qwen-code": {
    edit: (scene) => ({
      ...base(scene, "PreToolUse", "edit"),
      tool_input: { file_path: scene.path, ...quote },
    }),
    read: (scene) => {
      const response = { functionResponse: { name: "read_file", response: { output: scene.text } } };
      const call = { tool_name: "read_file", tool_input: { file_path: scene.path } };
      const tool_response = { response_parts: [response], result_display: "" };
      return { ...base(scene, "PostToolBatch", ""), tool_calls: [{ ...call, tool_response }] };
    },
    isDenied: isDeniedByDecision,
  },
  copilot: {
    edit: ({ session, cwd, path }) => ({
      ...{ sessionId: session, cwd, toolName: "edit" },
      toolArgs: { path, old_str: "two", new_str: "TWO" },
    }),
    read: ({ session, cwd, path, text }) => ({
      ...{ sessionId: session, cwd, toolName: "view", toolArgs: { path } },
      toolResult: { resultType: "success", textResultForLlm: text },
    }),
    isDenied: ({ permissionDecision }) => permissionDecision === "deny",
  },
  opencode: {
    edit: ({ session, cwd, path }) => ({
      ...{ k: "before", directory: cwd, i: { tool: "edit", sessionID: session, callID: "doctor" } },
      o: { args: { filePath: path, oldString: "two", newString: "TWO" } },
    }),
    read: ({ session, cwd, path, text }) => {
      const rows = text.trimEnd().split("\n");
      const listed = rows.map((row, at) => `${at + 1}: ${row}`).join("\n");
      const output = `<path>${path}</path>\n<type>file</type>\n<content>\n${listed}\n\n(End of file - total ${rows.length} lines)\n</content>`;
      const display = { type: "file", path, text: rows.join("\n"), lineStart: 1, lineEnd: rows.length };
      const metadata = {
        truncated: false,
        display: { ...display, totalLines: rows.length, truncated: false },
      };
      return {
        ...{ k: "after", directory: cwd },
        i: { tool: "read", sessionID: session, callID: "doctor", args: { filePath: path } },
        o: { title: path, output, metadata },
      };
    },
    isDenied: isDeniedToPlugin,
  },
  pi: {
    edit: ({ session, cwd, path }) => ({
      ...{ k: "tool_call", session, cwd, toolName: "edit", toolCallId: "doctor" },
      input: { path, edits: [{ oldText: "two", newText: "TWO" }] },
    }),
    read: ({ session, cwd, path, text }) => ({
      ...{ k: "tool_result", session, cwd, toolName: "read", toolCallId: "doctor", input: { path } },
      ...{ content: [{ type: "text", text }], isError: false, details: {} },
    }),
    isDenied: isDeniedToPlugin,
  },
};

/** Returns the fault of the guard that a client starts; null if the guard decides rightly. */
export function tryGuard(
  client: string,
  started: Started,
  { env, state }: { readonly env: Environment; readonly state: string },
): Promise<string | null> {
  const script = scripts[client] as Script;
  return inScratch("guard", async (cwd) => {
    const scene: Scene = {
      session: `doctor-${randomUUID()}`,
      cwd,
      path: join(cwd, "a.txt"),
      text: "one\ntwo\nthree\n",
    };
    writeFileSync(scene.path, scene.text);
    const send = (event: unknown): Promise<Answer> => ask(started, event, { env, cwd });
    try {
      if (!script.isDenied(await send(script.edit(scene))))
        return "an edit of a file that was not read went through";
      await send(script.read(scene));
      const late = await send(script.edit(scene));
      return script.isDenied(late) ? "an edit of a file that was read was refused" : null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      await nodeStore({ state, workspace: findWorkspace(cwd) }).purge();
    }
  });
}

const longest = 10_000;

async function ask(
  { argv }: Started,
  event: unknown,
  { env, cwd }: { readonly env: Environment; readonly cwd: string },
): Promise<Answer> {
  const [program, ...args] = argv;
  const child = spawn(program, args, { cwd, env, timeout: longest });
  const printed: Buffer[] = [];
  const said: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => printed.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => said.push(chunk));
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(event));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  const text = Buffer.concat(printed).toString();
  if (status !== 0)
    throw new Error(`it ended with ${status ?? "a time-out"}${reason(Buffer.concat(said).toString())}`);
  return text === "" ? {} : (JSON.parse(text) as Answer);
}

/** The line of a crash that says what it was. */
function reason(said: string): string {
  const lines = said.split("\n").filter((line) => line.trim() !== "");
  const line = lines.find((one) => /^\w*Error\b/.test(one)) ?? lines[0];
  return line ? `: ${line}` : "";
}
