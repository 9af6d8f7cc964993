import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Author } from "../../src/authors/author.js";
import type { FileWork } from "../../src/authors/file-work.js";
import { embed } from "../../src/authors/lines/embed.js";
import { type Item, itemsOf } from "../../src/authors/lines/text-work.js";
import { Weave, type WovenLine } from "../../src/authors/lines/weave.js";
import { planFor } from "../../src/authors/plan.js";
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
  /** The first line that goes stays in another layout. */
  readonly isRelaid: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  agent: fc.nat(agents.length - 1),
  at: fc.nat(30),
  removed: fc.nat(3),
  inserted: fc.array(fc.nat(7), { maxLength: 4 }),
  isRelaid: fc.boolean(),
});

/** One line as the slow reference follows it: by its identity alone. */
interface Known {
  readonly text: string;
  readonly by: string | null;
  /** The line of HEAD that this one is in another layout. */
  readonly former: string | null;
}

interface Course {
  readonly weave: Weave;
  /** The lines now. */
  readonly now: readonly Known[];
  readonly head: readonly string[];
  readonly places: readonly WovenLine[];
}

/** Of equal lines a text tells too little: a commit of one may leave the other for the next round. */
const rounds = Array.from({ length: 8 });

const bare = (text: string): string => text.replace(/\W/g, "");

/** Lays a line out anew, if nothing else can be told from it. */
function relaid(known: Known | undefined, agent: string, isInHead: boolean): Known[] {
  if (!known || !/^ *(line|new|other) [\d ]+\n$/.test(known.text)) return [];
  const former = isInHead ? known.text : known.former;
  return [{ text: ` ${known.text}`, by: known.by ?? agent, former }];
}

/** After some of the steps all is committed by hand. */
function play(count: number, steps: readonly Step[], committed = 0): Course {
  let head: readonly string[] = Array.from(
    { length: count },
    (_, at) => (at % 3 === 0 ? words[at % 4] : `line ${at}\n`) as string,
  );
  let now: Known[] = head.map((text) => ({ text, by: null, former: null }));
  const weave = new Weave({ version: "0", lines: head });
  let places = weave.lines;
  const commitAll = (): void => {
    head = now.map(({ text }) => text);
    places = weave.lines;
    now = now.map(({ text }) => ({ text, by: null, former: null }));
  };
  for (const [at, { agent, ...one }] of steps.entries()) {
    if (at === committed) commitAll();
    const start = Math.min(one.at, now.length);
    const end = Math.min(start + one.removed, now.length);
    const gone = new Set(now.slice(start, end).flatMap(({ text }) => [text, bare(text)]));
    const inserted = one.inserted.map((word, place) => {
      const text = words[word] ?? `new ${at} ${place}\n`;
      return gone.has(text) || gone.has(bare(text)) ? `other ${at} ${place}\n` : text;
    });
    const by = agents[agent] as string;
    const first = now[start];
    const again = one.isRelaid && end > start ? relaid(first, by, head.includes(first?.text ?? "")) : [];
    const lines = [...again, ...inserted.map((text) => ({ text, by, former: null }))];
    const change = LineChange.ofHunks(now.length, [{ start, end, lines }]);
    now = [...now.slice(0, start), ...lines, ...now.slice(end)];
    const state = { version: String(at + 1), lines: now.map(({ text }) => text) };
    weave.step(state, { author: author(agents[agent] as string), change });
  }
  if (committed >= steps.length) commitAll();
  return { weave, now, head, places };
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
  fc.nat(8),
);

describe("committing author after author", () => {
  test("ends in the tree, each line once, none under another's name", () => {
    fc.assert(
      fc.property(courses, ([count, steps, order, hand]) => {
        const { weave, now, head, ...course } = play(count, steps, hand);
        const by = new Map(weave.lines.map((line, at) => [line, now[at]?.by]));
        let lines: readonly string[] = head;
        let places: (WovenLine | null)[] = [...course.places];
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
          for (const { text, former } of now)
            if (former !== null)
              expect([former, lines.includes(former)]).toEqual([former, !lines.includes(text)]);
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
      fc.property(courses, ([count, steps, , hand]) => {
        const { weave, now, head, places } = play(count, steps, hand);
        const items = itemsOf(weave, head, places);
        const lines = items.filter(({ kind }) => kind !== "removed");
        expect(lines.map(({ text }) => text)).toEqual(now.map(({ text }) => text));
        for (const [at, { kind, author: whose }] of lines.entries())
          if (kind === "inserted") expect(whose?.authors).toEqual([now[at]?.by]);
      }),
    );
  });
});
