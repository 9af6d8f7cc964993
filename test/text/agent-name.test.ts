import { expect, test } from "vitest";
import { clientOf, shortAgentName } from "../../src/text/agent-name.js";

test.each([
  ["claude-code:7f3a2b1c-0d4e-4f5a-8b6c-1d2e3f4a5b6c", "claude-code:7f3a"],
  ["claude-code:7f3a2b1c-0d4e-4f5a-8b6c-1d2e3f4a5b6c/a1b2c3d4e5f60718", "claude-code:7f3a/a1b2"],
  ["opencode:ses_1234567890abcdef", "opencode:ses_1234"],
  ["process:codex-123-456-ab", "codex 123"],
  ["agent-b", "agent-b"],
  ["outside", "outside"],
  ["shared-489201", "shared-489201"],
  ["ci/deploy-bot", "ci/deploy-bot"],
])("%s is called %s", (id, name) => {
  expect(shortAgentName(id)).toBe(name);
});

test("the client stands before the colon", () => {
  expect(clientOf("codex:0199")).toBe("codex");
  expect(clientOf("agent-b")).toBe("agent-b");
});
