import { describe, expect, it } from "vitest";
import type { Result } from "../../src/session/result.js";
import { bench, outcome, path } from "../support/session.js";

type Any = Readonly<Record<string, (request: unknown) => Promise<unknown>>>;

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
    expect(result.text).toMatch(/^REJECTED, nothing written\.\n./);
    expect(words()).toBe("a b c");
    expect([...files.files.keys()]).toEqual([path]);
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
