import type { SchemeName } from "../anchors/index.js";
import { type EditToolDetails, plainRefusal, type RefusalDetails, rejected } from "../answers/index.js";
import type { Code } from "../edits/index.js";
import { type Range, visibleText, withVisible } from "../text/index.js";

export interface ReadDetails {
  readonly status: "read";
  readonly path: string;
  readonly version: string;
  readonly scheme: SchemeName | "none";
  readonly totalLines: number;
  /** Lines whose rows were printed whole. */
  readonly ranges: readonly Range[];
  readonly rows: readonly { readonly line: number; readonly anchor: string; readonly text: string }[];
  /** With `delta`: where others removed lines that were shown; `after` is the line above them now, 0 at the start. */
  readonly deletions?: readonly { readonly after: number; readonly count: number }[];
}

export interface SearchDetails {
  readonly status: "found";
  readonly files: readonly ReadDetails[];
  readonly matches: number;
  readonly limited: boolean;
}

export interface BatchDetails {
  readonly status: "applied" | "noop" | "dry_run";
  readonly files: readonly EditToolDetails[];
  /** The handle that applies a call again that was applied before, then taken back. */
  readonly retry?: string;
}

/** A refused batch: the deciding code, and each refused file's own details. */
export interface BatchRefusal extends RefusalDetails {
  readonly files?: readonly RefusalDetails[];
}

/** The answer of every call: the text for the model, the details for programs. */
export interface Result<Details = unknown> {
  readonly text: string;
  readonly isError: boolean;
  readonly details: Details;
}

/** Refuses a write that does not get as far as the session. `text` is for the model, if it reads more than the message. */
export function refusalResult(
  path: string,
  code: Code,
  message: string,
  text = message,
): Result<RefusalDetails> {
  return failureResult(path, code, message, `${rejected}\n${text}`);
}

/** Says why a call failed that would not have written anything. */
export function failureResult(
  path: string,
  code: Code,
  message: string,
  text = message,
): Result<RefusalDetails> {
  return { text, isError: true, details: plainRefusal(path, code, message) };
}

export type EditResult = Result<EditToolDetails | BatchRefusal>;
export type BatchResult = Result<BatchDetails | BatchRefusal>;
/**
 * Makes the answer of a call as models and people may see it: names that a repository or another agent made are
 * escaped.
 */

const naming = new Set(["path", "to", "from", "movedTo", "by", "agent", "id", "ids", "glob"]);
/** Rows are what stands in a file. */
const texts = new Set(["rows", "diff", "text", "content", "edits", "oldText", "newText"]);

/** The details stay as they are: programs read them. */
export function withNamesEscaped<T>(asked: unknown, answer: T, agent: string): T {
  if (typeof (answer as Result | null)?.text !== "string") return answer;
  const result = answer as Result;
  const names = [agent, ...namesIn(asked), ...namesIn(result.details)];
  const text = withVisible(result.text, names);
  const safe = result.isError ? withoutControls(text) : text;
  return safe === result.text ? answer : { ...answer, text: safe };
}

function* namesIn(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, one] of Object.entries(value)) {
    if (texts.has(key)) continue;
    if (typeof one !== "string") yield* namesIn(one);
    else if (naming.has(key)) yield one;
  }
}

/** A refusal's words; its rows are shown as they stand in the file. */
function withoutControls(text: string): string {
  const isRow = (line: string): boolean => /^(>>> | {4})/.test(line);
  const lines = text.split("\n");
  return lines.map((line) => (isRow(line) ? line : visibleText(line))).join("\n");
}
