/** The session, broken on purpose in one way after the other: the harness has to see each, and to call it what it is. */
import { describe, expect, test } from "vitest";
import { editText, type Hunk, linesOf, textOf, toLf } from "../../src/replay/cases/case.js";
import { generate } from "../../src/replay/cases/generate.js";
import { session } from "../../src/replay/mechanisms/kedge.js";
import type { Attempt, Mechanism } from "../../src/replay/score.js";
import { type Score, score } from "../../src/replay/score.js";
import { madeHistory } from "./history.js";

const set = await generate({ source: madeHistory("regression", 24, 14), seed: "1", cases: 260 });

interface Call {
  readonly base: string;
  readonly current: string;
  readonly hunks: readonly Hunk[];
  /** What the session makes of it. */
  readonly result: string | null;
  /** Of this case, from 1. */
  readonly number: number;
}

const broken = (name: string, sabotage: (call: Call) => string | null): Mechanism => ({
  ...{ name, short: name, about: "broken on purpose" },
  async start(base): Promise<Attempt> {
    const sound = await session.start(base);
    let number = 0;
    return {
      async edit(current, hunks) {
        const result = await sound.edit(current, hunks);
        number += 1;
        return sabotage({ base, current, hunks, result, number });
      },
    };
  },
});

const further = (hunks: readonly Hunk[]): Hunk[] => hunks.map((hunk) => ({ ...hunk, start: hunk.start + 1 }));

/** Where a line of that text is first. */
function fromTheTop({ base, current, hunks }: Call): string {
  const [then, now] = [linesOf(toLf(base)), linesOf(toLf(current))];
  return editText(
    current,
    hunks.map((hunk) => ({ ...hunk, start: Math.max(0, now.indexOf(then[hunk.start] ?? "")) })),
  );
}

const clean = ["plain", "far-noshift", "far-shift", "near", "merge-clean", "fmt-elsewhere", "moved-other"];
const shifted = ["far-shift", "dup-shift", "moved-other"];

interface Kind {
  readonly sabotage: (call: Call) => string | null;
  /** Classes in which somebody has to be called wrong. */
  readonly seen: readonly string[];
  /** Classes in which this does no harm, so that nothing may be called wrong. */
  readonly harmless: readonly string[];
}

const kinds: Readonly<Record<string, Kind>> = {
  "a line too far": {
    sabotage: ({ result, current, hunks }) => result && editText(current, further(hunks)),
    ...{ seen: [...clean, "own-seq"], harmless: ["conflict-linear", "conflict-merge"] },
  },
  "by the numbers of what was read": {
    sabotage: ({ result, current, hunks }) => result && editText(current, hunks),
    ...{ seen: shifted, harmless: ["plain", "far-noshift"] },
  },
  "the first line that reads so": {
    sabotage: (call) => call.result && fromTheTop(call),
    ...{ seen: ["plain", "dup-shift"], harmless: ["conflict-linear", "conflict-merge"] },
  },
  "over what the other one did": {
    sabotage: ({ base, hunks }) => editText(base, hunks),
    ...{ seen: [...clean.slice(1), "conflict-linear", "crlf"], harmless: ["plain"] },
  },
  "a conflict is written": {
    sabotage: ({ result, current, hunks }) => result ?? editText(current, hunks),
    ...{ seen: ["conflict-linear", "conflict-merge"], harmless: clean },
  },
  "the edit is made twice": {
    sabotage: ({ result, current, hunks }) => (result === current ? editText(current, hunks) : result),
    ...{ seen: ["replay-twice"], harmless: clean },
  },
  "line ends are lost": {
    sabotage: ({ result }) => result && toLf(result),
    ...{ seen: ["crlf"], harmless: [...clean, "own-seq"] },
  },
  "new lines have other ends": {
    sabotage: ({ result, hunks }) => {
      const added = hunks.flatMap(({ lines }) => lines).find((line) => line !== "");
      return result && added !== undefined ? result.replace(`${added}\r\n`, `${added}\n`) : result;
    },
    ...{ seen: ["crlf"], harmless: clean },
  },
  "half of the edits": {
    sabotage: ({ result, current, hunks }) =>
      result && (hunks.length > 1 ? editText(current, hunks.slice(1)) : result),
    ...{ seen: ["far-noshift", "plain"], harmless: ["own-seq", "conflict-linear"] },
  },
  "earlier calls are forgotten": {
    sabotage: ({ result, base, hunks, number }) =>
      number > 1 && result !== null ? editText(base, hunks) : result,
    ...{ seen: ["own-seq"], harmless: clean },
  },
  "nothing is done, and that is not said": {
    sabotage: ({ current }) => current,
    ...{ seen: [...clean, "conflict-linear", "conflict-merge", "own-seq"], harmless: ["replay-twice"] },
  },
  "the last line break is lost": {
    sabotage: ({ result }) => result?.replace(/\r?\n$/, "") ?? null,
    ...{ seen: [...clean, "own-seq"], harmless: ["conflict-linear"] },
  },
  "a line that nobody named is tidied": {
    sabotage: ({ result }) =>
      result && textOf(linesOf(result).map((line, at) => (at === 0 ? `${line} ` : line))),
    ...{ seen: [...clean, "own-seq"], harmless: ["conflict-linear"] },
  },
};

const wrongIn = ({ classes }: Score, name: string): number => classes[name]?.wrong ?? -1;

describe.each(Object.entries(kinds))("%s", (name, { sabotage, seen, harmless }) => {
  test("is seen, where it does harm and only there", async () => {
    const rows = [...seen, ...harmless];
    const cases = set.cases.filter((one) => rows.includes(one.class));
    const found = await score(broken(name, sabotage), cases);
    for (const row of seen) expect([row, wrongIn(found, row) > 0]).toEqual([row, true]);
    for (const row of harmless) expect([row, wrongIn(found, row)]).toEqual([row, 0]);
    const sampled = cases.some((one) => one.sampled && seen.includes(one.class));
    if (sampled) expect(found.sample.wrong).toBeGreaterThan(0);
  });
});

test("refusing everything is no wrong place, and right only where it is", async () => {
  const { classes } = await score(
    broken("coward", () => null),
    set.cases,
  );
  for (const [name, { right, refused, wrong }] of Object.entries(classes)) {
    const isRight = /^(conflict|replay-twice)/.test(name);
    expect([name, wrong, isRight ? refused : right]).toEqual([name, 0, 0]);
  }
});

test("a conflict that is written when it is sent again is named", async () => {
  const { classes } = await score(
    broken("yielding", ({ result, number, current }) => (number > 1 ? current : result)),
    set.cases,
  );
  expect(classes["conflict-linear"]?.secondTime.length).toBeGreaterThan(0);
  expect(classes["conflict-linear"]?.secondTime.length).toBe(classes["conflict-linear"]?.right);
});

test("one that fails in another way than by refusing stops the run", async () => {
  const throwing = broken("throwing", () => {
    throw new Error("out of order");
  });
  await expect(score(throwing, set.cases)).rejects.toThrow("out of order");
});
