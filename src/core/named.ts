import type { Hunk } from "./change.js";
import { compareLines } from "./compare.js";
import type { Document } from "./document.js";
import type { Edit, Ref } from "./edit.js";
import type { Region } from "./linemap.js";

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Edits of a call, located: usually one, several where quotes share a line. All numbers are lines of the base as believed. */
export interface Named {
  readonly edits: readonly Edit[];
  readonly base: number;
  readonly refs: readonly { readonly ref: Ref; readonly line: number }[];
  /** What it names, for the gate and for overlap. */
  readonly spans: readonly Span[];
  readonly gap: number | null;
  /** The line whose terminator inserted text takes. */
  readonly beside: number | null;
  /** What it changes. */
  readonly hunks: readonly Hunk<string>[];
  /** An unchanged line has to stand between it and what others changed: it carries lines, whose surroundings count. */
  readonly apart?: boolean;
  /** Changes of others, in lines of the text now, that lie in what it names and that the agent has looked at. */
  readonly lookedAt?: readonly Region[] | undefined;
}

/** Edits by the text they were made for. A call may hold hundreds: what is done for each of them is done in loops. */
export function byBase(named: readonly Named[]): Map<number, Named[]> {
  const groups = new Map<number, Named[]>();
  for (const one of named) {
    const group = groups.get(one.base);
    if (group) group.push(one);
    else groups.set(one.base, [one]);
  }
  return groups;
}

/** Rule 3: what lines `[start, end)` of a text become; those certainly retyped unchanged are not touched. */
export function oursIn(document: Document, { start, end }: Span, after: readonly string[]): Hunk<string>[] {
  const [line] = after;
  if (end - start !== 1 || after.length !== 1 || line === undefined)
    return ours(document.lines(start, end), after, start);
  return document.reads(start, line) ? [] : [{ start, end, lines: after }];
}

export function ours(before: readonly string[], after: readonly string[], start: number): Hunk<string>[] {
  if (before.length === 1 && after.length === 1)
    return before[0] === after[0] ? [] : [{ start, end: start + 1, lines: after }];
  return compareLines(before, after).regions.map((region) => ({
    start: start + region.aStart,
    end: start + region.aEnd,
    lines: after.slice(region.bStart, region.bEnd),
  }));
}
