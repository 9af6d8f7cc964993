/** Over the record of a file: what is put together or left out of it changes nothing that an agent refers to. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { History } from "../../src/changes/history.js";
import { LineChange } from "../../src/changes/line-change.js";
import { emptyLedger, type LedgerShowing } from "../../src/ledger/agent-ledger.js";
import {
  Agents,
  type FileLedger,
  fromJson,
  type StateRecord,
  toJson,
  trimmed,
} from "../../src/ledger/file-ledger.js";
import { Document } from "../../src/text/document.js";
import { LineSet } from "../../src/text/line-set.js";

const runs = Number(process.env.KEDGE_RUNS);

interface Step {
  readonly at: number;
  readonly remove: number;
  readonly insert: number;
  readonly by: string;
}

const step: fc.Arbitrary<Step> = fc.record({
  at: fc.nat(30),
  remove: fc.nat(2),
  insert: fc.nat(2),
  by: fc.constantFrom("one", "one", "one", "one", "two"),
});

function statesOf(lines: number, steps: readonly Step[]): StateRecord[] {
  const first = { version: "v0", lines, encoding: null, exact: null, by: null, time: 0 };
  const states: StateRecord[] = [first];
  for (const [number, { at, remove, insert, by }] of steps.entries()) {
    const before = (states.at(-1) as StateRecord).lines;
    const start = at % (before + 1);
    const end = Math.min(before, start + remove);
    const region = { aStart: start, aEnd: end, bStart: start, bEnd: start + insert };
    const exact = LineChange.of(before, before + insert - (end - start), [region]);
    const version = `v${number + 1}`;
    states.push({ version, lines: exact.after, encoding: null, exact, by, time: number });
  }
  return states;
}

function ledgerOf(states: readonly StateRecord[], named: readonly number[]): FileLedger {
  const last = states.length - 1;
  const showings = [...new Set(named)]
    .filter((state) => state <= last)
    .sort((one, two) => one - two)
    .map((state, order): LedgerShowing => {
      const lineCount = (states[state] as StateRecord).lines;
      const rows = LineSet.all(lineCount);
      return { ...{ order, state, rows, scheme: "hex6", lineCount, printer: "read", time: 0 } };
    });
  const known = new Map(showings.map(({ state, rows }) => [state, rows]));
  const one = { ...emptyLedger(0), state: last, showings, known, settled: last >> 1 };
  return { order: showings.length, states, agents: Agents.none.with("one", one) };
}

/** Where the lines of each showing are now. */
function places({ states, agents }: FileLedger): (readonly number[] | null)[] {
  const now = Document.fromText("x\n".repeat((states.at(-1) as StateRecord).lines));
  const history = new History(
    states.map(({ version, lines, exact, by }, at) => ({
      ...{ version, lineCount: lines, exact, own: by === "one" },
      document: at === states.length - 1 ? now : null,
    })),
  );
  const showings = agents.get("one")?.showings ?? [];
  return showings.map(({ state, lineCount }) => {
    const map = history.follow(state);
    return map && Array.from({ length: lineCount }, (_, line) => map.index(line));
  });
}

it("lines are where they were, after changes in a row were put together", () => {
  let fewer = 0;
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 40, maxLength: 140 }),
      fc.array(fc.nat(140), { minLength: 1, maxLength: 6 }),
      (steps, named) => {
        const ledger = ledgerOf(statesOf(20, steps), [0, ...named]);
        const less = trimmed(ledger);
        fewer += ledger.states.length - less.states.length;
        expect(places(less)).toEqual(places(ledger));
        expect(less.states.slice(-50)).toEqual(ledger.states.slice(-50));
        expect(places(fromJson(toJson(less)))).toEqual(places(ledger));
        // What was not asked for is looked through as it was read.
        expect(fromJson(toJson(less)).agents.states()).toEqual(less.agents.states());
        expect(trimmed(less)).toBe(less);
      },
    ),
    { numRuns: runs },
  );
  expect(fewer).toBeGreaterThan(0);
});

it("states before those that anybody refers to are left out, and showings of what is too old are forgotten", () => {
  const insert = { at: 0, remove: 0, insert: 1, by: "one" };
  const states = statesOf(
    20,
    Array.from({ length: 1100 }, (_, at) => ({ ...insert, by: at % 2 ? "one" : "two" })),
  );
  expect(trimmed(ledgerOf(states, [1050])).states).toHaveLength(51);
  const old = trimmed(ledgerOf(states, [3, 1050]));
  expect(old.states).toHaveLength(1000);
  expect(old.agents.get("one")?.showings).toHaveLength(1);
  expect(old.agents.get("one")?.forgotten.hex6?.lines.size).toBe(23);
});
