import { existsSync, linkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { thisPlatform } from "../../src/host/index.js";
import { commit, type Ground, ground, namesIn } from "../support/node.js";
import { workers } from "./spawn.js";

let pool: Awaited<ReturnType<typeof workers>>;
beforeAll(async () => {
  pool = await workers();
});
afterAll(() => pool.dispose());

const fast = existsSync("/dev/shm") ? "/dev/shm" : undefined;
const long = "line\n".repeat(4000);
const scenarios: { name: string; changes: Record<string, string | null>; prepare(at: Ground): void }[] = [
  {
    name: "a batch: create, replace, delete, in place, move",
    changes: {
      "n/new.txt": "1",
      "b.txt": "2",
      "c.txt": null,
      "d.txt": long,
      "moved.txt": "old e.txt",
      "e.txt": null,
    },
    prepare(at) {
      for (const name of ["b.txt", "c.txt", "d.txt", "e.txt"]) at.put(name, `old ${name}`);
      linkSync(join(at.root, "d.txt"), join(at.root, "other name.txt"));
    },
  },
  {
    name: "moves from name to name, and into new folders",
    changes: {
      "a.txt": "old c.txt",
      "b.txt": "old a.txt",
      "c.txt": null,
      "n/deep/b.txt": "old b.txt",
    },
    prepare(at) {
      for (const name of ["a.txt", "b.txt", "c.txt"]) at.put(name, `old ${name}`);
    },
  },
  { name: "one file", changes: { "a.txt": "new" }, prepare: (at) => void at.put("a.txt", "old") },
];

describe.each(scenarios)("SIGKILL at every step: $name", ({ changes, prepare }) => {
  async function attempt(
    killAt: number,
  ): Promise<{ killed: boolean; outcome: "old" | "new"; steps: number }> {
    const at = ground(fast);
    try {
      prepare(at);
      const old = at.tree();
      const { signal, output, errors } = await pool.run({ kind: "commit", ...at, changes, killAt });
      expect(errors).toBe("");
      // The next start of any door is enough; this one only asks which file a path is.
      const files = at.files({ limits: { wait: 1000 } });
      await files.identify("a.txt");
      const found = at.tree();
      const isOld = JSON.stringify(found) === JSON.stringify(old);
      expect(await commit(at.files({ limits: { wait: 1000 } }), changes)).toBe(true);
      const fresh = at.tree();
      if (!isOld) expect(found, `killed at ${killAt}`).toEqual(fresh);
      for (const name of ["locks", "batches"]) {
        const folder = join(at.state, name);
        expect(existsSync(folder) ? namesIn(folder) : [], `killed at ${killAt}`).toEqual([]);
      }
      return { killed: signal === "SIGKILL", outcome: isOld ? "old" : "new", steps: Number(output) };
    } finally {
      at.dispose();
    }
  }

  test("all of it or none after the next start", { timeout: 600_000 }, async () => {
    const { steps, outcome } = await attempt(0);
    expect(outcome).toBe("new");
    const tally = { old: 0, new: 0 };
    const rounds = process.env.KEDGE_LONG ? 10 : 1;
    const numbers = Array.from({ length: steps * rounds }, (_, index) => (index % steps) + 1);
    const lane = async (): Promise<void> => {
      for (let step = numbers.shift(); step !== undefined; step = numbers.shift()) {
        const result = await attempt(step);
        expect(result.killed).toBe(true);
        tally[result.outcome] += 1;
      }
    };
    await Promise.all([lane(), lane()]);
    console.log(
      `killed at each of ${steps} steps, ${rounds} times: ${tally.old} times none of it, ${tally.new} times all of it`,
    );
    expect(tally.old).toBeGreaterThan(0);
    expect(tally.new).toBeGreaterThan(0);
  });
});

test("SIGKILL at every step of a name's other spelling: the old one or the new one", async () => {
  const tally = { old: 0, new: 0 };
  let steps = Number.POSITIVE_INFINITY;
  for (let killAt = 0; killAt <= steps; killAt++) {
    const at = ground(fast);
    try {
      at.put("a.txt", "old");
      const ended = await pool.run({
        kind: "respell",
        ...at,
        from: "a.txt",
        to: "A.txt",
        after: "new",
        killAt,
      });
      expect(ended.errors).toBe("");
      if (killAt === 0) steps = Number(ended.output);
      const platform = { ...thisPlatform, ignoresCase: true };
      await at.files({ platform, limits: { wait: 1000 } }).identify("other.txt");
      const found = at.tree();
      expect([{ "a.txt": "old" }, { "A.txt": "new" }], `killed at ${killAt}`).toContainEqual(found);
      tally["a.txt" in found ? "old" : "new"] += 1;
    } finally {
      at.dispose();
    }
  }
  expect(tally.old).toBeGreaterThan(10);
  expect(tally.new).toBeGreaterThan(1);
});
