/**
 * Three real versions of a file, V0 → V1 → V2, as a case: an agent that read V0 wants what V1 → V2 did, and somebody else
 * did V0 → V1 first.
 */
import { applyHunks, type Draft, type Hunk, linesOf, textOf } from "./case.js";
import { difference, differenceFromEnd, patienceDifference, slide } from "./difference.js";

interface Versions {
  readonly path: string;
  readonly origin: string;
  /** Lines end with LF. */
  readonly texts: readonly [string, string, string];
  /** V0 → V1 also took other line ends. */
  readonly converted?: boolean;
}

/** A hunk with the place of what it wrote, in the text after all hunks of its difference. */
interface Placed extends Hunk {
  readonly after: number;
}

function placed(hunks: readonly Hunk[]): Placed[] {
  let shift = 0;
  return hunks.map((hunk) => {
    const after = hunk.start + shift;
    shift += hunk.lines.length - hunk.count;
    return { ...hunk, after };
  });
}

/** Unchanged lines between two spans; negative if they overlap. */
export function gap(one: readonly [number, number], two: readonly [number, number]): number {
  if (one[1] <= two[0]) return two[0] - one[1];
  return two[1] <= one[0] ? one[0] - two[1] : -1;
}

/** Case, or why none can be made. */
type Carried = Draft | { readonly without: string };

export function carry({ path, origin, texts, converted = false }: Versions): Carried {
  const [v0, v1, v2] = texts.map(linesOf) as [string[], string[], string[]];
  const others = difference(v0, v1);
  const wanted = difference(v1, v2);
  if (!others || !wanted) return { without: "more than 400 lines differ" };
  const draft = { path, origin, base: texts[0], current: texts[1] };
  if (wanted.length > 0 && others.length === 0 && converted)
    return { ...draft, class: "crlf", edits: wanted, truth: texts[2] };
  if (others.length === 0 || wanted.length === 0) return { without: "no line differs" };
  const there = placed(others);
  const nearest = wanted.map((hunk) => distance(hunk, { there, v0, v1 }));
  if (nearest.some(({ plain }) => plain < 0)) {
    const conflict = conflicting(wanted, there, [v0, v1]);
    if (conflict)
      return { ...draft, class: "conflict-linear", edits: conflict, truth: texts[1], expect: "refuse" };
    const moved = followed(wanted, there, [v0, v1]);
    if (moved)
      return {
        ...{ ...draft, class: "moved-real", edits: moved, truth: texts[2] },
        debatable: "the edit follows a block that the other change moved",
      };
    return { without: "the edit builds on lines that the other change wrote" };
  }
  const edits = wanted.map((hunk) => ({ ...hunk, start: toBefore(hunk.start, there) }));
  const whole = { ...draft, edits, truth: texts[2] };
  if (!isCertain(v0, v1, wanted)) {
    const alternatives = readings(edits, v0, v1);
    return {
      ...whole,
      class: "ambig",
      alternatives,
      debatable: "two readings of the other change are as good",
    };
  }
  const least = Math.min(...nearest.map(({ slid }) => slid));
  if (least <= 0) return meeting(whole, wanted, there);
  const shifted = edits.some(({ start }, at) => start !== wanted[at]?.start);
  if (least < 3) return { ...whole, class: "near" };
  if (!shifted) return { ...whole, class: "far-noshift" };
  const repeated = edits.some((hunk, at) => hunk.start !== wanted[at]?.start && hasRepeatedAnchors(v0, hunk));
  return { ...whole, class: repeated ? "dup-shift" : "far-shift" };
}

interface Sides {
  readonly there: readonly Placed[];
  readonly v0: readonly string[];
  readonly v1: readonly string[];
}

/** Unchanged lines to the nearest other change: as compared, and when both are slid towards each other. */
function distance(hunk: Hunk, { there, v0, v1 }: Sides): { plain: number; slid: number } {
  const [up, down] = slide(v1, hunk);
  const end = hunk.start + hunk.count;
  let [plain, slid] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const other of there) {
    const [otherUp, otherDown] = slide(v0, other);
    const from = other.after;
    const to = from + other.lines.length;
    plain = Math.min(plain, gap([hunk.start, end], [from, to]));
    slid = Math.min(slid, gap([hunk.start - up, end + down], [from - otherUp, to + otherDown]));
  }
  return { plain, slid };
}

/** The place in V0 of a place in V1 that no other change covers. */
function toBefore(line: number, there: readonly Placed[]): number {
  let shift = 0;
  for (const { after, count, lines } of there)
    if (after + lines.length <= line) shift += count - lines.length;
  return line + shift;
}

function meeting(whole: Omit<Draft, "class">, wanted: readonly Hunk[], there: readonly Placed[]): Draft {
  const both = wanted.flatMap((hunk, at) =>
    there
      .filter(
        (other) =>
          hunk.count === 0 &&
          other.count === 0 &&
          [other.after, other.after + other.lines.length].includes(hunk.start),
      )
      .map((other) => ({ at, hunk, other })),
  );
  if (both.length === 0)
    return { ...whole, class: "touch", debatable: "no unchanged line stands between the two changes" };
  const swapped = wanted.map((hunk, at) => {
    const meets = both.find((one) => one.at === at)?.other;
    if (!meets) return hunk;
    return { ...hunk, start: hunk.start === meets.after ? meets.after + meets.lines.length : meets.after };
  });
  const alternatives = [textOf(applyHunks(linesOf(whole.current), swapped))];
  const isThere = wanted.every((hunk, at) =>
    both.some((one) => one.at === at && one.other.lines.join("\n") === hunk.lines.join("\n")),
  );
  if (isThere) alternatives.push(whole.current);
  return {
    ...{ ...whole, class: "same-gap", alternatives },
    debatable: "both insert at one place: either order is right, and the same text may stand there once",
  };
}

/** Do three ways to compare V0 with V1 carry the edit to the same lines? */
function isCertain(v0: readonly string[], v1: readonly string[], wanted: readonly Hunk[]): boolean {
  const places = [difference, differenceFromEnd, patienceDifference].map((compare) => {
    const hunks = compare(v0, v1);
    if (!hunks) return "none";
    const there = placed(hunks);
    return wanted
      .map((hunk) => {
        const covered = distance(hunk, { there, v0, v1 }).plain < 0;
        return covered ? "covered" : toBefore(hunk.start, there);
      })
      .join();
  });
  return new Set(places).size === 1;
}

/** Returns the results of the edit for each reading of the other change, before and after an insertion at its place. */
function readings(edits: readonly Hunk[], v0: readonly string[], v1: readonly string[]): string[] {
  const found = [difference, differenceFromEnd, patienceDifference].flatMap((compare) => {
    const there = placed(compare(v0, v1) ?? []);
    const isCovered = edits.some((hunk) =>
      there.some(
        (other) => gap([hunk.start, hunk.start + hunk.count], [other.start, other.start + other.count]) < 0,
      ),
    );
    if (isCovered) return [];
    return [true, false].map((last) => {
      const carried = edits.map((hunk) => ({ ...hunk, start: toAfter(hunk.start, there, last) }));
      return textOf(applyHunks(v1, carried));
    });
  });
  return [...new Set(found)];
}

/** The place in V1 of a place in V0; `last`: after what was inserted there. */
function toAfter(line: number, there: readonly Placed[], last: boolean): number {
  let shift = 0;
  for (const { start, count, lines } of there) {
    const isBefore = start + count < line || (start + count === line && (count > 0 || last));
    if (isBefore) shift += lines.length - count;
  }
  return line + shift;
}

function hasRepeatedAnchors(lines: readonly string[], { start, count }: Hunk): boolean {
  const anchors = count > 0 ? [start, start + count - 1] : [Math.min(start, lines.length - 1)];
  return anchors.every((at) => lines.filter((line) => line === lines[at]).length >= 3);
}

/**
 * Both rewrote a line, differently. Only where the agent replaces all that the other wrote there: of a part of it, an
 * edit that somebody could have made on V0 would have to be invented.
 */
function conflicting(
  wanted: readonly Hunk[],
  there: readonly Placed[],
  [v0, v1]: readonly [readonly string[], readonly string[]],
): Hunk[] | null {
  const old = new Set(v0);
  let real = false;
  const edits: Hunk[] = [];
  for (const hunk of wanted) {
    const end = hunk.start + hunk.count;
    const met = there.filter(({ after, lines }) => gap([hunk.start, end], [after, after + lines.length]) < 0);
    const isWhole = met.every(({ after, lines }) => hunk.start <= after && after + lines.length <= end);
    const invented = met.some(({ lines }) =>
      lines.some((line) => !old.has(line) && hunk.lines.includes(line)),
    );
    if (!isWhole || invented) return null;
    const start = toBefore(hunk.start, there);
    const grown = met.reduce((sum, { count, lines }) => sum + count - lines.length, 0);
    const edit = { start, count: hunk.count + grown, lines: hunk.lines };
    const mine = difference(v0.slice(start, start + edit.count), [...hunk.lines]) ?? [];
    real ||= met.some(
      (other) =>
        other.lines.length > 0 &&
        mine.some(
          ({ start: at, count }) =>
            count > 0 && gap([start + at, start + at + count], [other.start, other.start + other.count]) < 0,
        ),
    );
    edits.push(edit);
  }
  const disjoint = edits.every(
    ({ start }, at) => at === 0 || start >= (edits[at - 1] as Hunk).start + (edits[at - 1] as Hunk).count,
  );
  return real && disjoint && v1.length > 0 ? edits : null;
}

/** The edit lies within lines that the other change took from one place and put at another. */
function followed(
  wanted: readonly Hunk[],
  there: readonly Placed[],
  [v0, v1]: readonly [readonly string[], readonly string[]],
): Hunk[] | null {
  const around = 3;
  const edits: Hunk[] = [];
  for (const hunk of wanted) {
    const end = hunk.start + hunk.count;
    const host = there.find(({ after, lines }) => gap([hunk.start, end], [after, after + lines.length]) < 0);
    if (!host) {
      edits.push({ ...hunk, start: toBefore(hunk.start, there) });
      continue;
    }
    const [from, to] = [hunk.start - around, end + around];
    if (from < host.after || to > host.after + host.lines.length) return null;
    const places = occurrences(v0, v1.slice(from, to));
    const [place = -1] = places;
    const gone = there.some(({ start, count }) => start <= place && place + (to - from) <= start + count);
    if (places.length !== 1 || !gone) return null;
    edits.push({ ...hunk, start: place + around });
  }
  return edits.toSorted((one, two) => one.start - two.start);
}

function occurrences(lines: readonly string[], block: readonly string[]): number[] {
  const found: number[] = [];
  for (let at = 0; at + block.length <= lines.length; at++)
    if (block.every((line, offset) => lines[at + offset] === line)) found.push(at);
  return found;
}
