/** Geometry of a file's strip: which part of its width each range of lines takes. */
import type { Range } from "../../../text/index.js";

export interface Bar {
  readonly x: number;
  readonly width: number;
}

/** A mark narrower than this many thousandths of the strip could not be seen. */
const narrowest = 4;

/** Returns the bars of line ranges on a strip of 1,000 units; bars that touch are joined, so a busy lane stays few elements. */
export function barsOf(ranges: readonly Range[], lines: number): Bar[] {
  const bars: { x: number; width: number }[] = [];
  const unit = 1000 / Math.max(1, lines);
  const sorted = [...ranges].sort((one, two) => one.start - two.start);
  for (const { start, end } of sorted) {
    const x = Math.min(1000 - narrowest, (start - 1) * unit);
    const width = Math.min(1000 - x, Math.max(narrowest, (end - start + 1) * unit));
    const last = bars.at(-1);
    if (last && x <= last.x + last.width) last.width = Math.max(last.width, x + width - last.x);
    else bars.push({ x, width });
  }
  return bars;
}
