import type { Edit } from "./edit.js";
import type { LineMap } from "./linemap.js";
import { quotesIn } from "./quote.js";
import type { Resolution } from "./resolve.js";
import { newestShown, type View } from "./view.js";

/** A first or last line that repeats the neighbour outside is kept, and said. */
export function repeatedNeighbours({ named, pieces }: Resolution, view: View): string[] {
  const warnings: string[] = [];
  const writing = new Set(pieces.map((piece) => piece.named));
  for (const one of named) {
    const [edit] = one.edits;
    if (!edit || !("text" in edit) || !writing.has(one)) continue;
    const base = view.history.believed(one.base)?.document;
    const [start, end] = one.spans[0] ? [one.spans[0].start, one.spans[0].end] : [one.gap ?? 0, one.gap ?? 0];
    const [first, last] = [edit.text[0], edit.text.at(-1)];
    const above = first !== undefined && start > 0 && base?.reads(start - 1, first);
    const below = last !== undefined && base && end < base.lineCount && base.reads(end, last);
    const say = (which: string, where: string, text: string) =>
      warnings.push(
        `edits[${edit.index}]: the ${which} line of the text repeats the line ${where} it (${JSON.stringify(text)}); it was kept`,
      );
    if (above && first.trim() !== "") say("first", "above", first);
    if (below && last.trim() !== "") say("last", "below", last);
  }
  return warnings;
}

/** An anchor could be understood in two ways, and one was chosen. */
export function doubts({ named }: Resolution): string[] {
  return named.flatMap(({ edits, doubts = [] }) => doubts.map((one) => `edits[${edits[0]?.index}]: ${one}`));
}

/** Text that others put where this call appends, or quotes that they added, since the agent last saw the file. */
export function addedByOthers(edits: readonly Edit[], view: View): string[] {
  const seen = newestShown(view);
  const theirs = seen === undefined ? null : view.history.believed(seen)?.toNow;
  if (!theirs || theirs.isIdentity) return [];
  return edits.flatMap((edit) => {
    const found = added(edit, theirs, view);
    return found === null ? [] : [`edits[${edit.index}]: ${found}`];
  });
}

function added(edit: Edit, theirs: LineMap, view: View): string | null {
  const [first, last] = [theirs.regions[0], theirs.regions.at(-1)];
  if (edit.op === "append" && last && last.aEnd === theirs.before && last.bEnd > last.bStart)
    return "others added text at the end of the file; yours stands after it";
  if (edit.op === "prepend" && first && first.aStart === 0 && first.bEnd > first.bStart)
    return "others added text at the start of the file; yours stands before it";
  if (edit.op !== "replace_text") return null;
  const lines = quotesIn(view.history.now, edit.old).filter(([start, end]) =>
    theirs.regions.some(({ bStart, bEnd }) => start < bEnd && bStart <= end),
  );
  if (lines.length === 0) return null;
  const where = lines.slice(0, 5).map(([start]) => start + 1);
  const [what, name] = lines.length === 1 ? ["a place", "line"] : [`${lines.length} places`, "lines"];
  const places = `${name} ${where.join(", ")}${lines.length > where.length ? ", …" : ""}`;
  return `the quoted text also stands in ${what} that others wrote (${places}); not replaced`;
}
