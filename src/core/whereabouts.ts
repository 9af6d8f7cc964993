import type { Document } from "./document.js";
import type { Ref } from "./edit.js";
import { LineSet } from "./ranges.js";
import { scheme } from "./scheme.js";

/** Lines to read on each side. */
const around = 20;

/**
 * Lines of the file now to read again, where the text that was shown is not kept and nothing can be followed from it.
 * Nothing is decided by this: a range from the first line to the second, and a destination by itself.
 */
export function whereabouts(refs: readonly Ref[], now: Document): LineSet {
  const [first = 0, second = first, ...others] = refs.map((ref) => nearest(ref, now));
  const span = [Math.min(first, second), Math.max(first, second) + 1] as const;
  return refs.length === 0
    ? LineSet.empty
    : widened([span, ...others.map((at) => [at, at + 1] as const)], now);
}

/** These lines with some around them; none if that is all of the file, which needs no ranges to be read. */
export function widened(spans: readonly (readonly [number, number])[], now: Document): LineSet {
  const count = now.lineCount;
  const wide = LineSet.of(
    spans.map(([start, end]) => [Math.max(0, start - around), Math.min(count, end + around)] as const),
  );
  return wide.size === count ? LineSet.empty : wide;
}

/** The line nearest to the anchor's number that carries its hash now, else the one that has the number. */
function nearest({ anchor }: Ref, now: Document): number {
  const used = scheme(anchor.scheme);
  const from = Math.min(anchor.line, now.lineCount) - 1;
  const carries = (at: number): boolean =>
    at >= 0 && at < now.lineCount && used.hashLine(now, at) === anchor.hash;
  for (let away = 0; away < now.lineCount; away++) {
    if (carries(from - away)) return from - away;
    if (carries(from + away)) return from + away;
  }
  return Math.max(0, from);
}
