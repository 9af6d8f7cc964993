/** The states of a file one after the other, and what is found out about them once, for the calls that follow. */
import { Recent } from "../text/index.js";
import { LineChange } from "./line-change.js";

/** A state, as it is recorded. */
export interface Step {
  readonly version: string;
  readonly lineCount: number;
  /** The change from the state before, where it is known to the line. */
  readonly exact: LineChange | null;
  /** Whose doing that change is. */
  readonly by?: string | null;
}

/** States [start, end] in which only texts tell what happened; the changes after them, up to `last`, are known to the line. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly last: number;
}

/** Shorter runs are put together anew each time. */
const longRun = 16;
const mostRuns = 64;
/** One for each file, and for agents of one file that refer to older states than others. */
const mostTimelines = 32;

interface Run {
  readonly to: number;
  readonly change: LineChange;
}

export class Timeline {
  private static readonly known = new Recent<Step, Timeline>(mostTimelines);
  private readonly states: Step[] = [];
  /** For each state the next one that has the same text. */
  private readonly nextSame: (number | undefined)[] = [];
  private readonly newest = new Map<string, number>();
  /** States whose text comes back later, or after which nobody knows what happened. Ascending. */
  private readonly turns: number[] = [];
  /** Changes of 2, 4, 8, … states as one, always of the same states: what a call puts together, the next one finds. */
  private readonly blocks: LineChange[][] = [];
  /** Runs by where they begin and whose they are, or who looks, as far as they were put together: the next call goes on from there. */
  private readonly parts = new Recent<string, Run>(mostRuns);
  private readonly ways = new Recent<string, Run>(mostRuns);

  /** The timeline of an earlier call goes on, if states were only added since, or left out at the end. */
  static of(states: readonly Step[]): Timeline {
    const [first] = states;
    const known = first && Timeline.known.get(first);
    const timeline = known?.isOf(states) ? known : new Timeline();
    if (first && timeline !== known) Timeline.known.set(first, timeline);
    timeline.goOn(states);
    return timeline;
  }

  private isOf(states: readonly Step[]): boolean {
    const shared = Math.min(states.length, this.states.length);
    for (let at = 0; at < shared; at++) if (states[at] !== this.states[at]) return false;
    return true;
  }

  private goOn(states: readonly Step[]): void {
    for (let at = this.states.length; at < states.length; at++) {
      const state = states[at] as Step;
      const before = this.newest.get(state.version);
      if (before !== undefined) this.nextSame[before] = at;
      for (const turn of [before, state.exact ? undefined : at - 1])
        if (turn !== undefined) this.turns.splice(this.turnsBefore(turn), 0, turn);
      this.newest.set(state.version, at);
      this.nextSame.push(undefined);
      this.states.push(state);
    }
  }

  isOwn(state: number, agent: string | null): boolean {
    const { exact = null, by = null } = this.states[state] ?? {};
    return exact !== null && by !== null && by === agent;
  }

  /**
   * The way that lines go from one state to a later one. A text that came back byte for byte is the text it was: its
   * lines are where they were, whatever was done in between. A text on the way is safe, too, if nobody but the agent is
   * known to have changed it: lines that others are known to have removed are gone, and their replacements are other
   * lines.
   */
  *way(from: number, to: number, agent: string | null): Generator<Stretch> {
    let start = this.again(from, to);
    for (let next = start + 1; next <= to; next++) {
      if (!this.states[next]?.exact) continue;
      let last = this.straightTo(next, to);
      let back = this.againAlone(last, to, agent);
      while (back === last && last < to && this.states[last + 1]?.exact) {
        last = this.straightTo(last + 1, to);
        back = this.againAlone(last, to, agent);
      }
      yield { start, end: next - 1, last };
      start = back;
      next = start;
    }
    yield { start, end: to, last: to };
  }

  /** The first state from this one on after which more is to be looked at than the next exact change. */
  private straightTo(state: number, to: number): number {
    return Math.min(to, this.turns[this.turnsBefore(state)] ?? to);
  }

  private turnsBefore(state: number): number {
    let [low, high] = [0, this.turns.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.turns[middle] as number) < state) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The last state up to that one which has the same text. */
  private again(state: number, to: number): number {
    let at = state;
    for (let next = this.nextSame[at]; next !== undefined && next <= to; next = this.nextSame[at]) at = next;
    return at;
  }

  private againAlone(state: number, to: number, agent: string | null): number {
    const at = this.again(state, to);
    for (let next = state + 1; next <= at; next++)
      if (this.states[next]?.exact && !this.isOwn(next, agent)) return state;
    return at;
  }

  /**
   * The changes after one state up to another, each known to the line, as one. Changes of one hand in a row are put
   * together first, and then behind all that was before: where regions of several hands touch, the order decides whose
   * they are.
   */
  run(from: number, to: number, agent: string | null): LineChange {
    const key = `${from} ${agent}`;
    const known = this.ways.get(key);
    const isOnWay = known !== undefined && known.to <= to;
    let at = isOnWay ? known.to : from;
    let done = isOnWay ? known.change : LineChange.identity(this.states[from]?.lineCount ?? 0);
    while (at < to) {
      const own = this.isOwn(at + 1, agent);
      let end = at + 1;
      while (end < to && this.isOwn(end + 1, agent) === own) end += 1;
      const all = done.compose(this.part(at, end, own));
      if (end === to) {
        if (at - from >= longRun) this.ways.set(key, { to: at, change: done });
        return all;
      }
      done = all;
      at = end;
    }
    return done;
  }

  /** Changes of one hand. */
  private part(from: number, to: number, own: boolean): LineChange {
    const key = `${from} ${own}`;
    const known = this.parts.get(key);
    const isOnWay = known !== undefined && known.to <= to;
    if (isOnWay && known.to === to) return known.change;
    const joined = this.joined((isOnWay ? known.to : from) + 1, to + 1);
    const more = own ? joined.owned() : joined;
    const change = isOnWay ? known.change.compose(more) : more;
    if (to - from >= longRun) this.parts.set(key, { to, change });
    return change;
  }

  /** The changes to states [start, end), whoever made them; few are put together before they meet many. */
  private joined(start: number, end: number): LineChange {
    let level = 0;
    while (start % 2 ** (level + 1) === 0 && start + 2 ** (level + 1) <= end) level += 1;
    const first = this.block(level, start);
    const next = start + 2 ** level;
    return next === end ? first : first.compose(this.joined(next, end));
  }

  private block(level: number, start: number): LineChange {
    if (level === 0) return this.states[start]?.exact as LineChange;
    this.blocks[level] ??= [];
    const blocks = this.blocks[level] as LineChange[];
    const at = start / 2 ** level;
    blocks[at] ??= this.block(level - 1, start).compose(this.block(level - 1, start + 2 ** (level - 1)));
    return blocks[at] as LineChange;
  }
}
