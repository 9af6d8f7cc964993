import { describe, expect, test } from "vitest";
import type { RefusalDetails } from "../../src/answers/refusal-details.js";
import { parseCommandLine, parseRanges } from "../../src/cli/args.js";
import { savedTokens, statistics } from "../../src/cli/commands/history/statistics.js";
import { statusOf } from "../../src/cli/flag-types.js";
import { agentName, formatAge, parseSince, undoable } from "../../src/cli/print/log-rows.js";
import { makeStream, tableText } from "../../src/cli/print/output.js";
import { staleDiff } from "../../src/cli/print/result.js";
import { quoted, shellDoor } from "../../src/cli/print/shell-wording.js";
import { codes } from "../../src/edits/codes.js";
import type { JournalEntry } from "../../src/ports/store.js";

const entry = (more: Partial<JournalEntry>): JournalEntry => ({
  ...{ id: "1", time: 0, agent: "alice", tool: "edit", kind: "commit", path: "a.ts", file: "/w/a.ts" },
  ...{ before: "v1", after: "v2", lines: [] },
  ...more,
});

test("every code has its status, and what is no refusal is done", () => {
  for (const [code, { exit }] of Object.entries(codes))
    expect(statusOf({ status: "refused", code })).toBe(exit);
  expect(statusOf({ status: "applied" })).toBe(0);
  expect(new Set(Object.values(codes).map(({ exit }) => exit))).toEqual(new Set([1, 2, 4, 5, 6]));
});

describe("statistics", () => {
  const stale = (minute: number, agent: string) =>
    entry({ kind: "refusal", code: "stale", time: minute * 60_000, agent });

  test("contention is three mismatches on a file within ten minutes", () => {
    expect(statistics([stale(0, "a"), stale(5, "b"), stale(30, "c")]).contention).toEqual([]);
    const many = [stale(0, "a"), stale(4, "b"), stale(9, "c"), stale(12, "a"), stale(40, "a")];
    expect(statistics(many).contention).toEqual([{ path: "a.ts", agents: 3, collisions: 3, minutes: 9 }]);
  });

  test("of a long journal", () => {
    const many = Array.from({ length: 150_000 }, (_, second) =>
      entry({ kind: "refusal", code: "stale", time: second * 1000, agent: `a${second % 3}` }),
    );
    expect(statistics(many)).toMatchObject({
      ...{ refusals: 150_000, files: [{ name: "a.ts", refusals: 150_000 }] },
      contention: [{ path: "a.ts", agents: 3, collisions: 600, minutes: 10 }],
    });
  });

  test("what is refused for another reason is no collision", () => {
    for (const code of ["not_read", "wrong_hash", "ambiguous"] as const) {
      const refused = [1, 2, 3].map((time) => entry({ kind: "refusal", code, time }));
      expect(statistics(refused)).toMatchObject({ refusals: 3, contention: [], causes: [{ code }] });
    }
  });

  test("tokens saved are whole re-reads less what the refusal cost", async () => {
    const sizeOf = async (version: string) => (version === "v1" ? { bytes: 40_000, lines: 1000 } : null);
    const whole = 40_000 / 4 + 7 * 1000;
    const moved = entry({ relocated: 1 });
    expect(await savedTokens([moved], sizeOf)).toMatchObject({ tokens: whole, counted: 1, uncounted: 0 });
    const refused = entry({ kind: "refusal", code: "stale", lines: [{ start: 5, end: 5 }] });
    const cost = 60 + 5 * (whole / 1000);
    expect((await savedTokens([refused], sizeOf)).tokens).toBe(Math.round(whole - cost));
    const gone = entry({ relocated: 1, before: "v9" });
    expect(await savedTokens([gone, entry({})], sizeOf)).toMatchObject({
      tokens: 0,
      counted: 0,
      uncounted: 1,
    });
  });
});

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
      "past the end, and never on record",
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
  test.each(cases)("%s", (_, one, expected) => {
    expect(staleDiff(refusal({ mismatches: [one] }))).toBe(`--- a.ts as shown\n+++ a.ts now\n${expected}`);
  });

  test("of lines that only moved, and of several files", () => {
    const moved = refusal({ remaps: [{ from: "1#a", to: "2#a", kind: "moved" }] });
    expect(staleDiff(moved)).toContain("@@ 1#a is 2#a now, unchanged @@");
    expect(staleDiff({ ...refusal({}), files: [moved, { ...moved, path: "b.ts" }] })).toContain(
      "--- b.ts as shown",
    );
    expect(staleDiff(refusal({}))).toBe("");
  });
});

describe("tables", () => {
  const stream = (columns: number, isTerminal = true) =>
    makeStream({ env: { NO_COLOR: "1" }, write: () => {}, isTerminal, columns });
  const columns = [
    { title: "path", shrinks: "start" as const },
    { title: "n", right: true },
  ];
  const rows = [["src/some/long/path.ts", "7"]];

  test("give way on a narrow terminal, and only there", () => {
    expect(tableText(columns, rows, stream(80))).toEqual([
      "path                   n",
      "src/some/long/path.ts  7",
    ]);
    expect(tableText(columns, rows, stream(15))).toEqual(["path          n", "…ong/path.ts  7"]);
    expect(tableText(columns, rows, stream(16, false))[1]).toBe("src/some/long/path.ts  7");
    const many = Array.from({ length: 300_000 }, () => rows[0] as string[]);
    expect(tableText(columns, many, stream(16, false))).toHaveLength(300_001);
  });
});

test("times", () => {
  const now = Date.parse("2026-11-15T12:00:00Z");
  expect(now - parseSince("90s", now)).toBe(90_000);
  expect(now - parseSince("1.5h", now)).toBe(5_400_000);
  expect(parseSince("2026-11-14", now)).toBe(Date.parse("2026-11-14"));
  for (const text of ["", "h", "7", "soon", "-1h"])
    expect(() => parseSince(text, now)).toThrow("--since is like");
  expect([0, 60_000, 7_200_000, 3 * 86_400_000].map(formatAge)).toEqual([
    "just now",
    "1 minute ago",
    "2 hours ago",
    "3 days ago",
  ]);
});

test("ranges", () => {
  expect(parseRanges("10-20, 5,7-")).toEqual([
    { start: 10, end: 20 },
    { start: 5, end: 5 },
    { start: 7, end: Number.MAX_SAFE_INTEGER },
  ]);
  for (const text of ["", "0", "a", "1-2-3", "3-1", "1,,2"]) expect(() => parseRanges(text)).toThrow();
});

test("names of agents are short", () => {
  expect(agentName("process:codex-123-456-ab12cd34")).toBe("codex 123");
  expect(agentName("claude-code:0c1b1c6e-7f0a-4b52-9d0a-0123456789ab")).toBe("claude-code:0c1b1c6e");
  expect(agentName("alice")).toBe("alice");
});

test("what was undone cannot be undone again", () => {
  const entries = [entry({ id: "1" }), entry({ id: "2" }), entry({ id: "3", kind: "undo", cause: "2" })];
  expect(undoable(entries).map(({ id }) => id)).toEqual(["1"]);
});

test("words for a shell", () => {
  expect(quoted("a/b-c.ts")).toBe("a/b-c.ts");
  expect(quoted("1#bf5260")).toBe("1#bf5260");
  expect(quoted("#x")).toBe("'#x'");
  expect(quoted("it's")).toBe("'it'\\''s'");
  expect(quoted("")).toBe("''");
  const parsed = parseCommandLine(["edit", "a", "b", "--root", "my dir", "--gate", "off"]);
  const door = parsed.kind === "run" ? shellDoor(parsed.args) : null;
  expect(
    door?.read("-a.ts", [
      { start: 1, end: 2 },
      { start: 5, end: 5 },
    ]),
  ).toBe("run `kedge read --ranges 1-2,5 --root 'my dir' -- -a.ts`");
  expect(door?.retry("a.ts", "r7")).toBe("it again: run `kedge retry r7 --root 'my dir' --gate off`");
  // The echo of some shells turns \n into a line break, and the request is no JSON then.
  expect(door?.batch?.(JSON.stringify({ path: "a\nb" }))).toContain(
    `run \`printf %s '{"path":"a\\nb"}' | kedge apply`,
  );
});
