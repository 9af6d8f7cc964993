import { Session, type SessionOptions } from "../session/index.js";
import { type Extra, type ObjectSchema, readOnlyTools, type Tool, toolDoor, tools } from "../tools/index.js";

/** A session, or what makes one. */
export type From = Session | SessionOptions;

export interface ToolOptions {
  /** Only the tools that read. */
  readonly readOnly?: boolean;
}

/** The session of the tools: its refusals name them, unless it was given another door. */
export function sessionOf(from: From): Session {
  const session = from instanceof Session ? from : new Session(from);
  return session.withDefaults({ door: toolDoor });
}

export function offered({ readOnly = false }: ToolOptions): readonly Tool[] {
  return readOnly ? readOnlyTools : tools;
}

export function extraOf(signal: AbortSignal | null | undefined): Extra {
  return signal ? { signal } : {};
}

/** Plain JSON Schema that the host may change without changing the tool. */
export function schemaOf(tool: Tool): ObjectSchema {
  return structuredClone(tool.inputSchema);
}

/** The schema as libraries without one of their own take it. Arguments are read by the tool, so all are valid here. */
export function standardSchema(tool: Tool) {
  const jsonSchema = (): Record<string, unknown> => ({ ...schemaOf(tool) });
  return {
    "~standard": {
      version: 1 as const,
      vendor: "kedge",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  };
}
