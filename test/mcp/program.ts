/** `kedge mcp` as a program of its own, in a workspace and with a state of its own. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** Built from these very sources before the tests began (test/announce.ts). */
export const program: string = resolve("dist/bin.cjs");

export interface Workspace {
  readonly root: string;
  readonly env: Record<string, string>;
  write(path: string, text: string): void;
  text(path: string): string;
  remove(): void;
}

export function workspace(files: Readonly<Record<string, string>> = {}): Workspace {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "kedge-mcp-")));
  const root = join(folder, "work");
  mkdirSync(root);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const env = { PATH: process.env.PATH ?? "", HOME: folder, KEDGE_STATE: join(folder, "state") };
  return {
    root,
    env,
    write,
    text: (path) => readFileSync(join(root, path), "utf8"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export type Era = "legacy" | "modern";

export interface Connected {
  readonly client: Client;
  /** What the program said beside the protocol. */
  readonly stderr: () => string;
  call(name: string, args: object): Promise<Answer>;
}

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: details of five tools, looked at by the tests.
  readonly details: any;
  readonly raw: Record<string, unknown>;
}

export interface ConnectOptions {
  readonly era?: Era;
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
  readonly roots?: readonly string[];
}

/** The official client, connected to the program. */
export async function connect(place: Workspace, options: ConnectOptions = {}): Promise<Connected> {
  const { era = "legacy", args = [], env = {}, roots } = options;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "mcp", ...args],
    cwd: place.root,
    env: { ...place.env, ...env },
    stderr: "pipe",
  });
  let said = "";
  transport.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  const mode = era === "modern" ? { pin: "2026-07-28" } : "legacy";
  const capabilities = roots ? { roots: { listChanged: true } } : {};
  const client = new Client({ name: "test", version: "1" }, { capabilities, versionNegotiation: { mode } });
  if (roots)
    client.setRequestHandler("roots/list", () => ({
      roots: roots.map((root) => ({ uri: `file://${root}` })),
    }));
  await client.connect(transport);
  return {
    client,
    stderr: () => said,
    call: async (name, given) => {
      const raw = (await client.callTool({ name, arguments: given as Record<string, unknown> })) as Record<
        string,
        unknown
      >;
      const text = (raw.content as { text: string }[]).map((block) => block.text).join("");
      const meta = raw._meta as Record<string, unknown> | undefined;
      return { text, isError: raw.isError === true, details: meta?.["kedge/details"], raw };
    },
  };
}

/** The program with nothing between it and the test: lines in, lines out. */
export class Raw {
  readonly lines: string[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: messages of the protocol, looked at by the tests.
  readonly messages: any[] = [];
  stderr = "";
  readonly exited: Promise<number | null>;
  private rest = "";
  private wake: () => void = () => {};

  private constructor(readonly child: ChildProcessWithoutNullStreams) {
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      const parts = (this.rest + chunk).split("\n");
      this.rest = parts.pop() ?? "";
      this.lines.push(...parts);
      this.wake();
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      this.stderr += chunk;
    });
    child.stdin.on("error", () => {});
    this.exited = new Promise((settle) => child.on("close", (code) => settle(code)));
  }

  static async start(place: Workspace, args: readonly string[] = []): Promise<Raw> {
    const settings = { cwd: place.root, env: place.env };
    return new Raw(spawn(process.execPath, [program, "mcp", ...args], settings));
  }

  /** What it said on stderr, but for the one line about the first recording. */
  get complaints(): string {
    return this.stderr.replace(/^kedge: .* on record on this machine.*\n/m, "");
  }

  write(text: string | Buffer): void {
    this.child.stdin.write(text);
  }

  send(message: object): void {
    this.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** The first message that answers, within a minute: a busy machine is no failure. */
  // biome-ignore lint/suspicious/noExplicitAny: messages of the protocol, looked at by the tests.
  async answer(test: number | string | null | ((message: any) => boolean)): Promise<any> {
    const fits = typeof test === "function" ? test : (message: { id?: unknown }) => message.id === test;
    const until = Date.now() + 60_000;
    for (;;) {
      for (const line of this.lines.slice(this.messages.length)) this.messages.push(JSON.parse(line));
      const found = this.messages.find((message) => fits(message));
      if (found !== undefined) return found;
      if (Date.now() > until) throw new Error(`no answer; got ${this.lines.join("\n").slice(0, 2000)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 200);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  async initialise(): Promise<void> {
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "raw", version: "1" },
    };
    this.send({ id: "init", method: "initialize", params });
    await this.answer("init");
    this.send({ method: "notifications/initialized" });
  }

  call(id: number | string, name: string, args: object, meta: object = {}): void {
    this.send({ id, method: "tools/call", params: { name, arguments: args, ...meta } });
  }

  async end(): Promise<number | null> {
    this.child.stdin.end();
    return this.exited;
  }
}
