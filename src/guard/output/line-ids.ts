import type { Piece } from "./readings.js";

/** A candidate with its lines as numbers. */
export interface PrintedFile {
  readonly named: boolean;
  /** No other candidate is named. */
  readonly alone: boolean;
  /** The number of each line's text in the output; -1 if it was not printed. */
  readonly keys: Int32Array;
  /** 1 for a line whose text no other line of the file has. */
  readonly single: Uint8Array;
  /** By line: how many lines above it say something. */
  readonly tellingBefore: Int32Array;
}

interface Source {
  readonly lines: readonly string[];
  readonly named: boolean;
}

/** An output and the files that it may show, with equal texts as equal numbers. */
export class Printed {
  readonly pieces: readonly Piece[];
  readonly pieceKeys: readonly Int32Array[];
  readonly files: readonly PrintedFile[];
  readonly rowCount: number;
  readonly #keys = new Map<string, number>();
  /** 1 for the sketch of a printed text. Most lines were not printed, and a sketch says so without a lookup by text. */
  readonly #sketch = new Uint8Array(sketches);
  /** By key: how many files have such a line. */
  readonly #holders: Int32Array;
  readonly telling: Uint8Array;

  constructor(pieces: readonly Piece[], files: readonly Source[]) {
    this.pieces = pieces;
    this.pieceKeys = pieces.map(({ texts }) => new Int32Array(texts.map((text) => this.#key(text))));
    this.rowCount = pieces.reduce((most, { rows }) => Math.max(most, (rows.at(-1) ?? -1) + 1), 0);
    const something = tellingText();
    this.telling = Uint8Array.from(this.#keys.keys(), (text) => (something.test(text) ? 1 : 0));
    this.#holders = new Int32Array(this.#keys.size);
    const names = files.filter(({ named }) => named).length;
    const times = new Int32Array(this.#keys.size);
    this.files = files.map((file) => this.#file(file, names === 1 && file.named, times));
  }

  isHeld(key: number): boolean {
    return this.#holders[key]! > 0;
  }

  isHeldOnce(key: number): boolean {
    return this.#holders[key] === 1;
  }

  isTelling(key: number): boolean {
    return this.telling[key] === 1;
  }

  #key(text: string): number {
    const known = this.#keys.get(text);
    if (known !== undefined) return known;
    this.#sketch[sketchOf(text)] = 1;
    this.#keys.set(text, this.#keys.size);
    return this.#keys.size - 1;
  }

  #file({ lines, named }: Source, alone: boolean, times: Int32Array): PrintedFile {
    const count = lines.length;
    const keys = new Int32Array(count);
    const tellingBefore = new Int32Array(count + 1);
    for (let line = 0; line < count; line++) {
      const text = lines[line]!;
      const key = this.#sketch[sketchOf(text)] ? (this.#keys.get(text) ?? -1) : -1;
      keys[line] = key;
      tellingBefore[line + 1] = tellingBefore[line]! + (key >= 0 ? this.telling[key]! : 0);
      if (key >= 0 && times[key]!++ === 0) this.#holders[key]!++;
    }
    const single = new Uint8Array(count);
    for (let line = 0; line < count; line++) {
      if (keys[line]! >= 0 && times[keys[line]!] === 1) single[line] = 1;
    }
    for (let line = 0; line < count; line++) if (keys[line]! >= 0) times[keys[line]!] = 0;
    return { named, alone, keys, single, tellingBefore: tellingBefore };
  }
}

const sketches = 1 << 16;

function sketchOf(text: string): number {
  const size = text.length;
  if (size === 0) return 0;
  return (
    (size + (text.charCodeAt(size >> 1) << 4) + (text.charCodeAt((size * 3) >> 2) << 9)) & (sketches - 1)
  );
}

/** Matches two letters or digits: more than a bracket or a rule. Made on demand, because it takes half a millisecond. */
const tellingText = () => /[\p{L}\p{N}].*[\p{L}\p{N}]|\p{Lo}/su;
