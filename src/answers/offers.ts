/** Texts that a model reads about what it may send by a handle, and why. The others are in refusal-text.ts and result-text.ts. */
import { type SchemeName, scheme } from "../anchors/index.js";
import { anchorOf, type OpenAnchor } from "../edits/index.js";
import type { Choice } from "../merge/index.js";
import type { Document, LineSet } from "../text/index.js";
import type { Door } from "./voice.js";

/** One line for each way to take the ambiguous anchors of a call: the lines that are meant, and what to send. */
export function choiceLines(
  open: readonly OpenAnchor[],
  choices: readonly Choice[],
  send: readonly string[],
): string[] {
  const isOne = open.length === 1;
  const lines = choices.map(({ lines, isForced }, at) => {
    const meant = lines.map((line, anchor) => `${isOne ? "" : `${open[anchor]?.given} is `}line ${line + 1}`);
    return `${meant.join(", ")}${isForced ? " (goes over the lines marked >>>)" : ""}: send ${send[at]}`;
  });
  return lines.length > 0 ? ["Decide which one is meant:", ...lines] : [];
}

/** A line that has a new name: the anchor that it was printed with means another line too. */
export interface NewName {
  readonly line: number;
  readonly scheme: SchemeName;
}

/** Rows with anchors that mean one line each, in place of those that mean two. */
export function newNameRows(document: Document, names: readonly NewName[]): string[] {
  const rows = names.map(({ line, scheme: name }) => {
    const { separator } = scheme(name);
    return `${anchorOf(document, line, name)}${separator}${document.text(line)}`;
  });
  return rows.length > 0 ? ["anchors shown for more than one line; use these instead:", ...rows] : [];
}

/** After a call that was applied before, then taken back. */
export function againLine(path: string | null, handle: string, door: Door): string {
  return `Apply it again? Send ${door.retry(path, handle)}.`;
}

const namedEdits = 5;

/** The agent's own edits are gone, by somebody who asked nobody. */
export function takenBackText(path: string, ids: readonly string[]): string {
  const named = ids.slice(-namedEdits).join(", ");
  const more = ids.length > namedEdits ? ` and ${ids.length - namedEdits} more` : "";
  const [what, it] = ids.length > 1 ? ["edits", "them"] : ["edit", "it"];
  return `your ${what}${named && ` ${named}`}${more} ${ids.length > 1 ? "are" : "is"} gone: ${path} was put back to the text before ${it}`;
}

/** The edit replaced lines that others had changed since the agent was shown what it named. `id`: of the edit. */
export function overText(lines: LineSet, by: readonly string[], id?: string): string {
  const numbers = lines.ranges().map(({ start, end }) => (start === end ? `${start}` : `${start}-${end}`));
  const who = by.length > 0 ? by.join(" and ") : "others";
  const undo = id ? `; undo ${id} brings that back` : "";
  return `replaced ${lines.size === 1 ? "line" : "lines"} ${numbers.join(", ")}, changed by ${who} since you were shown what you named${undo}`;
}
