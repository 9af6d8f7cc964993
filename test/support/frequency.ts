export interface Bounds {
  /** How often it may happen. */
  readonly allowed: number;
  /** What is to be found out: that it happens so many times as often. */
  readonly times: number;
}

/**
 * Whether something happens too often, from as many observations as that takes (Wald's sequential test of Poisson
 * counts). The evidence is the logarithm of how much more likely the counts are at `times` the allowed rate than at the
 * allowed one. At the allowed rate it ever comes to ln 10,000 in less than 1 run of 10,000, however long one looks on
 * (Ville's inequality); at `times` that rate it comes to -ln 1,000 first in about 1 run of 1,000.
 */
export class Frequency {
  private evidence = 0;
  private isTooOften = false;

  constructor(private readonly bounds: Bounds) {}

  add(happened: number, observed: number): void {
    const { allowed, times } = this.bounds;
    this.evidence += happened * Math.log(times) - observed * allowed * (times - 1);
    this.isTooOften ||= this.evidence >= Math.log(10_000);
  }

  get verdict(): "too often" | "seldom" | "unclear" {
    if (this.isTooOften) return "too often";
    return this.evidence <= -Math.log(1000) ? "seldom" : "unclear";
  }
}
