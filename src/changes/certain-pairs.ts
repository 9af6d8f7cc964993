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
  return 60_000 + 40 * lines;
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

const unpaired = -1;

/**
 * Room for the first distances of both directions. Most segments are a few lines, and two texts may have hundreds: to
 * allocate a frontier takes longer than to fill it. Their contents are not looked at after the call.
 */
const room = { forward: new Int32Array(256), backward: new Int32Array(256) };

function frontier(a: Int32Array, b: Int32Array, work: number, first: Int32Array): Frontier | null {
  const n = a.length;
  const m = b.length;
  let reach = first;
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
        reach[slot] = unpaired;
        continue;
      }
      let x = d === 0 ? 0 : unpaired;
      if (k > -d) {
        const left = reach[previous + ((k + d) >> 1) - 1] as number;
        if (left !== unpaired) x = left + 1;
      }
      if (k < d) {
        const above = reach[previous + ((k + d) >> 1)] as number;
        if (above > x) x = above;
      }
      if (x > limit) x = limit;
      if (x < k) x = unpaired;
      if (x !== unpaired) {
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
export function visitCertainPairs(
  { a, b }: Classes,
  [aStart, aEnd, bStart, bEnd]: Segment,
  visit: (aIndex: number, bIndex: number) => void,
  work = workFor(aEnd - aStart + bEnd - bStart),
): boolean {
  // A line without its like on the other side is in no common subsequence: leaving it out changes no pair.
  const aLines = having(a, aStart, aEnd, b.subarray(bStart, bEnd));
  const bLines = aLines.length > 0 ? having(b, bStart, bEnd, a.subarray(aStart, aEnd)) : aLines;
  if (aLines.length === 0) return true;
  const one = pick(a, aLines);
  const two = pick(b, bLines);
  const forward = frontier(one, two, work, room.forward);
  const backward = forward && frontier(backwards(one), backwards(two), work, room.backward);
  if (!backward) return false;
  const pairs = inEveryPath({ a: one, b: two }, forward, backward, work);
  if (!pairs) return false;
  for (let at = 0; at < pairs.length; at += 2)
    visit(aLines[pairs[at] as number] as number, bLines[pairs[at + 1] as number] as number);
  return true;
}

function pick(lines: Int32Array, indexes: readonly number[]): Int32Array {
  const picked = new Int32Array(indexes.length);
  for (let at = 0; at < indexes.length; at++) picked[at] = lines[indexes[at] as number] as number;
  return picked;
}

function backwards(lines: Int32Array): Int32Array {
  const reversed = new Int32Array(lines.length);
  for (let at = 0; at < lines.length; at++) reversed[lines.length - 1 - at] = lines[at] as number;
  return reversed;
}

/** The lines of a span whose class occurs among others; most segments are a few lines, not worth a set. */
function having(lines: Int32Array, start: number, end: number, others: Int32Array): number[] {
  const classes = others.length > 16 ? new Set(others) : null;
  const found: number[] = [];
  for (let at = start; at < end; at++) {
    const line = lines[at] as number;
    if (classes ? classes.has(line) : others.includes(line)) found.push(at);
  }
  return found;
}

/** The pairs that are alone in their rank, flat; null if that cost too much. */
function inEveryPath(
  { a, b }: Classes,
  forward: Frontier,
  backward: Frontier,
  work: number,
): number[] | null {
  const n = a.length;
  const m = b.length;
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
        if (a[x] !== b[x - k]) continue;
        const rank = (2 * x - k - d) / 2;
        if (seen[rank] === 0) {
          pairs[2 * rank] = x;
          pairs[2 * rank + 1] = x - k;
        }
        seen[rank] = seen[rank] === 0 ? 1 : 2;
      }
      steps += high > low ? high - low : 1;
      if (steps > work) return null;
    }
  }
  const alone: number[] = [];
  for (let rank = 0; rank < ranks; rank++)
    if (seen[rank] === 1) alone.push(pairs[2 * rank] as number, pairs[2 * rank + 1] as number);
  return alone;
}

function at(reach: Int32Array, d: number, k: number): number {
  return reach[(d * (d + 1)) / 2 + (k + d) / 2] as number;
}

/** The first x of the diagonal whose distance is more than d - 2. */
function beyond(reach: Int32Array, d: number, k: number): number {
  return Math.abs(k) > d - 2 ? 0 : at(reach, d - 2, k) + 1;
}
