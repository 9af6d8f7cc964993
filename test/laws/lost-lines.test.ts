/** Lost work, line by line: every line has a name of its own, so that it is known which one is gone and who took it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Bench, bench, numbered, on, outcome, path } from "../support/session.js";

type Step =
  | {
      readonly kind: "edit";
      readonly at: number;
      readonly length: number;
      readonly fresh: number;
      readonly agent: string;
    }
  /** Somebody puts the file back to a text that it had. */
  | { readonly kind: "back"; readonly to: number }
  /** Somebody takes lines out, puts lines in, or writes another line in the place of one. */
  | { readonly kind: "take" | "put" | "alter"; readonly at: number; readonly length: number }
  | { readonly kind: "undo"; readonly agent: string }
  /** An edit that was undone is made again. */
  | { readonly kind: "again"; readonly at: number; readonly agent: string }
  | { readonly kind: "restore"; readonly agent: string };

const agent = fc.constantFrom("one", "two");
const at = fc.nat(30);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      ...{ kind: fc.constant("edit" as const), at, agent },
      ...{ length: fc.nat(3), fresh: fc.nat(6) },
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("back" as const), to: fc.nat(12) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom("take" as const, "put" as const, "alter" as const),
      ...{ at, length: fc.integer({ min: 1, max: 3 }) },
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("undo" as const), agent }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("again" as const), at, agent }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restore" as const), agent }) },
);

interface Edit {
  readonly id: string;
  readonly wrote: readonly string[];
  readonly removed: readonly string[];
  isUndone: boolean;
}

/** What is known of every line, without looking into the journal. */
class World {
  readonly made: Bench = bench(numbered(6, "old"));
  readonly edits: Edit[] = [];
  readonly texts: string[] = [this.made.words() as string];
  /** Lines in whose place somebody wrote another one, while most of their edit stood, as long as they are not back. */
  readonly altered = new Set<string>();
  /** Lines that somebody took out: a restore of what was around them may leave them out as well. */
  private readonly takenOut = new Set<string>();
  /** Taken away by several steps in a row, where some wrote text: it may look as if that stood in their place. */
  readonly unclear = new Set<string>();
  /** Steps of others since the last journaled one, and what was there meanwhile. */
  private row: {
    readonly lines: Set<string>;
    readonly altered: ReadonlySet<string>;
    steps: number;
    puts: boolean;
  } | null = null;
  /** Texts before and after each journaled step. */
  private readonly seen = new Set(this.texts);
  /** By the restore that made them again. */
  private readonly remade = new Map<string, Edit>();
  private count = 0;

  get now(): readonly string[] {
    return wordsOf(this.made.words());
  }

  fresh(count: number): string[] {
    return Array.from({ length: count }, () => `new${++this.count}`);
  }

  async play(steps: readonly Step[]): Promise<void> {
    for (const one of steps) {
      const before = this.now;
      await this.step(one);
      this.follow(one, before);
      const words = this.made.words() ?? "";
      if (this.texts.at(-1) !== words) this.texts.push(words);
    }
  }

  private follow({ kind }: Step, before: readonly string[]): void {
    if (["edit", "undo", "again", "restore"].includes(kind)) {
      // One that found nothing to do is no entry of the journal.
      if (before.join(" ") === this.now.join(" ")) return;
      this.row = null;
      this.seen.add(before.join(" ")).add(this.now.join(" "));
    } else {
      this.row ??= { lines: new Set(), altered: new Set(this.altered), steps: 0, puts: false };
      for (const line of before) this.row.lines.add(line);
      this.row.steps++;
      // A text that is back brings lines, too.
      const isFuller = this.now.some((line) => !before.includes(line));
      this.row.puts ||= kind === "put" || kind === "alter" || (kind === "back" && isFuller);
      // Going back to a text that nobody saw is several steps at once.
      const isUnseen = kind === "back" && !this.seen.has(this.now.join(" "));
      if (isUnseen || (this.row.puts && this.row.steps > 1))
        for (const line of this.row.lines) if (!this.now.includes(line)) this.unclear.add(line);
    }
    for (const line of this.now) {
      this.altered.delete(line);
      this.unclear.delete(line);
    }
    // Nobody saw a line that was back between two steps of others: it may count as altered still.
    for (const line of this.row?.altered ?? []) if (!this.now.includes(line)) this.unclear.add(line);
  }

  private async step(one: Step): Promise<void> {
    const { now, made } = this;
    switch (one.kind) {
      case "edit":
        return this.edit(one);
      case "back":
        return made.rudely(this.texts[one.to % this.texts.length] as string);
      case "undo":
        return this.undo(one.agent);
      case "again":
        return this.again(one.at, one.agent);
      case "restore":
        return this.restore(one.agent);
      case "put":
        return made.rudely(now.toSpliced(one.at % (now.length + 1), 0, ...this.fresh(one.length)).join(" "));
      case "take":
        return this.take(one.at % Math.max(1, now.length), one.length);
      case "alter": {
        const line = now[one.at % Math.max(1, now.length)];
        if (line === undefined) return;
        const own = this.edits.find(({ wrote }) => wrote.includes(line))?.wrote ?? [];
        const standing = own.filter((other) => now.includes(other)).length;
        if ((standing - 1) * 2 >= standing) this.altered.add(line);
        this.takenOut.add(line);
        made.rudely(now.with(now.indexOf(line), ...(this.fresh(1) as [string])).join(" "));
      }
    }
  }

  private take(at: number, length: number): void {
    const left = [...this.now];
    for (const line of left.splice(at, length)) this.takenOut.add(line);
    this.made.rudely(left.join(" "));
  }

  private async edit({ at, length, fresh, agent }: Extract<Step, { kind: "edit" }>): Promise<void> {
    const { now, made } = this;
    if (now.length === 0) return;
    const session = made.session.as(agent);
    await session.read({ path });
    const [first, lines] = [at % now.length, this.fresh(fresh)];
    const last = Math.min(now.length, first + length);
    if (length === 0 && fresh === 0) return;
    const told = on(now.join(" "));
    const result = await session.edit(
      length === 0
        ? told.after(first + 1, lines)
        : told.replace(first + 1, last, lines.length > 0 ? lines : null),
    );
    expect(outcome(result)).toBe("applied");
    const { id } = result.details as { id: string };
    this.edits.push({
      ...{ id, wrote: lines, isUndone: false },
      removed: length === 0 ? [] : now.slice(first, last),
    });
  }

  private async undo(agent: string): Promise<void> {
    const { details } = await this.made.session.as(agent).undo();
    const { undone = [] } = details as { undone?: readonly { readonly id: string }[] };
    for (const { id } of undone) {
      const edit = this.remade.get(id) ?? this.edits.find((one) => one.id === id);
      if (edit) edit.isUndone = true;
    }
  }

  private async again(at: number, agent: string): Promise<void> {
    const undone = this.edits.filter(({ isUndone }) => isUndone);
    const edit = undone[at % Math.max(1, undone.length)];
    if (!edit) return;
    const result = await this.made.session.as(agent).restore({ ids: [edit.id] });
    if (outcome(result) !== "applied") return;
    edit.isUndone = false;
    this.remade.set((await this.made.store.journal()).at(-1)?.id as string, edit);
  }

  private async restore(agent: string): Promise<void> {
    const before = this.now;
    await this.made.session.as(agent).restore({ all: true });
    const { now } = this;
    expect(new Set(now).size).toBe(now.length);
    const taken = this.edits.flatMap(({ isUndone, wrote, removed }) => (isUndone ? wrote : removed));
    const isKept = (line: string): boolean => now.includes(line) || this.takenOut.has(line);
    expect(before.filter((line) => !isKept(line) && !taken.includes(line))).toEqual([]);
  }

  async lost(): Promise<string[]> {
    return (await this.made.session.lost()).map(({ id }) => id);
  }

  /** What the edit removed, and what was removed for that before. */
  tookOut({ removed }: Edit): string[] {
    const over = this.edits.filter(({ wrote }) => wrote.some((line) => removed.includes(line)));
    return [...removed, ...over.flatMap((edit) => this.tookOut(edit))];
  }

  /** Lines that are gone and that no edit that still counts removed. */
  gone({ wrote }: Edit): string[] {
    const removed = new Set(this.edits.flatMap((edit) => (edit.isUndone ? [] : edit.removed)));
    return wrote.filter((line) => !this.now.includes(line) && !removed.has(line));
  }
}

const wordsOf = (text: string | null): string[] => (text ?? "").split(" ").filter((word) => word !== "");

describe("lost lines", () => {
  it("lost lines are those that are gone and that no journaled edit removed: all of them, and nothing else", () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        const world = new World();
        await world.play(steps);
        const listed = await world.lost();
        for (const edit of world.edits) {
          const gone = world.gone(edit);
          const isBack = world.tookOut(edit).some((line) => world.now.includes(line));
          const told = `${edit.id} wrote ${edit.wrote}; gone: ${gone}; now: ${world.now}`;
          if (edit.isUndone) expect(listed, told).not.toContain(edit.id);
          else if (gone.some((line) => !world.altered.has(line) && !world.unclear.has(line)))
            expect(listed, told).toContain(edit.id);
          else if (!isBack && !gone.some((line) => world.unclear.has(line)))
            expect(listed, told).not.toContain(edit.id);
        }
      }),
    ));
});
