/** Tools that take patches put each hunk in the first place that it fits: which other place may be meant? */
import { inOrder, isAt, replaced } from "./hunk-quotes.js";
import type { PatchHunk, Replacement } from "./patch.js";

interface FirstPlace {
  readonly hunk: PatchHunk;
  /** Lines that it quotes, half-open, where the tool finds them. */
  readonly start: number;
  readonly end: number;
  /** Where it begins in other places that may as well be meant, by its headers and by the order of the hunks. */
  readonly others: readonly number[];
  /** It stands nowhere from where the tool looks on: this is where it does but for blanks, or for a blank last line. */
  readonly loose: boolean;
  /** The line of its last header, if that tells which of several places is meant. */
  readonly header: number | null;
}

/** Hunks that stand nowhere, or only add, are left out. */
export function firstPlaces(hunks: readonly PatchHunk[], lines: readonly string[]): FirstPlace[] {
  const fits = fitsOf(hunks, lines);
  const meant = meantPlaces(hunks, lines, fits);
  const exact = meant.map(({ places }) => places);
  return meant.flatMap(({ places, loose, header }, index): FirstPlace[] => {
    const hunk = hunks[index] as PatchHunk;
    if (loose) return [{ hunk, start: loose[0], end: loose[1], others: [], loose: true, header: null }];
    const [start] = places;
    if (start === undefined) return [];
    const latest = latestStart(exact, hunks, index, lines.length);
    const others = places
      .slice(1)
      .filter((at) => at <= latest && !isSame(hunk, lines, [Math.min(start, at), Math.max(start, at)]))
      .slice(0, mostPlaces);
    const isTelling = (fits[index]?.length ?? 0) > 1;
    return [
      {
        ...{ hunk, start, end: start + hunk.quoted.length, others, loose: false },
        header: isTelling ? header : null,
      },
    ];
  });
}

const mostPlaces = 20;

function fitsOf(hunks: readonly PatchHunk[], lines: readonly string[]): number[][] {
  return hunks.map(({ quoted }) =>
    quoted.length === 0 ? [] : lines.flatMap((_, at) => (isAt(quoted, lines, at) ? [at] : [])),
  );
}

interface Meant {
  /** The place that the tool takes, and behind it those that the hunk itself does not rule out. */
  readonly places: readonly number[];
  readonly loose: readonly [number, number] | null;
  readonly header: number | null;
}

function meantPlaces(
  hunks: readonly PatchHunk[],
  lines: readonly string[],
  fits: readonly (readonly number[])[],
): Meant[] {
  let cursor = 0;
  return hunks.map(({ headers, written, atEnd, quoted }, index) => {
    const found = headers.length > 0 ? belowEach(headers, lines, cursor) : [];
    const below = written && found.length > 0 ? [...found, ...belowEach(written, lines, cursor)] : found;
    const from = below[0] ?? cursor;
    const later = fits[index]!.filter((at) => at >= from);
    const last = lines.length - quoted.length;
    // Below a header the first place is meant; a header that stands twice may mean the first below either.
    const first = below.flatMap((one) => fits[index]!.find((at) => at >= one) ?? []);
    const named = below.length > 0 && later.length > 0 ? [...new Set(first)] : later;
    const ends = fits[index]!.filter((at) => at === last);
    // The end is looked at whatever is above it; a tool that takes no notice of it takes the first place.
    const others = ends.length > 0 ? ends : later;
    const places =
      atEnd === true ? ends : atEnd && named.length > 0 ? [...new Set([named[0]!, ...others])] : named;
    const loose =
      places.length > 0 || quoted.length === 0 ? null : loosePlace({ quoted, atEnd }, lines, from);
    cursor = loose ? loose[1] : places[0] === undefined ? from : places[0] + quoted.length;
    return { places, loose, header: below[0] === undefined ? null : below[0] - 1 };
  });
}

/**
 * Tools overlook blanks at the ends of lines first, then those at their beginnings too, then the ways to write dashes,
 * quotes and blanks; and where that is of no use, they leave a last line out that is blank. What is left of a hunk that
 * was nothing else stands anywhere.
 */
function loosePlace(
  { quoted, atEnd }: Pick<PatchHunk, "quoted" | "atEnd">,
  lines: readonly string[],
  from: number,
): readonly [number, number] | null {
  const at = seek(
    quoted,
    lines,
    atEnd === true && quoted.length > 0 ? Math.max(0, lines.length - quoted.length) : from,
  );
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

/** Where lines stand from a line on, in the strictest form in which they do; -1: nowhere. */
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

/** The lines below the headers, wherever those stand as they do first, one set below the other. */
function belowEach(headers: readonly string[], lines: readonly string[], start: number): number[] {
  const found: number[] = [];
  // Where a line reads just like a header, none is meant that does but for blanks.
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

/** What such a tool does to the lines; null if a hunk stands nowhere. */
export function hunkSplices(hunks: readonly PatchHunk[], lines: readonly string[]): Replacement[] | null {
  const fits = fitsOf(hunks, lines);
  const meant = meantPlaces(hunks, lines, fits);
  const found = hunks.map(({ quoted, replacements }, index): readonly Replacement[] | null => {
    const { places, loose } = meant[index] as Meant;
    const start = quoted.length === 0 ? lines.length : places[0];
    if (start !== undefined) return replacements.map((one) => ({ ...one, at: one.at + start }));
    if (!loose) return null;
    const [at, remove] = [loose[0], loose[1] - loose[0]];
    const insert = replaced(quoted, replacements, 0);
    return [
      { at, remove, insert: remove < quoted.length && insert.at(-1) === "" ? insert.slice(0, -1) : insert },
    ];
  });
  return found.every((one) => one !== null) ? inOrder(found.flat()) : null;
}

/** Hunks come in the order of the file: behind this line those that follow would find no place. */
function latestStart(
  meant: readonly (readonly number[])[],
  hunks: readonly PatchHunk[],
  index: number,
  end: number,
): number {
  let bound = end;
  for (let at = hunks.length - 1; at > index; at--) {
    const length = hunks[at]?.quoted.length ?? 0;
    bound = meant[at]?.findLast((place) => place + length <= bound) ?? bound;
  }
  return bound - (hunks[index]?.quoted.length ?? 0);
}

/** In either place the same comes of it: one of two equal lines is taken out. */
function isSame(
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
