import { describe, expect, test } from "vitest";
import { conversation, TestRepository } from "./repository.js";

const other = "claude-code:7f3a2b1c-0d4e-4f5a-8b6c-1d2e3f4a5b6c";

function command(tree: TestRepository, line: string, session = conversation): unknown {
  const call = { tool_name: "Bash", tool_use_id: "t", tool_input: { command: line } };
  return tree.hook({ session_id: session, hook_event_name: "PreToolUse", ...call });
}

describe("the names of agents", () => {
  test("are the first words of the first prompt, until the person gives another", async () => {
    const tree = new TestRepository({ "a.txt": "1\n2\n" });
    for (const prompt of ["Fix the parser (please!), then run everything", "And now this"])
      tree.hook({ hook_event_name: "UserPromptSubmit", prompt });
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

  test("is told of the files alone that its command takes", async () => {
    const tree = new TestRepository({ "src/a.txt": "1\n2\n", "docs/b.txt": "1\n" });
    await tree.write(other, "src/new.txt", "new\n");
    for (const line of ["git commit -am x", "cd docs && git add .", "git add -u", "git add *.txt"])
      expect([line, command(tree, line)]).toEqual([line, null]);
    await tree.write(other, "src/a.txt", "1\ntwo\n");
    const lines = ["git add docs/b.txt; git commit -am x", "git commit src/a.txt -m x", "git add s*/a*"];
    for (const [at, line] of lines.entries())
      expect(JSON.stringify(command(tree, line, `session-${at}`))).toContain("along (src/a.txt)");
  });
});
