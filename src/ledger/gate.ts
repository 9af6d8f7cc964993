import type { BelievedText } from "../changes/index.js";
import { type LocatedEdit, type Mismatch, type Problem, problem, type View } from "../edits/index.js";
import { LineSet, type Range } from "../text/index.js";
import { besideGap, type Deletion } from "./agent-ledger.js";

/** `lines`: every named line must have been seen. `file`: some showing of the file is enough. `off`: nothing is asked. */
export type GatePolicy = "lines" | "file" | "off";

/** The showings of a file that the gate asks about. */
export interface Seen {
  readonly path: string;
  readonly hasSeen: boolean;
  readonly known: LineSet;
  readonly lineCount: number;
  /** Lines others changed or removed that were not shown since. */
  readonly pending: number;
  /** Those of them that stand there changed. */
  readonly changed?: LineSet;
  /** Where lines were removed. */
  readonly deletions?: readonly Deletion[];
}

export type Decision =
  | { readonly allow: true }
  | {
      readonly block: true;
      readonly code: "not_read" | "not_shown";
      readonly reason: string;
      readonly missing: LineSet;
    };

const allow: Decision = { allow: true };

/**
 * May this be done to a file that exists? `touch`: an edit; its lines are judged by `gateLines` once it is known
 * which they are. `whole`: a write over all of it, a deletion, a move: all was shown and is unchanged since.
 *
 * @example
 * const seen = { path: "a.ts", hasSeen: false, known: [], lineCount: 2, pending: 0 } as never;
 * console.log("allow" in gate("touch", seen, "lines")); // → false
 */
export function gate(request: "touch" | "whole", seen: Seen, policy: GatePolicy): Decision {
  if (policy === "off") return allow;
  const { path } = seen;
  if (!seen.hasSeen)
    return {
      block: true,
      code: "not_read",
      reason: `${path} was not read in this session`,
      missing: LineSet.empty,
    };
  if (request === "touch") return allow;
  const unknown = LineSet.all(seen.lineCount).subtract(seen.known);
  if (unknown.isEmpty && seen.pending === 0) return allow;
  const { deletions = [] } = seen;
  // To be shown what stands on both sides of it tells that something is gone.
  const beside = deletions.map(({ gap }) => besideGap(gap, seen.lineCount));
  const missing = beside.reduce((set, lines) => set.union(lines), unknown);
  const isShown = unknown.subtract(seen.changed ?? LineSet.empty).isEmpty;
  const places = [...(unknown.isEmpty ? [] : [describe(unknown.ranges())]), ...deletions.map(deletion)];
  const where = places.length === 0 ? "" : ` (${places.slice(0, 5).join("; ")})`;
  const reason = isShown
    ? `${path} has changed since it was shown${where}: this needs all of it as it is now`
    : `${path}: this needs all of the file to have been shown; ${describe(unknown.ranges())} ${unknown.size === 1 ? "was" : "were"} not`;
  return { block: true, code: "not_shown", reason, missing };
}

/** Says in words what was removed. */
export function deletion({ gap, count }: Deletion): string {
  const where = gap === 0 ? "at the start" : `after line ${gap}`;
  return `${count} ${count === 1 ? "line" : "lines"} deleted ${where}`;
}

/** Every line of a named range, and the anchor of an insert, was seen: in whatever version, under whatever number. */
export function gateLines(policy: GatePolicy): (named: LocatedEdit, view: View) => Problem | null {
  return (named, view) => {
    if (policy !== "lines" || named.refs.length === 0) return null;
    const isQuote = named.edits.every(({ op }) => op === "replace_text");
    if (isQuote) return null;
    const believed = view.history.believed(named.base);
    if (!believed) return null;
    const spans = named.spans.map(({ start, end }) => [start, end] as const);
    const beside = named.beside === null ? [] : [[named.beside, named.beside + 1] as const];
    const wanted = LineSet.of([...spans, ...beside].sort(([one], [two]) => one - two));
    const own = LineSet.of(
      believed.fromShown.regions
        .filter(({ bStart, bEnd }) => bStart < bEnd)
        .map(({ bStart, bEnd }) => [bStart, bEnd] as const),
    );
    const known = believed.fromShown
      .carry(view.known(named.base))
      .union(own.subtract(unknownNow(believed, view)));
    const unseen = wanted.subtract(known);
    if (unseen.isEmpty) return null;
    const missing = LineSet.of(
      unseen.spans
        .map(([start, end]) => believed.toNow.hull(start, end))
        .filter(([start, end]) => start < end),
    );
    const indexes = named.edits.map((edit) => edit.index);
    return problem(
      "not_shown",
      indexes,
      `${describe(unseen.ranges())} ${unseen.size === 1 ? "was" : "were"} never shown to you`,
      {
        rows: missing.size <= shownRows ? missing : LineSet.empty,
        missing,
        mismatches: neverShown(missing, named.refs[0]?.ref.given ?? ""),
      },
    );
  };
}

/** Lines that stand in the file now and are not known there: an own edit may have quoted such a line only in part. */
function unknownNow({ toNow }: BelievedText, { known, history }: View): LineSet {
  return toNow.carryBack(LineSet.all(toNow.after).subtract(known(history.last)));
}

/** One for each range: `affectedRanges` has them whole. */
export function neverShown(missing: LineSet, anchor: string): Mismatch[] {
  return missing.ranges().map(({ start }) => ({
    anchor,
    line: start,
    expected: null,
    actual: null,
    cause: "never_shown",
    shown: null,
    now: null,
  }));
}

/** `not_shown` shows the missing rows if they are this few; else it asks for a read. */
export const shownRows = 40;

export function describe(ranges: readonly Range[]): string {
  const parts = ranges.slice(0, 5).map(({ start, end }) => (start === end ? `${start}` : `${start}-${end}`));
  const many = ranges.length > 1 || (ranges[0] !== undefined && ranges[0].end > ranges[0].start);
  return `${many ? "lines" : "line"} ${parts.join(", ")}${ranges.length > 5 ? ", …" : ""}`;
}

/**
 * One or two sentences for a prompt; the write tools' descriptions carry them too.
 *
 * @example
 * console.log(promptRules.split(":")[0]); // → Read a file before you edit it
 */
export const promptRules =
  "Read a file before you edit it: only lines you were shown can be named, by the anchor they were shown with. " +
  "After a refusal use the rows in it; do not send the same call again.";
