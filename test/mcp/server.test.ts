import { afterEach, describe, expect, test } from "vitest";
import { tools } from "../../src/tools/index.js";
import {
  type Connected,
  type ConnectOptions,
  connect,
  type Era,
  type Workspace,
  workspace,
} from "./program.js";

const source = "one\ntwo\nthree\nfour\nfive\n";
let places: Workspace[] = [];
let connections: Connected[] = [];

afterEach(async () => {
  await Promise.all(connections.map(({ client }) => client.close()));
  for (const place of places) place.remove();
  places = [];
  connections = [];
});

async function open(files: Record<string, string> = { "a.ts": source }, options: ConnectOptions = {}) {
  const place = workspace(files);
  places.push(place);
  const connected = await connect(place, options);
  connections.push(connected);
  return { place, ...connected };
}

const anchors = (text: string): string[] => text.split("\n").map((row) => row.split("|")[0] as string);

describe.each<Era>(["legacy", "modern"])("a client of the %s protocol", (era) => {
  test("lists the tools in their order, with what may be assumed of them", async () => {
    const { client } = await open({}, { era });
    const listed = (await client.listTools()).tools;
    expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    for (const [at, tool] of tools.entries()) {
      const { title, ...hints } = tool.annotations;
      expect(listed[at]).toMatchObject({ title, description: tool.description, annotations: hints });
      expect(listed[at]?.inputSchema).toEqual(tool.inputSchema);
      expect(listed[at]).not.toHaveProperty("outputSchema");
    }
    expect((await client.listTools()).tools).toEqual(listed);
  });

  test("calls every tool; details go beside the text, never into structuredContent", async () => {
    const { call, place } = await open({ "a.ts": source }, { era });
    const read = await call("read_file", { path: "a.ts" });
    expect(read.details).toMatchObject({ status: "read", path: "a.ts", totalLines: 5 });
    expect(read.details).toHaveProperty("rows.length", 5);
    const [, two] = anchors(read.text);
    const edit = await call("edit_file", {
      path: "a.ts",
      edits: [{ op: "set_line", anchor: two, text: "TWO" }],
    });
    expect(edit.details).toMatchObject({ status: "applied", changedRanges: [{ start: 2, end: 2 }] });
    const files = [
      { path: "a.ts", edits: [{ op: "append", text: "six" }] },
      { path: "sub/b.ts", edits: [{ op: "create_file", text: "new\n" }] },
    ];
    expect((await call("multi_edit", { files })).details).toMatchObject({ status: "applied" });
    expect((await call("write_file", { path: "c.ts", content: "c\n" })).isError).toBe(false);
    const found = await call("grep", { pattern: "^T", path: "a.ts" });
    expect(found.text).toMatch(/^a\.ts\n2#\w{6}\|TWO$/);
    for (const answer of [read, edit, found]) {
      expect(answer.raw).not.toHaveProperty("structuredContent");
      expect(answer.raw.isError ?? false).toBe(false);
    }
    expect([place.text("a.ts"), place.text("sub/b.ts"), place.text("c.ts")]).toEqual([
      "one\nTWO\nthree\nfour\nfive\nsix\n",
      "new\n",
      "c\n",
    ]);
  });

  test("a long read has its rows in the text alone", async () => {
    const long = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at}\n`).join("");
    const { call } = await open({ "a.ts": long(200), "b.ts": long(201) }, { era });
    const few = await call("read_file", { path: "a.ts" });
    expect(few.details.rows).toHaveLength(200);
    const many = await call("read_file", { path: "b.ts" });
    expect(many.details).toMatchObject({ status: "read", path: "b.ts", totalLines: 201 });
    expect(many.details.ranges).toEqual([{ start: 1, end: 201 }]);
    expect(many.details).not.toHaveProperty("rows");
    expect(anchors(many.text)).toHaveLength(201);
  });

  test("gets the call that shows rows that were cut", async () => {
    const { call } = await open({ "a.ts": `${"x".repeat(2001)}\n`.repeat(201) }, { era });
    const { text, details } = await call("read_file", { path: "a.ts" });
    expect(text.match(/ \[cut: /g)).toHaveLength(201);
    expect(details.ranges).toEqual([]);
    expect(details).not.toHaveProperty("rows");
  });

  test("refusals are errors, in these tools' words", async () => {
    const { call, place } = await open({ "a.ts": source }, { era });
    const append = { path: "a.ts", edits: [{ op: "append", text: "six" }] };
    const unread = await call("edit_file", append);
    expect(unread).toMatchObject({ isError: true, details: { status: "refused", code: "not_read" } });
    expect(unread.text).toContain("call read_file on it first");
    const outside = await call("read_file", { path: "../../etc/passwd" });
    expect(outside).toMatchObject({ isError: true, details: { code: "outside_roots" } });
    const [, two] = anchors((await call("read_file", { path: "a.ts" })).text);
    place.write("a.ts", source.replace("two", "zwei"));
    const stale = await call("edit_file", {
      path: "a.ts",
      edits: [{ op: "set_line", anchor: two, text: "2" }],
    });
    expect(stale).toMatchObject({ isError: true, details: { code: "stale" } });
    expect(stale.text).toContain(">>> 2#");
    const again = await call("edit_file", { path: "a.ts", retry: stale.details.retry });
    expect(again.isError).toBe(false);
    expect(place.text("a.ts")).toBe(source.replace("two", "2"));
  });

  test("an unknown tool is an error of the protocol, bad arguments are an answer", async () => {
    const { client, call } = await open({}, { era });
    await expect(client.callTool({ name: "rm", arguments: {} })).rejects.toThrow(/there is no tool "rm"/);
    expect((await call("read_file", {})).text).toContain("path is missing");
  });
});

describe("options", () => {
  test("offer only the tools that read with --read-only", async () => {
    const { client } = await open({}, { args: ["--read-only"] });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["read_file", "grep"]);
    const write = client.callTool({ name: "write_file", arguments: { path: "x", content: "x" } });
    await expect(write).rejects.toThrow(/write_file is off: only reading is allowed here/);
  });

  test("--anchors names the scheme that reads print", async () => {
    const { call } = await open({ "a.ts": source }, { args: ["--anchors", "lean"] });
    expect((await call("read_file", { path: "a.ts" })).text).toMatch(/^[a-z]{3}1\tone\n/);
  });

  test("turn the gate off with --gate off", async () => {
    const { call } = await open({ "a.ts": source }, { args: ["--gate", "off"] });
    expect((await call("write_file", { path: "a.ts", content: "x" })).isError).toBe(false);
  });
});

describe("who is who", () => {
  const append = { path: "a.ts", edits: [{ op: "append", text: "six" }] };

  test("a `session` argument tells agents of one connection apart", async () => {
    const { call } = await open();
    await call("read_file", { path: "a.ts", session: "first" });
    expect((await call("edit_file", { ...append, session: "second" })).isError).toBe(true);
    expect((await call("edit_file", append)).isError).toBe(true);
    expect((await call("edit_file", { ...append, session: "first" })).isError).toBe(false);
  });

  test.each(["KEDGE_SESSION", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID"])(
    "%s outlives a connection",
    async (name) => {
      const { call, client, place } = await open({ "a.ts": source }, { env: { [name]: "s1" } });
      await call("read_file", { path: "a.ts" });
      await client.close();
      const other = await connect(place, { env: { [name]: "s2" } });
      const same = await connect(place, { env: { [name]: "s1" } });
      connections.push(other, same);
      expect((await other.call("edit_file", append)).details).toMatchObject({ code: "not_read" });
      expect((await same.call("edit_file", append)).isError).toBe(false);
    },
  );

  test("without any of them a connection is an agent", async () => {
    const { call, place } = await open();
    await call("read_file", { path: "a.ts" });
    const other = await connect(place);
    connections.push(other);
    expect((await other.call("edit_file", append)).details).toMatchObject({ code: "not_read" });
    expect((await call("edit_file", append)).isError).toBe(false);
  });
});

describe("roots", () => {
  test("the working directory, if nobody says otherwise", async () => {
    const { call, place } = await open();
    expect((await call("read_file", { path: `${place.root}/a.ts` })).isError).toBe(false);
    expect((await call("read_file", { path: "/etc/hostname" })).details).toMatchObject({
      code: "outside_roots",
    });
  });

  test("end at --root, where relative paths start", async () => {
    const { call } = await open({ "sub/b.ts": "b\n", "a.ts": "a\n" }, { args: ["--root", "sub"] });
    expect((await call("read_file", { path: "b.ts" })).isError).toBe(false);
    expect((await call("read_file", { path: "../a.ts" })).details).toMatchObject({ code: "outside_roots" });
  });

  const files = { "one/a.ts": "a\n", "one/deep/b.ts": "b\n", "two/c.ts": "c\n" };
  const reach = async (rootsOf: (root: string) => string[], args: string[]) => {
    const place = workspace(files);
    places.push(place);
    const connected = await connect(place, { args, roots: rootsOf(place.root) });
    connections.push(connected);
    const seen: string[] = [];
    for (const path of Object.keys(files))
      if (!(await connected.call("read_file", { path: `${place.root}/${path}` })).isError) seen.push(path);
    return seen;
  };

  test.each<[string, (root: string) => string[], string[], string[]]>([
    ["a client's roots, without a ceiling", (root) => [`${root}/two`], [], ["two/c.ts"]],
    ["inside the ceiling", (root) => [`${root}/one/deep`], ["--root", "one"], ["one/deep/b.ts"]],
    ["wider than the ceiling", (root) => [root], ["--root", "one"], ["one/a.ts", "one/deep/b.ts"]],
    ["beside the ceiling", (root) => [`${root}/two`], ["--root", "one"], ["one/a.ts", "one/deep/b.ts"]],
    ["none", () => [], ["--root", "two"], ["two/c.ts"]],
  ])("%s", async (_, rootsOf, args, expected) => {
    expect(await reach(rootsOf, args)).toEqual(expected);
  });
});
