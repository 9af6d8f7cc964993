/** Anchors that a caller has copied from printed rows into the text it sends. */
import { type Anchor, anchorAt, stripAnchors } from "../anchors/index.js";
import { compareLines, type LineChange } from "../changes/index.js";
import { newestShown, type ParsedEdit, quotesIn, type View } from "../edits/index.js";
import type { Document } from "../text/index.js";
import type { Resolution } from "./resolve.js";

/** Anchors at the heads of lines, with the index of each line. */
export function copiedAnchors(
  lines: readonly string[],
): { readonly index: number; readonly anchor: Anchor }[] {
  return lines.flatMap((line, index) => {
    const anchor = anchorAt(line);
    return anchor ? [{ index, anchor }] : [];
  });
}

interface Uncopied {
  readonly lines: readonly string[];
  readonly warning: string | null;
}

/** Anchors are taken off only if every line has one and each was printed of this file; others are kept, and said. */
export function withoutCopied(lines: readonly string[], view: View): Uncopied {
  const served = copiedAnchors(lines).filter(({ anchor }) => isServedAnchor(anchor, view));
  if (served.length === 0) return { lines, warning: null };
  const stripped = served.length === lines.length ? stripAnchors(lines) : null;
  if (stripped) return { lines: stripped.lines, warning: "the text repeated anchors; they were removed" };
  const numbers = served.map(({ index }) => index + 1);
  const listed = `${numbers.slice(0, named).join(", ")}${numbers.length > named ? ", …" : ""}`;
  const [begin, them] =
    numbers.length === 1
      ? [`line ${listed} of the text begins with an anchor`, "it was kept as text"]
      : [`lines ${listed} of the text begin with anchors`, "they were kept as text"];
  return { lines, warning: `${begin} of this file; ${them}` };
}

const named = 10;

function isServedAnchor({ line, hash, scheme }: Anchor, { showings, history, within }: View): boolean {
  // No row is asked for: the line of the file now is as good as one.
  if (within !== undefined && history.hash(history.last, line - 1, scheme) === hash) return true;
  return showings.some(
    (showing) =>
      showing.scheme === scheme &&
      showing.rows.has(line - 1) &&
      (showing.hashes?.[line - 1] ?? history.hash(showing.state, line - 1, scheme)) === hash,
  );
}

/** First or last lines that repeat the lines outside, and text of one line's place that goes on with the lines below. */
export function repeatedNeighbours({ named, pieces }: Resolution, view: View): string[] {
  const writing = new Set(pieces.map((piece) => piece.named));
  return named.flatMap((one) => {
    const [edit] = one.edits;
    if (!edit || !("text" in edit) || !writing.has(one)) return [];
    const base = view.history.believed(one.base)?.document;
    const [start, end] = one.spans[0] ? [one.spans[0].start, one.spans[0].end] : [one.gap ?? 0, one.gap ?? 0];
    if (!base || edit.text.length === 0) return [];
    // A line that the same call removes or replaces is not repeated.
    const others = named.filter((other) => other !== one && other.base === one.base);
    const isLeft = (line: number): boolean =>
      !others.some(({ spans }) => spans.some((span) => span.start <= line && line < span.end));
    const hasText = (line: number, text: string | undefined): boolean =>
      text !== undefined && line >= 0 && line < base.lineCount && base.hasText(line, text) && isLeft(line);
    const { op, text } = edit;
    const { above, below } = repeats(text, { start, end, hasText });
    const said: string[] = [];
    if (above > 0) said.push(repeated("first", "above", text.slice(0, above)));
    if (below > 0) said.push(repeated("last", "below", text.slice(-below)));
    else if (op === "set_line" && isContinuation(text, end, base, isLeft))
      said.push(
        `the text restates lines that follow line ${end} (${JSON.stringify(base.text(end))}); set_line replaces that line alone, so they stand there twice: replace_lines takes a range`,
      );
    return said.map((words) => `edits[${edit.index}]: ${words}`);
  });
}

interface Neighbourhood {
  readonly start: number;
  readonly end: number;
  readonly hasText: (line: number, text: string | undefined) => boolean;
}

/** How many lines at each end of a text repeat those outside. */
function repeats(text: readonly string[], { start, end, hasText }: Neighbourhood) {
  const above = longest(text.length, (count) => {
    const first = text.slice(0, count);
    return isTelling(first) && first.every((line, at) => hasText(start - count + at, line));
  });
  const below = longest(text.length, (count) => {
    const last = text.slice(-count);
    return isTelling(last) && last.every((line, at) => hasText(end + at, line));
  });
  return { above, below };
}

/** Lines of a text that are compared with their neighbours; more are never retyped by mistake. */
const mostRepeated = 200;

function longest(most: number, isSo: (count: number) => boolean): number {
  for (let count = Math.min(most, mostRepeated); count > 0; count--) if (isSo(count)) return count;
  return 0;
}

/** Some brackets in a row end many blocks; with a word among them they are a place. */
function isTelling(lines: readonly string[]): boolean {
  return lines.length === 1 ? lines[0]?.trim() !== "" : lines.some((line) => word.test(line));
}

const word = /[\p{L}\p{N}]/u;

function repeated(which: string, where: string, lines: readonly string[]): string {
  const [first, last] = [lines[0], lines.at(-1)].map((line) => JSON.stringify(line));
  return lines.length === 1
    ? `the ${which} line of the text repeats the line ${where} it (${first}); it was kept`
    : `the ${which} ${lines.length} lines of the text repeat the lines ${where} it (${first} to ${last}); they were kept`;
}

/**
 * The text of one line's place goes on like the lines below it: most of its lines with words are theirs, and it begins
 * with the first of them, or with the second where its own first line begins like the one it replaces.
 */
function isContinuation(
  [opening = "", ...rest]: readonly string[],
  end: number,
  base: Document,
  isLeft: (line: number) => boolean,
): boolean {
  const words = rest.filter((line) => word.test(line)).length;
  const own = firstWord(opening);
  const heads = own !== "" && firstWord(base.text(end - 1)) === own ? [0, 1] : [0];
  const isRestated = (at: number): boolean =>
    end + at < base.lineCount && rest[at] !== undefined && base.hasText(end + at, rest[at]);
  const head = heads.find(isRestated);
  if (head === undefined || words < leastRestated || rest.length > mostRepeated) return false;
  const below = base.lines(end, Math.min(base.lineCount, end + 2 * rest.length));
  const map = compareLines(below, rest);
  const kept = below.filter((line, at) => word.test(line) && map.index(at) >= 0 && isLeft(end + at)).length;
  return map.index(head) === head && kept >= leastRestated && 2 * kept >= words;
}

const leastRestated = 2;

function firstWord(line: string): string {
  return /[\p{L}\p{N}_$]+/u.exec(line)?.[0] ?? "";
}

/** Text that others put where this call appends, or quotes that they added, since the agent last saw the file. */
export function addedByOthers(edits: readonly ParsedEdit[], view: View): string[] {
  const seen = newestShown(view);
  const theirs = seen === undefined ? null : view.history.believed(seen)?.toNow;
  if (!theirs || theirs.isIdentity) return [];
  return edits.flatMap((edit) => {
    const found = added(edit, theirs, view);
    return found === null ? [] : [`edits[${edit.index}]: ${found}`];
  });
}

function added(edit: ParsedEdit, theirs: LineChange, view: View): string | null {
  const [first, last] = [theirs.regions[0], theirs.regions.at(-1)];
  if (edit.op === "append" && last && last.aEnd === theirs.before && last.bEnd > last.bStart)
    return "others added text at the end of the file; yours stands after it";
  if (edit.op === "prepend" && first && first.aStart === 0 && first.bEnd > first.bStart)
    return "others added text at the start of the file; yours stands before it";
  if (edit.op !== "replace_text") return null;
  const lines = quotesIn(view.history.now, edit.old).filter(([start, end]) =>
    theirs.regions.some(({ bStart, bEnd }) => start < bEnd && bStart <= end),
  );
  if (lines.length === 0) return null;
  const where = lines.slice(0, 5).map(([start]) => start + 1);
  const [what, name] = lines.length === 1 ? ["a place", "line"] : [`${lines.length} places`, "lines"];
  const places = `${name} ${where.join(", ")}${lines.length > where.length ? ", …" : ""}`;
  return `the quoted text also stands in ${what} that others wrote (${places}); not replaced`;
}
