import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { parseLineRef } from "../../src/anchors/anchor.js";
import { promptRules } from "../../src/ledger/gate.js";
import { readOnlyTools, type Schema, tools } from "../../src/tools/index.js";
import { bench, code } from "./support.js";

const listed = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));

describe("what a model pays for in every request", () => {
  test("all five tools with their schemas take at most 900 tokens", () => {
    expect(countTokens(JSON.stringify(listed))).toBeLessThanOrEqual(900);
  });

  test("the order never changes", () => {
    expect(tools.map(({ name }) => name)).toEqual([
      "read_file",
      "edit_file",
      "multi_edit",
      "write_file",
      "grep",
    ]);
    expect(readOnlyTools.map(({ name }) => name)).toEqual(["read_file", "grep"]);
  });

  test("the tools that write carry the gate's rules, the others do not", () => {
    for (const { description, annotations } of tools)
      expect(description.includes(promptRules)).toBe(!annotations.readOnlyHint);
  });

  test("nothing in a description can be copied as an anchor", () => {
    for (const word of JSON.stringify(listed).split(/[\s"{}[\],()]+/)) {
      const read = parseLineRef(word);
      expect("problem" in read, word).toBe(true);
      expect(word).not.toMatch(/LINE#|<\w+>|\.\.\.$/);
    }
  });
});

describe("schemas that every provider takes", () => {
  const visit = (schema: Schema, depth: number, see: (schema: Schema, depth: number) => void): void => {
    see(schema, depth);
    for (const inner of Object.values(schema.properties ?? {})) visit(inner, depth + 1, see);
    if (schema.items) visit(schema.items, depth + 1, see);
  };
  test.each(tools.map((tool) => [tool.name, tool] as const))("%s", (_, { inputSchema }) => {
    visit(inputSchema, 0, (schema, depth) => {
      const allowed = ["type", "description", "enum", "properties", "items", "required"];
      expect(Object.keys(schema).filter((key) => !allowed.includes(key))).toEqual([]);
      expect(["object", "array", "string", "integer", "boolean"]).toContain(schema.type);
      expect(schema.type === "array").toBe(schema.items !== undefined);
      if (schema.type === "object") expect(Object.keys(schema.properties ?? {})).not.toEqual([]);
      for (const name of schema.required ?? []) expect(schema.properties).toHaveProperty(name);
      expect(depth).toBeLessThanOrEqual(5);
    });
    expect(inputSchema.properties).not.toHaveProperty("session");
  });
});

test("a whole file is sent to multi_edit, and what is sent back is what was asked for", async () => {
  const { call } = bench({ "a.ts": "a\n" });
  await call("read_file", { path: "a.ts" });
  const refused = await call("edit_file", { path: "a.ts", edits: [{ op: "move_file", to: "b.ts" }] });
  const [, request = ""] = /send multi_edit (\{.*\})$/m.exec(refused.text) ?? [];
  expect(JSON.parse(request)).toEqual({
    files: [{ path: "a.ts", edits: [{ op: "move_file", to: "b.ts" }] }],
  });
  expect((await call("multi_edit", JSON.parse(request))).isError).toBe(false);
});

test("annotations say what a tool may do", () => {
  const hints = tools.map(({ name, annotations }) => [name, annotations]);
  expect(hints).toMatchInlineSnapshot(`
    [
      [
        "read_file",
        {
          "destructiveHint": false,
          "idempotentHint": true,
          "openWorldHint": false,
          "readOnlyHint": true,
          "title": "Read a file",
        },
      ],
      [
        "edit_file",
        {
          "destructiveHint": true,
          "idempotentHint": false,
          "openWorldHint": false,
          "readOnlyHint": false,
          "title": "Edit a file",
        },
      ],
      [
        "multi_edit",
        {
          "destructiveHint": true,
          "idempotentHint": false,
          "openWorldHint": false,
          "readOnlyHint": false,
          "title": "Edit several files",
        },
      ],
      [
        "write_file",
        {
          "destructiveHint": true,
          "idempotentHint": true,
          "openWorldHint": false,
          "readOnlyHint": false,
          "title": "Write a file",
        },
      ],
      [
        "grep",
        {
          "destructiveHint": false,
          "idempotentHint": true,
          "openWorldHint": false,
          "readOnlyHint": true,
          "title": "Search files",
        },
      ],
    ]
  `);
});

describe("one course through all tools", () => {
  test("read, edit, move on, search, write", async () => {
    const { call, files } = bench({ "a.ts": "one\ntwo\nthree\n" });
    const read = await call("read_file", { path: "a.ts" });
    const [, two, three] = read.text.split("\n").map((row) => row.split("|")[0]);
    const edit = await call("edit_file", {
      path: "a.ts",
      edits: [
        { op: "set_line", anchor: two, text: "TWO\nand a half" },
        { op: "delete_lines", start: three },
      ],
    });
    expect(edit.isError).toBe(false);
    expect(files.text("a.ts")).toBe("one\nTWO\nand a half\n");
    const found = await call("grep", { pattern: "half", context: 1 });
    expect(found.text).toMatch(/^a\.ts\n2#\w{6}\|TWO\n3#\w{6}\|and a half$/);
    const batch = await call("multi_edit", {
      files: [
        { path: "a.ts", edits: [{ op: "append", text: "four" }] },
        { path: "b.ts", edits: [{ op: "create_file", text: "new\n" }] },
      ],
    });
    expect(batch.details).toMatchObject({ status: "applied" });
    expect(files.text("b.ts")).toBe("new\n");
    const written = await call("write_file", { path: "c.ts", content: "" });
    expect(written.isError).toBe(false);
    expect(files.text("c.ts")).toBe("");
  });

  test("a file that was not read is not edited, and the next call is named in these tools' words", async () => {
    const { call, files } = bench({ "a.ts": "one\n" });
    const edit = await call("edit_file", { path: "a.ts", edits: [{ op: "append", text: "two" }] });
    expect(code(edit)).toBe("not_read");
    expect(edit.text).toContain("a.ts was not read in this session: call read_file on it first");
    const write = await call("write_file", { path: "a.ts", content: "gone" });
    expect(code(write)).toBe("not_read");
    expect(files.text("a.ts")).toBe("one\n");
  });

  test("what a refused dry run names next is a dry run", async () => {
    const { call, files } = bench({ "a.ts": "one\ntwo\nthree\n" });
    const anchor = (await call("read_file", { path: "a.ts" })).text.split("\n")[1]?.split("|")[0];
    files.set("a.ts", "one\nTWO\nthree\n");
    const set = { path: "a.ts", edits: [{ op: "set_line", anchor, text: "2" }] };
    const stale = await call("edit_file", { ...set, dry_run: true });
    expect(stale.text).toMatch(/edit_file \{"path":"a\.ts","retry":"r\w+","dry_run":true\};/);
    const batch = await call("multi_edit", { files: [set], dry_run: true });
    expect(batch.text).toMatch(/multi_edit \{"retry":"r\w+","dry_run":true\};/);
    const whole = await call("edit_file", { path: "a.ts", edits: [{ op: "delete_file" }], dry_run: true });
    expect(whole.text).toContain(
      'multi_edit {"files":[{"path":"a.ts","edits":[{"op":"delete_file"}]}],"dry_run":true}',
    );
  });

  test("a stale edit is sent again by its handle", async () => {
    const { call, files } = bench({ "a.ts": "one\ntwo\nthree\n" });
    const read = await call("read_file", { path: "a.ts" });
    const anchor = read.text.split("\n")[1]?.split("|")[0];
    files.set("a.ts", "one\nTWO\nthree\n");
    const edits = [{ op: "set_line", anchor, text: "2" }];
    const stale = await call("edit_file", { path: "a.ts", edits });
    expect(code(stale)).toBe("stale");
    const { retry } = stale.details as { retry: string };
    expect(stale.text).toContain(`edit_file {"path":"a.ts","retry":"${retry}"}`);
    const again = await call("edit_file", { path: "a.ts", retry });
    expect(again.isError).toBe(false);
    expect(files.text("a.ts")).toBe("one\n2\nthree\n");
  });

  test("`session` tells agents apart and is no part of any schema", async () => {
    const { call } = bench({ "a.ts": "one\n" });
    await call("read_file", { path: "a.ts", session: "first" });
    const edits = [{ op: "append", text: "two" }];
    const other = await call("edit_file", { path: "a.ts", edits, session: "second" });
    expect(code(other)).toBe("not_read");
    const same = await call("edit_file", { path: "a.ts", edits, session: "first" });
    expect(same.isError).toBe(false);
  });

  test("a search hands its signal and its progress on", async () => {
    const { call, files } = bench({ "a.ts": "one\n" });
    const seen: unknown[] = [];
    const search = files.search.bind(files);
    files.search = async (query) => {
      seen.push(query.signal, query.onProgress);
      return search(query);
    };
    const { signal } = new AbortController();
    const onProgress = () => {};
    await call("grep", { pattern: "one" }, { signal, onProgress });
    expect(seen).toEqual([signal, onProgress]);
  });
});
