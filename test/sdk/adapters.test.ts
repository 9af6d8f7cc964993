import { createAnthropic } from "@ai-sdk/anthropic";
import Anthropic from "@anthropic-ai/sdk";
import { Agent, applyPatchTool, OpenAIProvider, Runner, tool } from "@openai/agents";
import { generateText, stepCountIs } from "ai";
import OpenAI from "openai";
import { afterEach, describe, expect, test } from "vitest";
import type { MemoryFiles } from "../../src/ports/index.js";
import * as ai from "../../src/sdk/ai-sdk.js";
import * as anthropic from "../../src/sdk/anthropic.js";
import * as openai from "../../src/sdk/openai.js";
import type { SessionOptions } from "../../src/session/session-options.js";
import { tools } from "../../src/tools/index.js";
import { anchorOf, type Block, type ScriptedModel, scriptedModel, type Turn } from "./model.js";
import { workplace } from "./support.js";

const source = "export const one = 1;\nexport const two = 2;\nexport const three = 3;\n";

/** Runs a conversation to its end, in one SDK. */
type Loop = (options: SessionOptions, model: ScriptedModel) => Promise<unknown>;

const prompt = "change it";
const runner = (model: ScriptedModel) =>
  new Runner({
    modelProvider: new OpenAIProvider({ openAIClient: client(model) as never }),
    tracingDisabled: true,
  });
const client = (model: ScriptedModel) => new OpenAI({ baseURL: `${model.url}/v1`, apiKey: "none" });

const loops: Readonly<Record<string, Loop>> = {
  "kedge/ai-sdk": async (options, model) => {
    const provider = createAnthropic({ baseURL: `${model.url}/v1`, apiKey: "none" });
    const settings = {
      tools: ai.kedgeTools(options),
      stopWhen: stepCountIs(10),
      maxRetries: 0,
      maxOutputTokens: 1000,
    };
    return generateText({ model: provider("claude-x"), prompt, ...settings });
  },
  "kedge/anthropic": async (options, model) => {
    const sdk = new Anthropic({ baseURL: model.url, apiKey: "none", maxRetries: 0 });
    const messages = [{ role: "user" as const, content: prompt }];
    const request = { model: "claude-x", max_tokens: 1000, tools: anthropic.kedgeTools(options), messages };
    return sdk.beta.messages.toolRunner(request);
  },
  "kedge/openai, chat": async (options, model) => {
    const messages = [{ role: "user" as const, content: prompt }];
    const request = { model: "gpt-x", messages, tools: openai.kedgeTools(options) };
    return client(model).chat.completions.runTools(request).done();
  },
  "kedge/openai, responses": async (options, model) => {
    const functions = openai.responseTools(options);
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: prompt }];
    for (let turn = 0; turn < 10; turn++) {
      const declared = functions.map((one) => one.tool);
      const response = await client(model).responses.create({ model: "gpt-x", input, tools: declared });
      const calls = response.output.filter((item) => item.type === "function_call");
      if (calls.length === 0) return;
      for (const call of calls) {
        const found = functions.find((one) => one.tool.name === call.name);
        const output = (await found?.execute(call.arguments)) ?? "";
        input.push(call, { type: "function_call_output", call_id: call.call_id, output });
      }
    }
  },
  "kedge/openai, agents": async (options, model) => {
    const given = openai.agentTools(options).map((one) => tool(one));
    return runner(model).run(new Agent({ name: "coder", model: "gpt-x", tools: given }), prompt);
  },
};

let models: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(models.map((model) => model.close()));
  models = [];
});

async function converse(loop: Loop, options: SessionOptions, turns: readonly Turn[]) {
  const model = await scriptedModel(turns);
  models.push(model);
  await loop(options, model);
  return { requests: model.requests, results: model.results() };
}

const read: Turn = () => [{ tool: "read_file", input: { path: "a.ts" } }];
const edit =
  (line: string, text: string): Turn =>
  (results) => {
    const edits = [{ op: "set_line", anchor: anchorOf(results, line), text }];
    return [{ tool: "edit_file", input: { path: "a.ts", edits } }];
  };
const foreign =
  (files: MemoryFiles, from: string, to: string, turn: Turn): Turn =>
  (results) => {
    files.set("a.ts", (files.text("a.ts") ?? "").replace(from, to));
    return turn(results);
  };

describe.each(Object.entries(loops))("%s", (name, loop) => {
  test("declares the same tools as every door", async () => {
    const { options } = workplace({});
    const { requests } = await converse(loop, options, []);
    const declared = requests[0].tools.map((one: { function?: object }) => one.function ?? one);
    expect(declared.map((one: { name: string }) => one.name)).toEqual(tools.map((one) => one.name));
    for (const [at, { description, inputSchema }] of tools.entries()) {
      const { description: said, input_schema, parameters } = declared[at];
      expect(said).toBe(description);
      expect(input_schema ?? parameters).toMatchObject({ properties: inputSchema.properties });
    }
  });

  test("reads, edits, is refused, and tries again on the rows of the refusal", async () => {
    const { options, files } = workplace({ "a.ts": source });
    const two = "export const two = 2;";
    const { results } = await converse(loop, options, [
      () => [{ tool: "edit_file", input: { path: "a.ts", edits: [{ op: "append", text: "x" }] } }],
      read,
      foreign(files, "two = 2", "two = 22", edit(two, "export const two = 3;")),
      (seen) => edit("export const two = 22;", "export const two = 4;")(seen),
    ]);
    const [unread, shown, stale, done] = results;
    expect(unread?.text).toContain("a.ts was not read in this session: call read_file on it first");
    expect(shown?.text).toContain(`|${two}`);
    expect(stale?.text).toMatch(/^REJECTED, nothing written\.[\s\S]*>>> 2#\w{6}\|export const two = 22;/);
    expect(done?.text).toMatch(/^a\.ts edited/);
    expect(files.text("a.ts")).toBe(source.replace("two = 2", "two = 4"));
    // OpenAI's protocol has no field for a failed function: the text says it.
    if (!name.startsWith("kedge/openai"))
      expect(results.map(({ isError }) => isError)).toEqual([true, false, true, false]);
  });

  test("lines that merely moved cost no turn", async () => {
    const { options, files } = workplace({ "a.ts": source });
    const line = "export const three = 3;";
    const turns = [
      read,
      foreign(files, "export const one", "// new\nexport const one", edit(line, "three();")),
    ];
    const { requests, results } = await converse(loop, options, turns);
    expect(results[1]?.text).toContain("relocated");
    expect(requests).toHaveLength(3);
    expect(files.text("a.ts")).toBe(`// new\n${source.replace(line, "three();")}`);
  });
});

describe("text_editor_20250728 through the Anthropic SDK", () => {
  const name = "str_replace_based_edit_tool";
  const use = (input: object): Block => ({ tool: name, input: { path: "a.ts", ...input } });
  const loop: Loop = async (options, model) => {
    const sdk = new Anthropic({ baseURL: model.url, apiKey: "none", maxRetries: 0 });
    const messages = [{ role: "user" as const, content: prompt }];
    const request = {
      model: "claude-x",
      max_tokens: 1000,
      tools: [anthropic.textEditorTool(options)],
      messages,
    };
    return sdk.beta.messages.toolRunner(request);
  };

  test("view, str_replace, insert, create, and the gate in front of them", async () => {
    const { options, files } = workplace({ "a.ts": source });
    const { requests, results } = await converse(loop, options, [
      () => [use({ command: "str_replace", old_str: "two = 2", new_str: "two = 3" })],
      () => [use({ command: "view" })],
      foreign(files, "one = 1", "one = 11", () => [
        use({ command: "str_replace", old_str: "three = 3", new_str: "three = 33" }),
      ]),
      () => [use({ command: "insert", insert_line: 3, insert_text: "export const four = 4;" })],
      () => [{ tool: name, input: { command: "create", path: "b.ts", file_text: "export {};\n" } }],
    ]);
    expect(requests[0].tools).toEqual([{ type: "text_editor_20250728", name }]);
    expect(results.map(({ isError }) => isError)).toEqual([true, false, false, false, false]);
    expect(files.text("a.ts")).toBe(
      `${source.replace("one = 1", "one = 11").replace("three = 3", "three = 33")}export const four = 4;\n`,
    );
    expect(files.text("b.ts")).toBe("export {};\n");
  });
});

describe("apply_patch", () => {
  const update = (diff: string): Block => ({ patch: { type: "update_file", path: "a.ts", diff } });
  const change = "@@\n export const one = 1;\n-export const two = 2;\n+export const two = 3;";
  const turns = (): Turn[] => [
    () => [update(change)],
    read,
    () => [update(change), { patch: { type: "create_file", path: "b.ts", diff: "+export {};" } }],
    () => [{ patch: { type: "delete_file", path: "b.ts" } }],
  ];
  const expected = source.replace("two = 2", "two = 3");

  test("through the Agents SDK", async () => {
    const { options, files } = workplace({ "a.ts": source });
    const loop: Loop = async (given, model) => {
      const reading = openai.agentTools(given, { readOnly: true }).map((one) => tool(one));
      const patching = applyPatchTool({ editor: openai.applyPatchEditor(given) });
      return runner(model).run(
        new Agent({ name: "coder", model: "gpt-5.1", tools: [...reading, patching] }),
        prompt,
      );
    };
    const { requests, results } = await converse(loop, options, turns());
    expect(requests[0].tools.map((one: { type: string }) => one.type)).toContain("apply_patch");
    expect(results.map(({ isError }) => isError)).toEqual([true, false, false, false, false]);
    expect(results[0]?.text).toContain("a.ts was not read in this session");
    expect(files.text("a.ts")).toBe(expected);
    expect(files.text("b.ts")).toBe(null);
  });

  test("through the Responses API", async () => {
    const { options, files } = workplace({ "a.ts": source });
    const loop: Loop = async (given, model) => {
      const patch = openai.applyPatchCalls(given);
      const functions = openai.responseTools(given, { readOnly: true });
      const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: prompt }];
      for (let turn = 0; turn < 10; turn++) {
        const declared = [...functions.map((one) => one.tool), { type: "apply_patch" as const }];
        const { output } = await client(model).responses.create({ model: "gpt-x", input, tools: declared });
        const calls = output.filter(
          (item) => item.type === "function_call" || item.type === "apply_patch_call",
        );
        if (calls.length === 0) return;
        for (const call of calls) {
          if (call.type === "apply_patch_call") input.push(call, await patch(call));
          else {
            const found = functions.find((one) => one.tool.name === call.name);
            const text = (await found?.execute(call.arguments)) ?? "";
            input.push(call, { type: "function_call_output", call_id: call.call_id, output: text });
          }
        }
      }
    };
    const { results } = await converse(loop, options, turns());
    expect(results.map(({ isError }) => isError)).toEqual([true, false, false, false, false]);
    expect(files.text("a.ts")).toBe(expected);
  });
});
