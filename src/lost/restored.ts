/** What came of a restore, and how it is told. */
import { plainRefusal, type RefusalDetails, refusalDetails } from "../answers/index.js";
import type { Result } from "../calls/index.js";
import { type Code, decidingCode } from "../edits/index.js";
import type { MergedBack } from "./merge-back.js";

/** One file: its edits came back, were there already, or did not come back. */
export interface RestoredFile {
  readonly path: string;
  readonly ids: readonly string[];
  /** "" where they were there already. */
  readonly diff: string;
  /** What could not be recorded of it. */
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
  /** Of the refusals, the deciding one. */
  readonly code?: Code;
}

/** What came of one file. */
export type Outcome =
  | { readonly kind: "restored" | "already"; readonly file: RestoredFile }
  | { readonly kind: "refused"; readonly refusal: RestoreRefusal };

type Told = { readonly path: string; readonly ids: readonly string[] };

export function editNames(ids: readonly string[]): string {
  return ids.length === 1 ? `edit ${ids[0]}` : `edits ${ids.join(", ")}`;
}

export function refusalOf(
  found: Exclude<MergedBack, { text: unknown }>,
  { path, ids }: Told,
  writer: (line: number) => string | null,
): RestoreRefusal {
  const subject = `${editNames(ids)} of ${path} cannot be restored`;
  if ("needs" in found) {
    const message = `${subject} without ${editNames(found.needs)}, which ${found.needs.length === 1 ? "is" : "are"} lost too`;
    return { ...plainRefusal(path, "stale", message), ids, needs: found.needs };
  }
  const { problems } = found;
  if (problems.length === 0)
    return { ...plainRefusal(path, "stale", `${subject}: the text is not kept`), ids };
  const plain = refusalDetails(path, { status: "refused", problems, remaps: [], forced: null });
  const mismatches = plain.mismatches.map(({ origin: _, ...one }) => {
    const by = one.line === null ? null : writer(one.line);
    return by === null ? one : { ...one, by };
  });
  const message = `${subject}: these lines have changed since`;
  return { ...plain, code: "stale", mismatches, message, ids };
}

export function restoreResult(outcomes: readonly Outcome[]): Result<RestoreDetails> {
  const files = (kind: "restored" | "already") =>
    outcomes.flatMap((one) => (one.kind === kind ? [one.file] : []));
  const refused = outcomes.flatMap((one) => (one.kind === "refused" ? [one.refusal] : []));
  const [restored, already] = [files("restored"), files("already")];
  const isDone = restored.length > 0;
  const status = refused.length > 0 ? (isDone ? "partly" : "refused") : isDone ? "applied" : "noop";
  const code = refused.length > 0 ? { code: decidingCode(refused.map((one) => one.code)) } : {};
  const lines = [
    ...restored.map(({ path, ids, diff }) => `${path}: ${editNames(ids)} restored\n${diff}`),
    ...restored.flatMap(({ warnings = [] }) => warnings.map((warning) => `! ${warning}`)),
    ...already.map(({ path, ids }) => `${path}: ${editNames(ids)} already there`),
    ...refused.map(({ message }) => message),
  ];
  const text = lines.length > 0 ? lines.join("\n") : "nothing is lost";
  return {
    text,
    isError: refused.length > 0,
    details: { status, restored, already, refused, ...code },
  };
}
