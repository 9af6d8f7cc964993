import { expect, test } from "vitest";
import { formatAge, parseSince, undoable } from "../../../src/cli/print/log-rows.js";
import type { JournalEntry } from "../../../src/ports/store.js";
import { displayName } from "../../../src/text/agent-name.js";

const entry = (more: Partial<JournalEntry>): JournalEntry => ({
  ...{ id: "1", time: 0, agent: "alice", tool: "edit", kind: "commit", path: "a.ts", file: "/w/a.ts" },
  ...{ before: "v1", after: "v2", lines: [] },
  ...more,
});

test("the flag --since takes an age or a date, and an age is told in one unit", () => {
  const now = Date.parse("2026-11-15T12:00:00Z");
  expect(now - parseSince("90s", now)).toBe(90_000);
  expect(now - parseSince("1.5h", now)).toBe(5_400_000);
  expect(parseSince("2026-11-14", now)).toBe(Date.parse("2026-11-14"));
  for (const text of ["", "h", "7", "soon", "-1h"])
    expect(() => parseSince(text, now)).toThrow("--since is like");
  expect([0, 60_000, 7_200_000, 3 * 86_400_000].map(formatAge)).toEqual([
    "just now",
    "1 minute ago",
    "2 hours ago",
    "3 days ago",
  ]);
});

test("the name of an agent is cut to the part that a person knows", () => {
  expect(displayName("process:codex-123-456-ab12cd34")).toBe("codex 123");
  expect(displayName("claude-code:0c1b1c6e-7f0a-4b52-9d0a-0123456789ab")).toBe("claude-code:0c1b");
  expect(displayName("alice")).toBe("alice");
});

test("what was undone cannot be undone again", () => {
  const entries = [entry({ id: "1" }), entry({ id: "2" }), entry({ id: "3", kind: "undo", cause: "2" })];
  expect(undoable(entries).map(({ id }) => id)).toEqual(["1"]);
});
