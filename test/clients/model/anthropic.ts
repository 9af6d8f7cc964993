/** Anthropic Messages: POST …/v1/messages. */
import { type Body, before, events, identifier, json, type Protocol, type Reply } from "./protocol.js";

const text = (content: Body): string =>
  typeof content === "string"
    ? content
    : (content ?? [])
        .map((block: Body) =>
          block.type === "text" ? block.text : block.type === "tool_result" ? text(block.content) : "",
        )
        .filter(Boolean)
        .join("\n");

const isSpoken = (message: Body): boolean => message.role === "assistant";

const content = (reply: Reply) => [
  ...(reply.text === undefined ? [] : [{ type: "text", text: reply.text }]),
  ...(reply.calls ?? []).map(({ tool, input }) => ({
    type: "tool_use",
    id: identifier("toolu_scripted"),
    name: tool,
    input,
  })),
];

const stream = (message: Body) => {
  const { content: blocks, stop_reason, usage, ...head } = message;
  const named = (name: string, data: object) => ({ name, data: { type: name, ...data } });
  return events([
    named("message_start", {
      message: { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    }),
    ...blocks.flatMap((block: Body, index: number) => {
      const isText = block.type === "text";
      const empty = isText ? { type: "text", text: "" } : { ...block, input: {} };
      const delta = isText
        ? { type: "text_delta", text: block.text }
        : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
      return [
        named("content_block_start", { index, content_block: empty }),
        named("content_block_delta", { index, delta }),
        named("content_block_stop", { index }),
      ];
    }),
    named("message_delta", {
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    }),
    named("message_stop", {}),
  ]);
};

export const anthropic: Protocol = {
  answers: (path) => /\/messages(\/count_tokens)?$/.test(path),
  read(body) {
    const messages = body.messages ?? [];
    const spoke = messages.findLastIndex(isSpoken);
    const fresh = messages.slice(spoke + 1);
    return {
      offersTools: (body.tools ?? []).length > 0,
      tools: (body.tools ?? []).map((tool: Body) => tool.name),
      opening: before(messages, isSpoken)
        .map((one: Body) => text(one.content))
        .join("\n"),
      history: JSON.stringify(messages),
      received: fresh.map((one: Body) => text(one.content)).join("\n"),
    };
  },
  write({ path, body }, reply) {
    if (path.endsWith("/count_tokens")) return json({ input_tokens: 10 });
    const blocks = content(reply);
    const message = {
      id: identifier("msg_scripted"),
      type: "message",
      role: "assistant",
      model: body.model,
      content: blocks,
      stop_reason: blocks.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn",
      stop_sequence: null,
      usage: {
        input_tokens: reply.tokens ?? 10,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 5,
      },
    };
    return body.stream ? stream(message) : json(message);
  },
};
