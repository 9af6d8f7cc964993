import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { isJSONRPCRequest, ProtocolErrorCode, parseJSONRPCMessage } from "./sdk.js";

interface LineOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** The longest message that is read, in bytes. */
  readonly longest: number;
  /** While more than this waits for a client that does not read, no message is taken from it. */
  readonly mostUnread?: number;
}

/** A file of the size limit, escaped as JSON, fits. */
export const longestMessage = 192 * 1024 * 1024;

/** Much, because a client may well send all it has before it reads: then both would wait for each other. */
const mostUnread = 64 * 1024 * 1024;

const newline = 10;

/**
 * One JSON-RPC message a line. The SDK's own transport joins its buffer anew for every chunk, so that a message of
 * 64 MB blocks for half a minute, it ends the connection over a long message, and it says nothing to a malformed one.
 * This one is linear, passes over what it cannot take, and answers it.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private chunks: Buffer[] = [];
  private size = 0;
  private skipping = false;
  private closed = false;
  /** The input has ended; the connection ends once every message is answered. */
  private isOver = false;
  private readonly unanswered = new Set<string | number>();
  /** Resolves when the client has read the answers before. */
  private drained: Promise<void> | null = null;
  private finish: () => void = () => {};
  /** The client has left, or the transport was closed. */
  readonly ended = new Promise<void>((resolve) => {
    this.finish = resolve;
  });

  constructor(private readonly options: LineOptions) {}

  async start(): Promise<void> {
    const { input, output } = this.options;
    input.on("data", this.receive);
    input.on("end", this.end);
    input.on("close", this.end);
    input.on("error", this.fail);
    output.on("error", this.fail);
  }

  private readonly end = (): void => {
    if (this.isOver || this.closed) return;
    this.finishLine();
    this.isOver = true;
    this.settle();
  };

  private settle(id?: string | number): void {
    if (id !== undefined) this.unanswered.delete(id);
    if (this.isOver && this.unanswered.size === 0) void this.close();
  }

  /** A broken pipe is how clients leave. */
  private readonly fail = (error: Error): void => {
    if (this.closed) return;
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") this.onerror?.(error);
    void this.close();
  };

  private readonly receive = (chunk: Buffer | string): void => {
    let rest = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    for (let at = rest.indexOf(newline); at >= 0 && !this.closed; at = rest.indexOf(newline)) {
      this.keep(rest.subarray(0, at));
      this.finishLine();
      rest = rest.subarray(at + 1);
    }
    this.keep(rest);
  };

  private keep(part: Buffer): void {
    if (this.skipping || part.length === 0) return;
    this.size += part.length;
    if (this.size <= this.options.longest) {
      this.chunks.push(part);
      return;
    }
    this.skipping = true;
    this.chunks = [];
    this.complain(ProtocolErrorCode.InvalidRequest, `Message longer than ${this.options.longest} bytes`);
  }

  private finishLine(): void {
    const line = this.skipping ? "" : Buffer.concat(this.chunks).toString("utf8").trim();
    this.chunks = [];
    this.size = 0;
    this.skipping = false;
    if (line !== "") this.deliver(line);
  }

  private deliver(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.complain(ProtocolErrorCode.ParseError, "Parse error");
      return;
    }
    // The protocol of 2025-03-26 lets clients send several at once; each is answered by itself.
    for (const one of Array.isArray(value) && value.length > 0 ? value : [value]) this.take(one);
  }

  private take(value: unknown): void {
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      this.complain(ProtocolErrorCode.InvalidRequest, "Invalid request", idOf(value));
      return;
    }
    // A subscription is answered when the connection ends.
    if (isJSONRPCRequest(message) && message.method !== "subscriptions/listen")
      this.unanswered.add(message.id);
    this.onmessage?.(message);
    if ("method" in message && message.method === "notifications/cancelled")
      this.settle(message.params?.requestId as string | number | undefined);
  }

  private complain(code: number, message: string, id: string | number | null = null): void {
    this.onerror?.(new Error(message));
    void this.write({ jsonrpc: "2.0", id, error: { code, message } });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.closed) throw new Error("the connection is closed");
    await this.write(message);
    if (!("method" in message)) this.settle(message.id);
  }

  /** Waits while the client does not read, and takes no more from it once too much waits. */
  private write(message: object): Promise<void> {
    const { input, output } = this.options;
    if (output.write(`${JSON.stringify(message)}\n`)) return Promise.resolve();
    if (output.writableLength > (this.options.mostUnread ?? mostUnread)) input.pause();
    this.drained ??= new Promise<void>((resolve) => {
      const settle = (): void => {
        for (const event of drainEvents) output.off(event, settle);
        this.drained = null;
        if (!this.closed) input.resume();
        resolve();
      };
      for (const event of drainEvents) output.on(event, settle);
    });
    return this.drained;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    const { input } = this.options;
    input.off("data", this.receive);
    input.off("end", this.end);
    input.off("close", this.end);
    input.pause();
    this.chunks = [];
    this.onclose?.();
    this.finish();
  }
}

const drainEvents = ["drain", "close", "error"] as const;

function idOf(value: unknown): string | number | null {
  const id = typeof value === "object" && value !== null ? (value as { id?: unknown }).id : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
