/** A guard that has no folder for what it knows. */
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { adapters, hook } from "../../src/hooks/index.js";

const asked = async (event: object, env: Record<string, string>) => {
  const input = JSON.stringify({ session_id: "s", cwd: tmpdir(), ...event });
  const adapter = adapters["claude-code"];
  if (!adapter) throw new Error("there is no claude-code");
  const answer = await hook({ adapter, input, env: { KEDGE_STATE: "state", ...env }, clock: Date.now });
  return JSON.stringify(JSON.parse(answer ?? "null"));
};

const begin = { hook_event_name: "SessionStart", source: "startup" };
const edit = {
  ...{ hook_event_name: "PreToolUse", tool_name: "Edit" },
  tool_input: { file_path: "a.txt", old_string: "a", new_string: "b" },
};

test("says so when a conversation begins, and lets edits through", async () => {
  expect(await asked(begin, {})).toMatch(/not guarding: .*KEDGE_STATE/);
  expect(await asked(edit, {})).toBe("null");
});

test("refuses edits if that is wished, with the cause", async () => {
  expect(await asked(edit, { KEDGE_FAIL_CLOSED: "1" })).toMatch(/deny.*KEDGE_STATE/);
});
