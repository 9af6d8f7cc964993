/** Where another program's tool will put a change, and what it makes of the text. */
import type { LineChange } from "../changes/index.js";
import {
  asTheToolTakes,
  isTerminated,
  placesOf,
  type Quote,
  quotesIn,
  type SoughtQuote,
  terminated,
  textOf,
} from "../edits/index.js";
import { applySplices } from "../merge/index.js";
import { Document, type Hunk, isSameBytes, LineSet } from "../text/index.js";
import { type HunkPlace, hunkPlaces, toolHunks } from "./hunk-places.js";
import { toolQuotes } from "./hunk-quotes.js";
import type { PatchHunk } from "./patch.js";
import { chained, chainHunks, type Doubtful } from "./quote-chain.js";

/** A change that another program's tool makes to one file. */
export type ForeignChange =
  /** Quotes are replaced, one after the other. */
  | { readonly kind: "quotes"; readonly quotes: readonly Quote[] }
  | { readonly kind: "patch"; readonly hunks: readonly PatchHunk[] }
  /** The whole file is created or replaced; null: the content is not known. */
  | { readonly kind: "whole"; readonly content: string | null }
  | { readonly kind: "delete" };

/** Lines of the text now, half-open, that a tool is about to replace, and what it quotes of them. */
export interface Hit extends SoughtQuote {
  readonly end: number;
  /** Some of its lines are gone: this is what became of the place that was seen. */
  readonly carried?: boolean;
}

/** Where a tool will put a change in a text. */
export interface Placement {
  /** Does not include quotes with `all`. */
  readonly hits: readonly Hit[];
  /** The hits are all that the tool changes. */
  readonly isPlaced: boolean;
  /** Lines that nothing is quoted of, and that another line will run into. */
  readonly joined: LineSet;
  readonly doubtful: Doubtful | null;
  /** Matches at the end of a text without a final newline, of quotes that end in one: these look like other matches. */
  readonly unended: readonly Hit[];
  /** A quote matches several times, which the tool itself says. */
  readonly isSeveral: boolean;
  /** A part of what is quoted matches nowhere, not even with other blanks. */
  readonly isGone: boolean;
  /** Matches of a tool that overlooks blanks at the ends of lines, where nothing matches exactly. */
  readonly loose: readonly Hit[];
  /** Places of the hunks of a patch. */
  readonly hunkPlaces: readonly HunkPlace[];
  /** Returns what the tool writes; null if it writes nothing. */
  hunks(): readonly Hunk<string>[] | null;
}

const nowhere: Placement = {
  hits: [],
  isPlaced: false,
  joined: LineSet.empty,
  doubtful: null,
  unended: [],
  isSeveral: false,
  isGone: false,
  loose: [],
  hunkPlaces: [],
  hunks: () => null,
};

/** Returns where a tool will put a change in this text. */
export function place(change: ForeignChange, document: Document): Placement {
  if (change.kind === "patch") return placePatch(change.hunks, document);
  return change.kind === "quotes" ? placeQuotes(change.quotes, document) : nowhere;
}

/** A text and the exact change that made it. */
export interface Written {
  readonly document: Document;
  readonly change: LineChange;
}

/** Returns what a tool makes of this text; null if it makes nothing of it. */
export function writtenBy(change: ForeignChange, document: Document): Written | null {
  return writtenAt(place(change, document), document);
}

export function writtenAt(placement: Placement, document: Document): Written | null {
  const hunks = placement.hunks();
  const written = hunks && applySplices(document, hunks);
  return written && "document" in written ? written : null;
}

function placePatch(hunks: readonly PatchHunk[], document: Document): Placement {
  const places = hunkPlaces(hunks, document.lines());
  const isQuoting = ({ hunk }: HunkPlace): boolean => hunk.quoted.length > 0;
  const exact = places.filter((one) => isQuoting(one) && one.found && !one.isLoose);
  // A header that tells which place is meant is quoted like the lines below it.
  const headers = exact.flatMap(({ below, matches, hunk }) =>
    below === null || matches.length < 2
      ? []
      : [{ quoted: hunk.headers.at(-1) as string, whole: true, start: below - 1, end: below }],
  );
  const loose = places.flatMap(({ found, isLoose, hunk }) =>
    found && isLoose ? [{ quoted: hunk.quoted.join("\n"), whole: true, ...found }] : [],
  );
  const found = exact.flatMap((one) => one.found ?? []);
  return {
    ...{ ...nowhere, isPlaced: exact.length === hunks.length },
    isGone: places.some((one) => isQuoting(one) && !one.found),
    hits: [...found, ...headers].map(({ start, end }) => hunkHit(start, end, document)),
    loose: [...loose, ...headers.filter(({ quoted, start }) => document.text(start) !== quoted)],
    hunkPlaces: places,
    hunks: () => toolHunks(places),
  };
}

function placeQuotes(quotes: readonly Quote[], document: Document): Placement {
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
  const isPlaced = quotes.every(({ all }) => !all);
  return { ...nowhere, hits, isPlaced, joined, unended, hunks: () => chainHunks(document, found) };
}

function endHit({ old, all }: Quote, document: Document): Hit[] {
  if (all || !old.endsWith("\n")) return [];
  const end = document.lineCount;
  const place = quotesIn(terminated(document), old).find(([, last]) => last === end - 1);
  return place ? [{ quoted: old, start: place[0], end }] : [];
}

/** Matches that ignore leading and trailing blanks. Used only when there is no exact match. */
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

/** Returns a change as quotes of our own. `shown`: the text that the agent takes the file to have. */
export function quotesOf(
  change: ForeignChange,
  document: Document,
  { hunkPlaces }: Placement,
  shown: Document,
): readonly Quote[] {
  if (change.kind === "patch") return toolQuotes(hunkPlaces, document);
  if (change.kind !== "quotes") return [];
  const quotes = change.quotes.map((quote) => asTheToolTakes(textOf(shown), quote));
  return independent(quotes.map(plainQuote), document, shown);
}

function plainQuote({ old, new: fresh, all }: Quote): Quote {
  return { old, new: fresh, all };
}

/** Joins a quote of text that an earlier quote of the same call writes, or that reaches over its edge, with that quote. */
function independent(quotes: readonly Quote[], document: Document, shown: Document): readonly Quote[] {
  if (quotes.length < 2 || quotes.some(({ all }) => all)) return folded(quotes, document);
  const stretches = [shown, document].map((text) => chained(text, quotes)).find(Array.isArray);
  if (!stretches) return folded(quotes, document);
  return stretches.length === quotes.length
    ? quotes
    : stretches.map((one) => ({ old: one.old, new: one.new, all: false }));
}

/** The same if no text is known in which all of them match. */
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

/** True if both have the same lines, whatever their line breaks. */
export function isSameText(one: Document, two: Document): boolean {
  if (one.encoding === two.encoding && isSameBytes(one.bytes, two.bytes)) return true;
  return one.lineCount === two.lineCount && one.lines().every((line, index) => line === two.text(index));
}
