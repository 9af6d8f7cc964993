import type { SchemeName } from "../../src/anchors/scheme.js";
import { History, type State } from "../../src/changes/history.js";
import { LineChange } from "../../src/changes/line-change.js";
import { decidingCode } from "../../src/edits/codes.js";
import type { Showing, View } from "../../src/edits/located-edit.js";
import { anchorOf } from "../../src/edits/problem.js";
import type { Applied, Refused } from "../../src/merge/run-edits.js";
import { Document } from "../../src/text/document.js";
import { LineSet } from "../../src/text/line-set.js";

/** [first, last], 1-based, both included. */
type Rows = readonly (readonly [number, number])[];

/** One state of the file, as a test tells it. */
export interface Told {
  /** The text; left out where `exact` makes it from the state before. */
  readonly text?: string;
  /** The text to the letter. */
  readonly raw?: string;
  /** Known to the line: [start, end) 0-based of the state before, and what is put there. */
  readonly exact?: readonly (readonly [number, number, readonly string[]])[];
  /** The exact change is the agent's own. */
  readonly own?: boolean;
  /** Rows printed to the agent of this state. */
  readonly shown?: true | Rows;
  readonly scheme?: SchemeName | null;
  /** What is left of the content. */
  readonly kept?: "hashes" | "nothing";
}

interface ToldView extends View {
  readonly documents: readonly Document[];
}

/** `a b c` is three terminated lines; a text that holds a line break is taken as it is. */
export function textOf(words: string): string {
  return words === "" || /[\n\r]/.test(words) ? words : words.replaceAll(" ", "\n").concat("\n");
}

/** A history and what was shown of it. A bare string first is shown whole, a bare string later is not shown. */
export function told(...given: readonly (string | Told)[]): ToldView {
  const documents: Document[] = [];
  const states: State[] = [];
  const showings: Showing[] = [];
  given.forEach((one, state) => {
    const step: Told = typeof one === "string" ? { text: one, ...(state === 0 ? { shown: true } : {}) } : one;
    const hunks = step.exact?.map(([start, end, lines]) => ({ start, end, lines }));
    const document =
      step.text === undefined && step.raw === undefined && hunks
        ? (documents[state - 1]?.splice(hunks) as Document)
        : Document.fromText(step.raw ?? textOf(step.text ?? ""));
    documents.push(document);
    states.push({
      version: document.version,
      lineCount: document.lineCount,
      document: step.kept ? null : document,
      hashes:
        step.kept === "hashes"
          ? Uint32Array.from({ length: document.lineCount }, (_, index) => document.lineHash(index))
          : null,
      exact: hunks ? LineChange.ofHunks(documents[state - 1]?.lineCount ?? 0, hunks) : null,
      by: step.own ? "own" : null,
    });
    if (step.shown) showings.push(showing(state, step, document.lineCount));
  });
  return {
    documents,
    history: new History(states, { agent: "own" }),
    showings,
    known: (state) => knownOf(showings, state),
  };
}

function showing(state: number, { shown, scheme = "hex6" }: Told, lineCount: number): Showing {
  const rows =
    shown === true || shown === undefined
      ? LineSet.all(lineCount)
      : LineSet.of(shown.map(([first, last]) => [first - 1, last] as const));
  return { state, rows, scheme };
}

function knownOf(showings: readonly Showing[], state: number): LineSet {
  return showings
    .filter((one) => one.state === state)
    .reduce((set, one) => set.union(one.rows), LineSet.empty);
}

/** The anchor of a 1-based line. */
export function at(document: Document, line: number, scheme: SchemeName = "hex6"): string {
  return anchorOf(document, line - 1, scheme);
}

/**
 * Edits with `@3` for the anchor of line 3 in the first text, `@3/1` for that in the text of state 1; what follows
 * (`@3|content`) stays. Everything else is passed on.
 */
export function anchored<T>(edits: T, documents: readonly Document[], scheme: SchemeName = "hex6"): T {
  const expand = (value: unknown): unknown => {
    if (typeof value === "string")
      return value.replace(/^@(\d+)(?:\/(\d+))?/, (_, line: string, state = "0") =>
        at(documents[Number(state)] as Document, Number(line), scheme),
      );
    if (Array.isArray(value)) return value.map(expand);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expand(inner)]));
  };
  return expand(edits) as T;
}

/** `!code` for a refusal, else the whole new text. */
export function textAfter(result: Applied | Refused): string {
  return result.status === "refused"
    ? codeOf(result)
    : new TextDecoder("utf-8", { ignoreBOM: true }).decode(result.document.toBytes());
}

/** `!code` for a refusal, `=` before a text that nothing was done to, lines joined by blanks. */
export function wordsAfter(result: Applied | Refused): string {
  if (result.status === "refused") return codeOf(result);
  return (result.status === "noop" ? "= " : "") + result.document.lines().join(" ");
}

function codeOf({ problems }: Refused): string {
  return `!${decidingCode(problems.map(({ code }) => code))}`;
}
