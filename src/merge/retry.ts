/** An ambiguous anchor is the agent's to decide: what the call would do, for each line that it may mean. */
import { hasOnlyOtherBlanks, heal, indentUnit, type LineChange } from "../changes/index.js";
import {
  anchorOf,
  type LocatedEdit,
  type OpenAnchor,
  ourChange,
  type Problem,
  type Span,
  type View,
} from "../edits/index.js";
import { type Document, type Hunk, LineSet } from "../text/index.js";
import { orderBeside, type PlacedHunk } from "./meeting.js";
import { carriedHunks } from "./resolve.js";

/** One way to take the ambiguous anchors of a call, all of them from one showing. */
export interface Choice {
  /** The line of the file now (0-based) that each of them means, in the order of `openAnchors`. */
  readonly lines: readonly number[];
  readonly splices: readonly Hunk[];
  /** It goes over changes of others, whose lines are marked. */
  readonly isForced: boolean;
}

/** The outcome of a call with one choice. `splices` is null if it cannot be sent again. */
export interface Chosen {
  readonly splices: readonly Hunk[] | null;
  readonly problems: readonly Problem[];
}

const mostChoices = 4;

/** The ambiguous anchors of a call, each once. */
export function openAnchors(problems: readonly Problem[]): OpenAnchor[] {
  const found = new Map(problems.flatMap(({ open }) => (open ? [[open.key, open]] : [])));
  return [...found.values()];
}

/**
 * Adds the choices to a refusal, the newest showing first. Conflicts of one of them are shown too, since a retry by its
 * handle overwrites them.
 */
export function withChoices<T extends { readonly problems: readonly Problem[] }>(
  made: T,
  choose: (choice: NonNullable<View["choice"]>) => Chosen,
): T {
  const open = openAnchors(made.problems);
  if (open.length === 0) return made;
  const anchors = new Set(open.map(({ key }) => key));
  const choices: Choice[] = [];
  const others = new Set<Problem>();
  for (const { showing, lines } of assignments(open)) {
    if (choices.length === mostChoices) break;
    const { splices, problems } = choose({ showing, anchors });
    if (!splices) continue;
    choices.push({ lines, splices, isForced: problems.some(({ changed }) => !changed.isEmpty) });
    for (const one of problems) others.add(one);
  }
  return { ...made, problems: withRows(made.problems, [...others]), choices };
}

/** Showings that name a living line for each of the anchors, the newest first; equal ones once. */
function assignments(open: readonly OpenAnchor[]): { showing: number; lines: number[] }[] {
  const showings = new Set(open.flatMap(({ lines }) => lines.flatMap((one) => one.showings)));
  const found = new Map<string, { showing: number; lines: number[] }>();
  for (const showing of [...showings].sort((one, two) => two - one)) {
    const places = open.map(({ lines }) => lines.find((one) => one.showings.includes(showing))?.line ?? -1);
    const key = places.join();
    if (!places.includes(-1) && !found.has(key)) found.set(key, { showing, lines: places });
  }
  return [...found.values()];
}

/** A line that an ambiguous anchor may mean, as it is printed now, and the handle that takes it. */
export interface ChoicePlace {
  readonly line: number;
  readonly anchor: string;
  readonly retry?: string;
}

/** All lines that the ambiguous anchors may mean. `handles`: those of the choices, in their order. */
export function choicePlaces(
  problems: readonly Problem[],
  choices: readonly Choice[],
  handles: readonly string[],
  now: Document,
): ChoicePlace[] {
  return openAnchors(problems).flatMap(({ lines, scheme }, at) =>
    lines.map(({ line }) => {
      const taking = choices.findIndex((choice) => choice.lines[at] === line);
      const retry = handles[taking];
      const place = { line: line + 1, anchor: anchorOf(now, line, scheme) };
      return retry === undefined ? place : { ...place, retry };
    }),
  );
}

function withRows(problems: readonly Problem[], others: readonly Problem[]): readonly Problem[] {
  if (others.length === 0) return problems;
  const all = (part: "rows" | "changed" | "missing") =>
    others.reduce((set, one) => set.union(one[part]), LineSet.empty);
  const at = problems.findIndex(({ open }) => open !== undefined);
  return problems.map((one, index) =>
    index === at
      ? {
          ...one,
          rows: one.rows.union(all("rows")),
          changed: one.changed.union(all("changed")),
          missing: one.missing.union(all("missing")),
        }
      : one,
  );
}

/**
 * Hunks of a refused edit that is sent again on the rows of the refusal: its anchors taken to the lines that
 * stand there now. Where these differ from the lines shown in blanks only, the text takes the present ones. null where
 * that would be a guess; then no retry handle is offered.
 */
export function force(named: LocatedEdit, view: View): PlacedHunk[] | null {
  const theirs = view.history.believed(named.base)?.toNow;
  const [edit] = named.edits;
  if (!theirs || !edit) return null;
  switch (edit.op) {
    case "insert_after":
    case "insert_before": {
      const beside = { start: named.beside as number, end: (named.beside as number) + 1 };
      const span = standsAt(theirs, beside.start, beside.end);
      const lines = span && indented(edit.text, { named, range: beside, span }, view);
      if (!lines) return null;
      const gap = edit.op === "insert_after" ? span[1] : span[0];
      const anchor = span[0] < span[1] ? { anchor: span[0] } : {};
      return [{ named, start: gap, end: gap, lines, order: 1, ...anchor }];
    }
    case "set_line":
    case "replace_lines":
    case "delete_lines":
      return replaced(edit.text, named, theirs, view);
    case "replace_text":
      return edit.all ? null : requoted(named, theirs, view);
    case "move_lines":
    case "copy_lines": {
      const range = named.spans[0] as { start: number; end: number };
      const [source, target] = [
        range,
        { start: named.beside as number, end: (named.beside as number) + 1 },
      ].map(({ start, end }) => standsAt(theirs, start, end));
      if (!source || !target || source[0] === source[1] || target[0] === target[1]) return null;
      const span = { start: source[0], end: source[1] };
      return carriedHunks(edit.op, span, target[1], view.history.now.lines(...source)).map((hunk) => ({
        ...{ ...hunk, named, order: 1 },
        ...(hunk.start === hunk.end ? { anchor: target[0] } : {}),
      }));
    }
    default:
      return null;
  }
}

function replaced(
  text: readonly string[],
  named: LocatedEdit,
  theirs: LineChange,
  view: View,
): PlacedHunk[] | null {
  const range = named.spans[0] as Span;
  const span = standsAt(theirs, range.start, range.end);
  const lines = span && indented(text, { named, range, span }, view);
  if (!lines) return null;
  const [start, end] = span;
  const order = (point: number) => orderBeside([{ start, end }], point);
  return ourChange(view.history.now.lines(start, end), lines, start).map((hunk) => ({
    ...hunk,
    named,
    order: hunk.start < hunk.end ? 1 : order(hunk.start),
  }));
}

/** A quote is evidence of its lines: they may have changed in blanks only. */
function requoted(named: LocatedEdit, theirs: LineChange, view: View): PlacedHunk[] | null {
  const [range, other] = named.spans;
  const document = view.history.believed(named.base)?.document;
  const span = range && !other ? standsAt(theirs, range.start, range.end) : null;
  if (!document || !range || !span) return null;
  if (!hasOnlyOtherBlanks(document.lines(range.start, range.end), view.history.now.lines(...span)))
    return null;
  let from = range.start;
  const text = named.hunks.flatMap(({ start, end, lines }) => {
    const kept = document.lines(from, start);
    from = end;
    return [...kept, ...lines];
  });
  return replaced([...text, ...document.lines(from, range.end)], named, theirs, view);
}

/** The lines that are meant, as they were shown and where they are now. */
interface Shown {
  readonly named: LocatedEdit;
  readonly range: Span;
  readonly span: readonly [number, number];
}

/** The text, with the blanks that its lines have now if nothing else of them has changed; null: these cannot be told. */
function indented(
  text: readonly string[],
  { named, range, span }: Shown,
  { history }: View,
): readonly string[] | null {
  const quoted = history.believed(named.base)?.document.lines(range.start, range.end) ?? [];
  const standing = history.now.lines(...span);
  if (text.length === 0 || !hasOnlyOtherBlanks(quoted, standing)) return text;
  const unit = indentUnit(history.now.lines());
  return heal({ quoted, standing, fresh: text, unit })?.lines ?? null;
}

/**
 * The lines of the file now that lines [start, end) became. At an edge inside a region that is only certain if the
 * span covers the region's lines on that side, or the region has as many lines as before.
 */
function standsAt(theirs: LineChange, start: number, end: number): readonly [number, number] | null {
  const edge = (line: number, first: boolean): number | null => {
    const fate = theirs.mapLine(line);
    if (fate.kind !== "deleted") return first ? fate.line : fate.line + 1;
    const { aStart, aEnd, bStart, bEnd } = fate.region;
    if (aEnd - aStart === bEnd - bStart) return bStart + (line - aStart) + (first ? 0 : 1);
    if (first) return aStart === line ? bStart : null;
    return aEnd === line + 1 ? bEnd : null;
  };
  const from = edge(start, true);
  const to = edge(end - 1, false);
  return from === null || to === null || to < from ? null : [from, to];
}
