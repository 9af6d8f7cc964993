// The Vercel AI SDK, here with its provider for Anthropic. Needs ANTHROPIC_API_KEY.
import { anthropic } from "@ai-sdk/anthropic";
import { generateText, stepCountIs } from "ai";
import { kedgeTools } from "kedge/ai-sdk";
import { openSession } from "kedge/node";

const session = openSession({ root: process.cwd(), agent: `example-${process.pid}` });
const { text } = await generateText({
  model: anthropic(process.env.MODEL ?? "claude-opus-4-8"),
  tools: kedgeTools(session),
  stopWhen: stepCountIs(30),
  prompt: process.argv[2] ?? "Which files are here? Read one of them.",
});
console.log(text);
