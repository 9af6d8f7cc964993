import fc from "fast-check";
import { expect } from "vitest";
import { Frequency } from "../../support/frequency.js";

/** What came of the calls of a history. */
export interface Found {
  readonly allowed: number;
  readonly denied: number;
  /** Refused, and yet they would have been right; where that is counted. */
  readonly right?: number;
  readonly strays: readonly string[];
  readonly alarms: readonly string[];
}

const runs = Number(process.env.KEDGE_RUNS);
const seed = Number(process.env.KEDGE_SEED);

/**
 * Where nearly all lines are equal, no text tells everything: so many of a thousand edits may go wrong, and are printed. It
 * is looked on until the counts tell that from six times as many. (Measured: of single edits
 * 4 of 25,064 strayed, of calls of several parts 24 of 71,947.)
 */
const tolerated = { allowed: 2 / 1000, times: 6 };

/** Plays histories until it is told; how many calls were let through, and how many were not. */
export async function weigh<T>(
  name: string,
  history: fc.Arbitrary<T>,
  play: (one: T) => Promise<Found>,
): Promise<Pick<Found, "allowed" | "denied">> {
  const all = { allowed: 0, denied: 0, right: 0 };
  const [strays, alarms]: [string[], string[]] = [[], []];
  const [straying, alarming] = [new Frequency(tolerated), new Frequency(tolerated)];
  const played = fc.asyncProperty(history, async (one) => {
    const found = await play(one);
    for (const key of ["allowed", "denied", "right"] as const) all[key] += found[key] ?? 0;
    strays.push(...found.strays);
    alarms.push(...found.alarms);
    straying.add(found.strays.length, found.allowed);
    alarming.add(found.alarms.length, found.allowed);
  });
  await fc.assert(played, { numRuns: runs * 10 });
  const isOpen = () => [straying, alarming].some(({ verdict }) => verdict === "unclear");
  for (let more = 1; more < 100 && isOpen(); more++)
    await fc.assert(played, { numRuns: runs, seed: seed + more });
  const { allowed, denied, right } = all;
  console.log(
    `guard: ${name}: ${allowed} let through (${strays.length} strayed), ${denied} refused (${right > 0 ? `${right} were right, ` : ""}${alarms.length} without need)`,
  );
  for (const story of [...strays, ...alarms]) console.log(story);
  expect(straying.verdict, `${strays.length} of ${allowed} strayed`).toBe("seldom");
  expect(alarming.verdict, `${alarms.length} of ${allowed} were refused without need`).toBe("seldom");
  return all;
}
