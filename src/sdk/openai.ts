import type { Result } from "../calls/index.js";
import { type PatchEditorOptions, type PatchOperation, patchEditor } from "./apply-patch.js";
import { extraOf, type From, offered, schemaOf, sessionOf, type ToolOptions } from "./shared.js";

/**
 * The tools for `client.chat.completions.runTools`.
 *
 * @example
 * client.chat.completions.runTools({ model, messages, tools: kedgeTools({ files, store, agent, clock: Date.now }) });
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
 * new Agent({ name: "coder", tools: agentTools({ files, store, agent, clock: Date.now }).map((one) => tool(one)) });
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
 * applyPatchTool({ editor: applyPatchEditor({ files, store, agent, clock: Date.now }) });
 */
export function applyPatchEditor(options: PatchEditorOptions) {
  const patch = patchEditor(options);
  const run = async (operation: PatchOperation) => outcome(await patch(operation));
  return { createFile: run, updateFile: run, deleteFile: run };
}

/** Executes an `apply_patch_call` item of a response and gives the item that answers it. */
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
