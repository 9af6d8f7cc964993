/** Remembers which lines a commit took: of equal lines of two authors the text alone cannot tell. */
import type { Json, LedgerStore, StoreReader } from "../ports/index.js";
import type { Weave, WovenLine } from "./lines/weave.js";

/** Commits of one file that are remembered. */
const mostCommits = 8;

const recordOf = (key: string): string => `committed ${key}`;

/** `runs`: for each stretch of lines the number of its version, its first line there, and how many; -1: unknown. */
interface Taken {
  readonly blob: string;
  readonly versions: readonly string[];
  readonly runs: readonly number[];
}

function takenIn(value: Json | undefined): readonly Taken[] {
  return Array.isArray(value) ? (value as unknown as Taken[]) : [];
}

export async function rememberCommitted(
  key: string,
  blob: string,
  lines: readonly (WovenLine | null)[],
  store: LedgerStore,
): Promise<void> {
  const versions: string[] = [];
  const runs: number[] = [];
  for (const line of lines) {
    const version = line?.version ? numberOf(line.version, versions) : -1;
    const at = runs.length - 3;
    const follows = version < 0 || runs[at + 1] === (line as WovenLine).index - (runs[at + 2] as number);
    if (runs[at] === version && follows) runs[at + 2] = (runs[at + 2] as number) + 1;
    else runs.push(version, line?.index ?? 0, 1);
  }
  const name = recordOf(key);
  const former = takenIn((await store.record(name))?.value).filter((one) => one.blob !== blob);
  const taken = [...former, { blob, versions, runs }].slice(-mostCommits);
  await store.putRecord(name, taken as unknown as Json);
}

function numberOf(version: string, versions: string[]): number {
  const found = versions.lastIndexOf(version);
  return found < 0 ? versions.push(version) - 1 : found;
}

/** Returns the lines of a text that `kedge commit` made; null if it did not, or the journal no longer goes back as far. */
export async function committedPlaces(
  key: string,
  blob: string,
  weave: Weave,
  store: StoreReader,
): Promise<(WovenLine | null)[] | null> {
  const taken = takenIn((await store.record(recordOf(key)))?.value).find((one) => one.blob === blob);
  if (!taken) return null;
  const named = new Map([...weave.all()].map((line) => [`${line.version} ${line.index}`, line]));
  const found: (WovenLine | null)[] = [];
  for (let at = 0; at + 2 < taken.runs.length; at += 3) {
    const [version, first, count] = taken.runs.slice(at, at + 3) as [number, number, number];
    for (let offset = 0; offset < count; offset++) {
      const line = version < 0 ? null : named.get(`${taken.versions[version]} ${first + offset}`);
      if (line === undefined) return null;
      found.push(line);
    }
  }
  return found;
}
