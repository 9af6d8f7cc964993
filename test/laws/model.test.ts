import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { refusalDetails, selectRows } from "../../src/answers/refusal-details.js";
import { refusalText } from "../../src/answers/refusal-text.js";
import { resultText } from "../../src/answers/result-text.js";
import { libraryDoor } from "../../src/answers/voice.js";
import { unrecordedView } from "../../src/edits/located-edit.js";
import { applySplices, run } from "../../src/merge/run-edits.js";
import { Agent, Desk, type Outcome } from "../support/agents.js";
import { anyCall } from "../support/calls.js";
import { applyHunks, hunksOfResult } from "../support/hunks.js";
import { Random } from "../support/random.js";

interface Simulated {
  readonly count: Record<Outcome, number>;
  /** With the seed that repeats each alone. */
  readonly strays: readonly string[];
}

/** Three agents read and edit one file full of repeated lines; now and then somebody unrecorded changes it. */
function simulate(rounds: number, foreign: number, size: readonly [number, number]): Simulated {
  const count = { applied: 0, strayed: 0, noop: 0, refused: 0, nothing: 0 };
  const strays: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const seed = Number(process.env.KEDGE_SEED) + round;
    const random = new Random(seed);
    const desk = new Desk(random, 0.7, random.between(...size));
    const agents = [new Agent(desk), new Agent(desk), new Agent(desk)];
    for (let step = 0; step < 60; step++) {
      const agent = random.pick(agents);
      const chance = random.next();
      if (chance < foreign) desk.disturb();
      else if (chance < foreign + 0.3) agent.read();
      else {
        const outcome = agent.edit();
        count[outcome]++;
        if (outcome === "strayed") strays.push(`KEDGE_SEED=${seed} KEDGE_RUNS=1, step ${step}`);
      }
    }
  }
  return { count, strays };
}

const runs = Number(process.env.KEDGE_RUNS);

describe("three agents in one file, 70 % of its lines repeated", { timeout: 3_600_000 }, () => {
  it.each([
    ["a file", [40, 120]],
    ["a small file", [5, 20]],
  ] as const)("without a foreign writer no write strays: %s", (_, size) => {
    const { count, strays } = simulate(runs, 0, size);
    expect(strays).toEqual([]);
    expect(count.applied).toBeGreaterThan(10 * runs);
  });

  it("with one, at most 1 write in 1,000 strays", () => {
    const { count, strays } = simulate(3 * runs, 0.1, [40, 120]);
    const { applied, strayed, refused, noop } = count;
    console.log(`model: ${strayed} of ${applied + strayed} writes strayed, ${refused} refused, ${noop} noop`);
    expect(strayed, strays.join("\n")).toBeLessThanOrEqual((applied + strayed) / 1000);
  });
});

describe("any call on any history", () => {
  const anySeed = fc.integer();
  const many = { numRuns: 20 * runs };

  it("is answered: by a text that its change makes, or by a refusal that says something", () => {
    fc.assert(
      fc.property(anySeed, (seed) => {
        const { view, edits } = anyCall(new Random(seed));
        const { now } = view.history;
        const result = run(edits, view);
        if (result.status !== "refused") {
          expect(applyHunks(now.lines(), hunksOfResult(result))).toEqual(result.document.lines());
          expect(
            resultText({ path: "a", applied: result, scheme: "hex6", voice: { door: libraryDoor } }).text,
          ).not.toMatch(/undefined|NaN/);
          return;
        }
        const { problems, forced } = result;
        const selection = selectRows(problems, now);
        const details = refusalDetails("a", result);
        const text = refusalText({
          details,
          problems,
          ...selection,
          now,
          scheme: "hex6",
          voice: { door: libraryDoor },
        });
        expect(text).toMatch(/^REJECTED, nothing written\.\n./);
        expect(text).not.toMatch(/undefined|NaN/);
        expect(problems.filter(({ message }) => message === "")).toEqual([]);
        if (forced) expect(applySplices(now, forced)).toHaveProperty("document");
      }),
      many,
    );
  });

  it("keeps its promises without a ledger", () => {
    fc.assert(
      fc.property(anySeed, (seed) => {
        const { view, edits } = anyCall(new Random(seed));
        const { now } = view.history;
        const result = run(edits, unrecordedView(now, 8));
        if (result.status !== "refused")
          expect(applyHunks(now.lines(), hunksOfResult(result))).toEqual(result.document.lines());
      }),
      many,
    );
  });

  it("anything that is no call is refused", () => {
    const { view } = anyCall(new Random(1));
    fc.assert(fc.property(fc.anything(), (given) => run(given, view).status === "refused"));
  });
});
