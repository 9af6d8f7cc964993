/** The one place that a quote without a match may mean: it differs in blanks at line starts and ends only. */
import { hasOnlyOtherBlanks, heal, indentUnit, withoutOuterBlanks } from "../changes/index.js";
import type { Document } from "../text/index.js";
import { type Quote, search, textOf } from "./text-search.js";

/** Lines of a document, half-open, that a quote reads like. */
export interface Meant {
  readonly start: number;
  readonly end: number;
  /** null: what takes their place cannot be told. */
  readonly healed: HealedQuote | null;
}

/** The edit with the blanks of the file: lines in the place of those meant, and the same as a quote. */
interface HealedQuote {
  readonly lines: readonly string[];
  readonly quote: Pick<Quote, "old" | "new">;
  /** Every line has the same blanks more or less, or the same exchange of tabs and spaces. */
  readonly even: boolean;
}

/** As much as a refusal shows. */
const most = { lines: 40, characters: 8000 };

/**
 * null if the quote stands there, or if no place or more than one reads like it. Whole lines only: of a part of a line
 * nobody can say what its blanks were.
 */
export function meantBy(quote: Quote, document: Document): Meant | null {
  if (quote.all || search(textOf(document), quote.old, null).length > 0) return null;
  const quoted = linesOf(quote.old);
  const [start, other] = likePlaces(quoted, document);
  if (start === undefined || other !== undefined) return null;
  const end = start + quoted.length;
  const standing = document.lines(start, end);
  if (!hasOnlyOtherBlanks(quoted, standing) || !isShortEnough(standing)) return null;
  const isEnded = quote.old.endsWith("\n");
  const isCut = isEnded && document.terminator(end - 1) === "";
  return { start, end, healed: isCut ? null : healedQuote(quote, { quoted, standing }, document) };
}

function healedQuote(
  quote: Quote,
  { quoted, standing }: { readonly quoted: readonly string[]; readonly standing: readonly string[] },
  document: Document,
): HealedQuote | null {
  const isEnded = quote.old.endsWith("\n");
  const fresh = isEnded && quote.new === "" ? [] : linesOf(quote.new);
  // Without its newline the replacement would run into the next line.
  if (isEnded && quote.new !== "" && !quote.new.endsWith("\n")) return null;
  const healed = heal({ quoted, standing, fresh, unit: indentUnit(document.lines()) });
  if (!healed || !isShortEnough([...standing, ...healed.lines])) return null;
  const text = (lines: readonly string[]): string =>
    lines.join("\n") + (isEnded && lines.length > 0 ? "\n" : "");
  return { ...healed, quote: { old: text(standing), new: text(healed.lines) } };
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (text.endsWith("\n")) lines.pop();
  return lines;
}

function isShortEnough(lines: readonly string[]): boolean {
  const characters = lines.reduce((sum, line) => sum + line.length, 0);
  return lines.length <= most.lines && characters <= most.characters;
}

/** Where lines begin that read like these but for blanks at their starts and ends. */
function likePlaces(quoted: readonly string[], document: Document): number[] {
  const wanted = quoted.map(withoutOuterBlanks);
  if (wanted.every((line) => line === "")) return [];
  const { lines, places } = bareLines(document);
  // Looked up by a line with text: blank ones stand everywhere.
  const key = wanted.findIndex((line) => line !== "");
  const starts = (places.get(wanted[key] as string) ?? []).map((at) => at - key);
  return starts.filter((at) => wanted.every((line, offset) => line === lines[at + offset]));
}

interface BareLines {
  readonly lines: readonly string[];
  readonly places: ReadonlyMap<string, readonly number[]>;
}

/** Kept for as long as the text: a call may hold thousands of quotes. */
const knownBare = new WeakMap<Document, BareLines>();

function bareLines(document: Document): BareLines {
  const known = knownBare.get(document);
  if (known) return known;
  const lines = document.lines().map(withoutOuterBlanks);
  const places = new Map<string, number[]>();
  for (const [at, line] of lines.entries()) {
    const before = places.get(line);
    if (before) before.push(at);
    else places.set(line, [at]);
  }
  const made = { lines, places };
  knownBare.set(document, made);
  return made;
}
