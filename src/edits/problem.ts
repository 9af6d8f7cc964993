/** A problem of a call as a value: its code, its message, the lines it is about. */
import { type SchemeName, scheme } from "../anchors/index.js";
import { hashFrom, keptHash } from "../changes/index.js";
import { type Document, LineSet } from "../text/index.js";
import type { Code } from "./codes.js";
import type { Ref } from "./edit.js";
import type { LocatedEdit } from "./located-edit.js";

export type Cause =
  | "changed"
  | "blanks"
  | "deleted"
  | "inserted"
  | "moved"
  | "ambiguous"
  | "never_shown"
  /** Not the anchor that the line was shown with last; perhaps that of an earlier read, which is not recorded. */
  | "miscopied"
  | "forgotten";

/** One line that is not what the caller takes it for. Lines are today's numbers, null where there is none today. */
export interface Mismatch {
  readonly anchor: string;
  readonly line: number | null;
  readonly expected: string | null;
  readonly actual: string | null;
  readonly cause: Cause;
  readonly shown: string | null;
  readonly now: string | null;
  readonly movedTo?: string;
  /** The line that was shown: its state in the history, and its index there. */
  readonly origin?: { readonly state: number; readonly line: number };
}

/** An anchor that could mean several lines of the file now (0-based), each with the showings that printed it. */
export interface OpenAnchor {
  /** Tells anchors apart, see `anchorKey`. */
  readonly key: string;
  readonly given: string;
  readonly scheme: SchemeName;
  readonly lines: readonly { readonly line: number; readonly showings: readonly number[] }[];
}

/** Something that stands in the way of a call; worded and laid out by the report. */
export interface Problem {
  readonly code: Code;
  /** Indexes of the edits it concerns. */
  readonly edits: readonly number[];
  readonly message: string;
  /** The message for callers who know no anchors, where it is another one. */
  readonly withoutAnchors?: string;
  readonly mismatches: readonly Mismatch[];
  /** Lines of the file now that the caller should see, and those of them that changed. */
  readonly rows: LineSet;
  readonly changed: LineSet;
  /** Lines of the file now that were never shown, and would have to be. */
  readonly missing: LineSet;
  /** Lines of the file now to read, where nothing can be said of them: those that were shown are not kept. */
  readonly reread?: LineSet;
  /** The edit with the blanks of the file, where nothing but blanks is wrong with its quote: what its handle does. */
  readonly meant?: LocatedEdit;
  /** For `ambiguous`: the anchor, where it is one. */
  readonly open?: OpenAnchor;
  /** The line (1-based) whose anchor could not be read: the right one may be known. */
  readonly unread?: number;
}

/** A message, and the same without anchors. */
type Message = Pick<Problem, "message" | "withoutAnchors">;

/** Words a message about the line of an anchor. */
export function aboutLine({ given, anchor }: Ref, word: (name: string) => string): Message {
  return { message: word(given), withoutAnchors: word(`line ${anchor.line}`) };
}

export function problem(
  code: Code,
  edits: readonly number[],
  message: string | Message,
  more: Partial<Problem> = {},
): Problem {
  return {
    code,
    edits,
    ...(typeof message === "string" ? { message } : message),
    mismatches: [],
    rows: LineSet.empty,
    changed: LineSet.empty,
    missing: LineSet.empty,
    ...more,
  };
}

export function anchorOf(document: Document, index: number, name: SchemeName): string {
  const used = scheme(name);
  return used.tag(index + 1, used.hashLine(document, index));
}

function tagOf(kept: number, index: number, name: SchemeName): string | null {
  const hash = hashFrom(kept, name);
  return hash && scheme(name).tag(index + 1, hash);
}

/** A line of a text. */
export interface TextLine {
  readonly document: Document;
  readonly index: number;
}

/** A line of the text that was shown beside the line that stands there now; either may be missing. */
export function mismatch(before: TextLine | null, now: TextLine | null, name: SchemeName): Mismatch {
  const text = before?.document.text(before.index) ?? null;
  const hash = text === null ? null : keptHash(text);
  const shown = hash === null ? text : null;
  const current = now?.document.text(now.index) ?? null;
  const expected =
    before &&
    (hash === null ? anchorOf(before.document, before.index, name) : tagOf(hash, before.index, name));
  const actual = now && anchorOf(now.document, now.index, name);
  return {
    anchor: expected ?? actual ?? "",
    line: now && now.index + 1,
    expected,
    actual,
    cause: causeOf(text, current),
    shown,
    now: current,
  };
}

function causeOf(shown: string | null, now: string | null): Cause {
  if (now === null) return "deleted";
  if (shown === null) return "inserted";
  return blankless(shown) === blankless(now) ? "blanks" : "changed";
}

function blankless(text: string): string {
  return text.replace(/\s+/g, "");
}

/** Lines to read on each side. */
const margin = 20;

/**
 * Lines of the file now to read again, where the text that was shown is not kept and nothing can be followed from it.
 * Nothing is decided by this: a range from the first line to the second, and a destination by itself.
 */
export function whereabouts(refs: readonly Ref[], now: Document): LineSet {
  const [first = 0, second = first, ...others] = refs.map((ref) => nearest(ref, now));
  const span = [Math.min(first, second), Math.max(first, second) + 1] as const;
  return refs.length === 0
    ? LineSet.empty
    : widened([span, ...others.map((at) => [at, at + 1] as const)], now);
}

/** These lines with some around them; none if that is all of the file, which needs no ranges to be read. */
export function widened(spans: readonly (readonly [number, number])[], now: Document): LineSet {
  const count = now.lineCount;
  const wide = LineSet.of(
    spans.map(([start, end]) => [Math.max(0, start - margin), Math.min(count, end + margin)] as const),
  );
  return wide.size === count ? LineSet.empty : wide;
}

/** The line nearest to the anchor's number that carries its hash now, else the one that has the number. */
function nearest({ anchor }: Ref, now: Document): number {
  const used = scheme(anchor.scheme);
  const from = Math.min(anchor.line, now.lineCount) - 1;
  const hasHash = (at: number): boolean =>
    at >= 0 && at < now.lineCount && used.hashLine(now, at) === anchor.hash;
  for (let away = 0; away < now.lineCount; away++) {
    if (hasHash(from - away)) return from - away;
    if (hasHash(from + away)) return from + away;
  }
  return Math.max(0, from);
}
