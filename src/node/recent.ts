/** In all: a process may have many sessions, each on files of its own. */
const mostBytes = 4 * 1024 * 1024;
/** What is known of a file beside its bytes takes about this much: many short ones are a lot, too. */
const besides = 1024;

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
    this.size += bytes.length + besides;
    while (this.size > mostBytes) this.drop(this.contents.keys().next().value as string);
  }

  private drop(key: string): void {
    const bytes = this.contents.get(key);
    if (bytes) this.size -= bytes.length + besides;
    this.contents.delete(key);
  }
}
