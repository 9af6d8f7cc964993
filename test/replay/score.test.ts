import { expect, it } from "vitest";
import { makeCase } from "../../src/replay/cases/case.js";
import { outcomes } from "../../src/replay/score.js";

const text = (words: string): string => `${words.split(" ").join("\n")}\n`;
const one = makeCase({
  ...{ class: "touch", path: "a", origin: "", base: text("a b c d"), current: text("a b x c d") },
  ...{ truth: text("a b x y c d"), edits: [{ start: 2, count: 0, lines: ["y"] }] },
});

it.each<[string, string, string]>([
  ["what history has", "a b x y c d", "right"],
  ["the two insertions in the other order", "a b y x c d", "swapped"],
  ["beside another line", "a y b x c d", "wrong"],
  ["behind a line that stood there before", "a b x c y d", "wrong"],
  ["what somebody else put there is gone", "a b y c d", "wrong"],
])("the outcome is told apart: %s", (_, made, expected) => {
  const played = { text: text(made), calls: [{ edits: one.edits, refused: false }] };
  expect(outcomes(one, { ...played, secondTime: false, silent: false })).toEqual([expected]);
});
