/** A model that follows a script, over HTTP on loopback, in the three protocols that the SDKs speak. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Block =
  | { readonly text: string }
  | { readonly tool: string; readonly input: unknown }
  | { readonly patch: unknown };

/** What the model answers, given what the tools said so far. */
export type Turn = (results: readonly ToolResult[]) => readonly Block[] | Promise<readonly Block[]>;

export interface ToolResult {
  readonly text: string;
  /** As far as the protocol can say it. */
  readonly isError: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of three protocols, looked at by the tests.
export type Body = any;

export interface ScriptedModel {
  readonly url: string;
  /** Every request the model was sent. */
  readonly requests: readonly Body[];
  /** The answers of tools in the conversation so far. */
  results(): readonly ToolResult[];
  close(): Promise<void>;
}

export async function scriptedModel(turns: readonly Turn[]): Promise<ScriptedModel> {
  const requests: Body[] = [];
  let results: ToolResult[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body: Body = JSON.parse(Buffer.concat(chunks).toString());
    const turn = turns[requests.length];
    requests.push(body);
    // On a message thread only what is new is sent.
    const before = body.thread?.type === "continue" ? results : [];
    results = [...before, ...toolResults(body)];
    const blocks = turn ? await turn(results) : [{ text: "done" }];
    const path = request.url ?? "";
    const made = path.endsWith("/messages")
      ? anthropic(body, blocks, requests.length)
      : path.endsWith("/chat/completions")
        ? chat(body, blocks, requests.length)
        : responses(body, blocks, requests.length);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(made));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    results: () => results,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** The answers of tools in a request, in order. */
function toolResults(body: Body): ToolResult[] {
  if (body.input)
    return body.input
      .filter((item: Body) => /_call_output$/.test(item.type ?? ""))
      .map((item: Body) => ({ text: flat(item.output), isError: item.status === "failed" }));
  return body.messages.flatMap((message: Body) => {
    if (message.role === "tool") return [{ text: flat(message.content), isError: false }];
    const content = Array.isArray(message.content) ? message.content : [];
    return content
      .filter((block: Body) => block.type === "tool_result")
      .map((block: Body) => ({ text: flat(block.content), isError: block.is_error === true }));
  });
}

function flat(content: Body): string {
  if (typeof content === "string") return content;
  return (Array.isArray(content) ? content : [content]).map((block: Body) => block.text ?? "").join("");
}

function anthropic(body: Body, blocks: readonly Block[], turn: number): Body {
  const content = blocks.map((block, at) =>
    "tool" in block
      ? { type: "tool_use", id: `toolu_${turn}_${at}`, name: block.tool, input: block.input }
      : { type: "text", text: "text" in block ? block.text : "" },
  );
  const stop_reason = blocks.some((block) => "tool" in block) ? "tool_use" : "end_turn";
  const usage = { input_tokens: 1, output_tokens: 1 };
  const head = { id: `msg_${turn}`, type: "message", role: "assistant", model: body.model };
  return { ...head, content, stop_reason, stop_sequence: null, usage };
}

function chat(body: Body, blocks: readonly Block[], turn: number): Body {
  const calls = blocks.flatMap((block, at) =>
    "tool" in block
      ? [
          {
            id: `call_${turn}_${at}`,
            type: "function",
            function: { name: block.tool, arguments: JSON.stringify(block.input) },
          },
        ]
      : [],
  );
  const text = blocks.map((block) => ("text" in block ? block.text : "")).join("");
  const message = { role: "assistant", content: text, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const head = { id: `chat_${turn}`, object: "chat.completion", created: 1, model: body.model };
  return { ...head, choices: [{ index: 0, message, finish_reason, logprobs: null }], usage };
}

function responses(body: Body, blocks: readonly Block[], turn: number): Body {
  const output = blocks.map((block, at) => {
    const ids = { id: `item_${turn}_${at}`, call_id: `call_${turn}_${at}`, status: "completed" };
    if ("tool" in block)
      return { ...ids, type: "function_call", name: block.tool, arguments: JSON.stringify(block.input) };
    if ("patch" in block) return { ...ids, type: "apply_patch_call", operation: block.patch };
    const content = [{ type: "output_text", text: block.text, annotations: [] }];
    return { id: ids.id, type: "message", role: "assistant", status: "completed", content };
  });
  const details = {
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, ...details };
  const head = {
    id: `resp_${turn}`,
    object: "response",
    created_at: 1,
    status: "completed",
    model: body.model,
  };
  return { ...head, output, usage, error: null, incomplete_details: null, tools: body.tools ?? [] };
}

/** The anchor in front of a line, in a result. */
export function anchorOf(results: readonly ToolResult[], line: string): string {
  for (const { text } of results.toReversed()) {
    const row = text.split("\n").find((one) => one.endsWith(`|${line}`));
    if (row) return row.replace(/^(>>>)?\s+/, "").split("|")[0] as string;
  }
  throw new Error(`no row shows ${line}`);
}
