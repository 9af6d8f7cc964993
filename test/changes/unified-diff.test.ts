import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyEdits } from "../../src/answers/apply-edits.js";
import { compare } from "../../src/changes/compare.js";
import { unifiedDiff } from "../../src/changes/unified-diff.js";
import type { Edit } from "../../src/edits/index.js";
import { Document } from "../../src/text/document.js";

function diffOf(before: string, after: string): string {
  const [one, two] = [Document.fromText(before), Document.fromText(after)];
  return unifiedDiff("f", one, two, compare(one, two));
}

/** The rows of a diff without its head. */
const body = (diff: string) => diff.split("\n").slice(2, -1);
const open = "\\ No newline at end of file";

describe("a unified diff", () => {
  test("a last line that gets its terminator is a changed line", () => {
    const result = applyEdits("a\nb", [{ op: "append", text: "c" }], { path: "f" });
    if (result.status !== "applied") throw new Error(result.status);
    expect(result.text).toBe("a\nb\nc");
    expect(body(result.details.diff)).toEqual(["@@ -1,2 +1,3 @@", " a", "-b", open, "+b", "+c", open]);
  });

  test("a last line that loses its terminator is one too, though nothing else is different", () => {
    expect(body(diffOf("a\nb\n", "a\nb"))).toEqual(["@@ -1,2 +1,2 @@", " a", "-b", "+b", open]);
  });

  test("lines have their CR", () => {
    expect(body(diffOf("a\r\nb\r\nc\n", "a\r\nB\r\nc\n"))).toEqual([
      "@@ -1,3 +1,3 @@",
      " a\r",
      "-b\r",
      "+B\r",
      " c",
    ]);
  });

  test("lines whose CR alone is new are changed lines, together", () => {
    expect(body(diffOf("a\nb\nc\n", "a\r\nb\r\nc\n"))).toEqual([
      "@@ -1,3 +1,3 @@",
      "-a",
      "-b",
      "+a\r",
      "+b\r",
      " c",
    ]);
  });

  test("a byte order mark stands in the first line", () => {
    expect(body(diffOf("\ufeffa\nb\n", "\ufeffa\nB\n"))).toEqual(["@@ -1,2 +1,2 @@", " \ufeffa", "-b", "+B"]);
    expect(body(diffOf("\ufeffa\nb\n", "a\nb\n"))).toEqual(["@@ -1,2 +1,2 @@", "-\ufeffa", "+a", " b"]);
  });

  test("equal texts have none", () => {
    expect(diffOf("a\r\nb", "a\r\nb")).toBe("");
  });
});

const has = (program: string) => spawnSync(program, ["--version"]).status === 0;
const programs: Record<string, readonly string[]> = {
  git: ["-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "change.diff"],
  patch: ["--quiet", "--fuzz=0", "-p1", "--input=change.diff"],
};

const lines = fc.array(fc.constantFrom("", "a", "b", "c", "d\re", "f\r", "é", "-- x", " y\t", "\\ z"), {
  maxLength: 14,
});
const ends = fc.constantFrom("\n", "\r\n");

/** Texts with either terminator or both, with and without a final one, some with a byte order mark. */
const texts = fc
  .record({
    lines,
    mostly: ends,
    others: fc.array(ends, { maxLength: 4 }),
    closed: fc.boolean(),
    mark: fc.constantFrom("", "", "", "\ufeff"),
  })
  .map(({ lines, mostly, others, closed, mark }) => {
    const last = lines.length - 1;
    const text = lines.map((line, at) => line + (at < last || closed ? (others[at] ?? mostly) : ""));
    return mark + text.join("");
  });

/** Another text, or the same one with lines taken out, put in, or ended otherwise. */
const pairs = fc.oneof(
  fc.tuple(texts, texts),
  fc.tuple(texts, fc.nat(14), fc.nat(3), lines, ends).map(([before, at, gone, put, end]) => {
    const rows = before.split(/(?<=\n)/);
    rows.splice(at, gone, ...put.map((line) => line + end));
    return [before, rows.join("")] as [string, string];
  }),
);

describe.each(Object.keys(programs))("%s (skipped where it is not installed)", (program) => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "kedge-unified-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** What the program makes of the old text with the diff; null: there is no file. */
  function patched(before: string | null, diff: string): string | null {
    rmSync(join(folder, "f"), { force: true });
    if (before !== null) writeFileSync(join(folder, "f"), before);
    writeFileSync(join(folder, "change.diff"), diff);
    const env = { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir(), GIT_CONFIG_GLOBAL: "/dev/null" };
    const ran = spawnSync(program, programs[program] as string[], { cwd: folder, env, encoding: "utf8" });
    if (ran.status !== 0) throw new Error(`${ran.stdout}${ran.stderr}\n${JSON.stringify([before, diff])}`);
    return existsSync(join(folder, "f")) ? readFileSync(join(folder, "f"), "utf8") : null;
  }

  test.skipIf(!has(program))("makes a file that was not there, and takes one away", () => {
    fc.assert(
      fc.property(
        texts.filter((text) => text !== ""),
        (text) => {
          const [document, nothing] = [Document.fromText(text), Document.fromText("")];
          expect(patched(null, unifiedDiff("f", null, document, compare(nothing, document)))).toBe(text);
          expect(patched(text, unifiedDiff("f", document, null, compare(document, nothing)))).toBeNull();
        },
      ),
    );
  });

  test.skipIf(!has(program))("makes of the old bytes the new ones", () => {
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        const diff = diffOf(before, after);
        if (diff === "") expect(before).toBe(after);
        else expect(patched(before, diff)).toBe(after);
      }),
    );
  });

  test.skipIf(!has(program))("makes what an edit made", () => {
    const edits: fc.Arbitrary<Edit> = fc.oneof(
      lines.filter(({ length }) => length > 0).map((text) => ({ op: "append" as const, text })),
      lines.filter(({ length }) => length > 0).map((text) => ({ op: "prepend" as const, text })),
      fc.tuple(fc.constantFrom("a", "b", "c"), lines).map(([old, text]) => ({
        op: "replace_text" as const,
        old,
        new: text.join("\n"),
        all: true,
      })),
    );
    fc.assert(
      fc.property(texts, edits, (before, edit) => {
        const result = applyEdits(before, [edit], { path: "f" });
        fc.pre(result.status === "applied");
        expect(patched(before, result.details.diff)).toBe(result.text);
      }),
    );
  });
});
