import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatHashLines, type Labels } from "../../src/anchors/listing.js";
import {
  type Readable,
  type StreamOptions,
  streamHashLines,
  type WebReadable,
} from "../../src/anchors/listing-stream.js";
import { latin1Codec, utf16beCodec, utf16leCodec } from "../../src/text/codec.js";
import { utf8 } from "../../src/text/hash.js";
import { effortOf } from "../support/effort.js";

async function collect(readable: Readable, options?: StreamOptions): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of streamHashLines(readable, options)) chunks.push(chunk);
  return chunks;
}

const joined = async (readable: Readable, options?: StreamOptions) =>
  (await collect(readable, options)).join("");

function pieces<T extends Uint8Array | string>(source: T, sizes: readonly number[]): T[] {
  const result: T[] = [];
  let start = 0;
  for (let at = 0; start < source.length; at++) {
    const end = start + (sizes[at % sizes.length] ?? 1);
    result.push((typeof source === "string" ? source.slice(start, end) : source.slice(start, end)) as T);
    start = end;
  }
  return result;
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 });
const scheme = fc.constantFrom<Labels[]>("hex6", "hex4", "lean", "none");
const bounds = fc.constantFrom<StreamOptions[]>({}, { chunkLines: 1 }, { chunkLines: 3 }, { chunkBytes: 40 });
const part = fc.constantFrom(
  "\n",
  "\r\n",
  "\r",
  "\n",
  "a",
  "é",
  "日",
  "😀",
  "\ufeff",
  "\u0a0a",
  "\0",
  "x".repeat(17),
);
const text = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(""));

describe("law: the chunks, joined, are the whole listing", () => {
  test("of UTF-8 bytes and of text", async () => {
    await fc.assert(
      fc.asyncProperty(text, sizes, scheme, bounds, async (content, cuts, labels, given) => {
        const options = { scheme: labels, ...given };
        const expected = formatHashLines(content, { scheme: labels });
        expect(await joined(pieces(utf8(content), cuts), options)).toBe(expected);
        expect(await joined(pieces(content, cuts), options)).toBe(expected);
      }),
    );
  });

  test("of UTF-16, odd bytes and lone surrogates included", async () => {
    const units = fc.array(fc.oneof(part, fc.constantFrom("\ud800", "\udc00")), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(units, sizes, scheme, fc.boolean(), async (content, cuts, labels, odd) => {
        for (const codec of [utf16leCodec, utf16beCodec]) {
          const encoded = codec.encode(`\ufeff${content.join("")}`) as Uint8Array;
          const source = odd ? Uint8Array.of(...encoded, 0x61) : encoded;
          const expected = formatHashLines(source, { scheme: labels });
          expect(await joined(pieces(source, cuts), { scheme: labels, chunkLines: 2 })).toBe(expected);
        }
      }),
    );
  });

  test("of any bytes that fit into one block, or whose codec is given", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), sizes, async (source, cuts) => {
        expect(await joined(pieces(source, cuts))).toBe(formatHashLines(source));
        const forced = { codec: latin1Codec };
        expect(await joined(pieces(source, cuts), { ...forced, chunkLines: 1 })).toBe(
          formatHashLines(source, forced),
        );
      }),
    );
  });
});

describe("chunks", () => {
  const lines = (count: number, line = "x") => `${line}\n`.repeat(count);
  test("hold 200 lines", async () => {
    const chunks = await collect(lines(450));
    expect(chunks.map((chunk) => chunk.split("\n").filter((row) => row !== "").length)).toEqual([
      200, 200, 50,
    ]);
    expect(chunks.join("")).toBe(formatHashLines(lines(450)));
  });
  test("hold at most 64 KiB", async () => {
    for (const line of ["x".repeat(1900), "é".repeat(1900), "y".repeat(60_000)]) {
      const source = lines(300, line);
      const chunks = await collect(pieces(utf8(source), [1000, 70_000]));
      expect(Math.max(...chunks.map((chunk) => utf8(chunk).length))).toBeLessThanOrEqual(65536);
      expect(chunks.join("")).toBe(formatHashLines(source));
    }
  });
  test("do not depend on how the source was cut", async () => {
    const source = utf8(lines(500, "line é"));
    expect(await collect(pieces(source, [1]))).toEqual(await collect([source]));
  });
  test("come as soon as they are full", async () => {
    let read = 0;
    function* source() {
      for (; read < 1000; read++) yield utf8(lines(10));
    }
    const stream = streamHashLines(source());
    await stream.next();
    expect(read).toBeLessThan(25);
    await stream.return();
    expect(read).toBeLessThan(25);
  });
  test("of nothing say so", async () => {
    expect(await collect([])).toEqual(["[empty file]"]);
    expect(await collect([utf8("\ufeff")])).toEqual(["[empty file]"]);
    expect(await collect(["", ""])).toEqual(["[empty file]"]);
  });
});

describe("sources", () => {
  const source = "a\r\né\n😀";
  const expected = formatHashLines(source);
  test("text, bytes, iterables, async iterables, web streams with and without iteration", async () => {
    async function* later() {
      yield* pieces(utf8(source), [2]);
    }
    const web = () => new Blob([source]).stream() as unknown as WebReadable;
    const bare = (): WebReadable => ({ getReader: () => web().getReader() });
    for (const readable of [source, utf8(source), [source], later(), web(), bare()]) {
      expect(await joined(readable)).toBe(expected);
    }
  });
  test("text and bytes mixed, a pair of surrogates cut between them", async () => {
    expect(await joined(["a\r\n", utf8("é\n"), "\ud83d", "\ude00"])).toBe(expected);
    expect(await joined(["\ud83d", utf8("a")])).toBe(formatHashLines("\ufffda"));
    expect(await joined(["\ud83d"])).toBe(formatHashLines("\ufffd"));
  });
  test("a web stream that is left early is cancelled", async () => {
    let cancelled = false;
    const endless: WebReadable = {
      getReader: () => ({
        read: async () => ({ done: false, value: "x\n".repeat(100) }),
        cancel: async () => {
          cancelled = true;
        },
      }),
    };
    for await (const _ of streamHashLines(endless)) break;
    expect(cancelled).toBe(true);
  });
  test("once a block is not UTF-8 the rest goes through the fallback", async () => {
    const legacy = Uint8Array.of(0x61, 0x0a, 0xe9, 0x0a, 0xc3, 0xa9, 0x0a);
    expect(await joined([legacy], { chunkLines: 1, scheme: "none" })).toBe("1\ta\n2\té\n3\tÃ©");
    expect(await joined([legacy], { chunkLines: 1, scheme: "none" })).toBe(
      formatHashLines(legacy, { scheme: "none" }),
    );
  });
});

test("a line of 10 MB in small pieces takes no time to speak of", async () => {
  const piece = new Uint8Array(1000).fill(0x78);
  function* source() {
    for (let count = 0; count < 10_000; count++) yield piece;
  }
  let row = "";
  const effort = await effortOf(async () => {
    row = await joined(source());
  });
  expect(row.endsWith(`${"x".repeat(2000)} [cut: 2000 of 10000000 characters]`)).toBe(true);
  // Copying the line for each piece would move 50 GB.
  expect(effort).toBeLessThan(5000);
});
