// How do the tools reach an MCP client? The server, its connection and the wire.

import type { Readable, Writable } from "node:stream";
import type { Clock } from "../ports/index.js";
import { Connection, type Workplace } from "./connection.js";
import { serveStdio } from "./sdk.js";
import { LineTransport, longestMessage } from "./transport.js";

export type { Connection, Workplace } from "./connection.js";
export { type HttpProtocol, httpProtocol } from "./http.js";
export { detailsKey } from "./server.js";

interface McpOptions extends Workplace {
  readonly version: string;
  /** The agent of calls that name none; by default the connection. */
  readonly agent?: string;
  /** Offers the tools that read, and no other. */
  readonly readOnly?: boolean;
  /** Opens the served part of the folders that a client names. The client is not asked if this is absent. */
  readonly reopen?: (roots: readonly string[]) => Workplace | Promise<Workplace>;
  readonly clock?: Clock;
  readonly input?: Readable;
  readonly output?: Writable;
  /** Takes lines for a person; by default stderr. The output has messages alone. */
  readonly log?: (line: string) => void;
}

interface McpHandle {
  /** The client has left, or `close` was called, and every call that was under way has come to its end. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/**
 * Serves the tools over stdio, to clients of the 2026 protocol and of those before it.
 *
 * @example
 * const { closed } = serveMcp({ files, store, version: "1.0.0" });
 * await closed;
 */
export function serveMcp(options: McpOptions): McpHandle {
  const { input = process.stdin, output = process.stdout, clock = Date.now } = options;
  const log = options.log ?? ((line: string) => void process.stderr.write(`kedge: ${line}\n`));
  const agent = options.agent ?? `connection:${process.pid}-${clock().toString(36)}`;
  const connection = new Connection({ ...options, agent, clock, log });
  const transport = new LineTransport({ input, output, longest: longestMessage });
  const stdio = serveStdio(() => connection.server(), { transport, onerror: (error) => log(error.message) });
  const closed = transport.ended.then(() => connection.settled());
  return {
    closed,
    async close() {
      await stdio.close();
      await closed;
    },
  };
}
