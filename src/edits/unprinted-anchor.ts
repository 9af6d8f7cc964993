/** Which line an anchor means that no record has a printed row for: the line that carries it now, at its number or near it. */
import { scheme } from "../anchors/index.js";
import { type Document, LineSet } from "../text/index.js";
import type { Ref } from "./edit.js";
import { anchorOf, type Cause, type Mismatch, type Problem, problem } from "./problem.js";

/** Below this many bits a hash alone is no evidence for a line at another number. */
const bitsToMove = 24;

type Misfit = "stale" | "wrong_hash" | "ambiguous";

/**
 * Finds the lines (0-based) of anchors that belong together, as the ends of a range do: all carry their hash at their
 * numbers, or at one common offset of at most `within` lines, where each is the only line of the file with that hash.
 */
export function carryingLines(refs: readonly Ref[], now: Document, within: number): number[] | Problem {
  const offset = offsetOf(refs, now, within);
  return typeof offset === "number"
    ? refs.map(({ anchor }) => anchor.line - 1 + offset)
    : misfit(refs, now, offset);
}

/** Tells whether the line that has the anchor's number, `offset` lines on, carries its hash and its text. */
export function isCarried({ anchor }: Pick<Ref, "anchor">, now: Document, offset = 0): boolean {
  const index = anchor.line - 1 + offset;
  if (!hasHash(anchor, now, index)) return false;
  return anchor.content === undefined || now.text(index) === anchor.content;
}

function hasHash({ scheme: name, hash }: Ref["anchor"], now: Document, index: number): boolean {
  return index >= 0 && index < now.lineCount && scheme(name).hashLine(now, index) === hash;
}

function offsetOf(refs: readonly Ref[], now: Document, within: number): number | Misfit {
  if (refs.every((ref) => isCarried(ref, now))) return 0;
  if (refs.some((ref) => !isCarried(ref, now) && hasHash(ref.anchor, now, ref.anchor.line - 1)))
    return "wrong_hash";
  if (refs.some((ref) => isCarried(ref, now))) return "stale";
  if (within === 0 || refs.some((ref) => scheme(ref.anchor.scheme).bits < bitsToMove)) return "stale";
  const found = refs.map(({ anchor }) => linesWith(anchor, now));
  if (found.some((lines) => lines.length > 1)) return "ambiguous";
  const offsets = new Set(
    found.map(([line], at) => (line ?? Number.NaN) + 1 - (refs[at] as Ref).anchor.line),
  );
  const [offset = Number.NaN] = offsets;
  if (offsets.size !== 1 || Number.isNaN(offset) || Math.abs(offset) > within) return "stale";
  return refs.every((ref) => isCarried(ref, now, offset)) ? offset : "wrong_hash";
}

/** The first two lines of the file that have the anchor's hash: two are too many. */
function linesWith(anchor: Ref["anchor"], now: Document): number[] {
  const lines: number[] = [];
  for (let index = 0; index < now.lineCount && lines.length < 2; index++)
    if (hasHash(anchor, now, index)) lines.push(index);
  return lines;
}

const causes: Partial<Record<Misfit, Cause>> = { ambiguous: "ambiguous", wrong_hash: "miscopied" };

function misfit(refs: readonly Ref[], now: Document, code: Misfit): Problem {
  // The range of a single line has one anchor at both ends.
  const failing = refs.filter(
    (ref, at) => !isCarried(ref, now) && (at === 0 || ref.given !== refs[0]?.given),
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
  const lines = LineSet.lines(mismatches.flatMap(({ line }) => (line === null ? [] : [line - 1])));
  const gone = code === "stale" && lines.isEmpty;
  return problem(gone ? "deleted" : code, [], failing.map((ref) => words(ref, now, code)).join("; "), {
    mismatches,
    rows: lines,
    changed: code === "stale" ? lines : LineSet.empty,
  });
}

function words({ anchor, given }: Ref, { lineCount }: Document, code: Misfit): string {
  if (code === "wrong_hash") return `${given}: its hash is not that of its text`;
  const line = `line ${anchor.line} (${given})`;
  if (code === "ambiguous") return `${line} occurs several times`;
  const count = `${lineCount} ${lineCount === 1 ? "line" : "lines"}`;
  return anchor.line > lineCount
    ? `${line} is past the end: the file has ${count}`
    : `${line} does not carry that hash now`;
}
