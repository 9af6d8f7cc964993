/** Claude Code writes otherwise than it was asked, or tells less than all: the journal goes by the disk. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { JournalEntry } from "../../src/ports/store.js";
import { Document } from "../../src/text/document.js";
import { claudeCode } from "./drivers/claude-code.js";
import { structuredPatch } from "./drivers/display.js";
import { captured, moved, type Payload, withValues } from "./drivers/driver.js";
import { type Agent, quiet, Stage } from "./stage.js";

const name = "main.go";
const text = ["package main", "", "func main() {", "\tsay(“hello”)", "\tsay(2)", "\tsay(3)", "}", ""].join(
  "\n",
);

interface Wrote {
  readonly tool?: string;
  readonly input: Payload;
  /** What the tool makes of the file. */
  readonly made: string;
  readonly response?: Payload;
  /** What stands there when the guard hears of it. */
  readonly disk?: string;
}

class Scene {
  readonly place: Stage;
  readonly agent: Agent;

  constructor(private readonly before: string | Buffer = text) {
    this.place = new Stage(claudeCode, { [name]: before });
    this.agent = this.place.agent();
  }

  get path(): string {
    return this.place.path(name);
  }

  /** What the model is told. */
  async wrote({ tool = "Edit", input, made, response, disk = made }: Wrote): Promise<string> {
    const before = this.before.toString();
    const base = captured(`claude-code-2.1.325/PostToolUse-${tool === "Write" ? "Write-update" : tool}`);
    const own = { session_id: "one", cwd: this.place.folder };
    const tool_input = { file_path: this.path, ...input };
    const told = { originalFile: before, structuredPatch: structuredPatch(before, made), ...response };
    this.place.put(name, disk);
    const done = withValues(base, {
      ...{ ...own, tool_input },
      tool_response: { ...(base.tool_response as Payload), filePath: this.path, ...told },
    });
    const call = { tool_name: tool, tool_input, tool_use_id: "toolu_1", tool_response: "done" };
    const batch = withValues(captured("claude-code-2.1.325/PostToolBatch"), { ...own, tool_calls: [call] });
    const outputs = [await this.place.send(done), await this.place.send(batch)];
    return outputs.map((output) => claudeCode.reply(output).tell ?? "").join("");
  }

  /** The texts of the entries, as far as they are of these. */
  async entries(...texts: readonly (string | Buffer)[]): Promise<(readonly [number, number])[]> {
    const versions = texts.map((one) => Document.parse(Buffer.from(one)).version);
    const printed = (await this.place.kedge("log", "--json")).trimEnd();
    const entries = printed.startsWith("{") ? printed.split("\n") : [];
    return entries
      .map((line) => JSON.parse(line) as JournalEntry)
      .map(({ before, after }) => [versions.indexOf(before ?? ""), versions.indexOf(after ?? "")] as const);
  }
}

describe("the tool writes otherwise than it was asked", () => {
  const quotes = {
    input: { old_string: '\tsay("hello")', new_string: '\tsay("bye")', replace_all: false },
    made: text.replace("hello", "bye"),
  };

  test("with the quotes of the file: no note, and it is the agent's", async () => {
    const scene = new Scene();
    await scene.agent.read(scene.path);
    expect(await scene.wrote(quotes)).toBe("");
    expect(await scene.entries(text, quotes.made)).toEqual([[0, 1]]);
    expect(await scene.agent.write(scene.path, "new\n")).toMatchObject(quiet);
  });

  test("while a formatter came behind it: the entry has the text of the disk", async () => {
    const scene = new Scene();
    await scene.agent.read(scene.path);
    const disk = quotes.made.replaceAll("\t", "    ");
    await scene.wrote({ ...quotes, disk });
    expect(await scene.entries(text, disk)).toEqual([[0, 1]]);
    expect((await scene.agent.write(scene.path, "new\n")).deny).toContain("REJECTED");
  });

  test("without blanks at the ends of lines: no note", async () => {
    const scene = new Scene();
    await scene.agent.read(scene.path);
    const input = { old_string: "\tsay(2)", new_string: "\tsay(20)  ", replace_all: false };
    const made = text.replace("say(2)", "say(20)");
    expect(await scene.wrote({ input, made })).toBe("");
    expect(await scene.entries(text, made)).toEqual([[0, 1]]);
  });
});

test("the person changed the edit: the model is told how it reads, and cannot write over it blindly", async () => {
  const scene = new Scene();
  await scene.agent.read(scene.path);
  const made = text.replace("say(2)", "say(200)");
  const told = await scene.wrote({
    input: { old_string: "\tsay(2)", new_string: "\tsay(20)", replace_all: false },
    ...{ made, response: { userModified: true } },
  });
  expect(told).toContain("the person changed your edit");
  expect(told).toMatch(/^5\t\tsay\(200\)$/m);
  expect(await scene.entries(text, made)).toEqual([[0, 1]]);
  const { deny } = await scene.agent.asksEdit(scene.path, { old: "\tsay(20)\n", new: "\tsay(1)\n" });
  expect(deny === null || deny.includes("say(200)")).toBe(true);
  expect(await scene.agent.edit(scene.path, { old: "\tsay(200)", new: "\tsay(1)" })).toMatchObject(quiet);
});

test("an edit that is held back for review is none", async () => {
  const scene = new Scene();
  await scene.agent.read(scene.path);
  const input = { old_string: "\tsay(2)", new_string: "\tsay(20)", replace_all: false };
  const made = text.replace("say(2)", "say(20)");
  expect(await scene.wrote({ input, made, response: { staged: true }, disk: text })).toBe("");
  expect(await scene.entries(text, made)).toEqual([]);
  expect(await scene.agent.edit(scene.path, { old: "\tsay(2)", new: "\tsay(4)" })).toMatchObject(quiet);
});

test("a file whose text was too large to be told was not new", async () => {
  const scene = new Scene();
  await scene.agent.read(scene.path);
  const content = "package other\n";
  const response = { type: "update", content, originalFile: null, structuredPatch: [] };
  expect(await scene.wrote({ tool: "Write", input: { content }, made: content, response })).toBe("");
  expect(await scene.entries(text, content)).toEqual([[0, 1]]);
});

test("an encoding that the client cannot read: the entry has the bytes that were there", async () => {
  const latin = Buffer.from("package main\n\n// d\u00e9j\u00e0\nfunc main() {\n\tsay(2)\n}\n", "latin1");
  const scene = new Scene(latin);
  await scene.agent.read(scene.path);
  const input = { old_string: "\tsay(2)", new_string: "\tsay(20)", replace_all: false };
  const made = latin.toString().replace("say(2)", "say(20)");
  await scene.wrote({ input, made });
  expect(await scene.entries(latin, made)).toEqual([[0, 1]]);
});

test("the captured edit of an indented line: the file has its tabs, and so has the journal", async () => {
  const before = "\tconst a = 1;\n\tconst b = 2;\n\tconst c = 3;\n";
  const place = new Stage(claudeCode, { "a.ts": before });
  await place.agent("2114cf24-e226-421b-a9e0-fcca7d493fb1").read(place.path("a.ts"));
  place.change("a.ts", "const a = 1", "const a = 2");
  const payload = captured("claude-code-2.1.325/PostToolUse-Edit-tabs");
  expect(await place.send(moved(payload, place.folder))).toBeNull();
  const entry = JSON.parse(await place.kedge("log", "--json")) as JournalEntry;
  expect(entry.after).toBe(Document.parse(readFileSync(place.path("a.ts"))).version);
});
