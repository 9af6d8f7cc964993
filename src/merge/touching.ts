/** Rule 5, last part: changes of others that only touch the named lines, from outside. */
import type { BelievedText, Region } from "../changes/index.js";
import type { LocatedEdit, Span } from "../edits/index.js";
import type { Document, Hunk } from "../text/index.js";

// First characters of a line tell, in most languages, whether it belongs to the line above or below it.

function hasWord(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line);
}

/** Lines that a merge leaves in a file where it found a conflict. */
function isMarker(line: string): boolean {
  return /^(?:<{7}|\|{7}|={7}|>{7})(?:\s|$)/.test(line);
}

/** A decorator or an attribute: it applies to what follows it. */
function isAnnotation(line: string): boolean {
  return /^\s*(?:@|#\[)/.test(line);
}

/** A line of a comment, or the end of one: it speaks of what follows it. */
function isComment(line: string): boolean {
  return /^\s*(?:\/\/|\/\*|\*\/|#(?=[\s!#]|$)|--\s|<!--|-->)/.test(line);
}

/** A clause of the statement above it: text between would part the two. */
function isClause(line: string, between: readonly string[]): boolean {
  return clause.test(line) && !isInside(between, line);
}

/** The end or the rest of what stands above it: text between would part the two. */
function isContinuedBy(line: string, between: readonly string[]): boolean {
  if (isInside(between, line)) return false;
  if (closing.test(line) || clause.test(line)) return true;
  const sign = operator.exec(line)?.[1];
  // One more line of the same kind, as in a list or a chain, parts nothing.
  return sign !== undefined && between.every((one) => operator.exec(one)?.[1] !== sign);
}

const clause =
  /^\s*(?:(?:end|else|elif|elseif|elsif|catch|except|finally|rescue|ensure|then|and|or)\b|#\s*(?:else|elif|endif)\b|\{%-?\s*(?:else|elif|end))/;
const closing = /^\s*(?:[)\]}]|<\/|\/>|\*\/|-->)/;
const operator =
  /^\s*(\.(?=[\p{L}_$])|\?\.|[,;]|(?:[-+*/%<>=^|&?:]|&&|\|\||\?\?|==+|!==?|<=|>=|<<|>>|\|>|=>|->)(?=\s|$))/u;

/** All lines stand deeper than the last one, and so within what it ends. */
function isInside(lines: readonly string[], last: string): boolean {
  const indent = indentOf(last);
  return lines.every((line) => {
    const own = indentOf(line);
    return line.trim() === "" || (own.length > indent.length && own.startsWith(indent));
  });
}

function indentOf(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? "";
}

/** One change of an edit, and the changes of others that touch it. */
export interface Member {
  readonly named: LocatedEdit;
  readonly hunk: Hunk<string>;
  readonly regions: readonly Region[];
}

/** The named lines that a change belongs to: the line beside an insertion, or the range around it. */
export function rangeOf({ beside, spans }: LocatedEdit, { start, end }: Hunk<string>): Span | undefined {
  if (beside !== null) return { start: beside, end: beside + 1 };
  return spans.find((span) => span.start <= start && end <= span.end);
}

/** Unchanged lines on each side of the named ones that count as evidence, at most. */
const neighbours = 3;

/**
 * Rule 5, touching from outside. Others changed what stands directly beside the named lines. The named lines are as
 * they were shown, so the edit is made; but the neighbour that would confirm the place is gone. Therefore the named
 * lines and the unchanged ones beside them have to stand exactly once in either text, and the change of others must not be
 * one that the edit depends on. An instance indexes both texts, and is made where something touches.
 */
export class Beside {
  private readonly before: Places;
  private readonly after: Places;
  /** The lines with words that an edit writes. */
  private readonly written = new Map<LocatedEdit, ReadonlySet<string>>();

  constructor(
    private readonly believed: BelievedText,
    private readonly now: Document,
  ) {
    this.before = new Places(believed.document);
    this.after = new Places(now);
  }

  /** Returns the changes of a group that can be made although others changed lines there. */
  kept(members: readonly Member[]): ReadonlySet<Member> {
    const kept = new Set(members.filter((member) => this.isKept(member)));
    for (const member of insertedTwice(members)) kept.delete(member);
    return kept;
  }

  private isKept(member: Member): boolean {
    const { named, hunk, regions } = member;
    const range = rangeOf(named, hunk);
    if (named.apart || !range || this.isBetween(range)) return false;
    for (const region of regions) {
      const isAbove = region.aEnd <= range.start;
      // It reaches into the named lines.
      if (!isAbove && region.aStart < range.end) return false;
      const theirs = this.now.lines(region.bStart, region.bEnd);
      if (theirs.some(isMarker) || this.isDoneInPart(region, named)) return false;
      if (isAbove ? this.isPartedAbove(member, region) : this.isPartedBelow(member, region, range))
        return false;
    }
    return this.believed.isExact || this.isCertain(range, hunk);
  }

  /** Others changed what is above and what is below: the lines may have been wrapped. */
  private isBetween({ start, end }: Span): boolean {
    const touching = this.believed.toNow.touching(start, end);
    return touching.some(({ aEnd }) => aEnd <= start) && touching.some(({ aStart }) => aStart >= end);
  }

  /** The line above belongs to the named ones, and the edit would put text between, or take them away. */
  private isPartedAbove({ hunk }: Member, { aStart, aEnd, bStart, bEnd }: Region): boolean {
    if (bStart === bEnd || isReplacement(hunk)) return false;
    const { document } = this.believed;
    if (aStart < aEnd && document.isSameText(aEnd - 1, this.now, bEnd - 1)) return false;
    const last = this.now.text(bEnd - 1);
    return isAnnotation(last) || isComment(last);
  }

  /** The named lines and the line below belong together, and the edit would put text between, or take them away. */
  private isPartedBelow({ hunk }: Member, { aStart, aEnd, bStart, bEnd }: Region, range: Span): boolean {
    const { document } = this.believed;
    if (bStart === bEnd || (aStart < aEnd && document.isSameText(aStart, this.now, bStart))) return false;
    const first = this.now.text(bStart);
    if (isReplacement(hunk)) return hunk.lines.length > hunk.end - hunk.start && isClause(first, hunk.lines);
    if (hunk.start === hunk.end && isAnnotation(document.text(range.end - 1))) return true;
    return isContinuedBy(first, [...document.lines(hunk.start, hunk.end), ...hunk.lines]);
  }

  /** Others wrote what this edit writes too. Lines that stood in the text before are no sign of it, unless they are all. */
  private isDoneInPart({ bStart, bEnd }: Region, named: LocatedEdit): boolean {
    const written = this.writtenBy(named);
    const shared = new Set<string>();
    for (let at = bStart; at < bEnd && written.size > 0; at++) {
      const line = this.now.text(at);
      if (!written.has(line)) continue;
      if (!this.before.has(this.now, at)) return true;
      shared.add(line);
    }
    return written.size > 0 && shared.size === written.size;
  }

  private writtenBy(named: LocatedEdit): ReadonlySet<string> {
    let written = this.written.get(named);
    if (!written) {
      written = new Set(named.hunks.flatMap(({ lines }) => lines.filter(hasWord)));
      this.written.set(named, written);
    }
    return written;
  }

  /** The named lines and those beside them stand once in either text, as far as they lie together in both. */
  private isCertain(range: Span, hunk: Hunk<string>): boolean {
    const { document, toNow } = this.believed;
    const [first, last] = toNow.run(Math.max(range.start, Math.min(hunk.start, range.end - 1)));
    const start = Math.max(first, range.start - neighbours);
    const end = Math.min(last, range.end + neighbours);
    return this.before.isOnce(document, start, end) && this.after.isOnce(document, start, end);
  }
}

/** Lines give way to others; nothing is only inserted or only removed. */
function isReplacement({ start, end, lines }: Hunk<string>): boolean {
  return start < end && lines.length > 0;
}

/**
 * Insertions of one call at one point that others filled, and at two points that they made one: which of the texts comes
 * first would be a guess.
 */
function insertedTwice(members: readonly Member[]): Member[] {
  const inserts = members.filter(({ hunk }) => hunk.start === hunk.end);
  return inserts.flatMap((one, at) => {
    const next = inserts[at + 1];
    const isJoined = next?.regions.some(({ bStart, bEnd }) => bStart === bEnd);
    return next && (one.hunk.start === next.hunk.start || isJoined) ? [one, next] : [];
  });
}

/** Where the lines of a text stand, by their hashes: made once, where many blocks have to be looked for. */
class Places {
  private readonly places = new Map<number, number[]>();

  constructor(private readonly document: Document) {
    for (let at = 0; at < document.lineCount; at++) {
      const hash = document.lineHash(at);
      const found = this.places.get(hash);
      if (found) found.push(at);
      else this.places.set(hash, [at]);
    }
  }

  /** Whether a line of some text stands here. */
  has(text: Document, line: number): boolean {
    return this.of(text, line).some((at) => this.document.isSameText(at, text, line));
  }

  /** Whether lines [start, end) of some text match here exactly once. The search begins at the matches of the rarest line. */
  isOnce(text: Document, start: number, end: number): boolean {
    let rarest = start;
    let candidates = this.of(text, start);
    for (let at = start + 1; at < end && candidates.length > 1; at++) {
      const found = this.of(text, at);
      if (found.length < candidates.length) [rarest, candidates] = [at, found];
    }
    let count = 0;
    for (const candidate of candidates) {
      const from = candidate - (rarest - start);
      const fits = from >= 0 && from + end - start <= this.document.lineCount;
      if (fits && text.isSameLines(start, end, this.document, from) && ++count > 1) return false;
    }
    return count === 1;
  }

  private of(text: Document, line: number): readonly number[] {
    return this.places.get(text.lineHash(line)) ?? [];
  }
}
