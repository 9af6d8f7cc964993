/** What the changes of other programs' tools come to. */
import type { Verdict } from "../calls/index.js";
import { hunksOf } from "../changes/index.js";
import { asTheToolTakes, placesOf, type Quote, quotesIn, textOf } from "../edits/index.js";
import { applySplices } from "../merge/index.js";
import { Document, LineSet } from "../text/index.js";
import { hunkQuotes, placeHunks, uniqueQuotes } from "./hunk-quotes.js";
import { PatchError, type PatchHunk } from "./patch.js";
import { chained, type Doubtful, type Replaced, replaceQuotes } from "./sequential-quotes.js";
import { firstPlaces, hunkSplices } from "./tool-placement.js";

/** What a tool does to one file. */
export type ForeignChange =
  /** Text is quoted and replaced, quote after quote. */
  | { readonly kind: "quotes"; readonly quotes: readonly Quote[] }
  | { readonly kind: "patch"; readonly hunks: readonly PatchHunk[] }
  /** All of it is written: created, or replaced; null: with what is not told. */
  | { readonly kind: "whole"; readonly content: string | null }
  | { readonly kind: "delete" };

/** What the tool makes of it; null if it finds no place, or several and does not take the first. */
export function madeBy(change: ForeignChange, document: Document): Replaced | null {
  if (change.kind === "quotes") return replaceQuotes(document, change.quotes);
  return change.kind === "patch" ? patched(document, change.hunks) : null;
}

/** Line by line: as text, the same lines beside it would not tell where it was done. */
function patched(document: Document, hunks: readonly PatchHunk[]): Replaced | null {
  const splices = orNull(() => hunkSplices(hunks, document.lines()));
  const made =
    splices &&
    applySplices(
      document,
      splices.map(({ at, remove, insert }) => ({ start: at, end: at + remove, lines: insert })),
    );
  return made && "document" in made ? made : null;
}

/** Lines of the text now, half-open, that a tool is about to replace, and what it quotes of them. */
export interface Hit {
  readonly quoted: string;
  readonly start: number;
  readonly end: number;
  /** It is quoted as whole lines. */
  readonly whole?: boolean;
  /** The line at `end` is part of the place: it runs into this one. */
  readonly joins?: boolean;
  /** Not all of it stands there any more: it is what became of the place that was seen. */
  readonly carried?: boolean;
}

/** Where a tool puts a change. */
export interface Reach {
  /** But for quotes of which all places are meant. */
  readonly hits: readonly Hit[];
  /** Those are all of it. */
  readonly isPlaced: boolean;
  /** Lines that nothing is quoted of, and that another line will run into. */
  readonly joined: LineSet;
  readonly doubtful: Doubtful | null;
  /** Where a quote with a newline would stand at the end of a text that has none there: it looks like any other place. */
  readonly unended: readonly Hit[];
  /** A quote stands in several places: the tool says so itself. */
  readonly isSeveral: boolean;
  /** A part of what is quoted stands nowhere, not even with other blanks. */
  readonly isGone: boolean;
  /** Of what stands nowhere: where a tool that overlooks blanks at the ends of lines finds it. */
  readonly loose: readonly Hit[];
}

const nowhere: Reach = {
  hits: [],
  isPlaced: false,
  joined: LineSet.empty,
  doubtful: null,
  unended: [],
  isSeveral: false,
  isGone: false,
  loose: [],
};

export function reachOf(change: ForeignChange, document: Document): Reach {
  if (change.kind === "patch") return patchReach(change.hunks, document);
  return change.kind === "quotes" ? quoteReach(change.quotes, document) : nowhere;
}

function patchReach(hunks: readonly PatchHunk[], document: Document): Reach {
  const places = firstPlaces(hunks, document.lines());
  const exact = places.filter(({ loose }) => !loose);
  const found = new Set(places.map(({ hunk }) => hunk));
  // A header that tells which place is meant is quoted like the lines below it.
  const headers = exact.flatMap(({ header: at, hunk: { headers } }) =>
    at === null ? [] : [{ quoted: headers.at(-1) as string, whole: true, start: at, end: at + 1 }],
  );
  const loose = places.flatMap(({ loose, hunk: { quoted }, start, end }) =>
    loose ? [{ quoted: quoted.join("\n"), whole: true, start, end }] : [],
  );
  return {
    ...{ ...nowhere, isPlaced: exact.length === hunks.length },
    isGone: hunks.some((hunk) => hunk.quoted.length > 0 && !found.has(hunk)),
    hits: [...exact, ...headers].map(({ start, end }) => hunkHit(start, end, document)),
    loose: [...loose, ...headers.filter(({ quoted, start }) => document.text(start) !== quoted)],
  };
}

function quoteReach(quotes: readonly Quote[], document: Document): Reach {
  const found = chained(document, quotes);
  if (!found) {
    const loose = quotes.map(({ old }) => looseHits(old, document));
    const counts = quotes.map(({ old }) => quotesIn(document, old).length);
    const isSeveral = counts.some((count) => count > 1);
    const isGone = counts.some((count, at) => count === 0 && loose[at]?.length === 0);
    return { ...nowhere, isSeveral, isGone, loose: loose.flatMap((ones) => (ones.length === 1 ? ones : [])) };
  }
  if (!Array.isArray(found)) return { ...nowhere, doubtful: found };
  const hits = found
    .filter(({ all }) => !all)
    .map(({ old, start, end, joins }) => ({ quoted: old, start, end, joins }));
  const joined = LineSet.lines(found.flatMap(({ joins, end }) => (joins ? [end] : [])));
  const unended = isTerminated(document) ? [] : quotes.flatMap((quote) => endHit(quote, document));
  return { ...nowhere, hits, isPlaced: quotes.every(({ all }) => !all), joined, unended };
}

function endHit({ old, all }: Quote, document: Document): Hit[] {
  if (all || !old.endsWith("\n")) return [];
  const end = document.lineCount;
  const place = quotesIn(terminated(document), old).find(([, last]) => last === end - 1);
  return place ? [{ quoted: old, start: place[0], end }] : [];
}

/** Where lines stand that read so but for blanks at their ends, if nothing reads so. */
function looseHits(quoted: string, document: Document): Hit[] {
  const bare = quoted.trimEnd().split("\n").map(trim).join("\n");
  if (bare === "" || quotesIn(document, quoted).length > 0) return [];
  const trimmed = Document.fromText(document.lines().map(trim).join("\n"));
  return placesOf(trimmed, bare, true).map(({ first, last }) => ({
    quoted: bare,
    start: first,
    end: last + 1,
  }));
}

const trim = (line: string): string => line.trim();

export function hunkHit(start: number, end: number, document: Document): Hit {
  return { quoted: document.lines(start, end).join("\n"), whole: true, start, end };
}

/** `shown`: the text that the agent takes the file to have. */
export function quotesOf(change: ForeignChange, document: Document, shown: Document): readonly Quote[] {
  if (change.kind === "quotes") {
    const quotes = change.quotes.map((quote) => asTheToolTakes(textOf(shown), quote));
    return independent(plainQuotes(quotes), document, shown);
  }
  if (change.kind !== "patch") return [];
  // In several places: which one is meant cannot be told of a text that has changed.
  const text = { lines: document.lines(), terminated: isTerminated(document), appends: true };
  return plainQuotes(orNull(() => placeHunks(change.hunks, text)) ?? hunkQuotes(change.hunks));
}

/** null if a patch does not fit the text. */
function orNull<T>(place: () => T): T | null {
  try {
    return place();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    return null;
  }
}

function plainQuotes(quotes: readonly (Omit<Quote, "all"> & Partial<Quote>)[]): Quote[] {
  return quotes.map((quote) => ({ old: quote.old, new: quote.new, all: quote.all ?? false }));
}

/** A quote of what an earlier one of the same call writes, or that reaches over its edge, is a part of that one. */
function independent(quotes: readonly Quote[], document: Document, shown: Document): readonly Quote[] {
  if (quotes.length < 2 || quotes.some(({ all }) => all)) return folded(quotes, document);
  const stretches = [shown, document].map((text) => chained(text, quotes)).find(Array.isArray);
  if (!stretches) return folded(quotes, document);
  return stretches.length === quotes.length
    ? quotes
    : stretches.map((one) => ({ old: one.old, new: one.new, all: false }));
}

/** The same, for what can be told without a text in which all of them stand. */
function folded(quotes: readonly Quote[], document: Document): readonly Quote[] {
  const text = textOf(document);
  const result: Quote[] = [];
  for (const quote of quotes) {
    const at = text.includes(quote.old) ? -1 : result.findLastIndex((one) => one.new.includes(quote.old));
    const earlier = result[at];
    if (earlier) result[at] = { ...earlier, new: earlier.new.split(quote.old).join(quote.new) };
    else result.push(quote);
  }
  return result;
}

function isTerminated(document: Document): boolean {
  return document.lineCount > 0 && document.terminator(document.lineCount - 1) !== "";
}

/** The same lines, with a newline behind the last. */
export function terminated(document: Document): Document {
  return isTerminated(document) ? document : Document.fromText(`${textOf(document)}\n`);
}

export function isSameText(one: Document, two: Document): boolean {
  return one.lineCount === two.lineCount && one.lines().every((line, index) => line === two.text(index));
}

export function carriedQuotes(
  verdict: Extract<Verdict, { kind: "applied" }>,
  document: Document,
  single: boolean,
): readonly Quote[] {
  const { applied } = verdict;
  const replacements = hunksOf(applied.change.regions, applied.document).map(({ start, end, lines }) => ({
    at: start,
    remove: end - start,
    insert: lines,
  }));
  const text = { lines: document.lines(), terminated: isTerminated(document) };
  return plainQuotes(uniqueQuotes(replacements, text, single));
}
