/** Patches are read as the tools read them that they are for. */
import { describe, expect, test } from "vitest";
import { codex } from "../../../src/guard/clients/codex.js";
import { patchWrites } from "../../../src/guard/clients/patch-writes.js";

/** What each section comes to: the lines quoted, hunk by hunk, or what is written. */
function read(patch: readonly string[], isLenient = false): unknown[] {
  return patchWrites("apply_patch", patch.join("\n"), isLenient).map(({ path, change }) => {
    if (change.kind === "whole") return [path, change.content];
    if (change.kind !== "patch") return [path, change.kind];
    const hunks = change.hunks.map(({ headers, quoted, atEnd, unsigned }) => [
      ...headers.map((header) => `@@ ${header}`),
      ...quoted,
      ...(atEnd ? [`(end${atEnd === "meant" ? " meant" : ""})`] : []),
      ...(unsigned ? ["(unsigned)"] : []),
    ]);
    return [path, ...hunks];
  });
}

const framed = (...lines: string[]): string[] => ["*** Begin Patch", ...lines, "*** End Patch"];

describe("as Codex reads them", () => {
  test.each([
    ["a blank line is context, the last one too", ["@@", "-x", "+y", "", ""], ["x", "", ""]],
    ["the first hunk needs no @@", ["-x", "+y"], ["x"]],
    ["blanks behind a header do not count", ["@@ f  ", "-x"], ["@@ f", "x"]],
    [
      "the end of the file, and blank lines behind it",
      ["@@", "-x", "*** End of File ", "", ""],
      ["x", "(end)"],
    ],
    [
      "a head with a blank before it is context",
      ["@@", "-x", " *** Delete File: b"],
      ["x", "*** Delete File: b"],
    ],
  ])("%s", (_, body, hunk) => {
    expect(read(framed("*** Update File: a", ...body))).toEqual([["a", hunk]]);
  });

  test("blanks before the head of a section do not count", () => {
    const patch = framed(
      "  *** Delete File: a",
      "\t*** Add File: b ",
      "+1",
      " *** Update File: c",
      "@@",
      "-x",
    );
    expect(read(patch)).toEqual([
      ["a", "delete"],
      ["b", "1\n"],
      ["c", ["x"]],
    ]);
  });

  test.each(["apply_patch", "applypatch"])("in a command: %s", (name) => {
    const command = [
      `${name} <<'EOF'`,
      "*** Begin Patch ",
      "*** Delete File: a",
      "*** End Patch",
      "EOF",
    ].join("\n");
    const payload = {
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      session_id: "s",
      cwd: "/p",
      tool_input: { command },
    };
    expect(codex.understand(payload, {})?.events).toMatchObject([
      { kind: "change", writes: [{ path: "/p/a" }] },
    ]);
  });
});

describe("as opencode reads them", () => {
  test.each([
    ["lines without a sign are overlooked", ["@@", "-x", "+y", "b", ""], ["x"]],
    ["but not without a word", ["@@", " a", "", "-x", "+y"], ["a", "x", "(unsigned)"]],
    ["even if nothing else is quoted", ["@@", "", "+y"], ["(unsigned)"]],
    ["so is what stands before the first @@", [" a", "-b", "@@", "-x"], ["x"]],
    [
      "and what stands behind another mark",
      ["@@", "-x", "*** End of File", "@@", "-y"],
      ["x", "(end meant)"],
    ],
    ["blanks around a header do not count", ["@@   f  ", "-x"], ["@@ f", "x"]],
    ["a header alone moves the place of the next hunk", ["@@ f", "@@ g", "-x"], ["@@ f", "@@ g", "x"]],
    ["and one at the end moves nothing", ["@@", "-x", "@@ f"], ["x"]],
  ])("%s", (_, body, hunk) => {
    expect(read(framed("*** Update File:a", ...body), true)).toEqual([["a", hunk]]);
  });

  test("a new file has the lines with a plus", () => {
    expect(read(framed("*** Add File: a", "+1", "2", "", "+3"), true)).toEqual([["a", "1\n3\n"]]);
    expect(read(framed("*** Add File: a", "1"), true)).toEqual([["a", ""]]);
  });

  test("a file moves", () => {
    const patch = framed("*** Update File: a", "*** Move to:b", "@@", "-x", "?");
    const gone = [
      ["a", "delete"],
      ["b", null],
    ];
    expect(read(patch, true)).toEqual([["a", ["x"]], ...gone]);
    expect(read(framed("*** Update File: a", "*** Move to: b"), true)).toEqual(gone);
  });
});
