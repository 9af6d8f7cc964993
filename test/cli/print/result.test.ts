import { describe, expect, test } from "vitest";
import type { RefusalDetails } from "../../../src/answers/refusal-details.js";
import { staleDiff } from "../../../src/cli/print/result.js";

describe("a diff of what was shown and what is there", () => {
  const refusal = (more: Partial<RefusalDetails>): RefusalDetails => ({
    ...{ status: "refused", code: "stale", path: "a.ts", message: "" },
    ...{ mismatches: [], affectedRanges: [], remaps: [] },
    ...more,
  });
  const mismatch = { path: "a.ts", anchor: "2#aaaaaa", line: 2, expected: null, actual: "2#bbbbbb" } as const;
  const cases: [string, RefusalDetails["mismatches"][number], string][] = [
    [
      "changed",
      { ...mismatch, cause: "changed", shown: "x", now: "y" },
      "@@ 2#aaaaaa, line 2 now @@\n-x\n+y\n",
    ],
    ["deleted", { ...mismatch, line: null, cause: "deleted", shown: "x", now: null }, "@@ 2#aaaaaa @@\n-x\n"],
    [
      "gone and was never on record",
      { ...mismatch, line: null, actual: null, cause: "deleted", shown: null, now: null },
      "@@ 2#aaaaaa @@\n-[2#aaaaaa: its text is not on record]\n",
    ],
    [
      "inserted",
      { ...mismatch, cause: "inserted", shown: null, now: "y" },
      "@@ 2#aaaaaa, line 2 now @@\n+y\n",
    ],
    ["moved", { ...mismatch, cause: "moved", shown: "x", now: "x" }, "@@ 2#aaaaaa, line 2 now @@\n x\n"],
    [
      "miscopied",
      { ...mismatch, cause: "miscopied", shown: "x", now: "x" },
      "@@ 2#aaaaaa was not shown; line 2 is @@\n 2#bbbbbb|x\n",
    ],
    [
      "not on record",
      { ...mismatch, cause: "changed", shown: null, now: "y" },
      "@@ 2#aaaaaa, line 2 now @@\n-[2#aaaaaa: its text is not on record]\n+y\n",
    ],
  ];
  test.each(cases)("tells of a line that is %s", (_, one, expected) => {
    expect(staleDiff(refusal({ mismatches: [one] }))).toBe(`--- a.ts as shown\n+++ a.ts now\n${expected}`);
  });

  test("names lines that only moved, and every file of a batch", () => {
    const moved = refusal({ remaps: [{ from: "1#a", to: "2#a", kind: "moved" }] });
    expect(staleDiff(moved)).toContain("@@ 1#a is 2#a now, unchanged @@");
    expect(staleDiff({ ...refusal({}), files: [moved, { ...moved, path: "b.ts" }] })).toContain(
      "--- b.ts as shown",
    );
    expect(staleDiff(refusal({}))).toBe("");
  });
});
