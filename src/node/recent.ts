/** In all: a process may have many sessions, each on files of its own. */
const mostBytes = 4 * 1024 * 1024;

/** What files held when they were read or written last. Who reads one again gets the same object, and knows by that. */
export class Recent {
  private readonly contents = new Map<string, Uint8Array>();
  private size = 0;

  get(key: string): Uint8Array | undefined {
    return this.contents.get(key);
  }

  keep(key: string, bytes: Uint8Array): void {
    this.drop(key);
    if (bytes.length > mostBytes) return;
    this.contents.set(key, bytes);
    this.size += bytes.length;
    for (const oldest of this.contents.keys()) {
      if (this.size <= mostBytes) break;
      this.drop(oldest);
    }
  }

  private drop(key: string): void {
    this.size -= this.contents.get(key)?.length ?? 0;
    this.contents.delete(key);
  }
}
