/**
 * Texts of which only the line hashes (xxHash32) are kept. A line that has the hash of a line of the file now is that
 * line; the text of any other is unknown.
 */
import { type SchemeName, scheme } from "../anchors/index.js";
import { type Document, LineSet } from "../text/index.js";
import { overBlanks } from "./blanks.js";
import { compare, compareHashes } from "./compare.js";
import { hunksOf, LineChange, type Region } from "./line-change.js";
import { type Step, Timeline } from "./timeline.js";

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

/** The part of a state's text that is kept. Without a document it was too large, secret, or is forgotten. */
export interface KeptText {
  readonly document?: Document | null;
  /** Line hashes (xxHash32) kept where the content is not: enough to follow lines that did not change. */
  readonly hashes?: Uint32Array | null;
}

/** One state the file was in. */
export interface State extends Step, KeptText {}

/** Whose call is judged, whose exact changes are its own, and where texts are that the states do not have with them. */
interface Sight {
  readonly agent?: string;
  text?(state: Step): KeptText;
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
  private line: Timeline | null = null;
  /** The number of the newest state. */
  readonly last: number;

  constructor(
    readonly states: readonly State[],
    private readonly sight: Sight = {},
  ) {
    this.last = states.length - 1;
    if (states.length === 0 || !this.keptText(this.last).document)
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
    if (kept || !this.states[state] || !this.keptText(state).hashes) return kept;
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

  private keptText(state: number): KeptText {
    const recorded = this.states[state] as State;
    return this.sight.text?.(recorded) ?? recorded;
  }

  /** A state whose content is not kept but is that of the file now has the file's. */
  private kept(state: number): Document | null {
    const { document } = this.keptText(state);
    if (document) return document;
    const isNow = this.states[state]?.version === this.states[this.last]?.version;
    return isNow ? (this.keptText(this.last).document ?? null) : null;
  }

  private hashes(state: number): Uint32Array | null {
    const { hashes = null } = this.keptText(state);
    const isWhole = hashes?.length === this.states[state]?.lineCount;
    return this.kept(state)?.table.hashes ?? (isWhole ? hashes : null);
  }

  /** The hash a line of a state was shown with; null if it can no longer be told. */
  hash(state: number, index: number, name: SchemeName): string | null {
    const document = this.kept(state);
    if (document) return index < document.lineCount ? scheme(name).hashLine(document, index) : null;
    const hash = this.keptText(state).hashes?.[index];
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
    const map = this.trace(from, this.last, true);
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
    for (let at = from + 1; at < states.length; at++)
      if (!states[at]?.exact && states[at]?.version !== states[at - 1]?.version) return false;
    return true;
  }

  private get timeline(): Timeline {
    this.line ??= Timeline.of(this.states);
    return this.line;
  }

  private get agent(): string | null {
    return this.sight.agent ?? null;
  }

  private trace(from: number, to: number, isOverBlanks = false): LineChange | null {
    // A state that was forgotten, as the one that an old handle was given for.
    if (!this.states[from]) return null;
    let map = LineChange.identity((this.states[from] as State).lineCount);
    for (const { start, end, last } of this.timeline.way(from, to, this.agent)) {
      const step = this.between(start, end);
      if (!step) return null;
      map = map.compose(isOverBlanks ? this.overBlanks(step, start, end) : step);
      let done = end;
      if (isOverBlanks)
        for (let at = end + 1; at <= last; at++) {
          const exact = this.timeline.isOwn(at, this.agent) ? null : this.states[at]?.exact;
          const alike = exact ? this.overBlanks(exact, at - 1, at) : exact;
          if (!alike || alike === exact) continue;
          map = map.compose(this.timeline.run(done, at - 1, this.agent)).compose(alike);
          done = at;
        }
      map = map.compose(this.timeline.run(done, last, this.agent));
    }
    return map;
  }

  /** Whether the agent itself removed a line of a state. */
  hasRemoved(state: number, line: number): boolean {
    let index = line;
    for (const { start, end, last } of this.timeline.way(state, this.last, this.agent)) {
      index = this.between(start, end)?.index(index) ?? -1;
      if (index < 0) return false;
      for (let at = end + 1; at <= last; at++) {
        index = this.states[at]?.exact?.index(index) ?? -1;
        if (index < 0) return this.timeline.isOwn(at, this.agent);
      }
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
