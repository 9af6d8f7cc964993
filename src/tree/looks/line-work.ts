/** Follows what a change did to lines that are in no commit. Pure. */
import { compare, type LineChange, withoutLayout } from "../../changes/index.js";
import { type Document, LineSet } from "../../text/index.js";

/** A line as far as formatters leave it alone; "" where it tells nothing. */
export function bareLine(line: string): string {
  return /[\p{L}\p{N}]/u.test(line) ? withoutLayout(line) : "";
}

/** Whether texts differ in blanks, quotes, commas, semicolons and line breaks only. */
export function isReformat(before: Document, after: Document, change: LineChange): boolean {
  const joined = (text: Document, start: number, end: number): string =>
    withoutLayout(text.lines(start, end).join("\n"));
  return change.regions.every(
    ({ aStart, aEnd, bStart, bEnd }) => joined(before, aStart, aEnd) === joined(after, bStart, bEnd),
  );
}

/** The possible authors of a line: those of the journal entry that wrote it; null for a line of a commit. */
export interface Owner {
  readonly authors: readonly string[];
  /** The command that wrote it; "" for a tool. */
  readonly command: string;
}

export type Owners = readonly (Owner | null)[];

/** Carries the owners of lines over a change that somebody made. */
export function ownersAfter(
  owners: Owners,
  change: LineChange,
  by: Owner | null,
  isSameWork = false,
): (Owner | null)[] {
  const after: (Owner | null)[] = new Array(change.after).fill(by);
  let from = 0;
  for (const { aStart, aEnd, bStart, bEnd } of [...change.regions, end(change)]) {
    for (let at = from; at < aStart; at++) after[bStart - (aStart - at)] = owners[at] ?? null;
    // Lines that are only laid out anew are those of who wrote them.
    if (isSameWork)
      for (let at = bStart; at < bEnd; at++)
        after[at] = owners[Math.min(aStart + at - bStart, aEnd - 1)] ?? null;
    from = aEnd;
  }
  return after;
}

function end({ before, after }: LineChange) {
  return { aStart: before, aEnd: before, bStart: after, bEnd: after };
}

/** Lines of `before`, of some, that stand nowhere in `after`, be it in another layout. */
export function goneLines(before: Document, after: Document | null, lines: LineSet): LineSet {
  if (!after) return lines;
  const change = compare(before, after);
  const paired = new Set<number>();
  const fresh = new Map<string, number>();
  for (const { bStart, bEnd } of change.regions)
    for (const line of after.lines(bStart, bEnd))
      fresh.set(bareLine(line), (fresh.get(bareLine(line)) ?? 0) + 1);
  const words = new Set<number>();
  for (const [at, { aStart, aEnd, bStart, bEnd }] of change.regions.entries()) {
    const joined = (text: Document, start: number, stop: number): string =>
      text.lines(start, stop).map(bareLine).join("");
    if (joined(before, aStart, aEnd) === joined(after, bStart, bEnd)) words.add(at);
  }
  for (const line of lines.indexes()) {
    const at = change.regions.findIndex(({ aStart, aEnd }) => aStart <= line && line < aEnd);
    const bare = bareLine(before.text(line));
    const left = fresh.get(bare) ?? 0;
    if (at < 0 || words.has(at) || bare === "") paired.add(line);
    else if (left > 0) {
      paired.add(line);
      fresh.set(bare, left - 1);
    }
  }
  const gone = lines.subtract(LineSet.lines(paired));
  // Lines without a word go with those around them.
  return gone.isEmpty ? gone : gone.union(mute(before, change, lines, gone));
}

function mute(before: Document, change: LineChange, lines: LineSet, gone: LineSet): LineSet {
  const regions = change.regions.filter(
    ({ aStart, aEnd }) => !gone.intersect(LineSet.of([[aStart, aEnd]])).isEmpty,
  );
  const inside = LineSet.of(regions.map(({ aStart, aEnd }) => [aStart, aEnd] as const));
  return LineSet.lines(
    lines
      .intersect(inside)
      .indexes()
      .filter((line) => bareLine(before.text(line)) === ""),
  );
}

/** Returns those of some lines of `before` that no text replaced. */
export function removedLines(change: LineChange, lines: LineSet): LineSet {
  const bare = change.regions.filter(({ bStart, bEnd }) => bStart === bEnd);
  return lines.intersect(LineSet.of(bare.map(({ aStart, aEnd }) => [aStart, aEnd] as const)));
}

/** Finds changed lines: a new line with half of the words stands in the place of each. Lines of former texts are old. */
export function mendedLines(
  before: Document,
  after: Document,
  lines: LineSet,
  former: readonly (Document | null)[],
): LineSet {
  const old = new Set(former.flatMap((text) => text?.lines() ?? []));
  const mended: number[] = [];
  for (const { aStart, aEnd, bStart, bEnd } of compare(before, after).regions) {
    const fresh = after.lines(bStart, bEnd).filter((line) => !old.has(line));
    for (const at of lines.intersect(LineSet.of([[aStart, aEnd]])).indexes()) {
      const words = wordsOf(before.text(at));
      const isLike = (line: string): boolean => {
        const now = new Set(wordsOf(line));
        return words.filter((word) => now.has(word)).length * 2 >= words.length;
      };
      if (words.length > 0 && fresh.some(isLike)) mended.push(at);
    }
  }
  return LineSet.lines(mended);
}

function wordsOf(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+/gu) ?? [];
}
