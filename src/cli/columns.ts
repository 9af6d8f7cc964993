import { visible } from "../core/index.js";
import type { Colour, Stream } from "./output.js";

export interface Column {
  readonly title: string;
  /** Numbers stand to the right. */
  readonly right?: boolean;
  /** The one that gives way when the terminal is narrow; else the last. */
  readonly shrinks?: "start" | "end";
  readonly colour?: (cell: string) => Colour | null;
}

const gap = 2;
const narrowest = 8;

/** Rows in columns that fit the stream; nothing is cut where nobody looks. */
export function tableText(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  stream: Stream,
): string[] {
  const cells = rows.map((row) => row.map(visible));
  const widths = columns.map(({ title }, at) =>
    cells.reduce((widest, row) => Math.max(widest, (row[at] ?? "").length), title.length),
  );
  if (stream.isTerminal) shrink(widths, columns, stream.columns);
  const heading = columns.map(({ title }) => title);
  const lines = [heading, ...cells].map((row, at) =>
    columns.map((column, place) =>
      cellText(row[place] ?? "", widths[place] as number, { column, stream, at }),
    ),
  );
  return lines.map((cells) => cells.join(" ".repeat(gap)).trimEnd());
}

function shrink(widths: number[], columns: readonly Column[], available: number): void {
  const total = (): number => widths.reduce((sum, width) => sum + width, 0) + gap * (widths.length - 1);
  for (;;) {
    const excess = total() - available;
    if (excess <= 0) return;
    let widest = -1;
    for (const [at, { shrinks }] of columns.entries())
      if (shrinks && (widths[at] as number) > Math.max(narrowest, widths[widest] ?? 0)) widest = at;
    if (widest < 0) return;
    widths[widest] = (widths[widest] as number) - 1;
  }
}

interface Cell {
  readonly column: Column;
  readonly stream: Stream;
  readonly at: number;
}

function cellText(text: string, width: number, { column, stream, at }: Cell): string {
  const shown = text.length <= width ? text : cut(text, width, column.shrinks);
  const blanks = " ".repeat(width - shown.length);
  const colour = at === 0 ? "dim" : (column.colour?.(text) ?? null);
  const painted = colour ? stream.paint(colour, shown) : shown;
  return column.right ? blanks + painted : painted + blanks;
}

/** Of a path the end tells more, of a sentence the beginning. */
function cut(text: string, width: number, shrinks: Column["shrinks"]): string {
  return shrinks === "start" ? `…${text.slice(text.length - width + 1)}` : `${text.slice(0, width - 1)}…`;
}
