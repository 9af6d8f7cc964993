import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { History, type State } from "../../src/changes/history.js";
import type { Edit } from "../../src/edits/index.js";
import { anchorOf } from "../../src/edits/problem.js";
import { type Applied, type Refused, run } from "../../src/merge/run-edits.js";
import { Document } from "../../src/text/document.js";
import { LineSet } from "../../src/text/line-set.js";
import { Frequency } from "../support/frequency.js";
import { applyHunks, hunksOfResult } from "../support/hunks.js";
import {
  type Call,
  callOn,
  type Disturbance,
  firstShown,
  type Line,
  stateOf,
  strayed,
  World,
} from "../support/model.js";
import { doneBefore, withAll } from "../support/pair.js";
import { Random } from "../support/random.js";

/** A text that was seen, what others did to it since, and a call that was made for what was seen. */
interface Case {
  readonly seen: readonly Line[];
  /** The lines that the anchors name where each state is on record. */
  readonly meant: readonly Line[];
  readonly now: readonly Line[];
  readonly call: Call;
  readonly result: Applied | Refused;
}

interface Setting {
  readonly exact: boolean;
  readonly repeated?: number;
  readonly kinds?: readonly Disturbance[];
}

/** A world that was seen and then disturbed; `play` makes one call on it, each time another. */
function disturbed(random: Random, size: number, steps: number, setting: Setting): { play(): Case } {
  const world = new World(random, setting.repeated ?? 0.7, size);
  const seen = world.lines;
  const states = [stateOf(world.document)];
  for (let step = 0; step < steps; step++) {
    const made = world.disturb(setting.kinds);
    if (setting.exact) states.push(...made);
  }
  if (!setting.exact) states.push(stateOf(world.document));
  const view = firstShown(states);
  const play = (): Case => {
    const call = callOn(seen, world);
    return { seen, meant: meant(world), now: world.lines, call, result: run(call.edits, view) };
  };
  return { play };
}

const anyCase = (setting: Setting, fewest = 0) =>
  fc
    .record({
      seed: fc.integer(),
      size: fc.integer({ min: 1, max: 40 }),
      steps: fc.integer({ min: fewest, max: 4 }),
    })
    .map(({ seed, size, steps }) => disturbed(new Random(seed), size, steps, setting).play());

/** A text that reads again as it was seen is the text that was seen, whatever was done in between. */
function meant({ states }: World): readonly Line[] {
  const words = (lines: readonly Line[] = []): string => JSON.stringify(lines.map(({ text }) => text));
  return states.findLast((lines) => words(lines) === words(states[0])) ?? [];
}

/** On demand the number of cases is raised a thousandfold. */
const patient = { timeout: 3_600_000 };
const inPlace: readonly Disturbance[] = ["insert", "delete", "replace", "copy"];

/** Three texts, cut at the lines that all of them have: what stands between two such lines, side by side. */
function byCommonLines(...texts: readonly (readonly Line[])[]): string[][] {
  const common = (line: Line) => texts.every((text) => text.some(({ id }) => id === line.id));
  const cut = texts.map((text) => {
    const pieces: string[][] = [[]];
    for (const line of text) {
      if (common(line)) pieces.push([]);
      else pieces.at(-1)?.push(line.text);
    }
    return pieces.map((piece) => JSON.stringify(piece));
  });
  return (cut[0] as string[]).map((_, at) => cut.map((pieces) => pieces[at] as string));
}

describe("resolution against line identities", () => {
  it("without a foreign writer every edit is accepted and does exactly what it says", () => {
    const alone = fc
      .record({ seed: fc.integer(), size: fc.integer({ min: 1, max: 40 }) })
      .map(({ seed, size }) => disturbed(new Random(seed), size, 0, { exact: false }).play());
    fc.assert(
      fc.property(alone, ({ now, call, result }) => {
        if (result.status === "refused") throw new Error("refused");
        expect(result.document.lines()).toEqual(call.expected(now));
      }),
    );
  });

  it("with exact changes no line is touched that was not named", () => {
    fc.assert(
      fc.property(anyCase({ exact: true }, 1), ({ meant, now, call, result }) => {
        if (result.status !== "refused")
          expect(strayed(hunksOfResult(result), now, call.named(meant))).toEqual([]);
      }),
    );
  });

  it("with exact changes neither does a call of several edits touch any other line", () => {
    const settings = fc.record({ seed: fc.integer(), size: fc.integer({ min: 1, max: 40 }) });
    fc.assert(
      fc.property(settings, ({ seed, size }) => {
        const world = new World(new Random(seed), 0.7, size);
        const seen = world.lines;
        const view = firstShown([stateOf(world.document), ...world.disturb(), ...world.disturb()]);
        const calls = [callOn(seen, world), callOn(seen, world), callOn(seen, world)];
        const result = run(
          calls.flatMap(({ edits }) => edits),
          view,
        );
        if (result.status === "refused") return;
        const named = calls.map((call) => call.named(meant(world)));
        expect(
          strayed(hunksOfResult(result), world.lines, {
            lines: named.flatMap(({ lines }) => lines),
            after: named.flatMap(({ after }) => after),
            before: named.flatMap(({ before }) => before),
          }),
        ).toEqual([]);
      }),
    );
  });

  it("with exact changes no line of others is ever lost", () => {
    fc.assert(
      fc.property(anyCase({ exact: true }, 1), ({ meant, now, result }) => {
        if (result.status === "refused") return;
        const nobody = { id: -1, text: "" };
        const made = hunksOfResult(result).map((hunk) => ({ ...hunk, lines: hunk.lines.map(() => nobody) }));
        const after = new Set(applyHunks(now, made));
        const known = new Set(meant.map(({ id }) => id));
        expect(now.filter((line) => !known.has(line.id) && !after.has(line))).toEqual([]);
      }),
    );
  });

  it("with exact changes what is separable is accepted, as the model says", () => {
    fc.assert(
      fc.property(anyCase({ exact: true, kinds: inPlace }, 1), ({ now, call, result }) => {
        const expected = call.expected(now);
        if (!expected) return;
        if (result.status === "refused") throw new Error("refused");
        expect(result.document.lines()).toEqual(expected);
      }),
    );
  });

  it("what is called already there is there", () => {
    const settings = fc.record({ seed: fc.integer(), size: fc.integer({ min: 1, max: 12 }) });
    fc.assert(
      fc.property(settings, ({ seed, size }) => {
        const world = new World(new Random(seed), 0.9, size);
        const seen = world.lines;
        const first = stateOf(world.document);
        const { edits } = callOn(seen, world);
        const alone = run(edits, firstShown([first]));
        if (alone.status !== "applied" || edits[0]?.op === "move_lines") return;
        const copied = hunksOfResult(alone).map((hunk) => ({ ...hunk, lines: world.fresh(hunk.lines) }));
        const mine = applyHunks(seen, copied);
        const theirs = hunksOfResult(alone).map((hunk) => ({ ...hunk, lines: world.fresh(hunk.lines) }));
        const same = world.apply(theirs);
        const result = run(edits, firstShown([first, same, ...world.disturb(inPlace)]));
        if (result.status !== "noop") return;
        const pieces = byCommonLines(seen, mine, world.lines);
        expect(pieces.filter(([before, ours, now]) => ours !== before && ours !== now)).toEqual([]);
      }),
    );
  });

  it("by comparing, what is separable among lines that occur once is accepted, as the model says", () => {
    fc.assert(
      fc.property(
        anyCase({ exact: false, repeated: 0, kinds: ["insert", "delete", "replace"] }, 1),
        (one) => {
          const expected = one.call.expected(one.now);
          if (!expected) return;
          if (one.result.status === "refused") throw new Error("refused");
          expect(one.result.document.lines()).toEqual(expected);
        },
      ),
    );
  });

  it("by comparing, at most 1 write in 1,000 strays at 70 % repeated lines", patient, () => {
    const random = new Random(Number(process.env.KEDGE_SEED));
    const count = { writes: 0, strayed: 0, refused: 0 };
    // Measured: 16 of 36,424. Calls on one world stray together, so each world is judged by one call.
    const straying = new Frequency({ allowed: 1 / 1000, times: 3 });
    const fewest = 20 * Number(process.env.KEDGE_RUNS);
    for (let round = 0; round < fewest || (straying.verdict === "unclear" && round < 20 * fewest); round++) {
      const size = random.between(60, 160);
      const { result, call, now, seen } = disturbed(random, size, random.between(1, 2), {
        exact: false,
      }).play();
      if (result.status === "refused") count.refused++;
      if (result.status !== "applied") continue;
      const isStray = strayed(hunksOfResult(result), now, call.named(seen)).length > 0;
      count.writes++;
      if (isStray) count.strayed++;
      straying.add(isStray ? 1 : 0, 1);
    }
    console.log(`resolve: ${count.strayed} of ${count.writes} writes strayed, ${count.refused} refused`);
    expect(straying.verdict, `${count.strayed} of ${count.writes} strayed`).toBe("seldom");
  });
});

/** The same, with nothing but the line hashes kept of it. */
function hashed(state: State): State {
  const { document, lineCount } = state;
  const hashes = Uint32Array.from({ length: lineCount }, (_, line) => (document as Document).lineHash(line));
  return { ...state, document: null, hashes };
}

describe("texts of which only the hashes are kept", () => {
  interface Pair {
    readonly edits: Call["edits"];
    readonly kept: Applied | Refused;
    readonly result: Applied | Refused;
  }

  /** The same calls, with the texts kept and with the hashes only. */
  const pairs = fc
    .record({
      ...{ seed: fc.integer(), size: fc.integer({ min: 1, max: 40 }), steps: fc.integer({ min: 1, max: 4 }) },
      ...{ repeated: fc.constantFrom(0, 0.7, 0.95), exact: fc.boolean(), quoted: fc.boolean() },
    })
    .map(({ seed, size, steps, repeated, exact, quoted }): Pair => {
      const world = new World(new Random(seed), repeated, size);
      const seen = world.lines;
      const states = [stateOf(world.document)];
      for (let step = 0; step < steps; step++) {
        const made = world.disturb();
        states.push(...(exact ? made : [stateOf(world.document)]));
      }
      const last = states.length - 1;
      const [old] = world.random.chance(0.5) && seen.length > 0 ? [world.random.pick(seen).text] : ["line"];
      const edits: readonly Edit[] =
        quoted && old ? [{ op: "replace_text", all: false, old, new: "new" }] : callOn(seen, world).edits;
      const kept = run(edits, firstShown(states));
      const result = run(edits, firstShown(states.map((one, at) => (at < last ? hashed(one) : one))));
      return { edits, kept, result };
    });

  it("an edit lands only where it lands with the texts, and as it does there", () => {
    fc.assert(
      fc.property(pairs, ({ edits, kept, result }) => {
        if (result.status === "refused") return;
        // A quote of a part of a line may have stood in a line that is gone, too.
        if (edits[0]?.op === "replace_text" && kept.status === "refused") {
          expect(kept.problems).toMatchObject([{ code: "ambiguous" }]);
          return;
        }
        if (kept.status === "refused") throw new Error("refused with the texts");
        expect(result.document.lines()).toEqual(kept.document.lines());
      }),
    );
  });

  it("an edit of lines that others left alone lands as with the texts", () => {
    fc.assert(
      fc.property(pairs, ({ edits, kept, result }) => {
        const op = edits[0]?.op;
        if (kept.status !== "applied" || op === "replace_lines" || op === "replace_text") return;
        expect(result.status).toBe("applied");
      }),
    );
  });
});

/** In all orders, if they are few. */
function permuted<T>(items: readonly T[]): (readonly T[])[] {
  if (items.length > 6) return [items];
  if (items.length < 2) return [items];
  return items.flatMap((first, at) => permuted(items.toSpliced(at, 1)).map((rest) => [first, ...rest]));
}

describe("one call, one picture", () => {
  // Both put the same text into one gap: one after the other it is there once, at once it is there twice.
  const examples: [{ seed: number; size: number }][] = [
    [{ seed: 1840492636, size: 12 }],
    [{ seed: 2147483641, size: 12 }],
  ];

  it("two edits at once come to the same as one after the other, but for what is already there then", () => {
    const pairs = fc.record({ seed: fc.integer(), size: fc.integer({ min: 1, max: 40 }) });
    fc.assert(
      fc.property(pairs, ({ seed, size }) => {
        const world = new World(new Random(seed), 0.7, size);
        const start = stateOf(world.document);
        const [one, two] = [callOn(world.lines, world), callOn(world.lines, world)];
        const first = run(one.edits, firstShown([start]));
        if (first.status !== "applied") return;
        const between = stateOf(first.document, first.change);
        const second = run(two.edits, firstShown([start, between]));
        if (second.status !== "applied") return;
        const both = run([...one.edits, ...two.edits], firstShown([start]));
        if (both.status === "refused") {
          expect(both.problems[0]?.code).toBe("overlap");
          return;
        }
        const alone = run(two.edits, firstShown([start]));
        if (alone.status === "refused") throw new Error("refused");
        const lines = world.lines.map(({ text }) => text);
        const [ours, theirs] = [hunksOfResult(alone), hunksOfResult(first)];
        const done = doneBefore(lines, theirs, ours);
        const once = withAll(lines, [...theirs, ...ours.filter((hunk) => !done.includes(hunk))]);
        const twice = done.length === 0 ? both.document.lines() : withAll(lines, [...theirs, ...ours]);
        expect(both.document.lines()).toEqual(twice);
        // In a gap that somebody filled meanwhile an insertion still goes directly beside its line (rule 5).
        const orders = [[...ours, ...theirs], ...permuted([...theirs, ...ours])].map((hunks) =>
          withAll(lines, hunks),
        );
        // A line in common may stand between them (rule 5): then they do not meet.
        expect(done.length === 0 ? [twice, ...orders] : [once, twice]).toContainEqual(
          second.document.lines(),
        );
      }),
      { examples },
    );
  });
});

describe("bytes", () => {
  const terminators = fc.constantFrom("\n", "\r\n");
  const line = fc.tuple(fc.constantFrom("}", "", "a", "é", "a b ", "\tx", "日本"), terminators);
  const file = fc
    .record({ bom: fc.boolean(), lines: fc.array(line, { minLength: 1, maxLength: 12 }), end: fc.boolean() })
    .map(({ bom, lines, end }) => {
      const text = lines.map((pair) => pair.join("")).join("");
      return (bom ? "\ufeff" : "") + (end ? text : text.replace(/\r?\n$/, ""));
    })
    .filter((text) => Document.fromText(text).lineCount > 0);
  const written = fc.array(fc.constantFrom("}", "", "neu", "ö"), { minLength: 1, maxLength: 3 });

  /** Whatever others did meanwhile: the base has the same lines, one more at the top, with other ends. */
  const editOf = (now: Document, pick: number, text: readonly string[]) => {
    const base = Document.fromText(`top\n${now.lines().join("\n")}\n`);
    const index = pick % now.lineCount;
    const op = ["set_line", "insert_after", "insert_before"][pick % 3];
    const rows = LineSet.all(base.lineCount);
    const view = {
      history: new History([stateOf(base), stateOf(now)]),
      showings: [{ state: 0, rows, scheme: "hex6" as const }],
      known: () => rows,
    };
    return run([{ op, anchor: anchorOf(base, index + 1, "hex6"), text }], view);
  };

  it("of lines that are not touched never change, nor does the byte order mark", () => {
    fc.assert(
      fc.property(file, fc.nat(100), written, (content, pick, text) => {
        const now = Document.fromText(content);
        const copy = now.toBytes().slice();
        const result = editOf(now, pick, text);
        expect(now.toBytes()).toEqual(copy);
        if (result.status === "refused") return;
        const { document, change } = result;
        expect(document.hasBom).toBe(now.hasBom);
        for (let index = 0; index < now.lineCount; index++) {
          const after = change.index(index);
          if (after < 0) continue;
          const { raw, terminator } = now.raw(index);
          expect(document.raw(after).raw).toEqual(raw);
          if (terminator !== "" || after === document.lineCount - 1)
            expect(document.raw(after).terminator).toBe(terminator);
        }
      }),
    );
  });

  it("a refusal carries no text to write", () => {
    fc.assert(
      fc.property(anyCase({ exact: false }, 1), ({ result }) => {
        if (result.status !== "refused") return;
        expect(result).not.toHaveProperty("document");
        expect(result.problems.length).toBeGreaterThan(0);
      }),
    );
  });
});
