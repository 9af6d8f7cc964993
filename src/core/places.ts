import type { Document } from "./document.js";

/** Where the lines of a text stand, by their hashes: made once, where many blocks have to be looked for. */
export class Places {
  private readonly places = new Map<number, number[]>();

  constructor(private readonly document: Document) {
    for (let at = 0; at < document.lineCount; at++) {
      const hash = document.lineHash(at);
      const found = this.places.get(hash);
      if (found) found.push(at);
      else this.places.set(hash, [at]);
    }
  }

  /** Whether a line of some text stands here. */
  has(text: Document, line: number): boolean {
    return this.of(text, line).some((at) => this.document.sameText(at, text, line));
  }

  /** Whether lines [start, end) of some text stand here exactly once. They are looked for where the rarest one stands. */
  isOnce(text: Document, start: number, end: number): boolean {
    let rarest = start;
    let candidates = this.of(text, start);
    for (let at = start + 1; at < end && candidates.length > 1; at++) {
      const found = this.of(text, at);
      if (found.length < candidates.length) [rarest, candidates] = [at, found];
    }
    let count = 0;
    for (const candidate of candidates) {
      const from = candidate - (rarest - start);
      const fits = from >= 0 && from + end - start <= this.document.lineCount;
      if (fits && text.sameLines(start, end, this.document, from) && ++count > 1) return false;
    }
    return count === 1;
  }

  private of(text: Document, line: number): readonly number[] {
    return this.places.get(text.lineHash(line)) ?? [];
  }
}
