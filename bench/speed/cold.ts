/** The first call in a fresh process, where nothing is compiled yet: what a command line pays, not a server. */
import { execFileSync } from "node:child_process";

export interface ColdRow {
  readonly work: string;
  /** Milliseconds; medians of several processes. */
  readonly cold: number;
  readonly warm: number;
}

const works = ["split", "list", "edit"] as const;
const processes = 9;

/** In the child: each work once cold, then warm. `works` are given by the parent's bundle, this file. */
export function coldChild(run: Readonly<Record<(typeof works)[number], () => unknown>>): void {
  const out: Record<string, { cold: number; warm: number }> = {};
  for (const work of works) {
    const time = (): number => {
      const start = performance.now();
      run[work]();
      return performance.now() - start;
    };
    const cold = time();
    for (let at = 0; at < 50; at++) time();
    const warm = Array.from({ length: 21 }, time).sort((one, two) => one - two)[10] as number;
    out[work] = { cold, warm };
  }
  process.stdout.write(JSON.stringify(out));
}

export function coldRows(program: string): ColdRow[] {
  const all = Array.from(
    { length: processes },
    () =>
      JSON.parse(execFileSync(process.execPath, [program, "--cold-child"], { encoding: "utf8" })) as Record<
        string,
        { cold: number; warm: number }
      >,
  );
  const median = (work: string, kind: "cold" | "warm"): number =>
    all.map((one) => one[work]?.[kind] as number).sort((one, two) => one - two)[
      Math.floor(processes / 2)
    ] as number;
  return works.map((work) => ({ work, cold: median(work, "cold"), warm: median(work, "warm") }));
}
