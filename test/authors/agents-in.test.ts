import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { program } from "../cli/support.js";
import { TestRepository } from "./repository.js";

const conversation = "2114cf24-e226-421b-a9e0-fcca7d493fb1";
const other = "claude-code:7f3a2b1c-0d4e-4f5a-8b6c-1d2e3f4a5b6c";

/** An event of a client, as its hook gets it; the answer, null for silence. */
function hook(tree: TestRepository, event: object): unknown {
  const state = join(tree.scratch, "state");
  const { stdout, status } = spawnSync(process.execPath, [program, "hook", "claude-code", "--state", state], {
    ...{ cwd: tree.folder, env: { ...tree.env(), KEDGE_STATE: state }, encoding: "utf8" },
    input: JSON.stringify({ session_id: conversation, cwd: tree.folder, ...event }),
  });
  expect(status).toBe(0);
  return stdout.trim() === "" ? null : JSON.parse(stdout);
}

function command(tree: TestRepository, line: string): unknown {
  const call = { tool_name: "Bash", tool_use_id: "t", tool_input: { command: line } };
  return hook(tree, { hook_event_name: "PreToolUse", ...call });
}

describe("the names of agents", () => {
  test("are the first words of the first prompt, until the person gives another", async () => {
    const tree = new TestRepository({ "a.txt": "1\n2\n" });
    for (const prompt of ["Fix the parser (please!), then run everything", "And now this"])
      hook(tree, { hook_event_name: "UserPromptSubmit", prompt });
    const names = async (): Promise<unknown> =>
      (await tree.ok(`claude-code:${conversation}`, "session", "list", "--json"))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).name);
    expect(await names()).toEqual(["Fix the parser please"]);
    await tree.write(`claude-code:${conversation}`, "a.txt", "1\ntwo\n");
    expect(await tree.ok("me", "session", "name", "claude-code:2114", "writes: tests!")).toBe(
      "claude-code:2114 is called writes tests on this machine\n",
    );
    expect(await names()).toEqual(["writes tests"]);
    expect(await tree.ok("me", "log")).toContain("claude-code:2114  written");
    expect(await tree.ok("me", "log")).not.toContain("writes tests");
    expect((await tree.kedge("me", "session", "name", "x", "!?")).status).toBe(2);
  });
});

describe("an agent that is about to commit others' lines", () => {
  test("is told once, and never held up", async () => {
    const tree = new TestRepository({ "a.txt": "1\n2\n", "b.txt": "1\n" });
    await tree.write(other, "a.txt", "1\ntwo\n");
    for (const line of ["git status", "git add b.txt", "git add -p", "git commit -m 'all of it'"])
      expect([line, command(tree, line)]).toEqual([line, null]);
    expect(command(tree, "git add . && git commit -m x")).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        additionalContext:
          'kedge: "git add . && git commit -m x" takes lines of claude-code:7f3a along (a.txt); `kedge commit --mine -m MESSAGE` commits yours alone.',
      },
    });
    expect(command(tree, "git commit -am x")).toBeNull();
  });
});
