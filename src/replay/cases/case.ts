import { createHash } from "node:crypto";

/** Lines [start, start + count), 0-based, give way to `lines`. */
export interface Hunk {
  readonly start: number;
  readonly count: number;
  readonly lines: readonly string[];
}

export type Expectation = "text" | "refuse" | "unchanged";

/** The text that the agent saw, its edit, the text now, and the right result. */
export interface Case {
  readonly id: string;
  readonly class: string;
  readonly path: string;
  /** The commits that the case was made from. */
  readonly origin: string;
  readonly base: string;
  readonly current: string;
  /** The right text; the current one where refusing, or leaving it, is right. */
  readonly truth: string;
  readonly alternatives: readonly string[];
  readonly edits: readonly Hunk[];
  /** One call for each edit, in this order, all named from the one read; null: one call with all of them. */
  readonly sequence: readonly number[] | null;
  readonly expect: Expectation;
  /** Why refusing, or an alternative, is acceptable too. */
  readonly debatable: string | null;
  /** Part of the unweighted sample. */
  readonly sampled: boolean;
}

export const linesOf = (text: string): string[] => text.split("\n").slice(0, -1);

export const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

export function applyHunks(lines: readonly string[], hunks: readonly Hunk[]): string[] {
  const result: string[] = [];
  let from = 0;
  for (const { start, count, lines: added } of hunks.toSorted((one, two) => one.start - two.start)) {
    for (let at = from; at < start; at++) result.push(lines[at] as string);
    result.push(...added);
    from = start + count;
  }
  for (let at = from; at < lines.length; at++) result.push(lines[at] as string);
  return result;
}

export const isCrlf = (text: string): boolean => text.includes("\r\n");
export const toLf = (text: string): string => (isCrlf(text) ? text.replaceAll("\r\n", "\n") : text);
export const toCrlf = (text: string): string => text.replaceAll("\n", "\r\n");

/** The text after the edits, with the line ends that it has. */
export function editText(text: string, hunks: readonly Hunk[]): string {
  const edited = textOf(applyHunks(linesOf(toLf(text)), hunks));
  return isCrlf(text) ? toCrlf(edited) : edited;
}

/** The fields that a maker of cases gives; the others follow from them. */
export interface Draft {
  readonly class: string;
  readonly path: string;
  readonly origin: string;
  readonly base: string;
  readonly current: string;
  readonly truth: string;
  readonly edits: readonly Hunk[];
  readonly alternatives?: readonly string[];
  readonly sequence?: readonly number[];
  readonly expect?: Expectation;
  readonly debatable?: string;
}

/** Cases are made of lines alone; then what was read and what is there now get the line ends they really had. */
export function withEnds(
  draft: Draft,
  [before, now]: readonly [crlfBefore: boolean, crlfNow: boolean],
): Draft {
  const { base, current, truth, alternatives = [] } = draft;
  const there = (text: string): string => (now ? toCrlf(text) : text);
  return {
    ...draft,
    base: before ? toCrlf(base) : base,
    current: there(current),
    // No edit of lines converts a file: what the agent's own commit did to the ends is left out.
    truth: there(truth),
    alternatives: alternatives.map(there),
  };
}

export function makeCase(draft: Draft): Case {
  const { base, current, truth, edits, alternatives = [], sequence = null } = draft;
  const identity = JSON.stringify([draft.class, base, current, truth, edits, alternatives, sequence]);
  return {
    ...draft,
    id: createHash("sha256").update(identity).digest("hex").slice(0, 12),
    alternatives,
    sequence,
    expect: draft.expect ?? "text",
    debatable: draft.debatable ?? null,
    sampled: false,
  };
}

/** Names a whole set: equal sets, and only those, have equal hashes. */
export function setHash(cases: readonly Case[]): string {
  const hash = createHash("sha256");
  for (const { id, sampled } of cases) hash.update(`${id}${sampled ? "s" : ""}\n`);
  return hash.digest("hex").slice(0, 16);
}
/** A history, a set or a peer that cannot be replayed. The message is for the user. */
export class ReplayError extends Error {
  override readonly name: string = "ReplayError";
}
