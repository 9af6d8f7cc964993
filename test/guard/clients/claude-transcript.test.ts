/** A conversation of Claude Code that is taken back: its transcript tells, in lines that name the one they came after. */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { adapters, hook } from "../../../src/guard/index.js";

const text = "one\ntwo\nthree\nfour\n";

class Conversation {
  readonly folder = mkdtempSync(join(tmpdir(), "kedge-rewind-"));
  private readonly transcript = join(this.folder, "transcript.jsonl");
  private readonly env = { KEDGE_STATE: join(this.folder, "state") };
  private count = 0;
  /** The line that the next one comes after. */
  last: string | null = null;

  constructor() {
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true }));
    for (const name of ["a.txt", "b.txt"]) writeFileSync(this.path(name), text);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  line(entry: object, after = this.last): string {
    const uuid = `line-${++this.count}`;
    const whole = { parentUuid: after, isSidechain: false, ...entry, uuid };
    appendFileSync(this.transcript, `${JSON.stringify(whole)}\n`);
    this.last = uuid;
    return uuid;
  }

  private async send(hook_event_name: string, more: object): Promise<string> {
    const own = { session_id: "s", cwd: this.folder, transcript_path: this.transcript };
    const input = JSON.stringify({ ...own, hook_event_name, ...more });
    const adapter = adapters["claude-code"];
    if (!adapter) throw new Error("there is no adapter");
    return (await hook({ adapter, input, env: this.env, clock: Date.now })) ?? "";
  }

  async prompt(): Promise<void> {
    await this.send("UserPromptSubmit", { prompt: "go on" });
    this.line({ type: "user", message: { role: "user", content: "go on" } });
  }

  /** Several at once, whose results come in this order. */
  async read(names: readonly string[], order = names): Promise<void> {
    const answer = `msg_${this.count}`;
    const rows = text
      .trimEnd()
      .split("\n")
      .map((row, at) => `${at + 1}\t${row}`)
      .join("\n");
    const calls = new Map(
      names.map((name) => {
        const block = { type: "tool_use", id: `use_${name}`, name: "Read" };
        return [name, this.line({ type: "assistant", message: { id: answer, content: [block] } })];
      }),
    );
    for (const name of order) {
      const block = { type: "tool_result", tool_use_id: `use_${name}`, content: rows };
      const toolUseResult = { type: "text", file: { filePath: this.path(name), content: text } };
      this.line(
        { type: "user", message: { role: "user", content: [block] }, toolUseResult },
        calls.get(name) as string,
      );
    }
    const tool_calls = names.map((name) => ({
      ...{ tool_name: "Read", tool_input: { file_path: this.path(name) }, tool_response: rows },
    }));
    await this.send("PostToolBatch", { tool_calls });
  }

  /** What the guard says to an edit. */
  async edit(name: string): Promise<string> {
    const block = { type: "tool_use", id: `edit_${this.count}`, name: "Edit" };
    this.line({ type: "assistant", message: { id: `msg_${this.count}`, content: [block] } });
    const tool_input = { file_path: this.path(name), old_string: "two", new_string: "2" };
    return this.send("PreToolUse", { tool_name: "Edit", tool_input });
  }
}

test("what was read after that point has to be read again; what was read before has not", async () => {
  const talk = new Conversation();
  await talk.prompt();
  await talk.read(["b.txt"]);
  const point = talk.last;
  await talk.prompt();
  await talk.read(["a.txt"]);
  expect(await talk.edit("a.txt")).toBe("");
  talk.last = point;
  await talk.prompt();
  expect(await talk.edit("a.txt")).toContain("was not read in this session");
  expect(await talk.edit("b.txt")).toBe("");
  await talk.read(["a.txt"]);
  expect(await talk.edit("a.txt")).toBe("");
  await talk.prompt();
  expect(await talk.edit("a.txt")).toBe("");
});

test("results of one answer in any order are no branch", async () => {
  const talk = new Conversation();
  await talk.prompt();
  await talk.read(["a.txt", "b.txt"], ["b.txt", "a.txt"]);
  talk.line({ type: "attachment", attachment: { type: "task_reminder" } });
  await talk.prompt();
  for (const name of ["a.txt", "b.txt"]) expect(await talk.edit(name)).toBe("");
});

test("a transcript that is not there, or is none, tells nothing", async () => {
  const talk = new Conversation();
  await talk.read(["a.txt"]);
  writeFileSync(join(talk.folder, "transcript.jsonl"), '{"parentUuid":"x","isSidechain":false\nnull\n{}\n');
  await talk.prompt();
  expect(await talk.edit("a.txt")).toBe("");
});
