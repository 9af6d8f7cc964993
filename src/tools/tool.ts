import type { RefusalDetails } from "../answers/index.js";
import { failureResult, type Result, refusalResult } from "../calls/index.js";
import type { Session } from "../session/index.js";
import { Arguments, BadArgument } from "./arguments.js";

/** The part of JSON Schema that every provider takes: no union, no reference, items one level deep. */
export interface Schema {
  readonly type: "object" | "array" | "string" | "integer" | "boolean";
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
}

export interface ObjectSchema extends Schema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, Schema>>;
}

/** Promises of a tool, by which a client decides whether to ask its user. */
interface Annotations {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Options that a door adds to a call. */
export interface Extra {
  readonly signal?: AbortSignal;
  readonly onProgress?: (filesSearched: number) => void;
}

/** A tool as every door offers it. `run` never throws for what a caller did wrong: that is an answer too. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly annotations: Annotations;
  run(session: Session, args: unknown, extra?: Extra): Promise<Result>;
}

interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly hints: Pick<Annotations, "readOnlyHint" | "destructiveHint" | "idempotentHint">;
  /** Other names under which an argument is understood; none of them is advertised. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** A correct call, for the answer to a wrong one. */
  readonly example: Readonly<Record<string, unknown>>;
  readonly call: (session: Session, args: Arguments, extra: Extra) => Promise<Result>;
}

/** Makes a tool: arguments are read generously, `session` names the agent, a bad request gets a correct example. */
export function defineTool(definition: ToolDefinition): Tool {
  const { name, title, description, properties, required, hints, call } = definition;
  return {
    name,
    description,
    inputSchema: { type: "object", properties, ...(required ? { required } : {}) },
    annotations: { title, ...hints, openWorldHint: false },
    async run(session, given, extra = {}) {
      try {
        const args = Arguments.read(given, Object.keys(properties), definition.aliases);
        const agent = args.agent();
        const result = await call(agent === undefined ? session : session.as(agent), args, extra);
        return withNote(result, args.ignored(), definition);
      } catch (error) {
        if (error instanceof BadArgument) return refused(error, definition);
        throw error;
      }
    },
  };
}

function withNote(result: Result, ignored: readonly string[], definition: ToolDefinition): Result {
  if (ignored.length === 0) return result;
  const takes = Object.keys(definition.properties).join(", ");
  return {
    ...result,
    text: `${result.text}\n[ignored: ${ignored.join(", ")}; ${definition.name} takes ${takes}]`,
  };
}

function refused(
  { message, path = "" }: BadArgument,
  { name, example, hints }: ToolDefinition,
): Result<RefusalDetails> {
  const correct = `A correct call: ${name} ${JSON.stringify(path ? { ...example, path } : example)}`;
  const refuse = hints.readOnlyHint ? failureResult : refusalResult;
  return refuse(path, "bad_request", message, `${message}\n${correct}`);
}
