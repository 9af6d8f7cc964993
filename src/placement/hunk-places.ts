/** Tools that take patches put each hunk in the first place that it fits: where is that, and which others may be meant? */
import type { Hunk } from "../text/index.js";
import type { PatchHunk } from "./patch.js";

/** Where a tool puts a hunk. */
export interface HunkPlace {
  readonly hunk: PatchHunk;
  /**
   * The lines that the tool takes for the quoted ones, half-open: the end of the file for a hunk that only adds lines.
   * null if it finds none.
   */
  readonly found: { readonly start: number; readonly end: number } | null;
  /** Nothing below the hunk before reads exactly so: `found` differs in blanks, or lacks a blank last line. */
  readonly isLoose: boolean;
  /** Starts of other places that its headers and the order of the hunks do not rule out. */
  readonly others: readonly number[];
  /** The line below the last of its headers; null if it has none, or they are not there. */
  readonly below: number | null;
  /** Starts of all exact matches, wherever the hunks around it are. */
  readonly matches: readonly number[];
}

/** Returns where such a tool puts hunks, each looked for below the one before it. */
export function hunkPlaces(hunks: readonly PatchHunk[], lines: readonly string[]): HunkPlace[] {
  const targets = targetsOf(hunks, lines);
  return targets.map(({ places, loose, below, matches }, index): HunkPlace => {
    const hunk = hunks[index] as PatchHunk;
    const own = { hunk, others: [], below, matches };
    if (loose) return { ...own, found: { start: loose[0], end: loose[1] }, isLoose: true };
    const start = hunk.quoted.length === 0 ? lines.length : places[0];
    if (start === undefined) return { ...own, found: null, isLoose: false };
    const latest = latestStart(targets, hunks, index, lines.length);
    const others = places
      .slice(1)
      .filter((at) => at <= latest && !isSameResult(hunk, lines, [Math.min(start, at), Math.max(start, at)]))
      .slice(0, mostPlaces);
    return { ...own, found: { start, end: start + hunk.quoted.length }, others, isLoose: false };
  });
}

const mostPlaces = 20;

interface Target {
  /** The place that the tool takes, followed by those that the hunk itself does not rule out. */
  readonly places: readonly number[];
  readonly loose: readonly [number, number] | null;
  readonly below: number | null;
  readonly matches: readonly number[];
}

function targetsOf(hunks: readonly PatchHunk[], lines: readonly string[]): Target[] {
  let cursor = 0;
  return hunks.map(({ headers, written, atEnd, quoted }) => {
    const matches =
      quoted.length === 0 ? [] : lines.flatMap((_, at) => (isAt(quoted, lines, at) ? [at] : []));
    const trimmed = headers.length > 0 ? belowEach(headers, lines, cursor) : [];
    const below =
      written && trimmed.length > 0 ? [...trimmed, ...belowEach(written, lines, cursor)] : trimmed;
    const from = below[0] ?? cursor;
    const later = matches.filter((at) => at >= from);
    // Below a header the first match is meant; a header that occurs twice may mean the first below either.
    const first = below.flatMap((one) => matches.find((at) => at >= one) ?? []);
    const named = below.length > 0 && later.length > 0 ? [...new Set(first)] : later;
    const ends = matches.filter((at) => at === lines.length - quoted.length);
    // The end is tried whatever is above it; a tool that takes no notice of it takes the first match.
    const others = ends.length > 0 ? ends : later;
    const places =
      atEnd === true ? ends : atEnd && named.length > 0 ? [...new Set([named[0]!, ...others])] : named;
    const loose =
      places.length > 0 || quoted.length === 0 ? null : loosePlace({ quoted, atEnd }, lines, from);
    cursor = loose ? loose[1] : places[0] === undefined ? from : places[0] + quoted.length;
    return { places, loose, below: below[0] ?? null, matches };
  });
}

/**
 * Tools overlook blanks at the ends of lines first, then those at their beginnings too, then the ways to write dashes,
 * quotes and blanks; if nothing fits, they leave out a blank last line. A hunk of blank lines alone then fits anywhere.
 */
function loosePlace(
  { quoted, atEnd }: Pick<PatchHunk, "quoted" | "atEnd">,
  lines: readonly string[],
  from: number,
): readonly [number, number] | null {
  const isLast = atEnd === true && quoted.length > 0;
  const at = seek(quoted, lines, isLast ? Math.max(0, lines.length - quoted.length) : from);
  if (at >= 0) return [at, at + quoted.length];
  return quoted.at(-1) === "" ? loosePlace({ quoted: quoted.slice(0, -1), atEnd }, lines, from) : null;
}

const forms: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  (line) =>
    line
      .replace(/[\u2010-\u2015\u2212]/g, "-")
      .replace(/[\u2018-\u201b]/g, "'")
      .replace(/[\u201c-\u201f]/g, '"')
      .replaceAll("…", "...")
      .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, " ")
      .trim(),
];

/** Returns the first match at or below a line, in the strictest form that has one; -1 if none has. */
function seek(quoted: readonly string[], lines: readonly string[], from: number): number {
  for (const form of forms) {
    const at = seekAs(form, quoted, { lines, from });
    if (at >= 0) return at;
  }
  return -1;
}

function seekAs(
  form: (line: string) => string,
  quoted: readonly string[],
  { lines, from }: { readonly lines: readonly string[]; readonly from: number },
): number {
  const wanted = quoted.map(form);
  for (let at = from; at + quoted.length <= lines.length; at++)
    if (wanted.every((line, index) => form(lines[at + index] as string) === line)) return at;
  return -1;
}

/** Returns the line below the headers for each time that they occur in order, in the form of the first time. */
function belowEach(headers: readonly string[], lines: readonly string[], start: number): number[] {
  const found: number[] = [];
  // An exact header rules out those that differ in blanks.
  let chosen: readonly ((line: string) => string)[] = forms;
  for (let at = start; at >= start; ) {
    const used = headers.map((header) => {
      const form = chosen.find((one) => at >= 0 && seekAs(one, [header], { lines, from: at }) >= 0);
      at = form ? seekAs(form, [header], { lines, from: at }) + 1 : -1;
      return form ? forms.indexOf(form) : 0;
    });
    if (at >= 0) found.push(at);
    chosen = forms.slice(0, Math.max(...used) + 1);
  }
  return found;
}

/** Returns what such a tool does to the lines; null if it finds no place for a hunk, or two hunks meet. */
export function toolHunks(places: readonly HunkPlace[]): Hunk<string>[] | null {
  const hunks = places.map(({ hunk: { quoted, replacements }, found, isLoose }): Hunk<string>[] | null => {
    if (!found) return null;
    const { start, end } = found;
    if (!isLoose) return moved(replacements, start);
    const lines = replaced(quoted, replacements, 0);
    return [
      { start, end, lines: end - start < quoted.length && lines.at(-1) === "" ? lines.slice(0, -1) : lines },
    ];
  });
  return hunks.every((one) => one !== null) ? inOrder(hunks.flat()) : null;
}

/** Returns the last line at which a hunk can begin and leave room for those that follow it. */
function latestStart(
  targets: readonly Target[],
  hunks: readonly PatchHunk[],
  index: number,
  end: number,
): number {
  let bound = end;
  for (let at = hunks.length - 1; at > index; at--) {
    const length = hunks[at]?.quoted.length ?? 0;
    bound = targets[at]?.places.findLast((place) => place + length <= bound) ?? bound;
  }
  return bound - (hunks[index]?.quoted.length ?? 0);
}

/** True if both places give the same text, as when one of two equal lines is removed. */
function isSameResult(
  { quoted, replacements }: PatchHunk,
  lines: readonly string[],
  [one, two]: readonly [number, number],
): boolean {
  const made = replaced(quoted, replacements, 0);
  const between = lines.slice(one + quoted.length, two + quoted.length);
  const before = lines.slice(one, two);
  const [early, late] = [
    [...made, ...between],
    [...before, ...made],
  ];
  return early.length === late.length && early.every((line, at) => line === late[at]);
}

function isAt(quoted: readonly string[], lines: readonly string[], at: number): boolean {
  return at + quoted.length <= lines.length && quoted.every((line, offset) => lines[at + offset] === line);
}

export function moved(hunks: readonly Hunk<string>[], by: number): Hunk<string>[] {
  return hunks.map(({ start, end, lines }) => ({ start: start + by, end: end + by, lines }));
}

/** Sorts hunks by line; null if two of them replace the same line. */
export function inOrder(hunks: readonly Hunk<string>[]): Hunk<string>[] | null {
  const sorted = hunks.toSorted((one, two) => one.start - two.start);
  return sorted.some((one, at) => at > 0 && one.start < (sorted[at - 1]?.end ?? 0)) ? null : sorted;
}

/** Returns these lines with hunks applied, whose numbers count from `start`. */
export function replaced(lines: readonly string[], hunks: readonly Hunk<string>[], start: number): string[] {
  let from = 0;
  const parts = hunks.map((one) => {
    const part = [...lines.slice(from, one.start - start), ...one.lines];
    from = one.end - start;
    return part;
  });
  return [...parts, lines.slice(from)].flat();
}
