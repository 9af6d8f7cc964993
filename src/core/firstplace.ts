/** Tools that take patches put each hunk in the first place that it fits: which other place may be meant? */
import type { PatchHunk } from "./patch.js";
import { belowHeaders, replaced, standsAt } from "./placing.js";

export interface FirstPlace {
  /** Lines that the hunk quotes, half-open, where the tool finds them. */
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
  const fits = hunks.map(({ quoted }) =>
    quoted.length === 0 ? [] : lines.flatMap((_, at) => (standsAt(quoted, lines, at) ? [at] : [])),
  );
  const meant = meantPlaces(hunks, lines, fits);
  const exact = meant.map(({ places }) => places);
  return meant.flatMap(({ places, loose, header }, index): FirstPlace[] => {
    const hunk = hunks[index] as PatchHunk;
    if (loose) return [{ start: loose[0], end: loose[1], others: [], loose: true, header: null }];
    const [start] = places;
    if (start === undefined) return [];
    const latest = latestStart(exact, hunks, index, lines.length);
    const others = places
      .slice(1)
      .filter((at) => at <= latest && !isSame(hunk, lines, [start, at]))
      .slice(0, mostPlaces);
    const isTelling = (fits[index]?.length ?? 0) > 1;
    return [
      {
        ...{ start, end: start + hunk.quoted.length, others, loose: false },
        header: isTelling ? header : null,
      },
    ];
  });
}

const mostPlaces = 20;

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
  return hunks.map(({ headers, atEnd, quoted }, index) => {
    const below = headers.length > 0 ? belowEach(headers, lines, cursor) : [];
    const later = (fits[index] as readonly number[]).filter((at) => at >= (below[0] ?? cursor));
    const last = lines.length - quoted.length;
    // Below a header the first place is meant; a header that stands twice may mean the first below either.
    const first = below.flatMap((from) => later.find((at) => at >= from) ?? []);
    const places = atEnd && later.includes(last) ? [last] : below.length > 0 ? [...new Set(first)] : later;
    const loose = places.length > 0 ? null : loosePlace(quoted, lines, below[0] ?? cursor);
    if (loose) cursor = loose[1];
    else if (places[0] !== undefined) cursor = places[0] + quoted.length;
    return { places, loose, header: below[0] === undefined ? null : below[0] - 1 };
  });
}

/**
 * Tools overlook blanks at the ends of lines first, then those at their beginnings too; and where that is of no use,
 * they leave a last line out that is blank.
 */
function loosePlace(
  quoted: readonly string[],
  lines: readonly string[],
  from: number,
): readonly [number, number] | null {
  if (quoted.every((line) => line.trim() === "")) return null;
  for (const bare of forms) {
    const [wanted, found] = [quoted.map(bare), lines.map(bare)];
    const at = found.findIndex((_, index) => index >= from && standsAt(wanted, found, index));
    if (at >= 0) return [at, at + quoted.length];
  }
  return quoted.at(-1) === "" ? loosePlace(quoted.slice(0, -1), lines, from) : null;
}

const forms: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
];

/** The lines below the headers, wherever those stand, one set below the other. */
function belowEach(headers: readonly string[], lines: readonly string[], start: number): number[] {
  const found: number[] = [];
  for (let at = belowHeaders(headers, lines, start); at !== null; at = belowHeaders(headers, lines, at))
    found.push(at);
  return found;
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
