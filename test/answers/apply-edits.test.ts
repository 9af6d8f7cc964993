import { describe, expect, it } from "vitest";
import { applyEdits, HashlineMismatchError } from "../../src/answers/apply-edits.js";
import type { Edit } from "../../src/edits/index.js";
import { Document } from "../../src/text/document.js";
import { anchored } from "../support/view.js";

const set = (anchor: string, text: string | string[] | null): Edit => ({ op: "set_line", anchor, text });

describe("applyEdits", () => {
  it("takes text or bytes and keeps what it does not touch", () => {
    const source = "\ufefffoo\r\nbar\r\nbaz";
    const edits = anchored([set("@2", "BAR")], [Document.fromText(source)]);
    const expected = "\ufefffoo\r\nBAR\r\nbaz";
    const bytes = new TextEncoder().encode(source);
    for (const given of [source, bytes]) {
      const result = applyEdits(given, edits);
      if (result.status === "refused") throw new Error(result.text);
      expect(result.bytes).toEqual(new TextEncoder().encode(expected));
      expect(result.text.replace(/^\ufeff/, "")).toBe(expected.slice(1));
    }
  });

  it("tells programs what was done", () => {
    const result = applyEdits("x\nfoo\nbar\n", [set("1#0f0dd9", "FOO\nfou")], { path: "a.ts" });
    expect(result).toMatchObject({
      status: "applied",
      text: "x\nFOO\nfou\nbar\n",
      details: {
        status: "applied",
        path: "a.ts",
        before: Document.fromText("x\nfoo\nbar\n").version,
        after: Document.fromText("x\nFOO\nfou\nbar\n").version,
        edits: [
          {
            index: 0,
            op: "set_line",
            status: "relocated",
            from: { start: 1, end: 1 },
            to: { start: 2, end: 2 },
          },
        ],
        firstChangedLine: 2,
        changedRanges: [{ start: 2, end: 3 }],
        warnings: [],
      },
    });
    expect(result.details).toHaveProperty(
      "diff",
      "--- a/a.ts\n+++ b/a.ts\n@@ -1,3 +1,4 @@\n x\n-foo\n+FOO\n+fou\n bar\n",
    );
  });

  it("a noop is no success, and has no diff", () => {
    expect(applyEdits("foo\n", [set("1#0f0dd9", "foo")])).toMatchObject({
      status: "noop",
      text: "foo\n",
      details: { status: "noop", diff: "", firstChangedLine: null, changedRanges: [] },
    });
  });

  it("a refusal is a value; an error for those who want to throw", () => {
    const refusal = applyEdits("function hello() {\n  return 42;\n}\n", [set("2#0f0dd9", "x")], {
      path: "a.ts",
    });
    if (refusal.status !== "refused") throw new Error("accepted");
    expect(refusal.text).toMatch(/^REJECTED, nothing written\.\n/);
    expect(refusal.text).toContain(
      "\n    1#d14552|function hello() {\n>>> 2#ffcaa2|  return 42;\n    3#44bb18|}\n",
    );
    expect(refusal.details).toMatchObject({
      status: "refused",
      code: "stale",
      path: "a.ts",
      mismatches: [{ path: "a.ts", anchor: "2#0f0dd9", line: 2, actual: "2#ffcaa2", now: "  return 42;" }],
      affectedRanges: [{ start: 2, end: 2 }],
    });
    const error = new HashlineMismatchError(refusal);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe("HashlineMismatchError");
    expect(error.message).toBe(refusal.text);
    expect(error.refusal).toBe(refusal);
    expect(error.affectedRanges).toEqual([{ start: 2, end: 2 }]);
    expect(error.mismatches).toHaveLength(1);
    expect(error.remaps).toBeInstanceOf(Map);
  });

  it.each<[string, string, string, string]>([
    ["an echo that is not the line's", "foo\nbar\n", "1#0f0dd9|fox", "1#0f0dd9|foo"],
    ["nor that of the line it moved to", "x\nfoo\nbar\n", "1#0f0dd9|fox", "2#0f0dd9|foo"],
  ])("speaks of the text given, not of what was read before: %s", (_, text, anchor, row) => {
    const refusal = applyEdits(text, [set(anchor, "x")]);
    expect(refusal.details).toMatchObject({ code: "wrong_hash", mismatches: [{ cause: "miscopied" }] });
    expect(refusal.text).not.toMatch(/since last read|deleted/);
    expect(refusal.text).toContain(`${anchor}: its hash is not that of its text\n`);
    expect(refusal.text).toContain(`\n    ${row}\n`);
    expect(refusal.text).toMatch(/\nDecide again with these rows, and use their anchors\.$/);
  });

  it.each<[string, string, RegExp]>([
    ["beyond the end", "5#0f0dd9", /\nNext: list text again with formatHashLines\.$/],
    ["of a line too long to be shown", "1#0f0dd9", /^1 line has changed since last read\.$/m],
    [
      "of a line too long to be shown, again",
      "1#0f0dd9",
      /: list text again with formatHashLines, ranges \[/,
    ],
  ])("names a next step that needs no session: %s", (_, anchor, words) => {
    const { text } = applyEdits(`${"x".repeat(3000)}\n`, [set(anchor, "x")]);
    expect(text).toMatch(words);
    expect(text).not.toContain("call read");
  });

  it("takes nothing for a text, a name or a window that is none", () => {
    const edits = [set("1#0f0dd9", "x")];
    for (const source of [undefined, null, 5, ["foo"]])
      expect(() => applyEdits(source as never, edits)).toThrow(
        new TypeError("source is a string or a Uint8Array"),
      );
    for (const path of [null, 5])
      expect(() => applyEdits("foo", edits, { path } as never)).toThrow(new TypeError("path is a string"));
    for (const window of [Number.NaN, -1, "3", null])
      expect(() => applyEdits("foo", edits, { window } as never)).toThrow(
        new TypeError("window is a number of lines from 0"),
      );
    expect(applyEdits("foo", edits, { path: undefined, window: undefined } as never).status).toBe("applied");
    expect(applyEdits("foo", edits, { window: Number.POSITIVE_INFINITY }).status).toBe("applied");
  });

  it("only lines that moved are remapped in the error", () => {
    const details = {
      status: "refused",
      code: "stale",
      path: "a",
      message: "",
      mismatches: [],
      affectedRanges: [],
      remaps: [
        { from: "1#0f0dd9", to: "2#0f0dd9", kind: "moved" },
        { from: "5#0f0dd9", to: "5#44bb18", kind: "changed" },
      ],
    } as const;
    expect([...new HashlineMismatchError({ text: "", details }).remaps]).toEqual([["1#0f0dd9", "2#0f0dd9"]]);
  });
});
