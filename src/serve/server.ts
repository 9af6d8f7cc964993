import type { IncomingMessage, ServerResponse } from "node:http";
import { type Files, type LedgerStore, tokensRecord } from "../ports/index.js";
import { logCall } from "./call-log.js";
import { Callers, type Ended, type Policies, type Protocol, type Who } from "./callers.js";
import { Bodies } from "./http/bodies.js";
import { deliver, plainAnswer } from "./http/deliver.js";
import { checkNames, type Names } from "./http/names.js";
import { Rates } from "./http/rates.js";
import { Refused } from "./http/refused.js";
import { KnownTokens } from "./known-tokens.js";
import { LostCount } from "./lost-count.js";
import { measuredFiles, measuredStore, type OwnName, type Watch } from "./measured.js";
import { Metrics } from "./metrics.js";

export interface ToolServerOptions<Caller> {
  readonly protocol: Protocol<Caller>;
  readonly store: LedgerStore;
  /** Opens the files of the tree; with a scope only those that it holds. */
  readonly files: (scope: readonly string[] | null) => Files;
  readonly policies: Policies;
  readonly version: string;
  /** By which names it may be called. */
  readonly names: Names;
  /** Whether callers without a token are answered while the tree has none. */
  readonly isOpen: boolean;
  /** Calls that each token may make. */
  readonly callsAMinute: number;
  /** Names of the server's own that no caller is to hear. */
  readonly own: readonly OwnName[];
  readonly clock?: () => number;
  /** Takes a line of JSON for each call. */
  readonly log: (line: string) => void;
  /** Takes a line for the person who runs the server. */
  readonly report: (line: string) => void;
  readonly times?: Partial<Times>;
}

/** Milliseconds. */
export interface Times {
  /** How long a client may leave its answer unread. */
  readonly patience: number;
  /** How long calls that are under way may take once the server is told to end. */
  readonly grace: number;
  /** How long the store may take to say that it is there. */
  readonly reach: number;
}

const usualTimes: Times = { patience: 30_000, grace: 25_000, reach: 2000 };
/** A request that is refused unread is read to its end if that is not far: the next one may follow it. */
const readInVain = 64 * 1024;
const everything = { readOnly: false, paths: null };

/** Answers requests, whatever brings them. */
export class ToolServer<Caller> {
  readonly metrics = new Metrics();
  private readonly tokens: KnownTokens;
  private readonly callers: Callers<Caller>;
  private readonly store: LedgerStore;
  private readonly lost: LostCount;
  private readonly rates: Rates;
  private readonly bodies = new Bodies();
  private readonly times: Times;
  private readonly underWay = new Set<ServerResponse>();
  private isEnding = false;
  private ended: () => void = () => {};
  private reached: { readonly at: number; readonly isThere: Promise<boolean> } | null = null;

  constructor(private readonly options: ToolServerOptions<Caller>) {
    const { store, files, own, protocol, policies, clock = Date.now, log, report } = options;
    const waited: Watch["waited"] = (place, seconds) =>
      this.metrics.observe("kedge_lock_wait_seconds", seconds, { place });
    const watch = { waited, own, report };
    this.store = measuredStore(store, watch);
    this.tokens = new KnownTokens(store);
    this.lost = new LostCount(store, this.metrics);
    this.rates = new Rates(options.callsAMinute);
    this.times = { ...usualTimes, ...options.times };
    const logged = logCall(log, this.metrics);
    this.callers = new Callers({
      ...{ protocol, policies, clock, store: this.store },
      files: (scope) => measuredFiles(files(scope), watch),
      onCall: (who, call, result, milliseconds) => {
        logged(who, call, result, milliseconds);
        if (isWild(call, result, milliseconds)) this.rates.charge(who.agent, callsOfWild);
      },
    });
    this.metrics.set("kedge_build_info", 1, { version: options.version });
    this.metrics.set("kedge_started_seconds", Math.round(clock() / 1000 - process.uptime()));
  }

  /** How many tokens are good now. */
  async countTokens(): Promise<number> {
    await this.tokens.refresh();
    return this.tokens.count;
  }

  /** Begins to look out for lost edits: those found from now on are counted. */
  async begin(): Promise<void> {
    await this.lost.update();
  }

  /** Answers on the port that everybody may reach. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.answered(request, response, async (path) => {
      if (await this.tellState(path, response)) return;
      checkNames(request.headers, this.options.names);
      if (path !== "/mcp" && path !== "/metrics") throw new Refused(404, "there is nothing here but /mcp");
      const who = await this.callerOf(request);
      if (path === "/metrics") return this.tellMetrics(response);
      await this.serve(who, request, response);
    });
  }

  /** Answers on a port that only this machine reaches: nothing but how the server is. */
  answerMonitor(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.answered(request, response, async (path) => {
      if (await this.tellState(path, response)) return;
      checkNames(request.headers, this.options.names);
      if (path !== "/metrics")
        throw new Refused(404, "there is nothing here but /metrics, /healthz and /readyz");
      return this.tellMetrics(response);
    });
  }

  /** Takes no further calls, and resolves when those that are under way have their answers. */
  async end(): Promise<void> {
    this.isEnding = true;
    if (this.underWay.size > 0) {
      const late = new Promise<void>((resolve) => {
        setTimeout(resolve, this.times.grace).unref();
      });
      await Promise.race([late, new Promise<void>((resolve) => (this.ended = resolve))]);
    }
    await this.options.protocol.close();
  }

  private async answered(
    request: IncomingMessage,
    response: ServerResponse,
    run: (path: string) => Promise<void>,
  ): Promise<void> {
    this.underWay.add(response);
    response.on("close", () => this.leave(response));
    response.on("finish", () =>
      this.metrics.count("kedge_http_requests_total", { status: String(response.statusCode) }),
    );
    if (this.isEnding) response.setHeader("connection", "close");
    try {
      await run((request.url ?? "").split("?")[0] as string);
    } catch (error) {
      // Node takes the socket from a request whose client has left.
      const { socket } = request as { readonly socket: IncomingMessage["socket"] | null };
      const hasLeft = socket?.destroyed ?? true;
      if (!(error instanceof Refused) && !hasLeft)
        this.options.report(
          `a request failed: ${error instanceof Error ? (error.stack ?? error.message) : error}`,
        );
      if (response.headersSent || hasLeft) response.destroy();
      else refuse(request, response, error);
    }
  }

  private leave(response: ServerResponse): void {
    this.underWay.delete(response);
    if (this.isEnding && this.underWay.size === 0) this.ended();
  }

  /** No token is needed to ask how the server is: the answer tells nothing else. */
  private async tellState(path: string, response: ServerResponse): Promise<boolean> {
    if (path !== "/healthz" && path !== "/readyz") return false;
    const why = path === "/healthz" ? null : await this.whyNotReady();
    response.writeHead(why === null ? 200 : 503, {
      "content-type": "text/plain; charset=utf-8",
      ...plainAnswer,
    });
    response.end(`${why ?? "ok"}\n`);
    return true;
  }

  private async whyNotReady(): Promise<string | null> {
    if (this.isEnding) return "the server is ending";
    const now = performance.now();
    if (!this.reached || now - this.reached.at > 1000)
      this.reached = { at: now, isThere: this.isStoreThere() };
    return (await this.reached.isThere) ? null : "the store cannot be reached";
  }

  private isStoreThere(): Promise<boolean> {
    const late = new Promise<boolean>((resolve) => {
      setTimeout(() => resolve(false), this.times.reach).unref();
    });
    const asked = this.options.store.record(tokensRecord).then(
      () => true,
      () => false,
    );
    return Promise.race([asked, late]);
  }

  private async tellMetrics(response: ServerResponse): Promise<void> {
    const { metrics } = this;
    await this.lost.update().catch(() => {});
    metrics.set("kedge_requests_under_way", this.underWay.size - 1);
    metrics.set("kedge_memory_bytes", process.memoryUsage.rss());
    const text = await metrics.text();
    const type = "text/plain; version=0.0.4; charset=utf-8";
    response.writeHead(200, { "content-type": type, ...plainAnswer });
    response.end(text);
  }

  private async callerOf({ headers }: IncomingMessage): Promise<Who> {
    const [, secret] = /^Bearer +([^\s]+) *$/i.exec(headers.authorization ?? "") ?? [];
    try {
      await this.tokens.refresh();
    } catch (error) {
      this.options.report(`the tokens cannot be read: ${(error as Error).message}`);
      throw new Refused(503, "the store cannot be reached: try again", { "retry-after": "1" });
    }
    if (secret === undefined && this.options.isOpen && !this.tokens.isClosed)
      return { agent: "local", rights: everything };
    if (secret === undefined)
      throw unknown("this server needs a token, in the header: Authorization: Bearer TOKEN");
    const holder = this.tokens.holderOf(secret);
    if (!holder) throw unknown("this token is not known here: it was revoked, or is for another tree");
    if (holder.isEnded) throw unknown(`the token of ${holder.token.name} has ended`);
    return { agent: holder.token.name, rights: holder.token };
  }

  private async serve(who: Who, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") throw new Refused(405, "send requests with POST", { allow: "POST" });
    if (this.isEnding) throw new Refused(503, "this server is ending: send it again", { "retry-after": "1" });
    this.count(who, 1);
    const body = await this.bodies.read(request);
    if (Array.isArray(body)) this.count(who, Math.max(0, body.length - 1));
    // It lasts as long as the client likes.
    if ((body as { method?: unknown } | null)?.method === "subscriptions/listen") this.leave(response);
    const gone = new AbortController();
    response.on("close", () => {
      if (!response.writableFinished) gone.abort();
    });
    const { protocol } = this.options;
    const asked = new Request("http://server/mcp", {
      ...{ method: "POST", headers: passedOn(request), signal: gone.signal },
    });
    const answer = await protocol.answer(asked, body, this.callers.of(who));
    await deliver(answer, response, this.times.patience);
  }

  private count({ agent, rights }: Who, calls: number): void {
    const wait = rights === everything ? 0 : this.rates.take(agent, calls);
    if (wait > 0) {
      const most = `${this.options.callsAMinute} calls a minute are what a token may make here`;
      throw new Refused(429, `${most}: wait ${wait} s`, { "retry-after": String(wait) });
    }
  }
}

/** A pattern that runs wild has the process to itself for seconds, also where its caller has left: it counts as many calls. */
const callsOfWild = 200;

function isWild(
  { tool }: Ended,
  result: { readonly details: unknown } | null,
  milliseconds: number,
): boolean {
  const { code } = (result?.details ?? {}) as { code?: string };
  return tool.name === "grep" && milliseconds > 1000 && (result === null || code === "too_large");
}

function unknown(message: string): Refused {
  return new Refused(401, message, { "www-authenticate": 'Bearer realm="kedge"' });
}

/** Headers of the protocol; what lets somebody in goes no further. */
function passedOn({ headers }: IncomingMessage): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    /^(accept|content-type|last-event-id|mcp-.*)$/.test(name) && typeof value === "string"
      ? [[name, value]]
      : [],
  );
}

function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const refused = error instanceof Refused ? error : new Refused(500, "the server failed; its log says why");
  const length = Number(
    request.headers["content-length"] ?? (request.headers["transfer-encoding"] ? Infinity : 0),
  );
  if (!request.complete && !(length <= readInVain)) response.setHeader("connection", "close");
  const message = { jsonrpc: "2.0", id: null, error: { code: -32000, message: refused.message } };
  response.writeHead(refused.status, {
    ...{ "content-type": "application/json", ...plainAnswer, ...refused.headers },
  });
  response.end(JSON.stringify(message));
}
