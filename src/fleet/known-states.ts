import type { FileRecord, Json } from "../ports/index.js";

/** The database's answer for a file: the states from `from` on, which the asker does not know. */
export interface LoadedFile {
  readonly gen: string;
  readonly rev: string;
  readonly first: number;
  readonly from: number;
  readonly next: number;
  readonly states: readonly Json[];
  readonly ledger: Json | null;
}

interface Known {
  readonly gen: string;
  readonly rev: string;
  readonly first: number;
  readonly states: readonly Json[];
}

/** A question for the states of a file, and what was known when it was asked. */
export interface StatesQuestion {
  readonly file: string;
  /** Said with the question, so that the answer leaves out what is known. */
  readonly mark: string;
  readonly known: Known | undefined;
}

const mostFiles = 256;

/** The states of files as they were read last: of a file that many agents work on only what is new travels. */
export class KnownStates {
  private readonly files = new Map<string, Known>();

  question(file: string): StatesQuestion {
    const known = this.files.get(file);
    const { gen, rev, first } = known ?? { gen: "0", rev: "0", first: 0 };
    return { file, mark: `${gen} ${rev} ${first}`, known };
  }

  take({ file, known }: StatesQuestion, loaded: LoadedFile): FileRecord {
    const { gen, rev, first, from, next, ledger } = loaded;
    const kept = known?.gen === gen && first < from ? known.states.slice(0, from - first) : [];
    const states = [...kept, ...loaded.states];
    this.files.delete(file);
    this.files.set(file, { gen, rev, first, states });
    for (const old of this.files.keys()) {
      if (this.files.size <= mostFiles) break;
      this.files.delete(old);
    }
    return { first, states: states.slice(0, next - first), ledger };
  }
}
