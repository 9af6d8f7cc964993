/** Values handed from one side to the other in order; a side that is early waits. */
export class Channel<Value> {
  private readonly values: Value[] = [];
  private readonly takers: { resolve: (value: Value) => void; reject: (reason: Error) => void }[] = [];
  private failure: Error | null = null;

  put(value: Value): void {
    const taker = this.takers.shift();
    if (taker) taker.resolve(value);
    else this.values.push(value);
  }

  take(): Promise<Value> {
    const value = this.values.shift();
    if (value !== undefined) return Promise.resolve(value);
    if (this.failure) return Promise.reject(this.failure);
    return new Promise((resolve, reject) => this.takers.push({ resolve, reject }));
  }

  /** Nothing more will come: everyone who waits, now or later, is told why. */
  fail(reason: Error): void {
    this.failure ??= reason;
    for (const { reject } of this.takers.splice(0)) reject(this.failure);
  }
}
