/** Finds where quoted text stands in the newest text the agent was shown. */
import { type Document, type Hunk, LineSet } from "../text/index.js";
import { meantBy } from "./blank-match.js";
import type { ParsedEdit } from "./edit.js";
import { locate } from "./locate-anchor.js";
import { type LocatedEdit, newestShown, ourChange, type Span, type View } from "./located-edit.js";
import { type Problem, problem, whereabouts, widened } from "./problem.js";
import { goneQuote, outgrown, shownSightings } from "./quote-sightings.js";
import {
  disjoint,
  isWholeLines,
  lastAtMost,
  lineStarts,
  linesAt,
  offsets,
  quotesIn,
  search,
  textOf,
} from "./text-search.js";

type QuoteEdit = Extract<ParsedEdit, { op: "replace_text" }>;

/** A part of a text, as offsets, and its replacement. */
interface TextPart {
  readonly from: number;
  readonly to: number;
  readonly new: string;
}

/** An occurrence of quoted text in the text of a state. */
interface Occurrence extends TextPart {
  readonly edit: QuoteEdit;
}

/**
 * Literal text is searched in the newest text the agent was shown: the quote is the evidence. Quotes of one call
 * that share a line become one edit of that line.
 */
export function locateText(edits: readonly QuoteEdit[], view: View): (LocatedEdit | Problem)[] {
  const results: (LocatedEdit | Problem)[] = [];
  const byBase = new Map<number, Occurrence[]>();
  for (const edit of edits) {
    const found = occurrences(edit, view);
    if (Array.isArray(found)) results.push(...found);
    else if ("code" in found) results.push(found);
    else byBase.set(found.base, [...(byBase.get(found.base) ?? []), ...found.places]);
  }
  for (const [base, places] of byBase) {
    const document = view.history.believed(base)?.document as Document;
    for (const one of join(base, places, document)) results.push(one);
  }
  return results;
}

function occurrences(
  edit: QuoteEdit,
  view: View,
): { base: number; places: Occurrence[] } | Problem | Problem[] {
  let base = newestShown(view) ?? view.history.last;
  let span: Span | null = null;
  if (edit.start && edit.end) {
    const located = locate(edit, [edit.start, edit.end], view);
    if (!("base" in located)) return located;
    base = located.base;
    span = believedSpan(located.lines, base, view);
  }
  const believed = view.history.believed(base);
  if (!believed) return notKept(edit, view);
  const { document, unknown } = believed;
  const found = search(textOf(document), edit.old, span && offsets(document, span));
  if (!unknown.isEmpty && (edit.all || found.length === 0)) return notKept(edit, view);
  if (found.length === 0) return withMeant(missing(edit, span, view), { edit, base, span }, view);
  if (found.length > 1 && !edit.all) return several(edit, found, { base, document }, view);
  const grown = found
    .map((from) => outgrownAt(edit, { base, document, from }, view))
    .find((one) => one !== null);
  if (grown) return grown;
  const elsewhere =
    span || edit.all ? null : seenElsewhere(edit, { base, document, from: found[0] ?? 0 }, view);
  if (elsewhere) return elsewhere;
  const places = edit.all ? disjoint(found, edit.old.length) : found;
  return { base, places: places.map((from) => ({ edit, from, to: from + edit.old.length, new: edit.new })) };
}

function notKept(edit: QuoteEdit, view: View): Problem {
  return problem(
    "stale",
    [edit.index],
    "the text that was shown is not kept, so the quote cannot be placed",
    { reread: standing(edit, view.history.now) },
  );
}

function outgrownAt(
  edit: QuoteEdit,
  at: { base: number; document: Document; from: number },
  view: View,
): Problem | null {
  const { old } = edit;
  if (isWholeLines(textOf(at.document), at.from, old.length)) return null;
  const [first, last] = linesAt(at.document, at.from, at.from + old.length - 1);
  const place = view.history.believed(at.base)?.toNow.hull(first, last + 1);
  return place ? outgrown([edit.index], old, place, view) : null;
}

/** Where a quote stands in the file now, with some lines around. */
function standing({ old, start, end }: QuoteEdit, now: Document): LineSet {
  if (start && end) return whereabouts([start, end], now);
  return widened(
    quotesIn(now, old)
      .slice(0, 5)
      .map(([first, last]) => [first, last + 1] as const),
    now,
  );
}

function believedSpan(lines: readonly number[], base: number, view: View): Span {
  const [start, end] = view.history
    .believed(base)
    ?.fromShown.hull(Math.min(...lines), Math.max(...lines) + 1) ?? [0, 0];
  return { start, end };
}

/** One place that the agent was shown reads the same but for blanks: its rows, and if it can be, a handle with its blanks. */
function withMeant(
  found: Problem,
  { edit, base, span }: { edit: QuoteEdit; base: number; span: Span | null },
  view: View,
): Problem {
  const { last, now } = view.history;
  const meant = meantBy(edit, now);
  if (!meant) return found;
  const { start, end, healed } = meant;
  const within = span ? view.history.believed(base)?.toNow.hull(span.start, span.end) : [0, now.lineCount];
  const isNamed = within !== undefined && (within[0] as number) <= start && end <= (within[1] as number);
  if (!isNamed || !view.known(last).hasSpan(start, end)) return found;
  const place = end - start === 1 ? `line ${end} reads` : `lines ${start + 1}-${end} read`;
  const told = {
    ...found,
    message: `${found.message}; ${place} the same but for blanks at line starts and ends`,
    rows: found.rows.add(start, end),
  };
  if (!healed) return told;
  const hunks = ourChange(now.lines(start, end), healed.lines, start);
  return {
    ...told,
    meant: { edits: [edit], base: last, refs: [], spans: [{ start, end }], gap: null, beside: null, hunks },
  };
}

/** Not in the newest text shown: it stood in an older one and is gone, or the agent never saw it. */
function missing(edit: QuoteEdit, span: Span | null, view: View): Problem {
  const quoted = JSON.stringify(edit.old.length > 60 ? `${edit.old.slice(0, 60)}…` : edit.old);
  if (span) return problem("not_found", [edit.index], `${quoted} does not stand in the lines named`);
  const newest = newestShown(view) ?? 0;
  const states = view.history.states.map((_, state) => state).filter((state) => state < newest);
  for (const state of states.reverse()) {
    const document = view.history.document(state);
    const [from] = document ? search(textOf(document), edit.old, null) : [];
    if (document && from !== undefined) return gone(edit, { state, document, from }, view);
  }
  const here = search(textOf(view.history.now), edit.old, null).length > 0;
  const hint = here ? "; it stands in the file now, in lines that were not shown" : "";
  return problem("not_found", [edit.index], `${quoted} is not in the text that was shown${hint}`);
}

/** Refuses a quote that matches where the agent never looked, if the place where it saw it is gone: that place was meant. */
function seenElsewhere(
  edit: QuoteEdit,
  at: { base: number; document: Document; from: number },
  view: View,
): Problem | null {
  const { history } = view;
  const believed = history.believed(at.base);
  const [first, last] = linesAt(at.document, at.from, at.from + edit.old.length - 1);
  const own = believed?.fromShown.regions.map(({ bStart, bEnd }) => [bStart, bEnd] as const) ?? [];
  const seen = (believed?.fromShown.carry(view.known(at.base)) ?? LineSet.empty).union(LineSet.of(own));
  if (seen.hasSpan(first, last + 1)) return null;
  if (believed && !believed.unknown.isEmpty) return notKept(edit, view);
  const quote = { quoted: edit.old, start: believed?.toNow.index(first) ?? -1 };
  for (const { state, rows } of view.showings) {
    if (state === at.base) continue;
    const then = history.believed(state);
    // The quote may have matched a row that has changed, and whose text is not kept.
    if (then && !then.unknown.intersect(then.fromShown.carry(rows)).isEmpty) return notKept(edit, view);
    const other = shownSightings(quote, state, rows, history).find((one) => one.at < 0);
    if (other)
      return goneQuote([edit.index], { ...other, alike: history.followOverBlanks(state) }, history.now);
  }
  return null;
}

function gone(edit: QuoteEdit, at: { state: number; document: Document; from: number }, view: View): Problem {
  const { document, from } = at;
  const { history } = view;
  const [toNow, alike] = [history.follow(at.state), history.followOverBlanks(at.state)];
  const place = { document, from, length: edit.old.length, toNow, alike };
  return goneQuote([edit.index], place, history.now);
}

function several(
  edit: QuoteEdit,
  found: readonly number[],
  at: { base: number; document: Document },
  view: View,
): Problem {
  const theirs = view.history.believed(at.base)?.toNow;
  const starts = lineStarts(at.document);
  const lines = found.map((from) => lastAtMost(starts, from));
  const now = lines.flatMap((line) => {
    const index = theirs?.index(line) ?? -1;
    return index < 0 ? [] : [[index, index + 1] as const];
  });
  const where = [...new Set(lines)].map((line) => line + 1);
  const listed = where.slice(0, 10).join(", ") + (where.length > 10 ? ", …" : "");
  const stands = `the quoted text stands ${found.length} times (lines ${listed} as shown)`;
  return problem(
    "ambiguous",
    [edit.index],
    {
      message: `${stands}; quote more of it, give anchor, or set all`,
      withoutAnchors: `${stands}; quote more of it`,
    },
    { rows: LineSet.of(now) },
  );
}

/** Returns the hunks that replace parts of a document's text. The parts are in order and do not overlap. */
export function textHunks(document: Document, parts: readonly TextPart[]): Hunk<string>[] {
  const source = sourceOf(document);
  return sharingLines(parts, source).flatMap((group) => rewrite(group, source).hunks);
}

/** Occurrences that share lines become one edit of those lines. */
function join(base: number, places: readonly Occurrence[], document: Document): (LocatedEdit | Problem)[] {
  const sorted = places.toSorted((one, two) => one.from - two.from);
  for (const [at, place] of sorted.entries()) {
    const last = sorted[at - 1];
    if (!last || place.from >= last.to) continue;
    const indexes = [last.edit.index, place.edit.index];
    return [
      problem("overlap", indexes, `edits[${indexes[0]}] and edits[${indexes[1]}] quote overlapping text`),
    ];
  }
  const source = sourceOf(document);
  const located = sharingLines(sorted, source).map((group): LocatedEdit => {
    const { span, hunks } = rewrite(group, source);
    const edits = [...new Set(group.map(({ edit }) => edit))];
    return { edits, base, refs: [], spans: [span], gap: null, beside: null, hunks };
  });
  return byEdit(located);
}

interface Source {
  readonly text: string;
  readonly starts: readonly number[];
  readonly document: Document;
  lineOf(offset: number): number;
}

function sourceOf(document: Document): Source {
  const starts = lineStarts(document);
  return { text: textOf(document), starts, document, lineOf: (offset) => lastAtMost(starts, offset) };
}

/** Groups parts of a text, in order, where one begins in the line in which the one before it ends. */
function sharingLines<T extends TextPart>(parts: readonly T[], { lineOf }: Source): T[][] {
  const groups: T[][] = [];
  for (const part of parts) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group && last && lineOf(part.from) <= lineOf(last.to)) group.push(part);
    else groups.push([part]);
  }
  return groups;
}

function rewrite(group: readonly TextPart[], source: Source): { span: Span; hunks: Hunk<string>[] } {
  const { text, starts, document, lineOf } = source;
  const [first, last] = [group[0] as TextPart, group.at(-1) as TextPart];
  const start = lineOf(first.from);
  const end = Math.min(lineOf(last.to) + 1, document.lineCount);
  let from = starts[start] as number;
  let made = "";
  for (const part of group) {
    made += text.slice(from, part.from) + part.new;
    from = part.to;
  }
  made += text.slice(from, starts[end] === undefined ? text.length : (starts[end] as number) - 1);
  const lines = made === "" && lineOf(last.to) >= document.lineCount ? [] : made.split("\n");
  // At the end of the text a final newline only terminates; whether the file has one is not the edit's to say.
  if (lines.at(-1) === "" && last.to === text.length) lines.pop();
  return { span: { start, end }, hunks: ourChange(document.lines(start, end), lines, start) };
}

/** The places of one edit with `all` are one entry, so that it is reported once. */
function byEdit(results: readonly LocatedEdit[]): LocatedEdit[] {
  const merged: LocatedEdit[] = [];
  const groups = new Map<
    ParsedEdit,
    { at: number; edits: Set<ParsedEdit>; spans: Span[]; hunks: Hunk<string>[] }
  >();
  for (const one of results) {
    const found = one.edits.flatMap((edit) => groups.get(edit) ?? []);
    const group = found.toSorted((other, another) => other.at - another.at)[0];
    if (!group) {
      const made = {
        at: merged.length,
        edits: new Set(one.edits),
        spans: [...one.spans],
        hunks: [...one.hunks],
      };
      for (const edit of one.edits) groups.set(edit, made);
      merged.push(one);
    } else {
      for (const edit of one.edits) {
        group.edits.add(edit);
        if (!groups.has(edit)) groups.set(edit, group);
      }
      for (const span of one.spans) group.spans.push(span);
      for (const hunk of one.hunks) group.hunks.push(hunk);
    }
  }
  for (const { at, edits, spans, hunks } of new Set(groups.values()))
    merged[at] = { ...(merged[at] as LocatedEdit), edits: [...edits], spans, hunks };
  return merged;
}
