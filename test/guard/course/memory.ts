/** What one agent can be sure of: the lines of files it was shown or wrote, as they were then. */

export interface Line {
  readonly text: string;
  readonly known: boolean;
}

export class Memory {
  private readonly files = new Map<string, readonly Line[]>();

  /** The file reads like this now; lines that read as the agent knows them stay known. */
  follow(path: string, text: string): readonly Line[] {
    const known = new Set((this.files.get(path) ?? []).filter((line) => line.known).map((line) => line.text));
    const lines = linesOf(text).map((line) => ({ text: line, known: known.has(line) }));
    this.files.set(path, lines);
    return lines;
  }

  /** These rows were shown; both ends count from 1. */
  see(
    path: string,
    text: string,
    [first, last]: readonly [number, number] = [1, Number.MAX_SAFE_INTEGER],
  ): void {
    const lines = this.follow(path, text);
    this.files.set(
      path,
      lines.map((line, at) => (at + 1 >= first && at + 1 <= last ? { ...line, known: true } : line)),
    );
  }

  forget(path: string): void {
    this.files.delete(path);
  }

  rename(from: string, to: string): void {
    const lines = this.files.get(from);
    if (lines) this.files.set(to, lines);
    this.files.delete(from);
  }

  knows(path: string): boolean {
    return this.files.has(path);
  }

  /** Lines that were shown and stand once in the file: a quote of one means it. */
  quotable(path: string, text: string): number[] {
    const lines = this.follow(path, text);
    const count = new Map<string, number>();
    for (const { text: line } of lines) count.set(line, (count.get(line) ?? 0) + 1);
    return lines.flatMap((line, at) =>
      line.known && line.text.trim().length > 3 && count.get(line.text) === 1 ? [at] : [],
    );
  }

  knowsAll(path: string, text: string): boolean {
    return this.knows(path) && this.follow(path, text).every((line) => line.known);
  }
}

export function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
