import { describe, expect, test } from "vitest";
import { type Codec, latin1Codec, utf16beCodec, utf16leCodec } from "../../src/text/codec.js";
import { Document, isSameBytes, wholeFile } from "../../src/text/document.js";
import { utf8, xxh32 } from "../../src/text/hash.js";
import { type Hunk, type NewLine, splitText } from "../../src/text/splice.js";

const bom = "\ufeff";
const latin1 = (text: string) => latin1Codec.encode(text) as Uint8Array;
const utf16le = (text: string) => utf16leCodec.encode(text) as Uint8Array;
const utf16be = (text: string) => utf16beCodec.encode(text) as Uint8Array;

function edited(source: string | Uint8Array, ...splices: Hunk[]): Document {
  const document = typeof source === "string" ? Document.fromText(source) : Document.parse(source);
  const result = document.splice(splices);
  if ("unencodable" in result) throw new Error(`unencodable ${result.unencodable}`);
  return result;
}

function textOf(document: Document): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(document.toBytes());
}

const replace = (start: number, end: number, ...lines: NewLine[]): Hunk => ({ start, end, lines });
const insert = (at: number, anchor: number, ...lines: NewLine[]): Hunk => ({
  start: at,
  end: at,
  lines,
  anchor,
});

describe("lines", () => {
  test.each([
    ["", []],
    ["a", [["a", ""]]],
    ["a\n", [["a", "\n"]]],
    ["\n", [["", "\n"]]],
    ["\r\n", [["", "\r\n"]]],
    [
      "a\nb\r\nc",
      [
        ["a", "\n"],
        ["b", "\r\n"],
        ["c", ""],
      ],
    ],
    ["a\rb\n", [["a\rb", "\n"]]],
    ["a\r\r\n", [["a\r", "\r\n"]]],
    ["a\r", [["a\r", ""]]],
    ["\r", [["\r", ""]]],
    [
      "a \t\n\n",
      [
        ["a \t", "\n"],
        ["", "\n"],
      ],
    ],
    [
      `${bom}a\n${bom}b`,
      [
        ["a", "\n"],
        [`${bom}b`, ""],
      ],
    ],
    [bom, []],
  ])("%j", (text, lines) => {
    const document = Document.fromText(text);
    expect(
      Array.from({ length: document.lineCount }, (_, i) => [document.text(i), document.terminator(i)]),
    ).toEqual(lines);
    expect(document.lines()).toEqual(lines.map(([line]) => line));
    expect(textOf(document)).toBe(text);
  });

  test("a part of the lines", () => {
    const document = Document.fromText("a\r\nb\nc\r\nd\r");
    expect(document.lines(1)).toEqual(["b", "c", "d\r"]);
    expect(document.lines(0, 2)).toEqual(["a", "b"]);
    expect(document.lines(2, 2)).toEqual([]);
  });

  test("a line that is not there is a mistake of the caller", () => {
    const document = Document.fromText("a\n");
    expect(() => document.text(1)).toThrow(RangeError);
    expect(() => document.lineHash(-1)).toThrow(RangeError);
    expect(() => document.lines(0, 2)).toThrow(RangeError);
  });

  test.each([
    ["no longer than nothing", () => ""],
    ["short", (at: number) => String(at)],
    ["of every length up to three blocks", (at: number) => "abcdefg".repeat(7).slice(0, at % 49)],
    ["long", (at: number) => `${"x".repeat(200)}${at}`],
  ])("thousands of lines, %s", (_, line) => {
    const lines = [...Array.from({ length: 3000 }, (_, at) => line(at)), "end"];
    const hashes = lines.map((text) => xxh32(utf8(text), 0, utf8(text).length));
    for (const text of [lines.join("\n"), `${lines.join("\n")}\n`, lines.join("\r\n")]) {
      const document = Document.parse(utf8(text));
      expect(document.lines()).toEqual(lines);
      expect(lines.map((_, at) => document.lineHash(at))).toEqual(hashes);
    }
  });

  test("a byte that is not UTF-8 is found wherever it stands", () => {
    const plain = utf8(`${`${"abcdefg".repeat(9)}\n`.repeat(2)}end`);
    expect(Document.parse(plain).encoding).toBe("utf-8");
    for (const wrong of [0x80, 0x8a, 0x8b, 0xc3, 0xff])
      for (let at = 0; at < plain.length; at++)
        expect(Document.parse(plain.with(at, wrong)).encoding).toBe("latin1");
  });

  test("hashes are over the text as UTF-8, without terminator and byte order mark", () => {
    const texts = [
      "",
      "}",
      "foo",
      "foo ",
      "é",
      "\tx",
      "// 日本語",
      "x".repeat(15),
      "x".repeat(16),
      "x".repeat(17),
    ];
    const expected = texts.map((text) => xxh32(utf8(text), 0, utf8(text).length));
    for (const terminator of ["\n", "\r\n"]) {
      for (const bytes of [
        utf8(texts.map((text) => text + terminator).join("")),
        utf8(bom + texts.map((text) => text + terminator).join("")),
        utf16le(bom + texts.map((text) => text + terminator).join("")),
        utf16be(bom + texts.map((text) => text + terminator).join("")),
      ]) {
        const document = Document.parse(bytes);
        expect(texts.map((_, index) => document.lineHash(index))).toEqual(expected);
      }
    }
  });

  test("raw bytes end before the LF and hold CR and byte order mark", () => {
    const document = Document.fromText(`${bom}a\r\nb\nc`);
    const raw = [0, 1, 2].map((index) => {
      const { bytes, start, end } = document.rawLine(index);
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(start, end));
    });
    expect(raw).toEqual([`${bom}a\r`, "b", "c"]);
    const wide = Document.parse(utf16le(`${bom}a\r\nb`));
    expect(wide.rawLine(0)).toMatchObject({ start: 0, end: 6 });
    expect(wide.rawLine(1)).toMatchObject({ start: 8, end: 10 });
  });

  test("raw lines know text, bytes and terminator", () => {
    expect(Document.fromText(`${bom}a\r\nb`).raw(0)).toEqual({
      text: "a",
      raw: utf8("a"),
      terminator: "\r\n",
    });
    expect(Document.parse(latin1("\xe9\n")).raw(0)).toEqual({
      text: "é",
      raw: latin1("\xe9"),
      terminator: "\n",
    });
  });

  test("same text, whatever the terminator and the encoding", () => {
    const one = Document.fromText("a\né\r\nb");
    const other = Document.parse(utf16le(`${bom}é\nb\n`));
    expect(one.isSameText(1, other, 0)).toBe(true);
    expect(one.isSameText(2, other, 1)).toBe(true);
    expect(one.isSameText(0, other, 1)).toBe(false);
    expect(one.isSameText(1, one, 1)).toBe(true);
    expect(Document.fromText("a\r\na\n").isSameText(0, Document.fromText("a"), 0)).toBe(true);
  });

  test("a long line is the same only in full", () => {
    const long = "x".repeat(1000);
    expect(isSameBytes(utf8(long), utf8(long))).toBe(true);
    for (const at of [0, 500, 998, 999]) {
      expect(isSameBytes(utf8(long), utf8(`${long.slice(0, at)}y${long.slice(at + 1)}`))).toBe(false);
    }
    expect(isSameBytes(utf8("a"), utf8("ab"))).toBe(false);
    expect(isSameBytes(utf8("ab"), utf8("ac"))).toBe(false);
  });
});

describe("terminators of new lines", () => {
  test("the i-th new line takes the i-th replaced line's, further ones the last one's", () => {
    expect(textOf(edited("a\nb\r\nc\nd\n", replace(0, 2, "1", "2", "3", "4")))).toBe(
      "1\n2\r\n3\r\n4\r\nc\nd\n",
    );
    expect(textOf(edited("a\nb\r\nc\nd\n", replace(0, 3, "1")))).toBe("1\nd\n");
  });
  test("inserted lines take the anchor line's", () => {
    expect(textOf(edited("a\r\nb\n", insert(1, 0, "x", "y")))).toBe("a\r\nx\r\ny\r\nb\n");
    expect(textOf(edited("a\r\nb\n", insert(1, 1, "x", "y")))).toBe("a\r\nx\ny\nb\n");
    expect(textOf(edited("a\r\nb\n", insert(0, 0, "x")))).toBe("x\r\na\r\nb\n");
    expect(textOf(edited("a\nb\r\n", insert(2, 1, "x")))).toBe("a\nb\r\nx\r\n");
  });
  test("the anchor is the line before, else the line after, unless it is named", () => {
    expect(textOf(edited("a\r\nb\n", replace(1, 1, "x")))).toBe("a\r\nx\r\nb\n");
    expect(textOf(edited("a\r\nb\n", replace(0, 0, "x")))).toBe("x\r\na\r\nb\n");
  });
  test("where that is missing, the line before's, else LF", () => {
    expect(textOf(edited("a\r\nb", replace(1, 2, "x", "y")))).toBe("a\r\nx\r\ny");
    expect(textOf(edited("a\r\nb", insert(1, 1, "x")))).toBe("a\r\nx\r\nb");
    expect(textOf(edited("b", insert(0, 0, "x")))).toBe("x\nb");
    expect(textOf(edited("b", replace(0, 1, "x", "y")))).toBe("x\ny");
  });
  test("an unterminated last line stays so, and so does what takes its place", () => {
    expect(textOf(edited("a\nb", replace(1, 2, "x")))).toBe("a\nx");
    expect(textOf(edited("a\nb", insert(2, 1, "x")))).toBe("a\nb\nx");
    expect(textOf(edited("a\r\nb", insert(2, 1, "x", "y")))).toBe("a\r\nb\r\nx\r\ny");
    expect(textOf(edited("a\nb", replace(0, 1, "x")))).toBe("x\nb");
    expect(textOf(edited("a", insert(1, 0, "x")))).toBe("a\nx");
  });
  test("an empty line always has a terminator", () => {
    expect(textOf(edited("a\nb", replace(1, 2, "")))).toBe("a\n\n");
    expect(textOf(edited("a\r\nb", replace(1, 2, "x", "")))).toBe("a\r\nx\r\n\r\n");
    expect(textOf(edited("a\r\nb", insert(2, 1, "")))).toBe("a\r\nb\r\n\r\n");
    expect(textOf(edited("a", replace(0, 1, "")))).toBe("\n");
  });
  test("deleting the last line leaves the one before as it is", () => {
    expect(textOf(edited("a\r\nb", replace(1, 2)))).toBe("a\r\n");
    expect(textOf(edited("a\nb\n", replace(1, 2)))).toBe("a\n");
    expect(textOf(edited("a\nb", replace(0, 2)))).toBe("");
  });
  test("several splices are decided against the file as it was", () => {
    expect(
      textOf(
        edited("a\nb\r\nc\nd", replace(0, 1, "A", "B"), replace(1, 2), insert(3, 2, "x"), replace(3, 4, "D")),
      ),
    ).toBe("A\nB\nc\nx\nD");
    expect(textOf(edited("a\r\nb", replace(1, 2), insert(2, 1, "x")))).toBe("a\r\nx");
    expect(textOf(edited("a\r\nb", insert(2, 1, "x"), insert(2, 1, "y")))).toBe("a\r\nb\r\nx\r\ny");
    expect(textOf(edited("a\nb", replace(0, 1, "x"), replace(1, 2)))).toBe("x");
  });
  test("lines for an empty file end with LF", () => {
    expect(textOf(edited("", replace(0, 0, "a", "b")))).toBe("a\nb\n");
    expect(textOf(edited(bom, replace(0, 0, "a", "")))).toBe(`${bom}a\n\n`);
  });
  test("a text that ends with a lone CR is closed by CRLF and so stays what it is", () => {
    const document = edited("a\nb\n", replace(0, 1, "x\r"));
    expect(textOf(document)).toBe("x\r\r\nb\n");
    expect(document.lines()).toEqual(["x\r", "b"]);
    expect(textOf(edited("a\r", insert(1, 0, "x")))).toBe("a\r\r\nx");
    expect(textOf(edited("a\nb", replace(1, 2, "x\r")))).toBe("a\nx\r");
  });
});

describe("splices", () => {
  test("untouched bytes stay: marks, blanks, mixed terminators, a missing final newline", () => {
    const source = `${bom}a  \r\n\tb\n\n\r\nlast \r`;
    expect(textOf(edited(source, replace(1, 2, "B")))).toBe(`${bom}a  \r\nB\n\n\r\nlast \r`);
    expect(textOf(edited(source, replace(0, 1)))).toBe(`${bom}\tb\n\n\r\nlast \r`);
    expect(textOf(edited(source))).toBe(source);
  });
  test("nothing is read again: hashes of untouched lines are carried over", () => {
    const document = edited("a\nb\nc\n", replace(1, 2, "x", "y"));
    const fresh = Document.parse(document.toBytes());
    expect(document.table).toEqual(fresh.table);
    expect(document.version).toBe(fresh.version);
  });
  test("raw lines keep bytes and terminator", () => {
    const raw = (text: string, terminator: "" | "\n" | "\r\n") => ({ text, raw: utf8(text), terminator });
    expect(textOf(edited("a\nb\n", replace(0, 1, raw("x", "\r\n"))))).toBe("x\r\nb\n");
    expect(textOf(edited("a\nb\n", replace(1, 2, raw("x", ""))))).toBe("a\nx");
    expect(textOf(edited("a\nb", replace(1, 2, raw("x", "\n"))))).toBe("a\nx\n");
    expect(textOf(edited("a\r\nb\n", replace(0, 1, raw("x", ""))))).toBe("x\r\nb\n");
    expect(textOf(edited("a\nb\n", replace(1, 2, raw("", ""))))).toBe("a\n\n");
  });
  test("raw lines can bring another encoding back", () => {
    const before = Document.parse(latin1("a\n\xe9\nb\n"));
    const after = before.splice([replace(1, 2, "e")]) as Document;
    expect(after.encoding).toBe("latin1");
    expect(after.version).toBe(Document.fromText("a\ne\nb\n").version);
    const back = after.splice([replace(1, 2, before.raw(1))]) as Document;
    expect(back.encoding).toBe("latin1");
    expect(back.toBytes()).toEqual(before.toBytes());
  });
  test("unsorted, overlapping or outside splices, and lines that are two, are mistakes of the caller", () => {
    const document = Document.fromText("a\nb\nc\n");
    expect(() => document.splice([replace(1, 2), replace(0, 1)])).toThrow(RangeError);
    expect(() => document.splice([replace(0, 2), replace(1, 3)])).toThrow(RangeError);
    expect(() => document.splice([replace(2, 1)])).toThrow(RangeError);
    expect(() => document.splice([replace(3, 4)])).toThrow(RangeError);
    expect(() => document.splice([insert(1, 3, "x")])).toThrow(RangeError);
    expect(() => document.splice([replace(0, 1, "x\ny")])).toThrow(RangeError);
    expect(() => document.splice([replace(0, 1, { text: "x", raw: utf8("x\n"), terminator: "\n" })])).toThrow(
      RangeError,
    );
  });
  test("a byte order mark written at the head of the file is one", () => {
    const document = edited("a\n", replace(0, 1, `${bom}x`));
    expect([document.hasBom, document.text(0)]).toEqual([true, "x"]);
  });
});

describe("encodings", () => {
  test.each([
    ["utf-8", utf8("é\n"), "utf-8", false],
    ["utf-8 with mark", utf8(`${bom}é\n`), "utf-8", true],
    ["utf-16le", utf16le(`${bom}é\n`), "utf-16le", true],
    ["utf-16be", utf16be(`${bom}é\n`), "utf-16be", true],
    ["anything else", latin1("\xe9\n"), "latin1", false],
  ])("%s", (_, bytes, encoding, marked) => {
    const document = Document.parse(bytes);
    expect([document.encoding, document.hasBom, document.isBinary]).toEqual([encoding, marked, false]);
    expect(document.lines()).toEqual(["é"]);
    const result = document.splice([insert(1, 0, "ü")]) as Document;
    expect(result.lines()).toEqual(["é", "ü"]);
    expect(result.encoding).toBe(encoding);
    expect(result.toBytes().subarray(0, bytes.length)).toEqual(bytes);
  });

  test("UTF-16 lines end with two-byte units; a byte 0A alone is content", () => {
    const document = Document.parse(utf16le(`${bom}\u0a0a\u0d0a\r\nb\u0a00\nc`));
    expect(document.lines()).toEqual(["\u0a0a\u0d0a", "b\u0a00", "c"]);
    expect([0, 1, 2].map((index) => document.terminator(index))).toEqual(["\r\n", "\n", ""]);
    expect((document.splice([replace(1, 2, "x", "y")]) as Document).toBytes()).toEqual(
      utf16le(`${bom}\u0a0a\u0d0a\r\nx\ny\nc`),
    );
  });

  test("an odd byte and lone surrogates of UTF-16 survive", () => {
    const bytes = Uint8Array.of(...utf16le(`${bom}a\n\ud800\nb`), 0x63);
    const document = Document.parse(bytes);
    expect(document.lines()).toEqual(["a", "\ud800", "b\ufffd"]);
    const result = document.splice([replace(0, 1, "x")]) as Document;
    expect(result.toBytes()).toEqual(Uint8Array.of(...utf16le(`${bom}x\n\ud800\nb`), 0x63));
    expect((document.splice([replace(2, 3, "x")]) as Document).toBytes()).toEqual(
      utf16le(`${bom}a\n\ud800\nx`),
    );
  });

  test("nothing can follow half a unit", () => {
    const document = Document.parse(Uint8Array.of(...utf16be(`${bom}a\nb`), 0x63));
    expect(document.splice([insert(2, 1, "x")])).toEqual({
      unencodable: "\ufffd",
      text: "b\ufffd",
      encoding: "utf-16be",
    });
    const moved = document.splice([replace(0, 0, document.raw(1))]);
    expect(moved).toMatchObject({ unencodable: "\ufffd" });
  });

  test("a forced codec reads the whole file, but not one with a byte order mark", () => {
    const upper: Codec = {
      name: "upper",
      decode: (bytes) => latin1Codec.decode(bytes).toUpperCase(),
      encode: (text) => latin1Codec.encode(text.toLowerCase()),
    };
    const document = Document.parse(utf8("a\nb\n"), { codec: upper });
    expect([document.encoding, document.lines()]).toEqual(["upper", ["A", "B"]]);
    const result = document.splice([replace(0, 1, "X")]) as Document;
    expect([result.encoding, textOf(result)]).toEqual(["upper", "x\nb\n"]);
    expect(Document.parse(utf8(`${bom}a\n`), { codec: upper }).encoding).toBe("utf-8");
    expect(Document.parse(utf16le(`${bom}a\n`), { codec: upper }).encoding).toBe("utf-16le");
    expect(Document.parse(latin1("\xe9\n"), { fallback: upper }).text(0)).toBe("É");
    expect(Document.parse(utf8("a\n"), { fallback: upper }).encoding).toBe("utf-8");
  });

  test("UTF-16 without a mark can be forced", () => {
    const document = Document.parse(utf16le("a\r\nb"), { codec: utf16leCodec });
    expect([document.encoding, document.hasBom, document.isBinary, document.lines()]).toEqual([
      "utf-16le",
      false,
      false,
      ["a", "b"],
    ]);
    expect((document.splice([replace(0, 1, "x")]) as Document).toBytes()).toEqual(utf16le("x\r\nb"));
  });

  test("a mark of UTF-8 before bytes that are not stays the file's mark", () => {
    const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0x0a, 0xff, 0x0a);
    const document = Document.parse(bytes);
    expect([document.encoding, document.hasBom, document.lines()]).toEqual(["latin1", true, ["a", "ÿ"]]);
    expect(document.toBytes()).toEqual(bytes);
    const edited = document.splice([replace(0, 1, "b")]) as Document;
    expect(edited.toBytes()).toEqual(bytes.with(3, 0x62));
    const whole = wholeFile("c\n\xfe\n", document) as Document;
    expect(whole.toBytes()).toEqual(Uint8Array.of(0xef, 0xbb, 0xbf, 0x63, 0x0a, 0xfe, 0x0a));
    const healed = document.splice([replace(1, 2, "b")]) as Document;
    expect([healed.encoding, healed.hasBom]).toEqual(["utf-8", true]);
  });

  test("plain ASCII stays in the legacy encoding it was left in", () => {
    const before = Document.parse(latin1("a\n\xe9\n"));
    const ascii = before.splice([replace(1, 2)]) as Document;
    const after = ascii.splice([insert(1, 0, "é")]) as Document;
    expect(after.toBytes()).toEqual(latin1("a\n\xe9\n"));
    expect(Document.parse(utf8("a\n"), { last: latin1Codec }).encoding).toBe("latin1");
    expect(Document.parse(utf8("é\n"), { last: latin1Codec }).encoding).toBe("utf-8");
    const marked = Document.parse(utf8(`${bom}a\n`), { last: latin1Codec });
    expect([marked.encoding, marked.hasBom]).toEqual(["utf-8", true]);
    expect(Document.fromText("é\n").splice([replace(0, 1, "a")])).toMatchObject({ encoding: "utf-8" });
  });

  test("what the encoding cannot hold is refused, naming the character", () => {
    expect(Document.parse(latin1("\xe9\n")).splice([replace(0, 1, "5 €")])).toEqual({
      unencodable: "€",
      text: "5 €",
      encoding: "latin1",
    });
    expect(Document.fromText("a\n").splice([replace(0, 1, "a\ud83d")])).toEqual({
      unencodable: "\ud83d",
      text: "a\ud83d",
      encoding: "utf-8",
    });
    expect(Document.parse(utf16le(`${bom}a\n`)).splice([replace(0, 1, "a\ud83d")])).toBeInstanceOf(Document);
  });

  test("text that would be read back as something else is refused", () => {
    const document = Document.parse(latin1("\xe9\nb\n"));
    expect(document.splice([replace(0, 1, "Ã©")])).toMatchObject({ unencodable: "Ã", encoding: "latin1" });
    expect(document.splice([replace(0, 1, "ÿþa")])).toMatchObject({ unencodable: "ÿ" });
    expect(document.splice([replace(0, 1, "e")])).toMatchObject({ encoding: "latin1" });
  });

  test("a file does not become one of UTF-16, or cease to be, by what is taken from its head", () => {
    const document = Document.parse(latin1("a\n\xff\xfeb\nc\n"));
    expect(document.splice([replace(0, 1)])).toEqual({
      ...{ unencodable: "ÿ", text: "ÿþb", encoding: "latin1" },
    });
    expect(document.splice([replace(0, 2)])).toMatchObject({ encoding: "latin1", lineCount: 1 });
    const wide = Document.parse(utf16le(`${bom}a\n\0b\nc\n`));
    expect(wide.splice([replace(0, 1)])).toEqual({ unencodable: "\0", text: "\0b", encoding: "utf-16le" });
  });

  test("NUL makes a file binary, except in UTF-16", () => {
    expect(Document.parse(Uint8Array.of(0x61, 0, 0x0a)).isBinary).toBe(true);
    expect(Document.parse(utf16le(`${bom}a\0`)).isBinary).toBe(false);
    expect(Document.parse(Uint8Array.of(0xff, 0xfe, 0, 0, 0x61, 0, 0, 0)).isBinary).toBe(true);
    expect(edited("a\nb\n", replace(0, 1, "\0")).isBinary).toBe(true);
    expect(edited("a\0\nb\n", replace(0, 1, "a")).isBinary).toBe(false);
  });
});

describe("version", () => {
  const version = (text: string) => Document.fromText(text).version;
  test("is 16 hex digits that depend on the content only", () => {
    expect(version("a\nb\n")).toMatch(/^[0-9a-f]{16}$/);
    expect(version("a\nb\n")).toBe(version("a\nb\n"));
    expect(edited("a\nx\n", replace(1, 2, "b")).version).toBe(version("a\nb\n"));
  });
  test("tells text, order, terminators, final newline, mark and encoding apart", () => {
    const documents = [
      "",
      bom,
      "\n",
      "a",
      "a\n",
      "a\r\n",
      "a\r",
      "a\nb\n",
      "b\na\n",
      "a\r\nb\n",
      "a\nb\r\n",
      "a\nb",
      `${bom}a\n`,
    ];
    const versions = documents.map(version);
    versions.push(Document.parse(utf16le(`${bom}a\n`)).version, Document.parse(utf16be(`${bom}a\n`)).version);
    versions.push(Document.parse(utf8("a\n"), { codec: latin1Codec }).version);
    expect(new Set(versions).size).toBe(versions.length);
  });
});

describe("caller's text", () => {
  test.each([
    [null, []],
    [[], []],
    ["", [""]],
    ["a", ["a"]],
    ["a\n", ["a"]],
    ["a\n\n", ["a", ""]],
    ["\n", [""]],
    ["a\r\nb\n", ["a", "b"]],
    ["a\rb", ["a\rb"]],
    ["a\r\r\nb", ["a\r", "b"]],
    [
      ["a", ""],
      ["a", ""],
    ],
    [
      ["a\r", "b"],
      ["a", "b"],
    ],
    [
      ["a\n", "b\nc"],
      ["a", "b", "c"],
    ],
    [["a\r\n"], ["a"]],
  ])("%j", (text, lines) => {
    expect(splitText(text)).toEqual(lines);
  });
});

describe("whole files", () => {
  const written = (content: string | readonly string[], over: Document | null) => {
    const result = wholeFile(content, over);
    if ("unencodable" in result) throw new Error(`unencodable ${result.unencodable}`);
    return result;
  };
  test("content is exact", () => {
    for (const text of ["", "a", "a\n", "a\r\nb\n", `${bom}a`])
      expect(textOf(written(text, null))).toBe(text);
  });
  test("an array is lines, each terminated", () => {
    expect(textOf(written(["a", "", "b"], null))).toBe("a\n\nb\n");
    expect(textOf(written([], null))).toBe("");
    expect(textOf(written(["a\n", "b"], null))).toBe("a\nb\n");
    expect(textOf(written(["a\r", "b"], Document.fromText("x\n")))).toBe("a\r\nb\n");
  });
  test("over a file, content without any CR takes its prevailing terminator", () => {
    const over = Document.fromText("a\r\nb\r\nc\n");
    expect(textOf(written("x\ny", over))).toBe("x\r\ny");
    expect(textOf(written(["x", "y"], over))).toBe("x\r\ny\r\n");
    expect(textOf(written("x\ny\r\n", over))).toBe("x\ny\r\n");
    expect(textOf(written("x\n", Document.fromText("a\r\nb\n")))).toBe("x\n");
    expect(textOf(written("x\n", Document.fromText("a")))).toBe("x\n");
  });
  test("its byte order mark, once, and its encoding", () => {
    expect(textOf(written("x\n", Document.fromText(`${bom}a\n`)))).toBe(`${bom}x\n`);
    expect(textOf(written(`${bom}x\n`, Document.fromText(`${bom}a\n`)))).toBe(`${bom}x\n`);
    expect(written("é\n", Document.parse(utf16be(`${bom}a\r\n`))).toBytes()).toEqual(utf16be(`${bom}é\r\n`));
    expect(written(`${bom}é`, Document.parse(utf16le(`${bom}a\n`))).toBytes()).toEqual(utf16le(`${bom}é`));
    expect(written("ü\n", Document.parse(latin1("\xe9\n"))).toBytes()).toEqual(latin1("ü\n"));
  });
  test("an empty text is an empty file", () => {
    expect(written("", Document.fromText(`${bom}a\r\n`)).toBytes()).toEqual(new Uint8Array(0));
  });
  test("what the encoding cannot hold is refused, with its line", () => {
    const legacy = Document.parse(latin1("\xe9\n"));
    expect(wholeFile("a\n5 €\n", legacy)).toEqual({ unencodable: "€", text: "5 €", encoding: "latin1" });
    expect(wholeFile("a\n\ud800", null)).toEqual({
      unencodable: "\ud800",
      text: "\ud800",
      encoding: "utf-8",
    });
    expect(wholeFile("a\nÃ©\n", legacy)).toEqual({ unencodable: "Ã", text: "Ã©", encoding: "latin1" });
  });
  test("a binary file has no encoding to keep", () => {
    expect(written("é", Document.parse(latin1("\xe9\0"))).encoding).toBe("utf-8");
  });
});
