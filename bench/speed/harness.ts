/** One row of a speed table: a piece of work, measured against a baseline in the same run. */
export interface Row {
  readonly work: string;
  readonly goal: number;
  readonly ratio: number;
  readonly spread: readonly [number, number];
  readonly milliseconds: number;
  readonly baseline: string;
}

const rounds = 41;
const warmUp = 1000;

function time(work: () => unknown, repeats: number): number {
  const start = performance.now();
  for (let at = 0; at < repeats; at++) sink = work();
  return (performance.now() - start) / repeats;
}

/** Keeps results alive, so that no work is optimised away. */
export let sink: unknown;

function median(values: readonly number[]): number {
  return values.toSorted((one, two) => one - two)[Math.floor(values.length / 2)] as number;
}

/** Alternates work and baseline, so that a busy moment of the machine falls on both; the ratio is of the medians. */
export function measure(
  work: string,
  goal: number,
  run: () => unknown,
  base: { readonly name: string; readonly run: () => unknown },
): Row {
  const once = Math.max(time(run, 3), time(base.run, 3), 0.001);
  const repeats = Math.max(1, Math.min(50, Math.round(4 / once)));
  // Warm means compiled: the optimising compiler takes some hundred calls to settle.
  const warm = performance.now() + warmUp;
  while (performance.now() < warm) {
    time(run, repeats);
    time(base.run, repeats);
  }
  const own: number[] = [];
  const other: number[] = [];
  for (let at = 0; at < rounds; at++) {
    own.push(time(run, repeats));
    other.push(time(base.run, repeats));
  }
  const ratios = own.map((value, at) => value / (other[at] as number)).sort((one, two) => one - two);
  return {
    work,
    goal,
    ratio: median(own) / median(other),
    spread: [ratios[Math.floor(rounds * 0.1)] as number, ratios[Math.floor(rounds * 0.9)] as number],
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
