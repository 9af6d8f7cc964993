import type Anthropic from "@anthropic-ai/sdk";
import { type Session, withRefresh } from "kedge";
import { kedgeTools } from "kedge/anthropic";

type Message = Anthropic.Beta.BetaMessageParam;
type Result = Anthropic.Beta.BetaToolResultBlockParam;

export interface Task {
  readonly client: Anthropic;
  readonly model: string;
  readonly prompt: string;
  readonly session: Session;
  readonly turns?: number;
}

/** Lets a model work on files until it has nothing more to call. Returns its last words. */
export async function runAgent({ client, model, prompt, session, turns = 30 }: Task): Promise<string> {
  // Rows that others changed under an edit: appended to the conversation, never written into earlier messages.
  const fresh: string[] = [];
  const refreshed = withRefresh(session, {
    onContext: ({ path, text }) => fresh.push(`${path} reads now:\n${text}`),
  });
  const tools = kedgeTools(refreshed);
  const messages: Message[] = [{ role: "user", content: prompt }];
  for (let turn = 0; turn < turns; turn++) {
    const { content } = await client.beta.messages.create({ model, max_tokens: 4096, tools, messages });
    messages.push({ role: "assistant", content });
    const results: Result[] = [];
    // One after another: the model wrote them in this order.
    for (const block of content) if (block.type === "tool_use") results.push(await execute(block));
    if (results.length === 0)
      return content.map((block) => (block.type === "text" ? block.text : "")).join("");
    const rows = fresh.splice(0).map((text) => ({ type: "text" as const, text }));
    messages.push({ role: "user", content: [...results, ...rows] });
  }
  return `stopped after ${turns} turns`;

  async function execute({ id, name, input }: Anthropic.Beta.BetaToolUseBlock): Promise<Result> {
    const tool = tools.find((one) => "name" in one && one.name === name);
    const answer = { type: "tool_result" as const, tool_use_id: id };
    if (!tool) return { ...answer, content: `there is no tool ${name}`, is_error: true };
    try {
      return { ...answer, content: await tool.run(input) };
    } catch (error) {
      return { ...answer, content: error instanceof Error ? error.message : String(error), is_error: true };
    }
  }
}
