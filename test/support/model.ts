/**
 * A text in which every line instance has an identity of its own: slow, and obviously right about who touched what.
 * The engine is never told the identities; the laws compare what it did with them.
 */

import type { SchemeName } from "../../src/anchors/scheme.js";
import { History, type State } from "../../src/changes/history.js";
import { LineChange } from "../../src/changes/line-change.js";
import type { Edit } from "../../src/edits/index.js";
import type { View } from "../../src/edits/located-edit.js";
import { anchorOf } from "../../src/edits/problem.js";
import { Document } from "../../src/text/document.js";
import { LineSet } from "../../src/text/line-set.js";
import type { Hunk } from "../../src/text/splice.js";
import { applyHunks } from "./hunks.js";
import type { Random } from "./random.js";

export interface Line {
  readonly id: number;
  readonly text: string;
}

const common = ["}", "", "  }", "{", "return;", "end"];

/** The file as it is now, with identities. */
export class World {
  private static worlds = 0;
  readonly number = World.worlds++;
  private made = 0;
  lines: readonly Line[] = [];
  /** The lines of each state, the first one and the present one too. */
  readonly states: (readonly Line[])[] = [];

  constructor(
    readonly random: Random,
    readonly repeated: number,
    count: number,
  ) {
    this.lines = this.fresh(this.texts(count));
    this.states.push(this.lines);
  }

  /** Texts of which a share is repeated and the rest was never there before. */
  texts(count: number): string[] {
    return Array.from({ length: count }, () =>
      this.random.chance(this.repeated) ? this.random.pick(common) : `line ${this.made + this.random.next()}`,
    );
  }

  fresh(texts: readonly string[]): Line[] {
    return texts.map((text) => ({ id: this.made++, text }));
  }

  /** Puts line instances in place of [start, end). */
  splice(start: number, end: number, lines: readonly Line[]): State {
    return this.apply([{ start, end, lines }]);
  }

  apply(hunks: readonly Hunk<Line>[]): State {
    const change = LineChange.ofHunks(this.lines.length, hunks);
    this.lines = applyHunks(this.lines, hunks);
    this.states.push(this.lines);
    return stateOf(this.document, change);
  }

  /** Somebody else inserts, deletes, replaces, copies or moves a few lines; the states with their exact changes. */
  disturb(kinds: readonly Disturbance[] = disturbances): State[] {
    const { random } = this;
    const count = this.lines.length;
    const start = random.below(count + 1);
    const end = Math.min(count, start + random.between(1, 4));
    switch (random.pick(kinds)) {
      case "insert":
        return [this.splice(start, start, this.fresh(this.texts(random.between(1, 3))))];
      case "delete":
        return [this.splice(start, end, [])];
      case "replace":
        return [this.splice(start, end, this.fresh(this.texts(random.between(1, 4))))];
      case "copy":
        return [this.splice(start, start, this.fresh(this.block().map(({ text }) => text)))];
      case "move": {
        const block = this.lines.slice(start, end);
        const taken = this.splice(start, end, []);
        const to = random.below(this.lines.length + 1);
        return [taken, this.splice(to, to, block)];
      }
    }
  }

  private block(): readonly Line[] {
    const start = this.random.below(this.lines.length);
    return this.lines.slice(start, start + this.random.between(1, 4));
  }

  get document(): Document {
    return documentOf(this.lines);
  }
}

export type Disturbance = "insert" | "delete" | "replace" | "copy" | "move";
const disturbances: readonly Disturbance[] = ["insert", "delete", "replace", "copy", "move"];

export function documentOf(lines: readonly Line[]): Document {
  return Document.fromText(lines.map(({ text }) => `${text}\n`).join(""));
}

export function stateOf(document: Document, exact: LineChange | null = null): State {
  return { version: document.version, lineCount: document.lineCount, document, exact };
}

/** The first state shown whole, nothing after it. */
export function firstShown(states: readonly State[]): View {
  const all = LineSet.all(states[0]?.lineCount ?? 0);
  return {
    history: new History(states),
    showings: [{ state: 0, rows: all, scheme: "hex6" }],
    known: () => all,
  };
}

/** What an edit names, by identity: the lines it may touch, and those it may put text directly after or before. */
export interface Named {
  readonly lines: readonly number[];
  readonly after: readonly number[];
  readonly before: readonly number[];
}

const edge = -1;
const nothing: Named = { lines: [], after: [], before: [] };

/** A range may be written over, and text may stand beside each of its lines, inside and at both its ends. */
function rangeOf(lines: readonly Line[], start: number, end: number): Named {
  const named = lines.slice(start, end).map(({ id }) => id);
  return { lines: named, after: named, before: named };
}

/** Places of a change that was not named: lines written over, and gaps filled beside no line that was named. */
export function strayed(hunks: readonly Hunk<string>[], now: readonly Line[], named: Named): Hunk<string>[] {
  return hunks.filter(({ start, end }) => {
    if (start < end) return now.slice(start, end).some(({ id }) => !named.lines.includes(id));
    const [left, right] = [now[start - 1]?.id ?? edge, now[start]?.id ?? edge];
    return !named.after.includes(left) && !named.before.includes(right);
  });
}

/** The agent's call on a text it saw, and what it means by identity. */
export interface Call {
  readonly edits: readonly Edit[];
  /** Indexes of the lines whose anchors it gives. */
  readonly refs: readonly number[];
  /** What its anchors name if they were printed of this text. */
  named(lines: readonly Line[]): Named;
  /** The new text if `now` still has all that is named, each line beside its neighbours; null if it has not. */
  expected(now: readonly Line[]): string[] | null;
}

interface Placed {
  readonly start: number;
  readonly end: number;
  readonly texts: readonly string[];
}

/** One edit of a text of which lines [first, stop) were seen. */
export function callOn(
  seen: readonly Line[],
  world: World,
  [first, stop]: readonly [number, number] = [0, seen.length],
  scheme: SchemeName = "hex6",
): Call {
  const { random } = world;
  const document = documentOf(seen);
  const anchor = (index: number) => anchorOf(document, index, scheme);
  const start = random.between(first, stop - 1);
  const end = Math.min(stop, start + random.between(1, 5));
  const range = { start: anchor(start), end: anchor(end - 1) };
  const texts = world.texts(random.between(1, 4));
  switch (random.below(6)) {
    case 0:
      return {
        edits: [{ op: "insert_after", anchor: anchor(start), text: texts }],
        refs: [start],
        named: (lines) => ({ ...nothing, after: rangeOf(lines, start, start + 1).after }),
        expected: expect(seen, [{ start: start + 1, end: start + 1, texts }]),
      };
    case 1:
      return {
        edits: [{ op: "insert_before", anchor: anchor(start), text: texts }],
        refs: [start],
        named: (lines) => ({ ...nothing, before: rangeOf(lines, start, start + 1).before }),
        expected: expect(seen, [{ start, end: start, texts }]),
      };
    case 2:
      return {
        edits: [{ op: "set_line", anchor: anchor(start), text: texts }],
        refs: [start],
        named: (lines) => rangeOf(lines, start, start + 1),
        expected: expect(seen, [{ start, end: start + 1, texts }]),
      };
    case 3:
      return {
        edits: [{ op: "delete_lines", ...range }],
        refs: [start, end - 1],
        named: (lines) => rangeOf(lines, start, end),
        expected: expect(seen, [{ start, end, texts: [] }]),
      };
    case 4: {
      const after = random.between(first, stop - 1);
      if (start - 1 <= after && after < end) return callOn(seen, world, [first, stop], scheme);
      const block = seen.slice(start, end).map(({ text }) => text);
      return {
        edits: [{ op: "move_lines", ...range, after: anchor(after) }],
        refs: [start, end - 1, after],
        named: (lines) => ({
          lines: rangeOf(lines, start, end).lines,
          after: rangeOf(lines, after, after + 1).after,
          before: [],
        }),
        expected: expect(seen, [
          { start, end, texts: [] },
          { start: after + 1, end: after + 1, texts: block },
        ]),
      };
    }
    default: {
      const retyped = seen
        .slice(start, end)
        .flatMap(({ text }) => (random.chance(0.3) ? world.texts(random.below(3)) : [text]));
      return {
        edits: [{ op: "replace_lines", ...range, text: retyped }],
        refs: [start, end - 1],
        named: (lines) => rangeOf(lines, start, end),
        expected: expect(seen, [{ start, end, texts: retyped }]),
      };
    }
  }
}

function expect(seen: readonly Line[], placed: readonly Placed[]): Call["expected"] {
  const around = (lines: readonly Line[], at: number, length: number) =>
    Array.from({ length: length + 2 }, (_, offset) => lines[at - 1 + offset]?.id ?? edge).join();
  return (now) => {
    const hunks: Hunk<string>[] = [];
    for (const { start, end, texts } of placed) {
      const from = start === 0 ? 0 : now.findIndex(({ id }) => id === seen[start - 1]?.id) + 1;
      if (around(now, from, end - start) !== around(seen, start, end - start)) return null;
      hunks.push({ start: from, end: from + end - start, lines: texts });
    }
    hunks.sort((one, two) => one.start - two.start || one.end - two.end);
    const texts = now.map(({ text }) => text);
    return applyHunks(texts, hunks);
  };
}
