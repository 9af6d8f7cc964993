/** Quotes of other programs' tools that differ from the file only in blanks at line starts and ends. */
import { type Meant, meantBy, type Quote, textOf } from "../edits/index.js";
import type { OpenFile } from "../ledger/index.js";
import type { ForeignChange, Hit } from "../placement/index.js";
import { chained } from "../placement/index.js";
import { type Document, LineSet } from "../text/index.js";
import { elsewhere, isKnownThroughout, looksOf } from "./seen-places.js";

export type QuotedRows = readonly { readonly line: number; readonly text: string }[];

export interface Healed {
  readonly quotes: readonly Quote[];
  /** The quoted lines as the file has them. */
  readonly rows: QuotedRows;
  /** Every line has the same blanks more or less, or the same exchange of tabs and spaces. */
  readonly even: boolean;
}

/**
 * Returns the lines that the quotes read like, if the agent knows them, and the quotes with the file's blanks where those
 * can be told; null if these may not be the lines meant.
 */
export async function healing(
  change: ForeignChange,
  opened: OpenFile,
  document: Document,
): Promise<Healed | { readonly quotes: null; readonly rows: QuotedRows } | null> {
  const found = document.isBinary ? null : alike(change, document);
  if (!found || !isKnownThroughout(found.places.map(hitOf), opened.agent)) return null;
  const { quotes, places } = found;
  // A quote that was seen exactly in a place where it is gone does not mean this place.
  if (elsewhere(places.map(hitOf), await looksOf(opened, ""), opened, "")) return null;
  const lines = LineSet.of(places.map(({ start, end }) => [start, end] as const)).indexes();
  const rows = lines.map((line) => ({ line: line + 1, text: document.text(line) }));
  return quotes ? { quotes, rows, even: places.every(({ healed }) => healed?.even) } : { quotes, rows };
}

/** The lines that one of the agent's quotes reads like. */
type Place = Meant & { readonly given: Quote };

function hitOf({ start, end, given }: Place): Hit {
  return { quoted: given.old, start, end, carried: true };
}

/** Returns null if the quotes match, or differ in more than blanks, or have several places. */
function alike(
  change: ForeignChange,
  document: Document,
): { readonly quotes: readonly Quote[] | null; readonly places: readonly Place[] } | null {
  if (change.kind !== "quotes" || chained(document, change.quotes)) return null;
  const isStanding = ({ old }: Quote): boolean => textOf(document).includes(old);
  const given = change.quotes.filter((quote) => !isStanding(quote));
  const places = given.flatMap((quote): Place[] => {
    const meant = meantBy(quote, document);
    return meant ? [{ ...meant, given: quote }] : [];
  });
  if (given.length === 0 || places.length < given.length) return null;
  if (places.some(({ healed }) => !healed)) return { quotes: null, places };
  const quotes = change.quotes.map((quote) => ({ ...quote, ...places[given.indexOf(quote)]?.healed?.quote }));
  return Array.isArray(chained(document, quotes)) ? { quotes, places } : null;
}
