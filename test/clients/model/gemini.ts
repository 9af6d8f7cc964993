/** Gemini: POST …/models/MODEL:generateContent, :streamGenerateContent, :countTokens. */
import { type Body, before, events, json, type Protocol } from "./protocol.js";

const isSpoken = (content: Body): boolean => content.role === "model";
const parts = (content: Body): Body[] => content?.parts ?? [];
const said = (part: Body): string =>
  part.text ?? Object.values(part.functionResponse?.response ?? {}).join("\n");

export const gemini: Protocol = {
  answers: (path) => /\/models\/[^/]+:\w+$/.test(path),
  read(body) {
    const contents: Body[] = body.contents ?? [];
    const spoke = contents.findLastIndex(isSpoken);
    const fresh = contents.slice(spoke + 1).flatMap(parts);
    const tools = (body.tools ?? []).flatMap((tool: Body) => tool.functionDeclarations ?? []);
    return {
      offersTools: tools.length > 0,
      tools: tools.map((tool: Body) => tool.name),
      opening: before(contents, isSpoken).flatMap(parts).map(said).join("\n"),
      history: JSON.stringify(contents),
      received: fresh.map(said).join("\n"),
    };
  },
  write({ path }, reply) {
    const promptTokenCount = reply.tokens ?? 10;
    if (path.endsWith(":countTokens")) return json({ totalTokens: promptTokenCount });
    const answer = {
      candidates: [
        {
          content: {
            role: "model",
            parts: [
              ...(reply.text === undefined ? [] : [{ text: reply.text }]),
              ...(reply.calls ?? []).map(({ tool, input }) => ({
                functionCall: { name: tool, args: input },
              })),
            ],
          },
          finishReason: "STOP",
          index: 0,
        },
      ],
      usageMetadata: {
        promptTokenCount,
        candidatesTokenCount: 5,
        totalTokenCount: promptTokenCount + 5,
      },
      modelVersion: "scripted",
    };
    return path.includes(":stream") ? events([{ data: answer }]) : json(answer);
  },
};
