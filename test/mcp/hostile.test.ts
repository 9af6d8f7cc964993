import { readdirSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { Raw, type Workspace, workspace } from "./program.js";

let places: Workspace[] = [];
let running: Raw[] = [];

afterEach(async () => {
  await Promise.all(running.map((raw) => raw.end()));
  for (const place of places) place.remove();
  places = [];
  running = [];
});

const source = Array.from({ length: 40 }, (_, at) => `line ${at + 1}\n`).join("");

async function start(files: Record<string, string> = { "a.ts": source }) {
  const place = workspace(files);
  places.push(place);
  const raw = await Raw.start(place);
  running.push(raw);
  return { place, raw };
}

/** Everything on stdout is a message of the protocol. */
function expectClean(raw: Raw): void {
  for (const line of raw.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
}

/** The server still does what it is asked. */
async function expectAlive(raw: Raw): Promise<void> {
  raw.call("alive", "grep", { pattern: "line 7$" });
  const { result } = await raw.answer("alive");
  expect(result.content[0].text).toContain("|line 7");
}

const anchorsOf = (answer: { result: { content: { text: string }[] } }): string[] =>
  (answer.result.content[0]?.text ?? "").split("\n").map((row) => row.split("|")[0] as string);

describe("malformed messages", () => {
  test.each<[string, string, number]>([
    ["not JSON", "{nonsense", -32700],
    ["half a message", '{"jsonrpc":"2.0","id":1', -32700],
    ["a number", "7", -32600],
    ["a list", "[]", -32600],
    ["no method", '{"jsonrpc":"2.0","id":1}', -32600],
    ["another version", '{"jsonrpc":"1.0","id":1,"method":"tools/list"}', -32600],
    ["bytes", "\u0000\u0001\u00ff", -32700],
  ])("%s is answered, and the connection lives on", async (_, line, code) => {
    const { raw } = await start();
    await raw.initialise();
    raw.write(`${line}\n`);
    const answer = await raw.answer((message) => message.error !== undefined);
    expect(answer.error.code).toBe(code);
    await expectAlive(raw);
    expectClean(raw);
  });

  test("bytes that are not UTF-8, empty lines, CRLF, a message in pieces, two in one piece", async () => {
    const { raw } = await start();
    await raw.initialise();
    raw.write(Buffer.from([0xff, 0xfe, 0x0a, 0x0a, 0x0d, 0x0a]));
    const list = '{"jsonrpc":"2.0","id":"pieces","method":"tools/list"}\r\n';
    for (const character of list) raw.write(character);
    await raw.answer("pieces");
    raw.write(list.replace("pieces", "first") + list.replace("pieces", "second"));
    await raw.answer("first");
    await raw.answer("second");
    await expectAlive(raw);
  });

  test("a list of messages, as the protocol of March 2025 had it: each is answered", async () => {
    const { raw } = await start();
    await raw.initialise();
    const message = (id: string, method: string) => ({ jsonrpc: "2.0", id, method });
    raw.write(`${JSON.stringify([message("first", "ping"), 7, message("second", "tools/list")])}\n`);
    expect((await raw.answer("first")).result).toEqual({});
    expect((await raw.answer("second")).result.tools).toHaveLength(5);
    expect((await raw.answer(null)).error.code).toBe(-32600);
    expectClean(raw);
  });

  test.each<[string, object]>([
    ["no name", { arguments: {} }],
    ["a number as name", { name: 7 }],
    ["arguments as a string", { name: "read_file", arguments: "{}" }],
    ["arguments as a list", { name: "read_file", arguments: [] }],
    ["an unknown tool", { name: "__proto__", arguments: {} }],
  ])("tools/call with %s is an error", async (_, params) => {
    const { raw } = await start();
    await raw.initialise();
    raw.send({ id: 1, method: "tools/call", params });
    expect((await raw.answer(1)).error.code).toBe(-32602);
    await expectAlive(raw);
  });

  test("an unknown method, an unknown notification, an answer nobody asked for", async () => {
    const { raw } = await start();
    await raw.initialise();
    raw.send({ id: 1, method: "files/steal" });
    expect((await raw.answer(1)).error.code).toBe(-32601);
    raw.send({ method: "notifications/nothing" });
    raw.send({ id: 99, result: {} });
    raw.send({ method: "notifications/cancelled", params: { requestId: 12345 } });
    await expectAlive(raw);
  });
});

describe("huge arguments", () => {
  test("sixteen megabytes are written, in one piece", async () => {
    const { raw, place } = await start();
    await raw.initialise();
    const content = `${"x".repeat(1023)}\n`.repeat(16 * 1024);
    raw.call(1, "write_file", { path: "big.txt", content });
    expect((await raw.answer(1)).result.isError ?? false).toBe(false);
    expect(place.text("big.txt") === content).toBe(true);
    await expectAlive(raw);
  });

  test("a file over the limit is refused", async () => {
    const { raw, place } = await start();
    await raw.initialise();
    raw.call(1, "write_file", { path: "huge.txt", content: "x".repeat(65 * 1024 * 1024) });
    expect((await raw.answer(1)).result).toMatchObject({ isError: true });
    expect(readdirSync(place.root)).toEqual(["a.ts"]);
    await expectAlive(raw);
  });

  test("a message over the limit is passed over and answered", async () => {
    const { raw } = await start();
    await raw.initialise();
    const part = Buffer.alloc(8 * 1024 * 1024, 0x20);
    for (let at = 0; at < 25; at++) raw.write(part);
    raw.write("\n");
    expect((await raw.answer(null)).error.message).toContain("Message longer than");
    await expectAlive(raw);
  });

  test("ten thousand edits in one call, and nesting without end", async () => {
    const { raw, place } = await start();
    await raw.initialise();
    raw.call(1, "read_file", { path: "a.ts" });
    await raw.answer(1);
    const edits = Array.from({ length: 10_000 }, () => ({ op: "append", text: "x" }));
    raw.call(2, "edit_file", { path: "a.ts", edits });
    expect((await raw.answer(2)).result.isError ?? false).toBe(false);
    expect(place.text("a.ts")).toBe(source + "x\n".repeat(10_000));
    const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
    raw.write(
      `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"edit_file","arguments":{"path":"a.ts","edits":${deep}}}}\n`,
    );
    expect(await raw.answer(3)).toBeDefined();
    for (const field of ["path", "session", "retry"]) {
      raw.write(
        `{"jsonrpc":"2.0","id":"${field}","method":"tools/call","params":{"name":"edit_file","arguments":{"path":"a.ts","${field}":${"[".repeat(20_000)}${"]".repeat(20_000)}}}}\n`,
      );
      const { result } = await raw.answer(field);
      expect(result.content[0].text).toContain(`${field} must be a string; got a list`);
    }
    expect(raw.complaints).toBe("");
    await expectAlive(raw);
  });
});

describe("out of order", () => {
  test("calls before initialisation", async () => {
    const { raw } = await start();
    raw.call(1, "read_file", { path: "a.ts" });
    raw.send({ id: 2, method: "tools/list" });
    expect(await raw.answer(1)).toBeDefined();
    expect(await raw.answer(2)).toBeDefined();
    await expectAlive(raw);
  });

  test("initialising twice, and with a protocol that does not exist", async () => {
    const { raw } = await start();
    await raw.initialise();
    const params = {
      protocolVersion: "1999-01-01",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    };
    raw.send({ id: 2, method: "initialize", params });
    expect((await raw.answer(2)).result.protocolVersion).toMatch(/^2025-/);
    await expectAlive(raw);
  });
});

describe("at the same time", () => {
  test("twenty calls on one file: each accepted edit is there once, and in one piece", async () => {
    const { raw, place } = await start();
    await raw.initialise();
    raw.call("read", "read_file", { path: "a.ts" });
    const anchors = anchorsOf(await raw.answer("read"));
    for (let at = 0; at < 20; at++)
      raw.call(at, "edit_file", {
        path: "a.ts",
        edits: [{ op: "set_line", anchor: anchors[at * 2], text: `edit ${at}\nmore ${at}` }],
      });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => raw.answer(at)));
    expect(answers.map(({ result }) => result.content[0].text.split("\n")[0])).toEqual(
      Array.from({ length: 20 }, () => expect.stringMatching(/^a\.ts edited/)),
    );
    const expected = Array.from({ length: 20 }, (_, at) => `edit ${at}\nmore ${at}\nline ${at * 2 + 2}\n`);
    expect(place.text("a.ts")).toBe(expected.join(""));
  });

  test("twenty calls on one line: one is accepted", async () => {
    const { raw, place } = await start();
    await raw.initialise();
    for (let at = 0; at < 20; at++)
      raw.call(`read ${at}`, "read_file", { path: "a.ts", session: `agent ${at}` });
    const reads = await Promise.all(Array.from({ length: 20 }, (_, at) => raw.answer(`read ${at}`)));
    const [anchor] = anchorsOf(reads[0]);
    for (let at = 0; at < 20; at++) {
      const edits = [{ op: "set_line", anchor, text: `agent ${at}` }];
      raw.call(at, "edit_file", { path: "a.ts", edits, session: `agent ${at}` });
    }
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => raw.answer(at)));
    const accepted = answers.flatMap(({ result }, at) => (result.isError ? [] : [at]));
    expect(accepted).toHaveLength(1);
    expect(place.text("a.ts")).toBe(source.replace("line 1\n", `agent ${accepted[0]}\n`));
  });
});

describe("leaving", () => {
  test("the end of input ends the program, quietly", async () => {
    const { raw } = await start();
    await raw.initialise();
    expect(await raw.end()).toBe(0);
    expect(raw.complaints).toBe("");
    expectClean(raw);
  });

  test("SIGTERM ends it too", async () => {
    const { raw } = await start();
    await raw.initialise();
    raw.child.kill("SIGTERM");
    await raw.exited;
    expectClean(raw);
  });

  test("in the middle of a batch: all of it or none, nothing half written, nothing left behind", async () => {
    const names = Array.from({ length: 12 }, (_, at) => `f${at}.ts`);
    const old = `${"old\n".repeat(2000)}end\n`;
    for (const delay of [0, 1, 5, 15, 40]) {
      const { raw, place } = await start(Object.fromEntries(names.map((name) => [name, old])));
      await raw.initialise();
      for (const name of names) raw.call(name, "read_file", { path: name, limit: 5000 });
      for (const name of names) await raw.answer(name);
      const edits = [{ op: "replace_text", old: "old", new: "new", all: true }];
      raw.call(1, "multi_edit", { files: names.map((path) => ({ path, edits })) });
      await new Promise((resolve) => setTimeout(resolve, delay));
      raw.child.stdin.end();
      raw.child.stdout.destroy();
      await raw.exited;
      const texts = new Set(names.map((name) => place.text(name)));
      expect([...texts].filter((text) => text !== old && text !== old.replaceAll("old", "new"))).toEqual([]);
      expect(texts.size).toBe(1);
      expect(readdirSync(place.root).sort()).toEqual([...names].sort());
    }
  });

  test("a client that does not read its answers", async () => {
    const { raw } = await start({ "a.ts": `${"x".repeat(100)}\n`.repeat(2000) });
    await raw.initialise();
    raw.child.stdout.pause();
    for (let at = 0; at < 50; at++) raw.call(at, "read_file", { path: "a.ts" });
    await new Promise((resolve) => setTimeout(resolve, 300));
    raw.child.stdout.resume();
    expect((await raw.answer(49)).result.content[0].text).toContain("1#");
  });
});

describe("a long search", () => {
  test("reports progress, and stops when it is told to", async () => {
    const text = "a line of a file that nobody looks for\n".repeat(100);
    const files = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`f${at}.ts`, text]));
    const { raw } = await start({ ...files, "a.ts": source });
    await raw.initialise();
    raw.call(1, "grep", { pattern: "line 7$" }, { _meta: { progressToken: "p" } });
    await raw.answer(1);
    const reported = raw.messages.filter(({ method }) => method === "notifications/progress");
    const counts: number[] = reported.map(({ params }) => params.progress);
    expect(counts.length).toBeGreaterThan(0);
    expect(counts).toEqual([...new Set(counts)].sort((one, two) => one - two));
    expect(reported[0].params).toMatchObject({ progressToken: "p" });
    raw.call(2, "grep", { pattern: "not there" });
    raw.send({ method: "notifications/cancelled", params: { requestId: 2, reason: "changed my mind" } });
    await expectAlive(raw);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(raw.messages.filter(({ id }) => id === 2)).toEqual([]);
    expect(raw.complaints).toBe("");
  });
});
