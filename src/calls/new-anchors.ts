/** Names for lines whose anchors mean two lines. */
import { type SchemeName, scheme, schemes } from "../anchors/index.js";
import { listedAnchors, type NewName } from "../answers/index.js";
import { linesMeant } from "../edits/index.js";
import type { OpenFile, Printer } from "../ledger/index.js";
import { LineSet } from "../text/index.js";

/** A longer line is not printed once more for its name. */
const longestNamed = 200;

/** Rows of an answer; some lines are named anew besides. */
export interface Named {
  readonly printed: LineSet;
  readonly scheme: SchemeName;
  readonly renamed: readonly NewName[];
}

/** Returns when the last of the rows was printed. A line has its new name besides the one in the list. */
export function showNamed(
  target: OpenFile,
  { printed, scheme: used, renamed }: Named,
  printer: Printer,
  request?: string,
): number {
  const shown = new Map([[used, printed]]);
  for (const { line, scheme: name } of renamed)
    shown.set(name, (shown.get(name) ?? LineSet.empty).union(LineSet.lines([line])));
  return Math.max(...[...shown].map(([name, rows]) => target.showed(rows, name, printer, request)));
}

/** The new names are an aid: without them the anchors are refused as what they are. */
export async function namedAnew(
  target: OpenFile,
  rows: LineSet,
  used: SchemeName,
): Promise<readonly NewName[]> {
  try {
    return rows.isEmpty ? [] : await newNames(target, rows.first(listedAnchors).indexes(), used);
  } catch {
    return [];
  }
}

/**
 * Returns a name that means one line for each line of which an answer prints an anchor that was printed for another line
 * before, and for that one. Left as they are, every call that gives the anchor would be refused.
 */
async function newNames(
  target: OpenFile,
  printed: readonly number[],
  used: SchemeName,
): Promise<readonly NewName[]> {
  const { text } = target;
  const names = [used, ...Object.keys(schemes).filter((name) => name !== used)] as SchemeName[];
  const hashOf = (name: SchemeName, line: number): string => scheme(name).hashLine(text, line);
  const hashes = new Map(printed.map((line) => [line, hashOf(used, line)]));
  const states = target.agent.showings.flatMap(({ scheme: name, rows, hashes: kept, state }) => {
    const isAsked = (line: number): boolean => rows.has(line) && (!kept || kept[line] === hashes.get(line));
    return name === used && printed.some(isAsked) ? [state] : [];
  });
  if (states.length === 0) return [];
  await target.load(states);
  const view = target.view("");
  const meant = (line: number, name: SchemeName): ReadonlySet<number> =>
    linesMeant({ line, hash: hashOf(name, line), scheme: name }, view);
  const isFree = (line: number) => (name: SchemeName) => [...meant(line, name)].every((one) => one === line);
  const found = new Map<number, NewName>();
  for (const line of printed) {
    const others = [...meant(line, used)].filter((one) => one !== line);
    if (others.length === 0) continue;
    for (const one of [line, ...others.filter((other) => other >= 0)]) {
      if (text.text(one).length > longestNamed) continue;
      const free = names.find(isFree(one));
      if (free !== undefined) found.set(one, { line: one, scheme: free });
    }
  }
  return [...found.values()].sort((one, two) => one.line - two.line);
}
