/** A file as lines: a value that finds, decodes and hashes them, and makes the next version of the file. */
import {
  breakLength,
  type Codec,
  codedFormat,
  type Format,
  headFormat,
  latin1Codec,
  utf8Codec,
} from "./codec.js";
import { utf8, xxh32 } from "./hash.js";
import { type LineTable, scanCoded, scanUtf8 } from "./line-scanner.js";
import {
  type Hunk,
  type NewLine,
  type RawLine,
  spliceLines,
  splitText,
  type Terminator,
  type Unencodable,
  unencodable,
} from "./splice.js";

export interface ParseOptions {
  /** For the whole file, unless it begins with the byte order mark of a UTF. */
  readonly codec?: Codec;
  /** For bytes that are not UTF-8; by default every byte is the character of the same number. */
  readonly fallback?: Codec;
  /** Legacy encoding of the version before: plain ASCII, which every encoding could have written, stays in it. */
  readonly last?: Codec;
}

/**
 * The lines of a file, without changing a byte of it. Immutable; the bytes given to `parse` are not copied and must
 * not be written to afterwards.
 *
 * A document is a function of its bytes and its options: what `splice` carries over is what parsing the new bytes
 * would find. Text is decoded only for lines that are asked for.
 *
 * @example
 * const document = Document.parse(bytes);
 * const edited = document.splice([{ start: 1, end: 2, lines: ["second line"] }]);
 */
export class Document implements HashSource {
  readonly lineCount: number;
  readonly encoding: string;
  readonly hasBom: boolean;
  private knownVersion: string | undefined;
  private knownBinary: boolean | undefined;
  private knownView: DataView | undefined;

  private constructor(
    readonly bytes: Uint8Array,
    /** @internal */
    readonly format: Format,
    /** @internal */
    readonly table: LineTable,
    private readonly options: ParseOptions,
  ) {
    this.lineCount = table.hashes.length;
    this.encoding = format.codec.name;
    this.hasBom = format.bom > 0;
  }

  /** The options to parse the next version of this file with. */
  private get following(): ParseOptions {
    const { codec, fallback } = this.options;
    if (codec) return this.options;
    return {
      ...(fallback ? { fallback } : {}),
      ...(this.format.coded ? { last: this.format.codec } : {}),
    };
  }

  /** Never fails: what is not text is still lines of bytes, and `binary` says so. */
  static parse(bytes: Uint8Array, options: ParseOptions = {}): Document {
    return Document.parseAs(bytes, headFormat(bytes, options.codec), options);
  }

  /** @internal For a part of a file whose head is not in `bytes`. */
  static parseAs(bytes: Uint8Array, format: Format, options: ParseOptions = {}): Document {
    if (format.codec === utf8Codec && !format.coded) {
      const { codec, fallback = latin1Codec, last } = options;
      const table = scanUtf8(bytes, format.bom);
      const isKept = last !== undefined && format.bom === 0 && isAscii(bytes);
      if (table !== null && !isKept) return new Document(bytes, format, table, options);
      // The byte order mark belongs to no line, whatever the rest of the file is: no edit of line 1 takes it away.
      const coded = codedFormat(isKept ? last : (codec ?? fallback), format.bom);
      return new Document(bytes, coded, scanCoded(bytes, coded), options);
    }
    return new Document(bytes, format, scanCoded(bytes, format), options);
  }

  static fromText(text: string): Document {
    return Document.parse(utf8(text));
  }

  /** Parsed without options: then it is a function of its bytes alone. */
  get isPlain(): boolean {
    const { codec, fallback, last } = this.options;
    return (codec ?? fallback ?? last) === undefined;
  }

  /** Every byte is a character of ASCII: the text is the same in every encoding but UTF-16. */
  get isAscii(): boolean {
    return this.format.unit === 1 && isAscii(this.bytes);
  }

  /** NUL bytes outside UTF-16. Looked for when asked. */
  get isBinary(): boolean {
    this.knownBinary ??= this.format.unit === 1 && this.bytes.includes(0);
    return this.knownBinary;
  }

  toBytes(): Uint8Array {
    return this.bytes;
  }

  text(index: number): string {
    return this.format.codec.decode(this.content(index));
  }

  terminator(index: number): Terminator {
    const length = this.breakLength(index);
    return length === 0 ? "" : length === this.format.unit ? "\n" : "\r\n";
  }

  /** xxHash32 of the text as UTF-8, without terminator and byte order mark. */
  lineHash(index: number): number {
    this.check(index);
    return this.table.hashes[index] as number;
  }

  /** Everything up to the line feed: a CR before it and, on the first line, the byte order mark are included. */
  rawLine(index: number): { bytes: Uint8Array; start: number; end: number } {
    const feed = this.breakLength(index) > 0 ? this.format.unit : 0;
    return {
      bytes: this.bytes,
      start: index === 0 ? 0 : this.start(index),
      end: this.start(index + 1) - feed,
    };
  }

  raw(index: number): RawLine {
    return { text: this.text(index), raw: this.content(index), terminator: this.terminator(index) };
  }

  /** Whether a line is this text. Decoding one costs more than all the rest of an edit: plain ASCII is compared as it is. */
  hasText(index: number, text: string): boolean {
    if (this.format.codec !== utf8Codec) return this.text(index) === text;
    const start = this.start(index);
    const size = this.start(index + 1) - this.breakLength(index) - start;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code > 127) return this.text(index) === text;
      if (at >= size || this.bytes[start + at] !== code) return false;
    }
    return size === text.length;
  }

  /** Whether two lines hold the same text; terminators do not count. */
  isSameText(index: number, other: Document, otherIndex: number): boolean {
    if (this.lineHash(index) !== other.lineHash(otherIndex)) return false;
    if (this.encoding !== other.encoding) return this.text(index) === other.text(otherIndex);
    return isSameBytes(this.content(index), other.content(otherIndex));
  }

  /** Whether lines [start, end) read like as many lines of the other text from `otherStart` on. */
  isSameLines(start: number, end: number, other: Document, otherStart: number): boolean {
    if (this.encoding === other.encoding && this.isSameRaw(start, end, other, otherStart)) return true;
    for (let at = 0; at < end - start; at++)
      if (!this.isSameText(start + at, other, otherStart + at)) return false;
    return true;
  }

  /** The bytes with their terminators, as one piece: what comparing two files asks of nearly all of them. */
  private isSameRaw(start: number, end: number, other: Document, otherStart: number): boolean {
    let at = this.start(start);
    let there = other.start(otherStart);
    const stop = this.start(end);
    if (stop - at !== other.start(otherStart + end - start) - there) return false;
    const ours = this.view;
    const theirs = other.view;
    // Eight bytes at a time as one number. Equal numbers are equal bytes, but for zero, which has a sign; what is not
    // a number is unequal even to itself; such pairs are compared as integers.
    for (; at + 8 <= stop; at += 8, there += 8) {
      const number = ours.getFloat64(at, true);
      if (number === theirs.getFloat64(there, true) && number !== 0) continue;
      if (ours.getInt32(at, true) !== theirs.getInt32(there, true)) return false;
      if (ours.getInt32(at + 4, true) !== theirs.getInt32(there + 4, true)) return false;
    }
    for (; at < stop; at++, there++) if (this.bytes[at] !== other.bytes[there]) return false;
    return true;
  }

  private get view(): DataView {
    this.knownView ??= new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);
    return this.knownView;
  }

  lines(start = 0, end = this.lineCount): string[] {
    if (start >= end) return [];
    if (start + 1 === end) return [this.text(start)];
    this.check(start);
    this.check(end - 1);
    if (this.format.codec !== utf8Codec) {
      return Array.from({ length: end - start }, (_, offset) => this.text(start + offset));
    }
    const lines = this.decoded(start, this.start(end) - this.breakLength(end - 1));
    const last = lines.length - 1;
    return lines.map((line, at) => (at < last && line.endsWith("\r") ? line.slice(0, -1) : line));
  }

  /** @internal Lines with the CR of their terminator, as a diff prints them. */
  rows(start: number, end: number): string[] {
    if (this.format.codec === utf8Codec) return this.decoded(start, this.start(end)).slice(0, end - start);
    const texts = this.lines(start, end);
    return texts.map((text, at) => (this.terminator(start + at) === "\r\n" ? `${text}\r` : text));
  }

  /** One decoding and one split: a decoder call for each line costs more than the decoding. */
  private decoded(start: number, stop: number): string[] {
    return utf8Codec.decode(this.bytes.subarray(this.start(start), stop)).split("\n");
  }

  /**
   * 16 hex digits that stand for the content: two 32-bit lanes over every line's hash and length in bytes (which,
   * with the text, gives the terminator), the size, the byte order mark and the encoding. Callers that need certainty
   * compare bytes.
   */
  get version(): string {
    this.knownVersion ??= this.foldVersion();
    return this.knownVersion;
  }

  /**
   * Replaces, inserts and deletes lines, all at once: positions and terminators are those of this document. Splices
   * are sorted and disjoint.
   */
  splice(splices: readonly Hunk[]): Document | Unencodable {
    const result = spliceLines(this, splices);
    if ("unencodable" in result) return result;
    if (result.table !== null) return new Document(result.bytes, this.format, result.table, this.following);
    return this.reread(result.bytes, splices.flatMap((splice) => splice.lines).filter(isString));
  }

  /** @internal The file with other content, in its prevailing terminator, its byte order mark and its encoding. */
  rewrite(text: string): Document | Unencodable {
    if (text === "") return Document.parse(new Uint8Array(0), this.following);
    const { codec, bom } = this.format;
    const body = text.includes("\r") || !this.hasMoreReturns() ? text : text.replaceAll("\n", "\r\n");
    const raw = codec.encode(body);
    if (raw === null) {
      const lines = splitText(text);
      return unencodable(lines.find((line) => codec.encode(line) === null) ?? text, codec);
    }
    const mark = text.startsWith("\ufeff") ? 0 : bom;
    const bytes = new Uint8Array(mark + raw.length);
    bytes.set(this.bytes.subarray(0, mark));
    bytes.set(raw, mark);
    return this.reread(bytes, [text]);
  }

  /**
   * A file in a legacy encoding is read anew: its bytes may be UTF-8 now, and the next reader would see them so. Text
   * that was just written, unless it is plain ASCII, would then be read as other text; all of the file would, if its
   * head now passes for the mark of UTF-16, or no longer does. Plain ASCII stays in the legacy encoding.
   */
  private reread(bytes: Uint8Array, written: readonly string[]): Document | Unencodable {
    const document = Document.parse(bytes, this.following);
    if (document.encoding === this.encoding) return document;
    const { codec, unit, bom } = this.format;
    if (document.format.unit !== unit) {
      const [head = ""] = splitText(codec.decode(bytes.subarray(bom)));
      return { unencodable: head.charAt(0), text: head, encoding: this.encoding };
    }
    const lines = written.flatMap((text) => splitText(text));
    const text = lines.find((line) => line.includes("\0") || beyondAscii.test(line));
    if (text === undefined) return document;
    return { unencodable: beyondAscii.exec(text)?.[0] ?? "\0", text, encoding: this.encoding };
  }

  private hasMoreReturns(): boolean {
    let balance = 0;
    for (let index = 0; index < this.lineCount; index++) {
      const terminator = this.terminator(index);
      if (terminator !== "") balance += terminator === "\r\n" ? 1 : -1;
    }
    return balance > 0;
  }

  private foldVersion(): string {
    const { starts, hashes } = this.table;
    // Plain ASCII is one text, whichever encoding it is kept in.
    const isKept = this.format.coded && this.options.codec === undefined && this.isAscii;
    const name = utf8(isKept ? "utf-8 0" : `${this.encoding} ${this.format.bom}`);
    let lane1 = xxh32(name, 0, name.length, this.bytes.length) | 0;
    let lane2 = xxh32(name, 0, name.length, this.lineCount) | 0;
    let start = starts[0] as number;
    for (let index = 0; index < hashes.length; index++) {
      const hash = hashes[index] as number;
      const next = starts[index + 1] as number;
      const length = next - start;
      start = next;
      lane1 = lane1 ^ hash;
      lane1 = Math.imul(((lane1 << 13) | (lane1 >>> 19)) + length, 0x9e3779b1);
      lane2 = (lane2 + Math.imul(hash, 0xc2b2ae3d)) ^ length;
      lane2 = Math.imul((lane2 << 17) | (lane2 >>> 15), 0x85ebca77);
    }
    return hexadecimal(lane1) + hexadecimal(lane2);
  }

  private start(index: number): number {
    return this.table.starts[index] as number;
  }

  private check(index: number): void {
    if (!(index >= 0 && index < this.lineCount)) throw new RangeError(`line ${index} of ${this.lineCount}`);
  }

  private breakLength(index: number): number {
    this.check(index);
    return breakLength(this.bytes, this.start(index), this.start(index + 1), this.format);
  }

  private content(index: number): Uint8Array {
    const start = this.start(index);
    return this.bytes.subarray(start, this.start(index + 1) - this.breakLength(index));
  }
}

const beyondAscii = /[\u0080-\u{10ffff}]/u;

function isAscii(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte < 128);
}

function isString(line: NewLine): line is string {
  return typeof line === "string";
}

/**
 * A document of exactly this content; an array is lines, each terminated. Over an existing file (not a binary one,
 * which has no encoding to keep) content without any CR takes that file's prevailing terminator, and all content
 * its byte order mark and its encoding. `""` is an empty file, without a byte order mark.
 */
export function wholeFile(
  content: string | readonly string[],
  over: Document | null,
): Document | Unencodable {
  const text =
    typeof content === "string"
      ? content
      : content.map((line) => (line.endsWith("\n") ? line : `${line}\n`)).join("");
  return (over === null || over.isBinary ? Document.parse(new Uint8Array(0)) : over).rewrite(text);
}

// The last step of xxHash32, so that each digit depends on every line.
function hexadecimal(lane: number): string {
  let hash = Math.imul(lane ^ (lane >>> 15), 0x85ebca77);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae3d);
  return ((hash ^ (hash >>> 16)) >>> 0).toString(16).padStart(8, "0");
}

export function isSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one === other) return true;
  if (one.length !== other.length) return false;
  let index = 0;
  if (one.length >= 64) {
    const ours = new DataView(one.buffer, one.byteOffset, one.length);
    const theirs = new DataView(other.buffer, other.byteOffset, other.length);
    for (; index + 4 <= one.length; index += 4) {
      if (ours.getInt32(index) !== theirs.getInt32(index)) return false;
    }
  }
  for (; index < one.length; index++) {
    if (one[index] !== other[index]) return false;
  }
  return true;
}

/** The parts of a document that a scheme needs. Indexes are 0-based. */
export interface HashSource {
  /** xxHash32, seed 0, of the line's text as UTF-8, without terminator and without the file's BOM. */
  lineHash(index: number): number;
  /** The file's bytes up to, not including, the LF: a CR before it and a BOM are part of them. */
  rawLine(index: number): { readonly bytes: Uint8Array; readonly start: number; readonly end: number };
}
