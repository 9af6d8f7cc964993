/**
 * Inside one segment: the pairs of equal lines that every longest common subsequence contains.
 *
 * With f(x,y) the edit distance from the start and b(x,y) the one to the end (insertions and deletions only), a pair
 * is on some minimal path when f before it and b after it add up to the distance D of the whole. On every minimal
 * path the number of pairs before a point is (x + y - f) / 2, so each such pair has one rank, each path has one pair
 * of each rank, and a pair is on all paths exactly when it is alone in its rank. f and b come from Myers' furthest
 * reaching points, kept for every distance: a point of a diagonal has distance d when it lies beyond the furthest
 * point of d - 2 and not beyond that of d. O((N+M)·D) time, O(D²) memory, both under the work limit.
 */

/** Steps a segment of that many lines may cost before it is given up on; some milliseconds at the most. */
function workFor(lines: number): number {
  return 200_000 + 100 * lines;
}

export interface Classes {
  readonly a: Int32Array;
  readonly b: Int32Array;
}

/** Lines [aStart, aEnd) of one text and [bStart, bEnd) of the other. */
export type Segment = readonly [aStart: number, aEnd: number, bStart: number, bEnd: number];

/** Furthest points: `reach[d(d+1)/2 + (k+d)/2]` is the largest x on diagonal k = x - y within d edits. */
interface Frontier {
  readonly reach: Int32Array;
  readonly distance: number;
  readonly steps: number;
}

const none = -1;

function frontier(a: Int32Array, b: Int32Array, work: number): Frontier | null {
  const n = a.length;
  const m = b.length;
  let reach = new Int32Array(64);
  let steps = 0;
  for (let d = 0; d <= n + m; d++) {
    const row = (d * (d + 1)) / 2;
    if (row + d >= reach.length) {
      const grown = new Int32Array(reach.length * 4);
      grown.set(reach);
      reach = grown;
    }
    const previous = row - d;
    for (let k = -d; k <= d; k += 2) {
      const slot = row + ((k + d) >> 1);
      const limit = n < m + k ? n : m + k;
      if (limit < 0 || limit < k) {
        reach[slot] = none;
        continue;
      }
      let x = d === 0 ? 0 : none;
      if (k > -d) {
        const left = reach[previous + ((k + d) >> 1) - 1] as number;
        if (left !== none) x = left + 1;
      }
      if (k < d) {
        const above = reach[previous + ((k + d) >> 1)] as number;
        if (above > x) x = above;
      }
      if (x > limit) x = limit;
      if (x < k) x = none;
      if (x !== none) {
        const from = x;
        while (x < limit && a[x] === b[x - k]) x++;
        steps += x - from;
      }
      reach[slot] = x;
      if (k === n - m && x === n) return { reach, distance: d, steps };
    }
    steps += d + 1;
    if (steps > work) return null;
  }
  return null;
}

/** Visits, in order, the certain pairs of a[aStart, aEnd) and b[bStart, bEnd); false if the segment was given up on. */
export function certainPairs(
  { a, b }: Classes,
  [aStart, aEnd, bStart, bEnd]: Segment,
  visit: (aIndex: number, bIndex: number) => void,
  work = workFor(aEnd - aStart + bEnd - bStart),
): boolean {
  const n = aEnd - aStart;
  const m = bEnd - bStart;
  const [one, two] = [a.slice(aStart, aEnd), b.slice(bStart, bEnd)];
  const forward = frontier(one, two, work);
  if (!forward) return false;
  const backward = frontier(one.reverse(), two.reverse(), work);
  if (!backward) return false;
  const distance = forward.distance;
  const ranks = (n + m - distance) / 2;
  const seen = new Uint8Array(ranks);
  const pairs = new Int32Array(ranks * 2);
  let steps = 0;
  for (let d = 0; d <= distance; d++) {
    const rest = distance - d;
    for (let k = Math.max(-d, -m); k <= Math.min(d, n); k++) {
      if ((k + d) & 1) continue;
      const mirrored = n - m - k;
      if (Math.abs(mirrored) > rest) continue;
      // x before the pair has distance d from the start; n - 1 - x, after it, has `rest` to the end.
      const low = Math.max(beyond(forward.reach, d, k), n - 1 - at(backward.reach, rest, mirrored), 0, k);
      const high = Math.min(
        at(forward.reach, d, k),
        n - 1 - beyond(backward.reach, rest, mirrored),
        n - 1,
        m - 1 + k,
      );
      for (let x = low; x <= high; x++) {
        if (a[aStart + x] !== b[bStart + x - k]) continue;
        const rank = (2 * x - k - d) / 2;
        if (seen[rank] === 0) {
          pairs[2 * rank] = aStart + x;
          pairs[2 * rank + 1] = bStart + x - k;
        }
        seen[rank] = seen[rank] === 0 ? 1 : 2;
      }
      steps += high > low ? high - low : 1;
      if (steps > work) return false;
    }
  }
  for (let rank = 0; rank < ranks; rank++)
    if (seen[rank] === 1) visit(pairs[2 * rank] as number, pairs[2 * rank + 1] as number);
  return true;
}

function at(reach: Int32Array, d: number, k: number): number {
  return reach[(d * (d + 1)) / 2 + (k + d) / 2] as number;
}

/** The first x of the diagonal whose distance is more than d - 2. */
function beyond(reach: Int32Array, d: number, k: number): number {
  return Math.abs(k) > d - 2 ? 0 : at(reach, d - 2, k) + 1;
}
