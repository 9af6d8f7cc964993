import type { Row } from "./harness.js";

/** Milliseconds of the work, and of what it is measured against, taken by turns. */
export type Times = [own: number[], base: number[]];

/** One line of a plot. */
export interface Curve {
  readonly name: string;
  readonly values: readonly number[];
}

export interface Grown {
  readonly rows: Row[];
  readonly curves: Curve[];
}

export const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] as number;

export function ratioRow(work: string, baseline: string, goal: number, [own, base]: Readonly<Times>): Row {
  const ratios = own.map((value, at) => value / (base[at] as number)).sort((one, two) => one - two);
  const spread = [ratios[Math.floor(ratios.length * 0.1)], ratios[Math.floor(ratios.length * 0.9)]];
  return {
    ...{ work, baseline, goal, milliseconds: median(own), ratio: median(own) / median(base) },
    spread: spread as [number, number],
  };
}
