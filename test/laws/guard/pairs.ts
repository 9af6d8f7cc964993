/** Which lines of two texts a reader of both may take for the same. */

/** For each line of the first text, lines of the second. */
export type Pairs = readonly ReadonlySet<number>[];

/** Pairs that some longest common subsequence contains, of lines from one place on in either text. */
function commonPairs(
  one: readonly string[],
  two: readonly string[],
  isPair: (i: number, j: number) => boolean,
) {
  const grid = () => Array.from({ length: one.length + 1 }, () => new Array<number>(two.length + 1).fill(0));
  const [head, tail] = [grid(), grid()];
  for (let i = 0; i < one.length; i++)
    for (let j = 0; j < two.length; j++)
      head[i + 1]![j + 1] = isPair(i, j) ? head[i]![j]! + 1 : Math.max(head[i]![j + 1]!, head[i + 1]![j]!);
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = two.length - 1; j >= 0; j--)
      tail[i]![j] = isPair(i, j) ? tail[i + 1]![j + 1]! + 1 : Math.max(tail[i + 1]![j]!, tail[i]![j + 1]!);
  const all = tail[0]![0]!;
  const pairs: [number, number][] = [];
  for (let i = 0; i < one.length; i++)
    for (let j = 0; j < two.length; j++)
      if (isPair(i, j) && head[i]![j]! + 1 + tail[i + 1]![j + 1]! === all) pairs.push([i, j]);
  return pairs;
}

const count = (lines: readonly string[], text: string): number =>
  lines.filter((line) => line === text).length;

type Pair = readonly [number, number];

const fits = ([i, j]: Pair, [k, l]: Pair): boolean =>
  (k === i && l === j) || (k < i && l < j) || (k > i && l > j);

/** Pairs that every longest one contains: those that no other pair stands against. */
function certain(pairs: readonly Pair[]): readonly Pair[] {
  return pairs.filter((one) => pairs.every((other) => fits(one, other)));
}

/** Equal lines that do not stand against those which stand once in both texts, where readers and tools look first. */
function anchored(one: readonly string[], two: readonly string[]) {
  const isEqual = (i: number, j: number): boolean => one[i] === two[j];
  const isSingle = (i: number, j: number): boolean =>
    isEqual(i, j) && count(one, one[i]!) === 1 && count(two, two[j]!) === 1;
  const singles = commonPairs(one, two, isSingle);
  const anchors = certain(singles);
  const pairs = commonPairs(
    one,
    two,
    (i, j) => isEqual(i, j) && anchors.every((anchor) => fits([i, j], anchor)),
  );
  return { singles, pairs, all: commonPairs(one, two, isEqual) };
}

/** Lines that some longest common subsequence pairs, of all lines or between those that stand once in both texts. */
export function plausiblePairs(one: readonly string[], two: readonly string[]): Pairs {
  const { singles, pairs, all } = anchored(one, two);
  const found: Set<number>[] = one.map(() => new Set());
  for (const [i, j] of [...all, ...singles, ...pairs]) found[i]!.add(j);
  return found;
}

/**
 * Lines of the first text that stand untouched in the second for every reader: in what both begin with, or both end
 * with, and so that every longest common subsequence pairs them. Where one of several equal lines came or went, it is
 * not told which; nor where a line that stands once jumped over others which do not, whether it moved or they did.
 */
export function untouched(one: readonly string[], two: readonly string[]): ReadonlyMap<number, number> {
  const most = Math.min(one.length, two.length);
  let [head, tail] = [0, 0];
  while (head < most && one[head] === two[head]) head++;
  while (tail < most && one.at(-1 - tail) === two.at(-1 - tail)) tail++;
  const isOutside = ([i, j]: Pair): boolean =>
    (i === j && i < head) || (one.length - i === two.length - j && one.length - i <= tail);
  const { all, pairs } = anchored(one, two);
  const clear = new Map(certain(pairs));
  return new Map(certain(all).filter(([i, j]) => clear.get(i) === j && isOutside([i, j])));
}
