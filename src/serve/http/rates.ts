/** How many calls each caller makes: some hundred a minute at its own pace, no more in the long run. */
export class Rates {
  private readonly left = new Map<string, { calls: number; at: number }>();

  constructor(
    private readonly aMinute: number,
    private readonly ticks: () => number = () => performance.now(),
  ) {}

  /** Counts calls that were made already. More than are left are owed. */
  charge(caller: string, calls: number): void {
    this.left.set(caller, { calls: this.leftOf(caller) - calls, at: this.ticks() });
  }

  /** Counts calls; returns 0, or the seconds after which they may be made. Calls that are refused do not count. */
  take(caller: string, calls: number): number {
    const there = this.leftOf(caller);
    const isEnough = there >= calls;
    this.left.set(caller, { calls: isEnough ? there - calls : there, at: this.ticks() });
    return isEnough ? 0 : Math.ceil((Math.min(calls, this.aMinute) - there) / (this.aMinute / 60));
  }

  private leftOf(caller: string): number {
    const now = this.ticks();
    const { calls, at } = this.left.get(caller) ?? { calls: this.aMinute, at: now };
    return Math.min(this.aMinute, calls + ((now - at) * this.aMinute) / 60_000);
  }
}
