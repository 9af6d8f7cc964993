import { Change } from "./change.js";
import type { Document } from "./document.js";
import { applySplices } from "./engine.js";
import { quoteHunks } from "./quote.js";

/** Text that stands in a file and what is to stand there instead. */
export interface Quote {
  readonly old: string;
  readonly new: string;
  /** Every place where it stands, as against the only one. */
  readonly all: boolean;
}

/** A text and the exact change that made it. */
export interface Replaced {
  readonly document: Document;
  readonly change: Change<string>;
}

/**
 * What plain string replacement makes of a document, quote after quote, as the editing tools of agents do it. null if a
 * quote stands nowhere, or in several places without all of them being meant.
 */
export function replaceQuotes(before: Document, quotes: readonly Quote[]): Replaced | null {
  let made: Replaced = { document: before, change: Change.of(before.lineCount, []) };
  for (const quote of quotes) {
    const hunks = quoteHunks(made.document, quote);
    const next = hunks && applySplices(made.document, hunks);
    if (!next || !("document" in next)) return null;
    made = { document: next.document, change: made.change.compose(next.change) };
  }
  return made;
}
