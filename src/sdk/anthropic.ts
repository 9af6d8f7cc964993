import type { BetaRunnableTool } from "@anthropic-ai/sdk/lib/tools/BetaRunnableTool";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import type { Result } from "../calls/index.js";
import { extraOf, type From, offered, schemaOf, sessionOf, type ToolOptions } from "./shared.js";
import { type TextEditorOptions, textEditor } from "./text-editor.js";

/**
 * The tools for the Anthropic SDK's tool runner; without the runner, `run` executes a `tool_use` block's input.
 *
 * @example
 * const tools = kedgeTools(openSession({ root, agent: "main" }));
 * // await client.beta.messages.toolRunner({ model, max_tokens: 4096, tools, messages });
 * const [read] = tools;
 * console.log(await read?.run({ path: "a.ts", limit: 1 })); // → 1#20200e|const a = 1;\n[1 of 2 lines; next: offset=2]
 */
export function kedgeTools(from: From, options: ToolOptions = {}): BetaRunnableTool<unknown>[] {
  const session = sessionOf(from);
  return offered(options).map((tool) => ({
    type: "custom",
    name: tool.name,
    description: tool.description,
    input_schema: { ...schemaOf(tool), required: [...(tool.inputSchema.required ?? [])] },
    parse: (content) => content,
    run: async (input, context) => textOf(await tool.run(session, input, extraOf(context?.signal))),
  }));
}

/**
 * Anthropic's own text editor tool with this engine behind it: a model that was trained on it gets the gate, the
 * merge and the ledger without learning anything.
 *
 * @example
 * const editor = textEditorTool(sessionOptions({ root, agent: "main" }));
 * // await client.beta.messages.toolRunner({ model, max_tokens: 4096, tools: [editor], messages });
 * const shown = await editor.run({ command: "view", path: "a.ts" });
 * console.log(String(shown).split("\n").length); // → 2
 */
export function textEditorTool(options: TextEditorOptions): BetaRunnableTool<unknown> {
  const editor = textEditor(options);
  return {
    type: "text_editor_20250728",
    name: "str_replace_based_edit_tool",
    parse: (content) => content,
    run: async (input) => textOf(await editor(input)),
  };
}

/** The runner marks what is thrown as an error, and passes the text of this one on unchanged. */
function textOf({ text, isError }: Result): string {
  if (isError) throw new ToolError(text);
  return text;
}
