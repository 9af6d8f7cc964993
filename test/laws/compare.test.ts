import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visitCertainPairs } from "../../src/changes/certain-pairs.js";
import { compareLines } from "../../src/changes/compare.js";

type Pair = readonly [number, number];

/** Every longest common subsequence, spelled out as lists of pairs: slow and obviously right. */
function everyLongest(a: readonly number[], b: readonly number[]): Pair[][] {
  const from = (x: number, y: number): Pair[][] => {
    let best: Pair[][] = [[]];
    for (let i = x; i < a.length; i++)
      for (let j = y; j < b.length; j++) {
        if (a[i] !== b[j]) continue;
        const tails = from(i + 1, j + 1);
        const length = (tails[0] as Pair[]).length + 1;
        const found = tails.map((tail): Pair[] => [[i, j], ...tail]);
        if (length > (best[0] as Pair[]).length) best = found;
        else if (length === (best[0] as Pair[]).length) best.push(...found);
      }
    return best;
  };
  return from(0, 0);
}

function common(lists: readonly Pair[][]): Pair[] {
  const [first, ...others] = lists as [Pair[], ...Pair[][]];
  return first.filter(([i, j]) => others.every((list) => list.some(([x, y]) => x === i && y === j)));
}

/** The definition of `compare`, by brute force: unique lines first, then every segment between them. */
function reference(a: readonly number[], b: readonly number[]): Pair[] {
  const once = (list: readonly number[], value: number) => list.filter((item) => item === value).length === 1;
  const unique = a.flatMap((value, i): Pair[] =>
    once(a, value) && once(b, value) ? [[i, b.indexOf(value)]] : [],
  );
  const order = unique.map(([, j]) => j);
  const runs = everyLongest(
    order,
    order.toSorted((x, y) => x - y),
  );
  const forced = common(runs).map(([at]) => unique[at] as Pair);
  const pairs: Pair[] = [];
  let [x, y] = [0, 0];
  for (const [i, j] of [...forced, [a.length, b.length] as Pair]) {
    pairs.push(...common(everyLongest(a.slice(x, i), b.slice(y, j))).map(([p, q]): Pair => [p + x, q + y]));
    if (i < a.length) pairs.push([i, j]);
    [x, y] = [i + 1, j + 1];
  }
  return pairs;
}

const letters = (kinds: number, maxLength: number) =>
  fc.array(fc.integer({ min: 0, max: kinds - 1 }), { maxLength });

describe("certain pairs", () => {
  it("are the pairs of every longest common subsequence", () => {
    fc.assert(
      fc.property(letters(3, 7), letters(3, 7), (a, b) => {
        const found: Pair[] = [];
        const done = visitCertainPairs(
          { a: Int32Array.from(a), b: Int32Array.from(b) },
          [0, a.length, 0, b.length],
          (i, j) => found.push([i, j]),
        );
        expect(done).toBe(true);
        expect(found).toEqual(common(everyLongest(a, b)));
      }),
    );
  });

  it("give up rather than hang", () => {
    const a = Int32Array.from({ length: 5000 }, (_, at) => at % 7);
    const b = Int32Array.from({ length: 5000 }, (_, at) => (at * at) % 11);
    expect(visitCertainPairs({ a, b }, [0, 5000, 0, 5000], () => undefined, 10_000)).toBe(false);
  });
});

describe("compare", () => {
  const pairsOf = (a: readonly number[], b: readonly number[]): Pair[] => {
    const map = compareLines(a.map(String), b.map(String));
    return a.flatMap((_, i): Pair[] => (map.index(i) < 0 ? [] : [[i, map.index(i)]]));
  };

  it("agrees with the definition by brute force", () => {
    fc.assert(
      fc.property(letters(6, 7), letters(6, 7), (a, b) => {
        expect(pairsOf(a, b)).toEqual(reference(a, b));
      }),
    );
  });

  it("pairs nothing across a text where one of two equal blocks went away", () => {
    const block = ["{", "x", "}"];
    const map = compareLines([...block, ...block], block);
    expect([0, 1, 2, 3, 4, 5].map((at) => map.index(at))).toEqual([-1, -1, -1, -1, -1, -1]);
  });

  it("pairs only equal lines, in order, and is the identity on equal texts", () => {
    fc.assert(
      fc.property(letters(4, 40), letters(4, 40), (a, b) => {
        const pairs = pairsOf(a, b);
        for (const [i, j] of pairs) expect(a[i]).toBe(b[j]);
        for (let at = 1; at < pairs.length; at++)
          expect((pairs[at] as Pair)[1]).toBeGreaterThan((pairs[at - 1] as Pair)[1]);
        expect(compareLines(a.map(String), a.map(String)).isIdentity).toBe(true);
      }),
    );
  });
});
