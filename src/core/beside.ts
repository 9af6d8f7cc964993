import { continues, hasWord, isAnnotation, isClause, isComment, isMarker } from "./attached.js";
import type { Hunk } from "./change.js";
import type { Document } from "./document.js";
import type { Believed } from "./history.js";
import type { Region } from "./linemap.js";
import type { Named, Span } from "./named.js";
import { Places } from "./places.js";

/** One change of an edit, and the changes of others that touch it. */
export interface Member {
  readonly named: Named;
  readonly hunk: Hunk<string>;
  readonly regions: readonly Region[];
}

/** The named lines that a change belongs to: the line beside an insertion, or the range around it. */
export function rangeOf({ beside, spans }: Named, { start, end }: Hunk<string>): Span | undefined {
  if (beside !== null) return { start: beside, end: beside + 1 };
  return spans.find((span) => span.start <= start && end <= span.end);
}

/** Unchanged lines on each side of the named ones that count as evidence, at most. */
const neighbours = 3;

/**
 * Rule 5, touching from outside. Others changed what stands directly beside the named lines. Those are as they were
 * shown, so the edit is made; but the neighbour that would confirm the place is gone. Therefore the named lines and the
 * unchanged ones beside them have to stand exactly once in either text, and the change of others must not be one that the
 * edit depends on. An instance indexes both texts, and is made where something touches.
 */
export class Beside {
  private readonly before: Places;
  private readonly after: Places;
  /** The lines with words that an edit writes. */
  private readonly written = new Map<Named, ReadonlySet<string>>();

  constructor(
    private readonly believed: Believed,
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
      if (isAbove ? this.partsAbove(member, region) : this.partsBelow(member, region, range)) return false;
    }
    return this.believed.isExact || this.isCertain(range, hunk);
  }

  /** Others changed what is above and what is below: the lines may have been wrapped. */
  private isBetween({ start, end }: Span): boolean {
    const touching = this.believed.toNow.touching(start, end);
    return touching.some(({ aEnd }) => aEnd <= start) && touching.some(({ aStart }) => aStart >= end);
  }

  /** The line above belongs to the named ones, and the edit would put text between, or take them away. */
  private partsAbove({ hunk }: Member, { aStart, aEnd, bStart, bEnd }: Region): boolean {
    if (bStart === bEnd || replaces(hunk)) return false;
    const { document } = this.believed;
    if (aStart < aEnd && document.sameText(aEnd - 1, this.now, bEnd - 1)) return false;
    const last = this.now.text(bEnd - 1);
    return isAnnotation(last) || isComment(last);
  }

  /** The named lines and the line below belong together, and the edit would put text between, or take them away. */
  private partsBelow({ hunk }: Member, { aStart, aEnd, bStart, bEnd }: Region, range: Span): boolean {
    const { document } = this.believed;
    if (bStart === bEnd || (aStart < aEnd && document.sameText(aStart, this.now, bStart))) return false;
    const first = this.now.text(bStart);
    if (replaces(hunk)) return hunk.lines.length > hunk.end - hunk.start && isClause(first, hunk.lines);
    if (hunk.start === hunk.end && isAnnotation(document.text(range.end - 1))) return true;
    return continues(first, [...document.lines(hunk.start, hunk.end), ...hunk.lines]);
  }

  /** Others wrote what this edit writes too. Lines that stood in the text before are no sign of it, unless they are all. */
  private isDoneInPart({ bStart, bEnd }: Region, named: Named): boolean {
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

  private writtenBy(named: Named): ReadonlySet<string> {
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

/** Lines give way to others; nothing is only put in or only taken out. */
function replaces({ start, end, lines }: Hunk<string>): boolean {
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
