/** A text in which every line has an identity, and what was made of it, by whom and when. */
import type { Hunk } from "./client.js";
import { type Pairs, plausiblePairs, untouched } from "./pairs.js";

export interface Line {
  readonly id: number;
  readonly text: string;
  /** Lines that are gone keep their place: others came between them. */
  readonly gone: boolean;
}

/** A text that the guard has come to know. */
export interface State {
  readonly lines: readonly Line[];
  readonly texts: readonly string[];
  readonly text: string;
}

/** What a splice makes of lines: those from start to before end are altered, and these are written instead. */
export interface Alteration {
  readonly start: number;
  readonly end: number;
  readonly written: readonly string[];
  /** Lines that are quoted with a letter of theirs, or as a whole blank line. */
  readonly quoted: readonly number[];
  readonly terminated: boolean;
}

export function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function startsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The line that an offset is in; behind the last newline one more. */
export function lineAt(text: string, offset: number): number {
  return startsOf(text).findLastIndex((start) => start <= offset);
}

/** How many lines two lists begin and end with alike; one of the two is looked for first. */
function alike(before: readonly string[], after: readonly string[], first: 0 | 1): readonly [number, number] {
  const most = Math.min(before.length, after.length);
  const found: [number, number] = [0, 0];
  for (const side of [first, 1 - first]) {
    const isAlike = (): boolean =>
      side === 0
        ? before[found[0]] === after[found[0]]
        : before.at(-1 - found[1]) === after.at(-1 - found[1]);
    while (found[0] + found[1] < most && isAlike()) found[side]!++;
  }
  return found;
}

export function alterationBy(text: string, { from, to, made }: Hunk): Alteration {
  const starts = startsOf(text);
  const all = linesOf(text).length;
  const [first, last] = [lineAt(text, from), lineAt(text, to)];
  const end = (starts[last + 1] ?? text.length + 1) - 1;
  const before = text.slice(starts[first], end).split("\n");
  const after = (text.slice(starts[first], from) + made + text.slice(to, end)).split("\n");
  const quoted = before.flatMap((line, at) => {
    const begin = starts[first + at] as number;
    const hasLetter = Math.max(begin, from) < Math.min(begin + line.length, to);
    return hasLetter || (line === "" && begin >= from && begin < to) ? [first + at] : [];
  });
  // Behind the last newline there is no line.
  if (last === all && after.at(-1) === "") {
    before.pop();
    after.pop();
  } else if (after.at(-1) === "" && end === text.length) after.pop();
  // Of equal lines either may be the one that is altered: one that is quoted is.
  const ways = [alike(before, after, 0), alike(before, after, 1)].map(([head, tail]) => ({
    start: first + head,
    stop: Math.min(first + before.length - tail, all),
  }));
  const isQuoted = ({ start, stop }: (typeof ways)[number]): boolean =>
    quoted.filter((at) => at >= start && at < stop).length === Math.max(0, stop - start);
  const { start, stop } = ways.find(isQuoted) ?? ways[0]!;
  const now = text.slice(0, from) + made + text.slice(to);
  const written = linesOf(now).slice(start, linesOf(now).length - (all - stop));
  return { start, end: Math.max(start, stop), written, quoted, terminated: now.endsWith("\n") || now === "" };
}

export class World {
  private all: Line[] = [];
  private made = 0;
  private readonly known: State[] = [];
  private readonly steps = new Map<string, Pairs>();

  constructor(
    texts: readonly string[],
    private terminated: boolean,
  ) {
    this.all = this.fresh(texts);
    if (texts.at(-1) === "") this.terminated = true;
  }

  private fresh(texts: readonly string[]): Line[] {
    return texts.map((text) => ({ id: this.made++, text, gone: false }));
  }

  get lines(): readonly Line[] {
    return this.all.filter((line) => !line.gone);
  }

  get text(): string {
    const body = this.lines.map((line) => line.text).join("\n");
    return body + (this.terminated && this.lines.length > 0 ? "\n" : "");
  }

  get states(): readonly State[] {
    return this.known;
  }

  /** With lines that are gone, in order. */
  get ever(): readonly Line[] {
    return this.all;
  }

  splice(start: number, count: number, texts: readonly string[]): readonly Line[] {
    const { lines } = this;
    const removed = new Set(lines.slice(start, start + count).map((line) => line.id));
    const next = lines[start + count];
    const at = next ? this.all.findIndex((line) => line.id === next.id) : this.all.length;
    const written = this.fresh(texts);
    this.all = [...this.all.slice(0, at), ...written, ...this.all.slice(at)].map((line) =>
      removed.has(line.id) ? { ...line, gone: true } : line,
    );
    // A blank line at the end stands there only if its newline does.
    if (this.lines.at(-1)?.text === "") this.terminated = true;
    return written;
  }

  /** As a tool does it; the ids of lines that are altered, and of those that are written. */
  apply(splices: readonly Hunk[]): {
    readonly altered: readonly number[];
    readonly made: readonly number[];
  } {
    const altered: number[] = [];
    const made: number[] = [];
    for (const splice of splices.toReversed()) {
      const { start, end, written, terminated } = alterationBy(this.text, splice);
      altered.push(...this.lines.slice(start, end).map((line) => line.id));
      made.push(...this.splice(start, end - start, written).map((line) => line.id));
      this.terminated = terminated;
    }
    return { altered, made };
  }

  /** The guard has looked at the file. */
  record(): number {
    const texts = this.lines.map((line) => line.text);
    const last = this.known.at(-1);
    if (!last || last.texts.join("\n") !== texts.join("\n") || last.texts.length !== texts.length)
      this.known.push({ lines: this.lines, texts, text: this.text });
    return this.known.length - 1;
  }

  /** Where a line of a recorded text may stand now, for all that can be told from the texts. */
  places(state: number, line: number): ReadonlySet<number> {
    if (!this.known[state]?.lines[line]) return new Set();
    const last = this.known.length - 1;
    const reached: Set<number>[] = this.known.map(() => new Set<number>());
    reached[state]!.add(line);
    for (let from = state; from < last; from++)
      for (const at of reached[from]!)
        for (let to = from + 1; to <= last; to++)
          for (const there of this.pairs(from, to)[at]!) reached[to]!.add(there);
    const id = this.known[state]?.lines[line]?.id;
    const here = this.lines.findIndex((one) => one.id === id);
    if (here >= 0) reached[last]!.add(here);
    return reached[last]!;
  }

  private pairs(from: number, to: number): Pairs {
    const key = `${from} ${to}`;
    const found = this.steps.get(key) ?? plausiblePairs(this.known[from]!.texts, this.known[to]!.texts);
    this.steps.set(key, found);
    return found;
  }

  /** Where a line of a recorded text stands now, if nobody can doubt it; else -1. */
  clearPlace(state: number, line: number): number {
    const last = this.known.length - 1;
    const places: number[] = [];
    places[state] = line;
    for (let to = state + 1; to <= last; to++) {
      const found = places.map((at, from) =>
        untouched(this.known[from]!.texts, this.known[to]!.texts).get(at),
      );
      places[to] = found.slice(state).every((at) => at === found[state]) ? (found[state] ?? -1) : -1;
      if (places[to] === -1) return -1;
    }
    return places[last]!;
  }
}
