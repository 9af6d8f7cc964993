import { scheme } from "../anchors/index.js";
import { History } from "../changes/index.js";
import {
  anchorOf,
  type Cause,
  type Edit,
  type Mismatch,
  normaliseEdits,
  type Problem,
  problem,
  type Ref,
  type Showing,
  type View,
} from "../edits/index.js";
import { type Document, LineSet } from "../text/index.js";
import { type Applied, misplaced, type Refused, runEdits, shapeProblems, withProblems } from "./run-edits.js";

export interface StatelessOptions {
  /** How far from its number a line may have moved; 0 turns relocation off. */
  readonly window?: number;
}

export const recoveryWindow = 8;
/** Below this many bits a hash alone is no evidence for a line at another number. */
const bitsToMove = 24;

/**
 * One call without a record of what was shown: line n must carry h; else a line of the whole file that alone has
 * that hash, inside the window, counts as moved. Both ends of a range share one offset. Lines between the ends
 * cannot be verified, and the result says so.
 */
export function runStateless(
  input: unknown,
  now: Document,
  options: StatelessOptions = {},
): Applied | Refused {
  const { edits, operations, complaints } = normaliseEdits(input);
  const window = options.window ?? recoveryWindow;
  const all = edits.map((edit) => place(edit, now, window));
  const problems = [
    ...shapeProblems(complaints),
    ...misplaced(operations),
    ...all.flatMap((one) => one.problems),
  ];
  const placed = all.filter((one) => one.problems.length === 0);
  const taken = placed.map(({ edit }) => edit);
  const made = withProblems(problems, runEdits(taken, everythingShown(now, taken)));
  if (made.status === "refused") return { ...made, forced: null };
  const unverified = edits.some(hasSeveralLines)
    ? ["lines between the ends of a range were not verified (no ledger)"]
    : [];
  const outcomes = made.edits.map((outcome, at) => {
    const { offset } = placed[at] as Placed;
    const edit = edits[at] as Edit;
    const [first, last] =
      "start" in edit ? [edit.start, edit.end] : "anchor" in edit ? [edit.anchor, edit.anchor] : [];
    if (offset === 0 || !first || !last || outcome.status === "noop") return outcome;
    const from = { start: first.anchor.line, end: last.anchor.line };
    const to = { start: from.start + offset, end: from.end + offset };
    return { ...outcome, status: "relocated" as const, from, to };
  });
  return { ...made, warnings: [...made.warnings, ...unverified], edits: outcomes };
}

function hasSeveralLines(edit: Edit): boolean {
  return (
    "start" in edit &&
    edit.start !== null &&
    edit.end !== null &&
    edit.end.anchor.line - edit.start.anchor.line > 1
  );
}

/** Every anchor of the call is taken as printed of the file now: the checks above have made sure that it fits. */
function everythingShown(now: Document, edits: readonly Edit[]): View {
  const all = LineSet.all(now.lineCount);
  const names = new Set(edits.flatMap((edit) => refsOfEdit(edit).map((ref) => ref.anchor.scheme)));
  const showings: Showing[] = [...names].map((name) => ({ state: 0, rows: all, scheme: name }));
  return { history: History.of(now), showings, known: () => all };
}

function refsOfEdit(edit: Edit): Ref[] {
  const refs: (Ref | null)[] = [];
  if ("start" in edit) refs.push(edit.start, edit.end);
  if ("anchor" in edit) refs.push(edit.anchor);
  if ("after" in edit) refs.push(edit.after);
  return refs.filter((ref) => ref !== null);
}

interface Placed {
  readonly edit: Edit;
  readonly offset: number;
  readonly problems: readonly Problem[];
}

/** The edit with its anchors taken to the lines that carry them. */
function place(edit: Edit, now: Document, window: number): Placed {
  const range =
    "start" in edit && edit.start && edit.end
      ? [edit.start, edit.end]
      : "anchor" in edit
        ? [edit.anchor]
        : [];
  const destination = "after" in edit ? [edit.after] : [];
  const offset = offsetOf(range, now, window);
  const other = offsetOf(destination, now, window);
  if (typeof offset !== "number" || typeof other !== "number") {
    const problems = [
      ...(typeof offset === "number" ? [] : [wrong(edit, range, now, offset)]),
      ...(typeof other === "number" ? [] : [wrong(edit, destination, now, other)]),
    ];
    return { edit, offset: 0, problems };
  }
  const shift = (ref: Ref, by: number): Ref => ({
    given: ref.given,
    anchor: { ...ref.anchor, line: ref.anchor.line + by },
  });
  let result: Edit = edit;
  if ("start" in result && result.start && result.end)
    result = { ...result, start: shift(result.start, offset), end: shift(result.end, offset) } as Edit;
  if ("anchor" in result) result = { ...result, anchor: shift(result.anchor, offset) } as Edit;
  if ("after" in result) result = { ...result, after: shift(result.after, other) } as Edit;
  return { edit: result, offset, problems: [] };
}

type Misfit = "stale" | "wrong_hash" | "ambiguous";

/** The one offset at which all refs carry their hash, or why there is none. */
function offsetOf(refs: readonly Ref[], now: Document, window: number): number | Misfit {
  if (refs.every((ref) => hasHash(ref, now, 0))) return 0;
  if (refs.some((ref) => hasOtherContent(ref, now))) return "wrong_hash";
  if (refs.some((ref) => hasHash(ref, now, 0))) return "stale";
  if (refs.some((ref) => scheme(ref.anchor.scheme).bits < bitsToMove)) return "stale";
  const offsets = refs.map((ref) => {
    const places: number[] = [];
    for (let index = 0; index < now.lineCount && places.length < 2; index++)
      if (scheme(ref.anchor.scheme).hashLine(now, index) === ref.anchor.hash) places.push(index);
    return places;
  });
  if (offsets.some((places) => places.length > 1)) return "ambiguous";
  const found = new Set(offsets.map((places, at) => (places[0] ?? NaN) + 1 - (refs[at] as Ref).anchor.line));
  const [offset = NaN] = found;
  if (found.size !== 1 || Number.isNaN(offset) || Math.abs(offset) > window) return "stale";
  return refs.every((ref) => hasHash(ref, now, offset)) ? offset : "wrong_hash";
}

function hasHash({ anchor }: Ref, now: Document, offset: number): boolean {
  const index = anchor.line - 1 + offset;
  if (index < 0 || index >= now.lineCount || scheme(anchor.scheme).hashLine(now, index) !== anchor.hash)
    return false;
  return anchor.content === undefined || now.text(index) === anchor.content;
}

/** The hash fits, the echoed text does not. */
function hasOtherContent({ anchor }: Ref, now: Document): boolean {
  return (
    anchor.content !== undefined &&
    hasHash({ given: "", anchor: { ...anchor, content: undefined } as never }, now, 0)
  );
}

const causes: Partial<Record<Misfit, Cause>> = { ambiguous: "ambiguous", wrong_hash: "miscopied" };

function wrong(edit: Edit, refs: readonly Ref[], now: Document, code: Misfit): Problem {
  // Of a single line, both ends of the range are the same anchor.
  const failing = refs.filter(
    (ref, at) => !hasHash(ref, now, 0) && (at === 0 || ref.given !== refs[0]?.given),
  );
  const mismatches = failing.map((ref): Mismatch => {
    const index = ref.anchor.line - 1;
    const there = index < now.lineCount;
    return {
      anchor: ref.given,
      line: there ? index + 1 : null,
      expected: ref.given,
      actual: there ? anchorOf(now, index, ref.anchor.scheme) : null,
      cause: causes[code] ?? (there ? "changed" : "deleted"),
      shown: ref.anchor.content ?? null,
      now: there ? now.text(index) : null,
    };
  });
  const lines = LineSet.of(
    mismatches.flatMap(({ line }) => (line === null ? [] : [[line - 1, line] as const])),
  );
  const why = code === "ambiguous" ? "occurs several times" : "does not carry that hash now";
  const count = `${now.lineCount} ${now.lineCount === 1 ? "line" : "lines"}`;
  const says = ({ anchor, given }: Ref): string => {
    if (code === "wrong_hash") return `${given}: its hash is not that of its text`;
    const isPast = code === "stale" && anchor.line > now.lineCount;
    return `line ${anchor.line} (${given}) ${isPast ? `is past the end: the file has ${count}` : why}`;
  };
  const message = failing.map(says).join("; ");
  const gone = code === "stale" && mismatches.every(({ line }) => line === null);
  return problem(gone ? "deleted" : code, [edit.index], message, {
    mismatches,
    rows: lines,
    changed: code === "stale" ? lines : LineSet.empty,
  });
}
