/** How an answer is worded: which calls it names, and whether it names lines by their anchors or by their numbers. */
import { type SchemeName, scheme } from "../anchors/index.js";
import type { Document } from "../text/index.js";
import type { Door } from "./next-call.js";

export interface Voice {
  readonly door: Door;
  /**
   * Lines are named by their numbers, for tools that know numbers and quoted text but no anchors. Is told the anchor of
   * each row that is printed.
   */
  readonly numbered?: (line: number, anchor: string) => void;
  /** An anchor is of use only while its line keeps its number. */
  readonly unmoved?: boolean;
}

/** Prints the row of a line. */
export function rowOf(document: Document, index: number, name: SchemeName, { numbered }: Voice): string {
  const used = scheme(name);
  const anchor = used.tag(index + 1, used.hashLine(document, index));
  const text = document.text(index);
  if (!numbered) return `${anchor}${used.separator}${text}`;
  numbered(index + 1, anchor);
  return `${index + 1}\t${text}`;
}

/** Names the line of an anchor. */
export function lineName(anchor: string, { numbered }: Voice): string {
  const number = numbered && /\d+/.exec(anchor);
  return number ? `line ${number[0]}` : anchor;
}

/** Says whether anchors shown before an edit are still good. `isShifted`: lines below the edit have other numbers now. */
export function closingAdvice(isShifted: boolean, { numbered, unmoved }: Voice): string {
  if (numbered) return "";
  if (!unmoved) return "; your other anchors stay valid";
  return isShifted ? "; lines below it have moved: read them again before you name them" : "";
}
