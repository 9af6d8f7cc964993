import { hunksOf, LineChange } from "../../src/changes/line-change.js";
import type { Document } from "../../src/text/document.js";
import type { Hunk } from "../../src/text/splice.js";

/** The text that hunks make, one after the other: slow, and obviously right. Hunks that do not fit it are an error. */
export function applyHunks<T>(lines: readonly T[], hunks: readonly Hunk<T>[]): T[] {
  LineChange.ofHunks(lines.length, hunks);
  const made = [...lines];
  for (const { start, end, lines: put } of hunks.toReversed()) made.splice(start, end - start, ...put);
  return made;
}

/** A change, with the lines of the text that it made. */
export function hunksOfResult(made: {
  readonly change: LineChange;
  readonly document: Document;
}): Hunk<string>[] {
  return hunksOf(made.change.regions, made.document);
}

/** Lines that stand in no document. */
export function textOfLines<T>(lines: readonly T[]) {
  return { lines: (start: number, end: number) => lines.slice(start, end) };
}
