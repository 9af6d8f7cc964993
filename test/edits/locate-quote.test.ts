import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Refused, run } from "../../src/merge/run-edits.js";
import { anchored, type Told, textAfter, told, wordsAfter } from "../support/view.js";

type States = readonly (string | Told)[];

function play(states: States, ...edits: readonly object[]) {
  const view = told(...states);
  return run(anchored(edits, view.documents), view);
}

function refusal(states: States, ...edits: readonly object[]): Refused {
  const result = play(states, ...edits);
  if (result.status !== "refused") throw new Error(`${result.status}: ${wordsAfter(result)}`);
  return result;
}

const quote = (old: string, text: string, more: object = {}) => ({
  op: "replace_text",
  old,
  new: text,
  ...more,
});
const all = { all: true };
const set = (anchor: string, text: unknown) => ({ op: "set_line", anchor, text });

describe("literal text", () => {
  it.each<[string, string, object, string]>([
    ["inside a line", "let foo = 1;\nbar\n", quote("foo", "baz"), "let baz = 1;\nbar\n"],
    ["a whole line", "a\nb\nc\n", quote("b", "X"), "a\nX\nc\n"],
    ["several lines", "a\nb\nc\nd\n", quote("b\nc", "X"), "a\nX\nd\n"],
    ["from the middle of one to the middle of another", "ab\ncd\nef\n", quote("b\ncd\ne", "-"), "a-f\n"],
    ["one line becomes several", "a\nb\n", quote("a", "x\ny\nz"), "x\ny\nz\nb\n"],
    ["by nothing, inside a line", "a b c\n", quote(" b", ""), "a c\n"],
    ["by nothing, all of a line", "a\nb\nc\n", quote("b", ""), "a\n\nc\n"],
    ["by nothing, line and break", "a\nb\nc\n", quote("b\n", ""), "a\nc\n"],
    ["by nothing, the break between two", "a\nb\nc\n", quote("a\nb", "ab"), "ab\nc\n"],
    ["a break only", "a\nb\n", quote("\nb", "b"), "ab\n"],
    ["a line and its break by another", "a\nb\nc\n", quote("b\n", "X\n"), "a\nX\nc\n"],
    ["a line and its break by two", "a\nb\nc\n", quote("b\n", "X\nY\n"), "a\nX\nY\nc\n"],
    ["at the end, with its break", "a\nb\n", quote("b\n", "X\n"), "a\nX\n"],
    ["at the end, by nothing", "a\nb\n", quote("b\n", ""), "a\n"],
    ["at the end, with the break before", "a\nb\n", quote("\nb", ""), "a\n"],
    ["at the end, one more line", "a\nb\n", quote("b\n", "b\nX\n"), "a\nb\nX\n"],
    ["at an end without break", "a\nb", quote("b", "X"), "a\nX"],
    ["at an end without break, by one with it", "a\nb", quote("b", "X\n"), "a\nX"],
    ["at an end without break, quoted with one", "a\nb", quote("b\n", "X\n"), "!not_found"],
    ["the whole file", "a\nb\n", quote("a\nb\n", "X\n"), "X\n"],
    ["the whole file by nothing", "a\nb\n", quote("a\nb\n", ""), ""],
    ["CRLF file, LF in the quote", "a\r\nb\r\nc\r\n", quote("a\nb", "X\nY\nZ"), "X\r\nY\r\nZ\r\nc\r\n"],
    ["CRLF file, CRLF in the quote", "a\r\nb\r\nc\r\n", quote("a\r\nb\r\n", "X\r\n"), "X\r\nc\r\n"],
    ["LF file, CRLF in the quote", "a\nb\nc\n", quote("a\r\nb", "X\r\nY"), "X\nY\nc\n"],
    ["mixed ends stay", "a\r\nb c\nd\r\n", quote("c", "X"), "a\r\nb X\nd\r\n"],
    ["behind a BOM", "\ufeffa\nb\n", quote("a", "X"), "\ufeffX\nb\n"],
    ["special characters are not special", "a.*$1\nb\n", quote(".*$1", "$&\\n"), "a$&\\n\nb\n"],
    ["blanks count", "a  b\na b\n", quote("a  b", "X"), "X\na b\n"],
    ["case counts", "A\na\n", quote("a", "X"), "A\nX\n"],
    ["other alphabets", "日本語\né\n", quote("本", "X"), "日X語\né\n"],
    ["in no place", "a\nb\n", quote("c", "X"), "!not_found"],
    ["other blanks are another text", "a  b\n", quote("a b", "X"), "!not_found"],
    ["in an empty file", "", quote("a", "X"), "!not_found"],
    ["in several lines", "a\nb\na\n", quote("a", "X"), "!ambiguous"],
    ["twice in one line", "a a\n", quote("a", "X"), "!ambiguous"],
    ["overlapping itself", "aaa\n", quote("aa", "X"), "!ambiguous"],
  ])("%s", (_, text, edit, expected) =>
    expect(textAfter(play([{ raw: text, shown: true }], edit))).toBe(expected),
  );

  it.each<[string, string, object, string]>([
    ["in several lines", "a b a c a", quote("a", "X", all), "X b X c X"],
    ["twice in one line", "a.a b", quote("a", "X", all), "X.X b"],
    ["overlapping itself: from the left", "aaa b", quote("aa", "X", all), "Xa b"],
    ["in lines that follow each other", "a a a", quote("a", "X", all), "X X X"],
    ["the replacement is not searched", "a b", quote("a", "aa", all), "aa b"],
    ["over line breaks", "a\nb\na\nb\nc\n", quote("a\nb\n", "X\n", all), "X X c"],
    ["all, as a word", "a b a", quote("a", "X", { all: "true" }), "X b X"],
    ["once is fine too", "a b", quote("a", "X", all), "X b"],
    ["in no place", "a b", quote("c", "X", all), "!not_found"],
  ])("all: %s", (_, text, edit, expected) => expect(wordsAfter(play([text], edit))).toBe(expected));

  it.each<[string, object, string]>([
    ["one line", quote("a", "X", { anchor: "@3" }), "a b X c a"],
    ["a range", quote("a", "X", { anchor: "@2", end: "@4" }), "a b X c a"],
    ["a range, all", quote("a", "X", { anchor: "@1", end: "@3", ...all }), "X b X c a"],
    ["a range that holds two", quote("a", "X", { anchor: "@1", end: "@3" }), "!ambiguous"],
    ["a range that holds none", quote("a", "X", { anchor: "@4" }), "!not_found"],
    ["a quote that leaves the range", quote("b\na", "X", { anchor: "@2" }), "!not_found"],
    ["a quote as long as the range", quote("b\na", "X", { anchor: "@2", end: "@3" }), "a X c a"],
    ["with the break of its last line", quote("a\n", "", { anchor: "@3" }), "a b c a"],
    ["an anchor never shown", quote("a", "X", { anchor: "3#0f0dd9" }), "!wrong_hash"],
  ])("inside the anchored lines: %s", (_, edit, expected) =>
    expect(wordsAfter(play(["a b a c a"], edit))).toBe(expected),
  );

  it("tells where the several places are", () => {
    const { problems } = refusal(["a b a", "x a b a"], quote("a", "X"));
    expect(problems).toMatchObject([
      { code: "ambiguous", message: expect.stringMatching(/2 times \(lines 1, 3 as shown\).*all/) },
    ]);
    expect(problems[0]?.rows.ranges()).toEqual([
      { start: 2, end: 2 },
      { start: 4, end: 4 },
    ]);
  });
});

describe("against the text as one string", () => {
  const pieces = (...from: readonly string[]) =>
    fc.array(fc.constantFrom(...from), { maxLength: 14 }).map((all) => all.join(""));
  const any = fc.record({
    text: pieces("a", "b", "cd", "\n", "\n").map((text) => `${text}\n`),
    at: fc.nat(),
    length: fc.integer({ min: 1, max: 6 }),
    by: pieces("a", "x", "\n"),
  });

  it("it comes to what replacing in the string comes to; the final newline is the file's", () => {
    fc.assert(
      fc.property(any, ({ text, at, length, by }) => {
        const old = text.slice(at % text.length, (at % text.length) + length);
        const parts = text.split(old);
        const unique = text.indexOf(old) === text.lastIndexOf(old);
        const literal = parts.join(by);
        const expected = literal === "" || literal.endsWith("\n") ? literal : `${literal}\n`;
        const shown = { raw: text, shown: true } as const;
        expect(textAfter(play([shown], quote(old, by, all)))).toBe(expected);
        expect(textAfter(play([shown], quote(old, by)))).toBe(unique ? expected : "!ambiguous");
      }),
    );
  });
});

describe("several quotes in one call", () => {
  it.each<[string, string, readonly object[], string]>([
    ["in one line", "let a = b;\n", [quote("a", "x"), quote("b", "y")], "let x = y;\n"],
    ["in one line, the later first", "let a = b;\n", [quote("b", "y"), quote("a", "x")], "let x = y;\n"],
    ["touching", "ab\nc\n", [quote("a", "x"), quote("b", "y")], "xy\nc\n"],
    ["in lines side by side", "a\nb\nc\n", [quote("a", "x"), quote("b", "y")], "x\ny\nc\n"],
    ["overlapping", "abc\nd\n", [quote("ab", "x"), quote("bc", "y")], "!overlap"],
    ["the same twice", "a\nb\n", [quote("a", "x"), quote("a", "y")], "!overlap"],
    ["one in the other", "abc\nd\n", [quote("abc", "x"), quote("b", "y")], "!overlap"],
    ["each sees the text as shown", "a\nb\n", [quote("a", "b"), quote("b", "c")], "b\nc\n"],
    ["over breaks, sharing a line", "a\nb c\nd\n", [quote("a\nb", "x"), quote("c\nd", "y")], "x y\n"],
    ["all and another in one line", "a b a\na\n", [quote("a", "x", all), quote("b", "y")], "x y x\nx\n"],
  ])("%s", (_, text, edits, expected) => expect(textAfter(play([text], ...edits))).toBe(expected));

  it.each<[string, readonly object[], string]>([
    ["the same line", [quote("b", "X"), set("@2", "Y")], "!overlap"],
    ["another line", [quote("b", "X"), set("@3", "Y")], "a X Y"],
    [
      "an insert beside it",
      [{ op: "insert_after", anchor: "@2", text: "y" }, quote("b", "b\nX")],
      "a b X y c",
    ],
    [
      "an insert inside it",
      [{ op: "insert_after", anchor: "@2", text: "y" }, quote("b\nc", "X")],
      "!overlap",
    ],
  ])("beside edits by anchor: %s", (_, edits, expected) =>
    expect(wordsAfter(play(["a b c"], ...edits))).toBe(expected),
  );

  it("quotes that overlap are named", () => {
    const { problems } = refusal(["abc d"], set("@2", "D"), quote("ab", "x"), quote("bc", "y"));
    expect(problems).toMatchObject([{ code: "overlap", edits: [1, 2] }]);
  });
});

describe("others changed the file since it was shown", () => {
  const shown = "a b c d e";
  it.each<[string, States, object, string]>([
    ["elsewhere", [shown, "x y a b c d e"], quote("c", "X"), "x y a b X d e"],
    ["the quoted line, but not the quote", [shown, "a b c2 d e"], quote("c", "X"), "!stale"],
    ["the quote is gone", [shown, "a b X d e"], quote("c", "Y"), "!stale"],
    ["its line is gone", [shown, "a b d e"], quote("c", "Y"), "!stale"],
    ["the same change", [shown, "a b X d e"], quote("c", "X"), "= a b X d e"],
    [
      "stood in an older text and is gone",
      [shown, { text: "a b Y d e", shown: true }],
      quote("c", "X"),
      "!stale",
    ],
    ["stood in none", [shown, { text: "a b Y d e", shown: true }], quote("z", "X"), "!not_found"],
    ["stands only in what was never shown", [shown, "a b c d e z"], quote("z", "X"), "!not_found"],
    [
      "ambiguous in the newest text shown",
      ["a b c", { text: "a b c a", shown: true }],
      quote("a", "X"),
      "!ambiguous",
    ],
    ["unique in the newest text shown", ["a b a", { text: "a b c", shown: true }], quote("a", "X"), "X b c"],
    [
      "shown without anchors is shown",
      [{ text: shown, shown: true, scheme: null }],
      quote("c", "X"),
      "a b X d e",
    ],
    ["rows of it need not have been", [{ text: shown, shown: [[1, 1]] }], quote("c", "X"), "a b X d e"],
    ["nothing is recorded", [{ text: shown }], quote("c", "X"), "a b X d e"],
    ["all, one of them changed", ["a b c a e", "a b c A e"], quote("a", "X", all), "!stale"],
    [
      "the text is not kept",
      [{ text: shown, shown: true, kept: "nothing" }, "a b c d E"],
      quote("c", "X"),
      "!stale",
    ],
  ])("%s", (_, states, edit, expected) => expect(wordsAfter(play(states, edit))).toBe(expected));

  it.each<[string, States, object, string]>([
    ["one", ["a b c", "a b c x a"], quote("a", "X"), "X b c x a"],
    ["with all", ["a b c", "a b c x a"], quote("a", "X", all), "X b c x a"],
    ["over lines", ["a b c", "a b c x a b"], quote("a\nb", "X"), "X c x a b"],
  ])("occurrences they added are reported, not replaced: %s", (_, states, edit, expected) => {
    const result = play(states, edit);
    expect(wordsAfter(result)).toBe(expected);
    expect(result).toMatchObject({
      warnings: [expect.stringMatching(/quoted text also stands in.*line 5.*not replaced/)],
    });
  });

  it("an occurrence that was there and moved is not reported", () => {
    expect(play(["a b c", "x y a b c"], quote("b", "X"))).toMatchObject({ warnings: [] });
  });
});

// What grows with the square of the places takes a quarter of an hour for these.
it("stands in very many lines", () => {
  const count = 200_000;
  const result = play(["x\n".repeat(count)], quote("x", "y", all));
  expect(textAfter(result)).toBe("y\n".repeat(count));
});
