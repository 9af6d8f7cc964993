/** The anchor schemes: how a hash is made, written and read. */
import { cksum, type HashSource, hashText, utf8 } from "../text/index.js";
import { leanWords } from "./lean-words.js";

export type SchemeName = "hex6" | "hex4" | "lean";

/** One way of writing anchors. Law: `read(tag(line, hash))` gives back line and hash, for every hash the scheme makes. */
export interface Scheme {
  readonly name: SchemeName;
  /** Two different lines share a hash once in 2 to the power of this. */
  readonly bits: number;
  /** Stands between anchor and text in a row. */
  readonly separator: "|" | "\t";
  hashLine(source: HashSource, index: number): string;
  hashText(text: string): string;
  /** The anchor of a 1-based line. */
  tag(line: number, hash: string): string;
  /** The anchor of this scheme at the very head of `text`, or null; `length` is what it takes up there. */
  read(text: string): { readonly line: number; readonly hash: string; readonly length: number } | null;
}

// The added 1 keeps the leading zeros and is cut off again.
const hexDigits6 = (hash: number): string => (0x1000000 + (hash & 0xffffff)).toString(16).slice(1);
const hexDigits4 = (hash: number): string => (0x10000 + (hash & 0xffff)).toString(16).slice(1);
const leanWord = (hash: number): string => leanWords[hash & 1023] as string;

// Nine digits: no file has a thousand million lines, and a longer number is a mistake. No leading zero: rows have
// none. The next character must end the anchor, so that four digits are never found at the head of six.
const hex6Shape = /^([1-9]\d{0,8})[#:]([0-9a-f]{6})(?!\w)/i;
const hex4Shape = /^([1-9]\d{0,8})[#:]([0-9a-f]{4})(?!\w)/i;
const leanShape = /^(?:([a-z]{3})([1-9]\d{0,8})|([1-9]\d{0,8})([a-z]{3}))(?!\w)/i;

function readHex(shape: RegExp, text: string): ReturnType<Scheme["read"]> {
  const found = shape.exec(text);
  if (found === null) return null;
  const [whole, line, hash] = found as unknown as [string, string, string];
  return { line: Number(line), hash: hash.toLowerCase(), length: whole.length };
}

const hex6: Scheme = {
  name: "hex6",
  bits: 24,
  separator: "|",
  hashLine: (source, index) => hexDigits6(source.lineHash(index)),
  hashText: (text) => hexDigits6(hashText(text)),
  tag: (line, hash) => `${line}#${hash}`,
  read: (text) => readHex(hex6Shape, text),
};

const hex4: Scheme = {
  name: "hex4",
  bits: 16,
  separator: "|",
  hashLine(source, index) {
    const { bytes, start, end } = source.rawLine(index);
    return hexDigits4(cksum(bytes, start, end));
  },
  hashText(text) {
    const bytes = utf8(text);
    return hexDigits4(cksum(bytes, 0, bytes.length));
  },
  tag: (line, hash) => `${line}#${hash}`,
  read: (text) => readHex(hex4Shape, text),
};

let knownWords: ReadonlySet<string> | undefined;

const lean: Scheme = {
  name: "lean",
  bits: 10,
  separator: "\t",
  hashLine: (source, index) => leanWord(source.lineHash(index)),
  hashText: (text) => leanWord(hashText(text)),
  tag: (line, hash) => `${hash}${line}`,
  read(text) {
    const found = leanShape.exec(text);
    if (found === null) return null;
    const hash = ((found[1] ?? found[4]) as string).toLowerCase();
    knownWords ??= new Set(leanWords);
    if (!knownWords.has(hash)) return null;
    return { line: Number(found[2] ?? found[3]), hash, length: found[0].length };
  },
};

/** The one registry: no text is an anchor of two schemes, so the scheme is read off the anchor's shape. */
export const schemes: Readonly<Record<SchemeName, Scheme>> = Object.freeze({ hex6, hex4, lean });

export function scheme(name: SchemeName): Scheme {
  return schemes[name];
}

/**
 * The hash of one line's text, given without terminator.
 *
 * @example
 * console.log(computeLineHash("foo")); // → 0f0dd9
 */
export function computeLineHash(text: string, name: SchemeName = "hex6"): string {
  return schemes[name].hashText(text);
}

/**
 * The anchor of a 1-based line with this text, without separator.
 *
 * @example
 * console.log(formatLineTag(12, "foo")); // → 12#0f0dd9
 */
export function formatLineTag(line: number, text: string, name: SchemeName = "hex6"): string {
  const { tag, hashText } = schemes[name];
  return tag(line, hashText(text));
}
