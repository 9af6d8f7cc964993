/** Problems of edits whose lines others changed, and the rows that show it. */
import type { SchemeName } from "../anchors/index.js";
import type { BelievedText, LineChange, Region } from "../changes/index.js";
import { type Document, LineSet } from "../text/index.js";
import type { ParsedEdit, Ref } from "./edit.js";
import type { LocatedEdit, View } from "./located-edit.js";
import {
  anchorOf,
  type Mismatch,
  mismatch,
  type Problem,
  problem,
  type TextLine,
  whereabouts,
} from "./problem.js";

/** The scheme a call speaks: that of its anchors. */
function schemeOf(named: LocatedEdit): SchemeName {
  return named.refs[0]?.ref.anchor.scheme ?? "hex6";
}

/** The agent's change meets these regions of others' changes: what was shown, what is there now, and the rows to see. */
export function conflict(named: LocatedEdit, met: readonly Region[], view: View): Problem {
  const indexes = named.edits.map((edit) => edit.index);
  const believed = view.history.believed(named.base);
  if (!believed)
    return forgotten(
      named.edits[0],
      named.refs.map(({ ref }) => ref),
      view.history.now,
    );
  const theirs = believed.toNow;
  // A retry overwrites everything between the anchors, so everything is shown.
  const inside = named.spans.flatMap(({ start, end }) =>
    theirs.touching(start, end).filter(({ aStart, aEnd }) => aStart < end && aEnd > start),
  );
  const regions = [...new Set([...met, ...inside])].sort((one, two) => one.aStart - two.aStart);
  const mismatches = regions.flatMap((region) => mismatchesOf(region, named, view));
  const changed = LineSet.of(
    mismatches.flatMap(({ line }) => (line === null ? [] : [[line - 1, line] as const])),
  );
  const isQuote = named.edits.some(({ op }) => op === "replace_text");
  const gone = mismatches.length > 0 && mismatches.every(({ cause }) => cause === "deleted");
  const code = gone && !isQuote ? "deleted" : "stale";
  const rows = regions.reduce((set, region) => set.union(gapRows(region, view.history.now)), changed);
  return problem(code, indexes, summary(mismatches), {
    mismatches,
    changed,
    rows: rows.union(anchorRows(named, theirs)),
  });
}

/** The text that was shown is gone from the store, and the file is another: read it again. */
export function forgotten(edit: ParsedEdit | undefined, refs: readonly Ref[], now: Document): Problem {
  const mismatches = refs.map(
    (ref): Mismatch => ({
      anchor: ref.given,
      line: null,
      expected: ref.given,
      actual: null,
      cause: "forgotten",
      shown: null,
      now: null,
    }),
  );
  const indexes = edit ? [edit.index] : [];
  return problem("stale", indexes, "the file has changed, and the text that was shown is not kept", {
    mismatches,
    reread: whereabouts(refs, now),
  });
}

/** An anchor of a line that the agent itself has replaced or deleted since. */
export function ownChange(
  edit: ParsedEdit,
  ref: Ref,
  at: { base: number; line: number },
  view: View,
): Problem {
  const { history } = view;
  const fate = history.follow(at.base)?.mapLine(at.line);
  const region = fate?.kind === "deleted" ? fate.region : null;
  const now = region && region.bStart < region.bEnd ? region.bStart : null;
  const rows = region && now !== null ? LineSet.of([[region.bStart, region.bEnd]]) : LineSet.empty;
  return problem("stale", [edit.index], `${ref.given} names a line that you have changed yourself since`, {
    mismatches: [
      {
        anchor: ref.given,
        line: now === null ? null : now + 1,
        expected: ref.given,
        actual: now === null ? null : anchorOf(history.now, now, ref.anchor.scheme),
        cause: now === null ? "deleted" : "changed",
        shown: history.text(at.base, at.line),
        now: now === null ? null : history.now.text(now),
      },
    ],
    rows: region ? rows.union(gapRows(region, history.now)) : rows,
    changed: rows,
  });
}

/** The lines of the file now where the edit's anchors stand, or where they stood. */
function anchorRows(named: LocatedEdit, theirs: LineChange): LineSet {
  const spans = named.refs.flatMap(({ line }) => {
    const [start, end] = theirs.hull(line, line + 1);
    return end - start > 1 ? [] : [[start, end] as const];
  });
  return LineSet.of(spans.filter(([start, end]) => start < end));
}

/** Where lines are gone, the rows at the place they left are what there is to see. */
export function gapRows(region: Region, now: Document): LineSet {
  if (region.bStart < region.bEnd) return LineSet.empty;
  const start = Math.max(0, region.bStart - 1);
  const end = Math.min(now.lineCount, region.bEnd + 1);
  return start < end ? LineSet.of([[start, end]]) : LineSet.empty;
}

/** Lines of a region side by side, in order; what one side has more is deleted or inserted. */
function mismatchesOf(region: Region, named: LocatedEdit, view: View): Mismatch[] {
  const { aStart, aEnd, bStart, bEnd } = region;
  const { now } = view.history;
  const { document: before, fromShown } = view.history.believed(named.base) as BelievedText;
  const shownLine = fromShown.invert();
  const base = view.history.document(named.base);
  /** As it was printed, where it was; a line of the agent's own as it stands in its picture. */
  const asShown = (index: number): TextLine => {
    const line = shownLine.index(index);
    return base && line >= 0 ? { document: base, index: line } : { document: before, index };
  };
  const found: { index: number; mismatch: Mismatch }[] = [];
  for (let at = 0; at < Math.max(aEnd - aStart, bEnd - bStart); at++) {
    const shown = aStart + at < aEnd ? asShown(aStart + at) : null;
    const current = bStart + at < bEnd ? { document: now, index: bStart + at } : null;
    if (shown && current && before.isSameText(aStart + at, now, current.index)) continue;
    const line = shown && shown.document === base ? { origin: { state: named.base, line: shown.index } } : {};
    found.push({ index: aStart + at, mismatch: { ...mismatch(shown, current, schemeOf(named)), ...line } });
  }
  if (found.length === 0)
    for (let at = 0; at < Math.min(aEnd - aStart, bEnd - bStart); at++) {
      const [shown, current] = [aStart + at, bStart + at];
      const rewritten = mismatch(asShown(shown), { document: now, index: current }, schemeOf(named));
      found.push({ index: shown, mismatch: { ...rewritten, cause: "changed" } });
    }
  const paired = aEnd - aStart === bEnd - bStart;
  const named_ = paired ? found.filter(({ index }) => isNamed(named, index)) : [];
  return (named_.length > 0 ? named_ : found).map((one) => one.mismatch);
}

function isNamed(named: LocatedEdit, index: number): boolean {
  if (named.gap !== null && (index === named.gap || index === named.gap - 1)) return true;
  return named.spans.some((span) => span.start <= index && index < span.end);
}

function summary(mismatches: readonly Mismatch[]): string {
  const count = (causes: readonly string[]) =>
    mismatches.filter(({ cause }) => causes.includes(cause)).length;
  const parts = [
    [count(["changed", "blanks"]), "changed"],
    [count(["inserted"]), "inserted"],
    [count(["deleted"]), "deleted"],
  ] as const;
  return parts.flatMap(([number, what]) => (number > 0 ? [`${number} ${what}`] : [])).join(", ");
}

/** The source of a copy must be unchanged, and a move happens as a whole: both ends of it, or neither. */
export function sourceConflict(
  named: LocatedEdit,
  theirs: LineChange,
  view: View,
  written: number,
): Problem[] {
  const [edit] = named.edits;
  const [span] = named.spans;
  if (!edit || !span || named.hunks.length === 0) return [];
  if (edit.op === "copy_lines") {
    const met = theirs
      .touching(span.start, span.end)
      .filter((region) => region.aStart < span.end && region.aEnd > span.start);
    return met.length > 0 ? [conflict(named, met, view)] : [];
  }
  if (edit.op !== "move_lines" || written !== 1) return [];
  const gap = named.gap ?? span.end;
  const met = [...new Set([...theirs.touching(span.start, span.end), ...theirs.touching(gap, gap)])];
  const found = conflict(named, met, view);
  return [{ ...found, code: "stale", message: `one half of the move is done already (${found.message})` }];
}
