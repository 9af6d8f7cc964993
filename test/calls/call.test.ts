import { describe, expect, it } from "vitest";
import { computeLineHash } from "../../src/anchors/scheme.js";
import type { FileRequest } from "../../src/calls/index.js";
import type { Result } from "../../src/calls/result.js";
import type { Edit } from "../../src/edits/index.js";
import { editsFromJson } from "../../src/edits/index.js";
import { memoryStore } from "../../src/ports/index.js";
import { Session } from "../../src/session/session.js";
import { bench, on, outcome, path, printedLines, tag } from "../support/session.js";

type Any = Readonly<Record<string, (request: unknown) => Promise<unknown>>>;

/** Only a refused write says that nothing was written. */
const beginOf = (method: string): string =>
  ["read", "grep"].includes(method) ? "(?!REJECTED)" : "REJECTED, nothing written\\.\\n";

describe("a malformed request", () => {
  it.each<[string, string, unknown]>([
    ["edit", "without a path", { edits: [] }],
    ["edit", "with a number for a path", { path: 3, edits: [] }],
    ["edit", "with an empty path", { path: "", edits: [] }],
    ["edit", "without edits", { path }],
    ["edit", "with null for edits", { path, edits: null }],
    ["edit", "with an unknown op", { path, edits: [{ op: "explode" }] }],
    ["edit", "with broken JSON", { path, edits: "[{" }],
    ["edit", "with a number for a handle", { path, retry: 3 }],
    ["edit", "on a file outside", { path: "../x", edits: [] }],
    ["edit", "with edits and a handle", { path, edits: [{ op: "append", text: "d" }], retry: "r7" }],
    ["edit", "of one file and of several", { path, edits: [{ op: "append", text: "d" }], files: [] }],
    [
      "multiEdit",
      "of several files and of one",
      { path, files: [{ path, edits: [{ op: "append", text: "d" }] }] },
    ],
    ["multiEdit", "without files", {}],
    ["multiEdit", "with no file", { files: [] }],
    ["multiEdit", "with null for a file", { files: [null] }],
    ["multiEdit", "with null for a path", { files: [{ path: null, edits: [] }] }],
    ["multiEdit", "with a move to a number", { files: [{ path, edits: [{ op: "move_file", to: 3 }] }] }],
    ["plan", "with no file", { files: [] }],
    ["read", "without a path", {}],
    ["read", "with a number for ranges", { path, ranges: 3 }],
    ["read", "with null for a range", { path, ranges: [null] }],
    ["read", "with a range that ends before it begins", { path, ranges: [{ start: 3, end: 2 }] }],
    ["read", "with a range from 0", { path, ranges: [{ start: 0, end: 2 }] }],
    ["read", "with half a line", { path, offset: 1.5 }],
    ["read", "with no lines at all", { path, limit: 0 }],
    ["read", "with an unknown scheme", { path, anchors: "md5" }],
    ["write", "without content", { path }],
    ["write", "without content, of a new file", { path: "new" }],
    ["write", "with numbers for lines", { path, content: [1, 2] }],
    ["grep", "with an empty pattern", { pattern: "" }],
    ["grep", "with a broken pattern", { pattern: "(" }],
    ["undo", "with a number for a path", { path: 3 }],
    ["undo", "of less than one edit", { last: 0 }],
  ])("to %s %s is refused, not thrown", async (method, _, request) => {
    const { session, words, files } = bench("a b c");
    await session.read({ path });
    const answer = (await (session as unknown as Any)[method]?.(request)) as { result?: Result } & Result;
    const result = answer.result ?? answer;
    expect(outcome(result)).toMatch(/^!(bad_request|outside_roots|not_found)$/);
    expect(result.text).toMatch(new RegExp(`^${beginOf(method)}.`));
    expect(words()).toBe("a b c");
    expect([...files.files.keys()]).toEqual([path]);
  });
});

describe("values that no typed caller sends", () => {
  const numbers: unknown[] = [Number.NaN, -1, 1.5, "2", null, {}];
  const cases: readonly (readonly [method: string, field: string, values: readonly unknown[]])[] = [
    ["grep", "maxResults", [...numbers, 0]],
    ["grep", "context", numbers],
    ["grep", "pattern", [undefined, null, 5, /a/]],
    ["grep", "path", [null, 5, ["a"]]],
    ["grep", "glob", [null, 5]],
    ["grep", "ignoreCase", ["yes", null]],
    ["grep", "literal", ["no", null]],
    ["grep", "word", ["no", null]],
    ["grep", "anchors", ["md5", "none", "constructor", null]],
    ["read", "path", [undefined, null, 5]],
    ["read", "offset", [...numbers, 0]],
    ["read", "limit", [...numbers, 0]],
    ["read", "delta", ["no", null]],
    ["read", "anchors", ["md5", "constructor", null]],
    ["write", "path", [undefined, null, 5, {}]],
    ["write", "dryRun", ["false", null, 0]],
    ["edit", "path", [undefined, null, 5]],
    ["edit", "dryRun", ["false", null, 0]],
    ["multiEdit", "dryRun", ["false", null, 0]],
    ["plan", "path", [null, 5]],
    ["undo", "id", [5, null]],
    ["undo", "batch", [5, null]],
    ["undo", "last", numbers],
    ["undo", "anyone", ["yes", null]],
    ["undo", "dryRun", ["false", null]],
    ["restore", "ids", ["x", 5, [5], null]],
    ["restore", "all", ["yes", null]],
  ];
  const edits: Edit[] = [{ op: "append", text: "z" }];
  const whole: Readonly<Record<string, object>> = {
    ...{ read: { path }, grep: { pattern: "a" }, write: { path: "new", content: "x" } },
    ...{ edit: { path, edits }, multiEdit: { files: [{ path, edits }] }, plan: { path, edits } },
    ...{ undo: {}, restore: { all: true } },
  };
  const ask = async (method: string, request: unknown) => {
    const made = bench("a b c");
    await made.session.read({ path });
    const answer = (await (made.session as unknown as Any)[method]?.(request)) as {
      result?: Result;
    } & Result;
    return { ...made, result: answer.result ?? answer };
  };

  it.each(cases)("of %s, %s: refused, not guessed and not thrown", async (method, field, values) => {
    for (const value of values) {
      const { result, words, files } = await ask(method, { ...whole[method], [field]: value });
      expect([value, outcome(result)]).toEqual([value, "!bad_request"]);
      expect(result.text).toMatch(new RegExp(`^${beginOf(method)}${field} is `));
      expect([words(), files.files.size]).toEqual(["a b c", 1]);
    }
  });

  it("undefined is absent where a field may be", async () => {
    for (const [method, field] of cases) {
      if (field === "all" || field === "pattern" || (field === "path" && method !== "grep")) continue;
      const { result } = await ask(method, { ...whole[method], [field]: undefined });
      expect([method, field, outcome(result)]).not.toContain("!bad_request");
    }
    const { result } = await ask("plan", { path: undefined, ...whole.multiEdit });
    expect(outcome(result)).toBe("dry_run");
  });

  it.each(Object.keys(whole))("%s of nothing at all", async (method) => {
    for (const request of [null, 5, "a", ...(method === "undo" ? [] : [undefined])])
      expect(outcome((await ask(method, request)).result)).toBe("!bad_request");
  });

  it("names all that is wrong", async () => {
    const { result } = await ask("read", { path: 5, offset: 0, anchors: "md5" });
    expect(result.details).toMatchObject({
      message:
        'path is a string; got 5; offset is a line number from 1; got 0; anchors is one of hex6, hex4, lean, none; got "md5"',
    });
  });

  it.each<[string, readonly unknown[]]>([
    ["gate", ["none", "Lines", "constructor", null, 5]],
    ["onStale", ["ignore", null]],
    ["anchors", ["md5", "none", "constructor", null]],
    ["agent", [undefined, null, 5]],
    ["files", [undefined, null]],
    ["store", [null]],
    ["clock", [undefined, 5]],
    ["keepOnFold", ["no", null]],
  ])("a session takes no other %s", (name, values) => {
    const { files } = bench("a");
    const good = { files, store: memoryStore(), agent: "one", clock: () => 0 };
    for (const value of values)
      expect(() => new Session({ ...good, [name]: value } as never)).toThrow(new RegExp(`^${name} is `));
    for (const value of values.slice(0, 1))
      expect(() => new Session({ ...good, [name]: value } as never)).toThrow(TypeError);
    const absent = { gate: undefined, onStale: undefined, anchors: undefined, keepOnFold: undefined };
    expect(new Session({ ...good, ...absent } as never).agent).toBe("one");
    expect(() => new Session(good).as(undefined as never)).toThrow(TypeError);
  });
});

describe("all problems of a call are told together", () => {
  const set = (anchor: string): Edit => ({ op: "set_line", anchor, text: "N" });

  it("each broken anchor with the one that was shown for its own line", async () => {
    const { session } = bench("a b c");
    await session.read({ path });
    const { text } = await session.edit({ path, edits: [set("1"), set("3")] });
    expect(text).toMatch(new RegExp(`^edits\\[0\\].*: line 1 was shown as ${tag("a b c", 1)}$`, "m"));
    expect(text).toMatch(new RegExp(`^edits\\[1\\].*: line 3 was shown as ${tag("a b c", 3)}$`, "m"));
  });

  it("in two entries for one file, too", async () => {
    const { session } = bench("a b c");
    await session.read({ path });
    const one = (anchor: string): FileRequest => ({ path, edits: [set(anchor)] });
    const { text } = await session.multiEdit({ files: [one("1"), one("3")] });
    expect(text).toContain(`line 1 was shown as ${tag("a b c", 1)}`);
    expect(text).toContain(`line 3 was shown as ${tag("a b c", 3)}`);
  });

  it("of edits that cannot be read, and of those that can", async () => {
    const { session, rudely, words } = bench("a b c d e f g");
    await session.read({ path });
    rudely("a X c d e f g");
    const quote: Edit = { op: "replace_text", old: "zz", new: "" };
    const edits = [set("5"), { op: "explode" }, set(tag("a b", 2)), set("6#000000"), quote];
    const result = await session.edit({ path, edits: editsFromJson(edits) });
    expect(result.details).toMatchObject({ code: "bad_anchor", affectedRanges: [{ start: 2, end: 2 }, {}] });
    for (const said of [
      /edits\[0\]: .*5#/,
      /unknown op "explode"/,
      /It was "b"/,
      /6#000000 does not fit/,
      /"zz" is/,
    ])
      expect(result.text).toMatch(said);
    expect(result.text).toMatch(/^1 line has changed since last read\. Use the updated/m);
    // What they show counts, as in any refusal.
    expect(printedLines(result)).toContain(2);
    expect(outcome(await session.edit(on("a X").set(2, "N")))).toBe("applied");
    expect(words()).toBe("a N c d e f g");
  });

  it("changed lines beside edits that overlap", async () => {
    const { session, rudely } = bench("a b c d e f g");
    await session.read({ path });
    rudely("a X c d e f g");
    const last = tag("a b c d e f g", 7);
    const result = await session.edit({ path, edits: [set(tag("a b", 2)), set(last), set(last)] });
    expect(outcome(result)).toBe("!overlap");
    expect(result.text).toMatch(/name the same lines\n1 line has changed since last read\. Use the updated/);
    expect(printedLines(result)).toContain(2);
  });

  it.each<[string, string, string]>([
    ["is not there", "gone", "gone does not exist"],
    ["was not read", "b", "b was not read in this session: call read on it first"],
  ])("that a file %s, and what is wrong with its edits", async (_, file, words) => {
    const { session } = bench({ b: "a b c" });
    const { text, details } = await session.edit({ path: file, edits: editsFromJson([{ op: "explode" }]) });
    expect(details).toMatchObject({ code: "bad_request" });
    expect(text).toMatch(/unknown op "explode"/);
    expect(text.split("\n")).toContain(words);
  });

  it("of several files, some of which cannot even be found", async () => {
    const { session } = bench({ b: "a b c" });
    const explode = editsFromJson([{ op: "explode" }]);
    const out = await session.multiEdit({
      files: [
        { path: "../x", edits: [{ op: "append", text: "x" }] },
        { path: "../y", edits: [{ op: "append", text: "x" }] },
        { path: "b", edits: explode },
      ],
    });
    expect(outcome(out)).toBe("!bad_request");
    for (const said of ["../x is outside", "../y is outside", 'b: edits[0]: unknown op "explode"'])
      expect(out.text).toContain(said);
    const files = [{ path: 3, edits: [] }, { path: "b", edits: explode }, null] as never;
    const unnamed = await session.multiEdit({ files });
    expect(outcome(unnamed)).toBe("!bad_request");
    for (const said of ["files[0] has no path", "files[2] has no path", 'b: edits[0]: unknown op "explode"'])
      expect(unnamed.text).toContain(said);
  });
});

describe("text with NUL", () => {
  const words = "the new text holds NUL (U+0000), which would make the file binary";
  it.each<[string, string, unknown]>([
    ["edit", "a line", { path, edits: [{ op: "append", text: "x\0" }] }],
    ["edit", "a quote", { path, edits: [{ op: "replace_text", old: "b", new: "\0" }] }],
    ["multiEdit", "a new file", { files: [{ path: "new", edits: [{ op: "create_file", text: "\0" }] }] }],
    ["write", "a new file", { path: "new", content: "x\0" }],
    ["write", "a file", { path, content: ["x", "\0"] }],
  ])("is refused by %s in %s", async (method, _, request) => {
    const { session, files } = bench("a b c");
    await session.read({ path });
    const result = (await (session as unknown as Any)[method]?.(request)) as Result;
    expect([outcome(result), result.text]).toEqual(["!binary", expect.stringContaining(words)]);
    expect([...files.files.keys()]).toEqual([path]);
    expect(files.text(path)).toBe("a\nb\nc\n");
  });

  it("is text in a file of UTF-16", async () => {
    const { session, files } = bench("");
    const utf16 = (text: string) => new Uint8Array(Buffer.from(text, "utf16le"));
    files.set(path, utf16("\ufeffa\n"));
    await session.read({ path });
    expect(outcome(await session.edit({ path, edits: [{ op: "append", text: "\0" }] }))).toBe("applied");
    expect(files.files.get(path)).toEqual(utf16("\ufeffa\n\0\n"));
  });
});

describe("a write that does not get as far as the file", () => {
  it.each<[string, object]>([
    ["edit", { path: "../x", edits: [] }],
    ["multiEdit", { files: [{ path: "../x", edits: [] }] }],
    ["write", { path: "../x", content: "y" }],
  ])("is journaled like any other refusal: %s", async (call, request) => {
    const { session, store } = bench("a b");
    const result = (await (session as unknown as Any)[call]?.(request)) as Result;
    const code = outcome(result).slice(1);
    expect(await store.journal()).toMatchObject([{ kind: "refusal", path: "../x", code }]);
  });
});

describe("whole-file content with anchors at the head of its lines", () => {
  const text = "a\n\nc\n";
  const rows = (lines: readonly string[]) =>
    lines.map((line, at) => `${tagOf(at + 1, ["a", "", "c"][at] ?? "")}|${line}`);
  const tagOf = (line: number, was: string) => `${line}#${computeLineHash(was)}`;
  const opened = async () => {
    const made = bench({});
    made.files.set(path, text);
    await made.session.read({ path });
    return made;
  };

  it.each<[string, (lines: string[]) => string | string[]]>([
    ["a text", (lines) => `${lines.join("\n")}\n`],
    ["lines", (lines) => lines],
  ])("is written without them if each was served from this file, and it is said: %s", async (_, content) => {
    const { session, files } = await opened();
    const result = await session.write({ path, content: content(rows(["A", "", "C"])) });
    expect(files.text(path)).toBe("A\n\nC\n");
    expect(result.text).toContain("! the text repeated anchors; they were removed");
    expect(result.details).toMatchObject({ warnings: [expect.stringContaining("removed")] });
  });

  it("keeps them where only some lines have one, and names those lines", async () => {
    const { session, files } = await opened();
    const content = `${rows(["A", "", "C"]).with(1, "plain").join("\n")}\n`;
    const result = await session.write({ path, content });
    expect(files.text(path)).toBe(content);
    expect(result.text).toContain(
      "! lines 1, 3 of the text begin with anchors of this file; they were kept as text",
    );
  });

  it("keeps those of another file, without a word", async () => {
    const { session, files } = await opened();
    const content = "1#abcdef|x\n2#abcdef|y\n";
    const result = await session.write({ path, content });
    expect(files.text(path)).toBe(content);
    expect(result.text).not.toContain("!");
  });

  it("is the file as it is, if that is all that is left", async () => {
    const { session, files } = await opened();
    const result = await session.write({ path, content: `${rows(["a", "", "c"]).join("\n")}\n` });
    expect([outcome(result), files.text(path)]).toEqual(["noop", text]);
    expect(result.text).toContain("they were removed");
  });
});
