/** The library's front: edits applied to a text without a session. */
import { unifiedDiff } from "../changes/index.js";
import { type Edit, problem, recoveryWindow, unrecordedView } from "../edits/index.js";
import { type Applied, type Refused, type Remap, run } from "../merge/index.js";
import { Document, type Range } from "../text/index.js";
import {
  type HashMismatch,
  type RefusalDetails,
  refusalDetails,
  selectRows,
  spokenScheme,
} from "./refusal-details.js";
import { refusalText } from "./refusal-text.js";
import { changedRanges, type EditToolDetails } from "./result-text.js";
import { textDoor } from "./voice.js";

export interface ApplyOptions {
  /** How far from its number a line may have moved; 0 turns relocation off. */
  readonly window?: number;
  /** Named in messages; default "text". */
  readonly path?: string;
}

export interface ApplyResult {
  readonly status: "applied" | "noop";
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly details: EditToolDetails;
}

/** A refusal as a value; `text` is what a model should read. */
export interface ApplyRefusal {
  readonly status: "refused";
  readonly text: string;
  readonly details: RefusalDetails;
}

/**
 * Applies edits to a text without a session: each anchor must fit the line it names, or a line nearby that alone
 * carries its hash.
 *
 * @example
 * const result = applyEdits("foo\nbar\n", [{ op: "set_line", anchor: "1#0f0dd9", text: "baz" }]);
 * console.log(result.status, JSON.stringify(result.text)); // → applied "baz\nbar\n"
 */
export function applyEdits(
  source: string | Uint8Array,
  edits: readonly Edit[],
  options: ApplyOptions = {},
): ApplyResult | ApplyRefusal {
  const { path = "text", window = recoveryWindow } = options;
  if (typeof source !== "string" && !ArrayBuffer.isView(source))
    throw new TypeError("source is a string or a Uint8Array");
  if (typeof path !== "string") throw new TypeError("path is a string");
  if (!(typeof window === "number" && window >= 0)) throw new TypeError("window is a number of lines from 0");
  const now = typeof source === "string" ? Document.fromText(source) : Document.parse(source);
  const made: Applied | Refused = now.isBinary
    ? { status: "refused", problems: [problem("binary", [], `${path} is binary`)], remaps: [], forced: null }
    : run(edits, unrecordedView(now, window));
  if (made.status === "refused") return asRefusal(path, made, now);
  const { document, change } = made;
  const details: EditToolDetails = {
    status: made.status,
    path,
    before: now.version,
    after: document.version,
    edits: made.edits,
    diff: unifiedDiff(path, now, document, change),
    firstChangedLine: changedRanges(change)[0]?.start ?? null,
    changedRanges: changedRanges(change),
    warnings: made.warnings,
  };
  return { status: made.status, text: textOf(document), bytes: document.toBytes(), details };
}

function textOf(document: Document): string {
  return document
    .lines()
    .map((line, index) => line + document.terminator(index))
    .join("")
    .replace(/^/, document.hasBom ? "\ufeff" : "");
}

function asRefusal(path: string, refused: Refused, now: Document): ApplyRefusal {
  const details = refusalDetails(path, refused);
  const { rows, complete } = selectRows(refused.problems, now);
  const text = refusalText({
    details,
    problems: refused.problems,
    rows,
    complete,
    now,
    scheme: spokenScheme(refused.problems, "hex6"),
    voice: { door: textDoor },
  });
  return { status: "refused", text, details };
}

/**
 * For callers who want to throw: a refusal as an error.
 *
 * @example
 * const result = applyEdits("qux\n", [{ op: "set_line", anchor: "1#0f0dd9", text: "baz" }]);
 * const error = result.status === "refused" ? new HashlineMismatchError(result) : null;
 * console.log(error?.mismatches.length, JSON.stringify(error?.affectedRanges)); // → 1 [{"start":1,"end":1}]
 */
export class HashlineMismatchError extends Error {
  override readonly name = "HashlineMismatchError";
  readonly mismatches: readonly HashMismatch[];
  /** From the anchor given to the anchor of the same line now; moved lines only. */
  readonly remaps: ReadonlyMap<string, string>;
  readonly affectedRanges: readonly Range[];

  constructor(readonly refusal: { readonly text: string; readonly details: RefusalDetails }) {
    super(refusal.text);
    const { mismatches, remaps, affectedRanges } = refusal.details;
    this.mismatches = mismatches;
    this.remaps = new Map(
      remaps.filter(({ kind }) => kind === "moved").map(({ from, to }: Remap) => [from, to]),
    );
    this.affectedRanges = affectedRanges;
  }
}
