import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { adapters, hook } from "../../src/guard/index.js";

/** Our own tools are told for whom they work: their server does not know which conversation calls it. */
async function asked(client: string, payload: object): Promise<unknown> {
  const env = { KEDGE_STATE: mkdtempSync(join(tmpdir(), "kedge-own-")) };
  const adapter = adapters[client];
  if (!adapter) throw new Error(`there is no ${client}`);
  const input = JSON.stringify(payload);
  return JSON.parse((await hook({ adapter, input, env, clock: Date.now })) ?? "null");
}

const claude = (tool: string, mode: string) =>
  asked("claude-code", {
    ...{ session_id: "s", agent_id: "sub", cwd: tmpdir(), hook_event_name: "PreToolUse" },
    ...{ permission_mode: mode, tool_name: tool, tool_input: { path: "a.txt" } },
  });

test.each([
  ["mcp__kedge__edit_file", "acceptEdits", "allow"],
  ["mcp__plugin_kedge-tools_kedge__edit_file", "bypassPermissions", "allow"],
  ["mcp__kedge__edit_file", "default", undefined],
  ["mcp__kedge__edit_file", "plan", undefined],
  ["mcp__kedge__read_file", "default", "allow"],
])("Claude Code: %s in mode %s", async (tool, mode, permissionDecision) => {
  const updatedInput = { path: "a.txt", session: "claude-code:s/sub" };
  expect(await claude(tool, mode)).toEqual({
    hookSpecificOutput: {
      ...{ hookEventName: "PreToolUse", updatedInput },
      ...(permissionDecision ? { permissionDecision } : {}),
    },
  });
});

test("a tool of another server is left alone", async () => {
  expect(await claude("mcp__other__edit_file", "default")).toBeNull();
});

test("opencode is given the session with the call of our tool", async () => {
  const i = { tool: "kedge_edit_file", sessionID: "ses", callID: "c" };
  const payload = { k: "before", i, o: { args: { path: "a.txt" } }, directory: tmpdir() };
  expect(await asked("opencode", payload)).toEqual({ args: { path: "a.txt", session: "opencode:ses" } });
});
