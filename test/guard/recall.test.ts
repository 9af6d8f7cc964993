/** Where what a model was sent stands in a transcript: which lines of it count, and what is no transcript. */
import { spawnSync } from "node:child_process";
import { appendFileSync, closeSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Driver } from "./drivers/driver.js";
import { drivers } from "./drivers/index.js";
import { ClaudeTranscript, CodexTranscript, GeminiTranscript } from "./drivers/transcripts.js";
import { folder, own, textOf } from "./readers/folder.js";
import { type Agent, Stage, type StageOptions } from "./stage.js";

const file = "src/alpha.ts";
const denied = async (agent: Agent, old = own, path = file): Promise<string | null> =>
  (await agent.asksEdit(path, { old, new: "  // changed" })).deny;

function driverOf(client: string): Driver {
  const found = drivers.find((driver) => driver.client === client);
  if (!found) throw new Error(`there is no driver for ${client}`);
  return found;
}

const staged = (client: string, options: StageOptions = {}): Stage =>
  new Stage(driverOf(client), folder, { keeps: true, ...options });

function transcriptOf<T>(agent: Agent, kind: new (...args: never[]) => T): T {
  const { transcript } = agent;
  if (!(transcript instanceof kind)) throw new Error("it is another client's");
  return transcript;
}

const withFiles = ["claude-code", "codex", "gemini-cli", "qwen-code"];

describe.each(withFiles)("%s", (client) => {
  test("a transcript that is a pipe, a device or a folder is not waited for", {
    timeout: 20_000,
  }, async () => {
    const stage = staged(client);
    for (const [at, path] of [`${stage.scratch}/pipe`, "/dev/zero", stage.folder, "/nowhere"].entries()) {
      if (at === 0) spawnSync("mkfifo", [path]);
      const agent = stage.agent(`one-${at}`);
      const call = stage.driver.call({ do: "edit", path: file, edits: [{ old: own, new: "x" }] }, agent.who);
      const before = { ...call.before, transcript_path: path };
      const prompt = {
        hook_event_name: "UserPromptSubmit",
        session_id: agent.who.conversation,
        cwd: stage.folder,
      };
      await stage.send({ ...prompt, transcript_path: path, prompt: "go on" });
      expect(stage.driver.reply(await stage.send(before)).deny).toContain("was not read");
    }
  });

  test("what lies further back than it is looked lets a call through, unless all has to be checked", {
    timeout: 60_000,
  }, async () => {
    const stage = staged(client);
    const agent = stage.agent();
    const { transcript_path } = agent.transcript.fields as { transcript_path: string };
    agent.transcript.prompt("nothing of it");
    const out = openSync(transcript_path, "a");
    for (let at = 0; at < 66; at++) writeSync(out, `${"x".repeat(1024 * 1024)}\n`);
    closeSync(out);
    expect(await denied(agent)).toBeNull();
    expect(stage.log()).toContain("the model was sent more than could be looked through");
    stage.put(".kedge.json", '{"failClosed":true}');
    expect(await denied(agent)).toContain("could not check");
    rmSync(transcript_path);
    expect(await denied(agent)).toContain("was not read");
  });
});

describe("Claude Code", () => {
  test("a line that is missing takes nothing back", async () => {
    const stage = staged("claude-code");
    const agent = stage.agent();
    const transcript = transcriptOf(agent, ClaudeTranscript);
    transcript.prompt("begin");
    await agent.read(stage.path(file));
    await agent.read(stage.path("src/beta.ts"));
    const lines = readFileSync(transcript.path, "utf8").trimEnd().split("\n");
    for (const missing of lines.keys()) {
      const rest = lines.filter((_, at) => at !== missing);
      writeFileSync(transcript.path, `${rest.join("\n")}\n`);
      await stage.send({ ...prompted(agent), ...transcript.fields });
      expect(await denied(agent), `without line ${missing + 1}`).toBeNull();
      expect(await denied(agent, own.replaceAll("alpha", "beta"), "src/beta.ts")).toBeNull();
    }
  });

  test("a file that an older build lets pass after a compaction was shown again, which it writes down nowhere", async () => {
    const stage = staged("claude-code");
    const compacted = (version: string): Agent => {
      const agent = stage.agent(version);
      const transcript = transcriptOf(agent, ClaudeTranscript);
      transcript.result("mcp__files__read", {}, textOf("alpha"));
      transcript.compact(version);
      return agent;
    };
    expect(await denied(compacted("2.1.42"))).toBeNull();
    expect(await denied(compacted("2.0.76"))).toBeNull();
    expect(await denied(compacted("2.1.43"))).toContain("was not read");
    expect(await denied(compacted("of another shape"))).toContain("was not read");
    const over = await compacted("2.1.17").asksWrite(file, "x\n");
    expect(over.deny).toContain("was not read");
    const partly = compacted("2.1.7");
    const input = { file_path: stage.path(file), offset: 1, limit: 1 };
    transcriptOf(partly, ClaudeTranscript).result("Read", input, "     1\texport function alpha() {");
    expect(await denied(partly, own, stage.path(file))).toMatch(/not (?:read|shown)/);
  });

  test("what was left behind by a rewind does not count; what the way back leads to does", async () => {
    const stage = staged("claude-code");
    const agent = stage.agent();
    const transcript = transcriptOf(agent, ClaudeTranscript);
    transcript.prompt("begin");
    transcript.result("mcp__files__read", {}, textOf("beta"));
    const point = transcript.last;
    transcript.prompt("look further");
    transcript.result("mcp__files__read", {}, textOf("alpha"));
    transcript.last = point;
    transcript.prompt(`do this instead:\n${textOf("gamma")}`);
    expect(await denied(agent)).toContain("was not read");
    for (const name of ["beta", "gamma"])
      expect(await denied(agent, own.replaceAll("alpha", name), `src/${name}.ts`)).toBeNull();
  });

  test("a subagent is judged by its own transcript, and its reading is not its parent's", async () => {
    const stage = staged("claude-code");
    const [parent, helper] = [stage.agent(), stage.agent("one", { subagent: "a7f" })];
    parent.transcript.result("mcp__files__read", {}, textOf("beta"));
    helper.transcript.prompt(`look at\n${textOf("alpha")}`);
    const asked = (agent: Agent, name: string): Promise<string | null> =>
      denied(agent, own.replaceAll("alpha", name), `src/${name}.ts`);
    expect(await asked(helper, "alpha")).toBeNull();
    expect(await asked(parent, "alpha")).toContain("was not read");
    expect(await asked(parent, "beta")).toBeNull();
    expect(await asked(helper, "beta")).toContain("was not read");
  });

  test("older builds write a subagent's lines into the transcript of the conversation", async () => {
    const stage = staged("claude-code");
    const [parent, helper] = [stage.agent(), stage.agent("one", { subagent: "a7f" })];
    const transcript = transcriptOf(parent, ClaudeTranscript);
    const message = { role: "user", content: textOf("alpha") };
    const line = { parentUuid: null, isSidechain: true, agentId: "a7f", type: "user", message, uuid: "u1" };
    appendFileSync(transcript.path, `${JSON.stringify(line)}\n`);
    const { before } = stage.driver.call(
      { do: "edit", path: file, edits: [{ old: own, new: "x" }] },
      helper.who,
    );
    expect(stage.driver.reply(await stage.send({ ...before, ...transcript.fields })).deny).toBeNull();
    expect(await denied(parent)).toContain("was not read");
  });

  test("what a failed call repeats of the model's own words does not count", async () => {
    const stage = staged("claude-code");
    const agent = stage.agent();
    const input = { file_path: stage.path(file), old_string: textOf("alpha"), new_string: "" };
    const echo = `String to replace not found in file.\nString: \n${textOf("alpha")}`;
    agent.transcript.result("Edit", input, `<tool_use_error>${echo}</tool_use_error>`, true);
    agent.transcript.result("Edit", input, echo, true);
    const content = `PreToolUse:Edit hook error: REJECTED, nothing written.\n${textOf("alpha")}`;
    const line = { attachment: { type: "hook_error" }, type: "attachment", rendered: [{ content }] };
    appendFileSync(transcriptOf(agent, ClaudeTranscript).path, `${JSON.stringify(line)}\n`);
    expect(await denied(agent)).toContain("was not read");
    agent.transcript.result("Bash", { command: "cat src/*; false" }, `Exit code 1\n${textOf("alpha")}`, true);
    expect(await denied(agent)).toBeNull();
  });

  test("output that was put into a file, and read from there, is what the command printed", async () => {
    const stage = staged("claude-code");
    const agent = stage.agent();
    const path = "/home/user/.claude/projects/p/tool-results/b1.txt";
    const rows = textOf("alpha")
      .split("\n")
      .map((line, at) => `${at + 1}\t${line}`);
    agent.transcript.result("Read", { file_path: path }, rows.join("\n"));
    expect(await denied(agent)).toBeNull();
  });

  test("an instruction file that its event names was shown, but for what is not sent of it", async () => {
    const stage = staged("claude-code", { keeps: false });
    const rules = "---\npaths: src\n---\n# Rules\n<!-- for people:\nhidden words -->\n- tabs in Go\n";
    stage.put("CLAUDE.md", rules);
    const agent = stage.agent();
    const loaded = {
      hook_event_name: "InstructionsLoaded",
      memory_type: "Project",
      load_reason: "session_start",
    };
    const who = { session_id: "one", cwd: stage.folder, file_path: stage.path("CLAUDE.md") };
    expect(await denied(agent, "- tabs in Go", "CLAUDE.md")).toContain("was not read");
    expect(await stage.send({ ...loaded, ...who })).toBeNull();
    expect(await denied(agent, "- tabs in Go", "CLAUDE.md")).toBeNull();
    expect((await agent.asksWrite(stage.path("CLAUDE.md"), "mine\n")).deny).toContain(
      "lines 1-3, 5-6 were not",
    );
    await agent.fold();
    expect(await denied(agent, "- tabs in Go", "CLAUDE.md")).toContain("was not read");
  });
});

test("Codex: turns that were rolled back were not sent", async () => {
  const stage = staged("codex");
  const agent = stage.agent();
  const { path } = transcriptOf(agent, CodexTranscript);
  agent.transcript.prompt(textOf("beta"));
  agent.transcript.prompt(textOf("alpha"));
  expect(await denied(agent)).toBeNull();
  const other = stage.agent("another");
  const rolled = { type: "event_msg", payload: { type: "thread_rolled_back", num_turns: 1 } };
  const { path: fresh } = transcriptOf(other, CodexTranscript);
  writeFileSync(fresh, `${readFileSync(path, "utf8")}${JSON.stringify(rolled)}\n`);
  expect(await denied(other)).toContain("was not read");
  expect(await denied(other, own.replaceAll("alpha", "beta"), "src/beta.ts")).toBeNull();
});

test("Codex: a patch that failed, and one that was refused, are repeated in the result", async () => {
  const stage = staged("codex");
  const agent = stage.agent();
  const patch = { command: "*** Begin Patch" };
  agent.transcript.result("apply_patch", patch, textOf("alpha"));
  agent.transcript.result("exec", {}, `Failed to find expected lines in a.ts:\n${textOf("alpha")}`);
  agent.transcript.result(
    "Bash",
    patch,
    `Command blocked by PreToolUse hook: no. Command: ${textOf("alpha")}`,
  );
  expect(await denied(agent)).toContain("was not read");
});

test("Gemini CLI: what a rewind took back was not sent", async () => {
  const stage = staged("gemini-cli");
  const agent = stage.agent();
  const { path } = transcriptOf(agent, GeminiTranscript);
  agent.transcript.prompt(textOf("beta"));
  agent.transcript.prompt(textOf("alpha"));
  appendFileSync(path, `${JSON.stringify({ $rewindTo: "one-2" })}\n`);
  expect(await denied(agent)).toContain("was not read");
  expect(await denied(agent, own.replaceAll("alpha", "beta"), "src/beta.ts")).toBeNull();
});

test("opencode: old results that were cleared are not sent any more", async () => {
  const stage = staged("opencode");
  const agent = stage.agent();
  const { before } = stage.driver.call(
    { do: "edit", path: file, edits: [{ old: own, new: "x" }] },
    agent.who,
  );
  const asked = async (time: object): Promise<string | null> => {
    const state = { status: "completed", input: {}, output: textOf("alpha"), time };
    const messages = [{ info: { role: "assistant" }, parts: [{ type: "tool", tool: "x", state }] }];
    return stage.driver.reply(await stage.send({ ...before, sent: { messages } })).deny;
  };
  expect(await asked({ start: 1, compacted: 2 })).toContain("was not read");
  expect(await asked({ start: 1 })).toBeNull();
});

test.each(["opencode", "pi"])("%s: a plugin that keeps nothing is answered at once", async (client) => {
  const stage = staged(client, { keeps: false });
  expect(await denied(stage.agent())).toContain("was not read");
  const { before } = stage.driver.call(
    { do: "edit", path: file, edits: [{ old: own, new: "x" }] },
    stage.agent("b").who,
  );
  expect(await stage.send({ ...before, keeps: true })).toBe('{"recall":true}');
  expect(stage.driver.reply(await stage.send({ ...before, sent: null })).deny).toBeNull();
  expect(stage.log()).toContain("more than could be looked through");
});

function prompted(agent: Agent): Record<string, unknown> {
  const { conversation, cwd } = agent.who;
  return { hook_event_name: "UserPromptSubmit", session_id: conversation, cwd, prompt: "go on" };
}
