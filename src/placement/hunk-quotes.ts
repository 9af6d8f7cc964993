/** Hunks as quotes that match once, as `replace_text` and most editing tools take them. */
import { isTerminated, type Quote, textOf } from "../edits/index.js";
import type { Document, Hunk } from "../text/index.js";
import { type HunkPlace, hunkPlaces, inOrder, moved, replaced } from "./hunk-places.js";
import { PatchError, type PatchHunk } from "./patch.js";

/** Lines of the file that are quoted, half-open, and the hunks within them. */
interface Quoted {
  readonly start: number;
  readonly end: number;
  readonly hunks: readonly Hunk<string>[];
}

/**
 * Returns the hunks of a patch as quotes of whole lines that match once. A hunk that matches nowhere is handed on as it is,
 * so that the session can say what became of it; throws PatchError for a hunk that fits several places.
 */
export function patchQuotes(hunks: readonly PatchHunk[], document: Document): Quote[] {
  const places = hunkPlaces(hunks, document.lines());
  return quotesAt(
    places,
    places.map((place) => meantStart(place, document.lineCount)),
    document,
  );
}

/** Returns the line at which a hunk is meant to begin; null if nothing matches it. */
function meantStart({ hunk, found, isLoose, others, below, matches }: HunkPlace, end: number): number | null {
  if (hunk.quoted.length === 0) {
    if (hunk.atEnd || end === 0) return end;
    if (below !== null) return below;
    throw new PatchError("a hunk that only adds lines needs a line of context, or @@ with the line above it");
  }
  const starts = found && !isLoose ? [found.start, ...others] : matches;
  if (starts.length > 1)
    throw new PatchError(
      `the lines beginning with ${JSON.stringify(hunk.quoted[0])} match in ${starts.length} places (lines ${starts
        .slice(0, 5)
        .map((at) => at + 1)
        .join(", ")}): give more context, or @@ with a line above them`,
    );
  return starts[0] ?? null;
}

/** Returns hunks as quotes of the places where their tool puts them; as they are if they do not fit the file. */
export function toolQuotes(places: readonly HunkPlace[], document: Document): Quote[] {
  const starts = places.map(({ found, isLoose }) => (found && !isLoose ? found.start : null));
  try {
    return quotesAt(places, starts, document);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    return hunkQuotes(places.map(({ hunk }) => hunk));
  }
}

function quotesAt(
  places: readonly HunkPlace[],
  starts: readonly (number | null)[],
  document: Document,
): Quote[] {
  const found: Quoted[] = [];
  const lost: PatchHunk[] = [];
  for (const [index, { hunk }] of places.entries()) {
    const start = starts[index] ?? null;
    if (start === null) lost.push(hunk);
    else found.push(quotedAt(hunk, start, document));
  }
  const text = textOf(document);
  const part = lost.find(({ quoted }) => text.includes(quoted.join("\n")));
  if (part)
    throw new PatchError(
      `${JSON.stringify(part.quoted[0])} matches only parts of lines in the file, not whole lines`,
    );
  return [...distinctQuotes(found, document), ...hunkQuotes(lost)];
}

function quotedAt({ quoted, replacements }: PatchHunk, start: number, { lineCount }: Document): Quoted {
  const hunks = moved(replacements, start);
  if (quoted.length > 0) return { start, end: start + quoted.length, hunks };
  return { ...withNeighbour(start, lineCount), hunks };
}

/** Returns the line above added lines, which is quoted for them; the line below at the start of the file. */
function withNeighbour(at: number, count: number): Pick<Quoted, "start" | "end"> {
  return { start: Math.max(0, at - 1), end: Math.min(count, Math.max(at, 1)) };
}

/** Returns hunks as quotes that match once; as one quote, if the tool that they are for takes only one. */
export function uniqueQuotes(hunks: readonly Hunk<string>[], document: Document, isSingle: boolean): Quote[] {
  const quoted = hunks.map((hunk): Quoted => {
    const { start, end } = hunk;
    return { ...(start < end ? { start, end } : withNeighbour(start, document.lineCount)), hunks: [hunk] };
  });
  const [first, last] = [quoted[0], quoted.at(-1)];
  if (!first || !last) return [];
  return distinctQuotes(isSingle ? [{ start: first.start, end: last.end, hunks }] : quoted, document);
}

/** Returns hunks as quotes of what they quote, wherever that matches. */
export function hunkQuotes(hunks: readonly PatchHunk[]): Quote[] {
  return hunks.map(({ quoted, replacements }) => ({
    old: quoted.join("\n"),
    new: replaced(quoted, replacements, 0).join("\n"),
    all: false,
  }));
}

function distinctQuotes(given: readonly Quoted[], document: Document): Quote[] {
  const lines = document.lines();
  // A quote that ends in a blank line may match at the final newline too.
  const text = textOf(document);
  return distinct(given, lines, text).map(({ start, end, hunks }) => {
    const old = lines.slice(start, end);
    const fresh = replaced(old, hunks, start);
    // Nothing is left of the file: its last newline goes too.
    const last = fresh.length === 0 && isTerminated(document) ? "\n" : "";
    return { old: old.join("\n") + last, new: fresh.join("\n"), all: false };
  });
}

/** Joins quotes that share lines, and widens each until it matches once and something is left of it. */
function distinct(given: readonly Quoted[], lines: readonly string[], text: string): Quoted[] {
  const quoted = joined(given.map((one) => widened(one, lines, text)));
  return quoted.length === given.length ? quoted : distinct(quoted, lines, text);
}

function widened(quoted: Quoted, lines: readonly string[], text: string): Quoted {
  let { start, end } = quoted;
  const removed = quoted.hunks.reduce((sum, one) => sum + one.end - one.start, 0);
  const isGone = (): boolean =>
    end - start === removed && quoted.hunks.every((one) => one.lines.length === 0);
  const isEnough = (): boolean => !isGone() && isUnique(lines.slice(start, end).join("\n"), text);
  while (!isEnough() && (start > 0 || end < lines.length)) {
    if (end < lines.length) end++;
    if (start > 0) start--;
  }
  return { ...quoted, start, end };
}

function isUnique(part: string, text: string): boolean {
  if (part === "") return false;
  const at = text.indexOf(part);
  return at >= 0 && text.indexOf(part, at + 1) < 0;
}

function joined(quoted: readonly Quoted[]): Quoted[] {
  const result: Quoted[] = [];
  for (const one of quoted.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (!last || one.start >= last.end) result.push(one);
    else {
      const hunks = inOrder([...last.hunks, ...one.hunks]);
      if (!hunks) throw new PatchError("two hunks change the same line");
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, one.end), hunks };
    }
  }
  return result;
}
