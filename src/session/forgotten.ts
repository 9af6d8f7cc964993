import { LineSet, type Showing } from "../core/index.js";

/** Rows whose showings had to be dropped: an anchor that one of them was printed with may mean that one. */
export interface Forgotten {
  /** Numbers of rows (0-based) of which it is not known what they were printed with. */
  readonly lines: LineSet;
  /** Of the others, what they were printed with. */
  readonly rows: ReadonlyMap<number, readonly string[]>;
}

export const nothingForgotten: Forgotten = { lines: LineSet.empty, rows: new Map() };

/** Beyond so many, of none of them it is known any more. */
const mostRows = 1500;

export function forget(before: Forgotten, dropped: readonly Showing[]): Forgotten {
  const named = dropped.filter(({ scheme }) => scheme !== null);
  if (named.length === 0) return before;
  let { lines } = before;
  const rows = new Map(before.rows);
  for (const { rows: printed, hashes } of named) {
    if (!hashes) lines = lines.union(printed);
    else
      for (const at of printed.indexes())
        rows.set(at, [...new Set([...(rows.get(at) ?? []), hashes[at] as string])]);
  }
  const count = [...rows.values()].reduce((sum, one) => sum + one.length, 0);
  return count > mostRows
    ? { lines: lines.union(LineSet.lines([...rows.keys()])), rows: new Map() }
    : { lines, rows };
}

/** What these rows name is certain again: they were printed anew, and the older ones are retired. */
export function retired(before: Forgotten, printed: LineSet): Forgotten {
  if (before.lines.isEmpty && before.rows.size === 0) return before;
  const rows = [...before.rows].filter(([at]) => !printed.has(at));
  return { lines: before.lines.subtract(printed), rows: new Map(rows) };
}

export function isForgotten({ lines, rows }: Forgotten, index: number, hash: string): boolean {
  return lines.has(index) || (rows.get(index)?.includes(hash) ?? false);
}
