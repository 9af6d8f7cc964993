import { expect, test } from "vitest";
import type { Score, Tally } from "../../src/replay/score.js";
import { verdictText } from "../../src/replay/verdict.js";

const tally = (more: Partial<Tally>): Tally => ({
  ...{ right: 0, refused: 0, swapped: 0, wrong: 0, silent: 0 },
  ...{ wrongIds: [], silentIds: [], secondTime: [] },
  ...more,
});
const score = (short: string, sample: Partial<Tally>, classes: Score["classes"] = {}): Score => ({
  ...{ mechanism: { name: short, short, about: "" }, sample: tally(sample), classes },
});

test("the verdict is two sentences about the unweighted sample", () => {
  const scores = [
    score("session", { right: 95, refused: 5 }, { near: tally({ wrong: 9 }) }),
    score("numbers", { wrong: 100 }),
    score("string", { right: 93, refused: 4, wrong: 2, swapped: 1 }),
  ];
  expect(verdictText(scores)).toBe(
    "Of 100 edits of files that somebody changed after they were read, Kedge gets 95 right, refuses 5 without need, and writes none in a wrong place. " +
      "Exact string replacement, the way most agents edit, gets 93 right, refuses 4 without need, writes 1 in the other order beside another insertion, and writes 2 in a wrong place.",
  );
});

test("the verdict counts all cases of a set without a sample, and Kedge alone if nothing else was scored", () => {
  const classes = { near: tally({ right: 3 }), far: tally({ right: 1, refused: 1 }) };
  expect(verdictText([score("session", {}, classes)])).toBe(
    "Of 5 edits of files that somebody changed after they were read, Kedge gets 4 right, refuses 1 without need, and writes none in a wrong place.",
  );
  expect(verdictText([score("numbers", { right: 1 })])).toBe("");
});
