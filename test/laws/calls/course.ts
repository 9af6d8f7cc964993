/** An agent that sends several edits in one call, and others at work on the same text. */
import type { PatchLine } from "../guard/client.js";
import { type Outcome, Room } from "../guard/room.js";
import { type ForeignStep, Scene, saidOf } from "../guard/scene.js";
import { alterationBy, linesOf, World } from "../guard/world.js";
import { oldLines, type Part, type Placed, type Several } from "./tools.js";

/** Numbers are taken modulo what there is to choose from. */
export type Step = ForeignStep | { readonly do: "call"; readonly wishes: readonly Wish[] };

export interface Wish {
  /** Lines between this part and the one before. */
  readonly skip: number;
  readonly count: number;
  /** Context above and below. */
  readonly head: number;
  readonly tail: number;
  readonly fresh: "line" | "nothing" | "below" | "common";
  /** Which line above is its header; 0: none. */
  readonly header: number;
  readonly atEnd: boolean;
  readonly bare: boolean;
}

/** A line as the agent takes it to stand; null: it never saw what stands there. */
type Row = {
  readonly text: string;
  readonly state: number;
  readonly line: number;
  readonly id: number;
} | null;

/** A part, and the rows that it is about. */
interface Meant {
  readonly part: Part;
  readonly first: number;
}

const unseen = (at: number): string => `\u0000${at}`;

export class Course {
  private readonly world: World;
  private readonly scene: Scene<readonly Part[]>;
  private view: Row[] = [];
  private made = 0;
  private isOver = false;
  readonly found = { strays: [] as string[], alarms: [] as string[], allowed: 0, denied: 0, right: 0 };

  constructor(
    private readonly tool: Several,
    /** The tool that models take it to be. */
    private readonly believed: Several,
    [texts, terminated]: readonly [readonly string[], boolean],
  ) {
    this.world = new World(texts, terminated);
    this.scene = new Scene(this.world, new Room(tool, this.world.text));
  }

  async take(step: Step): Promise<void> {
    if (this.isOver || this.world.lines.length === 0) return;
    if (step.do === "foreign") await this.scene.foreign(step);
    else await this.call(step.wishes);
    if (this.isOver) return;
    this.scene.check();
  }

  /** What was known before is not asked for again. */
  async read(first: number, count: number): Promise<void> {
    const [start, last] = await this.scene.read("agent", first, count);
    const state = this.world.record();
    this.view = this.world.lines.map(({ id, text }, line) =>
      line < start || line > last ? null : { id, text, state, line },
    );
  }

  private async call(wishes: readonly Wish[]): Promise<void> {
    const meant = this.wished(wishes);
    const parts = meant.map(({ part }) => part);
    // An agent sends what is right by all that it knows.
    const lines = this.view.map((row, at) => row?.text ?? unseen(at));
    const placed = parts.length > 0 ? this.believed.place(lines, parts) : null;
    if (!placed || meant.some(({ first }, at) => placed[at]?.start !== first)) return;
    this.world.record();
    const before = this.world.text;
    const outcome = await this.scene.room.edit("agent", parts);
    this.scene.tell(`call ${parts.map(worded).join("")}\n  ${saidOf(outcome)}`);
    if (outcome.deny !== null) {
      this.found.denied++;
      this.weighed(meant, outcome.deny);
      await this.read(0, 0);
      return;
    }
    if (!outcome.done) return;
    this.found.allowed++;
    const stray = this.stray(meant, outcome, before);
    if (stray !== null) {
      this.found.strays.push(this.scene.told(stray));
      this.isOver = true;
      return;
    }
    const now = this.tool.place(linesOf(before), parts, before.endsWith("\n"));
    this.world.apply(outcome.done.splices);
    if (this.world.lines.length === 0) return;
    if (outcome.carried || !now) await this.read(0, 0);
    else this.wrote(meant, now);
  }

  private wished(wishes: readonly Wish[]): Meant[] {
    const meant: Meant[] = [];
    let from = 0;
    for (const wish of wishes) {
      const known = this.view.flatMap((row, at) => (row && at >= from ? [at] : []));
      if (known.length === 0) break;
      const first = known[wish.skip % known.length]!;
      let end = first;
      while (end < this.view.length && this.view[end] && end - first < wish.count) end++;
      const part = this.part(wish, first, end, from);
      if (part) meant.push({ part, first });
      from = end;
    }
    return meant;
  }

  private part(
    { head, tail, fresh, header, atEnd, bare }: Wish,
    first: number,
    end: number,
    from: number,
  ): Part | null {
    const texts = this.view.slice(first, end).map((row) => row!.text);
    if (this.tool.quotes && (texts[0] === "" || texts.at(-1) === "")) return null;
    const above = Math.min(head, texts.length - 1);
    const below = Math.min(tail, texts.length - 1 - above);
    const signed = (sign: PatchLine["sign"], lines: readonly string[]): PatchLine[] =>
      lines.map((text) => ({ sign, text }));
    const middle = texts.slice(above, texts.length - below);
    const written = fresh === "nothing" ? [] : [fresh === "common" ? "}" : `n${this.made++}`];
    if (fresh === "common" && middle.join() === "}") return null;
    const headers = this.view
      .slice(from, first)
      .flatMap((row) => (row && row.text.trim() !== "" ? [row.text] : []));
    return {
      lines: [
        ...signed(" ", texts.slice(0, above)),
        ...signed(fresh === "below" ? " " : "-", middle),
        ...signed("+", written),
        ...signed(" ", texts.slice(texts.length - below)),
      ],
      header: header === 0 ? null : (headers.at(-header) ?? null),
      atEnd: atEnd && end === this.view.length,
      bare,
    };
  }

  /** Lines of the text now that may be those of a part, one by one. */
  private places({ part, first }: Meant): readonly ReadonlySet<number>[] {
    return oldLines(part).map((_, at) => {
      const { state, line, id } = this.view[first + at]!;
      const here = this.world.lines.findIndex((one) => one.id === id);
      return new Set([...this.world.places(state, line), ...(here < 0 ? [] : [here])]);
    });
  }

  private stray(meant: readonly Meant[], { done, carried }: Outcome, before: string): string | null {
    if (done!.splices.some(({ from }) => from < 0)) return "a part is put in lines of another";
    if (this.isSame(meant, done!.text)) return null;
    if (carried) {
      const all = new Set(meant.flatMap((one) => this.places(one)).flatMap((set) => [...set]));
      for (const splice of done!.splices) {
        const { start, end } = alterationBy(before, splice);
        for (let at = start; at < end; at++) if (!all.has(at)) return `line ${at + 1} is not meant`;
      }
      return null;
    }
    const placed = this.tool.place(
      linesOf(before),
      meant.map(({ part }) => part),
      before.endsWith("\n"),
    )!;
    for (const [index, one] of meant.entries()) {
      const { start, rows } = placed[index]!;
      const places = this.places(one);
      if (rows.length === 0 || rows.some((row, at) => !places[row]!.has(start + at)))
        return `part ${index + 1}, meant for line ${one.first + 1} as seen, is put in line ${start + 1}`;
    }
    return null;
  }

  /** Done where the lines meant stand now, all of them one below the other, the same comes of it. */
  private isSame(meant: readonly Meant[], after: string): boolean {
    const { lines } = this.world;
    const made = lines.map(({ text }) => text);
    for (const { part, first } of meant.toReversed()) {
      const ids = oldLines(part).map((_, at) => this.view[first + at]!.id);
      const start = lines.findIndex(({ id }) => id === ids[0]);
      if (start < 0 || ids.some((id, at) => lines[start + at]?.id !== id)) return false;
      const fresh = part.lines.filter(({ sign }) => sign !== "-").map(({ text }) => text);
      made.splice(start, ids.length, ...fresh);
    }
    return made.join("\n") === linesOf(after).join("\n");
  }

  /** A call that was refused: would it have been right, and could nobody doubt it? */
  private weighed(meant: readonly Meant[], why: string): void {
    const { text, lines } = this.world;
    const parts = meant.map(({ part }) => part);
    const placed = this.tool.place(linesOf(text), parts, text.endsWith("\n"));
    const starts = meant.map(({ part, first }) => {
      const clear = oldLines(part).map((_, at) => {
        const { state, line } = this.view[first + at]!;
        return this.world.clearPlace(state, line);
      });
      return clear.every((at, index) => at === clear[0]! + index) ? clear[0]! : -1;
    });
    if (
      !placed ||
      !this.tool.apply(text, parts) ||
      starts.some((start, at) => start < 0 || placed[at]!.start !== start)
    )
      return;
    if (placed.some(({ rows }, at) => rows.length < oldLines(parts[at]!).length)) return;
    this.found.right++;
    const isOnce = meant.every(({ part }) => {
      const old = oldLines(part);
      const stands = (rows: readonly (string | undefined)[]): number =>
        rows.filter((_, at) => old.every((line, index) => rows[at + index]?.includes(line))).length;
      return stands(lines.map((line) => line.text)) === 1 && stands(this.view.map((row) => row?.text)) === 1;
    });
    if (isOnce) this.found.alarms.push(this.scene.told(why));
  }

  /** The agent knows what it wrote, and what it quoted around it. */
  private wrote(meant: readonly Meant[], placed: readonly Placed[]): void {
    const state = this.world.record();
    const view: Row[] = [];
    let from = 0;
    for (const [index, { part, first }] of meant.entries()) {
      const { start, made } = placed[index]!;
      view.push(...this.view.slice(from, first));
      // What stands further down in the agent's text may stand further up in the file.
      const above = placed.filter((one) => one.start < start);
      const shift = above.reduce((sum, one) => sum + one.made.length - (one.end - one.start), 0);
      for (let line = start + shift; line < start + shift + made.length; line++)
        view.push({ ...this.world.lines[line]!, state, line });
      from = first + oldLines(part).length;
    }
    this.view = [...view, ...this.view.slice(from)];
  }
}

function worded({ lines, header, atEnd, bare }: Part): string {
  const body = lines.map(
    ({ sign, text }) => `\n    ${bare && sign === " " && text === "" ? "" : sign}${text}`,
  );
  return `\n    @@${header === null ? "" : ` ${header}`}${body.join("")}${atEnd ? "\n    (end of file)" : ""}`;
}
