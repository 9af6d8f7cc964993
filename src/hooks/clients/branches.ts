/**
 * A conversation that is taken back goes on from an earlier line of its transcript, without an event: what was shown
 * after that line, the model no longer has. Lines name the one they came after.
 */
import { record, text } from "../fields.js";
import { parsedLine } from "../tail.js";

interface Entry {
  readonly id: string;
  readonly after: string;
  readonly isResult: boolean;
  /** Of a part of an answer, which one: results of one answer come in any order, and only the last is gone on from. */
  readonly answer: string | null;
}

const head = /^\{"parentUuid":(?:"([^"]+)"|null),"isSidechain":/;

function entryOf(line: string): Entry[] {
  const found = head.exec(line);
  const id = /"uuid":"([^"]+)"/.exec(line)?.[1];
  if (!found || id === undefined) return [];
  const isAnswer = line.includes('"type":"assistant"');
  const answer = isAnswer ? text(record(parsedLine(line), "message"), "id") : undefined;
  const isResult = !isAnswer && line.includes('"type":"tool_result"');
  return [{ id, after: found[1] ?? beginning, answer: answer ?? null, isResult }];
}

/** What the beginning of a conversation comes after. */
const beginning = "";

/**
 * Lines that were left behind: those whose own way up joins the present one above its end. A way that ends at a line
 * that is missing tells nothing.
 */
export class Branches {
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #present = new Set<string>();
  /** Whether a way up from a line joins the present one. */
  readonly #joins = new Map<string, boolean>();

  constructor(lines: readonly string[]) {
    const entries = lines.flatMap(entryOf);
    this.#entries = new Map(entries.map((entry) => [entry.id, entry]));
    let at = entries.at(-1)?.id;
    for (; at !== undefined && !this.#present.has(at); at = this.#entries.get(at)?.after)
      this.#present.add(at);
    const answers = new Set(
      entries.flatMap(({ id, answer }) => (answer !== null && this.#present.has(id) ? [answer] : [])),
    );
    for (const { id, answer } of entries) if (answer !== null && answers.has(answer)) this.#present.add(id);
  }

  /** The newest result that was left behind; null: the conversation was not taken back. */
  get left(): string | null {
    const results = [...this.#entries.values()].filter(({ isResult }) => isResult);
    return results.findLast(({ id }) => this.isLeft(id))?.id ?? null;
  }

  isLeft(id: string): boolean {
    const entry = this.#entries.get(id);
    if (!entry || this.#present.has(id)) return false;
    const { after, isResult } = entry;
    // A result of a present answer is present, whichever result the conversation goes on from.
    if (isResult && (after === beginning || this.#present.has(after))) return false;
    return this.#isJoining(after);
  }

  #isJoining(from: string): boolean {
    const way = new Set<string>();
    let at: string | undefined = from;
    while (at !== undefined && !this.#present.has(at) && !this.#joins.has(at) && !way.has(at)) {
      way.add(at);
      at = this.#entries.get(at)?.after;
    }
    const joins = at !== undefined && (this.#present.has(at) || this.#joins.get(at) === true);
    for (const one of way) this.#joins.set(one, joins);
    return joins;
  }
}
