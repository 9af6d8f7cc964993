/** How many calls each caller makes: some hundred a minute at its own pace, no more in the long run. */
export class Rates {
  private readonly left = new Map<string, { calls: number; at: number }>();

  constructor(
    private readonly aMinute: number,
    private readonly ticks: () => number = () => performance.now(),
  ) {}

  /** Counts calls; returns 0, or the seconds after which they may be made. Calls that are refused do not count. */
  take(caller: string, calls: number): number {
    const now = this.ticks();
    const before = this.left.get(caller) ?? { calls: this.aMinute, at: now };
    const rate = this.aMinute / 60_000;
    const there = Math.min(this.aMinute, before.calls + (now - before.at) * rate);
    const isEnough = there >= calls;
    this.left.set(caller, { calls: isEnough ? there - calls : there, at: now });
    return isEnough ? 0 : Math.ceil((Math.min(calls, this.aMinute) - there) / rate / 1000);
  }
}
