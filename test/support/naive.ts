/** A ledger that keeps every row ever printed and looks all of it up anew each time: slow, and obviously right. */
import type { SchemeName } from "../../src/anchors/scheme.js";
import { compare } from "../../src/changes/compare.js";
import type { LineChange } from "../../src/changes/line-change.js";
import { Document } from "../../src/text/document.js";

interface State {
  readonly document: Document;
  /** How it came from the state before, where that is known to the line. */
  readonly exact: LineChange | null;
}

interface Printed {
  readonly state: number;
  readonly lines: ReadonlySet<number>;
  /** All that was printed then. */
  readonly all: ReadonlySet<number>;
  readonly scheme: SchemeName;
}

/** One file, as several agents saw it. Lines are 0-based. */
export class NaiveFile {
  private states: State[] = [];
  private agents = new Map<string, NaiveAgent>();

  /** For looking without leaving a trace. */
  copy(): NaiveFile {
    const made = new NaiveFile();
    made.states = [...this.states];
    made.agents = new Map([...this.agents].map(([name, agent]) => [name, agent.copy(made)]));
    return made;
  }

  /** Somebody opened the file; whether it had a text that nobody had recorded. */
  found(text: string): boolean {
    const document = Document.fromText(text);
    const isFresh = this.states.at(-1)?.document.version !== document.version;
    if (isFresh) this.states.push({ document, exact: null });
    return isFresh;
  }

  committed(text: string, exact: LineChange): void {
    this.states.push({ document: Document.fromText(text), exact });
  }

  get last(): number {
    return this.states.length - 1;
  }

  /** An earlier state has the text of the newest. */
  isSame(state: number): boolean {
    return state < this.last && this.version(state) === this.version(this.last);
  }

  version(state: number): string {
    return this.states[state]?.document.version ?? "";
  }

  agent(name: string): NaiveAgent {
    const found = this.agents.get(name) ?? new NaiveAgent(this);
    this.agents.set(name, found);
    return found;
  }

  forget(name: string): void {
    this.agents.delete(name);
  }

  /** Where a line of one state is in a later one: through exact changes, and by comparing texts between those. */
  follow(line: number, from: number, to: number): number {
    let [at, index] = [from, line];
    for (let next = from + 1; next <= to && index >= 0; next++) {
      const { exact } = this.states[next] as State;
      if (!exact) continue;
      index = this.compared(index, at, next - 1);
      if (index >= 0) index = exact.index(index);
      at = next;
    }
    return index < 0 ? -1 : this.compared(index, at, to);
  }

  private compared(line: number, from: number, to: number): number {
    const [before, after] = [this.states[from] as State, this.states[to] as State];
    // What came to a text since the one that is back is undone.
    const { version } = after.document;
    const earlier = this.states.findLastIndex((state, at) => at < from && state.document.version === version);
    if (earlier >= 0 && before.document.version !== version) {
      const lines = Array.from({ length: after.document.lineCount }, (_, at) => at);
      return lines.findIndex((one) => this.follow(one, earlier, from) === line);
    }
    return compare(before.document, after.document).index(line);
  }
}

export class NaiveAgent {
  private state = -1;
  private seen = new Set<number>();
  /** Printed in refusals. */
  private refused = new Set<number>();
  /** What was known of each state of which anything was printed, but for refusals. */
  private knownThen = new Map<number, ReadonlySet<number>>();
  /** Known because the text came back, and not shown since: that it was away is still to be told. */
  returned = new Set<number>();
  /** Rows that name lines. */
  names: Printed[] = [];

  constructor(private readonly file: NaiveFile) {}

  copy(file: NaiveFile): NaiveAgent {
    const made = new NaiveAgent(file);
    made.state = this.state;
    made.seen = new Set(this.seen);
    made.refused = new Set(this.refused);
    made.knownThen = new Map(this.knownThen);
    made.returned = new Set(this.returned);
    made.names = this.names;
    return made;
  }

  /**
   * What the agent knows is taken along whenever it has to do with the file. Where it finds a text that came back, it knows
   * what it knew of it then, and rows of it name lines again. A text that its own edit made anew has not come back: the
   * agent goes on from what it was shown last.
   */
  arrive({ isOwn = false } = {}): void {
    if (this.state < 0 || this.state === this.file.last) return;
    const back = isOwn ? [] : [...this.knownThen.keys()].filter((state) => this.file.isSame(state));
    const again = this.knownThen.get(Math.max(...back)) ?? [];
    if (back.length > 0)
      this.names = this.names.map((one) => (this.file.isSame(one.state) ? { ...one, lines: one.all } : one));
    this.seen = new Set([...this.carried(this.seen, this.state), ...again]);
    this.returned = new Set([...this.carried(this.returned, this.state), ...again]);
    this.refused = this.carried(this.refused, this.state);
    this.state = this.file.last;
  }

  private carried(lines: ReadonlySet<number>, from: number): Set<number> {
    const now = [...lines].map((line) => this.file.follow(line, from, this.file.last));
    return new Set(now.filter((line) => line >= 0));
  }

  printed(lines: Iterable<number>, by: "read" | "search" | "edit" | "refusal", named = true): void {
    const rows = new Set(lines);
    if (rows.size === 0) return;
    const printing: Printed = { state: this.file.last, lines: rows, all: rows, scheme: "hex6" };
    this.state = this.file.last;
    if (by === "read" && named)
      this.names = this.names.map((one) => ({
        ...one,
        lines: new Set([...one.lines].filter((line) => one.scheme !== "hex6" || !rows.has(line))),
      }));
    if (named) this.names = [...this.names, printing];
    for (const line of rows) (by === "refusal" ? this.refused : this.seen).add(line);
    if (by !== "refusal") for (const line of rows) this.returned.delete(line);
    this.knownThen.set(this.state, new Set(this.seen));
  }

  /** The answer to an edit printed these lines in another scheme than that of the reads, which retire none of them. */
  named(lines: readonly number[], scheme: SchemeName, by: "edit" | "refusal"): void {
    if (lines.length === 0) return;
    const rows = new Set(lines);
    this.printed(rows, by, false);
    this.names = [...this.names, { state: this.file.last, lines: rows, all: rows, scheme }];
  }

  wrote(lines: Iterable<number>): void {
    this.state = this.file.last;
    for (const line of lines) this.seen.add(line);
  }

  /** Lines of the file now that were printed or written, in the text they have now. */
  get known(): number[] {
    return [...new Set([...this.seen, ...this.refused])].sort((one, two) => one - two);
  }
}
