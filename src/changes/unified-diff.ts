/** Prints a change as a unified diff. */
import { Document, diffName, visible } from "../text/index.js";
import { LineChange, type Region } from "./line-change.js";

const context = 3;

/** Characters of a diff. An answer must stay readable, whatever was written. */
const longestDiff = 1 << 18;

/**
 * A unified diff of two texts whose difference is known; no comparing is done here. The diff holds whole lines, with
 * their CR and the byte order mark: `git apply` and `patch` make of the old bytes the new ones. null: there is no such
 * file.
 * A longer diff is cut, which its last row says; `git apply` refuses it then.
 */
export function unifiedDiff(
  path: string,
  before: Document | null,
  after: Document | null,
  map: LineChange,
): string {
  const [old, made] = [before ?? emptyDocument(), after ?? emptyDocument()];
  const whole = withEnds(old, made, map);
  if (whole.isIdentity) return "";
  if (old.isBinary || made.isBinary) return binaryText(path, before, after);
  const rows = [
    `--- ${before ? diffName(`a/${path}`) : noFile}`,
    `+++ ${after ? diffName(`b/${path}`) : noFile}`,
  ];
  let length = 0;
  for (const text of hunkRows(whole.regions, old, made)) {
    length += text.length + 1;
    if (length > longestDiff) {
      rows.push(cutRow(whole.regions));
      break;
    }
    rows.push(text);
  }
  return `${rows.join("\n")}\n`;
}

/** Bytes that are no text would be obeyed by a terminal, and tell a reader nothing. */
function binaryText(path: string, before: Document | null, after: Document | null): string {
  const size = (document: Document | null): string =>
    document === null ? "no file" : `${document.bytes.length} bytes`;
  return `[${visible(path)} is a binary file: ${size(before)} before, ${size(after)} after]\n`;
}

function cutRow(regions: readonly Region[]): string {
  const count = (size: (region: Region) => number) => regions.reduce((sum, one) => sum + size(one), 0);
  const removed = count(({ aStart, aEnd }) => aEnd - aStart);
  const inserted = count(({ bStart, bEnd }) => bEnd - bStart);
  return `[diff cut at ${longestDiff} characters; in all ${removed} lines removed, ${inserted} inserted]`;
}

function* hunkRows(regions: readonly Region[], before: Document, after: Document): Generator<string> {
  for (const group of groups(regions)) yield* hunk(group, before, after);
}

const noFile = "/dev/null";
const emptyDocument = (): Document => Document.parse(new Uint8Array(0));

/** A map pairs lines by their text. To a diff, one whose terminator or byte order mark is another is a changed line. */
function withEnds(before: Document, after: Document, map: LineChange): LineChange {
  const [old, made] = [rowCount(before), rowCount(after)];
  if (before.lineCount === 0 || after.lineCount === 0)
    return before.version === after.version
      ? LineChange.identity(old)
      : LineChange.of(old, made, [{ aStart: 0, aEnd: old, bStart: 0, bEnd: made }]);
  const regions: Region[] = [];
  let [a, b] = [0, 0];
  const pass = (end: number): void => {
    for (;;) {
      const same = sameEnds(before, after, { a, b, end });
      [a, b] = [a + same, b + same];
      if (a === end) return;
      regions.push({ aStart: a, aEnd: a + 1, bStart: b, bEnd: b + 1 });
      [a, b] = [a + 1, b + 1];
    }
  };
  for (const { aStart, aEnd, bStart, bEnd } of map.regions) {
    pass(aStart);
    regions.push({ aStart, aEnd, bStart, bEnd });
    [a, b] = [aEnd, bEnd];
  }
  pass(map.before);
  return LineChange.of(map.before, map.after, regions);
}

/** A byte order mark that nothing follows is no line of the text, but one of the diff. */
function rowCount({ lineCount, hasBom }: Document): number {
  return lineCount === 0 && hasBom ? 1 : lineCount;
}

/**
 * How many of the paired lines from `a` and `b` on end alike. Equal texts of one encoding differ in their terminator if
 * their lengths do: one subtraction for each line of the file, with every edit.
 */
function sameEnds(before: Document, after: Document, { a, b, end }: Pairs): number {
  if (a < end && (a === 0 && before.hasBom) !== (b === 0 && after.hasBom)) return 0;
  let at = 0;
  if (before.encoding !== after.encoding) {
    while (a + at < end && before.terminator(a + at) === after.terminator(b + at)) at++;
    return at;
  }
  const [ours, theirs] = [before.table.starts, after.table.starts] as const;
  const shift = (theirs[b] as number) - (ours[a] as number);
  while (a + at < end && (theirs[b + at + 1] as number) - (ours[a + at + 1] as number) === shift) at++;
  return at;
}

/** Lines from `a` up to `end` of the one text, from `b` on of the other. */
interface Pairs {
  readonly a: number;
  readonly b: number;
  readonly end: number;
}

/** Regions whose context would touch share a hunk. */
function groups(regions: readonly Region[]): Region[][] {
  const result: Region[][] = [];
  for (const region of regions) {
    const last = result.at(-1)?.at(-1);
    if (last && region.aStart - last.aEnd <= 2 * context) result.at(-1)?.push(region);
    else result.push([region]);
  }
  return result;
}

function* hunk(regions: readonly Region[], before: Document, after: Document): Generator<string> {
  const [first, last] = [regions[0] as Region, regions.at(-1) as Region];
  const lead = Math.min(context, first.aStart);
  const trail = Math.min(context, rowCount(before) - last.aEnd);
  const [a, b] = [first.aStart - lead, first.bStart - lead];
  const span = (start: number, end: number) => `${end === start ? start : start + 1},${end - start}`;
  yield `@@ -${span(a, last.aEnd + trail)} +${span(b, last.bEnd + trail)} @@`;
  let at = a;
  for (const region of regions) {
    yield* lines(" ", before, [at, region.aStart]);
    yield* lines("-", before, [region.aStart, region.aEnd]);
    yield* lines("+", after, [region.bStart, region.bEnd]);
    at = region.aEnd;
  }
  yield* lines(" ", before, [at, last.aEnd + trail]);
}

function* lines(
  sign: " " | "-" | "+",
  document: Document,
  [from, to]: readonly [number, number],
): Generator<string> {
  if (from === to) return;
  const { lineCount, hasBom } = document;
  const rows = lineCount === 0 ? [""] : document.rows(from, to);
  for (const [at, text] of rows.entries())
    yield at === 0 && from === 0 && hasBom ? `${sign}\ufeff${text}` : sign + text;
  if (to >= lineCount && (lineCount === 0 || document.terminator(lineCount - 1) === ""))
    yield "\\ No newline at end of file";
}
