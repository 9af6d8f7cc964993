/** Quotes of other programs' tools that differ from the file only in blanks at line starts and ends. */
import { type Meant, meantBy, type Quote, textOf } from "../edits/index.js";
import type { OpenFile } from "../ledger/index.js";
import type { ForeignChange, Hit } from "../placement/index.js";
import { chained } from "../placement/index.js";
import { type Document, LineSet } from "../text/index.js";
import { elsewhere, isKnownThroughout, looksOf } from "./seen-places.js";

export interface Healed {
  readonly quotes: readonly Quote[];
  /** The quoted lines as the file has them. */
  readonly rows: readonly { readonly line: number; readonly text: string }[];
  /** Every line has the same blanks more or less, or the same exchange of tabs and spaces. */
  readonly even: boolean;
}

/** Returns the quotes with the file's blanks, if the agent knows their lines; null if these may not be the lines meant. */
export async function healing(
  change: ForeignChange,
  opened: OpenFile,
  document: Document,
): Promise<Healed | null> {
  const found = document.isBinary ? null : mended(change, document);
  if (!found || !isKnownThroughout(found.places.map(hitOf), opened.agent)) return null;
  const { quotes, places, given } = found;
  // A quote that was seen exactly in a place where it is gone does not mean this place.
  const seen = places.map((place, at) => ({ ...hitOf(place), quoted: given[at]?.old ?? "" }));
  if (elsewhere(seen, await looksOf(opened, ""), opened, "")) return null;
  const lines = LineSet.of(places.map(({ start, end }) => [start, end] as const)).indexes();
  const rows = lines.map((line) => ({ line: line + 1, text: document.text(line) }));
  return { quotes, rows, even: places.every(({ even }) => even) };
}

function hitOf({ start, end, quote }: Meant): Hit {
  return { quoted: quote.old, start, end, carried: true };
}

/** Quotes with the file's blanks, and the places that those without a match mean. */
interface Mended {
  readonly quotes: readonly Quote[];
  readonly places: readonly Meant[];
  /** The agent's quotes of these places, in the same order. */
  readonly given: readonly Quote[];
}

/** Returns null if the quotes match, or differ in more than blanks, or have several places. */
function mended(change: ForeignChange, document: Document): Mended | null {
  if (change.kind !== "quotes" || chained(document, change.quotes)) return null;
  const isStanding = ({ old }: Quote): boolean => textOf(document).includes(old);
  const given = change.quotes.filter((quote) => !isStanding(quote));
  const places = given.flatMap((quote) => meantBy(quote, document) ?? []);
  if (given.length === 0 || places.length < given.length) return null;
  const quotes = change.quotes.map((quote) => ({ ...quote, ...places[given.indexOf(quote)]?.quote }));
  return Array.isArray(chained(document, quotes)) ? { quotes, places, given } : null;
}
