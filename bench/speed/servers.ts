/** The two servers of the comparison, each started as its users start it, and a client that adds next to nothing. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";

const reference = "@modelcontextprotocol/server-filesystem@2026.8.31";

/** The reference server is fetched when first asked for, into a cache outside the tree. */
function fetchReference(): string {
  const cache = join(
    process.env.KEDGE_CLIENTS_CACHE ?? join(homedir(), ".cache", "kedge-clients"),
    "filesystem",
  );
  const entry = join(cache, "node_modules", "@modelcontextprotocol", "server-filesystem", "dist", "index.js");
  if (existsSync(entry)) return entry;
  mkdirSync(cache, { recursive: true });
  const flags = ["--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "--prefix", cache];
  spawnSync("npm", ["install", ...flags, reference], {
    cwd: cache,
    stdio: ["ignore", "inherit", "inherit"],
    timeout: 180_000,
  });
  if (!existsSync(entry)) throw new Error(`npm could not fetch ${reference}`);
  return entry;
}

/** The program as it ships; `npm run bench:speed` builds it first. */
function shipped(): string {
  return resolve("dist/bin.cjs");
}

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

/** One server, spoken to in lines of JSON. */
export class Client {
  private next = 0;
  private rest: Buffer[] = [];
  private readonly waiting = new Map<
    number,
    (message: { result?: Record<string, unknown>; error?: { message: string } }) => void
  >();

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    child.stdout.on("data", (chunk: Buffer) => this.receive(chunk));
    child.stderr.resume();
  }

  private receive(chunk: Buffer): void {
    const end = chunk.indexOf(10);
    if (end < 0) {
      this.rest.push(chunk);
      return;
    }
    const line = Buffer.concat([...this.rest, chunk.subarray(0, end)]).toString();
    this.rest = [];
    const message = JSON.parse(line);
    this.waiting.get(message.id)?.(message);
    this.waiting.delete(message.id);
    if (end + 1 < chunk.length) this.receive(chunk.subarray(end + 1));
  }

  static async start(args: readonly string[], cwd: string, env: Record<string, string>): Promise<Client> {
    const child = spawn(process.execPath, [...args], { cwd, env: { PATH: process.env.PATH ?? "", ...env } });
    const client = new Client(child);
    const clientInfo = { name: "bench", version: "1" };
    await client.request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    await client.request("tools/list", {});
    return client;
  }

  async request(method: string, params: object): Promise<Record<string, unknown>> {
    const id = ++this.next;
    const answered = new Promise<{ result?: Record<string, unknown>; error?: { message: string } }>(
      (resolve) => {
        this.waiting.set(id, resolve);
      },
    );
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const { result, error } = await answered;
    return result ?? { isError: true, content: [{ type: "text", text: error?.message }] };
  }

  async call(name: string, args: object): Promise<Answer> {
    const result = await this.request("tools/call", { name, arguments: args });
    const text = (result.content as { text: string }[]).map((block) => block.text).join("");
    return { text, isError: result.isError === true };
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.on("close", resolve));
    this.child.stdin.end();
    const timer = setTimeout(() => this.child.kill(), 2000);
    await ended;
    clearTimeout(timer);
  }
}

export interface Setup {
  readonly folder: string;
  readonly root: string;
  readonly kedge: () => Promise<Client>;
  readonly filesystem: () => Promise<Client>;
}

export async function setUp(): Promise<Setup> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "kedge-bench-")));
  const root = join(folder, "work");
  mkdirSync(root);
  const ours = shipped();
  const theirs = fetchReference();
  const env = { KEDGE_STATE: join(folder, "state"), HOME: folder };
  return {
    folder,
    root,
    kedge: () => Client.start([ours, "mcp"], root, env),
    filesystem: () => Client.start([theirs, root], root, { HOME: folder }),
  };
}
