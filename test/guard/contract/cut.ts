/** What a client cuts from what it shows was not shown; what it shows by other ways was. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { captured, type Driver, withValues } from "../drivers/driver.js";
import { quiet, Stage } from "../stage.js";
import { source } from "./source.js";

const limit = { old: "  const limit = 10;", new: "  const limit = 20;" };
const long: string = Array.from({ length: 6000 }, (_, at) => `line ${at + 1} of a long file\n`).join("");

export function cut(driver: Driver): void {
  test("a long file that was shown in part is not written over", async () => {
    const place = new Stage(driver, { "long.txt": long });
    for (const [name, command] of [
      ["one", null],
      ["two", "cat long.txt"],
    ] as const) {
      const agent = place.agent(name);
      const { printed } = await (command === null ? agent.read("long.txt") : agent.shell(command));
      const isWhole = long.split("\n").every((line) => printed.includes(line));
      const { deny } = await agent.asksWrite(place.path("long.txt"), "short\n");
      if (isWhole) expect(deny).toBeNull();
      else expect(deny).toContain("REJECTED");
    }
  });

  test("the rest of a long file, read in parts, opens it", async () => {
    const place = new Stage(driver, { "long.txt": long });
    const agent = place.agent();
    for (let first = 1; first <= 6000; first += 750)
      await agent.read("long.txt", { first, last: first + 749 });
    expect(await agent.write(place.path("long.txt"), "short\n")).toMatchObject(quiet);
  });

  test("what a client writes below the lines it shows is not taken for a line", async () => {
    const place = new Stage(driver, { "a.txt": "one\ntwo\nthree\n\nfive\n" });
    const agent = place.agent();
    await agent.read("a.txt", { first: 1, last: 3 });
    expect((await agent.asksWrite(place.path("a.txt"), "x\n")).deny).toContain("lines 4-5");
  });

  test("lines longer than some clients show", async () => {
    const place = new Stage(driver, { "a.txt": `short\n${"x".repeat(3000)}\nend\n` });
    const agent = place.agent();
    await agent.read("a.txt");
    expect(await agent.edit("a.txt", { old: "short", new: "SHORT" })).toMatchObject(quiet);
  });

  test("a line that the reading tool cuts: the call that is named next shows it", async () => {
    const place = new Stage(driver, { "it's.txt": `short\n${"x".repeat(3000)}\nend\n` });
    const agent = place.agent();
    const path = place.path("it's.txt");
    const unread = (await agent.asksWrite(path, "mine\n")).deny ?? "";
    expect(unread).toContain("was not read");
    await agent.read(path);
    const { deny } = await agent.asksWrite(path, "mine\n");
    if (driver.client !== "opencode" && driver.client !== "gemini-cli") return expect(deny).toBeNull();
    const [, command = ""] = /run `(.*)`/.exec(deny ?? "") ?? [];
    expect(unread).toContain(command);
    expect(command).toMatch(/^sed -n '2p' /);
    await agent.shell(command);
    expect(await agent.write(path, "mine\n")).toMatchObject(quiet);
  });

  if (driver.client === "opencode" || driver.client === "gemini-cli" || driver.client === "pi")
    test("a line that no call of the client shows whole: it can still be edited by a quote", async () => {
      const place = new Stage(driver, { "a.txt": `short\n${"x".repeat(60_000)}.\nend\n` });
      const agent = place.agent();
      const path = place.path("a.txt");
      await agent.read(path, { first: 1, last: 1 });
      await agent.read(path, { first: 3, last: 3 });
      const { deny } = await agent.asksWrite(path, "mine\n");
      expect(deny).toMatch(/line 2 is too long to be shown whole/);
      expect(deny).not.toMatch(/sed|offset 2/);
      expect(await agent.edit(path, { old: "x.", new: "y." })).toMatchObject(quiet);
    });

  if (driver.client === "gemini-cli") gemini(driver);
  if (driver.client === "codex") codex(driver);
  if (driver.client === "claude-code") claude(driver);
}

function claude(driver: Driver): void {
  const attachment = (path: string): string => {
    const file = { filePath: path, content: source, numLines: 20, startLine: 1, totalLines: 20 };
    const shown = { type: "file", filename: path, content: { type: "text", file } };
    return `${JSON.stringify({ type: "attachment", attachment: shown, uuid: "u1", isSidechain: false })}\n`;
  };

  test("a file that the client attached by itself was shown: its transcript tells", async () => {
    const place = new Stage(driver, { "a.js": source, "b.js": source });
    const transcript_path = join(place.scratch, "transcript.jsonl");
    appendFileSync(transcript_path, attachment(place.path("a.js")));
    const ask = async (name: string): Promise<string | null> => {
      const tool_input = { file_path: place.path(name), old_string: limit.old, new_string: limit.new };
      const values = { session_id: "one", cwd: place.folder, transcript_path, tool_input };
      const event = withValues(captured("claude-code-2.1.325/PreToolUse-Edit"), values);
      return driver.reply(await place.send(event)).deny;
    };
    expect(await ask("a.js")).toBeNull();
    expect(await ask("b.js")).toContain("was not read");
  });

  test("a second reading that shows nothing, because nothing has changed, takes nothing away", async () => {
    const place = new Stage(driver, { "a.js": source });
    const agent = place.agent();
    await agent.read(place.path("a.js"));
    const tool_response =
      "Wasted call: file unchanged since your last Read. Refer to that earlier tool_result instead.";
    const call = { tool_name: "Read", tool_input: { file_path: place.path("a.js") }, tool_response };
    const values = { session_id: "one", cwd: place.folder, tool_calls: [call] };
    expect(await place.send(withValues(captured("claude-code-2.1.325/PostToolBatch"), values))).toBeNull();
    expect(await agent.write(place.path("a.js"), "mine\n")).toMatchObject(quiet);
  });

  for (const [mode, decision] of [
    ["acceptEdits", "allow"],
    ["bypassPermissions", "allow"],
    ["default", undefined],
    ["plan", undefined],
  ] as const)
    test(`one of our own tools, where the client is in mode ${mode}`, async () => {
      const place = new Stage(driver, { "a.js": source });
      const tool_input = { path: place.path("a.js"), edits: [] };
      const event = withValues(captured("claude-code-2.1.325/PreToolUse-mcp-edit"), {
        ...{ session_id: "one", cwd: place.folder, permission_mode: mode },
        ...{ tool_name: "mcp__plugin_kedge_kedge__edit", tool_input },
      });
      const output = JSON.parse((await place.send(event)) ?? "{}");
      expect(output.hookSpecificOutput.updatedInput).toEqual({ ...tool_input, session: "claude-code:one" });
      expect(output.hookSpecificOutput.permissionDecision).toBe(decision);
    });
}

function gemini(driver: Driver): void {
  const own = (place: Stage) => ({ session_id: "one", cwd: place.folder });

  test("an announcement of compression, which comes before every request, folds nothing", async () => {
    const place = new Stage(driver, { "a.js": source });
    const agent = place.agent();
    await agent.read("a.js");
    const name = "gemini-cli-0.61.0/PreCompress-auto-nothing-compressed";
    expect(await place.send(withValues(captured(name), own(place)))).toBeNull();
    expect(await agent.edit("a.js", limit)).toMatchObject(quiet);
  });

  test("a file that a prompt refers to was shown with it", async () => {
    const place = new Stage(driver, { "a.js": source });
    const shown = `Content from @a.js:\n${source}`;
    const prompt = `look at @a.js\n--- Content from referenced files ---\n${shown}\n--- End of content ---`;
    const event = withValues(captured("gemini-cli-0.61.0/BeforeAgent-at-file"), { ...own(place), prompt });
    expect(await place.send(event)).toBeNull();
    expect(await place.agent().edit("a.js", limit)).toMatchObject(quiet);
  });
}

/** Calls from within a script of the model: what they print goes to the script. */
function codex(driver: Driver): void {
  const events = (place: Stage, transcript_path: string) => {
    const own = { session_id: "one", cwd: place.folder, transcript_path };
    const version = "codex-0.166.0";
    const read = { tool_input: { command: "cat a.js" }, tool_response: source };
    const command = `*** Begin Patch\n*** Update File: a.js\n@@\n-${limit.old}\n+${limit.new}\n*** End Patch\n`;
    return {
      read: withValues(captured(`${version}/PostToolUse-Bash-code-mode`), { ...own, ...read }),
      edit: withValues(captured(`${version}/PreToolUse-apply_patch-code-mode`), {
        ...own,
        tool_input: { command },
      }),
    };
  };

  test("what a script read, the model has not seen; what the script let it see, it has", async () => {
    const place = new Stage(driver, { "a.js": source });
    const transcript = join(place.scratch, "rollout.jsonl");
    const { read, edit } = events(place, transcript);
    const printed = (text: string): void => {
      const payload = {
        type: "custom_tool_call_output",
        call_id: "c1",
        output: [{ type: "input_text", text }],
      };
      appendFileSync(transcript, `${JSON.stringify({ type: "response_item", payload })}\n`);
    };
    expect(await place.send(read)).toBeNull();
    printed("397");
    expect(driver.reply(await place.send(edit)).deny).toContain("was not read");
    expect(await place.send(read)).toBeNull();
    printed(source);
    expect(driver.reply(await place.send(edit)).deny).toBeNull();
  });
}
