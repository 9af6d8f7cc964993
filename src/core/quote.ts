import type { Hunk } from "./change.js";
import type { Document } from "./document.js";
import type { Edit } from "./edit.js";
import { locate } from "./locate.js";
import { type Named, ours, type Span } from "./named.js";
import { anchorOf, type Problem, problem } from "./problem.js";
import { LineSet } from "./ranges.js";
import { newestShown, type View } from "./view.js";

type Quote = Extract<Edit, { op: "replace_text" }>;

/** One occurrence of a quoted text, as offsets into the text of a state, and what is to stand there. */
interface Occurrence {
  readonly edit: Quote;
  readonly from: number;
  readonly to: number;
}

/**
 * Literal text is searched in the newest text the agent was shown: the quote is the evidence. Quotes of one call
 * that share a line become one edit of that line.
 */
export function locateText(edits: readonly Quote[], view: View): (Named | Problem)[] {
  const results: (Named | Problem)[] = [];
  const byBase = new Map<number, Occurrence[]>();
  for (const edit of edits) {
    const found = occurrences(edit, view);
    if ("code" in found) results.push(found);
    else byBase.set(found.base, [...(byBase.get(found.base) ?? []), ...found.places]);
  }
  for (const [base, places] of byBase) results.push(...join(base, places, view));
  return results;
}

function occurrences(edit: Quote, view: View): { base: number; places: Occurrence[] } | Problem {
  let base = newestShown(view) ?? view.history.last;
  let span: Span | null = null;
  if (edit.start && edit.end) {
    const located = locate(edit, [edit.start, edit.end], view);
    if ("code" in located) return located;
    base = located.base;
    span = believedSpan(located.lines, base, view);
  }
  const document = view.history.believed(base)?.document;
  if (!document)
    return problem(
      "stale",
      [edit.index],
      "the text that was shown is not kept, so the quote cannot be placed",
    );
  const found = search(textOf(document), edit.old, span && offsets(document, span));
  if (found.length === 0) return missing(edit, span, view);
  if (found.length > 1 && !edit.all) return several(edit, found, { base, document }, view);
  const places = edit.all ? disjoint(found, edit.old.length) : found;
  return { base, places: places.map((from) => ({ edit, from, to: from + edit.old.length })) };
}

function believedSpan(lines: readonly number[], base: number, view: View): Span {
  const [start, end] = view.history
    .believed(base)
    ?.fromShown.hull(Math.min(...lines), Math.max(...lines) + 1) ?? [0, 0];
  return { start, end };
}

/** A document as one string with LF ends; its final newline is there if the last line has one. */
function textOf(document: Document): string {
  const text = document.lines().join("\n");
  const last = document.lineCount - 1;
  return last >= 0 && document.terminator(last) !== "" ? `${text}\n` : text;
}

function offsets(document: Document, span: Span): Span {
  const start = document.lines(0, span.start).reduce((sum, line) => sum + line.length + 1, 0);
  return {
    start,
    end: document.lines(span.start, span.end).reduce((sum, line) => sum + line.length + 1, start),
  };
}

function search(text: string, quoted: string, within: Span | null): number[] {
  const found: number[] = [];
  const end = within?.end ?? text.length;
  for (let at = text.indexOf(quoted, within?.start ?? 0); at >= 0; at = text.indexOf(quoted, at + 1)) {
    if (at + quoted.length > end) break;
    found.push(at);
  }
  return found;
}

function disjoint(found: readonly number[], length: number): number[] {
  const kept: number[] = [];
  for (const at of found) if (kept.length === 0 || at >= (kept.at(-1) as number) + length) kept.push(at);
  return kept;
}

/** Not in the newest text shown: it stood in an older one and is gone, or the agent never saw it. */
function missing(edit: Quote, span: Span | null, view: View): Problem {
  const quoted = JSON.stringify(edit.old.length > 60 ? `${edit.old.slice(0, 60)}…` : edit.old);
  if (span) return problem("not_found", [edit.index], `${quoted} does not stand in the lines named`);
  const states = [...new Set(view.showings.map(({ state }) => state))];
  for (const state of states) {
    const document = view.history.document(state);
    const [from] = document ? search(textOf(document), edit.old, null) : [];
    if (document && from !== undefined) return gone(edit, { state, document, from }, view);
  }
  const here = search(textOf(view.history.now), edit.old, null).length > 0;
  const hint = here ? "; it stands in the file now, in lines that were not shown" : "";
  return problem("not_found", [edit.index], `${quoted} is not in the text that was shown${hint}`);
}

function gone(edit: Quote, at: { state: number; document: Document; from: number }, view: View): Problem {
  const { history } = view;
  const [start, end] = linesAt(at.document, at.from, at.from + edit.old.length);
  const hull = history.follow(at.state)?.hull(start, Math.min(end + 1, at.document.lineCount)) ?? [0, 0];
  const rows = hull[0] < hull[1] ? LineSet.of([hull]) : LineSet.empty;
  const shown = at.document.text(start);
  const line = hull[0] < hull[1] ? hull[0] : null;
  return problem("stale", [edit.index], "the quoted text stood in a version that was shown and is gone", {
    mismatches: [
      {
        anchor: anchorOf(at.document, start, "hex6"),
        line: line === null ? null : line + 1,
        expected: anchorOf(at.document, start, "hex6"),
        actual: line === null ? null : anchorOf(history.now, line, "hex6"),
        cause: line === null ? "deleted" : "changed",
        shown,
        now: line === null ? null : history.now.text(line),
      },
    ],
    rows,
    changed: rows,
  });
}

function several(
  edit: Quote,
  found: readonly number[],
  at: { base: number; document: Document },
  view: View,
): Problem {
  const theirs = view.history.believed(at.base)?.toNow;
  const lines = found.map((from) => linesAt(at.document, from, from)[0]);
  const now = lines.flatMap((line) => {
    const index = theirs?.index(line) ?? -1;
    return index < 0 ? [] : [[index, index + 1] as const];
  });
  const where = [...new Set(lines)].map((line) => line + 1);
  const listed = where.slice(0, 10).join(", ") + (where.length > 10 ? ", …" : "");
  return problem(
    "ambiguous",
    [edit.index],
    `the quoted text stands ${found.length} times (lines ${listed} as shown); quote more of it, give anchor, or set all`,
    { rows: LineSet.of(now) },
  );
}

/** First and last line of each place where a text stands in a document. */
export function quotesIn(document: Document, quoted: string): [number, number][] {
  return search(textOf(document), quoted, null).map((from) =>
    linesAt(document, from, from + quoted.length - 1),
  );
}

/** First and last line index that an offset span touches; the end of the text is one line further. */
function linesAt(document: Document, from: number, to: number): [number, number] {
  let offset = 0;
  let first = -1;
  for (let index = 0; index < document.lineCount; index++) {
    const next = offset + document.text(index).length + 1;
    if (first < 0 && from < next) first = index;
    if (to < next) return [first, index];
    offset = next;
  }
  return [first < 0 ? document.lineCount : first, document.lineCount];
}

/** Occurrences that share lines become one edit of those lines. */
function join(base: number, places: readonly Occurrence[], view: View): (Named | Problem)[] {
  const document = view.history.believed(base)?.document as Document;
  const text = textOf(document);
  const starts = lineStarts(document);
  const sorted = places.toSorted((one, two) => one.from - two.from);
  const results: (Named | Problem)[] = [];
  let group: Occurrence[] = [];
  const lineOf = (offset: number): number => lastAtMost(starts, offset);
  const flush = (): void => {
    if (group.length > 0) results.push(rewrite(base, group, { text, starts, document, lineOf }));
    group = [];
  };
  for (const place of sorted) {
    const last = group.at(-1);
    if (last && place.from < last.to) {
      const indexes = [last.edit.index, place.edit.index];
      return [
        problem("overlap", indexes, `edits[${indexes[0]}] and edits[${indexes[1]}] quote overlapping text`),
      ];
    }
    if (last && lineOf(place.from) > lineOf(last.to)) flush();
    group.push(place);
  }
  flush();
  return byEdit(results);
}

interface Source {
  readonly text: string;
  readonly starts: readonly number[];
  readonly document: Document;
  lineOf(offset: number): number;
}

function rewrite(base: number, group: readonly Occurrence[], source: Source): Named {
  const { text, starts, document, lineOf } = source;
  const [first, last] = [group[0] as Occurrence, group.at(-1) as Occurrence];
  const start = lineOf(first.from);
  const end = Math.min(lineOf(last.to) + 1, document.lineCount);
  let from = starts[start] as number;
  let made = "";
  for (const { edit, from: at, to } of group) {
    made += text.slice(from, at) + edit.new;
    from = to;
  }
  made += text.slice(from, starts[end] === undefined ? text.length : (starts[end] as number) - 1);
  const lines = made === "" && lineOf(last.to) >= document.lineCount ? [] : made.split("\n");
  // At the end of the text a final newline only terminates; whether the file has one is not the edit's to say.
  if (lines.at(-1) === "" && last.to === text.length) lines.pop();
  const hunks: Hunk<string>[] = ours(document.lines(start, end), lines, start);
  const edits = [...new Set(group.map(({ edit }) => edit))];
  return { edits, base, refs: [], spans: [{ start, end }], gap: null, beside: null, hunks };
}

/** The places of one edit with `all` are one entry, so that it is reported once. */
function byEdit(results: readonly (Named | Problem)[]): (Named | Problem)[] {
  const merged: (Named | Problem)[] = [];
  for (const one of results) {
    const at = merged.findIndex(
      (other) => "base" in one && "base" in other && other.edits.some((edit) => one.edits.includes(edit)),
    );
    const other = merged[at];
    if (!other || !("base" in other) || !("base" in one)) merged.push(one);
    else
      merged[at] = {
        ...other,
        edits: [...new Set([...other.edits, ...one.edits])],
        spans: [...other.spans, ...one.spans],
        hunks: [...other.hunks, ...one.hunks],
      };
  }
  return merged;
}

/** Offsets at which lines begin; one more for the end of the text if the last line is terminated. */
function lineStarts(document: Document): number[] {
  const starts: number[] = [];
  let offset = 0;
  for (let index = 0; index < document.lineCount; index++) {
    starts.push(offset);
    offset += document.text(index).length + 1;
  }
  if (document.lineCount === 0 || document.terminator(document.lineCount - 1) !== "") starts.push(offset);
  return starts;
}

function lastAtMost(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
