/** How text becomes bytes. A value, so that the core needs no dependency for legacy encodings. */
export interface Codec {
  readonly name: string;
  decode(bytes: Uint8Array): string;
  /** null: this encoding cannot hold the text. */
  encode(text: string): Uint8Array | null;
}

/** The facts about a file's encoding that are needed to find its lines. */
export interface Format {
  readonly codec: Codec;
  /** Bytes of the byte order mark at the head of the file, 0 if there is none. */
  readonly bom: number;
  readonly unit: 1 | 2;
  /** Position of the byte that holds an ASCII value within a unit. */
  readonly low: 0 | 1;
  /** True for a forced or fallback codec, false for the UTFs that are recognised by themselves. */
  readonly coded: boolean;
  readonly breaks: Readonly<Record<"\n" | "\r\n", Uint8Array>>;
}

const utf8Encoder = new TextEncoder();
// ignoreBOM means "do not strip": a U+FEFF inside a file is content like any other.
let utf8Decoder: InstanceType<typeof TextDecoder> | undefined;
const loneSurrogate = /[\ud800-\udfff]/u;
const highCharacter = /[\u0100-\uffff]/;

export const utf8Codec: Codec = {
  name: "utf-8",
  decode(bytes) {
    utf8Decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
    return utf8Decoder.decode(bytes);
  },
  // TextEncoder would write U+FFFD for a lone surrogate and so change the caller's text.
  encode: (text) => encodeShort(text) ?? (loneSurrogate.test(text) ? null : utf8Encoder.encode(text)),
};

/** A call of the encoder costs more than the loop for most lines of code; null if it is needed. */
function encodeShort(text: string): Uint8Array | null {
  if (text.length > 100) return null;
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return null;
    bytes[at] = code;
  }
  return bytes;
}

export const utf16leCodec: Codec = {
  name: "utf-16le",
  decode: (bytes) => decodeUnits(bytes, 0),
  encode: (text) => encodeUnits(text, 0),
};

export const utf16beCodec: Codec = {
  name: "utf-16be",
  decode: (bytes) => decodeUnits(bytes, 1),
  encode: (text) => encodeUnits(text, 1),
};

/**
 * Every byte is the character of the same number, so every byte sequence has a text and goes back unchanged.
 * TextDecoder's "latin1" is windows-1252, which would lose five bytes.
 */
export const latin1Codec: Codec = {
  name: "latin1",
  decode: (bytes) => fromCharacterCodes(bytes),
  encode: (text) =>
    highCharacter.test(text) ? null : Uint8Array.from(text, (character) => character.charCodeAt(0)),
};

// TextDecoder would turn lone surrogates into U+FFFD; half a unit at the end of the file has no other picture.
function decodeUnits(bytes: Uint8Array, low: 0 | 1): string {
  const units = new Uint16Array(bytes.length >>> 1);
  for (let index = 0; index < units.length; index++) {
    const at = index * 2;
    units[index] = (bytes[at + low] as number) | ((bytes[at + 1 - low] as number) << 8);
  }
  const text = fromCharacterCodes(units);
  return bytes.length % 2 === 0 ? text : `${text}\ufffd`;
}

function encodeUnits(text: string, low: 0 | 1): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    bytes[index * 2 + low] = code & 255;
    bytes[index * 2 + 1 - low] = code >>> 8;
  }
  return bytes;
}

function fromCharacterCodes(codes: Uint8Array | Uint16Array): string {
  // Pieces, because the number of arguments of one call is limited by the stack.
  const piece = 8192;
  let text = "";
  for (let start = 0; start < codes.length; start += piece) {
    text += String.fromCharCode.apply(null, codes.subarray(start, start + piece) as unknown as number[]);
  }
  return text;
}

const byteBreaks = { "\n": Uint8Array.of(10), "\r\n": Uint8Array.of(13, 10) };

function utf16Format(codec: Codec, bom: number): Format {
  const low = codec === utf16leCodec ? 0 : 1;
  const breaks = { "\n": encodeUnits("\n", low), "\r\n": encodeUnits("\r\n", low) };
  return { codec, bom, unit: 2, low, coded: false, breaks };
}

const plainUtf8: Format = { codec: utf8Codec, bom: 0, unit: 1, low: 0, coded: false, breaks: byteBreaks };
const markedUtf8: Format = { ...plainUtf8, bom: 3 };

export function codedFormat(codec: Codec, bom = 0): Format {
  return { codec, bom, unit: 1, low: 0, coded: true, breaks: byteBreaks };
}

/** How many bytes `headFormat` looks at. */
export const headLength = 4;

/**
 * The format that the head of a file announces: its byte order mark, else the forced codec, else UTF-8 until a
 * line proves otherwise. FF FE 00 00 is UTF-32, which would pass for UTF-16 full of NUL; left to the fallback,
 * its NUL bytes make it binary.
 */
export function headFormat(head: Uint8Array, forced?: Codec): Format {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return markedUtf8;
  const utf32 = head.length >= 4 && head[2] === 0 && head[3] === 0;
  if (head[0] === 0xff && head[1] === 0xfe && !utf32) return utf16Format(utf16leCodec, 2);
  if (head[0] === 0xfe && head[1] === 0xff) return utf16Format(utf16beCodec, 2);
  if (forced === undefined) return plainUtf8;
  // Without a mark UTF-16 must be asked for by name: bytes alone cannot tell it from binary data.
  if (forced.name === utf16leCodec.name) return utf16Format(utf16leCodec, 0);
  if (forced.name === utf16beCodec.name) return utf16Format(utf16beCodec, 0);
  return codedFormat(forced);
}

/** The format for what follows the head of a file: same encoding, no byte order mark. */
export function withoutBom(format: Format): Format {
  return format.bom === 0 ? format : { ...format, bom: 0 };
}

/** Position of the first line feed at or after `from`, which is a place between two units; -1 if there is none. */
export function nextLineFeed(bytes: Uint8Array, from: number, format: Format): number {
  if (format.unit === 1) return bytes.indexOf(10, from);
  for (let position = from; position + 1 < bytes.length; position += 2) {
    if (isUnit(bytes, position, 10, format)) return position;
  }
  return -1;
}

/** How many bytes of `[start, end)`, a line, are its terminator. */
export function breakLength(bytes: Uint8Array, start: number, end: number, format: Format): number {
  const unit = format.unit;
  const size = end - start;
  // An odd byte at the end of UTF-16 belongs to no unit, so the line it stands in was not ended by one.
  if (size < unit || size % unit !== 0 || !isUnit(bytes, end - unit, 10, format)) return 0;
  return size >= 2 * unit && isUnit(bytes, end - 2 * unit, 13, format) ? 2 * unit : unit;
}

export function isUnit(bytes: Uint8Array, at: number, code: number, format: Format): boolean {
  return bytes[at + format.low] === code && (format.unit === 1 || bytes[at + 1 - format.low] === 0);
}

/** The first character that the codec cannot hold; null if it holds each by itself. */
export function unencodableCharacter(text: string, codec: Codec): string | null {
  for (const character of text) {
    if (codec.encode(character) === null) return character;
  }
  return null;
}

/** UTF-8 as Unicode defines it: no overlong forms, no surrogates, nothing over U+10FFFF. */
export function isUtf8(bytes: Uint8Array, start: number, end: number): boolean {
  let position = start;
  while (position < end) {
    const lead = bytes[position++] as number;
    if (lead < 0x80) continue;
    if (lead < 0xc2 || lead > 0xf4) return false;
    let rest = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    if (position + rest > end) return false;
    const second = bytes[position] as number;
    if (lead === 0xe0 && second < 0xa0) return false;
    if (lead === 0xed && second > 0x9f) return false;
    if (lead === 0xf0 && second < 0x90) return false;
    if (lead === 0xf4 && second > 0x8f) return false;
    for (; rest > 0; rest--) {
      if (((bytes[position++] as number) & 0xc0) !== 0x80) return false;
    }
  }
  return true;
}
