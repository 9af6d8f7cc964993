import type { Result } from "../calls/index.js";
import { type PatchEditorOptions, type PatchOperation, patchEditor } from "./apply-patch.js";
import { extraOf, type From, offered, schemaOf, sessionOf, type ToolOptions } from "./shared.js";

/**
 * The tools for `client.chat.completions.runTools`.
 *
 * @example
 * const tools = kedgeTools(openSession({ root, agent: "main" }));
 * // client.chat.completions.runTools({ model, messages, tools });
 * console.log(tools.map((tool) => tool.function.name).join(" ")); // → read_file edit_file multi_edit write_file grep
 */
export function kedgeTools(from: From, options: ToolOptions = {}) {
  const session = sessionOf(from);
  return offered(options).map((tool) => ({
    type: "function" as const,
    function: {
      name: tool.name,
      description: tool.description,
      parameters: schemaOf(tool) as object,
      function: async (args: string): Promise<string> => (await tool.run(session, args)).text,
    },
  }));
}

/**
 * The tools for the Responses API: `tool` is what the request declares, `execute` answers a `function_call`.
 *
 * @example
 * const tools = responseTools(openSession({ root, agent: "main" }));
 * // await client.responses.create({ model, input, tools: tools.map((one) => one.tool) });
 * const [read] = tools;
 * console.log(await read?.execute({ path: "a.ts", limit: 1 })); // → 1#20200e|const a = 1;\n[1 of 2 lines; next: offset=2]
 */
export function responseTools(from: From, options: ToolOptions = {}) {
  const session = sessionOf(from);
  return offered(options).map((tool) => ({
    tool: {
      type: "function" as const,
      name: tool.name,
      description: tool.description,
      parameters: { ...schemaOf(tool) } as Record<string, unknown>,
      strict: false,
    },
    execute: async (args: unknown, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<string> =>
      (await tool.run(session, args, extraOf(signal))).text,
  }));
}

/**
 * The tools for the Agents SDK, as its `tool` function takes them.
 *
 * @example
 * const tools = agentTools(openSession({ root, agent: "main" }));
 * // new Agent({ name: "coder", tools: tools.map((one) => tool(one)) });
 * console.log(tools.length); // → 5
 */
export function agentTools(from: From, options: ToolOptions = {}) {
  const session = sessionOf(from);
  return offered(options).map((tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: { required: [], ...schemaOf(tool), additionalProperties: true } as never,
    strict: false as const,
    execute: async (
      input: unknown,
      _: unknown,
      details?: { signal?: AbortSignal | undefined },
    ): Promise<string> => (await tool.run(session, input, extraOf(details?.signal))).text,
  }));
}

/**
 * The engine as the editor behind `applyPatchTool`: models trained on `apply_patch` get the gate, the merge and the
 * ledger without learning anything.
 *
 * @example
 * const editor = applyPatchEditor(sessionOptions({ root, agent: "main" }));
 * // applyPatchTool({ editor });
 * const made = await editor.createFile({ type: "create_file", path: "new.ts", diff: "+const c = 3;" });
 * console.log(made.status); // → completed
 */
export function applyPatchEditor(options: PatchEditorOptions) {
  const patch = patchEditor(options);
  const run = async (operation: PatchOperation) => outcome(await patch(operation));
  return { createFile: run, updateFile: run, deleteFile: run };
}

/**
 * Executes an `apply_patch_call` item of a response and gives the item that answers it.
 *
 * @example
 * const answer = applyPatchCalls(sessionOptions({ root, agent: "main" }));
 * const operation = { type: "create_file" as const, path: "new.ts", diff: "+const c = 3;" };
 * const item = await answer({ call_id: "call_1", operation });
 * console.log(item.type, item.status); // → apply_patch_call_output completed
 */
export function applyPatchCalls(options: PatchEditorOptions) {
  const patch = patchEditor(options);
  return async ({
    call_id,
    operation,
  }: {
    readonly call_id: string;
    readonly operation: PatchOperation;
  }) => ({
    type: "apply_patch_call_output" as const,
    call_id,
    ...outcome(await patch(operation)),
  });
}

function outcome({ text, isError }: Result) {
  return { status: isError ? ("failed" as const) : ("completed" as const), output: text };
}
