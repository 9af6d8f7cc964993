import { existsSync, linkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { NodeFiles } from "../../src/node.js";
import { PortError } from "../../src/ports/files.js";
import { type Fault, faultyIo } from "../support/faulty.js";
import { commit, type Ground, ground, namesIn, withMeasured } from "../support/node.js";

// In memory where the system has it: thousands of commits flush thousands of times.
const fast = existsSync("/dev/shm") ? "/dev/shm" : undefined;
const errors = ["ENOSPC", "EIO", "EACCES", "EMFILE"];
const seed = Number(process.env.KEDGE_SEED);

/** Every error at every call takes a minute; by default each call gets one, another one with another seed. */
function errorsAt(at: number, call: string, forGood: boolean): string[] {
  const some = process.env.KEDGE_LONG
    ? errors
    : [errors[(at + seed + (forGood ? 2 : 0)) % errors.length] ?? "EIO"];
  return call.startsWith("write") ? [...some, "short"] : some;
}

interface Scenario {
  readonly name: string;
  readonly changes: Record<string, string | null>;
  prepare(at: Ground): void;
  /** Instead of writing the changes. */
  run?(files: NodeFiles): Promise<boolean>;
}

const carriedOut = (files: NodeFiles, { run, changes }: Scenario): Promise<boolean> =>
  run ? run(files) : commit(files, changes);

const long = "line\n".repeat(3000);

const scenarios: Scenario[] = [
  { name: "replace", changes: { "a.txt": `${long}new` }, prepare: (at) => void at.put("a.txt", long) },
  { name: "create", changes: { "new/deep/a.txt": "new" }, prepare: (at) => void at.put("other.txt", "x") },
  { name: "delete", changes: { "a.txt": null }, prepare: (at) => void at.put("a.txt", "old") },
  {
    name: "through a link",
    changes: { "link.txt": "new" },
    prepare(at) {
      at.put("sub/a.txt", "old");
      symlinkSync("sub/a.txt", join(at.root, "link.txt"));
    },
  },
  {
    name: "in place, longer",
    changes: { "a.txt": `${long}and longer` },
    prepare: (at) => linkSync(at.put("a.txt", long), join(at.root, "other name.txt")),
  },
  {
    name: "in place, shorter",
    changes: { "a.txt": "short" },
    prepare: (at) => linkSync(at.put("a.txt", long), join(at.root, "other name.txt")),
  },
  {
    name: "batch: create, replace, delete, in place",
    changes: { "n/new.txt": "1", "b.txt": "2", "c.txt": null, "d.txt": long },
    prepare(at) {
      for (const name of ["b.txt", "c.txt", "d.txt"]) at.put(name, `old ${name}`);
      linkSync(join(at.root, "d.txt"), join(at.root, "other name.txt"));
    },
  },
  {
    name: "delete, unread",
    changes: {},
    prepare: (at) => void at.put("a.txt", long),
    run: (files) => withMeasured(files, "a.txt"),
  },
  {
    name: "move, unread",
    changes: {},
    prepare: (at) => void at.put("a.txt", long),
    run: (files) => withMeasured(files, "a.txt", "n/b.txt"),
  },
];

/** What stands there after the whole of it. */
async function wholly(
  scenario: Scenario,
): Promise<[old: Record<string, string>, fresh: Record<string, string>]> {
  const at = ground(fast);
  scenario.prepare(at);
  const old = at.tree();
  expect(await carriedOut(at.files(), scenario)).toBe(true);
  const fresh = at.tree();
  at.dispose();
  return [old, fresh];
}

async function countCalls(scenario: Scenario): Promise<string[]> {
  const at = ground(fast);
  scenario.prepare(at);
  const { io, calls } = faultyIo({ at: 0, error: "", forGood: false });
  await carriedOut(at.files({ io }), scenario);
  at.dispose();
  return calls;
}

const leftInState = (at: Ground): string[] =>
  ["locks", "batches", "damaged"].flatMap((name) => {
    const folder = join(at.state, name);
    return existsSync(folder) ? namesIn(folder).map((file) => `${name}/${file}`) : [];
  });

/** Runs the scenario with the fault; throws with everything that is needed to see why it is wrong. */
async function tryFault(scenario: Scenario, fault: Fault, states: [object, object]): Promise<string> {
  const at = ground(fast);
  try {
    scenario.prepare(at);
    const { io, calls, opened, closedTwice } = faultyIo(fault);
    const reports: string[] = [];
    const files = at.files({ io, report: (line) => reports.push(line), limits: { wait: 50 } });
    const outcome = await carriedOut(files, scenario).catch((error: unknown) => error);
    const wrong = (why: string): Error =>
      new Error(
        `${scenario.name}: ${why}; ${fault.error} at call ${fault.at} (${calls[fault.at - 1]}), ` +
          `for good: ${fault.forGood}; outcome ${String(outcome)}; reports ${reports.join(" | ")}`,
      );
    const same = (state: object): boolean => JSON.stringify(at.tree()) === JSON.stringify(state);
    const [old, fresh] = states;
    if (outcome instanceof Error) {
      if (!(outcome instanceof PortError) || !["io", "busy"].includes(outcome.code))
        throw wrong("an unworded error");
    }
    if (opened.size > 0) throw wrong(`left open: ${[...opened.values()]}`);
    if (closedTwice.length > 0) throw wrong(`closed twice: ${closedTwice}`);
    // An error that promises it for later may leave something; a next start keeps the promise.
    const postponed = /next start/.test([...reports, String(outcome)].join());
    if (!postponed && !same(outcome === true ? fresh : old))
      throw wrong(`half done: ${Object.keys(at.tree())}`);
    // Later: a lock that could not even be written is told from one that is being written by its age.
    await at.files({ clock: () => Date.now() + 60_000 }).recover();
    if (!same(outcome === true ? fresh : old))
      throw wrong(`half done after a new start: ${Object.keys(at.tree())}`);
    if (leftInState(at).length > 0) throw wrong(`left in the state folder: ${leftInState(at)}`);
    // By the same process, if it can: what it left may have a name that it uses again.
    const next = fault.forGood ? at.files({ limits: { wait: 50 } }) : files;
    if (outcome !== true && !(await carriedOut(next, scenario))) throw wrong("cannot be done afterwards");
    return outcome === true ? "written" : outcome === false ? "changed" : "refused";
  } finally {
    at.dispose();
  }
}

describe.each(scenarios)("every call fails in turn: $name", (scenario) => {
  test.each([false, true])("for good: %s", { timeout: 120_000 }, async (forGood) => {
    const states = await wholly(scenario);
    const calls = await countCalls(scenario);
    const outcomes = new Map<string, number>();
    for (const [index, call] of calls.entries()) {
      for (const error of errorsAt(index + 1, call, forGood)) {
        const at = index + 1;
        const outcome = await tryFault(scenario, { at, error, forGood }, states);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    }
    const counts = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(", ");
    console.log(`${scenario.name}: ${calls.length} calls, ${forGood ? "for good" : "once"}: ${counts}`);
    expect(outcomes.get("refused")).toBeGreaterThan(0);
  });
});
