import { PortError } from "../ports/index.js";
import type { Codec } from "../text/index.js";

type Iconv = typeof import("iconv-lite");

const wide = new Set(["utf-16le", "utf-16be"]);
/** Names that detection gives, and the narrowest encoding to try for each: a file of GBK shall not become GB18030. */
const narrower: Readonly<Record<string, readonly string[]>> = {
  gb18030: ["gbk", "gb18030"],
  "iso-8859-1": ["latin1"],
};
/** By name, those that detection may answer with: one byte or more a character, ASCII unchanged, no state. */
const usable = /^(windows-\d+|iso-8859-\d+|koi8-[ru]|shift_jis|euc-(jp|kr)|big5|gb18030)$/;
const leastConfidence = 20;

/**
 * The codec by name.
 *
 * @example
 * const codec = await namedCodec("windows-1252");
 * const files = nodeFiles({ roots: [root], state, encoding: "windows-1252" });
 * console.log(typeof codec.decode, (await files.identify("a.ts")).path); // → function a.ts
 */
export async function namedCodec(name: string): Promise<Codec> {
  const iconv = await load();
  const wanted = name.trim().toLowerCase();
  const codec = codecOf(iconv, wanted);
  if (codec && (wide.has(wanted) || isAsciiSafe(codec))) return codec;
  const why = codec ? "does not keep ASCII as it is" : "is not known";
  throw new PortError("bad_request", `the encoding ${name} ${why}; try windows-1252, shift_jis or gbk`);
}

export interface CodecChoice {
  /** The encoding the file was last shown in: tried first, so that it does not flicker with every edit. */
  readonly last: string | null;
  readonly forced: string | null;
}

/**
 * The codec for bytes that are not UTF-8; null means the core's own Latin-1, which takes any bytes. No other codec is
 * answered unless it gives exactly these bytes back.
 */
export async function detectCodec(bytes: Uint8Array, choice: CodecChoice): Promise<Codec | null> {
  if (choice.forced !== null) {
    const codec = await namedCodec(choice.forced);
    return wide.has(codec.name) || isReversible(codec, bytes) ? codec : null;
  }
  const names = choice.last === null || isUtf(choice.last) ? [] : [choice.last];
  for (const name of [...names, ...(await guesses(bytes))]) {
    if (name === "latin1") return null;
    const codec = codecOf(await load(), name);
    if (codec && isAsciiSafe(codec) && isReversible(codec, bytes)) return codec;
  }
  return null;
}

const isUtf = (name: string): boolean => name.startsWith("utf-");

async function load(): Promise<Iconv> {
  return (await import("iconv-lite")).default;
}

const sampleSize = 65_536;

async function guesses(bytes: Uint8Array): Promise<string[]> {
  const { default: chardet } = await import("chardet");
  const found = chardet.analyse(bytes.length > sampleSize ? sample(bytes) : bytes);
  return found
    .filter(({ confidence }) => confidence >= leastConfidence)
    .map(({ name }) => name.toLowerCase())
    .filter((name) => usable.test(name))
    .flatMap((name) => narrower[name] ?? [name]);
}

/** The part that tells something: a long head of ASCII says nothing about the encoding. */
function sample(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte > 127);
  const start = Math.max(0, bytes.lastIndexOf(10, first) + 1);
  return bytes.subarray(start, start + sampleSize);
}

function codecOf(iconv: Iconv, name: string): Codec | null {
  if (!iconv.encodingExists(name)) return null;
  const decode = (bytes: Uint8Array): string => iconv.decode(bytes, name, { stripBOM: false });
  return {
    name,
    decode,
    encode(text) {
      const bytes = iconv.encode(text, name, { addBOM: false });
      // A character that cannot be held is written as a question mark, which reads back as one.
      return decode(bytes) === text ? bytes : null;
    },
  };
}

const ascii = Uint8Array.from({ length: 128 }, (_, code) => code);

/** Lines are found by their bytes and read one by one: that needs every ASCII character in its place. */
function isAsciiSafe(codec: Codec): boolean {
  return codec.decode(ascii) === String.fromCharCode(...ascii);
}

function isReversible(codec: Codec, bytes: Uint8Array): boolean {
  const back = codec.encode(codec.decode(bytes));
  return back !== null && Buffer.compare(back, bytes) === 0;
}
