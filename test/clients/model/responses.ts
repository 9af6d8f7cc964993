/** OpenAI Responses: POST …/responses, always streamed. */
import { type Body, before, events, identifier, type Protocol, type Reply, words } from "./protocol.js";

const isOutput = (item: Body): boolean => /_call_output$/.test(item.type ?? "");
const isSpoken = (item: Body): boolean =>
  item.role === "assistant" || (/_call$/.test(item.type ?? "") && !isOutput(item));

/** A call whose input is a text goes to a tool of free form (apply_patch); any other has JSON arguments. */
const items = (reply: Reply): object[] => [
  ...(reply.calls ?? []).map(({ tool, input }) => {
    const call = { call_id: identifier("call_scripted"), name: tool, status: "completed" };
    return typeof input === "string"
      ? { type: "custom_tool_call", id: identifier("ctc_scripted"), ...call, input }
      : {
          type: "function_call",
          id: identifier("fc_scripted"),
          ...call,
          arguments: JSON.stringify(input),
        };
  }),
  ...(reply.text === undefined
    ? []
    : [
        {
          type: "message",
          id: identifier("msg_scripted"),
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: reply.text, annotations: [] }],
        },
      ]),
];

export const responses: Protocol = {
  answers: (path) => path.endsWith("/responses"),
  read(body) {
    const input: Body[] = Array.isArray(body.input) ? body.input : [{ content: body.input }];
    const fresh = input.slice(input.findLastIndex(isSpoken) + 1);
    const said = (item: Body) => words(item.output ?? item.content);
    return {
      offersTools: (body.tools ?? []).length > 0,
      tools: (body.tools ?? []).map((tool: Body) => tool.name ?? tool.type),
      opening: before(input, isSpoken)
        .filter((item) => item.role === "user")
        .map(said)
        .join("\n"),
      history: JSON.stringify(input),
      received: fresh.map(said).join("\n"),
    };
  },
  write(_request, reply) {
    const output = items(reply);
    const input_tokens = reply.tokens ?? 10;
    const usage = {
      input_tokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input_tokens + 5,
    };
    const response = { id: identifier("resp_scripted"), object: "response" };
    const named = (name: string, data: object) => ({ name, data: { type: name, ...data } });
    return events([
      named("response.created", { response: { ...response, status: "in_progress", output: [] } }),
      ...output.flatMap((item, output_index) => [
        named("response.output_item.added", { output_index, item }),
        named("response.output_item.done", { output_index, item }),
      ]),
      named("response.completed", { response: { ...response, status: "completed", output, usage } }),
    ]);
  },
};
