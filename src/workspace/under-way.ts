/** Counts what is under way, for a process that ends once nothing is. */
export class UnderWay {
  private count = 0;
  private waiting: (() => void)[] = [];

  /** Returns the function that ends it. */
  begin(): () => void {
    this.count += 1;
    return () => {
      this.count -= 1;
      if (this.count > 0) return;
      for (const resolve of this.waiting) resolve();
      this.waiting = [];
    };
  }

  /** Resolves once nothing is under way. */
  settled(): Promise<void> {
    if (this.count === 0) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
