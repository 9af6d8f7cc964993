/** Messages as no client sends them: the server answers a ping after each, soon; its folder is all it touches and tells. */
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { serveMcp } from "../../../src/mcp/index.js";
import { nodeFiles, nodeStore } from "../../../src/node.js";
import { memoryFiles, memoryStore } from "../../../src/ports/index.js";
import { Session } from "../../../src/session/session.js";
import { tools } from "../../../src/tools/index.js";
import { garbled, mutated, runs, soon, textOf } from "./mutants.js";
import { isLeaked, Site, timed } from "./site.js";

const files = {
  "a.js": "let one = 1;\nlet two = 2;\nlet three = 3;\n",
  "b.txt": "one\ntwo\n",
  "sub/a.txt": "alpha\nbeta\n",
  ".git/config": "[core]\n",
  ".kedge.json": "{}\n",
  id_rsa: "private\n",
};

const inMemory = new Session({ files: memoryFiles(files), store: memoryStore(), agent: "a", clock: () => 0 });
/** Rows as a read prints them: right for whoever has read the file. */
const [first, row, last] = (await inMemory.read({ path: "a.js" })).text.split("\n");
const edits: readonly object[] = [
  { op: "set_line", anchor: row, text: "x" },
  { op: "replace_lines", start: row, end: last, text: ["x", "y"] },
  { op: "insert_after", anchor: first, text: "x" },
  { op: "insert_before", anchor: row, text: "x" },
  { op: "replace_text", old: "two", new: "zwei", all: true },
  { op: "append", text: "x" },
  { op: "prepend", text: "x" },
  { op: "delete_file" },
  { op: "move_file", to: "{outside}/moved.txt" },
  { op: "move_file", to: "folder/moved.txt" },
  { op: "move_file", to: "moved.txt" },
  { op: "create_file", text: ["x"] },
];

const calls: readonly (readonly [string, object])[] = [
  ["read_file", { path: "a.js" }],
  ["read_file", { path: "a.js", ranges: ["1-2", { start: 3, end: 3 }], limit: 2, offset: 1 }],
  ["read_file", { path: "b.txt", around: "two", context: 1, delta: true }],
  ["read_file", { path: "{outside}/canary.txt" }],
  ["read_file", { path: "folder/canary.txt" }],
  ["grep", { pattern: "two", path: "sub", glob: "**/*.txt", context: 2, max_results: 5, ignore_case: true }],
  ["grep", { pattern: "(a+)+$", path: "{outside}", literal: false }],
  ["grep", { pattern: "canary", path: "link.txt" }],
  ...edits.map((edit) => ["edit_file", { path: "a.js", edits: [edit], dry_run: false }] as const),
  ["edit_file", { path: "a.js", edits: JSON.stringify(edits) }],
  ["edit_file", { path: "link.txt", edits: [{ op: "replace_text", old: "canary", new: "x" }] }],
  ["edit_file", { retry: "r1", edits: [] }],
  [
    "multi_edit",
    {
      files: [
        { path: "a.js", edits },
        { path: "b.txt", edits },
      ],
    },
  ],
  ["multi_edit", { files: JSON.stringify([{ path: "b.txt", edits }]) }],
  ["write_file", { path: "new.txt", content: "new\n" }],
  ["write_file", { path: "a.js", content: "all\n" }],
  ["write_file", { path: "{outside}/canary.txt", content: "x" }],
  ["write_file", { path: "folder/new.txt", content: "x", retry: "r1" }],
];

const version = "2025-06-18";
const info = { name: "fuzz", version: "1" };
const others: readonly [string, object][] = [
  ["initialize", { protocolVersion: version, capabilities: { roots: {} }, clientInfo: info }],
  ["tools/list", { cursor: "x" }],
  ["resources/list", {}],
  ["logging/setLevel", { level: "debug" }],
  ["notifications/cancelled", { requestId: 1, reason: "x" }],
  ["notifications/roots/list_changed", {}],
  ["notifications/progress", { progressToken: 1, progress: 1 }],
];

const seeds = [
  ...calls.map(
    ([name, args]) => ["tools/call", { name, arguments: args, _meta: { progressToken: 7 } }] as const,
  ),
  ...others,
].map(([method, params], at) => ({
  jsonrpc: "2.0",
  ...(method.startsWith("notif") ? {} : { id: at }),
  method,
  params,
}));

const line = garbled(mutated(seeds).map(textOf)).map((text) => text.replaceAll("\n", " "));

interface Message {
  readonly id?: unknown;
  readonly result?: { readonly isError?: boolean; readonly content?: readonly { readonly text: string }[] };
}

class Client {
  leaks = false;
  private readonly lines: string[] = [];
  private readonly input = new PassThrough();
  private readonly output = new PassThrough();
  private readonly handle;
  private rest = "";
  private pings = 0;
  private wake: () => void = () => {};

  constructor(site: Site) {
    const { state } = site;
    const ports = {
      files: nodeFiles({ roots: [site.project], state }),
      store: nodeStore({ state, workspace: { key: site.project } }),
    };
    this.output.on("data", (bytes: Buffer) => {
      const parts = (this.rest + bytes.toString("utf8")).split("\n");
      this.rest = parts.pop() ?? "";
      this.lines.push(...parts);
      this.leaks ||= parts.some(isLeaked);
      this.wake();
    });
    const log = (): void => {};
    this.handle = serveMcp({ ...ports, version: "1", input: this.input, output: this.output, log });
  }

  write(text: string): void {
    this.input.write(`${text}\n`);
  }

  async request(method: string, params: object): Promise<Message> {
    const id = `own-${++this.pings}`;
    this.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    for (;;) {
      const found = this.lines.map((one) => JSON.parse(one) as Message).find((one) => one.id === id);
      if (found) return found;
      this.lines.length = 0;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  async close(): Promise<void> {
    this.input.end();
    await this.handle.closed;
  }
}

test("messages of any shape", { timeout: 3_600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 60, size: "max" }), async (batch) => {
      const site = new Site(files);
      const client = new Client(site);
      try {
        const hello = { protocolVersion: version, capabilities: {}, clientInfo: info };
        await timed("initialize", soon, () => client.request("initialize", hello));
        for (const one of batch) {
          const text = site.placed(one);
          const what = text.slice(0, 500);
          client.write(text);
          const pong = await timed(`ping after ${what}`, soon, () => client.request("ping", {}));
          expect(pong.result, what).toEqual({});
          expect(client.leaks, `tells the canary: ${what}`).toBe(false);
        }
        await stillStrict(client, site);
        await timed("the end", soon, () => client.close());
        const what = `after ${batch.length} messages`;
        site.expectUntouched(what);
        expect(site.text(".git/config") + site.text(".kedge.json")).toBe("[core]\n{}\n");
      } finally {
        site.remove();
      }
    }),
    { numRuns: Math.ceil(runs / 5) },
  );
});

/** A file that nobody was shown is neither written over nor edited by a row that was not printed; nothing leads out. */
async function stillStrict(client: Client, site: Site): Promise<void> {
  site.put("never.txt", "first of never\nsecond of never\n");
  const refused = [
    ["write_file", { path: "never.txt", content: "x" }],
    ["edit_file", { path: "never.txt", edits: [{ op: "set_line", anchor: "2#c0ffee", text: "x" }] }],
    ["write_file", { path: `${site.outside}/new.txt`, content: "x" }],
    ["read_file", { path: "link.txt" }],
  ] as const;
  for (const [name, args] of refused) {
    const answer = await client.request("tools/call", { name, arguments: args });
    expect(answer.result?.isError, JSON.stringify(answer).slice(0, 500)).toBe(true);
  }
  expect(site.text("never.txt")).toBe("first of never\nsecond of never\n");
}

test("all tools are tried", () => {
  const names = new Set(calls.map(([name]) => name));
  expect([...names].sort()).toEqual(tools.map(({ name }) => name).sort());
});
