// The MCP server, driven by a loop of your own. Needs ANTHROPIC_API_KEY, and `kedge` among the dependencies.
import Anthropic from "@anthropic-ai/sdk";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const kedge = new Client({ name: "example", version: "1.0.0" });
await kedge.connect(
  new StdioClientTransport({
    command: "npx",
    args: ["kedge", "mcp", "--root", process.cwd()],
    env: process.env as Record<string, string>,
  }),
);
const { tools } = await kedge.listTools();
const declared = tools.map(({ name, description = "", inputSchema }) => ({
  ...{ name, description },
  input_schema: inputSchema as Anthropic.Tool.InputSchema,
}));

const messages: Anthropic.MessageParam[] = [
  { role: "user", content: process.argv[2] ?? "Which files are here? Read one of them." },
];
const model = process.env.MODEL ?? "claude-opus-4-8";
const client = new Anthropic();
for (let turn = 0; turn < 30; turn++) {
  const { content } = await client.messages.create({ model, max_tokens: 4096, tools: declared, messages });
  messages.push({ role: "assistant", content });
  const results: Anthropic.ToolResultBlockParam[] = [];
  for (const block of content) if (block.type === "tool_use") results.push(await execute(block));
  if (results.length === 0) {
    console.log(content.map((block) => (block.type === "text" ? block.text : "")).join(""));
    break;
  }
  messages.push({ role: "user", content: results });
}
await kedge.close();

async function execute({ id, name, input }: Anthropic.ToolUseBlock): Promise<Anthropic.ToolResultBlockParam> {
  const answer = await kedge.callTool({ name, arguments: input as Record<string, unknown> });
  const content = answer.content.map((block) => ("text" in block ? block.text : "")).join("");
  return { type: "tool_result", tool_use_id: id, content, is_error: answer.isError === true };
}
