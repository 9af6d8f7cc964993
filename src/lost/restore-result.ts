/** The outcome of a restore, as data and as text. */
import { plainRefusal, type RefusalDetails, refusalDetails } from "../answers/index.js";
import type { Result } from "../calls/index.js";
import { type Code, decidingCode } from "../edits/index.js";
import type { MergedBack } from "./merge-back.js";

/** One file: its edits came back, were there already, or did not come back. */
export interface RestoredFile {
  readonly path: string;
  readonly ids: readonly string[];
  /** "" if the edits were there already. */
  readonly diff: string;
  /** Failures to record it. */
  readonly warnings?: readonly string[];
}

export interface RestoreRefusal extends RefusalDetails {
  readonly ids: readonly string[];
  /** Lost edits without which these cannot come back. */
  readonly needs?: readonly string[];
}

export interface RestoreDetails {
  /** `partly`: other files were written. */
  readonly status: "applied" | "noop" | "partly" | "refused";
  readonly restored: readonly RestoredFile[];
  readonly already: readonly RestoredFile[];
  readonly refused: readonly RestoreRefusal[];
  /** The deciding code of the refusals. */
  readonly code?: Code;
}

/** The outcome for one file. */
export type Outcome =
  | { readonly kind: "restored" | "already"; readonly file: RestoredFile }
  | { readonly kind: "refused"; readonly refusal: RestoreRefusal };

/** Edits of one file. */
type Named = { readonly path: string; readonly ids: readonly string[] };

export function alreadyThere({ path, ids }: Named): Outcome {
  return { kind: "already", file: { path, ids, diff: "" } };
}

export function restored(
  { path, ids }: Named,
  diff: string,
  warnings: readonly string[] | undefined = [],
): Outcome {
  return { kind: "restored", file: { path, ids, diff, ...(warnings.length > 0 ? { warnings } : {}) } };
}

export function refused(
  { path, ids }: Named,
  code: Code,
  message: string,
  more: Partial<RestoreRefusal> = {},
): Outcome {
  return { kind: "refused", refusal: { ...plainRefusal(path, code, message), ids, ...more } };
}

export function editNames(ids: readonly string[]): string {
  return ids.length === 1 ? `edit ${ids[0]}` : `edits ${ids.join(", ")}`;
}

/** `writer` names the author of a line that is there now. */
export function notMerged(
  found: Exclude<MergedBack, { text: unknown }>,
  named: Named,
  writer: (line: number) => string | null,
): Outcome {
  const { path, ids } = named;
  const subject = `${editNames(ids)} of ${path} cannot be restored`;
  if ("needs" in found) {
    const message = `${subject} without ${editNames(found.needs)}, which ${found.needs.length === 1 ? "is" : "are"} lost too`;
    return refused(named, "stale", message, { needs: found.needs });
  }
  const { problems } = found;
  if (problems.length === 0) return refused(named, "stale", `${subject}: the text is not kept`);
  const plain = refusalDetails(path, { status: "refused", problems, remaps: [], forced: null });
  const mismatches = plain.mismatches.map(({ origin: _, ...one }) => {
    const by = one.line === null ? null : writer(one.line);
    return by === null ? one : { ...one, by };
  });
  const message = `${subject}: these lines have changed since`;
  return { kind: "refused", refusal: { ...plain, code: "stale", mismatches, message, ids } };
}

export function restoreResult(outcomes: readonly Outcome[]): Result<RestoreDetails> {
  const files = (kind: "restored" | "already") =>
    outcomes.flatMap((one) => (one.kind === kind ? [one.file] : []));
  const [done, already] = [files("restored"), files("already")];
  const refusals = outcomes.flatMap((one) => (one.kind === "refused" ? [one.refusal] : []));
  const isDone = done.length > 0;
  const status = refusals.length > 0 ? (isDone ? "partly" : "refused") : isDone ? "applied" : "noop";
  const code = refusals.length > 0 ? { code: decidingCode(refusals.map((one) => one.code)) } : {};
  const lines = [
    ...done.map(({ path, ids, diff }) => `${path}: ${editNames(ids)} restored\n${diff}`),
    ...done.flatMap(({ warnings = [] }) => warnings.map((warning) => `! ${warning}`)),
    ...already.map(({ path, ids }) => `${path}: ${editNames(ids)} already there`),
    ...refusals.map(({ message }) => message),
  ];
  return {
    text: lines.length > 0 ? lines.join("\n") : "nothing is lost",
    isError: refusals.length > 0,
    details: { status, restored: done, already, refused: refusals, ...code },
  };
}
