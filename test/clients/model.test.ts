/** The scripted model speaks four APIs; a client's side of each is played here over HTTP. */
import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Body } from "./model/protocol.js";
import { ScriptedModel } from "./model/server.js";

let model: ScriptedModel;
beforeEach(async () => {
  model = await ScriptedModel.start(({ received }) => received.includes("summarize"));
});
afterEach(() => model.stop());

async function post(path: string, body: object): Promise<Body[]> {
  const response = await fetch(`${model.url}${path}`, { method: "POST", body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.headers.get("content-type")?.includes("event-stream")) return [JSON.parse(text)];
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data ?? ""));
}

/** How a client of one API asks, finds the call in the answer, and reports the result. */
interface Client {
  readonly path: string;
  ask(prompt: string): object;
  call(answer: Body[]): { name: string; input: Body };
  report(prompt: string, result: string): object;
}

const clients: Record<string, Client> = {
  "Anthropic Messages": {
    path: "/v1/messages?beta=true",
    ask: (prompt) => ({
      stream: true,
      tools: [{ name: "Read" }],
      messages: [{ role: "user", content: prompt }],
    }),
    call(answer) {
      const start = answer.find(({ content_block: block }) => block?.type === "tool_use");
      const delta = answer.find(({ delta }) => delta?.type === "input_json_delta");
      expect(answer.at(-1)).toEqual({ type: "message_stop" });
      return { name: start.content_block.name, input: JSON.parse(delta.delta.partial_json) };
    },
    report: (prompt, result) => ({
      tools: [{ name: "Read" }],
      messages: [
        { role: "user", content: prompt },
        { role: "assistant", content: [{ type: "tool_use", id: "1", name: "Read", input: {} }] },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "1", content: [{ type: "text", text: result }] },
            { type: "text", text: "a reminder" },
          ],
        },
      ],
    }),
  },
  "OpenAI Chat": {
    path: "/v1/chat/completions",
    ask: (prompt) => ({
      stream: true,
      tools: [{ type: "function", function: { name: "Read" } }],
      messages: [
        { role: "system", content: "be brief" },
        { role: "user", content: prompt },
      ],
    }),
    call(answer) {
      const [call] = answer[0].choices[0].delta.tool_calls;
      expect(answer.at(-1).choices[0].finish_reason).toBe("tool_calls");
      return { name: call.function.name, input: JSON.parse(call.function.arguments) };
    },
    report: (prompt, result) => ({
      tools: [{ type: "function", function: { name: "Read" } }],
      messages: [
        { role: "user", content: prompt },
        { role: "assistant", content: null, tool_calls: [] },
        { role: "tool", tool_call_id: "1", content: result },
        { role: "user", content: [{ type: "text", text: "a reminder" }] },
      ],
    }),
  },
  "OpenAI Responses": {
    path: "/v1/responses",
    ask: (prompt) => ({ tools: [{ name: "Read" }], input: [{ role: "user", content: prompt }] }),
    call(answer) {
      expect(answer.at(-1).type).toBe("response.completed");
      const { item } = answer.find(({ type }) => type === "response.output_item.done");
      return { name: item.name, input: JSON.parse(item.arguments) };
    },
    report: (prompt, result) => ({
      tools: [{ name: "Read" }],
      input: [
        { type: "message", role: "user", content: [{ type: "input_text", text: prompt }] },
        { type: "function_call", call_id: "1", name: "Read", arguments: "{}" },
        { type: "function_call_output", call_id: "1", output: result },
        { type: "message", role: "user", content: [{ type: "input_text", text: "a reminder" }] },
      ],
    }),
  },
  Gemini: {
    path: "/v1beta/models/some-model:streamGenerateContent?alt=sse",
    ask: (prompt) => ({
      tools: [{ functionDeclarations: [{ name: "Read" }] }],
      contents: [{ role: "user", parts: [{ text: prompt }] }],
    }),
    call(answer) {
      const { name, args } = answer[0].candidates[0].content.parts[0].functionCall;
      return { name, input: args };
    },
    report: (prompt, result) => ({
      tools: [{ functionDeclarations: [{ name: "Read" }] }],
      contents: [
        { role: "user", parts: [{ text: prompt }] },
        { role: "model", parts: [{ functionCall: { name: "Read", args: {} } }] },
        {
          role: "user",
          parts: [
            { functionResponse: { name: "Read", response: { output: result } } },
            { text: "a reminder" },
          ],
        },
      ],
    }),
  },
};

describe.each(Object.entries(clients))("%s", (_name, { path, ask, call, report }) => {
  test("a call goes out, and its result comes back word for word", async () => {
    const conversation = model.conversation("the mark");
    const asked = post(path, ask("do the mark"));
    const first = await conversation.next();
    expect(first).toMatchObject({ offersTools: true, tools: ["Read"] });
    conversation.say({ calls: [{ tool: "Read", input: { path: "a b" } }] });
    expect(call(await asked)).toEqual({ name: "Read", input: { path: "a b" } });

    const reported = post(path, report("do the mark", "one\n  two\n"));
    const second = await conversation.next();
    expect(second.received).toBe("one\n  two\n\na reminder");
    expect(second.opening).toBe("do the mark");
    conversation.end("done");
    expect(JSON.stringify(await reported)).toContain("done");
  });

  test("each conversation is known by its mark, and one whose mark is gone is the first", async () => {
    const [parent, child] = [model.conversation("mark-1"), model.conversation("mark-2")];
    const asked = [post(path, ask("do mark-2")), post(path, ask("summary of before"))];
    child.say({ text: "I am the child" });
    parent.say({ text: "I am the parent" });
    const [toChild, toParent] = await Promise.all(asked);
    expect(JSON.stringify(toChild)).toContain("I am the child");
    expect(JSON.stringify(toParent)).toContain("I am the parent");
  });

  test("what is asked on the side takes no turn", async () => {
    const conversation = model.conversation("mark");
    expect(JSON.stringify(await post(path, ask("summarize mark")))).toContain("<summary>");
    const asked = post(path, ask("do the mark"));
    expect((await conversation.next()).received).toContain("do the mark");
    conversation.end("done");
    await asked;
  });
});

test("a free-form call of the Responses API carries its text as it is", async () => {
  const conversation = model.conversation("mark");
  conversation.say({ calls: [{ tool: "apply_patch", input: "*** Begin Patch\n" }] });
  const answer = await post("/v1/responses", (clients["OpenAI Responses"] as Client).ask("mark"));
  const { item } = answer.find(({ type }) => type === "response.output_item.done");
  expect(item).toMatchObject({ type: "custom_tool_call", name: "apply_patch", input: "*** Begin Patch\n" });
});

test("a client that has gone fails the script that waits for it", async () => {
  const conversation = model.conversation("mark");
  const waiting = conversation.next();
  conversation.fail(new Error("it ended early"));
  await expect(waiting).rejects.toThrow("it ended early");
  await expect(conversation.next()).rejects.toThrow("it ended early");
});

test("a request to anywhere else is noted and gets nothing", async () => {
  const status = await new Promise<number>((resolve, reject) => {
    const { hostname, port } = new URL(model.url);
    const connect = request({ hostname, port, method: "CONNECT", path: "registry.example:443" });
    connect.on("connect", (response) => resolve(response.statusCode ?? 0));
    connect.on("error", reject);
    connect.end();
  });
  expect(status).toBe(403);
  expect(model.strays).toEqual(["registry.example:443"]);
});
