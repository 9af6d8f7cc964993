import { type SchemeName, scheme, schemes } from "../anchors/index.js";
import type { NewName } from "../answers/index.js";
import { linesMeant } from "../edits/index.js";
import type { OpenFile } from "../ledger/index.js";

/**
 * Returns a name that means one line for each line of which an answer prints an anchor that was printed for another line
 * before, and for that one. Left as they are, every call that gives the anchor would be refused.
 */
export async function newNames(
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
      const free = names.find(isFree(one));
      if (free !== undefined) found.set(one, { line: one, scheme: free });
    }
  }
  return [...found.values()].sort((one, two) => one.line - two.line);
}
