/**
 * Random histories of agents, a person, formatters and git in a real repository, through the guard's own events. Every line has
 * an identity: at each moment each line that was ever written and not knowingly replaced stands in the tree, in a commit, or in
 * a list of `kedge lost`; and no entry of the journal names a wrong author alone.
 *
 * Three kinds of lines are left to others. What is written and taken away while one command runs was never looked at. What went
 * into a commit as somebody had it before the first look is in no entry: git's reflog has it if the commit is dropped. And a line
 * that was committed when its file was removed may stand in either list once that commit is dropped.
 */
import { expect, test } from "vitest";
import type { Driver } from "../guard/drivers/driver.js";
import { drivers } from "../guard/drivers/index.js";
import { Frequency } from "../support/frequency.js";
import { Random } from "../support/random.js";
import { moves } from "./histories/actors.js";
import { Judge, type Score } from "./histories/judge.js";
import { World } from "./histories/world.js";

const seed = Number(process.env.KEDGE_SEED);
const runs = Number(process.env.KEDGE_RUNS);
const steps = 36;
/** Every so many steps the lists are looked at: what is gone stays gone. */
const every = Number(process.env.KEDGE_EVERY ?? 6);
/** A step takes a tenth of a second, for it starts git and shells. */
const histories = Math.max(1, Math.round(runs / 50));
/** Of the changes, those whose author is not among the named; the rule is found broken at three times as many. */
const tolerated = { allowed: 0.02, times: 3 };

const driver = drivers.find(({ client }) => client === "claude-code") as Driver;

async function play(one: number, score: Score): Promise<void> {
  const dice = new Random(one);
  const world = new World(driver, dice);
  const judge = new Judge(world, score);
  try {
    if (dice.chance(0.5)) await moves[0]![2](world, "outside");
    for (const agent of Object.values(world.agents)) await agent.begin();
    world.see();
    const weights = moves.flatMap(([weight, name, move]) =>
      Array.from({ length: weight }, () => ({ name, move })),
    );
    for (let step = 0; step < steps; step++) {
      const { name, move } = dice.pick(weights);
      const isPersons = name === "types" || (name === "gits" && dice.chance(0.15));
      const by = isPersons ? "outside" : dice.pick(["one", "two"]);
      world.pass(dice.pick([50, 1_000, 20_000, 120_000]));
      world.past.push(`${by} ${name}`);
      await move(world, by);
      await judge.authors();
      if (step % every === every - 1) await judge.lines();
    }
  } catch (error) {
    if (process.env.KEDGE_DEBUG)
      console.log(await world.stage.kedge("log", "--json"), await world.stage.kedge("lost", "--all"));
    const told = [`KEDGE_SEED=${one} KEDGE_RUNS=1`, ...world.past, (error as Error).message];
    throw new Error(told.join("\n  "), { cause: error });
  } finally {
    world.close();
  }
}

test(`random histories of ${steps} steps lose no line, and name no wrong author alone`, {
  timeout: 100_000_000,
}, async () => {
  const score: Score = { changes: 0, named: 0, alone: 0, wrong: [] };
  const missing = new Frequency(tolerated);
  const failures: string[] = [];
  for (let round = 0; round < histories; round++) {
    const { changes, named } = score;
    await play(seed + round, score).catch((error: Error) => failures.push(error.message));
    const more = score.changes - changes;
    missing.add(more - (score.named - named), more);
  }
  const share = (count: number): string => `${((100 * count) / Math.max(1, score.changes)).toFixed(1)} %`;
  console.log(
    `${histories * steps} steps, ${score.changes} changes: author named ${share(score.named)}, alone ${share(score.alone)}, wrong alone ${score.wrong.length}`,
  );
  expect(failures.slice(0, 3).join("\n\n"), `${failures.length} of ${histories} histories`).toBe("");
  expect(score.wrong.slice(0, 3).join("\n\n")).toBe("");
  expect(missing.verdict).not.toBe("too often");
});
