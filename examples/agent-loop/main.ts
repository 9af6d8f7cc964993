// A loop of your own on the Anthropic SDK. Needs ANTHROPIC_API_KEY.
import Anthropic from "@anthropic-ai/sdk";
import { openSession } from "kedge/node";
import { runAgent } from "./loop.js";

const answer = await runAgent({
  client: new Anthropic(),
  model: process.env.MODEL ?? "claude-opus-4-8",
  prompt: process.argv[2] ?? "Which files are here? Read one of them.",
  session: openSession({ root: process.cwd(), agent: `example-${process.pid}` }),
});
console.log(answer);
