/** Prints the listing of a stream, chunk by chunk. */
import {
  codedFormat,
  type Format,
  headFormat,
  headLength,
  nextLineFeed,
  type ParseOptions,
  utf8,
  withoutBom,
} from "../text/index.js";
import { formatBlock, type Labels } from "./listing.js";

export interface StreamOptions extends ParseOptions {
  /** Default hex6. */
  readonly scheme?: Labels;
  /** Lines a chunk at most, by default 200. */
  readonly chunkLines?: number;
  /** Bytes of UTF-8 a chunk at most, by default 65,536; a single row is never split. */
  readonly chunkBytes?: number;
}

/** The part of a web stream that is used here. */
export interface WebReadable {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | string | undefined }>;
    cancel(): Promise<unknown>;
  };
}

type Chunk = Uint8Array | string;
export type Readable = AsyncIterable<Chunk> | Iterable<Chunk> | WebReadable | Chunk;

/**
 * The listing of a source that arrives piece by piece. Law: the chunks, joined, are `formatHashLines` of the whole
 * source, however it was cut into pieces.
 *
 * Memory is bounded by a chunk and the longest line (its hash needs all of it). The price: whether a source without
 * byte order mark is UTF-8 is known only at its end. The text counts as UTF-8 until a block of lines is not; that block
 * and all after it go through `codec` or `fallback`. The law holds unless UTF-8 beyond ASCII fills a block
 * before the first one that is not UTF-8; a caller that knows the encoding gives `codec`.
 *
 * @example
 * const bytes = new TextEncoder().encode("foo\n}\n");
 * for await (const rows of streamHashLines([bytes])) console.log(rows); // → 1#0f0dd9|foo\n2#44bb18|}
 */
export async function* streamHashLines(
  readable: Readable,
  options: StreamOptions = {},
): AsyncGenerator<string, void, undefined> {
  const printer = new Printer(options);
  const encode = chunkEncoder();
  for await (const chunk of chunksOf(readable)) {
    for (const bytes of encode(chunk)) yield* printer.push(bytes);
  }
  for (const bytes of encode(null)) yield* printer.push(bytes);
  yield* printer.finish();
}

const pieceSize = 65536;

function chunksOf(readable: Readable): AsyncIterable<Chunk> | Iterable<Chunk> {
  if (typeof readable === "string" || readable instanceof Uint8Array) return [readable];
  return "getReader" in readable && !(Symbol.asyncIterator in readable)
    ? readAll(readable)
    : (readable as Iterable<Chunk>);
}

async function* readAll(readable: WebReadable): AsyncGenerator<Chunk> {
  const reader = readable.getReader();
  let done = false;
  try {
    while (true) {
      const result = await reader.read();
      done = result.done;
      if (done) return;
      if (result.value !== undefined) yield result.value;
    }
  } finally {
    if (!done) await reader.cancel();
  }
}

/** Text chunks to UTF-8; a surrogate pair may be cut in two between them. `null` gives what was held back. */
function chunkEncoder(): (chunk: Chunk | null) => Uint8Array[] {
  let held = "";
  return (chunk) => {
    if (typeof chunk === "string") {
      const text = held + chunk;
      held = (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800 ? text.slice(-1) : "";
      return [utf8(text.slice(0, text.length - held.length))];
    }
    const before = utf8(held);
    held = "";
    return chunk === null ? [before] : [before, chunk];
  };
}

/** Gathers whole lines into blocks and prints them. */
class Printer {
  private readonly labels: Labels;
  private readonly chunkLines: number;
  private readonly chunkBytes: number;
  private buffer = new Uint8Array(pieceSize * 2);
  private length = 0;
  private scanned = 0;
  private lines = 0;
  private printed = 0;
  private format: Format | null = null;

  constructor(private readonly options: StreamOptions) {
    this.labels = options.scheme ?? "hex6";
    this.chunkLines = options.chunkLines ?? 200;
    this.chunkBytes = options.chunkBytes ?? 65536;
  }

  *push(bytes: Uint8Array): Generator<string> {
    // A huge chunk is taken in by pieces, so that it is not held twice.
    for (let at = 0; at < bytes.length; at += pieceSize) {
      this.append(bytes.subarray(at, at + pieceSize));
      if (this.format !== null || this.length >= headLength) yield* this.blocks();
    }
  }

  *finish(): Generator<string> {
    yield* this.blocks();
    const rest = this.buffer.subarray(0, this.length);
    if (rest.length > 0) yield* this.print(rest);
    if (this.printed === 0) yield "[empty file]";
  }

  private append(bytes: Uint8Array): void {
    const needed = this.length + bytes.length;
    if (needed > this.buffer.length) {
      // Doubled, so that a line that arrives in many pieces is not copied for each of them.
      const larger = new Uint8Array(Math.max(needed, this.buffer.length * 2));
      larger.set(this.buffer.subarray(0, this.length));
      this.buffer = larger;
    }
    this.buffer.set(bytes, this.length);
    this.length = needed;
  }

  private *blocks(): Generator<string> {
    const bytes = this.buffer.subarray(0, this.length);
    this.format ??= headFormat(bytes, this.options.codec);
    const { unit } = this.format;
    let start = 0;
    while (true) {
      const feed = nextLineFeed(bytes, this.scanned, this.format);
      if (feed < 0) break;
      this.scanned = feed + unit;
      this.lines++;
      if (this.lines < this.chunkLines && this.scanned - start < this.chunkBytes) continue;
      yield* this.print(bytes.subarray(start, this.scanned));
      start = this.scanned;
    }
    // Half a unit at the end is looked at again when the other half is there.
    this.scanned = bytes.length - (bytes.length % unit) - start;
    if (start === 0) return;
    this.buffer.copyWithin(0, start, this.length);
    this.length -= start;
  }

  private *print(bytes: Uint8Array): Generator<string> {
    const format = this.format as Format;
    const block = { format, labels: this.labels, firstLine: this.printed + 1 };
    const { text, format: found } = formatBlock(bytes, block, this.options);
    this.format = found.coded ? codedFormat(found.codec) : withoutBom(found);
    this.lines = 0;
    if (text === "") return;
    const rows = text.split("\n");
    const whole = this.printed === 0 ? text : `\n${text}`;
    // No character takes more than three bytes a unit, so most blocks need not be measured.
    if (whole.length * 3 <= this.chunkBytes) {
      this.printed += rows.length;
      yield whole;
      return;
    }
    let chunk = "";
    let size = 0;
    for (const row of rows) {
      const line = this.printed++ === 0 ? row : `\n${row}`;
      const lineSize = utf8(line).length;
      if (size > 0 && size + lineSize > this.chunkBytes) {
        yield chunk;
        chunk = "";
        size = 0;
      }
      chunk += line;
      size += lineSize;
    }
    yield chunk;
  }
}
