import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Ground, namesIn, newGround, text, utf8 } from "../support/node.js";
import { workers } from "./spawn.js";
import type { Edited, Tried } from "./worker.js";

let pool: Awaited<ReturnType<typeof workers>>;
beforeAll(async () => {
  pool = await workers();
});
afterAll(() => pool.dispose());

const long = Boolean(process.env.KEDGE_LONG);
const pause = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));
const locks = (at: Ground): string[] =>
  existsSync(join(at.state, "locks")) ? namesIn(join(at.state, "locks")) : [];

describe("locks of processes that end soon", () => {
  test("one that stands still before it wrote its lock, and goes on, finds it gone", async () => {
    const at = newGround();
    at.put("a.txt", "old");
    const files = at.files({ limits: { wait: 60_000 } });
    const file = await files.identify("a.txt");
    const { root, state } = at;
    const until = join(dirname(root), "go on");
    const stalled = pool.run({ kind: "stall", root, state, changes: { "a.txt": "late" }, until });
    await expect.poll(() => locks(at).length, { interval: 2, timeout: 30_000 }).toBe(1);
    const during = await files.hold([file], async (held) => {
      writeFileSync(until, "");
      const tried = JSON.parse((await stalled).output) as Tried;
      expect(text(await held.read(file))).toBe("old");
      expect(await held.commit([{ file, before: utf8("old"), after: utf8("new") }])).toBe(true);
      return tried;
    });
    expect(during).toMatchObject({ done: null, error: expect.stringMatching(/^busy: .*the lock was lost/) });
    expect(at.tree()).toEqual({ "a.txt": "new" });
    expect(locks(at)).toEqual([]);
  });

  test("beside others, killed at every step: every edit is there once, nobody waits long", {
    timeout: 600_000,
  }, async () => {
    const at = newGround();
    at.put("a.txt", "first\nlast\n");
    const task = { kind: "edit", root: at.root, state: at.state, paths: ["a.txt"] } as const;
    const rounds = long ? 10 : 1;
    const steps = 16;
    let isOver = false;
    const killed: string[] = [];
    const dying = async (): Promise<void> => {
      for (let round = 0; round < rounds; round++)
        for (let killAt = 1; killAt <= steps; killAt++) {
          const name = `killed${round}at${killAt}`;
          await pool.run({ ...task, count: 1, name, brief: true, killAt });
          killed.push(`${name} 0`);
        }
      isOver = true;
    };
    const names: string[] = [];
    const edited: Edited[] = [];
    const living = async (lane: string, brief: boolean): Promise<void> => {
      for (let number = 0; !isOver; number++) {
        const name = `${lane}${number}`;
        const ended = await pool.run({ ...task, count: brief ? 1 : 5, name, brief });
        expect(ended.errors).toBe("");
        const one = JSON.parse(ended.output) as Edited;
        edited.push(one);
        names.push(...one.each.map((_, index) => `${name} ${index}`));
      }
    };
    await Promise.all([dying(), living("pool", false), living("brief", true)]);
    const lines = at.get("a.txt")?.split("\n").slice(0, -1) ?? [];
    const made = lines.filter((line) => !["first", "last"].includes(line));
    expect(new Set(made).size).toBe(made.length);
    expect(made.filter((line) => !line.startsWith("killed")).sort()).toEqual(names.sort());
    expect(made.filter((line) => line.startsWith("killed")).every((line) => killed.includes(line))).toBe(
      true,
    );
    expect(edited.map(({ busy }) => busy)).toEqual(edited.map(() => 0));
    // The last one that was killed may have left something; whoever comes next puts it right.
    await pause(350);
    await pool.run({ ...task, count: 1, name: "after" });
    expect(Object.keys(at.tree())).toEqual(["a.txt"]);
    // Claims of those who died while they broke a lock are in nobody's way, and swept some day.
    expect(locks(at).filter((name) => !name.includes("."))).toEqual([]);
    const waits = edited.flatMap(({ each }) => each).sort((one, two) => one - two);
    const longest = waits.at(-1) ?? 0;
    const slots = readdirSync(join(at.state, "locks")).length;
    console.log(
      `${killed.length} killed beside ${names.length} edits: half took ${waits[waits.length >> 1]?.toFixed(0)} ms, the longest ${longest.toFixed(0)} ms; ${slots} slots left`,
    );
  });
});
