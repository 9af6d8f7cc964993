import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Author } from "../../src/authors/author.js";
import { embed } from "../../src/authors/embed.js";
import type { FileWork } from "../../src/authors/file-work.js";
import { planFor } from "../../src/authors/plan.js";
import { type Item, itemsOf } from "../../src/authors/text-work.js";
import { Weave, type WovenLine } from "../../src/authors/weave.js";
import { LineChange } from "../../src/changes/index.js";

const agents = ["ada", "bob", "eve", "outside"];
const author = (name: string): Author => ({ authors: [name], time: 1, tool: "edit", edit: name });

/** Some lines are unique, some are equal to others. */
const words = ["}\n", "\n", "a();\n", "x\n"];

interface Step {
  readonly agent: number;
  readonly at: number;
  readonly removed: number;
  readonly inserted: readonly number[];
}

const step: fc.Arbitrary<Step> = fc.record({
  agent: fc.nat(agents.length - 1),
  at: fc.nat(30),
  removed: fc.nat(3),
  inserted: fc.array(fc.nat(7), { maxLength: 4 }),
});

/** One line as the slow reference follows it: by its identity alone. */
interface Known {
  readonly text: string;
  readonly by: string | null;
}

interface Course {
  readonly weave: Weave;
  /** The lines now. */
  readonly now: readonly Known[];
  readonly head: readonly string[];
}

/** Of equal lines a text tells too little: a commit of one may leave the other for the next round. */
const rounds = Array.from({ length: 8 });

const bare = (text: string): string => text.replace(/\W/g, "");

function play(count: number, steps: readonly Step[]): Course {
  const head = Array.from(
    { length: count },
    (_, at) => (at % 3 === 0 ? words[at % 4] : `line ${at}\n`) as string,
  );
  let now: Known[] = head.map((text) => ({ text, by: null }));
  const weave = new Weave({ version: "0", lines: head });
  for (const [at, { agent, ...one }] of steps.entries()) {
    const start = Math.min(one.at, now.length);
    const end = Math.min(start + one.removed, now.length);
    const gone = new Set(now.slice(start, end).flatMap(({ text }) => [text, bare(text)]));
    const inserted = one.inserted.map((word, place) => {
      const text = words[word] ?? `new ${at} ${place}\n`;
      return gone.has(text) || gone.has(bare(text)) ? `other ${at} ${place}\n` : text;
    });
    const lines = inserted.map((text) => ({ text, by: agents[agent] as string }));
    const change = LineChange.ofHunks(now.length, [{ start, end, lines }]);
    now = [...now.slice(0, start), ...lines, ...now.slice(end)];
    const state = { version: String(at + 1), lines: now.map(({ text }) => text) };
    weave.step(state, { author: author(agents[agent] as string), change });
  }
  return { weave, now, head };
}

function work(items: readonly Item[]): FileWork {
  const head = { mode: "100644", blob: "" };
  const more = {
    creator: null,
    from: null,
    staged: null,
    isFiltered: false,
    key: "a",
    fromKey: "a",
    author: author("ada"),
  };
  return { path: "a", head, mode: "100644", items, bytes: null, weave: null, ...more };
}

/** Commits all of one author's lines, with what they need; the new HEAD. */
function commitOf(name: string, items: readonly Item[]) {
  const companions: string[] = [];
  for (;;) {
    const parties = companions.map((agent) => ({ agent, isClaiming: false }));
    const plan = planFor([work(items)], { agent: name, isClaiming: false }, parties);
    const missing = plan.missing.flatMap((need) => need.author.authors);
    if (missing.length === 0) return { file: plan.files[0], companions };
    expect(companions).not.toEqual(expect.arrayContaining(missing));
    companions.push(...missing);
  }
}

const courses = fc.tuple(
  fc.nat(8),
  fc.array(step, { maxLength: 14 }),
  fc.shuffledSubarray(agents, { minLength: 4 }),
);

describe("committing author after author", () => {
  test("ends in the tree, each line once, none under another's name", () => {
    fc.assert(
      fc.property(courses, ([count, steps, order]) => {
        const { weave, now, head } = play(count, steps);
        const by = new Map(weave.lines.map((line, at) => [line, now[at]?.by]));
        let lines: readonly string[] = head;
        let places: (WovenLine | null)[] = [...(weave.livingIn("0") ?? [])];
        const committed = new Set<WovenLine>();
        for (const name of order) {
          const { file, companions } = commitOf(name, itemsOf(weave, lines, places));
          if (!file?.lines) continue;
          for (const { kind, line } of file.taken) {
            if (kind !== "inserted" || !line) continue;
            expect([name, ...companions]).toContain(by.get(line));
            expect(committed.has(line)).toBe(false);
            committed.add(line);
          }
          lines = file.lines.map(({ text }) => text);
          places = file.lines.map(({ line }) => line);
        }
        expect(lines).toEqual(now.map(({ text }) => text));
      }),
    );
  });

  test("ends in the tree, after some rounds, also where only texts tell which lines HEAD has", () => {
    fc.assert(
      fc.property(courses, ([count, steps, order]) => {
        const { weave, now, head } = play(count, steps);
        let lines: readonly string[] = head;
        for (const name of rounds.flatMap(() => order)) {
          const places = embed(lines, [...weave.all()], weave.lines);
          const { file } = commitOf(name, itemsOf(weave, lines, places));
          if (file?.lines) lines = file.lines.map(({ text }) => text);
        }
        const items = itemsOf(weave, lines, embed(lines, [...weave.all()], weave.lines));
        const left = items.filter(({ kind }) => kind !== "kept").map(({ author: whose }) => whose?.authors);
        expect(left).toEqual([]);
        expect(lines).toEqual(now.map(({ text }) => text));
      }),
    );
  });

  test("gives each line now to who wrote it", () => {
    fc.assert(
      fc.property(courses, ([count, steps]) => {
        const { weave, now, head } = play(count, steps);
        const items = itemsOf(weave, head, [...(weave.livingIn("0") ?? [])]);
        const lines = items.filter(({ kind }) => kind !== "removed");
        expect(lines.map(({ text }) => text)).toEqual(now.map(({ text }) => text));
        for (const [at, { kind, author: whose }] of lines.entries())
          if (kind === "inserted") expect(whose?.authors).toEqual([now[at]?.by]);
      }),
    );
  });
});
