import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeStore } from "../../src/node.js";
import { Session } from "../../src/session/session.js";
import { newGround } from "../support/node.js";
import { workers } from "./spawn.js";
import type { Edited } from "./worker.js";

const long = Boolean(process.env.KEDGE_LONG);
const people = 10;
const count = long ? 100 : 15;
const names = Array.from({ length: people }, (_, index) => `writer${index}`);

let pool: Awaited<ReturnType<typeof workers>>;
beforeAll(async () => {
  pool = await workers();
});
afterAll(() => pool.dispose());

function parse(ended: Awaited<ReturnType<typeof pool.run>>): Edited {
  expect(ended.errors).toBe("");
  return JSON.parse(ended.output) as Edited;
}

const milliseconds = (value: number): string => `${value.toFixed(0)} ms`;

function summary(edited: readonly Edited[], wall: number): string {
  const each = edited.flatMap((one) => one.each).sort((a, b) => a - b);
  const took = edited.map((one) => one.took).sort((a, b) => a - b);
  const at = (part: number): number => each[Math.floor(part * (each.length - 1))] ?? 0;
  const again = edited.reduce((sum, one) => sum + one.again, 0);
  return (
    `${people} processes × ${count} edits: ${((each.length / wall) * 1000).toFixed(0)} edits a second; ` +
    `an edit waited ${milliseconds(at(0.5))} (half), ${milliseconds(at(0.99))} (99 %), ${milliseconds(at(1))} (longest); ` +
    `processes took ${milliseconds(took[0] ?? 0)} to ${milliseconds(took.at(-1) ?? 0)}; started over ${again} times`
  );
}

describe("many processes", () => {
  test.each([
    ["one file", ["a.txt"]],
    ["a tree", ["a.txt", "sub/b.txt", "sub/c.txt", "d.txt"]],
  ])("%s: every accepted edit is there exactly once", { timeout: 300_000 }, async (where, paths) => {
    const at = newGround();
    for (const path of paths) at.put(path, "first\nlast\n");
    const started = performance.now();
    const ended = await Promise.all(
      names.map((name) => pool.run({ kind: "edit", root: at.root, state: at.state, paths, count, name })),
    );
    const wall = performance.now() - started;
    const edited = ended.map(parse);
    console.log(`${where}: ${summary(edited, wall)}`);
    const lines = paths.flatMap((path) => readFileSync(join(at.root, path), "utf8").split("\n").slice(0, -1));
    const expected = names.flatMap((name) =>
      Array.from({ length: count }, (_, number) => `${name} ${number}`),
    );
    expect(lines.filter((line) => /^writer/.test(line)).sort()).toEqual(expected.sort());
    expect(Object.keys(at.tree()).sort()).toEqual([...paths].sort());
    expect(edited.map((one) => one.busy)).toEqual(names.map(() => 0));
    // Nobody is done long before everybody else was served; short runs only tell who started first.
    const took = edited.map((one) => one.took);
    if (long) expect(Math.min(...took)).toBeGreaterThan(Math.max(...took) / 4);
  });
});

test("many agents edit one file by the anchors of one read each: none is refused", {
  timeout: 600_000,
}, async () => {
  const [processes, each, edits] = long ? [8, 8, 20] : [4, 3, 4];
  const lineCount = 4000;
  const ranges = [{ start: 1, end: lineCount }];
  const lineOf = (agent: number, turn: number): number => 3 * (agent + turn * processes * each);
  const at = newGround();
  at.put("a.txt", Array.from({ length: lineCount }, (_, line) => `line ${line % 7}\n`).join(""));
  const { root, state } = at;
  const [files, store] = [at.files(), nodeStore({ state, workspace: { key: root } })];
  const crowd: Record<string, string[]>[] = Array.from({ length: processes }, () => ({}));
  for (let agent = 0; agent < processes * each; agent++) {
    const session = new Session({ files, store, agent: `agent${agent}`, clock: Date.now });
    const rows = (await session.read({ path: "a.txt", ranges })).text.split("\n");
    const own = Array.from(
      { length: edits },
      (_, turn) => rows[lineOf(agent, turn)]?.split("|")[0] as string,
    );
    (crowd[agent % processes] as Record<string, string[]>)[session.agent] = own;
  }
  const ended = await Promise.all(crowd.map((anchors) => pool.run({ kind: "crowd", root, state, anchors })));
  expect(ended.map(({ errors }) => errors).join("")).toBe("");
  expect(ended.flatMap(({ output }) => JSON.parse(output) as string[])).toEqual([]);
  const lines = at.get("a.txt")?.split("\n") ?? [];
  for (let agent = 0; agent < processes * each; agent++)
    for (let turn = 0; turn < edits; turn++) expect(lines[lineOf(agent, turn)]).toBe(`agent${agent} ${turn}`);
  expect(lines.filter((line) => line.startsWith("line "))).toHaveLength(lineCount - processes * each * edits);
});

describe("a foreign writer that ignores locks runs along", () => {
  test.each(["append", "rewrite"])("%s", { timeout: 300_000 }, async (way) => {
    const at = newGround();
    at.put("a.txt", "first\nlast\n");
    const everyMilliseconds = 7;
    const foreign = pool.run({
      ...{ kind: "foreign", root: at.root, path: "a.txt", name: way },
      ...{ milliseconds: long ? 10_000 : 1500, everyMilliseconds },
    });
    const writers = names.slice(0, 3).map((name) =>
      pool.run({
        kind: "edit",
        root: at.root,
        state: at.state,
        paths: ["a.txt"],
        count: long ? 300 : 40,
        name,
      }),
    );
    const edited = (await Promise.all(writers)).map(parse);
    const theirs = JSON.parse((await foreign).output) as string[];
    const lines = new Set(at.get("a.txt")?.split("\n"));
    const lost = theirs.filter((line) => !lines.has(line)).length;
    const again = edited.reduce((sum, one) => sum + one.again, 0);
    console.log(
      `foreign ${way}: ${theirs.length} writes beside ${edited.length} writers, noticed ${again} times, ` +
        `${lost} lost in what remains of the window`,
    );
    // By itself an appended line is one call: only one that falls between the last look and the rename is lost.
    if (way === "append") expect(lost).toBeLessThanOrEqual(Math.ceil(theirs.length / 50));
    expect(Object.keys(at.tree())).toEqual(["a.txt"]);
  });
});
