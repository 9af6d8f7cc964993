/** The authors of a line, and the party that is asked for. */
import type { JournalEntry } from "../ports/index.js";
import { outside } from "../text/index.js";

/** The journaled change that wrote or removed a line. Several names: one of them did it. */
export interface Author {
  readonly authors: readonly string[];
  readonly time: number | null;
  readonly tool: string | null;
  /** Id of the journal entry. */
  readonly edit: string | null;
}

/** No entry tells about the line: whoever wrote it did so without any door of Kedge. */
export const unrecorded: Author = { authors: [outside], time: null, tool: null, edit: null };

export function authorOf(entry: JournalEntry): Author {
  const { agent, time, tool, id, authors = [agent] } = entry;
  return { authors, time, tool, edit: id };
}

/** Whether an entry changed layout alone, so that lines keep their authors. */
export function isReformat(entry: JournalEntry): boolean {
  return entry.reformat === true;
}

/** One text for all who may have been it; "" for nobody. */
export function nameOfAuthor(author: Author | null): string {
  return author?.authors.join("\n") ?? "";
}

export function isSameAuthor(one: Author | null, other: Author | null): boolean {
  return one === other || nameOfAuthor(one) === nameOfAuthor(other);
}

/** Whether only one author is possible: an agent, or the person. */
export function isCertain({ authors }: Author): boolean {
  return authors.length === 1;
}

/** An agent with its subagents, or the person; also lines of uncertain authors if those are claimed. */
export interface Party {
  readonly agent: string;
  readonly isClaiming: boolean;
}

export function isOfParty({ agent, isClaiming }: Party, author: Author): boolean {
  const isMember = (name: string): boolean => name === agent || name.startsWith(`${agent}/`);
  return author.authors.every(isMember) || (isClaiming && !isCertain(author));
}
