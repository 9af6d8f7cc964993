import { describe, expect, it } from "vitest";
import { History, type State } from "../../src/changes/history.js";
import { LineChange } from "../../src/changes/line-change.js";
import { Timeline } from "../../src/changes/timeline.js";
import { World } from "../support/model.js";
import { Random } from "../support/random.js";

const runs = Number(process.env.KEDGE_RUNS);
const seed = Number(process.env.KEDGE_SEED);
const agents = ["one", "two", null];

/** States of a file at which two agents and somebody else work; now and then a change is not recorded, or taken back. */
function anyStates(random: Random, count: number): State[] {
  const world = new World(random, 0.5, 30);
  const states: State[] = [{ ...stateNow(world), exact: null, by: null }];
  let hand = random.pick(agents);
  while (states.length < count) {
    if (random.chance(0.3)) hand = random.pick(agents);
    const chance = random.next();
    const back = states[states.length - random.between(2, 4)];
    if (chance < 0.05 && back) states.push({ ...back, exact: null, by: null });
    else if (world.lines.length > 0)
      for (const made of world.disturb())
        states.push(chance < 0.12 ? { ...made, exact: null, by: null } : { ...made, by: hand });
    if (world.lines.length === 0) break;
  }
  // A text that is back is another one by the next change, of which nothing is known then.
  return states.map((state, at) =>
    state.exact && state.exact.before !== states[at - 1]?.lineCount
      ? { ...state, exact: null, by: null }
      : state,
  );
}

function stateNow({ document }: World): Omit<State, "exact"> {
  return { version: document.version, lineCount: document.lineCount, document };
}

describe("the states of a file that goes on", () => {
  it("are followed as if each call were the first", () => {
    for (let round = 0; round < runs / 4; round++) {
      const random = new Random(seed + round);
      const states = anyStates(random, 60);
      const froms = [0, random.below(10), random.below(50)];
      for (let count = 1; count <= states.length; count += random.between(1, 9)) {
        const now = states.slice(0, count);
        const agent = random.pick(["one", "two"]);
        const known = new History(now, { agent });
        const anew = new History(
          now.map((state) => ({ ...state })),
          { agent },
        );
        for (const from of froms.filter((one) => one < count)) {
          const told = `KEDGE_SEED=${seed + round} KEDGE_RUNS=1, ${agent} from ${from} of ${count}`;
          expect(known.follow(from), told).toEqual(anew.follow(from));
          expect(known.followOverBlanks(from), told).toEqual(anew.followOverBlanks(from));
        }
      }
    }
  });

  it("come to one change: what one hand did in a row first, and all of it behind what was before", () => {
    for (let round = 0; round < runs; round++) {
      const random = new Random(seed + round);
      const states = anyStates(random, 60);
      const from = random.below(states.length);
      const isOwn = (at: number): boolean => states[at]?.by === "one";
      let done = LineChange.identity((states[from] as State).lineCount);
      let part: LineChange | null = null;
      for (let at = from + 1; states[at]?.exact; at++) {
        const exact = states[at]?.exact as LineChange;
        const step = isOwn(at) ? exact.owned() : exact;
        if (part && isOwn(at) !== isOwn(at - 1)) {
          done = done.compose(part);
          part = null;
        }
        part = part ? part.compose(step) : step;
        const run = Timeline.of(states).run(from, at, "one");
        expect(run, `KEDGE_SEED=${seed + round} KEDGE_RUNS=1, ${from} to ${at}`).toEqual(done.compose(part));
      }
    }
  });
});
