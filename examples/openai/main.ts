// The OpenAI SDK, chat completions with its own tool runner. Needs OPENAI_API_KEY.

import { openSession } from "kedge/node";
import { kedgeTools } from "kedge/openai";
import OpenAI from "openai";

const session = openSession({ root: process.cwd(), agent: `example-${process.pid}` });
const run = new OpenAI().chat.completions.runTools({
  model: process.env.MODEL ?? "gpt-5",
  tools: kedgeTools(session),
  messages: [{ role: "user", content: process.argv[2] ?? "Which files are here? Read one of them." }],
});
console.log(await run.finalContent());
