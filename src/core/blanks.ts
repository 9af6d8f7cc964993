import { compareLines } from "./compare.js";
import type { Document } from "./document.js";
import { bare } from "./indent.js";
import { LineMap, type Region } from "./linemap.js";

const known = new WeakMap<LineMap, LineMap>();

/** A run of this many lines with a word is taken for the same run wherever it stands. */
const enough = 3;

/**
 * The same map, with lines paired too that differ only in blanks at their starts and ends, as a formatter leaves them. All
 * lines of a changed place have to, or enough of them that stand together: one line among others that changed may be a
 * new one.
 */
export function overBlanks(map: LineMap, before: Document, now: Document): LineMap {
  const found = known.get(map);
  if (found) return found;
  const regions = map.regions.flatMap((region) => changedIn(region, before, now));
  const made = LineMap.of(map.before, map.after, regions);
  known.set(map, made);
  return made;
}

/** Returns the parts of a region that hold no paired lines. */
function changedIn(region: Region, before: Document, now: Document): Region[] {
  const { aStart, aEnd, bStart, bEnd } = region;
  const old = before.lines(aStart, aEnd).map(bare);
  const inside = compareLines(old, now.lines(bStart, bEnd).map(bare));
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
function runs(map: LineMap): [number, number][] {
  const edges = [{ aEnd: 0, bEnd: 0 }, ...map.regions];
  return edges.flatMap(({ aEnd }, at): [number, number][] => {
    const end = map.regions[at]?.aStart ?? map.before;
    return aEnd < end ? [[aEnd, end]] : [];
  });
}
