/** Runs the edits of one call on one file: the new text, or why not. */
import { scheme } from "../anchors/index.js";
import { LineChange } from "../changes/index.js";
import {
  anchorOf,
  type Complaint,
  carryingLines,
  type FileOperation,
  gapRows,
  type LocatedEdit,
  type Mismatch,
  mismatch,
  newestShown,
  normaliseEdits,
  type ParsedEdit,
  type Problem,
  problem,
  type Ref,
  type View,
} from "../edits/index.js";
import { type Document, type Hunk, LineSet, type Range } from "../text/index.js";
import { addedByOthers, repeatedNeighbours, withoutCopied } from "./caller-text.js";
import { inOrder, type PlacedHunk } from "./meeting.js";
import { type Gate, type Resolution, resolve } from "./resolve.js";
import { type Choice, type Chosen, force, withChoices } from "./retry.js";

export type OnStale = "relocate" | "refuse";

export interface EngineOptions {
  readonly gate?: Gate;
  readonly onStale?: OnStale;
  /** Every line that an edit names has to be where it was shown, whoever moved it. */
  readonly unmoved?: boolean;
}

/** The outcome of one edit of a call. */
interface EditOutcome {
  readonly index: number;
  readonly op: string;
  readonly status: "exact" | "relocated" | "noop";
  readonly from?: Range;
  readonly to?: Range;
}

export interface Applied {
  readonly status: "applied" | "noop";
  readonly document: Document;
  readonly change: LineChange;
  readonly edits: readonly EditOutcome[];
  readonly warnings: readonly string[];
  /** Lines of the file that show why nothing had to be done. */
  readonly rows: LineSet;
  /** Lines of the file before that others had changed since they were named, and that it goes over: they were looked at. */
  readonly over?: LineSet;
}

export interface Remap {
  readonly from: string;
  readonly to: string;
  readonly kind: "moved" | "changed";
}

export interface Refused {
  readonly status: "refused";
  readonly problems: readonly Problem[];
  readonly remaps: readonly Remap[];
  /** Hunks of the call if it is sent again on the rows of the refusal; null where they would be a guess. */
  readonly forced: readonly Hunk[] | null;
  /** Where anchors are ambiguous: what the call would do, for each way to take them. */
  readonly choices?: readonly Choice[];
}

/** One call on one file: the caller's edits, what the agent has seen, the file now → the new text, or why not. */
export function run(input: unknown, view: View, options: EngineOptions = {}): Applied | Refused {
  const { edits, operations, complaints } = normaliseEdits(input);
  const problems = hinted([...shapeProblems(complaints), ...misplaced(operations)], view);
  return withProblems(problems, runEdits(edits, view, options));
}

export function shapeProblems(complaints: readonly Complaint[]): Problem[] {
  return complaints.map(({ code, index, message, line }) =>
    problem(code, [index], message, line === undefined ? {} : { unread: line }),
  );
}

function misplaced(operations: readonly FileOperation[]): Problem[] {
  return operations.map(({ op }) =>
    problem("bad_request", [], `${op} works on whole files and belongs in a batch`),
  );
}

/** A number or a broken anchor is answered with the anchor that was shown for that line. */
export function hinted(problems: readonly Problem[], view: View): readonly Problem[] {
  return problems.map((one) =>
    one.unread === undefined ? one : { ...one, message: one.message + shownFor(one.unread, view) },
  );
}

/** Joins the problems of some edits of a call with the outcome of the others. */
function withProblems(problems: readonly Problem[], made: Applied | Refused): Applied | Refused {
  if (problems.length === 0) return made;
  const others = made.status === "refused" ? made : { problems: [], remaps: [] };
  return {
    status: "refused",
    problems: [...problems, ...others.problems],
    remaps: others.remaps,
    forced: null,
  };
}

export function runEdits(
  given: readonly ParsedEdit[],
  view: View,
  options: EngineOptions = {},
): Applied | Refused {
  const warnings: string[] = [];
  const edits = given.map((edit) => withoutRows(edit, view, warnings));
  const { resolution, problems } = resolved(edits, view, options);
  if (problems.length > 0) {
    const made = refused(problems, edits, resolution, view);
    return withChoices(made, (choice) => splicesFor(edits, { ...view, choice }, options));
  }
  const made = applySplices(view.history.now, resolution.pieces);
  if (!("document" in made)) return { status: "refused", problems: [made], remaps: [], forced: null };
  warnings.push(...repeatedNeighbours(resolution, view), ...addedByOthers(edits, view));
  if (view.isUnrecorded && edits.some(hasLinesBetween))
    warnings.push("lines between the ends of a range were not verified (no ledger)");
  return {
    status: made.change.isIdentity ? "noop" : "applied",
    document: made.document,
    change: made.change,
    edits: outcomes(edits, resolution, view),
    warnings,
    rows: made.change.isIdentity ? thereRows(resolution.named, view) : LineSet.empty,
    over: replacedOthers(resolution),
  };
}

/** Only the ends of a range have anchors. */
function hasLinesBetween(edit: ParsedEdit): boolean {
  const isRange = "start" in edit && edit.start !== null && edit.end !== null;
  return isRange && edit.end.anchor.line - edit.start.anchor.line > 1;
}

/** Lines that the call replaces and that others had changed. */
function replacedOthers({ named, pieces }: Resolution): LineSet {
  const changed = LineSet.of(
    named.flatMap(({ lookedAt = [] }) =>
      lookedAt.flatMap(({ bStart, bEnd }) => (bStart < bEnd ? [[bStart, bEnd] as const] : [])),
    ),
  );
  if (changed.isEmpty) return changed;
  const replaced = pieces.filter(({ start, end }) => start < end);
  return changed.intersect(LineSet.of(replaced.map(({ start, end }) => [start, end] as const)));
}

function resolved(edits: readonly ParsedEdit[], view: View, options: EngineOptions) {
  const resolution = resolve(edits, view, options.gate);
  const problems = [...resolution.problems];
  if (options.onStale === "refuse" && problems.length === 0) problems.push(...strict(resolution, view));
  if (options.unmoved && problems.length === 0) problems.push(...moves(resolution, view));
  return { resolution, problems };
}

/** Hunks of a call, by force if need be, and its problems. */
function splicesFor(edits: readonly ParsedEdit[], view: View, options: EngineOptions): Chosen {
  const { resolution, problems } = resolved(edits, view, options);
  if (problems.length === 0) return { splices: plainHunks(resolution.pieces), problems };
  return { splices: refused(problems, edits, resolution, view).forced, problems };
}

/** The anchor a line was last shown with, for a caller that gave a number or a broken anchor. */
function shownFor(line: number, view: View): string {
  for (const { state, rows, scheme: name, hashes } of view.showings.toReversed()) {
    if (!name || !rows.has(line - 1)) continue;
    const hash = hashes?.[line - 1] ?? view.history.hash(state, line - 1, name);
    if (hash !== null) return `: line ${line} was shown as ${scheme(name).tag(line, hash)}`;
  }
  return "";
}

/** A binary file could not be read with Kedge afterwards. */
export const nulMakesBinary = "the new text holds NUL (U+0000), which would make the file binary";

/** Puts text into the file now; untouched bytes stay, and so do lines of a piece that are equal to what is there. */
export function applySplices(
  now: Document,
  splices: readonly Hunk[],
): { document: Document; change: LineChange } | Problem {
  const document = now.splice(splices);
  if ("unencodable" in document)
    return problem(
      "unencodable",
      [],
      `the file's encoding ${document.encoding} cannot hold ${JSON.stringify(document.unencodable)}, in the line ${JSON.stringify(document.text)}`,
    );
  const isNul = (line: Hunk["lines"][number]) => typeof line === "string" && line.includes("\0");
  const hasNul = splices.some((splice) => splice.lines.some(isNul));
  if (hasNul && document.isBinary && !now.isBinary) return problem("binary", [], nulMakesBinary);
  // Equal lines may trade places: nothing was changed then, whatever the hunks say.
  return document.version === now.version
    ? { document: now, change: LineChange.identity(now.lineCount) }
    : { document, change: LineChange.ofHunks(now.lineCount, splices) };
}

function withoutRows(edit: ParsedEdit, view: View, warnings: string[]): ParsedEdit {
  if (!("text" in edit)) return edit;
  const { lines, warning } = withoutCopied(edit.text, view);
  if (warning !== null) warnings.push(`edits[${edit.index}]: ${warning}`);
  return lines === edit.text ? edit : { ...edit, text: lines };
}

/** `onStale: refuse`: the file must be the text the edit was made for, even where its lines merely moved. */
function strict({ named }: Resolution, view: View): Problem[] {
  return named.flatMap((one) => {
    // An end of the file is no line of a text: what was made for it was made for the newest that was shown.
    const isEnd = one.refs.length === 0 && one.spans.length === 0;
    const base = (isEnd ? newestShown(view) : undefined) ?? one.base;
    const theirs = view.history.believed(base)?.toNow;
    if (theirs?.isIdentity) return [];
    const edits = one.edits.map(({ index }) => index);
    if (isEnd)
      return [problem("stale", edits, "the file has changed since it was shown", seenOf(theirs, view))];
    const message = "the file has changed elsewhere since these lines were shown";
    return [problem("stale", edits, message, { rows: namedRows([one], view) })];
  });
}

/** Lines that others wrote, and the neighbours of lines that they removed. */
function seenOf(theirs: LineChange | undefined, { history }: View): Partial<Problem> {
  const regions = theirs?.regions ?? [];
  const changed = LineSet.of(regions.map(({ bStart, bEnd }) => [bStart, bEnd] as const));
  const missing = regions.reduce((set, one) => set.union(gapRows(one, history.now)), LineSet.empty);
  return { changed, missing, rows: missing };
}

/** For callers that name lines by number and hash, and know no relocation. */
function moves({ pieces }: Resolution, view: View): Problem[] {
  const { now } = view.history;
  return [...new Set(pieces.map(({ named }) => named))].flatMap((one) => {
    const theirs = view.history.believed(one.base)?.toNow;
    const mismatches = one.refs.flatMap(({ ref: { given, anchor }, line }): Mismatch[] => {
      const index = theirs?.index(line) ?? -1;
      if (index < 0 || index === anchor.line - 1) return [];
      const found = mismatch({ document: now, index }, { document: now, index }, anchor.scheme);
      return [{ ...found, anchor: given, expected: given, cause: "moved", movedTo: found.actual ?? "" }];
    });
    if (mismatches.length === 0) return [];
    const told = new Set(mismatches.map(({ anchor, movedTo }) => `${anchor} is ${movedTo} now`));
    const indexes = one.edits.map(({ index }) => index);
    return [problem("stale", indexes, [...told].join(", "), { mismatches, rows: namedRows([one], view) })];
  });
}

function refused(
  problems: readonly Problem[],
  edits: readonly ParsedEdit[],
  resolution: Resolution,
  view: View,
): Refused {
  const meant = problems.flatMap((one) => one.meant ?? []);
  const forced: PlacedHunk[] = meant.flatMap((named) =>
    named.hunks.map((hunk) => ({ ...hunk, named, order: 1 })),
  );
  let whole = [...resolution.named, ...meant].flatMap((one) => one.edits).length === edits.length;
  // Edits refused only by policy keep their resolved hunks, so that text others inserted survives.
  const hindered = new Set(resolution.problems.flatMap((one) => one.edits));
  for (const one of resolution.named) {
    const isHindered = one.edits.some(({ index }) => hindered.has(index));
    const pieces = isHindered ? force(one, view) : resolution.pieces.filter(({ named }) => named === one);
    for (const piece of pieces ?? []) forced.push(piece);
    if (!pieces) whole = false;
  }
  forced.sort(inOrder);
  const disjoint = forced.every((one, at) => at === 0 || one.start >= (forced[at - 1] as PlacedHunk).end);
  const usage = problems.some(({ code }) =>
    ["bad_request", "overlap", "ambiguous", "wrong_hash"].includes(code),
  );
  const offered = whole && disjoint && !usage && !view.isUnrecorded;
  return {
    status: "refused",
    problems,
    remaps: remaps(resolution.named, view),
    forced: offered ? plainHunks(forced) : null,
  };
}

function plainHunks(pieces: readonly PlacedHunk[]): Hunk[] {
  return pieces.map(({ start, end, lines, anchor }) =>
    anchor === undefined ? { start, end, lines } : { start, end, lines, anchor },
  );
}

/** Where each anchor of the call stands now, if its number is another. */
function remaps(named: readonly LocatedEdit[], view: View): Remap[] {
  const found = new Map<string, Remap>();
  for (const { base, refs } of named) {
    const theirs = view.history.believed(base)?.toNow;
    for (const { ref, line } of refs) {
      const fate = theirs?.mapLine(line);
      if (!fate) continue;
      const to = (index: number) => anchorOf(view.history.now, index, ref.anchor.scheme);
      const from = ref.given;
      if (fate.kind !== "deleted") {
        if (fate.line !== ref.anchor.line - 1) found.set(from, { from, to: to(fate.line), kind: "moved" });
      } else {
        const { aStart, aEnd, bStart, bEnd } = fate.region;
        if (aEnd - aStart === bEnd - bStart)
          found.set(from, { from, to: to(bStart + line - aStart), kind: "changed" });
      }
    }
  }
  return [...found.values()];
}

function outcomes(edits: readonly ParsedEdit[], { named, pieces }: Resolution, view: View): EditOutcome[] {
  const writing = new Set<LocatedEdit>();
  for (const piece of pieces) writing.add(piece.named);
  const owner = new Map<ParsedEdit, LocatedEdit>();
  for (const one of named) for (const edit of one.edits) owner.set(edit, one);
  return edits.map((edit) => {
    const one = owner.get(edit);
    return one && writing.has(one)
      ? outcome(edit, one, view)
      : { index: edit.index, op: edit.op, status: "noop" };
  });
}

function outcome(edit: ParsedEdit, one: LocatedEdit, view: View): EditOutcome {
  const { index, op } = edit;
  const theirs = view.history.believed(one.base)?.toNow;
  const span = one.spans[0] ?? (one.beside === null ? null : { start: one.beside, end: one.beside + 1 });
  if (!span || !theirs) return { index, op, status: "exact" };
  const shift = shiftOf(edit, one, view);
  const [start, end] = theirs.hull(span.start, span.end);
  const from = { start: span.start + 1 + shift, end: span.end + shift };
  const to = { start: start + 1, end };
  if (from.start === to.start) return { index, op, status: "exact" };
  return { index, op, status: "relocated", from, to };
}

/** How many lines above its anchors' numbers an edit stands in its base. */
function shiftOf(edit: ParsedEdit, { refs: [ref] }: LocatedEdit, view: View): number {
  if (ref) return ref.ref.anchor.line - 1 - ref.line;
  // The lines of a quote are not named; a record would have them followed from where they were shown.
  if (!view.isUnrecorded || edit.op !== "replace_text" || !edit.start || !edit.end) return 0;
  const [line] = carriedLines([edit.start, edit.end], view);
  return line === undefined ? 0 : edit.start.anchor.line - 1 - line;
}

function carriedLines(refs: readonly Ref[], { history, within = 0 }: View): readonly number[] {
  const lines = carryingLines(refs, history.now, within);
  return "code" in lines ? [] : lines;
}

function namedRows(named: readonly LocatedEdit[], view: View): LineSet {
  const spans: (readonly [number, number])[] = [];
  for (const one of named) {
    const theirs = view.history.believed(one.base)?.toNow;
    if (!theirs) continue;
    for (const { line } of one.refs) spans.push(theirs.hull(line, line + 1));
    for (const span of one.spans) if (one.refs.length === 0) spans.push(theirs.hull(span.start, span.end));
  }
  return LineSet.of(spans.filter(([start, end]) => start < end));
}

/** Lines that are named, and lines that others put beside them: together they are already there. */
function thereRows(named: readonly LocatedEdit[], view: View): LineSet {
  const spans = named.flatMap(({ base, refs, spans: own }) => {
    const theirs = view.history.believed(base)?.toNow;
    const places = [...own, ...refs.map(({ line }) => ({ start: line, end: line + 1 }))];
    const met = places.flatMap(({ start, end }) => theirs?.touching(start, end) ?? []);
    return met.map(({ bStart, bEnd }) => [bStart, bEnd] as const);
  });
  return namedRows(named, view).union(LineSet.of(spans));
}
