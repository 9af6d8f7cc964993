/** What the changes of other programs' tools come to. */
import {
  applySplices,
  chained,
  Document,
  firstPlaces,
  hunkQuotes,
  hunkSplices,
  LineSet,
  type Overlap,
  PatchError,
  type PatchHunk,
  placeHunks,
  placesOf,
  type Quote,
  type Replaced,
  replaceQuotes,
  uniqueQuotes,
} from "../core/index.js";
import type { Verdict } from "./judge.js";

/** What a tool does to one file. */
export type ForeignChange =
  /** Text is quoted and replaced, quote after quote; `takesNewline`: by nothing, with the newline behind it. */
  | { readonly kind: "quotes"; readonly quotes: readonly Quote[]; readonly takesNewline?: boolean }
  | { readonly kind: "patch"; readonly hunks: readonly PatchHunk[] }
  /** All of it is written: created, or replaced; null: with what is not told. */
  | { readonly kind: "whole"; readonly content: string | null }
  | { readonly kind: "delete" };

/** What the tool makes of it; null if it finds no place, or several and does not take the first. */
export function madeBy(change: ForeignChange, document: Document): Replaced | null {
  if (change.kind === "quotes") return replaceQuotes(document, takenFrom(document, change));
  return change.kind === "patch" ? patched(document, change.hunks) : null;
}

/** Line by line: as text, the same lines beside it would not tell where it was done. */
function patched(document: Document, hunks: readonly PatchHunk[]): Replaced | null {
  const text = {
    lines: document.lines(),
    terminated: isTerminated(document),
    appends: true,
    takesFirst: true,
  };
  const splices = orNull(() => hunkSplices(hunks, text));
  const made =
    splices &&
    applySplices(
      document,
      splices.map(({ at, remove, insert }) => ({ start: at, end: at + remove, lines: insert })),
    );
  return made && "document" in made ? made : null;
}

/** The quotes as the tool takes them. */
function takenFrom(document: Document, change: Extract<ForeignChange, { kind: "quotes" }>): readonly Quote[] {
  const { quotes, takesNewline } = change;
  if (!takesNewline || quotes.every((quote) => quote.new !== "")) return quotes;
  const text = document.lines().join("\n") + (isTerminated(document) ? "\n" : "");
  return quotes.map((quote) => {
    const line = `${quote.old}\n`;
    const isTaken = quote.new === "" && !quote.old.endsWith("\n") && text.includes(line);
    return isTaken ? { ...quote, old: line } : quote;
  });
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
  /** null: nowhere, or wherever the text stands. */
  readonly hits: readonly Hit[] | null;
  /** Those are all of it. */
  readonly isPlaced: boolean;
  /** Lines that nothing is quoted of, and that another line will run into. */
  readonly joined: LineSet;
  readonly overlap: Overlap | null;
  /** A quote stands in several places: the tool says so itself. */
  readonly isSeveral: boolean;
  /** Of what stands nowhere: where a tool that overlooks blanks at the ends of lines finds it. */
  readonly loose: readonly Hit[];
}

export function reachOf(change: ForeignChange, document: Document): Reach {
  const reach: Reach = {
    hits: null,
    isPlaced: false,
    joined: LineSet.empty,
    overlap: null,
    isSeveral: false,
    loose: [],
  };
  if (change.kind === "patch") {
    const hits = hunkHits(change.hunks, document);
    const loose = change.hunks.flatMap(({ quoted }) => looseHits(quoted, document, true).slice(0, 1));
    return { ...reach, hits, isPlaced: hits.length === change.hunks.length, loose };
  }
  if (change.kind !== "quotes") return reach;
  const found = chained(document, takenFrom(document, change));
  if (!found) {
    const places = change.quotes.map(({ old }) => looseHits(old.split("\n"), document, false));
    const isSeveral = change.quotes.some(({ old }) => placesOf(document, old).length > 1);
    return { ...reach, isSeveral, loose: places.flatMap((ones) => (ones.length === 1 ? ones : [])) };
  }
  if (!Array.isArray(found)) return { ...reach, overlap: found };
  const hits = found.map(({ old, ...place }) => ({ quoted: old, ...place }));
  const joined = LineSet.lines(found.flatMap(({ joins, end }) => (joins ? [end] : [])));
  const isAll = change.quotes.some(({ all }) => all);
  return { ...reach, hits: isAll ? null : hits, isPlaced: !isAll, joined };
}

/** Where lines stand that read so but for blanks at their ends, if nothing reads so; `whole`: no line does. */
function looseHits(quoted: readonly string[], document: Document, whole: boolean): Hit[] {
  const bare = quoted.join("\n").trimEnd().split("\n").map(trim).join("\n");
  if (bare === "" || placesOf(document, quoted.join("\n"), whole).length > 0) return [];
  const trimmed = Document.fromText(document.lines().map(trim).join("\n"));
  return placesOf(trimmed, bare, true).map(({ first, last }) => ({
    ...{ quoted: bare, start: first, end: last + 1 },
  }));
}

const trim = (line: string): string => line.trim();

function hunkHits(hunks: readonly PatchHunk[], document: Document): Hit[] {
  return firstPlaces(hunks, document.lines()).map(({ start, end }) => ({
    ...{ quoted: document.lines(start, end).join("\n"), whole: true, start, end },
  }));
}

/** `shown`: the text that the agent takes the file to have. */
export function quotesOf(
  change: ForeignChange,
  document: Document,
  shown: Document = document,
): readonly Quote[] {
  if (change.kind === "quotes") return independent(takenFrom(shown, change), document, shown);
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

function plainQuotes(quotes: readonly Omit<Quote, "all">[]): Quote[] {
  return quotes.map((quote) => ({ ...quote, all: false }));
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
  const text = document.lines().join("\n");
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
  return isTerminated(document) ? document : Document.fromText(`${document.lines().join("\n")}\n`);
}

export function sameLines(one: Document, two: Document): boolean {
  return one.lineCount === two.lineCount && one.lines().every((line, index) => line === two.text(index));
}

export function carriedQuotes(
  verdict: Extract<Verdict, { kind: "applied" }>,
  document: Document,
  single: boolean,
): readonly Quote[] {
  const replacements = verdict.applied.change.hunks.map(({ start, end, lines }) => ({
    at: start,
    remove: end - start,
    insert: lines,
  }));
  const text = { lines: document.lines(), terminated: isTerminated(document) };
  return plainQuotes(uniqueQuotes(replacements, text, single));
}
