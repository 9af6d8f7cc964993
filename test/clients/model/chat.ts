/** OpenAI Chat Completions: POST …/chat/completions. */
import { type Body, before, events, identifier, json, type Protocol, words } from "./protocol.js";

const isSpoken = (message: Body): boolean => message.role === "assistant";

export const chat: Protocol = {
  answers: (path) => path.endsWith("/chat/completions"),
  read(body) {
    const messages = body.messages ?? [];
    const spoke = messages.findLastIndex(isSpoken);
    const fresh = messages.slice(spoke + 1);
    return {
      offersTools: (body.tools ?? []).length > 0,
      tools: (body.tools ?? []).map((tool: Body) => tool.function?.name),
      opening: before(messages, isSpoken)
        .filter((one) => one.role === "user")
        .map((one) => words(one.content))
        .join("\n"),
      history: JSON.stringify(messages),
      received: fresh.map((one: Body) => words(one.content)).join("\n"),
    };
  },
  write({ body }, reply) {
    const calls = (reply.calls ?? []).map(({ tool, input }, index) => ({
      index,
      id: identifier("call_scripted"),
      type: "function",
      function: { name: tool, arguments: typeof input === "string" ? input : JSON.stringify(input) },
    }));
    const message = {
      role: "assistant",
      content: reply.text ?? null,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    };
    const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
    const prompt_tokens = reply.tokens ?? 10;
    const usage = { prompt_tokens, completion_tokens: 5, total_tokens: prompt_tokens + 5 };
    const head = { id: identifier("chatcmpl-scripted"), created: 1, model: body.model };
    if (!body.stream) {
      const choices = [{ index: 0, message, finish_reason }];
      return json({ ...head, object: "chat.completion", choices, usage });
    }
    const chunk = (delta: object, finish: string | null, more = {}) => ({
      data: {
        ...head,
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta, finish_reason: finish }],
        ...more,
      },
    });
    return events([chunk(message, null), chunk({}, finish_reason, { usage }), { data: "[DONE]" }]);
  },
};
