import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ReadRequest } from "../../src/calls/read.js";
import { tools } from "../../src/tools/index.js";
import { bench, code } from "./support.js";

const lines = `${Array.from({ length: 30 }, (_, at) => `line ${at + 1}`).join("\n")}\n`;
const shownLines = (text: string): number[] =>
  [...text.matchAll(/^(\d+)#/gm)].map(([, number]) => Number(number));

describe("arguments are read generously", () => {
  const ten = [10, 11, 12];
  const reads: readonly (readonly [string, Record<string, unknown>, readonly number[]])[] = [
    ["ranges as advertised", { ranges: [{ start: 10, end: 12 }] }, ten],
    ["numbers as strings", { ranges: [{ start: "10", end: "12" }] }, ten],
    ["ranges as JSON", { ranges: '[{"start":10,"end":12}]' }, ten],
    ["one range without a list", { ranges: { start: 10, end: 12 } }, ten],
    ["pairs", { ranges: [[10, 12]] }, ten],
    ["one pair", { ranges: [10, 12] }, ten],
    ["words", { ranges: "10-12" }, ten],
    ["a list of words", { ranges: ["10-11", "12"] }, ten],
    ["several in one word", { ranges: "10, 11-12" }, ten],
    ["line names", { ranges: [{ start_line: 10, end_line: 12 }] }, ten],
    ["offset and limit as strings", { offset: "10", limit: "3" }, ten],
    ["offset zero is the first line", { offset: 0, limit: 1 }, [1]],
    ["null is not given", { ranges: null, offset: 10, limit: 3, delta: null }, ten],
    ["another case", { Offset: 10, LIMIT: 3 }, ten],
  ];
  test.each(reads)("read_file: %s", async (_, args, expected) => {
    const { call } = bench({ "a.ts": lines });
    const result = await call("read_file", { path: "a.ts", ...args });
    expect(shownLines(result.text)).toEqual(expected);
  });

  test.each([{ file_path: "a.ts" }, { filePath: "a.ts" }, { file: "a.ts" }, '{"path":"a.ts"}'])(
    "the path as %j",
    async (args) => {
      const { call } = bench({ "a.ts": lines });
      expect((await call("read_file", args)).isError).toBe(false);
    },
  );

  test.each([true, "true", "True", 1, "yes"])("dry_run: %j", async (flag) => {
    for (const name of ["dry_run", "dryRun", "dry-run", "DryRun"]) {
      const { call, files } = bench({ "a.ts": lines });
      await call("read_file", { path: "a.ts" });
      const result = await call("edit_file", {
        path: "a.ts",
        edits: [{ op: "append", text: "x" }],
        [name]: flag,
      });
      expect(result.details).toMatchObject({ status: "dry_run" });
      expect(files.text("a.ts")).toBe(lines);
    }
  });

  const append = { op: "append", text: "x" };
  const edits: readonly (readonly [string, unknown])[] = [
    ["as advertised", { path: "a.ts", edits: [append] }],
    ["edits as JSON", { path: "a.ts", edits: JSON.stringify([append]) }],
    ["one edit without a list", { path: "a.ts", edits: append }],
    ["its fields beside the path", { path: "a.ts", ...append }],
    ["an edit as JSON in the list", { path: "a.ts", edits: [JSON.stringify(append)] }],
    [
      "a nested shape",
      { path: "a.ts", edits: [{ replace: { old_text: "line 30", new_text: "line 30\nx" } }] },
    ],
    [
      "a nested shape beside the path",
      { path: "a.ts", replace: { old_text: "line 30", new_text: "line 30\nx" } },
    ],
    ["everything as JSON", JSON.stringify({ path: "a.ts", edits: [append] })],
    ["an empty retry", { path: "a.ts", edits: [append], retry: "" }],
  ];
  test.each(edits)("edit_file: %s", async (_, args) => {
    const { call, files } = bench({ "a.ts": lines });
    await call("read_file", { path: "a.ts" });
    const result = await call("edit_file", args);
    expect(result.text).not.toContain("ignored");
    expect(result.isError).toBe(false);
    expect(files.text("a.ts")).toBe(`${lines}x\n`);
  });

  const batches: readonly (readonly [string, unknown])[] = [
    ["as advertised", { files: [{ path: "b.ts", edits: [{ op: "create_file", text: "x\n" }] }] }],
    ["files as JSON", { files: '[{"path":"b.ts","edits":[{"op":"create_file","text":"x\\n"}]}]' }],
    ["one file without a list", { files: { path: "b.ts", edits: [{ op: "create_file", text: "x\n" }] } }],
    ["one file beside nothing", { path: "b.ts", edits: [{ op: "create_file", text: "x\n" }] }],
    ["one edit without a list", { files: [{ path: "b.ts", op: "create_file", text: "x\n" }] }],
  ];
  test.each(batches)("multi_edit: %s", async (_, args) => {
    const { call, files } = bench();
    expect((await call("multi_edit", args)).isError).toBe(false);
    expect(files.text("b.ts")).toBe("x\n");
  });

  test("a search with everything as strings", async () => {
    const { call } = bench({ "a.ts": lines });
    const args = { pattern: "LINE 1", ignoreCase: "true", literal: "false", context: "1", max_results: "1" };
    expect(shownLines((await call("grep", args)).text)).toEqual([1, 2]);
  });

  test("content as a list of lines", async () => {
    const { call, files } = bench();
    await call("write_file", { path: "b.ts", content: ["one", "two"] });
    expect(files.text("b.ts")).toBe("one\ntwo\n");
  });
});

describe("a bad request is told what was wrong and what would be right", () => {
  const bad: readonly (readonly [string, unknown, RegExp])[] = [
    ["read_file", {}, /path is missing\nA correct call: read_file \{"path":"src\/a\.ts"/],
    ["read_file", "nonsense", /the arguments must be an object/],
    [
      "read_file",
      { path: "b.ts", limit: "many" },
      /limit must be a whole number from 1; got "many".*\n.*"path":"b\.ts"/,
    ],
    [
      "read_file",
      { path: "b.ts", ranges: "first" },
      /ranges must be like \[\{"start":10,"end":20\}\]; got "first"/,
    ],
    ["read_file", { path: "b.ts", ranges: [{ start: 20, end: 10 }] }, /range 20-10 ends before it begins/],
    ["read_file", { path: ["b.ts"] }, /path must be a string; got \["b\.ts"\]/],
    ["edit_file", { path: "b.ts" }, /edits is missing\nA correct call: edit_file .*"op":"set_line"/],
    ["edit_file", { path: "b.ts", edits: [], retry: "r1" }, /send edits or retry, not both/],
    ["edit_file", { path: "a.ts", edits: [{ op: "zap" }] }, /unknown op "zap"; use one of set_line/],
    ["edit_file", { path: "a.ts", edits: "[{" }, /edits is a string that is not JSON/],
    [
      "edit_file",
      { path: "a.ts", edits: [{ op: "append", text: "x" }], dry_run: "maybe" },
      /dry_run must be true or false/,
    ],
    ["edit_file", { path: "a.ts", edits: [], files: [] }, /send path and edits; files go to multi_edit/],
    ["edit_file", { path: "a.ts", files: [] }, /send path and edits; files go to multi_edit/],
    ["multi_edit", { files: [], path: "a.ts" }, /send files alone, each with its own path and edits/],
    ["multi_edit", { files: [], edits: [] }, /send files alone, each with its own path and edits/],
    ["multi_edit", {}, /files is missing/],
    ["multi_edit", { files: "all" }, /files must be a list of files; got "all"/],
    ["multi_edit", { files: [{ edits: [] }] }, /files\[0\]: path is missing/],
    ["multi_edit", { files: [{ path: "a.ts" }] }, /files\[0\]: edits is missing/],
    [
      "multi_edit",
      { files: [{ path: "a.ts", edits: [], dryRun: true }] },
      /files\[0\]: dryRun stands beside files, not in one of them/,
    ],
    ["multi_edit", { files: [7] }, /files\[0\] must be an object; got 7/],
    ["write_file", { path: "b.ts" }, /content is missing/],
    ["write_file", { path: "b.json", content: { a: 1 } }, /content must be a string; got \{"a":1\}/],
    ["grep", {}, /pattern is missing/],
    ["grep", { pattern: "(" }, /pattern is not a regular expression/],
    ["grep", { pattern: "x", context: -1 }, /context must be a whole number from 0; got -1/],
  ];
  test.each(bad)("%s %j", async (name, args, expected) => {
    const { call } = bench({ "a.ts": lines });
    const result = await call(name, args);
    expect(result.isError).toBe(true);
    expect(code(result)).toBe("bad_request");
    expect(result.text).toMatch(expected);
    expect(result.text.startsWith("REJECTED, nothing written.")).toBe(!["read_file", "grep"].includes(name));
  });

  test("the example is a call that works", async () => {
    for (const { name } of tools) {
      const { call } = bench({ "src/a.ts": lines });
      const { text } = await call(name, name === "write_file" ? { path: "src/new.ts" } : {});
      const example = JSON.parse(/A correct call: \w+ (.*)$/m.exec(text)?.[1] ?? "null");
      expect(code(await call(name, example))).not.toBe("bad_request");
    }
  });
});

test("what a host adds is ignored, said once, and never said of what begins with _", async () => {
  const { call } = bench({ "a.ts": "one\n" });
  const result = await call("read_file", { path: "a.ts", reasoning: "x", _host: 1 });
  expect(result.text).toMatch(
    /\n\[ignored: reasoning; read_file takes path, ranges, offset, limit, delta\]$/,
  );
});

test("no argument, whatever it is, makes a tool throw or write", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...tools.map(({ name }) => name)),
      fc.oneof(
        fc.jsonValue({ maxDepth: 3 }),
        fc.record(
          {
            path: fc.constantFrom<unknown>("a.ts", "", null, 7, "../x"),
            edits: fc.jsonValue({ maxDepth: 3 }),
            files: fc.jsonValue({ maxDepth: 3 }),
            ranges: fc.jsonValue({ maxDepth: 2 }),
            pattern: fc.jsonValue({ maxDepth: 0 }),
            retry: fc.jsonValue({ maxDepth: 0 }),
            offset: fc.jsonValue({ maxDepth: 0 }),
            dry_run: fc.jsonValue({ maxDepth: 0 }),
            session: fc.jsonValue({ maxDepth: 0 }),
          },
          { requiredKeys: [] },
        ),
      ),
      async (name, args) => {
        const { call, files } = bench({ "a.ts": "one\ntwo\n" });
        const result = await call(name, args);
        expect(typeof result.text).toBe("string");
        expect(files.text("a.ts")).toBe("one\ntwo\n");
      },
    ),
  );
});

test("the request that reaches the session is in its own words", async () => {
  const { call, session } = bench({ "a.ts": lines });
  const seen: ReadRequest[] = [];
  const read = session.read.bind(session);
  session.read = (request) => {
    seen.push(request);
    return read(request);
  };
  await call("read_file", { path: "a.ts", delta: "false", limit: "2" });
  expect(seen).toEqual([{ path: "a.ts", delta: false, limit: 2 }]);
});
