import type { FileOutcome, FileRecord, Json } from "../../ports/index.js";
import { LatestBySize } from "./latest-by-size.js";

/** The database's answer for a file: the states from `from` on, which the asker does not know, and the ledger, unless it knows that. */
export interface LoadedFile {
  readonly gen: string;
  readonly rev: string;
  /** The oldest state that the agent needs. */
  readonly since: number;
  readonly from: number;
  readonly next: number;
  readonly states: readonly Json[];
  /** The mark of the ledger. */
  readonly mark: string;
  readonly ledger: Json | null;
}

interface KnownStates {
  readonly gen: string;
  readonly rev: string;
  readonly first: number;
  readonly states: readonly Json[];
  readonly size: number;
}

interface KnownLedger {
  readonly mark: string;
  readonly ledger: Json;
}

/** A question for the record of a file, and what was known when it was asked. */
export interface RecordQuestion {
  readonly file: string;
  readonly agent: string;
  /** Said with the question, so that the answer leaves out what is known. */
  readonly mark: string;
  readonly states: KnownStates | undefined;
  readonly ledger: KnownLedger | undefined;
}

/** The end of a call on a file, which the database has taken. */
export interface Written {
  readonly file: string;
  readonly agent: string;
  readonly outcome: Pick<FileOutcome, "states" | "ledger">;
  /** The gen and rev of the states now, if there are new ones. */
  readonly rev: string | undefined;
  /** The mark of the ledger. */
  readonly mark: string;
}

/** Bytes that a character of JSON takes once a session has read it, as a heap snapshot shows. */
const inMemory = 24;

/**
 * The records of files as they were read or written last: of a file that many agents work on only what is new travels, and a
 * session recognizes what it has read before.
 */
export class KnownRecords {
  private readonly states: LatestBySize<KnownStates>;
  private readonly ledgers: LatestBySize<KnownLedger>;

  /** `room`: bytes of memory, about. */
  constructor(private readonly room: number) {
    this.states = new LatestBySize(room / 2);
    this.ledgers = new LatestBySize(room / 2);
  }

  question(file: string, agent: string): RecordQuestion {
    const states = this.states.get(file);
    const ledger = this.ledgers.get(keyOf(file, agent));
    const { gen, rev, first } = states ?? { gen: "0", rev: "0", first: 0 };
    return { file, agent, mark: `${gen} ${rev} ${first} ${ledger?.mark ?? ""}`, states, ledger };
  }

  take({ file, agent, states: known, ledger: before }: RecordQuestion, loaded: LoadedFile): FileRecord {
    const { gen, rev, since, from, next, mark } = loaded;
    const isKnown = known?.gen === gen && known.first <= since;
    const base = isKnown ? known : { first: from, states: [], size: 0 };
    const states = spliced(base, from, loaded.states);
    this.remember(file, { gen, rev, ...states });
    const isSame = before !== undefined && before.mark === mark;
    const ledger = isSame ? before.ledger : loaded.ledger;
    if (!isSame && ledger !== null) this.keep(file, agent, { mark, ledger });
    const { first } = states;
    return { first: since, states: states.states.slice(since - first, next - first), ledger };
  }

  wrote({ file, agent, outcome: { states, ledger }, rev, mark }: Written): void {
    if (ledger) this.keep(file, agent, { mark, ledger: ledger.record });
    if (!states || rev === undefined) return;
    const [gen = "", fresh = ""] = rev.split(" ");
    const known = this.states.get(file);
    const isNew = known?.gen !== gen;
    // A look that was asked for before and answered late may have put older states here.
    if (!isNew && BigInt(known.rev) + 1n !== BigInt(fresh)) return;
    const base = isNew ? { first: states.from, states: [], size: 0 } : known;
    if (base.first > states.from || base.first + base.states.length < states.from) return;
    const next = spliced(base, states.from, states.states);
    this.remember(file, { gen, rev: fresh, ...next });
  }

  /** A file with very many states keeps the newest half of them: few agents need the others. */
  private remember(file: string, known: KnownStates): void {
    const half = Math.ceil(known.states.length / 2);
    const isLong = known.size > this.room / 8;
    const newest = isLong
      ? spliced({ ...known, states: [], size: 0 }, known.first, known.states.slice(half))
      : null;
    const kept = newest ? { ...known, ...newest, first: known.first + half } : known;
    this.states.set(file, kept, kept.size);
  }

  private keep(file: string, agent: string, known: KnownLedger): void {
    this.ledgers.set(keyOf(file, agent), known, sizeOf(known.ledger));
  }
}

const keyOf = (file: string, agent: string): string => `${agent}\n${file}`;

type Numbered = Pick<KnownStates, "first" | "states" | "size">;

/** The states with others from one on. */
function spliced({ first, states, size }: Numbered, from: number, fresh: readonly Json[]): Numbered {
  const kept = from - first;
  if (fresh.length === 0 && kept === states.length) return { first, states, size };
  const gone = states.slice(kept).reduce((sum: number, state) => sum + sizeOf(state), 0);
  const added = fresh.reduce((sum: number, state) => sum + sizeOf(state), 0);
  return { first, states: [...states.slice(0, kept), ...fresh], size: size - gone + added };
}

function sizeOf(json: Json): number {
  return inMemory * JSON.stringify(json).length;
}
