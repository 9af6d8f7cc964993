/** Values by their keys, up to so many bytes: those that were not used for longest make room. */
export class LatestBySize<T> {
  private readonly values = new Map<string, { readonly value: T; readonly size: number }>();
  private total = 0;

  constructor(private readonly most: number) {}

  get size(): number {
    return this.total;
  }

  entries(): [string, T][] {
    return [...this.values].map(([key, { value }]) => [key, value]);
  }

  get(key: string): T | undefined {
    const found = this.values.get(key);
    if (!found) return undefined;
    this.values.delete(key);
    this.values.set(key, found);
    return found.value;
  }

  /** One that would take most of the room is not kept. */
  set(key: string, value: T, size: number): void {
    this.delete(key);
    if (size > this.most / 4) return;
    this.values.set(key, { value, size });
    this.total += size;
    for (const old of this.values.keys()) {
      if (this.total <= this.most) return;
      this.delete(old);
    }
  }

  delete(key: string): void {
    this.total -= this.values.get(key)?.size ?? 0;
    this.values.delete(key);
  }

  clear(): void {
    this.values.clear();
    this.total = 0;
  }
}
