/** The page's server: on this machine only, by key only, and gone with the command that started it. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Access } from "./access.js";
import type { ActionAnswer, Activity, EventDetails, EventPage, ViewMessage, ViewState } from "./contract.js";
import { Feed, type Followed } from "./feed.js";

/** The requests of the page. */
export interface ViewSource extends Followed {
  /** The state now, or as it was. */
  state(at?: number): Promise<ViewState>;
  history(before: string | null, max: number, at?: number): Promise<EventPage>;
  event(id: string): Promise<EventDetails | null>;
  activity(from: number): Promise<Activity>;
}

interface ActionRequest {
  readonly ids: readonly string[];
  readonly dryRun: boolean;
}

/** The same calls as on the command line. */
export interface ViewActions {
  restore(request: ActionRequest): Promise<ActionAnswer>;
  undo(request: ActionRequest): Promise<ActionAnswer>;
}

/** A file of the page: its bytes and their type. */
export interface Asset {
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface ViewServerOptions {
  readonly source: ViewSource;
  /** null: the files are not here, so nothing can be restored. */
  readonly actions: ViewActions | null;
  /** By path, "/" for the page itself. */
  readonly assets: ReadonlyMap<string, Asset>;
  readonly port: number;
  readonly clock: () => number;
  readonly report: (line: string) => void;
}

export interface ViewServer {
  readonly port: number;
  /** An address that opens the page once, within a minute. */
  newAddress(): string;
  close(): Promise<void>;
}

const host = "127.0.0.1";
const longestBody = 64 * 1024;
const pageOfEvents = 100;
const heartbeat = 15_000;
/** Bytes that a page which does not read its stream may leave unread. */
const mostUnread = 4 * 1024 * 1024;

const protection = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
} as const;

/** An answer that is no success. */
class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Starts the server; a port that is taken is an error, port 0 takes a free one. */
export async function startViewServer(options: ViewServerOptions): Promise<ViewServer> {
  const page = new Page(options);
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (request, response) => {
    void page.answer(request, response);
  });
  server.maxConnections = 64;
  await listening(server, options.port);
  const { port } = server.address() as { port: number };
  page.port = port;
  return {
    port,
    newAddress: () => `http://${host}:${port}/#${page.access.newCode()}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((done, fail) => {
    server.once("error", fail);
    server.listen(port, host, () => {
      server.off("error", fail);
      done();
    });
  });
}

class Page {
  readonly access: Access;
  private readonly feed: Feed;
  port = 0;

  constructor(private readonly options: ViewServerOptions) {
    this.access = new Access(options.clock);
    this.feed = new Feed(options.source, undefined, options.report);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      this.checkCaller(request);
      await this.route(request, response);
    } catch (error) {
      const status = error instanceof Refused ? error.status : 500;
      // The message of an error may quote a file: only a refusal's own words leave.
      const text = error instanceof Refused ? error.message : "the view could not be made";
      if (!(error instanceof Refused))
        this.options.report(`${request.method} ${request.url?.split("?")[0]}: ${(error as Error).name}`);
      if (!response.headersSent) send(response, status, { error: text });
      else response.destroy();
    }
  }

  /** Pages of other addresses, and names that somebody else made lead here, get nothing. */
  private checkCaller({ headers }: IncomingMessage): void {
    const own = `${host}:${this.port}`;
    if (headers.host !== own) throw new Refused(421, "this server answers only to its own address");
    const { origin } = headers;
    if (origin !== undefined && origin !== `http://${own}`) throw new Refused(403, "another origin");
  }

  private async route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", `http://${host}`);
    const asset = this.options.assets.get(url.pathname);
    if (asset && request.method === "GET") {
      response.writeHead(200, { ...protection, "content-type": asset.type });
      response.end(asset.bytes);
      return;
    }
    if (request.method === "POST" && url.pathname === "/api/key") return this.trade(request, response);
    if (!this.access.isKey(bearer(request))) throw new Refused(401, "no key");
    if (request.method === "GET") return this.tell(url, request, response);
    if (request.method === "POST") return this.act(url.pathname, request, response);
    throw new Refused(405, "GET or POST");
  }

  private async trade(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { code } = await bodyOf(request);
    const key = typeof code === "string" ? this.access.keyFor(code) : null;
    if (key === null) throw new Refused(401, "the code is wrong, was used, or is too old");
    send(response, 200, { key });
  }

  private async tell(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { source } = this.options;
    const asked = (name: string): number | null => {
      const value = Number(url.searchParams.get(name) ?? Number.NaN);
      return Number.isFinite(value) ? value : null;
    };
    if (url.pathname === "/api/events") return this.stream(request, response);
    if (url.pathname === "/api/state")
      return send(response, 200, await source.state(asked("at") ?? undefined));
    if (url.pathname === "/api/activity")
      return send(response, 200, await source.activity(asked("from") ?? 0));
    if (url.pathname === "/api/history")
      return send(
        response,
        200,
        await source.history(url.searchParams.get("before"), pageOfEvents, asked("at") ?? undefined),
      );
    const [, id] = /^\/api\/event\/([\w-]+)$/.exec(url.pathname) ?? [];
    const details = id === undefined ? null : await source.event(id);
    if (details === null) throw new Refused(404, "there is no such thing here");
    send(response, 200, details);
  }

  private async act(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { actions } = this.options;
    const name = path === "/api/restore" ? "restore" : path === "/api/undo" ? "undo" : null;
    if (name === null) throw new Refused(404, "there is no such action");
    if (actions === null) throw new Refused(403, "the files of this tree are not on this machine");
    const { ids, dryRun } = await bodyOf(request);
    const isList = Array.isArray(ids) && ids.length > 0 && ids.every((id) => typeof id === "string");
    if (!isList) throw new Refused(400, "ids are missing");
    send(response, 200, await actions[name]({ ids: ids as string[], dryRun: dryRun === true }));
  }

  /** A page that does not read is cut off; it takes the stream up again. */
  private stream(request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, { ...protection, "content-type": "text/event-stream" });
    const write = (text: string) => {
      response.write(text);
      if (response.writableLength > mostUnread) response.destroy();
    };
    const stop = this.feed.listen((message: ViewMessage) =>
      write(`event: ${message.type}\ndata: ${JSON.stringify(message)}\n\n`),
    );
    const beat = setInterval(() => write(": still here\n\n"), heartbeat);
    const end = () => {
      clearInterval(beat);
      stop();
    };
    request.on("close", end);
    response.on("close", end);
  }
}

function bearer({ headers }: IncomingMessage): string {
  const [, key = ""] = /^Bearer ([\w-]+)$/.exec(headers.authorization ?? "") ?? [];
  return key;
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { ...protection, "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  if (!/^application\/json\b/.test(request.headers["content-type"] ?? ""))
    throw new Refused(415, "the body must be JSON");
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > longestBody) throw new Refused(413, "the body is too long");
    parts.push(part);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(parts).toString("utf8"));
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Told below, like JSON that is no object.
  }
  throw new Refused(400, "the body must be a JSON object");
}
