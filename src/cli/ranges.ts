import type { Range } from "../core/index.js";
import { UsageError } from "./args.js";

const farthest = Number.MAX_SAFE_INTEGER;

/** "10-20,40-50", "7", "100-" (to the end). */
export function parseRanges(text: string): Range[] {
  return text.split(",").map((part) => {
    const found = /^\s*(\d{1,15})\s*(?:(-)\s*(\d{1,15})?)?\s*$/.exec(part);
    const start = Number(found?.[1] ?? 0);
    const end = found?.[3] !== undefined ? Number(found[3]) : found?.[2] ? farthest : start;
    if (!found || start < 1)
      throw new UsageError(`--ranges is like 10-20,40-50; got ${JSON.stringify(part)}`);
    if (end < start) throw new UsageError(`the range ${part.trim()} ends before it begins`);
    return { start, end };
  });
}
