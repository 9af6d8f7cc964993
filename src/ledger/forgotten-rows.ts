import type { SchemeName } from "../anchors/index.js";
import type { Showing } from "../edits/index.js";
import { LineSet } from "../text/index.js";

type ForgottenRow = readonly [line: number, hash: string];

/** Rows of one scheme whose showings had to be dropped: an anchor that one of them was printed with may mean that one. */
interface ForgottenRows {
  /** Numbers of rows (0-based) of which it is not known what they were printed with. */
  readonly lines: LineSet;
  /** The other rows, each with an anchor that it was printed with. */
  readonly rows: readonly ForgottenRow[];
}

export type Forgotten = Readonly<Partial<Record<SchemeName, ForgottenRows>>>;

export const nothingForgotten: Forgotten = {};
const none: ForgottenRows = { lines: LineSet.empty, rows: [] };

/** Beyond so many, of none of them it is known any more. */
const mostRows = 1500;

export function forget(before: Forgotten, dropped: readonly Showing[]): Forgotten {
  const named = dropped.filter(({ scheme }) => scheme !== null);
  if (named.length === 0) return before;
  const all: Partial<Record<SchemeName, ForgottenRows>> = { ...before };
  for (const { scheme, rows, hashes } of named)
    all[scheme as SchemeName] = added(all[scheme as SchemeName] ?? none, rows, hashes);
  return all;
}

function added({ lines, rows }: ForgottenRows, printed: LineSet, hashes: Showing["hashes"]): ForgottenRows {
  if (!hashes) return { lines: lines.union(printed), rows };
  const isKnown = (line: number): boolean => rows.some(([at, hash]) => at === line && hash === hashes[line]);
  const fresh = printed.indexes().filter((line) => !isKnown(line));
  const all = [...rows, ...fresh.map((line): ForgottenRow => [line, hashes[line] as string])];
  return all.length > mostRows
    ? { lines: lines.union(LineSet.lines(all.map(([line]) => line))), rows: [] }
    : { lines, rows: all };
}

/** The lines of these rows are certain again: they were printed anew in this scheme, and the older ones are retired. */
export function retired(before: Forgotten, printed: LineSet, scheme: SchemeName): Forgotten {
  const found = before[scheme];
  if (!found) return before;
  const rows = found.rows.filter(([line]) => !printed.has(line));
  return { ...before, [scheme]: { lines: found.lines.subtract(printed), rows } };
}

export function isForgotten(before: Forgotten, index: number, hash: string, scheme: SchemeName): boolean {
  const { lines, rows } = before[scheme] ?? none;
  return lines.has(index) || rows.some(([line, used]) => line === index && used === hash);
}

export function forgottenJson(forgotten: Forgotten) {
  return Object.entries(forgotten).map(([scheme, { lines, rows }]) => [scheme, lines.toJSON(), rows]);
}

export type RawForgotten = readonly (readonly [SchemeName, readonly number[], readonly ForgottenRow[]])[];

export function forgottenFrom(raw: RawForgotten): Forgotten {
  return Object.fromEntries(
    raw.map(([scheme, lines, rows]) => [scheme, { lines: LineSet.fromJSON(lines), rows }]),
  );
}
