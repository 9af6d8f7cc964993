import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import type { ReadDetails, Result } from "../calls/index.js";
import type { Session } from "../session/index.js";
import { type Extra, readOnlyTools, type Tool, tools } from "../tools/index.js";
import { ProtocolError, ProtocolErrorCode, Server } from "./sdk.js";

export interface ServerSettings {
  readonly version: string;
  readonly readOnly: boolean;
  /** For callers who are not trusted: an error that nobody foresaw is told to the log alone, since its message may name anything. */
  readonly hidesFailures?: boolean;
  readonly log: (line: string) => void;
  /** Runs a call on the agent's session, once it is known which roots it has and it is the call's turn. */
  readonly use: <T>(call: Call, run: (session: Session) => Promise<T>) => Promise<T>;
  /** Told of every call that came to its end; `result` is null for one that failed, or was cancelled. */
  readonly onCall?: (call: Call, result: Result | null, milliseconds: number) => void;
}

export interface Call {
  readonly tool: Tool;
  readonly args: unknown;
  readonly signal: AbortSignal;
}

/** The key of `_meta` under which programs find the details. `structuredContent` would hide the text from the model. */
export const detailsKey = "kedge/details";

/** Between two reports of a search: a client is told that it goes on, not flooded. */
const progressEvery = 100;

/** The MCP server of one connection. The low-level one: it hands arguments over as they came, for our own reading. */
export function createServer(settings: ServerSettings): Server {
  const offered = settings.readOnly ? readOnlyTools : tools;
  const server = new Server({ name: "kedge", version: settings.version }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: offered.map(listed) }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tool = offered.find(({ name }) => name === params.name);
    if (!tool) throw unknownTool(params.name, offered);
    const { signal } = context.mcpReq;
    const call: Call = { tool, args: params.arguments, signal };
    const began = performance.now();
    let result: Result | null = null;
    try {
      const extra = extraOf(context);
      result = await settings.use(call, (session) => tool.run(session, call.args, extra));
      return answer(result);
    } catch (error) {
      if (signal.aborted) throw error;
      settings.log(`${tool.name}: ${(error instanceof Error && error.stack) || messageOf(error)}`);
      const why = settings.hidesFailures ? "the log of the server says why" : messageOf(error);
      const text = `${tool.name} failed: ${why}`;
      return { content: [{ type: "text", text }], isError: true };
    } finally {
      settings.onCall?.(call, result, performance.now() - began);
    }
  });
  // Over a network the mistakes of clients are told to them alone: each could fill the log.
  if (!settings.hidesFailures) server.onerror = (error) => settings.log(error.message);
  return server;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function listed({ name, description, inputSchema, annotations }: Tool) {
  const { title, ...hints } = annotations;
  return { name, title, description, inputSchema: structuredClone(inputSchema) as never, annotations: hints };
}

function unknownTool(name: string, offered: readonly Tool[]): ProtocolError {
  const known = tools.some((tool) => tool.name === name);
  const why = known
    ? `${name} is off: only reading is allowed here`
    : `there is no tool ${JSON.stringify(name)}`;
  const names = offered.map((tool) => tool.name).join(", ");
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `${why}; tools: ${names}`);
}

/** Rows that are repeated beside the text; more would double a long answer, and clients read it whole before they drop it. */
const mostRows = 200;

function answer({ text, isError, details }: Result): CallToolResult {
  const content = [{ type: "text" as const, text }];
  return { content, ...(isError ? { isError } : {}), _meta: { [detailsKey]: withoutMany(details) } };
}

/** Rows are made when they are asked for: here it is their number that counts. */
function withoutMany(details: unknown): unknown {
  const { status, ranges } = details as Partial<ReadDetails>;
  if (status !== "read" || !ranges) return details;
  const count = ranges.reduce((sum, { start, end }) => sum + end - start + 1, 0);
  // Rows that were cut are in no range.
  if (count <= mostRows && (details as ReadDetails).rows.length <= mostRows) return details;
  const { path, version, scheme, totalLines, deletions } = details as ReadDetails;
  return { status, path, version, scheme, totalLines, ranges, ...(deletions ? { deletions } : {}) };
}

function extraOf({ mcpReq }: ServerContext): Extra {
  const { signal, _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return { signal };
  let reported = 0;
  let last = 0;
  const onProgress = (progress: number): void => {
    const now = Date.now();
    if (progress <= reported || now - last < progressEvery || signal.aborted) return;
    reported = progress;
    last = now;
    const params = { progressToken, progress, message: `${progress} files searched` };
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
  return { signal, onProgress };
}
