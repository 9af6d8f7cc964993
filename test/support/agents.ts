/** Agents that share one file, each with what was printed to it; anybody's lines keep their identity. */

import { selectRows } from "../../src/answers/refusal-details.js";
import { History, type State } from "../../src/changes/history.js";
import type { Showing } from "../../src/edits/located-edit.js";
import type { Choice } from "../../src/merge/retry.js";
import { applySplices, run } from "../../src/merge/run-edits.js";
import { LineSet } from "../../src/text/line-set.js";
import type { Hunk } from "../../src/text/splice.js";
import { hunksOfResult } from "./hunks.js";
import { type Call, callOn, type Line, type Named, stateOf, strayed, World } from "./model.js";
import type { Random } from "./random.js";

/** The file, all the states it was in, and the identities of the lines in each. */
export class Desk {
  readonly world: World;
  readonly states: State[];
  readonly identities: (readonly Line[])[];
  private readonly written = new Map<Agent, number[]>();
  private agents = 0;

  constructor(
    readonly random: Random,
    repeated: number,
    count: number,
  ) {
    this.world = new World(random, repeated, count);
    this.states = [stateOf(this.world.document)];
    this.identities = [this.world.lines];
  }

  get last(): number {
    return this.states.length - 1;
  }

  /** `author`: who made the state out of the one before; nobody, where nobody recorded it. */
  private keep(state: State, author: Agent | null): void {
    this.states.push({ ...state, by: author?.name ?? null });
    this.identities.push(this.world.lines);
  }

  /** Of the next agent. */
  get newName(): string {
    this.agents += 1;
    return `agent ${this.agents}`;
  }

  /** Lines that the agent wrote itself. */
  writtenBy(agent: Agent): readonly number[] {
    return this.written.get(agent) ?? [];
  }

  /**
   * The lines of a state, as whom the agent may mean by them. Where the text is the same again, whatever was done in
   * between, nothing tells the lines then from the lines now.
   */
  linesFor(state: number): readonly Line[] {
    const { version } = this.states[state] as State;
    const newest = this.states.findLastIndex((one) => one.version === version);
    return this.identities[newest] as readonly Line[];
  }

  /** Somebody whose changes nobody records. */
  disturb(): void {
    this.world.disturb();
    this.keep(stateOf(this.world.document), null);
  }

  write(hunks: readonly Hunk<string>[], author: Agent): LineSet {
    const made = hunks.map((hunk) => ({ ...hunk, lines: this.world.fresh(hunk.lines) }));
    const state = this.world.apply(made);
    this.keep(state, author);
    const ids = made.flatMap(({ lines }) => lines.map(({ id }) => id));
    this.written.set(author, [...this.writtenBy(author), ...ids]);
    return LineSet.of((state.exact?.regions ?? []).map(({ bStart, bEnd }) => [bStart, bEnd] as const));
  }
}

export type Outcome = "applied" | "strayed" | "noop" | "refused" | "nothing";

export class Agent {
  private showings: Showing[] = [];
  private readonly takenOut = new Set<number>();

  readonly name: string;

  constructor(private readonly desk: Desk) {
    this.name = desk.newName;
  }

  private show(rows: LineSet): void {
    if (!rows.isEmpty) this.showings.push({ state: this.desk.last, rows, scheme: "hex6" });
  }

  /** Prints some lines; older rows of the same numbers no longer count. */
  read(): void {
    const { random, world } = this.desk;
    const start = random.below(world.lines.length);
    const rows = LineSet.of([[start, Math.min(world.lines.length, start + random.between(5, 30))]]);
    this.retire(rows);
    this.show(rows);
  }

  private retire(rows: LineSet): void {
    this.showings = this.showings
      .map((one) => ({ ...one, rows: one.rows.subtract(rows) }))
      .filter((one) => !one.rows.isEmpty);
  }

  /** An edit on rows of one of the last few showings, as the agent remembers them. */
  edit(): Outcome {
    const { random, world, identities } = this.desk;
    if (this.showings.length === 0 || world.lines.length === 0) return "nothing";
    const { state, rows } = random.pick(this.showings.slice(-4));
    const call = callOn(identities[state] as readonly Line[], world, random.pick(rows.spans));
    const { edits } = call;
    const present = new Set(world.lines.map(({ id }) => id));
    const remembered = this.desk.linesFor(state);
    const isTakenOut = (index: number): boolean => {
      const id = remembered[index]?.id ?? -1;
      return this.takenOut.has(id) && !present.has(id);
    };
    // A line that it took out itself it means no more.
    if (call.refs.some(isTakenOut)) return "nothing";
    const history = new History([...this.desk.states], { agent: this.name });
    const result = run(edits, { history, showings: this.showings, known: () => LineSet.empty });
    if (result.status === "refused") {
      this.show(selectRows(result.problems, world.document).shown);
      return result.choices?.length ? this.decide(result.choices, call, state) : "refused";
    }
    if (result.status === "noop") return "noop";
    return this.commit(hunksOfResult(result), this.meant(call, state));
  }

  private commit(hunks: readonly Hunk<string>[], meant: Named): Outcome {
    const { lines } = this.desk.world;
    const wrong = strayed(hunks, lines, meant).length > 0;
    for (const { start, end } of hunks) for (const { id } of lines.slice(start, end)) this.takenOut.add(id);
    this.show(this.desk.write(hunks, this));
    return wrong ? "strayed" : "applied";
  }

  /** Sees the rows, and takes the lines that it meant. */
  private decide(choices: readonly Choice[], call: Call, state: number): Outcome {
    const { lines } = this.desk.world;
    const remembered = this.desk.linesFor(state);
    const meant = new Set(call.refs.map((index) => remembered[index]?.id));
    const found = choices.find((choice) => choice.lines.every((line) => meant.has(lines[line]?.id)));
    // What stands in its way was shown, and going over it is another edit.
    if (!found || found.isForced) return "refused";
    const made = applySplices(this.desk.world.document, found.splices);
    if (!("document" in made)) throw new Error(made.message);
    return made.change.isIdentity ? "noop" : this.commit(hunksOfResult(made), this.meant(call, state));
  }

  /**
   * What lies between two anchors is what was printed there last, if the same lines were printed with the same
   * anchors again, and what the agent put there itself. Where it put a line that reads the same in the place of one
   * that is gone, and that was printed with the same anchor, the anchor is that of its own line.
   */
  private meant(call: Call, shown: number): Named {
    const remembered = this.desk.linesFor(shown);
    const again = this.showings
      .map(({ state }) => ({ state, lines: this.desk.linesFor(state) }))
      .filter(({ state, lines }) =>
        call.refs.every(
          (index) => this.printed(state, index) && lines[index]?.text === remembered[index]?.text,
        ),
      )
      .at(-1)?.lines;
    const own = this.desk.writtenBy(this);
    const present = new Set(this.desk.world.lines.map(({ id }) => id));
    const isSame = (index: number): boolean => {
      const [then, last] = [remembered[index]?.id, again?.[index]?.id];
      if (then === undefined || last === undefined) return then === last;
      return then === last || (!present.has(then) && own.includes(last));
    };
    const same = again && call.refs.every(isSame);
    const named = call.named(same ? again : remembered);
    const twins = (ids: readonly number[]) => [...ids, ...ids.flatMap((id) => this.twinsOf(id, present))];
    const inside = this.ownInside(named);
    return {
      lines: [...named.lines, ...own],
      after: [...twins(named.after), ...inside],
      before: [...twins(named.before), ...inside],
    };
  }

  /** In a range that it retypes an agent may put text beside its own lines too, but nowhere else. */
  private ownInside({ lines, before }: Named): number[] {
    // Of a move the lines are taken away, and the text stands elsewhere.
    if (before.length === 0) return [];
    const now = this.desk.world.lines.map(({ id }) => id);
    const places = lines.map((id) => now.indexOf(id)).filter((at) => at >= 0);
    const own = new Set(this.desk.writtenBy(this));
    return now.slice(Math.min(...places), Math.max(...places) + 1).filter((id) => own.has(id));
  }

  /** Of two neighbours that read the same, one the agent's own, nobody sees which one is gone. */
  private twinsOf(id: number, present: ReadonlySet<number>): number[] {
    if (present.has(id)) return [];
    const own = new Set(this.desk.writtenBy(this));
    return this.desk.identities.flatMap((lines) => {
      const at = lines.findIndex((line) => line.id === id);
      const isTwin = (line: Line | undefined) =>
        line !== undefined && line.text === lines[at]?.text && own.has(line.id) && present.has(line.id);
      return at < 0 ? [] : [lines[at - 1], lines[at + 1]].filter(isTwin).map((line) => (line as Line).id);
    });
  }

  private printed(state: number, index: number): boolean {
    return this.showings.some((one) => one.state === state && one.rows.has(index));
  }
}
