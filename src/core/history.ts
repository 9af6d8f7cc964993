import { compare } from "./compare.js";
import type { Document } from "./document.js";
import { LineMap } from "./linemap.js";
import { type SchemeName, scheme } from "./scheme.js";

const empty = new Uint8Array(0);

/** One state the file was in. `exact` is the change from the state before, where it is known to the line. */
export interface State {
  readonly version: string;
  readonly lineCount: number;
  /** null: the content is not kept (too large, secret, or forgotten). */
  readonly document: Document | null;
  /** Line hashes (xxHash32) kept where the content is not: enough to check an anchor, not to merge. */
  readonly hashes?: Uint32Array | null;
  readonly exact: LineMap | null;
}

/**
 * The states of one file in time, the last one being the file now. Lines are followed through edits that are known
 * by their exact change, and by comparing texts between those.
 */
export class History {
  private readonly followed = new Map<string, LineMap | null>();

  constructor(readonly states: readonly State[]) {
    if (states.length === 0 || !states.at(-1)?.document)
      throw new RangeError("a history ends with the file now");
  }

  static of(document: Document): History {
    return new History([{ version: document.version, lineCount: document.lineCount, document, exact: null }]);
  }

  get last(): number {
    return this.states.length - 1;
  }

  get now(): Document {
    return this.document(this.last) as Document;
  }

  /** The text of a state; a state whose content is not kept but is that of the file now has the file's. */
  document(state: number): Document | null {
    const { document, version } = this.states[state] as State;
    if (document) return document;
    const now = this.states[this.last] as State;
    return version === now.version ? now.document : null;
  }

  /** The hash a line of a state was shown with; null if it can no longer be told. */
  hash(state: number, index: number, name: SchemeName): string | null {
    const document = this.document(state);
    if (document) return index < document.lineCount ? scheme(name).hashLine(document, index) : null;
    const hash = (this.states[state] as State).hashes?.[index];
    if (hash === undefined || name === "hex4") return null;
    return scheme(name).hashLine(
      { lineHash: () => hash, rawLine: () => ({ bytes: empty, start: 0, end: 0 }) },
      index,
    );
  }

  /** Where the lines of one state are in a later one; null if a text that would have to be compared is gone. */
  follow(from: number, to: number = this.last): LineMap | null {
    const key = `${from}-${to}`;
    const known = this.followed.get(key);
    if (known !== undefined) return known;
    const found = this.trace(from, to);
    this.followed.set(key, found);
    return found;
  }

  private trace(from: number, to: number): LineMap | null {
    let map = LineMap.identity((this.states[from] as State).lineCount);
    let at = from;
    for (let next = from + 1; next <= to; next++) {
      const exact = (this.states[next] as State).exact;
      if (!exact) continue;
      const step = this.between(at, next - 1);
      if (!step) return null;
      map = map.compose(step).compose(exact);
      at = next;
    }
    const rest = this.between(at, to);
    return rest && map.compose(rest);
  }

  private between(from: number, to: number): LineMap | null {
    const [a, b] = [this.states[from] as State, this.states[to] as State];
    if (from === to || a.version === b.version) return LineMap.identity(a.lineCount);
    const [before, after] = [this.document(from), this.document(to)];
    return before && after && compare(before, after);
  }
}
