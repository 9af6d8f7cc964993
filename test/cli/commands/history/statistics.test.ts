import { describe, expect, test } from "vitest";
import { savedTokens, statistics } from "../../../../src/cli/commands/history/statistics.js";
import type { JournalEntry } from "../../../../src/ports/store.js";

const entry = (more: Partial<JournalEntry>): JournalEntry => ({
  ...{ id: "1", time: 0, agent: "alice", tool: "edit", kind: "commit", path: "a.ts", file: "/w/a.ts" },
  ...{ before: "v1", after: "v2", lines: [] },
  ...more,
});

describe("statistics", () => {
  const stale = (minute: number, agent: string) =>
    entry({ kind: "refusal", code: "stale", time: minute * 60_000, agent });

  test("contention is three mismatches on a file within ten minutes", () => {
    expect(statistics([stale(0, "a"), stale(5, "b"), stale(30, "c")]).contention).toEqual([]);
    const many = [stale(0, "a"), stale(4, "b"), stale(9, "c"), stale(12, "a"), stale(40, "a")];
    expect(statistics(many).contention).toEqual([{ path: "a.ts", agents: 3, collisions: 3, minutes: 9 }]);
  });

  test("contention of a long journal is counted in one pass", () => {
    const many = Array.from({ length: 150_000 }, (_, second) =>
      entry({ kind: "refusal", code: "stale", time: second * 1000, agent: `a${second % 3}` }),
    );
    expect(statistics(many)).toMatchObject({
      ...{ refusals: 150_000, files: [{ name: "a.ts", refusals: 150_000 }] },
      contention: [{ path: "a.ts", agents: 3, collisions: 600, minutes: 10 }],
    });
  });

  test("a refusal for another reason is no collision", () => {
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
