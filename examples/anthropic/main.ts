// The Anthropic SDK with its own tool runner. Needs ANTHROPIC_API_KEY.
import Anthropic from "@anthropic-ai/sdk";
import { kedgeTools } from "kedge/anthropic";
import { openSession } from "kedge/node";

const session = openSession({ root: process.cwd(), agent: `example-${process.pid}` });
const { content } = await new Anthropic().beta.messages.toolRunner({
  model: process.env.MODEL ?? "claude-opus-4-8",
  max_tokens: 4096,
  tools: kedgeTools(session),
  messages: [{ role: "user", content: process.argv[2] ?? "Which files are here? Read one of them." }],
});
console.log(content.map((block) => (block.type === "text" ? block.text : "")).join(""));
