/** Puts lines into the bytes of a file: terminators, encoding, and the table of lines carried over. */
import {
  type Codec,
  type Format,
  headFormat,
  isUnit,
  isUtf8,
  nextLineFeed,
  unencodableCharacter,
  utf8Codec,
} from "./codec.js";
import { xxh32 } from "./hash.js";
import { hashText, type LineTable } from "./line-scanner.js";

export type Terminator = "" | "\n" | "\r\n";

/** A line with its bytes in the file's encoding and its own terminator: splicing it in restores it exactly. */
export interface RawLine {
  readonly text: string;
  readonly raw: Uint8Array;
  readonly terminator: Terminator;
}

export type NewLine = string | RawLine;

/** Lines `[start, end)`, 0-based, give way to `lines`. */
export interface Hunk<Line = NewLine> {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly Line[];
  /** For a pure insert, the line whose terminator is taken: the one before, else the one after, unless given. */
  readonly anchor?: number;
}

/** The encoding cannot hold this text. */
export interface Unencodable {
  readonly unencodable: string;
  readonly text: string;
  readonly encoding: string;
}

/** The parts of a document that splicing needs. */
interface SpliceSource {
  readonly bytes: Uint8Array;
  readonly format: Format;
  readonly table: LineTable;
  readonly lineCount: number;
  terminator(index: number): Terminator;
  text(index: number): string;
}

interface Spliced {
  readonly bytes: Uint8Array;
  /** null: the bytes may mean something else now (another encoding, another byte order mark) and must be parsed. */
  readonly table: LineTable | null;
}

/**
 * Caller's text to lines. One final newline only terminates; a lone CR is content. An element of an array is a
 * line; a CR at its end is what is left of a CRLF when text was split at LF, so one is dropped, and an element that
 * holds a line break, which no line can, is split there.
 */
export function splitText(text: string | readonly string[] | null): string[] {
  if (text === null) return [];
  if (typeof text === "string") return splitString(text);
  return text.flatMap((line) => splitString(line.endsWith("\r") ? line.slice(0, -1) : line));
}

function splitString(text: string): string[] {
  if (!text.includes("\n")) return [text];
  const lines = text.split(/\r?\n/);
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return lines;
}

interface EncodedLine {
  readonly raw: Uint8Array;
  readonly hash: number;
  /** False if the bytes prove that the file is no longer in its encoding. */
  readonly valid: boolean;
  readonly terminator: "\n" | "\r\n";
  /** The terminator it has if it becomes the last line of the file. */
  readonly atEnd: Terminator;
}

/** Applies sorted, disjoint splices, all decided against the document as it is; untouched bytes are copied. */
export function spliceLines(source: SpliceSource, splices: readonly Hunk[]): Spliced | Unencodable {
  checkOrder(splices, source.lineCount);
  const open = source.lineCount > 0 && source.terminator(source.lineCount - 1) === "";
  const pieces: EncodedLine[][] = [];
  for (const splice of splices) {
    const made: EncodedLine[] = [];
    for (const line of splice.lines) {
      const piece = encodedLine(source, line, wantedTerminator(source, splice, made.length), open);
      if ("unencodable" in piece) return piece;
      made.push(piece);
    }
    pieces.push(made);
  }
  const joint = open ? missingTerminator(source, splices) : "";
  if (typeof joint !== "string") return joint;
  const last = lastEncodedLine(source.lineCount, splices, pieces);
  const odd = pieces.flat().find((piece) => piece.raw.length % source.format.unit !== 0 && piece !== last);
  if (odd !== undefined) return halfUnit(source.format, source.format.codec.decode(odd.raw));
  return assemble(source, { splices, pieces, joint, last });
}

function checkOrder(splices: readonly Hunk[], lineCount: number): void {
  let previous = 0;
  for (const { start, end, anchor } of splices) {
    if (!(previous <= start && start <= end && end <= lineCount)) {
      throw new RangeError(
        `splice [${start}, ${end}) after ${previous} in ${lineCount} lines: not sorted, disjoint, inside`,
      );
    }
    if (anchor !== undefined && !(anchor >= 0 && anchor < lineCount)) {
      throw new RangeError(`splice anchored to line ${anchor} of ${lineCount}`);
    }
    previous = end;
  }
}

function wantedTerminator(source: SpliceSource, splice: Hunk, position: number): "\n" | "\r\n" {
  const { start, end, anchor } = splice;
  if (start < end) return terminatorLike(source, Math.min(start + position, end - 1));
  return terminatorLike(source, anchor ?? Math.max(start - 1, 0));
}

function terminatorLike(source: SpliceSource, index: number): "\n" | "\r\n" {
  if (index >= source.lineCount) return "\n";
  return source.terminator(index) || (index > 0 && source.terminator(index - 1)) || "\n";
}

function encodedLine(
  source: SpliceSource,
  line: NewLine,
  wanted: "\n" | "\r\n",
  open: boolean,
): EncodedLine | Unencodable {
  const { format } = source;
  const given = typeof line === "string" ? encodeText(line, format) : line.raw;
  if ("unencodable" in given) return given;
  if (typeof line !== "string" && nextLineFeed(given, 0, format) >= 0) {
    throw new RangeError("the bytes of a line hold a line feed");
  }
  const own = typeof line === "string" ? "" : line.terminator;
  const terminator = closing(given, own || wanted, format);
  const staysOpen = given.length > 0 && own === "" && (open || typeof line !== "string");
  const isPlain = format.codec === utf8Codec;
  return {
    raw: given,
    hash: isPlain ? xxh32(given, 0, given.length) : hashText(format.codec.decode(given)),
    valid: typeof line === "string" || !isPlain || isUtf8(given, 0, given.length),
    terminator,
    atEnd: staysOpen ? "" : terminator,
  };
}

function encodeText(text: string, format: Format): Uint8Array | Unencodable {
  if (text.includes("\n")) throw new RangeError("a line of text holds a line feed");
  const raw = format.codec.encode(text);
  if (raw !== null && (!format.coded || !raw.includes(10))) return raw;
  return unencodable(text, format.codec);
}

/** The refusal of a line, naming the first character that is to blame. */
export function unencodable(text: string, codec: Codec): Unencodable {
  const blamed = unencodableCharacter(text, codec) ?? String.fromCodePoint(text.codePointAt(0) ?? 0);
  return { unencodable: blamed, text, encoding: codec.name };
}

/**
 * A text that ends with a lone CR is followed by CRLF even where LF is due: with LF the CR would be read back as
 * part of the line break, and the line would not be the one that was asked for.
 */
function closing(raw: Uint8Array, terminator: "\n" | "\r\n", format: Format): "\n" | "\r\n" {
  const endsInReturn = raw.length >= format.unit && isUnit(raw, raw.length - format.unit, 13, format);
  return endsInReturn ? "\r\n" : terminator;
}

/** The terminator that an untouched last line without one needs, because lines now follow it. */
function missingTerminator(source: SpliceSource, splices: readonly Hunk[]): Terminator | Unencodable {
  const { lineCount, format, table, bytes } = source;
  const touched = splices.some(({ start, end }) => start < end && end === lineCount);
  const followed = splices.some(({ start, lines }) => start === lineCount && lines.length > 0);
  if (touched || !followed) return "";
  const raw = bytes.subarray(table.starts[lineCount - 1], bytes.length);
  if (raw.length % format.unit !== 0) return halfUnit(format, source.text(lineCount - 1));
  return closing(raw, terminatorLike(source, lineCount - 1), format);
}

// Half a unit of UTF-16 can only stand at the very end: a terminator after it would be read as other characters.
function halfUnit(format: Format, text: string): Unencodable {
  return { unencodable: "\ufffd", text, encoding: format.codec.name };
}

function lastEncodedLine(
  lineCount: number,
  splices: readonly Hunk[],
  pieces: readonly EncodedLine[][],
): EncodedLine | undefined {
  let end = lineCount;
  for (let index = splices.length - 1; index >= 0; index--) {
    const splice = splices[index] as Hunk;
    if (splice.end !== end) return undefined;
    if (splice.lines.length > 0) return pieces[index]?.at(-1);
    end = splice.start;
  }
  return undefined;
}

interface Plan {
  readonly splices: readonly Hunk[];
  readonly pieces: readonly (readonly EncodedLine[])[];
  /** Terminator added to the untouched last line. */
  readonly joint: Terminator;
  readonly last: EncodedLine | undefined;
}

const noBytes = new Uint8Array(0);

function assemble(source: SpliceSource, plan: Plan): Spliced {
  const { format, lineCount, table } = source;
  const bytesOf = (terminator: Terminator) => (terminator === "" ? noBytes : format.breaks[terminator]);
  const breakOf = (piece: EncodedLine) => bytesOf(piece === plan.last ? piece.atEnd : piece.terminator);
  const joint = bytesOf(plan.joint);
  const added = plan.pieces.flat();
  let size = source.bytes.length + joint.length;
  let count = lineCount + added.length;
  for (const piece of added) size += piece.raw.length + breakOf(piece).length;
  for (const { start, end } of plan.splices) {
    size -= (table.starts[end] as number) - (table.starts[start] as number);
    count -= end - start;
  }
  const builder = new Builder(source, size, count);
  let from = 0;
  for (const [index, splice] of plan.splices.entries()) {
    builder.keep(from, splice.start);
    if (from < splice.start && splice.start === lineCount) builder.write(joint);
    for (const piece of plan.pieces[index] as readonly EncodedLine[]) builder.add(piece, breakOf(piece));
    from = splice.end;
  }
  builder.keep(from, lineCount);
  const bytes = builder.bytes;
  const head = headFormat(bytes);
  const same = !format.coded && head.codec === format.codec && head.bom === format.bom;
  return { bytes, table: same && added.every((piece) => piece.valid) ? builder.table() : null };
}

/** Bytes, starts and hashes of the new file, filled from front to back. */
class Builder {
  readonly bytes: Uint8Array;
  private readonly starts: Uint32Array;
  private readonly hashes: Uint32Array;
  private position = 0;
  private line = 0;

  constructor(
    private readonly source: SpliceSource,
    size: number,
    count: number,
  ) {
    this.bytes = new Uint8Array(size);
    this.starts = new Uint32Array(count + 1);
    this.hashes = new Uint32Array(count);
    this.write(source.bytes.subarray(0, source.format.bom));
  }

  /** Carries over lines `[from, to)` with all that is known of them. */
  keep(from: number, to: number): void {
    if (from === to) return;
    const { starts, hashes } = this.source.table;
    const start = starts[from] as number;
    const shift = this.position - start;
    const offset = this.line - from;
    const target = this.starts;
    for (let index = from; index < to; index++) target[index + offset] = (starts[index] as number) + shift;
    this.hashes.set(hashes.subarray(from, to), this.line);
    this.line += to - from;
    this.write(this.source.bytes.subarray(start, starts[to]));
  }

  add(piece: EncodedLine, terminator: Uint8Array): void {
    this.starts[this.line] = this.position;
    this.hashes[this.line++] = piece.hash;
    this.write(piece.raw);
    this.write(terminator);
  }

  write(bytes: Uint8Array): void {
    // A line or a terminator: looping costs less than the call.
    if (bytes.length > 64) this.bytes.set(bytes, this.position);
    else for (let at = 0; at < bytes.length; at++) this.bytes[this.position + at] = bytes[at] as number;
    this.position += bytes.length;
  }

  table(): LineTable {
    this.starts[this.line] = this.position;
    return { starts: this.starts, hashes: this.hashes };
  }
}
