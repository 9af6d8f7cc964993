import type { LineMap } from "./linemap.js";
import { type Named, ours } from "./named.js";
import { carried, orderBeside, type Piece } from "./resolve.js";
import type { View } from "./view.js";

/**
 * What a refused edit would do if it were sent again on the rows of the refusal: its anchors taken to the lines that
 * stand there now. null where that would be a guess; then no retry handle is offered.
 */
export function force(named: Named, view: View): Piece[] | null {
  const theirs = view.history.believed(named.base)?.toNow;
  const [edit] = named.edits;
  if (!theirs || !edit) return null;
  switch (edit.op) {
    case "insert_after":
    case "insert_before": {
      const beside = named.beside as number;
      const span = standsAt(theirs, beside, beside + 1);
      if (!span) return null;
      const gap = edit.op === "insert_after" ? span[1] : span[0];
      const anchor = span[0] < span[1] ? { anchor: span[0] } : {};
      return [{ named, start: gap, end: gap, lines: edit.text, order: 1, ...anchor }];
    }
    case "set_line":
    case "replace_lines":
    case "delete_lines": {
      const range = named.spans[0] as { start: number; end: number };
      const span = standsAt(theirs, range.start, range.end);
      if (!span) return null;
      const [start, end] = span;
      const order = (point: number) => orderBeside([{ start, end }], point);
      return ours(view.history.now.lines(start, end), edit.text, start).map((hunk) => ({
        ...hunk,
        named,
        order: hunk.start < hunk.end ? 1 : order(hunk.start),
      }));
    }
    case "move_lines":
    case "copy_lines": {
      const range = named.spans[0] as { start: number; end: number };
      const [source, target] = [
        range,
        { start: named.beside as number, end: (named.beside as number) + 1 },
      ].map(({ start, end }) => standsAt(theirs, start, end));
      if (!source || !target || source[0] === source[1] || target[0] === target[1]) return null;
      const span = { start: source[0], end: source[1] };
      return carried(edit.op, span, target[1], view.history.now.lines(...source)).map((hunk) => ({
        ...{ ...hunk, named, order: 1 },
        ...(hunk.start === hunk.end ? { anchor: target[0] } : {}),
      }));
    }
    default:
      return null;
  }
}

/**
 * The lines of the file now that lines [start, end) became. At an edge inside a region that is only certain if the
 * span covers the region's lines on that side, or the region has as many lines as before.
 */
function standsAt(theirs: LineMap, start: number, end: number): readonly [number, number] | null {
  const edge = (line: number, first: boolean): number | null => {
    const fate = theirs.mapLine(line);
    if (fate.kind !== "deleted") return first ? fate.line : fate.line + 1;
    const { aStart, aEnd, bStart, bEnd } = fate.region;
    if (aEnd - aStart === bEnd - bStart) return bStart + (line - aStart) + (first ? 0 : 1);
    if (first) return aStart === line ? bStart : null;
    return aEnd === line + 1 ? bEnd : null;
  };
  const from = edge(start, true);
  const to = edge(end - 1, false);
  return from === null || to === null || to < from ? null : [from, to];
}
