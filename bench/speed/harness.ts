/** One row of a speed table: a piece of work, measured against a baseline in the same run. */
export interface Row {
  readonly work: string;
  readonly goal: number;
  readonly ratio: number;
  readonly spread: readonly [number, number];
  readonly milliseconds: number;
  readonly baseline: string;
}

/** Milliseconds, from whenever. */
export type Clock = () => number;

const wall: Clock = () => performance.now();

/**
 * Processor time of this process, the threads of its collector included: for work that waits for nothing. On a busy
 * machine by the wall, the others' share falls on long work and spares work that is shorter than their turn; here it
 * falls on none. Windows counts in steps of 15 ms, which is too coarse.
 */
export const processor: Clock =
  process.platform === "win32"
    ? wall
    : () => {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1000;
      };

export interface Base {
  readonly name: string;
  readonly run: () => unknown;
  /** For the row and its baseline; the wall's if not given. */
  readonly clock?: Clock;
}

const warmUp = 1000;
const shortest = 0.3;
const rounds = { time: 1000, fewest: 41, most: 401 };

/**
 * The last result of the work and of its baseline. Not only so that nothing is optimised away: a result is for somebody
 * who has it in hand. Where none is held, the allocator gives its pages back with every collection, and each call pays
 * for getting them anew: half as long again for an edit.
 */
export const held: { own: unknown; base: unknown } = { own: null, base: null };

function time(work: () => unknown, whose: keyof typeof held, repeats: number, clock: Clock): number {
  const start = clock();
  for (let at = 0; at < repeats; at++) held[whose] = work();
  return (clock() - start) / repeats;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, two) => one - two)[Math.floor(values.length / 2)] as number;
}

/** Alternates work and baseline, so that a busy moment of the machine falls on both; the ratio is of the medians. */
export function measure(work: string, goal: number, run: () => unknown, base: Base): Row {
  const { clock = wall } = base;
  const once = Math.max(time(run, "own", 3, wall), time(base.run, "base", 3, wall), 0.001);
  // One call at a time where the clock can tell: between two, the other's result is all that is held.
  const repeats = Math.max(1, Math.min(50, Math.round(shortest / once)));
  // Warm means compiled: the optimising compiler takes some hundred calls to settle.
  const warm = performance.now() + warmUp;
  while (performance.now() < warm) {
    time(run, "own", repeats, clock);
    time(base.run, "base", repeats, clock);
  }
  const count = Math.max(rounds.fewest, Math.min(rounds.most, Math.round(rounds.time / once / repeats)));
  const own: number[] = [];
  const other: number[] = [];
  for (let at = 0; at < count; at++) {
    own.push(time(run, "own", repeats, clock));
    other.push(time(base.run, "base", repeats, clock));
  }
  const ratios = own.map((value, at) => value / (other[at] as number)).sort((one, two) => one - two);
  return {
    work,
    goal,
    ratio: median(own) / median(other),
    spread: [ratios[Math.floor(count * 0.1)] as number, ratios[Math.floor(count * 0.9)] as number],
    milliseconds: median(own),
    baseline: base.name,
  };
}

/** Prints the rows and which goals are met; false if one is missed. Absolute times are printed, never judged. */
export function report(title: string, rows: readonly Row[]): boolean {
  console.log(`\n${title}`);
  for (const { work, goal, ratio, spread, milliseconds, baseline } of rows) {
    const verdict = ratio <= goal ? "met   " : "MISSED";
    const range = `${spread[0].toFixed(2)}-${spread[1].toFixed(2)}`;
    console.log(
      `${verdict} ${ratio.toFixed(2).padStart(6)} x  (goal ${goal}, spread ${range}, ${milliseconds.toFixed(2)} ms)  ${work}, against ${baseline}`,
    );
  }
  return rows.every(({ ratio, goal }) => ratio <= goal);
}
