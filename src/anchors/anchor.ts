/** Reads anchors as models copy them: generous in the form, exact in the meaning. */
import { type Document, type HashSource, utf8, xxh32 } from "../text/index.js";
import { type Scheme, type SchemeName, schemes } from "./scheme.js";

/** A name of a line as a caller wrote it: the number and the hash the line was shown with. */
export interface Anchor {
  /** 1-based. */
  readonly line: number;
  readonly hash: string;
  readonly scheme: SchemeName;
  /** The text echoed after the separator, exactly; absent if there was none. */
  readonly content?: string;
}

/** Why a text is no anchor. `line` is the line number it speaks of, so that the caller can be told that line's anchor. */
export interface AnchorProblem {
  readonly problem: "bare_number" | "placeholder" | "no_line" | "old_tag" | "unreadable";
  readonly line?: number;
  readonly given: string;
}

const everyScheme: readonly Scheme[] = Object.values(schemes);

/**
 * Reads one anchor. Generous about what models put around it (blanks, quotes, diff and list markers, the rest
 * of the row), exact about the anchor itself: what is missing or miscopied is never guessed.
 *
 * @example
 * const found = parseLineRef("> 12:0F0DD9|foo");
 * console.log("problem" in found ? found.problem : found.hash); // → 0f0dd9
 * const bare = parseLineRef("12");
 * console.log("problem" in bare ? bare.problem : bare.hash); // → bare_number
 */
export function parseLineRef(ref: string): Anchor | AnchorProblem {
  const text = unwrap(ref);
  return readRef(text) ?? diagnose(text, ref);
}

const QUOTES = "\"'`";
const WRAPPINGS = 4;

/** Takes off what surrounds the whole; blanks at the end stay where they may belong to an echoed content. */
function unwrap(ref: string): string {
  let text = ref.endsWith("\n") ? ref.slice(0, ref.endsWith("\r\n") ? -2 : -1) : ref;
  for (let round = 0; round < WRAPPINGS; round++) {
    text = text.replace(/^[\s>+*-]+/, "");
    const quote = text.charAt(0);
    const trimmed = text.trimEnd();
    if (!QUOTES.includes(quote) || !trimmed.endsWith(quote)) break;
    text = trimmed.slice(1, -1);
  }
  return text;
}

function readRef(text: string): Anchor | null {
  // As it stands first: the L of a word is not a marker.
  return readRow(text) ?? (text.startsWith("L") ? readRow(text.slice(1).trimStart()) : null);
}

function readRow(text: string): Anchor | null {
  for (const scheme of everyScheme) {
    const found = scheme.read(text);
    if (found === null) continue;
    const anchor = { line: found.line, hash: found.hash, scheme: scheme.name };
    const rest = text.slice(found.length);
    // A tab that separates in this scheme is no blank at the end: what follows it is content.
    if (rest.trim() === "" && !(scheme.separator === "\t" && rest.startsWith("\t"))) return anchor;
    const separator = /^ *[|\t]/.exec(rest);
    if (separator === null) return null;
    const content = rest.slice(separator[0].length);
    // Nothing behind the separator says nothing of the line.
    if (content === "") return anchor;
    return content.includes("\n") ? null : { ...anchor, content };
  }
  return null;
}

const PLACEHOLDERS = [
  /^[<[{(]*(?:line|line_?(?:number|num|no)|n|nn|num|number)[>\]})]*[#:]/i,
  /^\d+[#:][<[{(]*(?:hash|id|tag|anchor|x{3,}|\.{2,}|\u2026)[>\]})]*(?:\W|$)/i,
  /^[<[{(]*(?:anchor|ref|reference|tag|line#id|word(?:n|12|line)?)[>\]})]*$/i,
];
const BARE_NUMBER = /^(?:L(?:ine)?\s*)?\d+(?:\s*[#:]?\s*$|\s*[|\t\u2502\u2192])/i;
const OLD_TAG = /^(?:L?\d+[#:][a-z\d]{2}|\d+[a-z]{2}|[a-z]{2}[.:#]?\d+)(?![a-z\d])/i;

function diagnose(text: string, given: string): AnchorProblem {
  const line = mentionedLine(text);
  const located = line === undefined ? { given } : { line, given };
  if (BARE_NUMBER.test(text)) return { problem: "bare_number", ...located };
  if (PLACEHOLDERS.some((shape) => shape.test(text))) return { problem: "placeholder", ...located };
  if (isWithoutLine(text)) return { problem: "no_line", given };
  if (OLD_TAG.test(text)) return { problem: "old_tag", ...located };
  return { problem: "unreadable", ...located };
}

/** Asked of the schemes themselves, so that a new one needs no rule here: put a line before it and see. */
function isWithoutLine(text: string): boolean {
  return ["1", "1#"].some((start) => readRow(start + text)?.line === 1);
}

const MENTIONED_LINE = [
  /^(?:L(?:ines?)?\s*)?(\d+)(?=[a-z]{0,3}(?![a-z\d]))/i,
  /^[a-z]{1,8}[.:#]?(\d+)(?![a-z\d])/i,
];

function mentionedLine(text: string): number | undefined {
  for (const shape of MENTIONED_LINE) {
    const line = Number(shape.exec(text)?.[1]);
    if (line > 0 && line < 1e9) return line;
  }
  return undefined;
}

/**
 * The caller's text without the anchors that were echoed into it, or null if it is not such a text: every line
 * must begin with an anchor and a separator, behind nothing or exactly what a refusal puts before its rows.
 * Nothing else is ever removed. The anchors carry no content: what stands behind them is the caller's new text.
 */
export function stripAnchors(lines: readonly string[]): { lines: string[]; anchors: Anchor[] } | null {
  const stripped: string[] = [];
  const anchors: Anchor[] = [];
  for (const line of lines) {
    const row = bareRow(line);
    const found = rowHead(row);
    if (found === null) return null;
    anchors.push(found.anchor);
    stripped.push(row.slice(found.length));
  }
  return anchors.length === 0 ? null : { lines: stripped, anchors };
}

/** The anchor that a line of the caller's text begins with, as `stripAnchors` reads it. */
export function anchorAt(line: string): Anchor | null {
  return rowHead(bareRow(line))?.anchor ?? null;
}

function bareRow(line: string): string {
  return /^(?:>>> | {4})/.test(line) ? line.slice(4) : line;
}

function rowHead(row: string): { anchor: Anchor; length: number } | null {
  for (const scheme of everyScheme) {
    const found = scheme.read(row);
    if (found === null || !/[|\t]/.test(row.charAt(found.length))) continue;
    const { line, hash, length } = found;
    return { anchor: { line, hash, scheme: scheme.name }, length: length + 1 };
  }
  return null;
}

interface ResolvedLine {
  /** 1-based. */
  readonly line: number;
  /** 0-based. */
  readonly index: number;
  readonly anchor: Anchor;
}

/** Why an anchor that could be read does not name a line of this text. */
type LineMismatch =
  | {
      readonly problem: "no_such_line";
      readonly line: number;
      readonly given: string;
      readonly anchor: Anchor;
      readonly lineCount: number;
    }
  | {
      readonly problem: "hash_differs" | "content_differs";
      readonly line: number;
      readonly given: string;
      readonly anchor: Anchor;
      /** The anchor of the line now, in the same scheme. */
      readonly hash: string;
      readonly text: string;
    };

/**
 * The line that a reference names in this text: the one with that number, if it carries that hash and, where
 * content was echoed, that content. Looks nowhere else; finding a line that moved is the resolution's work.
 *
 * @example
 * const found = resolveLineRef("2#0f0dd9", "bar\nfoo\n");
 * console.log("index" in found ? found.line : "elsewhere"); // → 2
 */
export function resolveLineRef(
  ref: string,
  lines: Document | string | readonly string[],
): ResolvedLine | AnchorProblem | LineMismatch {
  const anchor = parseLineRef(ref);
  if ("problem" in anchor) return anchor;
  const { line } = anchor;
  const found = lineNow(lines, line - 1, schemes[anchor.scheme]);
  if ("lineCount" in found) {
    return { problem: "no_such_line", line, given: ref, anchor, lineCount: found.lineCount };
  }
  if (found.hash !== anchor.hash) return { problem: "hash_differs", line, given: ref, anchor, ...found };
  if (anchor.content !== undefined && anchor.content !== found.text) {
    return { problem: "content_differs", line, given: ref, anchor, ...found };
  }
  return { line, index: line - 1, anchor };
}

type LineNow = { readonly hash: string; readonly text: string } | { readonly lineCount: number };

function lineNow(lines: Document | string | readonly string[], index: number, scheme: Scheme): LineNow {
  if (typeof lines === "string") return lineOfText(lines, index, scheme);
  if (isList(lines)) {
    const text = lines[index];
    return text === undefined ? { lineCount: lines.length } : { hash: scheme.hashText(text), text };
  }
  if (index >= lines.lineCount) return { lineCount: lines.lineCount };
  return { hash: scheme.hashLine(lines, index), text: lines.text(index) };
}

/** `Array.isArray` does not narrow a read-only array away. */
function isList(lines: Document | readonly string[]): lines is readonly string[] {
  return Array.isArray(lines);
}

/** One line of a whole text under the rules for files: LF or CRLF ends a line, a BOM belongs to none. */
function lineOfText(whole: string, index: number, scheme: Scheme): LineNow {
  let start = whole.startsWith("\uFEFF") ? 1 : 0;
  for (let passed = 0; passed < index; passed++) {
    const newline = whole.indexOf("\n", start);
    if (newline < 0) return { lineCount: passed + (start < whole.length ? 1 : 0) };
    start = newline + 1;
  }
  if (start >= whole.length) return { lineCount: index };
  const newline = whole.indexOf("\n", start);
  const end = newline < 0 ? whole.length : newline;
  const text = whole.slice(start, newline > start && whole[end - 1] === "\r" ? end - 1 : end);
  const source: HashSource = {
    lineHash() {
      const bytes = utf8(text);
      return xxh32(bytes, 0, bytes.length);
    },
    rawLine() {
      const bytes = utf8(whole.slice(index === 0 ? 0 : start, end));
      return { bytes, start: 0, end: bytes.length };
    },
  };
  return { hash: scheme.hashLine(source, index), text };
}
