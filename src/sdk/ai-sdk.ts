import type { ToolSet } from "ai";
import type { Result } from "../calls/index.js";
import { extraOf, type From, offered, sessionOf, standardSchema, type ToolOptions } from "./shared.js";

interface Execution {
  readonly abortSignal?: AbortSignal | undefined;
}

/**
 * The tools for the Vercel AI SDK (6 and later). The model gets the text, a refusal as an error; `output` of a tool
 * result holds the details as well.
 *
 * @example
 * const tools = kedgeTools(openSession({ root, agent: "main" }));
 * // await generateText({ model, tools, stopWhen: stepCountIs(30), prompt });
 * console.log(Object.keys(tools).join(" ")); // → read_file edit_file multi_edit write_file grep
 */
export function kedgeTools(from: From, options: ToolOptions = {}): ToolSet {
  const session = sessionOf(from);
  const entries = offered(options).map((tool) => [
    tool.name,
    {
      description: tool.description,
      inputSchema: standardSchema(tool),
      execute: (input: unknown, { abortSignal }: Execution) => tool.run(session, input, extraOf(abortSignal)),
      toModelOutput: ({ output }: { output: Result }) => ({
        type: output.isError ? "error-text" : "text",
        value: output.text,
      }),
    },
  ]);
  return Object.fromEntries(entries) as ToolSet;
}
