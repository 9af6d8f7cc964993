/**
 * The texts before and after a write by another program's tool. Each is on record, or is the disk's, or follows from one of
 * these by the call's own arguments. The client's account of a text is compared with these, and never recorded by itself.
 */
import { compare, LineChange } from "../changes/index.js";
import { type Quote, textOf } from "../edits/index.js";
import { type OpenFile, olderTexts } from "../ledger/index.js";
import { type ForeignChange, hunkQuotes, isSameText, type Written, writtenBy } from "../placement/index.js";
import { Document, wholeFile } from "../text/index.js";

/** A part of the client's own diff, in the text before and after. */
export interface DisplayedHunk {
  /** 1-based. */
  readonly oldStart: number;
  readonly oldLines: number;
  /** Context and new lines. Blanks may stand for leading tabs. */
  readonly rows: readonly string[];
}

/** A write as the client reports it. Without a change, all that differs from the text before is the tool's. */
export interface ObservedWrite {
  readonly tool?: string;
  readonly change?: ForeignChange;
  /** The text before; null if there was no file. */
  readonly before?: string | null;
  /** The text after, as the client reports it. */
  readonly after?: string;
  /** The diff that the client shows to people. */
  readonly display?: readonly DisplayedHunk[];
  /** The person changed the edit before it was written, so that the agent does not know its words. */
  readonly modified?: boolean;
  /** The whole file was written. */
  readonly whole?: boolean;
  /** Characters of room to show lines that the tool changed unseen. */
  readonly room?: number;
}

/** A text that the tool changed, and the result. */
export interface Base {
  /** The state of the text before; -1 for the disk's text with the call's change taken back. */
  readonly at: number;
  readonly document: Document;
  readonly made: Written;
  /** False if the text after is the disk's, and the agent's lines in it cannot be told from others. */
  readonly isOwn: boolean;
}

export async function baseOf(write: ObservedWrite, opened: OpenFile, now: Document): Promise<Base | null> {
  if (write.change?.kind === "delete") return null;
  const newest = opened.states.length - 1;
  const { before } = write;
  const told = typeof before === "string" ? toldText(before) : null;
  let next: Document | null = now;
  let above = newest;
  for await (const { at, text: document } of olderTexts(opened)) {
    if (above !== at + 1) next = null;
    const isTold = told?.isSame(document);
    const made = !told || isTold ? outcomeOf(write, document, now) : null;
    if (made && (isTold || (made.isOwn && next && isSameText(made.made.document, next))))
      return { at, document, ...made };
    [next, above] = [document, at];
  }
  if (told) return vouchedFor(write, told.document(), now) ?? (await garbled(write, opened, now));
  const undone = beforeOf(write, now);
  if (undone && undone.document.version === opened.states[newest - 1]?.version)
    return { at: newest - 1, ...undone, isOwn: true };
  // The text before is the version recorded last, and a formatter ran right after the tool.
  const document = opened.isFresh ? await opened.textAt(newest - 1) : null;
  return document && { at: newest - 1, document, ...outcomeOf(write, document, now) };
}

/** Mostly a text that is on record: read as lines only where it is not that text to the character. */
function toldText(text: string) {
  let known: Document | null = null;
  const document = (): Document => {
    known ??= Document.fromText(text);
    return known;
  };
  return { document, isSame: (other: Document) => textOf(other) === text || isSameText(other, document()) };
}

type Outcome = Pick<Base, "made" | "isOwn">;

function outcomeOf(write: ObservedWrite, before: Document, now: Document): Outcome {
  const { change, modified = false } = write;
  const all = (): Written => ({ document: now, change: differences(before, now) });
  if (!change || (change.kind === "whole" && change.content === null))
    return { made: all(), isOwn: !modified };
  const made = modified ? null : madeOf(change, before, now);
  if (made && (isSameText(made.document, now) || isAsTold(made.document, write, before) !== false))
    return { made, isOwn: true };
  // The client wrote other quotes or other blanks than it was given.
  return { made: all(), isOwn: !modified && isAsTold(now, write, before) === true };
}

/** True if a text is what the client says it made; null if it says nothing. */
function isAsTold(text: Document, { after, display }: ObservedWrite, before: Document): boolean | null {
  if (after !== undefined) return isSameText(text, Document.fromText(after));
  return display && display.length > 0 ? isDisplayed(text, display, before) : null;
}

function isDisplayed(text: Document, hunks: readonly DisplayedHunk[], before: Document): boolean {
  let [old, fresh] = [0, 0];
  // The disk's text may end before the lines that the client displays.
  const linesOf = (from: Document, start: number, end: number): string[] =>
    end > from.lineCount ? [] : from.lines(start, end);
  const isSame = (end: number): boolean => {
    const [one, two] = [before.lines(old, end), linesOf(text, fresh, fresh + end - old)];
    return one.length === two.length && one.every((line, at) => line === two[at]);
  };
  for (const { oldStart, oldLines, rows } of hunks) {
    const start = Math.max(0, oldStart - 1);
    if (start < old || oldLines < 0 || start + oldLines > before.lineCount || !isSame(start)) return false;
    fresh += start - old;
    const lines = linesOf(text, fresh, fresh + rows.length);
    if (lines.length !== rows.length || lines.some((line, at) => !isRow(rows[at] as string, line)))
      return false;
    [old, fresh] = [start + oldLines, fresh + rows.length];
  }
  return text.lineCount - fresh === before.lineCount - old && isSame(before.lineCount);
}

/** True if a displayed row is this line; some clients display each leading tab as two blanks. */
function isRow(row: string, line: string): boolean {
  return row === line || row === line.replace(/^\t+/, (tabs) => "  ".repeat(tabs.length));
}

/**
 * Accepts a text that is not on record if the call makes the disk's text of it. A whole-file write makes it of any text, so
 * there the client's own account of both texts has to fit.
 */
function vouchedFor(write: ObservedWrite, told: Document, now: Document): Base | null {
  const document = wholeFile(write.before as string, now);
  if ("unencodable" in document || hasReplacementCharacters(write) || !isSameText(document, told))
    return null;
  const { made, isOwn } = outcomeOf(write, document, now);
  const isFitting = write.change?.kind !== "whole" || isAsTold(now, write, document) === true;
  return isOwn && isFitting && isSameText(made.document, now) ? { at: -1, document, made, isOwn } : null;
}

/** Takes the version recorded last for the text before, if the client cannot read the file's encoding. */
async function garbled(write: ObservedWrite, opened: OpenFile, now: Document): Promise<Base | null> {
  const newest = opened.states.length - 1;
  const document = hasReplacementCharacters(write) && opened.isFresh ? await opened.textAt(newest - 1) : null;
  const made = document && { document: now, change: differences(document, now) };
  return made && { at: newest - 1, document, made, isOwn: false };
}

const hasReplacementCharacters = ({ before }: ObservedWrite): boolean => before?.includes("\uFFFD") ?? false;

/** Computes the text before from the text now. The result is proven if its version is recorded, though not kept. */
function beforeOf(
  { change, modified }: ObservedWrite,
  now: Document,
): Pick<Base, "document" | "made"> | null {
  const quotes =
    change?.kind === "quotes" ? change.quotes : change?.kind === "patch" ? hunkQuotes(change.hunks) : [];
  const back = quotes.map((quote) => ({ ...quote, old: quote.new, new: quote.old })).reverse();
  const replaced = (text: Document, quotes: readonly Quote[]): Written | null =>
    writtenBy({ kind: "quotes", quotes }, text);
  const document = back.length > 0 && !modified ? replaced(now, back)?.document : undefined;
  const made = document && replaced(document, quotes);
  return document && made ? { document, made } : null;
}

/** Returns what the call's own arguments make of a text; null if they do not fit or do not say. */
export function madeOf(change: ForeignChange, before: Document | null, now: Document): Written | null {
  if (change.kind === "quotes" || change.kind === "patch") return before && writtenBy(change, before);
  if (change.kind === "delete" || change.content === null) return null;
  const document = wholeFile(change.content, before ?? now);
  if ("unencodable" in document) return null;
  return { document, change: differences(before, document) };
}

export function differences(before: Document | null, after: Document): LineChange {
  return before ? compare(before, after) : LineChange.whole(0, after.lineCount);
}
