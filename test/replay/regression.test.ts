import { expect, test } from "vitest";
import { classNames, generate } from "../../src/replay/cases/generate.js";
import { session } from "../../src/replay/mechanisms/kedge.js";
import { score } from "../../src/replay/score.js";
import { madeHistory } from "./history.js";

const set = await generate({ source: madeHistory("regression", 24, 14), seed: "1", cases: 260 });
const ours = await score(session, set.cases);

/** Refusing these is a failure: the two changes can be told apart. */
const separable = ["plain", "far-noshift", "far-shift", "merge-clean", "own-seq", "fmt-elsewhere", "crlf"];

test("the set does not change unnoticed", () => {
  expect(set.cases.length).toBeGreaterThan(200);
  expect(set.hash).toBe("c1b78ee71923d275");
});

test("the set has every class but those that need a real history", () => {
  const found = new Set(set.cases.map((one) => one.class));
  expect(classNames.filter((name) => !found.has(name))).toEqual(["moved-real"]);
});

test("no edit ends in a wrong place", () => {
  for (const [name, { wrongIds }] of Object.entries(ours.classes))
    expect([name, ...wrongIds]).toEqual([name]);
});

test("what can be told apart is written", () => {
  for (const name of separable) {
    const { right, refused } = ours.classes[name] as { right: number; refused: number };
    expect([name, refused]).toEqual([name, 0]);
    expect(right).toBeGreaterThan(0);
  }
});

test("a conflict sent a second time, unchanged, is refused again", () => {
  for (const [name, { secondTime }] of Object.entries(ours.classes))
    expect([name, ...secondTime]).toEqual([name]);
});
