import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { latin1Codec, utf8Codec, utf16beCodec, utf16leCodec } from "../../src/text/codec.js";
import { Document, type ParseOptions, wholeFile } from "../../src/text/document.js";
import { utf8, xxh32 } from "../../src/text/hash.js";
import { type Hunk, splitText } from "../../src/text/splice.js";

/** Content that matters: breaks, marks, NUL, characters of every length, halves of characters, block borders. */
const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("\n", "\r\n", "\r", "\n", "\r\n") },
  {
    weight: 4,
    arbitrary: fc.constantFrom("a", "}", "  ", "\t", "x".repeat(15), "x".repeat(16), "y".repeat(31)),
  },
  { weight: 1, arbitrary: fc.constantFrom("é", "日", "😀", "\ufeff", "\0", "\u0a0a", "\u0d0a", "\u0a00") },
);
const text = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(""));
const strange = fc.constantFrom(
  "\xff",
  "\xc3",
  "\xed\xa0\x80",
  "\xff\xfe",
  "\xfe\xff",
  "\xef\xbb\xbf",
  "\xe9",
);
const legacy = fc
  .array(fc.oneof({ weight: 5, arbitrary: fc.constantFrom("\n", "\r\n", "\r", "a", "\xc3\xa9") }, strange), {
    maxLength: 24,
  })
  .map((pieces) => latin1Codec.encode(pieces.join("")) as Uint8Array);
const wide = fc.tuple(text, fc.boolean(), fc.boolean()).map(([content, big, odd]) => {
  const bytes = (big ? utf16beCodec : utf16leCodec).encode(`\ufeff${content}`) as Uint8Array;
  return odd ? Uint8Array.of(...bytes, 0x41) : bytes;
});
const bytes = fc.oneof(text.map(utf8), legacy, wide, fc.uint8Array({ maxLength: 64 }));
const options: fc.Arbitrary<ParseOptions> = fc.constantFrom<ParseOptions[]>(
  {},
  {},
  { codec: latin1Codec },
  { codec: utf16leCodec },
  { codec: utf8Codec },
  { fallback: { ...latin1Codec, name: "other" } },
  { last: { ...latin1Codec, name: "other" } },
);

/** What the bytes after an edit are parsed with: the encoding of the document before is on record. */
function recorded(before: Document, given: ParseOptions = {}): ParseOptions {
  const { last: _, ...rest } = given;
  return before.format.coded && !given.codec ? { ...rest, last: before.format.codec } : rest;
}

const line = fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join("").replaceAll("\n", ""));
const steps = fc.array(
  fc.record({
    skip: fc.nat(3),
    remove: fc.nat(3),
    lines: fc.array(line, { maxLength: 4 }),
    after: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);
type Steps = typeof steps extends fc.Arbitrary<infer T> ? T : never;

function splicesFor(lineCount: number, wanted: Steps): Hunk[] {
  let position = 0;
  return wanted.map(({ skip, remove, lines, after }) => {
    const start = Math.min(position + skip, lineCount);
    const end = Math.min(start + remove, lineCount);
    position = end;
    const anchor = after ? start : start - 1;
    const named = start === end && anchor >= 0 && anchor < lineCount;
    return named ? { start, end, lines, anchor } : { start, end, lines };
  });
}

interface ModelLine {
  readonly content: string;
  terminator: string;
}

/** One character for each byte or UTF-16 unit, so that the rules can be written with strings and regular expressions. */
function modelLines(content: string): ModelLine[] {
  return (content.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((whole) => {
    const terminator = /\r?\n$/.exec(whole)?.[0] ?? "";
    return { content: whole.slice(0, whole.length - terminator.length), terminator };
  });
}

/** The rules for terminators, sentence by sentence. */
function modelSplice(content: string, splices: readonly Hunk[], encode: (line: string) => string): string {
  const lines = modelLines(content);
  const wasOpen = lines.at(-1)?.terminator === "";
  const orElse = (index: number) => lines[index]?.terminator || lines[index - 1]?.terminator || "\n";
  const result: (ModelLine & { isNew: boolean })[] = [];
  let next = 0;
  for (const { start, end, lines: added, anchor } of splices) {
    for (; next < start; next++) result.push({ ...(lines[next] as ModelLine), isNew: false });
    for (const [at, added_] of added.entries()) {
      const replaced = Math.min(start + at, end - 1);
      const inserted = anchor ?? (start > 0 ? start - 1 : 0);
      result.push({
        content: encode(added_ as string),
        terminator: orElse(start < end ? replaced : inserted),
        isNew: true,
      });
    }
    next = end;
  }
  for (; next < lines.length; next++) result.push({ ...(lines[next] as ModelLine), isNew: false });
  const last = result.at(-1);
  for (const entry of result) {
    if (entry !== last && entry.terminator === "") entry.terminator = orElse(lines.length - 1);
    if (entry === last && entry.isNew && wasOpen && entry.content !== "") entry.terminator = "";
    if (entry.terminator === "\n" && entry.content.endsWith("\r")) entry.terminator = "\r\n";
  }
  return result.map((entry) => entry.content + entry.terminator).join("");
}

function expectSame(actual: Document, expected: Document): void {
  expect(actual.bytes).toEqual(expected.bytes);
  expect([actual.encoding, actual.hasBom, actual.isBinary]).toEqual([
    expected.encoding,
    expected.hasBom,
    expected.isBinary,
  ]);
  expect(actual.table).toEqual(expected.table);
  expect(actual.version).toBe(expected.version);
}

describe("parse", () => {
  test("then toBytes is the identity", () => {
    fc.assert(
      fc.property(bytes, options, (source, given) => {
        const document = Document.parse(source.slice(), given);
        expect(document.toBytes()).toEqual(source);
        expect(document.isBinary).toBe(!document.encoding.startsWith("utf-16") && source.includes(0));
      }),
    );
  });

  test("finds lines that cover the bytes, none empty, none with a break inside", () => {
    fc.assert(
      fc.property(bytes, options, (source, given) => {
        const document = Document.parse(source, given);
        let position = document.table.starts[0] as number;
        for (let index = 0; index < document.lineCount; index++) {
          const { raw, terminator } = document.raw(index);
          expect(document.table.starts[index]).toBe(position);
          expect(raw.length + terminator.length).toBeGreaterThan(0);
          expect(document.text(index)).not.toContain("\n");
          expect(terminator !== "" || index === document.lineCount - 1).toBe(true);
          position += raw.length + terminator.length * document.format.unit;
        }
        expect(position).toBe(source.length);
        expect(document.lines()).toEqual(
          Array.from({ length: document.lineCount }, (_, index) => document.text(index)),
        );
      }),
    );
  });

  test("hashes the text of each line", () => {
    fc.assert(
      fc.property(bytes, options, (source, given) => {
        const document = Document.parse(source, given);
        for (let index = 0; index < document.lineCount; index++) {
          const encoded = utf8(document.text(index));
          expect(document.lineHash(index)).toBe(xxh32(encoded, 0, encoded.length));
        }
      }),
    );
  });

  test("reads a text exactly where it is that line's", () => {
    fc.assert(
      fc.property(bytes, options, line, (source, given, other) => {
        const document = Document.parse(source, given);
        for (let index = 0; index < document.lineCount; index++) {
          const own = document.text(index);
          expect(document.hasText(index, own)).toBe(true);
          for (const text of [other, `${own}x`, own.slice(0, -1), own.slice(1), `${own.slice(0, -1)}é`])
            expect(document.hasText(index, text)).toBe(own === text);
        }
      }),
    );
  });

  test("does not depend on where the bytes lie in memory", () => {
    fc.assert(
      fc.property(bytes, fc.nat(20), (source, offset) => {
        const larger = new Uint8Array(source.length + offset + 5).fill(10);
        larger.set(source, offset);
        expectSame(Document.parse(larger.subarray(offset, offset + source.length)), Document.parse(source));
      }),
    );
  });
});

describe("splice", () => {
  test("follows the rules and leaves every other byte alone (UTF-8)", () => {
    const asLatin1 = (encoded: Uint8Array) => latin1Codec.decode(encoded);
    fc.assert(
      fc.property(text, steps, (content, wanted) => {
        const document = Document.fromText(content);
        const splices = splicesFor(document.lineCount, wanted);
        const head = document.hasBom ? "\xef\xbb\xbf" : "";
        const body = asLatin1(document.bytes).slice(head.length);
        const result = document.splice(splices) as Document;
        expect(asLatin1(result.bytes)).toBe(
          head + modelSplice(body, splices, (added) => asLatin1(utf8(added))),
        );
      }),
    );
  });

  test("follows the rules and leaves every other byte alone (UTF-16)", () => {
    fc.assert(
      fc.property(text, fc.boolean(), steps, (content, big, wanted) => {
        const codec = big ? utf16beCodec : utf16leCodec;
        const document = Document.parse(codec.encode(`\ufeff${content}`) as Uint8Array);
        fc.pre(document.encoding === codec.name);
        const splices = splicesFor(document.lineCount, wanted);
        const result = document.splice(splices);
        // A NUL at the head makes the mark that of UTF-32.
        if (!(result instanceof Document)) {
          expect(content + splices.flatMap(({ lines }) => lines).join("")).toContain("\0");
          return;
        }
        expect(codec.decode(result.bytes)).toBe(`\ufeff${modelSplice(content, splices, (added) => added)}`);
      }),
    );
  });

  test("gives what parsing the new bytes gives", () => {
    fc.assert(
      fc.property(bytes, options, steps, (source, given, wanted) => {
        const document = Document.parse(source, given);
        const result = document.splice(splicesFor(document.lineCount, wanted));
        if (result instanceof Document)
          expectSame(result, Document.parse(result.bytes, recorded(document, given)));
        else expect(result.encoding).toBe(document.encoding);
      }),
    );
  });

  test("keeps a legacy encoding for new text as long as nothing in the file says otherwise", () => {
    fc.assert(
      fc.property(legacy, steps, steps, (source, first, second) => {
        const document = Document.parse(source);
        fc.pre(document.encoding === "latin1");
        const emptied = document.splice(splicesFor(document.lineCount, first));
        fc.pre(emptied instanceof Document);
        const between = emptied as Document;
        if (between.isAscii) {
          expect(between.encoding).toBe("latin1");
          expect(between.version).toBe(Document.parse(between.bytes).version);
        }
        const result = between.splice(splicesFor(between.lineCount, second));
        if (!(result instanceof Document)) return;
        const again = Document.parse(between.bytes, recorded(document)).splice(
          splicesFor(between.lineCount, second),
        );
        expectSame(again as Document, result);
      }),
    );
  });

  test("never takes a byte order mark away", () => {
    fc.assert(
      fc.property(legacy, steps, (source, wanted) => {
        const marked = Uint8Array.of(0xef, 0xbb, 0xbf, ...source);
        const document = Document.parse(marked);
        expect(document.hasBom).toBe(true);
        const result = document.splice(splicesFor(document.lineCount, wanted));
        if (!(result instanceof Document)) return;
        expect([...result.bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
        expect(result.hasBom).toBe(true);
      }),
    );
  });

  test("with raw lines gives what parsing the new bytes gives", () => {
    fc.assert(
      fc.property(bytes, bytes, steps, (source, other, wanted) => {
        const document = Document.parse(source);
        const donor = Document.parse(other);
        fc.pre(document.format.unit === donor.format.unit && document.format.low === donor.format.low);
        const raws = Array.from({ length: donor.lineCount }, (_, index) => donor.raw(index));
        const splices = splicesFor(document.lineCount, wanted).map((splice) => ({ ...splice, lines: raws }));
        const result = document.splice(splices);
        if (result instanceof Document) expectSame(result, Document.parse(result.bytes, recorded(document)));
      }),
    );
  });

  test("of raw lines undoes a splice", () => {
    fc.assert(
      fc.property(bytes, steps, (source, wanted) => {
        const document = Document.parse(source);
        const result = document.splice(splicesFor(document.lineCount, wanted));
        fc.pre(
          result instanceof Document &&
            result.format.unit === document.format.unit &&
            result.hasBom === document.hasBom,
        );
        const lines = Array.from({ length: document.lineCount }, (_, index) => document.raw(index));
        expectSame(
          (result as Document).splice([{ start: 0, end: (result as Document).lineCount, lines }]) as Document,
          document,
        );
      }),
    );
  });

  test("puts in the lines that were asked for", () => {
    fc.assert(
      fc.property(text, fc.array(line, { minLength: 1, maxLength: 5 }), fc.nat(), (content, lines, at) => {
        const document = Document.fromText(content);
        const start = at % (document.lineCount + 1);
        const result = document.splice([{ start, end: start, lines }]) as Document;
        fc.pre(result.hasBom === document.hasBom);
        expect(result.lines(start, start + lines.length)).toEqual(lines);
        expect(result.lineCount).toBe(document.lineCount + lines.length);
      }),
    );
  });
});

describe("splitText", () => {
  test("undoes joining by either line break", () => {
    const plain = fc.array(
      line.map((content) => content.replace(/\r+$/, "")),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(plain, fc.constantFrom("\n", "\r\n"), (lines, lineBreak) => {
        expect(splitText(lines.join(lineBreak) + lineBreak)).toEqual(lines);
        if (lines.at(-1) !== "") expect(splitText(lines.join(lineBreak))).toEqual(lines);
        expect(splitText(lines)).toEqual(lines);
      }),
    );
  });

  test("agrees with the lines of a file of that text", () => {
    fc.assert(
      fc.property(text, (content) => {
        fc.pre(content !== "" && !content.startsWith("\ufeff"));
        expect(splitText(content)).toEqual(Document.fromText(content).lines());
      }),
    );
  });
});

test("whole-file content over nothing is exact", () => {
  fc.assert(
    fc.property(text, (content) => {
      expect((wholeFile(content, null) as Document).bytes).toEqual(utf8(content));
    }),
  );
});

test("whole-file content over a file is read back as it was given, or refused", () => {
  fc.assert(
    fc.property(text, bytes, (content, source) => {
      const over = Document.parse(source);
      const result = wholeFile(content, over);
      if (!(result instanceof Document)) {
        expect(over.encoding === "latin1" || content.includes("\0")).toBe(true);
        return;
      }
      const expected = Document.fromText(content);
      expect(result.lines()).toEqual(expected.lines());
      if (content !== "" && !over.isBinary) expect(result.hasBom).toBe(over.hasBom || expected.hasBom);
    }),
  );
});
