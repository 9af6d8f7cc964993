/** A history that is made up from a seed: files like source code, changed again and again, with branches that are merged. */
import { createHash } from "node:crypto";
import { gap } from "../../src/replay/cases/carry.js";
import { applyHunks, type Hunk, textOf } from "../../src/replay/cases/case.js";
import type { FileChange, FileMerge, Source } from "../../src/replay/cases/git-source.js";
import { type Random, seeded } from "../../src/replay/cases/random.js";

const words = [
  "anchor",
  "bytes",
  "change",
  "document",
  "edit",
  "file",
  "gate",
  "hash",
  "line",
  "range",
  "session",
];

function line(random: Random, depth: number): string {
  const indent = "  ".repeat(depth);
  const [one, two] = [random.pick(words), random.pick(words)];
  const kinds = [
    () => `${indent}const ${one}${random.below(90)} = ${two}(${random.below(9)});`,
    () => `${indent}return ${one};`,
    () => `${indent}if (${one} === ${two}) continue;`,
    () => `${indent}}`,
    () => `${indent}${one}.push(${two});`,
    () => `${indent}// the ${one} of a ${two}`,
  ];
  return random.pick(kinds)();
}

/** Functions of some lines, a blank one after each: closing brackets and short statements repeat. */
function firstText(random: Random): string[] {
  const lines: string[] = [];
  for (let at = 0; at < 10 + random.below(8); at++) {
    lines.push(`function ${random.pick(words)}${at}(${random.pick(words)}) {`);
    for (let body = 0; body < 3 + random.below(9); body++) lines.push(line(random, 1 + random.below(2)));
    lines.push("}", "");
  }
  return lines;
}

function change(lines: readonly string[], random: Random): Hunk[] {
  const hunks: Hunk[] = [];
  let from = random.below(Math.ceil(lines.length / 3));
  for (let number = 0; number < 1 + random.below(4) && from < lines.length - 8; number++) {
    const count = random.below(4);
    const fresh = Array.from({ length: random.below(4) + (count === 0 ? 1 : 0) }, () =>
      line(random, 1 + random.below(2)),
    );
    hunks.push({ start: from, count, lines: fresh });
    from += count + 1 + random.below(Math.ceil(lines.length / 2));
  }
  return hunks;
}

export function madeHistory(seed: string, files: number, steps: number): Source {
  const random = seeded(seed);
  const blobs = new Map<string, string>();
  const store = (lines: readonly string[]): string => {
    const id = createHash("sha1").update(textOf(lines)).digest("hex");
    blobs.set(id, textOf(lines));
    return id;
  };
  const changes: FileChange[] = [];
  const merges: (FileMerge & { parting: string })[] = [];
  for (let file = 0; file < files; file++) {
    const path = `file${file}.ts`;
    let lines = firstText(random);
    for (let step = 0; step < steps; step++) {
      const [own, other] = [change(lines, random), change(lines, random)];
      const next = applyHunks(lines, own);
      const commit = `${file}.${step}`;
      changes.push({ path, commit, before: store(lines), after: store(next) });
      const sides = [store(next), store(applyHunks(lines, other))] as const;
      // Where they overlap, the first side is taken, as somebody may have resolved it.
      const merged = store(overlap(own, other) ? next : applyHunks(lines, [...own, ...other]));
      merges.push({ path, commit, parents: ["", ""], sides, merged, parting: store(lines) });
      lines = next;
    }
  }
  return {
    name: "a made-up history",
    changes: async () => changes,
    merges: async () => merges,
    parting: async (merge) => (merge as FileMerge & { parting: string }).parting,
    isShallow: async () => false,
    texts: async (ids) => ids.map((id) => blobs.get(id) ?? null),
  };
}

function overlap(own: readonly Hunk[], other: readonly Hunk[]): boolean {
  const span = ({ start, count }: Hunk): [number, number] => [start, start + count];
  return own.some((one) => other.some((two) => gap(span(one), span(two)) < 1));
}
