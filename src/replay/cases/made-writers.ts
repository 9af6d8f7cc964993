/** Real edits, V0 → V1, with a second writer who is made up: each gives one case, or none where the text has no place for it. */
import { gap } from "./carry.js";
import { applyHunks, type Draft, type Hunk, linesOf, textOf, toCrlf } from "./case.js";
import type { Random } from "./random.js";

interface RealEdit {
  readonly path: string;
  readonly origin: string;
  readonly base: string;
  readonly after: string;
  readonly edits: readonly Hunk[];
}

type Maker = (edit: RealEdit, random: Random) => Draft | null;

const apart = 3;
const start = ({ path, origin, base, edits }: RealEdit) => ({ path, origin, base, current: base, edits });

const isFarFrom = (edits: readonly Hunk[], from: number, to: number): boolean =>
  edits.every((hunk) => gap([hunk.start, hunk.start + hunk.count], [from, to]) >= apart);

/** A formatter that takes the other kind of indentation; null for a line that it leaves. */
function reindented(line: string): string | null {
  const blanks = /^(?: {2})+/.exec(line)?.[0].length ?? 0;
  if (blanks > 0) return "\t".repeat(blanks / 2) + line.slice(blanks);
  const tabs = /^\t+/.exec(line)?.[0].length ?? 0;
  return tabs > 0 ? "    ".repeat(tabs) + line.slice(tabs) : null;
}

const formatElsewhere: Maker = (edit) => {
  let count = 0;
  const lines = linesOf(edit.base).map((line, at) => {
    const formatted = isFarFrom(edit.edits, at, at + 1) ? reindented(line) : null;
    if (formatted !== null) count++;
    return formatted ?? line;
  });
  if (count === 0) return null;
  const truth = textOf(applyHunks(lines, edit.edits));
  return { ...start(edit), class: "fmt-elsewhere", current: textOf(lines), truth };
};

const formatHit: Maker = (edit) => {
  const lines = linesOf(edit.base);
  const formatted = lines.map((line) => reindented(line) ?? line);
  const isHit = edit.edits.some(({ start: from, count }) =>
    lines.slice(from, from + count).some((line) => reindented(line) !== null),
  );
  if (!isHit) return null;
  return {
    ...{ ...start(edit), class: "fmt-hit", current: textOf(formatted) },
    truth: textOf(linesOf(edit.after).map((line) => reindented(line) ?? line)),
    alternatives: [textOf(applyHunks(formatted, edit.edits))],
    debatable: "the formatter touched the edited lines: the old style there, or refusing, is acceptable",
  };
};

const lineEnds: Maker = (edit, random) =>
  random.below(2) === 0
    ? { ...start(edit), class: "crlf", current: toCrlf(edit.base), truth: toCrlf(edit.after) }
    : { ...start(edit), class: "crlf", base: toCrlf(edit.base), current: edit.base, truth: edit.after };

interface Block {
  readonly from: number;
  readonly to: number;
}

/** Paragraphs: what stands between blank lines, with the one that follows. */
function blocks(lines: readonly string[]): Block[] {
  const found: Block[] = [];
  let from = 0;
  for (const [at, line] of lines.entries()) {
    if (line.trim() !== "") continue;
    if (at - from >= 3 && at - from <= 40) found.push({ from, to: at + 1 });
    from = at + 1;
  }
  return found;
}

const moveOther: Maker = (edit, random) => {
  const lines = linesOf(edit.base);
  const all = blocks(lines);
  const free = all.filter(({ from, to }) => isFarFrom(edit.edits, from, to));
  if (free.length === 0) return null;
  const { from, to } = random.pick(free);
  const targets = all
    .map((block) => block.from)
    .filter((at) => isFarFrom(edit.edits, at, at) && gap([at, at], [from, to]) > to - from);
  if (targets.length === 0) return null;
  const at = random.pick(targets);
  const move: Hunk[] = [
    { start: from, count: to - from, lines: [] },
    { start: at, count: 0, lines: lines.slice(from, to) },
  ];
  const current = textOf(applyHunks(lines, move));
  return {
    ...start(edit),
    class: "moved-other",
    current,
    truth: textOf(applyHunks(lines, [...move, ...edit.edits])),
  };
};

/** The block that holds all edits with two lines to spare, and a place for it, or a copy of it, elsewhere. */
function host(
  edit: RealEdit,
  random: Random,
): (Block & { lines: string[]; edited: string[]; at: number }) | null {
  const lines = linesOf(edit.base);
  const all = blocks(lines);
  const block = all.find(({ from, to }) =>
    edit.edits.every((hunk) => hunk.start >= from + 2 && hunk.start + hunk.count <= to - 2),
  );
  if (!block) return null;
  const { from, to } = block;
  const targets = all.map((one) => one.from).filter((at) => gap([at, at], [from, to]) > to - from);
  if (targets.length === 0) return null;
  const inside = edit.edits.map((hunk) => ({ ...hunk, start: hunk.start - from }));
  return { ...block, lines, edited: applyHunks(lines.slice(from, to), inside), at: random.pick(targets) };
}

const moveTarget: Maker = (edit, random) => {
  const found = host(edit, random);
  if (!found) return null;
  const { from, to, lines, edited, at } = found;
  const moved = (block: readonly string[]): string =>
    textOf(
      applyHunks(lines, [
        { start: from, count: to - from, lines: [] },
        { start: at, count: 0, lines: block },
      ]),
    );
  return {
    ...{ ...start(edit), class: "moved-target", current: moved(lines.slice(from, to)), truth: moved(edited) },
    debatable: "the edited block was moved: refusing is acceptable",
  };
};

const copyTarget: Maker = (edit, random) => {
  const found = host(edit, random);
  if (!found) return null;
  const { from, to, lines, at } = found;
  const copy: Hunk = { start: at, count: 0, lines: lines.slice(from, to) };
  return {
    ...{ ...start(edit), class: "dupcopy", current: textOf(applyHunks(lines, [copy])) },
    truth: textOf(applyHunks(lines, [copy, ...edit.edits])),
    debatable: "the edited block was copied elsewhere: refusing is acceptable",
  };
};

const ownSequence: Maker = (edit, random) => {
  if (edit.edits.length < 2 || edit.edits.length > 20) return null;
  const sequence = random.shuffle(edit.edits.map((_, at) => at));
  return { ...start(edit), class: "own-seq", sequence, truth: edit.after };
};

export const makers: Readonly<Record<string, Maker>> = {
  plain: (edit) => ({ ...start(edit), class: "plain", truth: edit.after }),
  "own-seq": ownSequence,
  "replay-twice": (edit) => ({
    ...{ ...start(edit), class: "replay-twice", current: edit.after, truth: edit.after, expect: "unchanged" },
  }),
  "fmt-elsewhere": formatElsewhere,
  "fmt-hit": formatHit,
  crlf: lineEnds,
  "moved-other": moveOther,
  "moved-target": moveTarget,
  dupcopy: copyTarget,
};

/** The agent retypes a block, in which the other one's change lies too: those lines it types as it saw them. */
export function retyped(natural: Draft, others: readonly Hunk[]): Draft | null {
  const lines = linesOf(natural.base);
  for (const edit of natural.edits) {
    const near = others.find((other) => {
      const between = gap([edit.start, edit.start + edit.count], [other.start, other.start + other.count]);
      return between >= 1 && between <= 30;
    });
    if (!near) continue;
    const from = Math.max(0, Math.min(edit.start, near.start) - 1);
    const to = Math.min(lines.length, Math.max(edit.start + edit.count, near.start + near.count) + 1);
    const inside = natural.edits.filter(
      (hunk) => gap([hunk.start, hunk.start + hunk.count], [from, to]) <= 0,
    );
    if (inside.some((hunk) => hunk.start < from || hunk.start + hunk.count > to)) continue;
    const shifted = inside.map((hunk) => ({ ...hunk, start: hunk.start - from }));
    const block: Hunk = { start: from, count: to - from, lines: applyHunks(lines.slice(from, to), shifted) };
    const edits = [...natural.edits.filter((hunk) => !inside.includes(hunk)), block];
    return {
      ...natural,
      class: "block-lost",
      edits: edits.toSorted((one, two) => one.start - two.start),
      debatable:
        "the agent retyped lines that the other changed: refusing is acceptable, overwriting is a loss",
    };
  }
  return null;
}
