/**
 * What a model can see counts as shown, however it came to see it: the guard looks through what was sent before it refuses
 * anything as unread. What was not sent as it stands, or is another file's, does not count.
 */
import { expect, test } from "vitest";
import type { Driver } from "../drivers/driver.js";
import { type Agent, Stage } from "../stage.js";
import { notPrinting, printing } from "./commands.js";
import { folder, own, shared, textOf } from "./folder.js";

const file = "src/alpha.ts";
const fresh = { new: "  // changed" };

function staged(driver: Driver): Stage {
  return new Stage(driver, folder, { git: true, keeps: true });
}

const denied = async (agent: Agent, old = own, path = file): Promise<string | null> =>
  (await agent.asksEdit(path, { old, ...fresh })).deny;

export function readers(driver: Driver): void {
  test(`an edit of a printed line is let through, after each of ${printing.length} commands`, {
    timeout: 600_000,
  }, async () => {
    const stage = staged(driver);
    const refused: string[] = [];
    for (const [at, command] of printing.entries()) {
      const agent = stage.agent(`reader-${at}`);
      const { printed } = await agent.shell(command);
      expect(printed, command).toContain(own);
      if ((await denied(agent)) !== null) refused.push(command);
    }
    expect(refused).toEqual([]);
    expect(stage.log()).toBe("");
  });

  test.each([own, shared])(
    "no line counts that was printed otherwise, or of another file: %s",
    { timeout: 600_000 },
    async (line) => {
      const stage = staged(driver);
      const allowed: string[] = [];
      for (const [at, command] of notPrinting.entries()) {
        const agent = stage.agent(`reader-${at}`);
        await agent.shell(command);
        if ((await denied(agent, line)) === null) allowed.push(command);
      }
      expect(allowed).toEqual([]);
    },
  );

  /** What the model was sent without a command of its own, and what it wrote itself. */
  const sent: Readonly<Record<string, (agent: Agent, stage: Stage) => void>> = {
    "code pasted into a prompt": ({ transcript }) => transcript.prompt(`Mend this:\n\n${textOf("alpha")}`),
    "a part of it pasted into a prompt": ({ transcript }) => transcript.prompt(`What is\n${own}\nfor?`),
    "a file named with @": ({ transcript }, stage) => transcript.attached(stage.path(file), textOf("alpha")),
    "a tool of another server": ({ transcript }) =>
      transcript.result("mcp__files__read_text_file", { path: file }, textOf("alpha")),
    "a tool of another server, with numbers": ({ transcript }) =>
      transcript.result("mcp__files__read", { uri: "x" }, numbered(textOf("alpha"))),
    "a subagent's report": ({ transcript }) =>
      transcript.report(`It is here:\n\n\`\`\`ts\n${textOf("alpha")}\`\`\`\n\nNothing else.`),
    "a subagent's report with numbers": ({ transcript }) =>
      transcript.report(`src/alpha.ts:\n${numbered(textOf("alpha"))}`),
    PowerShell: ({ transcript }) =>
      transcript.result(
        "PowerShell",
        { command: "Get-Content src\\*.ts" },
        ["alpha", "beta"].map(textOf).join("").replaceAll("\n", "\r\n"),
      ),
    "PowerShell, with the file named in front": ({ transcript }) =>
      transcript.result(
        "PowerShell",
        { command: "Select-String -Path src\\*.ts -Pattern alphaRows" },
        `\r\nsrc\\alpha.ts:7:${own}\r\nsrc\\alpha.ts:8:  return alphaRows;\r\n`,
      ),
    "a heredoc in a script that it ran": ({ transcript }) =>
      transcript.result(
        "Bash",
        { command: `bash <<'OUTER'\ncat > src/alpha.ts <<'EOF'\n${textOf("alpha")}EOF\nOUTER` },
        "",
      ),
  };
  test.each(Object.entries(sent))("%s counts", async (_, send) => {
    const stage = staged(driver);
    const agent = stage.agent();
    expect(await denied(agent)).toContain("was not read");
    send(agent, stage);
    expect(await denied(agent)).toBeNull();
    expect(await denied(stage.agent("another"))).toContain("was not read");
    expect(stage.log()).toBe("");
  });

  /** Files that the client loads itself: only their lines, and only as they were sent. */
  test.each(["CLAUDE.md", "AGENTS.md", ".claude/rules/style.md"])(
    "%s, as the client loaded it",
    async (name) => {
      const rules = "# Rules\n\n- tabs in Go, blanks elsewhere\n- no default exports\n- tests first\n";
      const stage = staged(driver);
      stage.put(name, rules);
      const agent = stage.agent();
      const quoted = "- no default exports";
      expect(await denied(agent, quoted, name)).toContain("was not read");
      agent.transcript.instructions(stage.path(name), rules);
      expect(await denied(agent, quoted, name)).toBeNull();
      expect(await denied(agent)).toContain("was not read");
    },
  );

  /** What was sent, but is not what stands in the file, or cannot be told from what the model said itself. */
  const unlike: Readonly<Record<string, (agent: Agent, stage: Stage) => void>> = {
    "a line that has changed since": ({ transcript }) =>
      transcript.prompt(textOf("alpha").replace("row.kept", "row.held")),
    "a file that reads alike, named with @": ({ transcript }, stage) => {
      stage.put("src/twin.ts", textOf("alpha"));
      transcript.attached(stage.path("src/twin.ts"), textOf("alpha"));
    },
    "two lines that stand in many files": ({ transcript }) => transcript.prompt("    total += at;\n  }"),
    "what was compacted away": ({ transcript }) => {
      transcript.prompt(textOf("alpha"));
      transcript.compact();
    },
  };
  test.each(Object.entries(unlike))("%s does not count", async (_, send) => {
    const stage = staged(driver);
    const agent = stage.agent();
    send(agent, stage);
    expect(await denied(agent)).toContain("was not read");
  });

  test("what a refusal shows does not let the same call through", async () => {
    const stage = staged(driver);
    const agent = stage.agent();
    await agent.read(stage.path(file));
    stage.change(file, own, `${own} // theirs`);
    const edit = { old: own, ...fresh };
    const first = await agent.edit(stage.path(file), edit);
    const again = await agent.edit(stage.path(file), edit);
    expect([first.deny ?? first.failed, again.deny ?? again.failed]).not.toContain(null);
    expect(stage.text(file)).toContain("// theirs");
  });

  test("a whole-file write: only if all of it was sent since it changed last", async () => {
    const stage = staged(driver);
    const write = async (agent: Agent): Promise<string | null> =>
      (await agent.asksWrite(stage.path(file), "mine\n")).deny;
    const [some, old, all] = ["some", "old", "all"].map((name) => stage.agent(name)) as [Agent, Agent, Agent];
    some.transcript.result("mcp__files__read", {}, textOf("alpha").split("\n").slice(0, 12).join("\n"));
    old.transcript.result("mcp__files__read", {}, textOf("alpha"));
    await new Promise((after) => setTimeout(after, 30));
    stage.put(file, textOf("alpha").replace("  let total = 0;\n", ""));
    await new Promise((after) => setTimeout(after, 30));
    all.transcript.result("mcp__files__read", {}, stage.text(file));
    expect(await write(some)).toContain("REJECTED");
    expect(await write(old)).toContain("REJECTED");
    expect(await denied(old)).toBeNull();
    expect(await write(old)).toContain("REJECTED");
    expect(await write(all)).toBeNull();
  });
}

function numbered(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line, at) => `${String(at + 1).padStart(5)}\u2192${line}`)
    .join("\n");
}
