/** Every line that a file ever had, in one order: who wrote it and who removed it. Pure. */
import type { LineChange, Region } from "../../changes/index.js";
import { type Author, isSameAuthor } from "../author.js";

/** Lines that one change removed, and the lines that took their place. */
export interface Replacement {
  readonly author: Author;
  readonly removed: readonly WovenLine[];
  readonly inserted: readonly WovenLine[];
}

export interface WovenLine {
  /** Bytes as latin1, with the line break. */
  readonly text: string;
  /** The version in which the line appeared first, and its number there: the line's name for good. "": it has none. */
  readonly version: string;
  readonly index: number;
  /** null: the line is older than the journal. */
  readonly by: Author | null;
  readonly bornIn: Replacement | null;
  /** The line that this one is in another layout, or at another place, and whose author it keeps. */
  readonly former: WovenLine | null;
  diedIn: Replacement | null;
  isAlive: boolean;
  next: WovenLine | null;
}

/** One state of the file: its lines with their breaks. `version` is "" where there is no file. */
export interface StateText {
  readonly version: string;
  readonly lines: readonly string[];
}

/** How a state came about. */
export interface Step {
  readonly author: Author;
  readonly change: LineChange;
  /** Layout alone changed. */
  readonly isReformat?: boolean;
  /** Ids of edits of which lines come back, with their authors. */
  readonly restored?: readonly string[];
}

/** A line as far as formatters leave it alone; "" where nothing tells it from others. */
function bare(line: string): string {
  return /[\p{L}\p{N}\x80-\xff]/u.test(line) ? line.replace(/[\s"'`,;]+/g, "") : "";
}

/** Lines of one name are one line, as long as it is only laid out anew. */
function nameOf(line: string): string {
  return bare(line) || line;
}

/** Places of lines by their names, in order. */
function formersIn(lines: readonly WovenLine[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const [at, { text }] of lines.entries()) {
    const name = nameOf(text);
    const places = found.get(name);
    if (places) places.push(at);
    else found.set(name, [at]);
  }
  return found;
}

function firstFrom(places: readonly number[], from: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] as number) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A text of which lines were followed here. */
type Living = readonly WovenLine[];

/** States whose lines are held, so that a text that comes back is the one that it was. */
const mostStates = 400;

type Origin = Pick<WovenLine, "by" | "bornIn" | "former">;

const oldest: Origin = { by: null, bornIn: null, former: null };

export class Weave {
  private readonly first: WovenLine = line("", "", -1, oldest);
  private readonly states = new Map<string, Living>();
  private living: Living = [];
  private state: StateText;

  constructor(state: StateText) {
    this.state = state;
    this.living = state.lines.map((text, at) => line(text, state.version, at, oldest));
    link(this.first, this.living);
    this.remember();
  }

  get version(): string {
    return this.state.version;
  }

  get lines(): Living {
    return this.living;
  }

  get text(): StateText {
    return this.state;
  }

  /** The lines of a state that the file was in; undefined if it never was. */
  livingIn(version: string): Living | undefined {
    return this.states.get(version);
  }

  /** Goes on to the next state of the file. */
  step(after: StateText, step: Step): void {
    const back = this.states.get(after.version);
    const { change } = step;
    if (back) this.goBack(back, step.author);
    else if (change.before === this.living.length && change.after === after.lines.length)
      this.living = this.woven(after, step);
    else throw new RangeError("a step does not fit the text before it");
    this.state = after;
    this.remember();
  }

  /** Every line, removed ones included, in their order. */
  *all(): Generator<WovenLine> {
    for (let at = this.first.next; at; at = at.next) yield at;
  }

  /**
   * Takes in every line of a text: one that was never followed here gets a place of its own, after the line above it, as
   * a line that is gone. `places` names the others; those that do not come in the order of the weave count as new.
   */
  include(texts: readonly string[], places: readonly (WovenLine | null)[]): WovenLine[] {
    const rank = new Map([...this.all()].map((one, at) => [one, at]));
    let last = this.first;
    let highest = -1;
    return texts.map((text, at) => {
      const place = places[at];
      const own = place ? (rank.get(place) ?? -1) : -1;
      if (place && own > highest) {
        highest = own;
        last = place;
        return place;
      }
      const made = line(text, "", -1, oldest);
      made.isAlive = false;
      link(last, [made]);
      last = made;
      return made;
    });
  }

  /** Lines come back as they were; lines since are removed by whoever went back. */
  private goBack(to: Living, author: Author): void {
    const stays = new Set(to);
    const removed = this.living.filter((one) => !stays.has(one));
    for (const one of removed) die(one, { author, removed, inserted: [] });
    for (const one of to) Object.assign(one, { isAlive: true, diedIn: null });
    this.living = to;
  }

  private woven(after: StateText, step: Step): WovenLine[] {
    const living: WovenLine[] = [];
    let from = 0;
    for (const region of this.regions(after, step.change)) {
      for (; from < region.aStart; from++) living.push(this.living[from] as WovenLine);
      const removed = this.living.slice(region.aStart, region.aEnd);
      const inserted: WovenLine[] = [];
      const replacement = { author: step.author, removed, inserted };
      const owners = this.owners(after.lines.slice(region.bStart, region.bEnd), removed, step);
      for (const [at, owner] of owners.entries()) {
        const index = region.bStart + at;
        const origin = { ...owner, bornIn: replacement };
        inserted.push(line(after.lines[index] as string, after.version, index, origin));
      }
      for (const one of removed) die(one, replacement);
      link(removed.at(-1) ?? living.at(-1) ?? this.first, inserted);
      living.push(...inserted);
      from = region.aEnd;
    }
    for (; from < this.living.length; from++) living.push(this.living[from] as WovenLine);
    return living;
  }

  /** The change with lines that differ in their line break alone: to git such a line is another one. */
  private regions(after: StateText, { regions }: LineChange): Region[] {
    const found: Region[] = [];
    let [a, b] = [0, 0];
    const pairs = (end: number): void => {
      for (; a < end; a++, b++)
        if (this.state.lines[a] !== after.lines[b])
          found.push({ aStart: a, aEnd: a + 1, bStart: b, bEnd: b + 1 });
    };
    for (const region of regions) {
      pairs(region.aStart);
      found.push(region);
      [a, b] = [region.aEnd, region.bEnd];
    }
    pairs(this.state.lines.length);
    return found;
  }

  private owners(
    texts: readonly string[],
    removed: Living,
    { author, isReformat = false, restored = [] }: Step,
  ): Pick<WovenLine, "by" | "former">[] {
    const returning = restored.length > 0 ? this.removedLines(restored) : null;
    const formers = isReformat ? null : formersIn(removed);
    let from = 0;
    return texts.map((text, at) => {
      const back = returning?.get(text)?.pop();
      if (back) return { by: back, former: null };
      const places = formers?.get(nameOf(text));
      const found = formers ? places?.[firstFrom(places, from)] : Math.min(at, removed.length - 1);
      const former = removed[found ?? -1];
      if (!former) return { by: author, former: null };
      from = (found as number) + 1;
      return { by: former.text === text ? former.by : (former.by ?? author), former };
    });
  }

  /** Lines of these edits that are gone, by their text. */
  private removedLines(edits: readonly string[]): Map<string, Author[]> {
    const found = new Map<string, Author[]>();
    for (const { isAlive, by, text } of this.all())
      if (!isAlive && by?.edit && edits.includes(by.edit)) found.set(text, [by, ...(found.get(text) ?? [])]);
    return found;
  }

  private remember(): void {
    this.states.set(this.state.version, this.living);
    const oldest = [...this.states.keys()][1];
    if (this.states.size > mostStates && oldest !== undefined) this.states.delete(oldest);
  }
}

function line(text: string, version: string, index: number, origin: Origin): WovenLine {
  return { text, version, index, ...origin, diedIn: null, isAlive: true, next: null };
}

function link(after: WovenLine, lines: Living): void {
  const { next } = after;
  let last = after;
  for (const one of lines) last = last.next = one;
  last.next = next;
}

function die(one: WovenLine, replacement: Replacement): void {
  one.isAlive = false;
  one.diedIn = replacement;
}

/**
 * Returns who removed lines. If all that took their place was replaced in its turn, the removal is the doing of whoever did
 * that: an edit of an uncommitted line is the edit that a commit holds.
 */
export function removerIn(replacement: Replacement): Author {
  let owner = replacement.author;
  let at: Replacement | null = replacement;
  const seen = new Set<Replacement>();
  while (at && !seen.has(at) && at.inserted.length > 0 && at.inserted.every(({ isAlive }) => !isAlive)) {
    seen.add(at);
    at = at.inserted.at(-1)?.diedIn ?? null;
    if (at && !at.inserted.some(({ by }) => isSameAuthor(by, owner))) owner = at.author;
  }
  return owner;
}
