import type { AuthInfo } from "@modelcontextprotocol/server";
import { Connection, type ConnectionOptions } from "./connection.js";
import { createMcpHandler } from "./sdk.js";

/** Streams that only wait for news, of which this server has none. */
const mostSubscriptions = 256;

/** The protocol over HTTP: requests that are answered by themselves, each for a caller that is known already. */
export interface HttpProtocol {
  /** A caller: whoever calls by the same one has the same session, in which calls on one file keep their order. */
  caller(options: Omit<ConnectionOptions, "version" | "log" | "reopen">): Connection;
  /** Answers a request whose body was read. The door decides before who may send it. */
  answer(request: Request, body: unknown, caller: Connection): Promise<Response>;
  /** Ends the streams that are open. */
  close(): Promise<void>;
}

/** The library hands this on to the server that it asks for, and has no other way to say who calls. */
interface Passed extends AuthInfo {
  readonly extra: { readonly caller: Connection };
}

/**
 * Serves the tools over streamable HTTP, to clients of the 2026 protocol and of those before it. No request needs another
 * one before it, so that any process may answer.
 *
 * @example
 * const protocol = httpProtocol({ version: "1.0.0", log: console.error });
 * const caller = protocol.caller({ files, store, agent: "ci", principal: "ci", clock: Date.now });
 * const response = await protocol.answer(request, body, caller);
 */
export function httpProtocol(common: Pick<ConnectionOptions, "version" | "log">): HttpProtocol {
  const callerOf = (info: AuthInfo | undefined): Connection => (info as Passed).extra.caller;
  const handler = createMcpHandler(({ authInfo }) => callerOf(authInfo).server(), {
    maxSubscriptions: mostSubscriptions,
  });
  return {
    caller: (options) => new Connection({ ...options, ...common, hidesFailures: true }),
    answer: (request, parsedBody, caller) => {
      const authInfo: Passed = { token: "", clientId: "", scopes: [], extra: { caller } };
      return handler.fetch(request, { parsedBody, authInfo });
    },
    close: () => handler.close(),
  };
}
