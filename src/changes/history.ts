/**
 * Texts of which only the line hashes (xxHash32) are kept. A line that has the hash of a line of the file now is that
 * line; the text of any other is unknown.
 */
import { type SchemeName, scheme } from "../anchors/index.js";
import { type Document, LineSet } from "../text/index.js";
import { overBlanks } from "./blanks.js";
import { ChangeRun } from "./change-run.js";
import { compare, compareHashes } from "./compare.js";
import { hunksOf, LineChange, type Region } from "./line-change.js";

/**
 * A line of unknown text is NUL, which no text file has, and the eight digits of its hash in control characters: no quote
 * and no line of a file reads like it or stands in it.
 */
const digits = [1, 2, 3, 4, 5, 6, 7, 8, 16, 17, 18, 19, 20, 21, 22, 23].map((code) =>
  String.fromCharCode(code),
);

function unknown(hash: number): string {
  const all = Array.from({ length: 8 }, (_, at) => digits[(hash >>> (28 - 4 * at)) & 15]);
  return `\0${all.join("")}`;
}

/** The hash that is kept of a line of unknown text; null: its text is known. */
export function keptHash(line: string): number | null {
  if (!line.startsWith("\0") || line.length !== 9) return null;
  return [...line.slice(1)].reduce((hash, one) => hash * 16 + digits.indexOf(one), 0);
}

const noBytes = { bytes: new Uint8Array(0), start: 0, end: 0 };

/** Makes a scheme's hash from the kept hash of a line; null if the scheme needs the text. */
export function hashFrom(kept: number, name: SchemeName): string | null {
  return name === "hex4" ? null : scheme(name).hashLine({ lineHash: () => kept, rawLine: () => noBytes }, 0);
}

/** The text that had these hashes, as far as the file now tells; null where that is in an encoding that it was not in. */
function rebuilt(hashes: Uint32Array, toNow: LineChange, now: Document): Document | null {
  const lines = new Map<number, number>();
  if (!toNow.isIdentity) for (let at = 0; at < now.lineCount; at++) lines.set(now.lineHash(at), at);
  const textOf = (hash: number): string => {
    const line = lines.get(hash);
    return line === undefined ? unknown(hash) : now.text(line);
  };
  const made = now.splice(
    toNow.regions.map(({ aStart, aEnd, bStart, bEnd }) => ({
      start: bStart,
      end: bEnd,
      lines: Array.from(hashes.subarray(aStart, aEnd), textOf),
    })),
  );
  return "unencodable" in made || made.lineCount !== toNow.before ? null : made;
}

/** The lines of unknown text. Only lines that are not paired can be. */
function unknownLines(document: Document, toNow: LineChange): LineSet {
  const spans = toNow.regions.map(({ aStart, aEnd }) => [aStart, aEnd] as const);
  const lines = LineSet.of(spans.filter(([start, end]) => start < end)).indexes();
  return LineSet.lines(lines.filter((line) => keptHash(document.text(line)) !== null));
}

/** One state the file was in. `exact` is the change from the state before, where it is known to the line. */
export interface State {
  readonly version: string;
  readonly lineCount: number;
  /** null: the content is not kept (too large, secret, or forgotten). */
  readonly document: Document | null;
  /** Line hashes (xxHash32) kept where the content is not: enough to follow lines that did not change. */
  readonly hashes?: Uint32Array | null;
  readonly exact: LineChange | null;
  /** The exact change is the doing of the agent whose call is judged. */
  readonly own?: boolean;
}

/**
 * A text as the agent takes it to be: what it was shown, with its own later edits in it. The rest of the comparison
 * with the file now is the work of others; own edits make nobody blind.
 */
export interface BelievedText {
  readonly document: Document;
  readonly fromShown: LineChange;
  readonly toNow: LineChange;
  /** Each change since is known to the line: no texts were compared. */
  readonly isExact: boolean;
  /** Lines of unknown text, which others changed: only their hashes are kept. */
  readonly unknown: LineSet;
}

/**
 * The states of one file in time, the last one being the file now. Lines are followed through edits that are known
 * by their exact change, and by comparing texts, or the hashes of their lines, between those.
 */
export class History {
  private readonly followed = new Map<number, LineChange | null>();
  private readonly beliefs = new Map<number, BelievedText | null>();
  private readonly rebuilt = new Map<number, Document | null>();
  private readonly alike = new Map<number, LineChange | null>();
  private nextSame: readonly (number | undefined)[] | null = null;
  /** The number of the newest state. */
  readonly last: number;

  constructor(readonly states: readonly State[]) {
    this.last = states.length - 1;
    if (states.length === 0 || !states.at(-1)?.document)
      throw new RangeError("a history ends with the file now");
  }

  static of(document: Document): History {
    return new History([{ version: document.version, lineCount: document.lineCount, document, exact: null }]);
  }

  get now(): Document {
    return this.document(this.last) as Document;
  }

  /** The text of a state. Where only its hashes are kept, lines that are not in the file now have no text (`text`). */
  document(state: number): Document | null {
    const kept = this.kept(state);
    if (kept || !this.states[state]?.hashes) return kept;
    let found = this.rebuilt.get(state);
    if (found === undefined) {
      const [hashes, toNow] = [this.hashes(state), this.follow(state)];
      found = hashes && toNow && rebuilt(hashes, toNow, this.now);
      this.rebuilt.set(state, found);
    }
    return found;
  }

  /** A line as it was shown; null if its text is not kept. */
  text(state: number, index: number): string | null {
    const text = this.document(state)?.text(index) ?? null;
    return text === null || keptHash(text) !== null ? null : text;
  }

  /** A state whose content is not kept but is that of the file now has the file's. */
  private kept(state: number): Document | null {
    const { document, version } = this.states[state] as State;
    if (document) return document;
    const now = this.states[this.last] as State;
    return version === now.version ? now.document : null;
  }

  private hashes(state: number): Uint32Array | null {
    const { hashes = null, lineCount } = this.states[state] as State;
    return this.kept(state)?.table.hashes ?? (hashes?.length === lineCount ? hashes : null);
  }

  /** The hash a line of a state was shown with; null if it can no longer be told. */
  hash(state: number, index: number, name: SchemeName): string | null {
    const document = this.kept(state);
    if (document) return index < document.lineCount ? scheme(name).hashLine(document, index) : null;
    const hash = (this.states[state] as State).hashes?.[index];
    return hash === undefined ? null : hashFrom(hash, name);
  }

  /** Where the lines of one state are in a later one; null if a text that would have to be compared is gone. */
  follow(from: number, to: number = this.last): LineChange | null {
    const key = from * this.states.length + to;
    const known = this.followed.get(key);
    if (known !== undefined) return known;
    const found = this.trace(from, to);
    this.followed.set(key, found);
    return found;
  }

  /**
   * Where lines `[start, end)` of a state are now, whatever they became: step by step, since changes that touch become
   * one. null if one of them reached beyond these lines.
   */
  became(state: number, start: number, end: number): { readonly start: number; readonly end: number } | null {
    let span = { start, end };
    for (let at = state; at < this.last; at++) {
      const step = this.follow(at, at + 1);
      if (!step) return null;
      let [from, to] = [span.start, span.end];
      for (const { aStart, aEnd, bStart, bEnd } of step.regions) {
        const grown = bEnd - bStart - (aEnd - aStart);
        if (aStart >= span.end && aEnd > span.start) break;
        to += grown;
        if (aEnd <= span.start) from += grown;
        else if (aStart < span.start || aEnd > span.end) return null;
      }
      span = { start: from, end: to };
    }
    return span;
  }

  /** null if a text that would be needed is gone. */
  believed(state: number): BelievedText | null {
    const known = this.beliefs.get(state);
    if (known !== undefined) return known;
    const found = this.believe(state);
    this.beliefs.set(state, found);
    return found;
  }

  private believe(state: number): BelievedText | null {
    const map = this.follow(state);
    if (!map) return null;
    const isExact = this.isExact(state);
    const own = map.regions.filter((region) => region.own);
    const all = (document: Document, fromShown: LineChange, toNow: LineChange): BelievedText => {
      const unknown = this.kept(state) ? LineSet.empty : unknownLines(document, toNow);
      return { document, fromShown, toNow, isExact, unknown };
    };
    if (own.length === map.regions.length) return all(this.now, map, LineChange.identity(map.after));
    const document = this.document(state);
    if (!document) return null;
    if (own.length === 0) return all(document, LineChange.identity(map.before), map);
    const made = document.splice(hunksOf(own, this.now));
    if ("unencodable" in made) return null;
    const [mine, theirs]: [Region[], Region[]] = [[], []];
    let shift = 0;
    for (const { aStart, aEnd, bStart, bEnd, own: isOwn } of map.regions) {
      if (!isOwn) theirs.push({ aStart: aStart + shift, aEnd: aEnd + shift, bStart, bEnd });
      else {
        mine.push({ aStart, aEnd, bStart: aStart + shift, bEnd: aStart + shift + bEnd - bStart });
        shift += bEnd - bStart - (aEnd - aStart);
      }
    }
    return all(
      made,
      LineChange.of(map.before, made.lineCount, mine),
      LineChange.of(made.lineCount, map.after, theirs),
    );
  }

  /**
   * As `follow`, to the file now, with lines paired too of which only the blanks at their ends have changed. Each change by
   * itself is looked at: an edit beside lines that a formatter indented makes one region with them.
   */
  followOverBlanks(from: number): LineChange | null {
    const known = this.alike.get(from);
    if (known !== undefined) return known;
    const map = this.trace(from, this.last, (step, start, end) => this.overBlanks(step, start, end));
    const found = map && this.overBlanks(map, from, this.last);
    this.alike.set(from, found);
    return found;
  }

  private overBlanks(map: LineChange, from: number, to: number): LineChange {
    const [before, after] = [this.kept(from), this.kept(to)];
    return before && after ? overBlanks(map, before, after) : map;
  }

  private isExact(from: number): boolean {
    const { states } = this;
    return states.slice(from + 1).every((one, at) => one.exact || one.version === states[from + at]?.version);
  }

  private way(from: number, to: number): Generator<Stretch> {
    this.nextSame ??= nextStates(this.states);
    return stretches(this.states, this.nextSame, from, to);
  }

  private trace(
    from: number,
    to: number,
    widen?: (map: LineChange, from: number, to: number) => LineChange,
  ): LineChange | null {
    // A state that was forgotten, as the one that an old handle was given for.
    if (!this.states[from]) return null;
    let map = LineChange.identity((this.states[from] as State).lineCount);
    const run = new ChangeRun();
    for (const { start, end, exact, own } of this.way(from, to)) {
      const step = start === end ? null : this.between(start, end);
      if (start !== end && !step) return null;
      if (step && !step.isIdentity) map = run.endedAfter(map).compose(widen ? widen(step, start, end) : step);
      if (!exact) continue;
      if (!run.isNext(end, own)) map = run.endedAfter(map);
      run.add(end, own, !own && widen ? widen(exact, end, end + 1) : exact);
    }
    return run.endedAfter(map);
  }

  /** Whether the agent itself removed a line of a state. */
  hasRemoved(state: number, line: number): boolean {
    let index = line;
    for (const { start, end, exact, own } of this.way(state, this.last)) {
      const before = this.between(start, end)?.index(index) ?? -1;
      index = before < 0 ? -1 : (exact?.index(before) ?? before);
      if (index < 0) return before >= 0 && own;
    }
    return false;
  }

  /** A text that is back from before a state: what came to that state since is undone, line by line. */
  private takenBack(from: number, to: number): LineChange | null {
    const { version } = this.states[to] as State;
    const earlier = this.states.findLastIndex((state, at) => at < from && state.version === version);
    return earlier < 0 ? null : (this.follow(earlier, from)?.invert().disowned() ?? null);
  }

  private between(from: number, to: number): LineChange | null {
    const [a, b] = [this.states[from] as State, this.states[to] as State];
    if (from === to || a.version === b.version) return LineChange.identity(a.lineCount);
    const taken = this.takenBack(from, to);
    if (taken) return taken;
    const [before, after] = [this.kept(from), this.kept(to)];
    if (before && after) return compare(before, after);
    const [one, two] = [this.hashes(from), this.hashes(to)];
    return one && two && compareHashes(one, two);
  }
}

/** States [start, end] in which only texts tell what happened, and the change after them that is known to the line. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly exact: LineChange | null;
  readonly own: boolean;
}

/**
 * The way that lines go from one state to a later one. A text that came back byte for byte is the text it was: its lines are
 * where they were, whatever was done in between. A text on the way is safe, too, if nobody but the agent is known to
 * have changed it: lines that others are known to have removed are gone, and their replacements are other lines.
 */
export function* stretches(
  states: readonly Pick<State, "exact" | "own">[],
  nextSame: readonly (number | undefined)[],
  from: number,
  to: number,
): Generator<Stretch> {
  const again = (state: number): number => {
    let at = state;
    for (let next = nextSame[at]; next !== undefined && next <= to; next = nextSame[at]) at = next;
    return at;
  };
  const isOthers = (state: number): boolean => states[state]?.exact != null && states[state]?.own !== true;
  const againAlone = (state: number): number => {
    const at = again(state);
    for (let next = state + 1; next <= at; next++) if (isOthers(next)) return state;
    return at;
  };
  let start = again(from);
  for (let next = start + 1; next <= to; next++) {
    const { exact, own = false } = states[next] as State;
    if (!exact) continue;
    yield { start, end: next - 1, exact, own };
    start = againAlone(next);
    next = start;
  }
  yield { start, end: to, exact: null, own: false };
}

/** For each state the next one that has the same text. */
export function nextStates(states: readonly { readonly version: string }[]): (number | undefined)[] {
  const newest = new Map<string, number>();
  const next: (number | undefined)[] = new Array(states.length);
  for (let at = states.length - 1; at >= 0; at--) {
    const { version } = states[at] as { readonly version: string };
    next[at] = newest.get(version);
    newest.set(version, at);
  }
  return next;
}
