/** The values that were asked for last, up to so many. */
export class Recent<K, V> {
  private readonly values = new Map<K, V>();

  constructor(private readonly most: number) {}

  get(key: K): V | undefined {
    const found = this.values.get(key);
    if (found !== undefined) this.set(key, found);
    return found;
  }

  /** Makes the value if it is not at hand. */
  getOr(key: K, make: () => V): V {
    const value = this.values.get(key) ?? make();
    this.set(key, value);
    return value;
  }

  delete(key: K): void {
    this.values.delete(key);
  }

  set(key: K, value: V): void {
    this.values.delete(key);
    this.values.set(key, value);
    for (const oldest of this.values.keys()) {
      if (this.values.size <= this.most) return;
      this.values.delete(oldest);
    }
  }
}
