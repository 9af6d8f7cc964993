/** Replaces text whose quote differs from the file in blanks only, with the blanks of the file. */
import type { Document } from "../text/index.js";
import { compareLines } from "./compare.js";
import { LineChange, type Region } from "./line-change.js";

const known = new WeakMap<LineChange, LineChange>();

/** A run of this many lines with a word is taken for the same run wherever it stands. */
const enough = 3;

/**
 * The same map, with lines paired too that differ only in blanks at their starts and ends, as a formatter leaves them. All
 * lines of a changed place have to, or enough of them that stand together: one line among others that changed may be a
 * new one.
 */
export function overBlanks(map: LineChange, before: Document, now: Document): LineChange {
  const found = known.get(map);
  if (found) return found;
  const regions = map.regions.flatMap((region) => changedIn(region, before, now));
  const made = LineChange.of(map.before, map.after, regions);
  known.set(map, made);
  return made;
}

/** Returns the parts of a region that hold no paired lines. */
function changedIn(region: Region, before: Document, now: Document): Region[] {
  const { aStart, aEnd, bStart, bEnd } = region;
  const old = before.lines(aStart, aEnd).map(withoutOuterBlanks);
  const inside = compareLines(old, now.lines(bStart, bEnd).map(withoutOuterBlanks));
  const left: Region[] = [];
  let from = { a: 0, b: 0 };
  const leave = (a: number, b: number): void => {
    left.push({ aStart: aStart + from.a, aEnd: aStart + a, bStart: bStart + from.b, bEnd: bStart + b });
  };
  for (const [start, end] of runs(inside)) {
    const isAll = start === 0 && end === old.length && inside.after === old.length;
    const isEnough = old.slice(start, end).filter((line) => /[\p{L}\p{N}]/u.test(line)).length >= enough;
    if (!isAll && !isEnough) continue;
    const at = inside.index(start);
    leave(start, at);
    from = { a: end, b: at + end - start };
  }
  leave(old.length, inside.after);
  return left.map((one) => (region.own ? { ...one, own: true } : one));
}

/** Lines that are paired one below the other, half-open. */
function runs(map: LineChange): [number, number][] {
  const edges = [{ aEnd: 0, bEnd: 0 }, ...map.regions];
  return edges.flatMap(({ aEnd }, at): [number, number][] => {
    const end = map.regions[at]?.aStart ?? map.before;
    return aEnd < end ? [[aEnd, end]] : [];
  });
}
/**
 * Text that was quoted with other blanks than the file has at the starts and ends of its lines, and what the quote's
 * replacement comes to with the file's own blanks. One mapping from the quote's indentations to the file's has to explain
 * every line and keep which lines are deeper than which; else nothing is healed. Nothing but blanks is ever altered.
 */

interface Mended {
  /** Lines as they were quoted, or shown. */
  readonly quoted: readonly string[];
  /** The lines of the file now that read the same but for blanks at their starts and ends. */
  readonly standing: readonly string[];
  /** The lines that take their place, indented as the quoted ones are. */
  readonly fresh: readonly string[];
  /** One step of indentation in the file; null: it cannot be told. */
  readonly unit: string | null;
}

interface Healed {
  readonly lines: readonly string[];
  /** Every line has the same blanks more or less, or the same exchange of tabs and spaces. */
  readonly even: boolean;
}

/** A line without the blanks at its start and end. */
export function withoutOuterBlanks(line: string): string {
  return line.replace(/^[ \t]+|[ \t]+$/g, "");
}

/** Lines that differ in blanks at their starts and ends only, and do differ. */
export function hasOnlyOtherBlanks(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length || one.every((line, at) => line === other[at])) return false;
  return one.every((line, at) => withoutOuterBlanks(line) === withoutOuterBlanks(other[at] as string));
}

/** The replacement with the blanks of the file; null where they cannot be told for every line. */
export function heal({ quoted, standing, fresh, unit }: Mended): Healed | null {
  if (!hasOnlyOtherBlanks(quoted, standing) || [...quoted, ...standing].some(hasMeaningfulEnd)) return null;
  const pairs = quoted.flatMap((line, at): Pair[] =>
    isBlank(line) ? [] : [[indentation(line), indentation(standing[at] as string)]],
  );
  const steps = ordered(pairs);
  if (!steps || steps.length === 0) return null;
  const retyped = compareLines(fresh, quoted);
  const made = (own: string): string[] | null => {
    const lines: string[] = [];
    for (const [at, line] of fresh.entries()) {
      const same = retyped.index(at);
      if (same >= 0) lines.push(standing[same] as string);
      else if (isBlank(line)) lines.push(line);
      else {
        const depth = indentation(line);
        const found = carried(depth, steps, { own, unit });
        if (found === null) return null;
        lines.push(found + line.slice(depth.length));
      }
    }
    return lines;
  };
  const ways = new Map<string, string[]>();
  for (const own of unit === null ? [""] : ownUnits(steps, unit, [...quoted, ...fresh])) {
    const lines = made(own);
    if (lines) ways.set(lines.join("\n"), lines);
  }
  const [lines, other] = ways.values();
  if (!lines || other) return null;
  return { lines, even: shiftOf(steps) !== null || isExchange(steps) };
}

/** The step by which a text goes deeper, if most of its steps are that one. */
export function indentUnit(lines: Iterable<string>): string | null {
  const counts = new Map<string, number>();
  let [before, all]: [string | null, number] = [null, 0];
  for (const line of lines) {
    if (isBlank(line)) continue;
    const now = indentation(line);
    if (before !== null && now.length > before.length && now.startsWith(before)) {
      const step = now.slice(before.length);
      counts.set(step, (counts.get(step) ?? 0) + 1);
      all++;
    }
    before = now;
  }
  for (const [step, count] of counts) if (count * 2 > all && isEven(step)) return step;
  return null;
}

/** An indentation in the quote, and what stands there in the file. */
type Pair = readonly [quoted: string, standing: string];

const isBlank = (line: string): boolean => withoutOuterBlanks(line) === "";
const indentation = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? "";
const usualStep = /^(?:\t| {2}| {3}| {4}| {8})$/;
/** Tells whether all blanks are of one kind. */
const isEven = (blanks: string): boolean => /^(?: *|\t*)$/.test(blanks);

/** Blanks at the end that a line break in Markdown is made of, or a backslash that takes the next line along. */
function hasMeaningfulEnd(line: string): boolean {
  return !isBlank(line) && (/[ \t]{2}$/.test(line) || withoutOuterBlanks(line).endsWith("\\"));
}

/** Each pair once, the shallowest first; null if they contradict each other, or do not keep what is deeper. */
function ordered(pairs: readonly Pair[]): Pair[] | null {
  const steps = new Map(pairs);
  if (pairs.some(([quoted, standing]) => steps.get(quoted) !== standing)) return null;
  const sorted = [...steps].sort(([one], [other]) => one.length - other.length);
  const isDeeper = (deep: string, shallow: string): boolean =>
    deep.length > shallow.length && deep.startsWith(shallow);
  const isOrder = sorted.every(([quoted, standing], at) => {
    const above = sorted[at - 1];
    return !above || (isDeeper(quoted, above[0]) && isDeeper(standing, above[1]));
  });
  return isOrder ? sorted : null;
}

/** One step of indentation in the caller's lines and in the file. */
interface Units {
  readonly own: string;
  readonly unit: string | null;
}

/** Where the file has lines of this depth: as in the quote, or by whole steps from there. */
function carried(depth: string, steps: readonly Pair[], { own, unit }: Units): string | null {
  const known = steps.find(([quoted]) => quoted === depth);
  if (known) return known[1];
  return own === "" || unit === null ? null : stepped(depth, steps, own, unit);
}

/** Returns blanks that may be one step of indentation in the caller's lines; "" stands for none. */
function ownUnits(steps: readonly Pair[], unit: string, texts: readonly string[]): Set<string> {
  const units = new Set([""]);
  // With the same blanks more or less, the caller's steps are the file's.
  if (shiftOf(steps) !== null) units.add(unit);
  const deepest = steps.at(-1) as Pair;
  // One depth tells of a step only where tabs stand for spaces.
  const from: Pair = steps.length > 1 ? (steps[0] as Pair) : ["", ""];
  const isTold = steps.length > 1 || deepest[0][0] !== deepest[1][0];
  const count = countOf(deepest[1].slice(from[1].length), unit);
  const grown = deepest[0].slice(from[0].length);
  const step = isTold && count && grown.length % count === 0 ? grown.slice(0, grown.length / count) : "";
  if (usualStep.test(step)) units.add(step);
  // A quote that begins at the edge tells of no step: then the smallest that the caller makes, of the other kind of blanks.
  const depths = texts.map(indentation).filter((one) => one !== "");
  const [least = ""] = depths.sort((one, two) => one.length - two.length);
  if (deepest[0] === "" && least[0] !== unit[0] && usualStep.test(least)) units.add(least);
  return units;
}

/** By whole steps from the nearest depth of the quote. All of its depths have to be such steps apart. */
function stepped(depth: string, steps: readonly Pair[], own: string, unit: string): string | null {
  const isRegular = steps.every(([quoted, standing], at) => {
    const [above, there] = steps[at - 1] ?? [quoted, standing];
    return countOf(quoted.slice(above.length), own) === countOf(standing.slice(there.length), unit);
  });
  const gaps = steps
    .slice(1)
    .map(([quoted], at) => countOf(quoted.slice((steps[at] as Pair)[0].length), own));
  if (!isRegular || gaps.includes(null)) return null;
  const above = steps.findLast(([quoted]) => depth.startsWith(quoted));
  if (above) {
    const deeper = countOf(depth.slice(above[0].length), own);
    return deeper === null ? null : above[1] + unit.repeat(deeper);
  }
  const [quoted, standing] = steps[0] as Pair;
  const less = quoted.startsWith(depth) ? countOf(quoted.slice(depth.length), own) : null;
  const taken = less === null ? null : unit.repeat(less);
  return taken === null || !standing.endsWith(taken)
    ? null
    : standing.slice(0, standing.length - taken.length);
}

/** How many steps these blanks are; null if they are no whole number of them. */
function countOf(blanks: string, unit: string): number | null {
  const count = blanks.length / unit.length;
  return Number.isInteger(count) && blanks === unit.repeat(count) ? count : null;
}

/** The blanks that every line has more, or less; null if they are not the same for all. */
function shiftOf(steps: readonly Pair[]): string | null {
  const [[quoted, standing]] = steps as readonly [Pair];
  const isMore = standing.endsWith(quoted);
  const shift = isMore ? standing.slice(0, standing.length - quoted.length) : null;
  const less = quoted.endsWith(standing) ? quoted.slice(0, quoted.length - standing.length) : null;
  if (shift !== null && steps.every(([one, other]) => other === shift + one)) return shift;
  return less !== null && steps.every(([one, other]) => one === less + other) ? less : null;
}

/** Every tab in the one is so many spaces in the other. */
function isExchange(steps: readonly Pair[]): boolean {
  const ways = [steps, steps.map(([quoted, standing]): Pair => [standing, quoted])];
  return ways.some((way) => {
    const [tabs, spaces] = way.find(([one]) => one !== "") ?? ["", ""];
    const width = spaces.length / tabs.length;
    if (!Number.isInteger(width) || width === 0) return false;
    return way.every(([one, other]) => /^\t*$/.test(one) && other === " ".repeat(width * one.length));
  });
}
