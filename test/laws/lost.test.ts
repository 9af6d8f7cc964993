import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RestoreDetails } from "../../src/lost/restore-result.js";
import { type Bench, bench, numbered, on, path } from "../support/session.js";

/** A few words, so that lines repeat; some tell nothing. */
const word = fc.constantFrom("alpha(1)", "beta", "gamma", "delta(2)", "}", "{", "omega", "sigma");
const text = fc.array(word, { minLength: 1, maxLength: 12 });

interface Step {
  readonly at: number;
  readonly length: number;
  readonly lines: readonly string[];
  readonly agent: string;
}

const step: fc.Arbitrary<Step> = fc.record({
  at: fc.nat(20),
  length: fc.nat(3),
  lines: fc.array(word, { maxLength: 3 }),
  agent: fc.constantFrom("one", "two"),
});

/** Every state the file had, the first one included. */
async function play({ session, words }: Bench, steps: readonly Step[]): Promise<string[]> {
  const states = [words() as string];
  for (const { at, length, lines, agent } of steps) {
    const now = words() ?? "";
    const count = now === "" ? 0 : now.split(" ").length;
    if (count === 0) break;
    const start = (at % count) + 1;
    const end = Math.min(count, start + length);
    const own = session.as(agent);
    await own.read({ path });
    await own.edit(on(now).replace(start, end, lines.length > 0 ? lines : null));
    const after = words() ?? "";
    if (after !== now) states.push(after);
  }
  return states;
}

/** The last edit removed two lines, and of these only one without words is back. */
const oneSignIsBack: [string[], Step[], number] = [
  ["}"],
  [
    { at: 0, length: 0, lines: ["alpha(1)", "}"], agent: "one" },
    { at: 0, length: 1, lines: [], agent: "one" },
  ],
  0,
];

describe("lost work", () => {
  it("lost work of whatever edits, after going back to whatever state: all of it comes back, to the letter", () =>
    fc.assert(
      fc.asyncProperty(text, fc.array(step, { maxLength: 8 }), fc.nat(8), async (lines, steps, back) => {
        const made = bench(lines.join(" "));
        const states = await play(made, steps);
        expect(await made.session.lost()).toEqual([]);
        const last = states.at(-1) as string;
        const earlier = states[back % states.length] as string;
        made.rudely(earlier);
        const found = await made.session.lost();
        expect(found.length > 0).toBe(earlier !== last);
        await made.session.restore({ all: true });
        expect(made.words()).toBe(last);
        expect(await made.session.lost()).toEqual([]);
        if (earlier === last) return;
        await made.session.undo();
        expect(made.words()).toBe(earlier);
        expect(await made.session.lost()).not.toEqual([]);
      }),
      { examples: [oneSignIsBack] },
    ));

  it("lost work comes back beside what others wrote meanwhile, or not at all", () =>
    fc.assert(
      fc.asyncProperty(
        ...[text, fc.array(step, { minLength: 1, maxLength: 6 }), fc.nat(8), fc.nat(20)],
        async (lines, steps, back, at) => {
          const made = bench(lines.join(" "));
          const states = await play(made, steps);
          const earlier = (states[back % states.length] as string).split(" ").filter((line) => line !== "");
          earlier.splice(at % (earlier.length + 1), 0, "foreign();");
          made.rudely(earlier.join(" "));
          const before = made.words();
          const { details } = await made.session.restore({ all: true });
          expect((made.words() ?? "").split(" ").filter((line) => line === "foreign();")).toHaveLength(1);
          const { status } = details as RestoreDetails;
          if (status === "refused" || status === "noop") expect(made.words()).toBe(before);
        },
      ),
    ));

  it("lost work comes back to the letter, beside what others wrote meanwhile, where no two lines are equal", () =>
    fc.assert(
      fc.asyncProperty(
        ...[
          fc.integer({ min: 1, max: 12 }),
          fc.array(step, { minLength: 1, maxLength: 6 }),
          fc.nat(8),
          fc.nat(20),
        ],
        async (count, steps, back, at) => {
          const made = bench(numbered(count, "line"));
          const fresh = steps.map((one, number) => ({
            ...one,
            lines: one.lines.map((_, line) => `edit${number}(${line})`),
          }));
          const states = await play(made, fresh);
          const last = states.at(-1) as string;
          const earlier = states[back % states.length] as string;
          const lines = earlier.split(" ").filter((line) => line !== "");
          lines.splice(at % (lines.length + 1), 0, "foreign();");
          made.rudely(lines.join(" "));
          const found = await made.session.lost();
          expect(found.length > 0).toBe(earlier !== last);
          const { details } = await made.session.restore({ all: true });
          const rest = (made.words() ?? "").split(" ").filter((line) => line !== "foreign();");
          const isDone = (details as RestoreDetails).status === "applied";
          expect(rest.join(" ")).toBe(isDone ? last : earlier);
          if (!isDone) return;
          // What a restore brought back is lost again once the restore is undone.
          await made.session.undo();
          expect(made.words()).toBe(lines.join(" "));
          expect((await made.session.lost()).map(({ id }) => id)).toEqual(found.map(({ id }) => id));
        },
      ),
    ));

  it("lost work is nothing that a formatter did", () =>
    fc.assert(
      fc.asyncProperty(
        ...[text, fc.array(step, { maxLength: 8 }), fc.constantFrom("\t", "    ")],
        async (lines, steps, indent) => {
          const made = bench(lines.join(" "));
          const states = await play(made, steps);
          const tidy = (states.at(-1) as string).split(" ").map((line) => `${indent}${line};\n`);
          made.files.set(path, tidy.join(""));
          expect(await made.session.lost()).toEqual([]);
        },
      ),
    ));
});
