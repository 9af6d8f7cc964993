import { describe, expect, it } from "vitest";
import { Agent, Desk, type Outcome } from "../support/agents.js";
import { Random } from "../support/model.js";

/** Three agents read and edit one file full of repeated lines; now and then somebody unrecorded changes it. */
function simulate(rounds: number, foreign: number, size: readonly [number, number]): Record<Outcome, number> {
  const random = new Random(Number(process.env.KEDGE_SEED));
  const count = { applied: 0, strayed: 0, noop: 0, refused: 0, nothing: 0 };
  for (let round = 0; round < rounds; round++) {
    const desk = new Desk(random, 0.7, random.between(...size));
    const agents = [new Agent(desk), new Agent(desk), new Agent(desk)];
    for (let step = 0; step < 60; step++) {
      const agent = random.pick(agents);
      const chance = random.next();
      if (chance < foreign) desk.disturb();
      else if (chance < foreign + 0.3) agent.read();
      else count[agent.edit()]++;
    }
  }
  return count;
}

const runs = Number(process.env.KEDGE_RUNS);

describe("three agents in one file, 70 % of its lines repeated", { timeout: 3_600_000 }, () => {
  it.each([
    ["a file", [40, 120]],
    ["a small file", [5, 20]],
  ] as const)("without a foreign writer no write strays: %s", (_, size) => {
    const count = simulate(runs, 0, size);
    expect(count.applied).toBeGreaterThan(10 * runs);
    expect(count.strayed).toBe(0);
  });

  it("with one, at most 1 write in 1,000 strays", () => {
    const { applied, strayed, refused, noop } = simulate(3 * runs, 0.1, [40, 120]);
    console.log(`model: ${strayed} of ${applied + strayed} writes strayed, ${refused} refused, ${noop} noop`);
    expect(strayed).toBeLessThanOrEqual((applied + strayed) / 1000);
  });
});
