/** How an answer is worded: which calls it names, and whether it names lines by their anchors or by their numbers. */
import { type SchemeName, scheme } from "../anchors/index.js";
import type { Document, Range } from "../text/index.js";

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
  if (!unmoved) return "; keep using the anchors you were shown";
  return isShifted ? "; lines below it have moved: read them again before you name them" : "";
}

/** How the door that a call came through names the next call. */
export interface Door {
  /** Its reads print the listing of this library, which cuts long lines. */
  readonly lists?: boolean;
  /** The call that reads a file, or some of its lines: "call read_file on a.ts". */
  read(path: string, ranges?: readonly Range[]): string;
  /** The call that sends a refused request again; what was a dry run stays one. */
  retry(path: string | null, handle: string, dryRun?: boolean): string;
  /** The call that takes a request for several files, which may create, delete and move: "multi_edit {…}". */
  batch?(request: string, dryRun?: boolean): string;
}

/** How the door names what comes after a dry run: following it must not write. */
export function dryRunDoor(door: Door): Door {
  return {
    ...(door.lists ? { lists: true } : {}),
    read: (path, ranges) => door.read(path, ranges),
    retry: (path, handle) => door.retry(path, handle, true),
    ...(door.batch ? { batch: (request: string) => door.batch?.(request, true) ?? request } : {}),
  };
}

/** A request in JSON, which is a dry run if `flag` is given: what the door calls one. */
export function requestJson(request: string, flag?: string | false): string {
  return flag ? request.replace(/\}$/, `,"${flag}":true}`) : request;
}

/** The request for a retry, likewise. */
export function retryJson(path: string | null, handle: string, flag?: string | false): string {
  return requestJson(JSON.stringify(path === null ? { retry: handle } : { path, retry: handle }), flag);
}

export const libraryDoor: Door = {
  lists: true,
  read: (path, ranges) => `call read on ${path}${ranges ? ` with ranges ${rangesJson(ranges)}` : ""}`,
  retry: (path, handle, dryRun) => retryJson(path, handle, dryRun && "dryRun"),
  batch: (request, dryRun) => `multiEdit ${requestJson(request, dryRun && "dryRun")}`,
};

/** The words for a text without a session: there is nothing to call. */
export const textDoor: Door = {
  ...libraryDoor,
  read: (path, ranges) =>
    `list ${path} again with formatHashLines${ranges ? `, ranges ${rangesJson(ranges)}` : ""}`,
};

export function rangesJson(ranges: readonly Range[]): string {
  return JSON.stringify(ranges.map(({ start, end }) => ({ start, end })));
}
