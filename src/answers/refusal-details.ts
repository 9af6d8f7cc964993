/** A refusal as data for programs, and the rows of it that are worth printing. */
import { isPrintable, parseLineRef, type SchemeName } from "../anchors/index.js";
import { type Code, decidingCode, type Mismatch, type Problem } from "../edits/index.js";
import type { ChoicePlace, Refused, Remap } from "../merge/index.js";
import { compactLineRanges, type Document, LineSet, mergeRanges, type Range } from "../text/index.js";
import type { Door } from "./voice.js";

/** A row that a refusal prints: two blanks of context, the lines that matter, `changed` marked. */
export interface RefusalRow {
  readonly index: number;
  readonly changed: boolean;
}

export type HashMismatch = Mismatch & { readonly path: string; readonly by?: string };

/** For programs: everything a refusal says, and everything it knows. */
export interface RefusalDetails {
  readonly status: "refused";
  readonly code: Code;
  readonly path: string;
  readonly message: string;
  readonly mismatches: readonly HashMismatch[];
  /** How many more mismatches there are, where a file has too many to list; `affectedRanges` has all of their lines. */
  readonly omitted?: number;
  readonly affectedRanges: readonly Range[];
  /** Where the text that was shown is not kept: lines to read, around where those of the call may stand now. */
  readonly reread?: readonly Range[];
  readonly remaps: readonly Remap[];
  readonly retry?: string;
  /** For ambiguous anchors, every line that one of them may mean, as printed now, and the handle that takes the line. */
  readonly places?: readonly ChoicePlace[];
}

/** Makes the details of a refusal that is about no line. */
export function plainRefusal(path: string, code: Code, message: string): RefusalDetails {
  return { status: "refused", code, path, message, mismatches: [], affectedRanges: [], remaps: [] };
}

/** The most that a refusal prints of one file, so that it never becomes a re-read. */
interface RefusalBudget {
  readonly rows: number;
  readonly characters: number;
}

const refusalBudget: RefusalBudget = { rows: 40, characters: 8000 };
const around = 2;
/** Longer rows are not printed whole by any listing, so they cannot count as shown. */
const longestRow = 2000;

interface Selection {
  readonly rows: readonly RefusalRow[];
  readonly shown: LineSet;
  /** Every line that changed, or was never shown and should have been, is among the rows: going ahead is then a decision taken with the text in view. */
  readonly complete: boolean;
}

/** The rows to print: the lines of the problems, two around each, changed lines first when there are too many. */
export function selectRows(problems: readonly Problem[], now: Document, budget = refusalBudget): Selection {
  let wanted = LineSet.empty;
  let changed = LineSet.empty;
  let unseen = LineSet.empty;
  for (const problem of problems) {
    wanted = wanted.union(problem.rows).union(problem.changed);
    changed = changed.union(problem.changed);
    unseen = unseen.union(problem.missing);
    // A handle that takes their blanks is good only if they can be seen.
    if (problem.meant) unseen = unseen.union(problem.rows);
  }
  const crucial = changed.union(unseen);
  const withContext = LineSet.of(
    wanted.spans.map(
      ([start, end]) => [Math.max(0, start - around), Math.min(now.lineCount, end + around)] as const,
    ),
  );
  const marks = { changed, crucial };
  for (const candidate of [withContext, wanted, changed]) {
    const selection = fitting(candidate, marks, now, budget);
    if (selection.complete) return selection;
  }
  return fitting(changed, marks, now, budget);
}

interface Marks {
  readonly changed: LineSet;
  /** Going ahead without having seen these would be blind. */
  readonly crucial: LineSet;
}

function fitting(
  candidate: LineSet,
  { changed, crucial }: Marks,
  now: Document,
  budget: RefusalBudget,
): Selection {
  const rows: RefusalRow[] = [];
  const shown: [number, number][] = [];
  let characters = 0;
  for (const [start, end] of candidate.spans)
    for (let index = start; index < end; index++) {
      const length = now.text(index).length;
      if (rows.length >= budget.rows || characters + length > budget.characters || length > longestRow) {
        if (rows.length >= budget.rows) return { rows, shown: LineSet.of(shown), complete: false };
        continue;
      }
      characters += length;
      rows.push({ index, changed: changed.has(index) });
      shown.push([index, index + 1]);
    }
  const printed = LineSet.of(shown);
  return { rows, shown: printed, complete: crucial.subtract(printed).isEmpty };
}

export function refusalDetails(path: string, { problems, remaps }: Refused): RefusalDetails {
  const found = unique(problems.flatMap((problem) => problem.mismatches));
  const mismatches = listed(found).map((one) => ({ ...one, path }));
  const omitted = found.length - mismatches.length;
  const lines = found.flatMap(({ line }) => (line === null ? [] : [line]));
  const reread = problems.reduce((set, one) => set.union(one.reread ?? LineSet.empty), LineSet.empty);
  return {
    status: "refused",
    code: decidingCode(problems.map(({ code }) => code)),
    path,
    message: problems.map(({ message }) => message).join("; "),
    mismatches,
    ...(omitted > 0 ? { omitted } : {}),
    affectedRanges: mergeRanges([
      ...compactLineRanges(lines),
      ...problems.flatMap(({ missing, changed }) => [...missing.ranges(), ...changed.ranges()]),
    ]),
    ...(reread.isEmpty ? {} : { reread: reread.ranges() }),
    remaps,
  };
}

/** Lines, 1-based, that should have been shown and that no read shows whole. */
export function tooLong(problems: readonly Problem[], now: Document | null, { lists }: Door): number[] {
  const missing = problems.reduce((set, one) => set.union(one.missing), LineSet.empty).indexes();
  return now && lists ? missing.filter((at) => !isPrintable(now, at)).map((at) => at + 1) : [];
}

/** An answer must stay small, whatever happened to the file. */
const mostMismatches = { count: 1000, characters: 1 << 18 };

function listed(mismatches: readonly Mismatch[]): readonly Mismatch[] {
  const kept: Mismatch[] = [];
  let characters = 0;
  for (const one of mismatches) {
    characters += (one.shown?.length ?? 0) + (one.now?.length ?? 0);
    const isTooMuch = kept.length >= mostMismatches.count || characters > mostMismatches.characters;
    if (isTooMuch && kept.length > 0) break;
    kept.push(one);
  }
  return kept;
}

function unique(mismatches: readonly Mismatch[]): Mismatch[] {
  const seen = new Map(mismatches.map((one) => [`${one.anchor} ${one.line} ${one.cause}`, one]));
  return [...seen.values()];
}

/** The scheme a refused call spoke: that of its first readable anchor. */
export function spokenScheme(problems: readonly Problem[], fallback: SchemeName): SchemeName {
  for (const { mismatches } of problems)
    for (const { anchor } of mismatches) {
      const read = parseLineRef(anchor);
      if (!("problem" in read)) return read.scheme;
    }
  return fallback;
}
