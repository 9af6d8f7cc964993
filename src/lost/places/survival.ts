/**
 * Decides whether the work of an edit is in a later text. Paired lines are. The rules for the others:
 *
 * 1. A text that was there before the edit, byte for byte, does not hold its work.
 * 2. A line is there if it is at another place, or differs only in blanks, quotes, commas and semicolons. All lines of a
 *    region are there if its words are the same in the same order: a formatter was at work. Lines without words do not
 *    count.
 * 3. A region went back to an earlier text if half of its new lines were removed by journaled edits, or if it has no new
 *    lines: the work is gone.
 * 4. Somebody worked on if half of the words and signs are there in the same order: the work is there, else it was
 *    overwritten. Nobody can have worked on lines that were gone before: then nearly all words must be there.
 *
 * Removed lines are back if half of them are new at the place they had. A return counts only if the edit wrote nothing in
 * their place, or if its text is there in another layout.
 */
import { compare, type LineChange, type Region } from "../../changes/index.js";
import { countsOf } from "../../ledger/index.js";
import { Document, LineSet, lineIndexes } from "../../text/index.js";

/** A text, and a text in which lines of it are looked for. */
export interface Comparison {
  readonly before: Document;
  readonly now: Document;
  readonly change: LineChange;
  /** `now` was there before the edit. */
  readonly isEarlierText: boolean;
  /** `now` did not come from `before`. */
  readonly isUnrelated: boolean;
  /** Whether a journaled edit removed a line, given normalised. */
  isOld(line: string): boolean;
}

/** Lines [start, end). */
export type Span = readonly [number, number];

/** The lines that are there, in the numbers of now, and the lines that are gone, in the numbers before. */
export interface Survival {
  readonly lines: LineSet;
  readonly gone: LineSet;
  /** The gone lines with new text in their place. */
  readonly replaced: LineSet;
}

/** The part of a line that formatters leave alone; "" if it has no words. */
export function normalised(line: string): string {
  return /[\p{L}\p{N}]/u.test(line) ? line.replace(/[\s;,]+/g, "").replace(/["`]/g, "'") : "";
}

export function survivalOf(lines: LineSet, comparison: Comparison): Survival {
  const { change, before } = comparison;
  const unpaired = lines.subtract(pairedLines(change));
  const kept = change.carry(lines);
  if (unpaired.isEmpty || comparison.isEarlierText)
    return { lines: kept, gone: unpaired, replaced: LineSet.empty };
  const elsewhere = new Supply(unpaired, comparison);
  const present: number[] = [];
  const gone: number[] = [];
  const replaced: number[] = [];
  for (const region of change.regions) {
    const own = unpaired.intersect(LineSet.of([[region.aStart, region.aEnd]])).indexes();
    const missing = own.filter((index) => {
      const found = elsewhere.take(normalisedLines(before, index, index + 1)[0] as string);
      if (found !== null && found >= 0) present.push(found);
      return found === null;
    });
    if (missing.length === 0) continue;
    const isSame = hasSameWords(region, comparison);
    const isOld = !isSame && isBack(region, comparison);
    const continued = isSame
      ? lineIndexes(region.bStart, region.bEnd)
      : isOld
        ? []
        : workedOn(missing, region, comparison);
    const [found, lines] = continued.length > 0 ? [present, continued] : [gone, missing];
    for (const line of lines) found.push(line);
    if (found === gone && !isOld) for (const line of missing) replaced.push(line);
  }
  return {
    lines: kept.union(LineSet.lines(present)),
    gone: LineSet.lines(gone),
    replaced: LineSet.lines(replaced),
  };
}

/** True if every line survived and no removed line reappeared. */
export function isWhole(comparison: Comparison): boolean {
  const { change } = comparison;
  if (change.regions.some((region) => newLines(region, comparison).some((line) => comparison.isOld(line))))
    return false;
  return survivalOf(LineSet.all(change.before), comparison).gone.isEmpty;
}

/** Whether lines that were removed at this place, given normalised, are there again. */
export function hasReturned([start, end]: Span, taken: readonly string[], comparison: Comparison): boolean {
  const regions = regionsNear([start, end], taken.length, comparison.change);
  if (regions.length === 0) return false;
  const wanted = taken.filter((line) => line !== "");
  // A text from before the lines were written does not bring them back.
  if (comparison.isEarlierText) {
    const { now } = comparison;
    const isWordless = (region: Region) => normalisedLines(now, region.bStart, region.bEnd).includes("");
    return (
      wanted.length === 0 ||
      (wanted.length < taken.length && regions.some(isWordless)) ||
      normalisedLines(now, 0, now.lineCount).some((line) => wanted.includes(line))
    );
  }
  const changed = regions.filter((region) => !hasSameWords(region, comparison));
  const fresh = countsOf(changed.flatMap((region) => newLines(region, comparison)));
  const found = wanted.filter((line) => take(fresh, line)).length;
  return found > 0 && found * 2 >= wanted.length;
}

/** Lines that are equal to their neighbours may come back a little higher or lower than they left. */
export function regionsNear([start, end]: Span, distance: number, change: LineChange): readonly Region[] {
  return change.touching(Math.max(0, start - distance), Math.min(change.before, end + distance));
}

/** Lines without the ones that are among others. */
export function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = countsOf(others);
  return lines.filter((line) => !take(left, line));
}

/** Whether most of a text is in another one, so that both are the same file. */
export function isAlike(one: Document, other: Document): boolean {
  if (one.version === other.version) return true;
  return pairedLines(compare(one, other)).size * 2 >= Math.max(1, one.lineCount);
}

/** The lines that a change pairs, in the numbers before. */
export function pairedLines(change: LineChange): LineSet {
  const spans = change.regions.map(({ aStart, aEnd }) => [aStart, aEnd] as const);
  return LineSet.all(change.before).subtract(LineSet.of(spans.filter(([start, end]) => start < end)));
}

function take(counts: Map<string, number>, line: string): boolean {
  const left = counts.get(line) ?? 0;
  if (left > 0) counts.set(line, left - 1);
  return left > 0;
}

const normalisedTexts = new WeakMap<Document, (string | undefined)[]>();

function normalisedLines(document: Document, start: number, end: number): string[] {
  const all = normalisedTexts.get(document) ?? [];
  normalisedTexts.set(document, all);
  const lines: string[] = [];
  for (let at = start; at < end; at++) {
    const line = all[at] ?? normalised(document.text(at));
    all[at] = line;
    lines.push(line);
  }
  return lines;
}

/** Each edit of a file asks for the same lines. */
const freshLines = new WeakMap<LineChange, ReadonlySet<number>>();

/**
 * Unpaired lines of now, by their index, that are no unpaired line of before: first in their own region, then in any,
 * because it is chance which lines pair, and where regions begin, if all were indented anew.
 */
function freshOf({ change, before, now }: Comparison): ReadonlySet<number> {
  const known = freshLines.get(change);
  if (known) return known;
  const left: number[] = [];
  const gone = new Map<string, number>();
  for (const { aStart, aEnd, bStart, bEnd } of change.regions) {
    const old = countsOf(normalisedLines(before, aStart, aEnd));
    for (const [at, line] of normalisedLines(now, bStart, bEnd).entries())
      if (line !== "" && !take(old, line)) left.push(bStart + at);
    for (const [line, count] of old) gone.set(line, (gone.get(line) ?? 0) + count);
  }
  const fresh = new Set(left.filter((at) => !take(gone, normalisedLines(now, at, at + 1)[0] as string)));
  freshLines.set(change, fresh);
  return fresh;
}

/** The new lines of a region, normalised, without lines that have no words. */
function newLines({ bStart, bEnd }: Region, comparison: Comparison): string[] {
  const fresh = freshOf(comparison);
  return normalisedLines(comparison.now, bStart, bEnd).filter((_, at) => fresh.has(bStart + at));
}

/** Unpaired lines of now that no other line of before explains: each is found once. */
class Supply {
  private readonly places = new Map<string, number[]>();

  constructor(wanted: LineSet, { change, before, now }: Comparison) {
    for (const { bStart, bEnd } of change.regions)
      for (const [at, line] of normalisedLines(now, bStart, bEnd).entries()) this.add(line, bStart + at);
    for (const { aStart, aEnd } of change.regions)
      for (const [at, line] of normalisedLines(before, aStart, aEnd).entries())
        if (!wanted.has(aStart + at)) this.places.get(line)?.shift();
  }

  private add(line: string, place: number): void {
    const places = this.places.get(line);
    if (places) places.push(place);
    else this.places.set(line, [place]);
  }

  /** Returns the line's place; -1 for a line without words, null if there is none. */
  take(line: string): number | null {
    return line === "" ? -1 : (this.places.get(line)?.shift() ?? null);
  }
}

function hasSameWords({ aStart, aEnd, bStart, bEnd }: Region, { before, now }: Comparison): boolean {
  const all = (document: Document, start: number, end: number) =>
    tokens(document.lines(start, end), 0, unformatted()).map(({ text }) => text);
  return all(before, aStart, aEnd).join(" ") === all(now, bStart, bEnd).join(" ");
}

function isBack(region: Region, comparison: Comparison): boolean {
  const fresh = newLines(region, comparison);
  return fresh.filter((line) => comparison.isOld(line)).length * 2 >= fresh.length;
}

interface Token {
  readonly text: string;
  readonly line: number;
}

// Functions, since these patterns are rarely needed and each takes a tenth of a millisecond to make.
const wordsAndSigns = () => /[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu;
const words = () => /[\p{L}\p{N}_$]+/gu;
/** Leaves out the signs that formatters insert and remove. */
const unformatted = () => /[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$,;()'"`]/gu;

function tokens(lines: readonly string[], start: number, pattern: RegExp): Token[] {
  return lines.flatMap((text, at) =>
    (text.match(pattern) ?? []).map((token) => ({ text: token, line: start + at })),
  );
}

/** The lines of now that continue these lines; none if too few words do. */
function workedOn(
  lines: readonly number[],
  region: Region,
  { before, now, isUnrelated }: Comparison,
): number[] {
  const { aStart, aEnd, bStart, bEnd } = region;
  const pattern = isUnrelated ? words() : wordsAndSigns();
  const old = tokens(before.lines(aStart, aEnd), aStart, pattern);
  const current = tokens(now.lines(bStart, bEnd), bStart, pattern);
  const asLines = (list: readonly Token[]) => Document.fromText(list.map(({ text }) => `${text}\n`).join(""));
  const change = compare(asLines(old), asLines(current));
  const wanted = new Set(lines);
  const own = old.flatMap(({ line }, at) => (wanted.has(line) ? [change.index(at)] : []));
  const found = own.filter((at) => at >= 0);
  if (found.length < own.length * (isUnrelated ? 0.9 : 0.5)) return [];
  return [...new Set(found.map((at) => (current[at] as Token).line))];
}
