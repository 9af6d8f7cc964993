/**
 * Whether the work of an edit still stands in a later text. Lines that are paired stand. Of lines that are not:
 *
 * 1. A text that was there before the edit, byte for byte, does not hold it.
 * 2. A line that stands at another place, or differs in blanks, quotes, commas and semicolons only, stands, and so does
 *    all where the words are the same in the same order: a formatter was there. Lines without a word tell nothing.
 * 3. Where half of the lines that are new there are such as journaled edits had taken out, or nothing is new, the place
 *    went back to what it was: gone.
 * 4. Where half of the words and signs stand there in the same order, somebody worked on: it stands. Else it was
 *    overwritten: gone. Where it was gone already, nobody can have worked on it: then nearly all words must be there.
 *
 * Lines that were taken out are back where half of them are new at the place they had. That counts where an edit wrote
 * nothing in their place, or nothing but what stands there in another layout.
 */
import { compare, type LineChange, type Region } from "../changes/index.js";
import { countsOf } from "../ledger/index.js";
import { Document, LineSet, lineIndexes } from "../text/index.js";

/** A text with the later one that it is looked for in. */
export interface Comparison {
  readonly before: Document;
  readonly now: Document;
  readonly change: LineChange;
  /** The later text is one that was there before the edit. */
  readonly isEarlierText: boolean;
  /** The later text did not come from this one. */
  readonly isUnrelated: boolean;
  /** Whether a line, in its bare form, was taken out by a journaled edit. */
  isOld(bare: string): boolean;
}

/** From a line to before another one. */
export type Span = readonly [number, number];

/** What is left of some lines: those that stand, in the numbers of now; those that are gone, in the numbers before. */
export interface Survival {
  readonly lines: LineSet;
  readonly gone: LineSet;
  /** Those of them in whose place other text stands, which was not there before. */
  readonly replaced: LineSet;
}

/** A line as far as formatters leave it alone; "" where it tells nothing. */
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
  const stand: number[] = [];
  const gone: number[] = [];
  const replaced: number[] = [];
  for (const region of change.regions) {
    const own = unpaired.intersect(LineSet.of([[region.aStart, region.aEnd]])).indexes();
    const missing = own.filter((index) => {
      const found = elsewhere.take(normalisedLines(before, index, index + 1)[0] as string);
      if (found !== null && found >= 0) stand.push(found);
      return found === null;
    });
    if (missing.length === 0) continue;
    const isSame = sameWords(region, comparison);
    const isOld = !isSame && wentBack(region, comparison);
    const continued = isSame
      ? lineIndexes(region.bStart, region.bEnd)
      : isOld
        ? []
        : workedOn(missing, region, comparison);
    const [found, lines] = continued.length > 0 ? [stand, continued] : [gone, missing];
    for (const line of lines) found.push(line);
    if (found === gone && !isOld) for (const line of missing) replaced.push(line);
  }
  return {
    lines: kept.union(LineSet.lines(stand)),
    gone: LineSet.lines(gone),
    replaced: LineSet.lines(replaced),
  };
}

/** Whether all of the text stands, and nothing of old is back. */
export function isWhole(comparison: Comparison): boolean {
  const { change } = comparison;
  if (change.regions.some((region) => newLines(region, comparison).some((line) => comparison.isOld(line))))
    return false;
  return survivalOf(LineSet.all(change.before), comparison).gone.isEmpty;
}

/** Whether the lines that were taken out at this place, bare, stand there again. */
export function hasReturned([start, end]: Span, taken: readonly string[], comparison: Comparison): boolean {
  const regions = regionsNear([start, end], taken.length, comparison.change);
  if (regions.length === 0) return false;
  const wanted = taken.filter((line) => line !== "");
  // A text from before the lines were even written does not bring them back.
  if (comparison.isEarlierText)
    return (
      wanted.length === 0 ||
      normalisedLines(comparison.now, 0, comparison.now.lineCount).some((line) => wanted.includes(line))
    );
  const changed = regions.filter((region) => !sameWords(region, comparison));
  const fresh = countsOf(changed.flatMap((region) => newLines(region, comparison)));
  const found = wanted.filter((line) => take(fresh, line)).length;
  return found > 0 && found * 2 >= wanted.length;
}

/** Lines that are equal to their neighbours may come back a little higher or lower than they left. */
export function regionsNear([start, end]: Span, distance: number, change: LineChange): readonly Region[] {
  return change.touching(Math.max(0, start - distance), Math.min(change.before, end + distance));
}

/** Bare lines without those that are among others. */
export function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = countsOf(others);
  return lines.filter((line) => !take(left, line));
}

/** Whether most of a text is in another one: it is the same file. */
export function resembles(one: Document, other: Document): boolean {
  if (one.version === other.version) return true;
  return pairedLines(compare(one, other)).size * 2 >= Math.max(1, one.lineCount);
}

/** Lines that a change pairs, in the numbers before. */
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

/** Every edit of a file asks for the same. */
const freshLines = new WeakMap<LineChange, ReadonlySet<number>>();

/**
 * Unpaired lines of now, by their index, that are no unpaired line of before: first in their own region, then in any,
 * because where all lines were indented anew it is chance which of them pair, and where regions begin.
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

/** Lines of a region that are new there, bare; those that tell nothing are left out. */
function newLines({ bStart, bEnd }: Region, comparison: Comparison): string[] {
  const fresh = freshOf(comparison);
  return normalisedLines(comparison.now, bStart, bEnd).filter((_, at) => fresh.has(bStart + at));
}

/** Unpaired lines of now that are nobody else's: each serves for one line that is looked for. */
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

  /** The line's place; -1 if it needs none, null if there is none. */
  take(line: string): number | null {
    return line === "" ? -1 : (this.places.get(line)?.shift() ?? null);
  }
}

function sameWords({ aStart, aEnd, bStart, bEnd }: Region, { before, now }: Comparison): boolean {
  const all = (document: Document, start: number, end: number) =>
    tokens(document.lines(start, end), 0, unformatted()).map(({ text }) => text);
  return all(before, aStart, aEnd).join(" ") === all(now, bStart, bEnd).join(" ");
}

function wentBack(region: Region, comparison: Comparison): boolean {
  const fresh = newLines(region, comparison);
  return fresh.filter((line) => comparison.isOld(line)).length * 2 >= fresh.length;
}

interface Token {
  readonly text: string;
  readonly line: number;
}

// Functions, for what rarely is needed: such a pattern takes a tenth of a millisecond to make.
const wordsAndSigns = () => /[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu;
const words = () => /[\p{L}\p{N}_$]+/gu;
/** Without the signs that formatters put in and leave out. */
const unformatted = () => /[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$,;()'"`]/gu;

function tokens(lines: readonly string[], start: number, pattern: RegExp): Token[] {
  return lines.flatMap((text, at) =>
    (text.match(pattern) ?? []).map((token) => ({ text: token, line: start + at })),
  );
}

/** The lines of now that go on with these; none if too little of them does. */
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
