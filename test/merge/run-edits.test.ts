import { describe, expect, it } from "vitest";
import { History } from "../../src/changes/history.js";
import type { Problem } from "../../src/edits/problem.js";
import { type EngineOptions, run } from "../../src/merge/run-edits.js";
import { Document } from "../../src/text/document.js";
import { LineSet } from "../../src/text/line-set.js";
import { anchored, at, type Told, textAfter, told, wordsAfter } from "../support/view.js";

/** One call on a text that was shown whole and has not changed. */
function on(text: string | Told, ...edits: readonly object[]) {
  const view = told(text);
  return run(anchored(edits, view.documents), view);
}

const set = (anchor: string, text: unknown) => ({ op: "set_line", anchor, text });
const replace = (start: string, end: string, text: unknown) => ({ op: "replace_lines", start, end, text });
const below = (anchor: string, text: unknown) => ({ op: "insert_after", anchor, text });
const above = (anchor: string, text: unknown) => ({ op: "insert_before", anchor, text });
const remove = (start: string, end = start) => ({ op: "delete_lines", start, end });
const append = (text: unknown) => ({ op: "append", text });
const prepend = (text: unknown) => ({ op: "prepend", text });
const move = (start: string, end: string, to: string) => ({ op: "move_lines", start, end, after: to });
const copy = (start: string, end: string, to: string) => ({ op: "copy_lines", start, end, after: to });

describe("bytes around an edit", () => {
  it.each<[string, string, object, string]>([
    ["CRLF stays", "a\r\nb\r\nc\r\n", set("@2", "B"), "a\r\nB\r\nc\r\n"],
    ["CRLF for each new line", "a\r\nb\r\n", set("@1", "x\ny"), "x\r\ny\r\nb\r\n"],
    ["the caller's CRLF is only a break", "a\nb\n", set("@1", "x\r\ny\r\n"), "x\ny\nb\n"],
    ["a lone CR is content", "a\nb\n", set("@1", "x\ry"), "x\ry\nb\n"],
    ["mixed ends: each its own", "a\nb\r\nc\n", replace("@1", "@3", "x\ny\nz\nw"), "x\ny\r\nz\nw\n"],
    [
      "mixed ends: further ones the last one's",
      "a\nb\r\nc\n",
      replace("@1", "@2", "x\ny\nz"),
      "x\ny\r\nz\r\nc\n",
    ],
    ["inserted after: the anchor's", "a\r\nb\nc\n", below("@1", "x"), "a\r\nx\r\nb\nc\n"],
    ["inserted before: the anchor's", "a\nb\r\nc\n", above("@2", "x"), "a\nx\r\nb\r\nc\n"],
    ["appended: the last line's", "a\nb\r\n", append("x"), "a\nb\r\nx\r\n"],
    ["prepended: the first line's", "a\r\nb\n", prepend("x"), "x\r\na\r\nb\n"],
    ["copied: the destination's", "a\nb\r\n", copy("@1", "@1", "@2"), "a\nb\r\na\r\n"],
    ["BOM stays: first line", "\ufeffa\nb\n", set("@1", "x"), "\ufeffx\nb\n"],
    ["BOM stays: text before it", "\ufeffa\nb\n", prepend("x"), "\ufeffx\na\nb\n"],
    ["BOM stays: first line deleted", "\ufeffa\nb\n", remove("@1"), "\ufeffb\n"],
    ["no final newline: last line set", "a\nb", set("@2", "B"), "a\nB"],
    ["no final newline: inserted before it", "a\nb", above("@2", "x"), "a\nx\nb"],
    ["no final newline: inserted after it", "a\nb", below("@2", "x"), "a\nb\nx"],
    ["no final newline: appended", "a\r\nb", append("x"), "a\r\nb\r\nx"],
    ["no final newline: last line deleted", "a\nb", remove("@2"), "a\n"],
    ["no final newline: first line deleted", "a\nb", remove("@1"), "b"],
    ["no final newline: an empty line has one", "a\nb", set("@2", ""), "a\n\n"],
    ["no final newline: an empty last line has one", "a\nb", set("@2", ["B", ""]), "a\nB\n\n"],
    ["no final newline: last line moved up", "a\nb\nc", move("@3", "@3", "@1"), "a\nc\nb\n"],
    ["no final newline: a line moved to the end", "a\nb\nc", move("@1", "@1", "@3"), "b\nc\na"],
    ["empty file: appended", "", append("x"), "x\n"],
    ["empty file: prepended", "", prepend(["x", "y"]), "x\ny\n"],
    ["empty file: an empty line", "", append(""), "\n"],
    ["one line", "a\n", set("@1", "x"), "x\n"],
    ["one line without end", "a", append("x"), "a\nx"],
    ["one line deleted", "a\n", set("@1", []), ""],
    ["the first line gets one before it", "a\nb\n", above("@1", "x"), "x\na\nb\n"],
    ["the last line gets one after it", "a\nb\n", below("@2", "x"), "a\nb\nx\n"],
    ["everything deleted", "a\nb\nc\n", remove("@1", "@3"), ""],
    ["everything deleted by null", "a\nb\nc", replace("@1", "@3", null), ""],
    ["a range to the end", "a\nb\nc\n", replace("@2", "@3", "x"), "a\nx\n"],
    ["a range to an end without newline", "a\nb\nc", replace("@2", "@3", "x\ny"), "a\nx\ny"],
    ["empty rows have anchors", "\n\n\n", set("@2", "x"), "\nx\n\n"],
    ["an empty row is deleted", "a\n\nb\n", remove("@2"), "a\nb\n"],
    ['"" is one empty line', "a\nb\n", set("@1", ""), "\nb\n"],
    ["repeated lines: the one that is named", "}\n}\n}\n", set("@2", "x"), "}\nx\n}\n"],
    ["similar lines", "a \na\n a\n", set("@2", "x"), "a \nx\n a\n"],
    ["pipes and tabs", "a|b\n\tc|d\n", set("@2", "\tc||\t"), "a|b\n\tc||\t\n"],
    ["blanks at the ends", "a  \n b\t\n", set("@1", "  a  "), "  a  \n b\t\n"],
    ["other alphabets", "é\n日本\n", set("@2", "ö 😀"), "é\nö 😀\n"],
    [
      "text like a diff",
      "a\nb\n",
      set("@1", "+x\n-y\n@@ -1 +1 @@\n>>> z"),
      "+x\n-y\n@@ -1 +1 @@\n>>> z\nb\n",
    ],
  ])("%s", (_, text, edit, expected) =>
    expect(textAfter(on({ raw: text, shown: true }, edit))).toBe(expected),
  );

  it("UTF-16 stays UTF-16", () => {
    const bytes = Uint8Array.from([0xff, 0xfe, 97, 0, 10, 0, 98, 0, 13, 0, 10, 0]);
    const now = Document.parse(bytes);
    const rows = LineSet.all(2);
    const view = {
      history: History.of(now),
      showings: [{ state: 0, rows, scheme: "hex6" as const }],
      known: () => rows,
    };
    const result = run([set(at(now, 2), "é")], view);
    if (result.status === "refused") throw new Error("refused");
    expect([...result.document.toBytes()]).toEqual([0xff, 0xfe, 97, 0, 10, 0, 0xe9, 0, 13, 0, 10, 0]);
  });

  it("what the encoding cannot hold is refused, naming the character", () => {
    const now = Document.parse(Uint8Array.from([0xe9, 10, 98, 10]));
    const rows = LineSet.all(2);
    const view = {
      history: History.of(now),
      showings: [{ state: 0, rows, scheme: "hex6" as const }],
      known: () => rows,
    };
    const result = run([set(at(now, 2), "price: 5 €")], view);
    expect(textAfter(result)).toBe("!unencodable");
    expect(result).toMatchObject({ problems: [{ message: expect.stringContaining('"€"') }] });
  });
});

describe("an anchor echoed with the row", () => {
  it.each([
    ["with its content", "@2|b", "a X c"],
    ["with other content", "@2|B", "!wrong_hash"],
    ["with a separator and nothing behind it", "@2|", "a X c"],
    ["with blanks that the line has not", "@2| ", "!wrong_hash"],
    ["as copied from a refusal", ">>> @2|b", "a X c"],
    ["with blanks, quotes, upper case", ' "@2" ', "a X c"],
  ])("%s", (_, anchor, expected) => {
    const view = told("a b c");
    const given = anchor.replace("@2", at(view.documents[0] as Document, 2));
    expect(wordsAfter(run([set(given, "X")], view))).toBe(expected);
  });

  it("content may hold pipes, tabs and nothing", () => {
    const text = "a|b\tc\n\n|\n";
    const view = told(text);
    const edits = anchored([set("@1|a|b\tc", "1"), set("@2|", "2"), set("@3||", "3")], view.documents);
    expect(textAfter(run(edits, view))).toBe("1\n2\n3\n");
  });
});

describe("rows repeated in the caller's text", () => {
  const rows = (...lines: readonly string[]) => lines;
  it.each([
    ["all served: removed", rows("@1|a", "@2|B"), "a B c"],
    ["as a refusal printed them", rows("    @1|a", ">>> @2|B"), "a B c"],
    ["one line without: kept", rows("@1|a", "B"), "=1|a B c"],
    ["one never served: kept", rows("@1|a", "7#0f0dd9|B"), "=1|a 7#0f0dd9|B c"],
    ["one of another hash: kept", rows("@1|a", "2#0f0dd9|B"), "=1|a 2#0f0dd9|B c"],
    ["an anchor without a bar: kept", rows("@1", "@2"), "=1 =2 c"],
  ])("%s", (_, text, expected) => {
    const view = told("a b c");
    const [document] = view.documents as [Document];
    const anchors = (value: string) =>
      value.replace(/[@=](\d)/g, (_found, line) => at(document, Number(line)));
    const result = run([set(at(document, 1), text.map(anchors)), remove(at(document, 2))], view);
    expect(wordsAfter(result)).toBe(anchors(expected));
    const said = result.status === "refused" ? [] : result.warnings;
    const kept = expected.includes("=1|") ? [expect.stringMatching(/edits\[0\]: line 1 of .* kept/)] : [];
    expect(said).toEqual(
      expected === "a B c" ? [expect.stringMatching(/edits\[0\].*anchors.*removed/)] : kept,
    );
  });

  it("at the head of some lines only are kept, and the lines are named", () => {
    const view = told("a b c d");
    const row = (line: number, text: string) => `${at(view.documents[0] as Document, line)}|${text}`;
    const one = run([append([row(1, "A"), "B", row(3, "C")])], view);
    expect(wordsAfter(one)).toBe(`a b c d ${row(1, "A")} B ${row(3, "C")}`);
    expect(one).toMatchObject({
      warnings: ["edits[0]: lines 1, 3 of the text begin with anchors of this file; they were kept as text"],
    });
    expect(run([append(["B", row(2, "C")])], view)).toMatchObject({
      warnings: ["edits[0]: line 2 of the text begins with an anchor of this file; it was kept as text"],
    });
    expect(run([append(["1#abcdef|B", "C"])], view)).toMatchObject({ warnings: [] });
  });

  it("rows served by another scheme, or without anchors, are not this file's anchors", () => {
    for (const scheme of ["lean", null] as const) {
      const view = told({ text: "a b", shown: true, scheme });
      const row = `${at(view.documents[0] as Document, 1)}|a`;
      expect(wordsAfter(run([append(row)], view))).toBe(`a b ${row}`);
    }
  });
});

describe("a line that repeats its neighbour is kept, with a warning", () => {
  it.each<[string, object, string, string | null]>([
    [
      "first line, above",
      set("@2", "a\nX"),
      "a a X c",
      'first line of the text repeats the line above it ("a")',
    ],
    [
      "last line, below",
      set("@2", "X\nc"),
      "a X c c",
      'last line of the text repeats the line below it ("c")',
    ],
    ["inserted", below("@1", "b"), "a b b c", 'last line of the text repeats the line below it ("b")'],
    ["appended", append("c"), "a b c c", 'first line of the text repeats the line above it ("c")'],
    ["neither", set("@2", "X"), "a X c", null],
  ])("%s", (_, edit, expected, warning) => {
    const result = on("a b c", edit);
    expect(wordsAfter(result)).toBe(expected);
    expect(result).toMatchObject({ warnings: warning ? [expect.stringContaining(warning)] : [] });
  });
});

describe("lines that are restated", () => {
  const file = [
    "function one(a) {",
    "  const x = a;",
    "  return x;",
    "}",
    "",
    "function two(b) {",
    "  const y = b;",
    "  log(y);",
    "  return y;",
    "}",
    "",
    "const end = 1;",
  ];
  const text = `${file.join("\n")}\n`;
  const first = (count: number) => file.slice(0, count);
  it.each<[string, readonly object[], string | null]>([
    [
      "the lines below a range",
      [replace("@6", "@7", ["function two(c) {", "  const y = c;", "  log(y);", "  return y;", "}"])],
      'last 3 lines of the text repeat the lines below it ("  log(y);" to "}")',
    ],
    [
      "the lines above a range",
      [replace("@8", "@8", ["function two(b) {", "  const y = b;", "  trace(y);"])],
      'first 2 lines of the text repeat the lines above it ("function two(b) {" to "  const y = b;")',
    ],
    ["above an insert", [below("@3", ["  const x = a;", "  return x;", "  // never"])], "first 2 lines of"],
    [
      "a function in the place of its first line, all but that as it was",
      [set("@6", ["function two(c) {", ...file.slice(6, 10)])],
      "last 4 lines of the text repeat the lines below it",
    ],
    [
      "a function in the place of its first line, changed in the middle",
      [set("@6", ["function two(c) {", "  const y = c;", "  log(y);", "  trace(y);", "  return y;", "}"])],
      "the text restates lines that follow line 6",
    ],
    [
      "a function in the place of its first line, changed at the end",
      [set("@6", ["function two(c) {", "  const y = b;", "  log(y);", "  return [y];", "}"])],
      "set_line replaces that line alone, so they stand there twice: replace_lines takes a range",
    ],
    [
      "by a call that takes the lines below out",
      [set("@6", ["function two(c) {", ...file.slice(6, 10)]), remove("@7", "@10")],
      null,
    ],
    ["brackets and blank lines in a row", [set("@3", ["  return [x];", "}", "", "}", ""])], null],
    [
      "another function that begins in another way",
      [set("@5", ["", "function three(b) {", "  const y = b;", "  log(y);", "  return y;", "}", ""])],
      null,
    ],
    ["a longer text for one line", [set("@7", ["  const y = b + 1;", "  if (!y) return 0;"])], null],
    ["a copy at the end", [append(first(4))], null],
  ])("%s", (_, edits, warning) => {
    const result = on(text, ...edits);
    expect(result).toMatchObject({ status: "applied" });
    expect(result).toMatchObject({ warnings: warning ? [expect.stringContaining(warning)] : [] });
  });
});

describe("one call, one picture", () => {
  it.each<[string, readonly object[], string]>([
    ["numbers do not move", [remove("@1"), set("@3", "X"), set("@5", "Y")], "b X d Y"],
    ["in any order", [set("@5", "Y"), remove("@1"), set("@3", "X")], "b X d Y"],
    ["ranges that share a line", [replace("@1", "@3", "X"), replace("@3", "@4", "Y")], "!overlap"],
    ["one range in another", [replace("@1", "@5", "X"), set("@3", "Y")], "!overlap"],
    ["the same line twice", [set("@3", "X"), set("@3", "X")], "!overlap"],
    ["ranges side by side", [replace("@1", "@2", "X"), replace("@3", "@4", "Y")], "X Y e"],
    ["an insert strictly inside a range", [replace("@2", "@4", "X"), below("@3", "Y")], "!overlap"],
    ["an insert inside, first in the call", [above("@3", "Y"), remove("@2", "@4")], "!overlap"],
    ["an insert at the end of a range", [below("@3", "Y"), replace("@2", "@3", "X")], "a X Y d e"],
    ["an insert at the start of a range", [replace("@2", "@3", "X"), above("@2", "Y")], "a Y X d e"],
    ["beside a range that is deleted", [remove("@2", "@3"), above("@2", "1"), below("@3", "2")], "a 1 2 d e"],
    ["beside a line that is retyped", [set("@2", "b"), below("@2", "1"), above("@2", "2")], "a 2 b 1 c d e"],
    ["text added at a range's end comes first", [below("@2", "1"), set("@2", "b\nX")], "a b X 1 c d e"],
    ["text added at a range's start comes last", [set("@2", "X\nb"), above("@2", "1")], "a 1 X b c d e"],
    [
      "inserts at one point: array order",
      [below("@2", "1"), below("@2", "2"), below("@2", "3")],
      "a b 1 2 3 c d e",
    ],
    ["after 2 and before 3 are one point", [above("@3", "1"), below("@2", "2")], "a b 1 2 c d e"],
    [
      "range that ends, inserts, range that begins",
      [replace("@3", "@4", "Z"), above("@3", "1"), below("@2", "2"), replace("@1", "@2", "X")],
      "X 1 2 Z e",
    ],
    ["append after an insert after the last line", [below("@5", "1"), append("2")], "a b c d e 1 2"],
    ["prepend before the first line", [above("@1", "1"), prepend("2")], "1 2 a b c d e"],
    ["append beside the last line's range", [append("1"), set("@5", "X")], "a b c d X 1"],
  ])("%s", (_, edits, expected) => expect(wordsAfter(on("a b c d e", ...edits))).toBe(expected));

  it("quotes that stand several times keep that order at each place", () => {
    const quote = { op: "replace_text", old: "x", new: "x\ny", all: true };
    expect(wordsAfter(on("x a x b", quote, below("@3", "z"), below("@1", "w")))).toBe("x y w a x y z b");
  });

  it("overlap names both edits", () => {
    const result = on("a b c d e", append("x"), replace("@1", "@3", "X"), set("@2", "Y"));
    expect(result).toMatchObject({
      problems: [
        { code: "overlap", edits: [1, 2], message: expect.stringMatching(/edits\[1\].*edits\[2\]/) },
      ],
    });
  });
});

describe("moving and copying", () => {
  it.each<[string, readonly object[], string]>([
    ["down", [move("@1", "@2", "@4")], "c d a b e"],
    ["up", [move("@4", "@5", "@1")], "a d e b c"],
    ["to the end", [move("@1", "@1", "@5")], "b c d e a"],
    ["without end: one line", [{ op: "move_lines", start: "@1", after: "@2" }], "b a c d e"],
    ["beside itself, above", [move("@2", "@3", "@1")], "= a b c d e"],
    ["beside itself, below", [move("@2", "@3", "@3")], "= a b c d e"],
    ["into itself", [move("@2", "@4", "@3")], "!overlap"],
    ["the source is named by another edit", [move("@2", "@3", "@5"), set("@3", "X")], "!overlap"],
    ["beside another edit", [move("@2", "@3", "@5"), set("@4", "X")], "a X e b c"],
    ["the destination is in another's range", [move("@1", "@1", "@4"), replace("@4", "@5", "X")], "!overlap"],
    ["the destination is at another's edge", [move("@1", "@1", "@5"), replace("@4", "@5", "X")], "b c X a"],
    ["two blocks change places", [move("@1", "@1", "@3"), move("@3", "@3", "@1")], "c b a d e"],
    ["copied down", [copy("@1", "@2", "@4")], "a b c d a b e"],
    ["copied up", [copy("@4", "@4", "@1")], "a d b c d e"],
    ["copied beside itself", [copy("@2", "@3", "@3")], "a b c b c d e"],
    ["backwards", [move("@3", "@2", "@5")], "!bad_request"],
  ])("%s", (_, edits, expected) => expect(wordsAfter(on("a b c d e", ...edits))).toBe(expected));
});

describe("problems", () => {
  const changed: readonly (string | Told)[] = ["a b c d e f", "a B c d e f"];
  const codes = (states: readonly (string | Told)[], edits: readonly object[], options?: EngineOptions) => {
    const view = told(...states);
    const result = run(anchored(edits, view.documents), view, options);
    if (result.status !== "refused") throw new Error(result.status);
    return { all: result.problems.map(({ code }) => code).sort(), decided: textAfter(result), result };
  };

  it.each<[string, readonly object[], readonly string[], string]>([
    [
      "usage before gate before staleness",
      [set("@2", "X"), set("9#0f0dd9", "X"), replace("@4", "@5", "X"), set("@5", "Y")],
      ["not_shown", "overlap", "stale"],
      "!overlap",
    ],
    ["gate before staleness", [set("@2", "X"), set("9#0f0dd9", "X")], ["not_shown", "stale"], "!not_shown"],
    [
      "staleness before the rest",
      [set("@2", "X"), { op: "replace_text", old: "zz", new: "x" }],
      ["not_found", "stale"],
      "!stale",
    ],
    ["two of one class", [set("5#0f0dd9", "X"), set("@2", "X")], ["stale", "wrong_hash"], "!wrong_hash"],
  ])("are reported together: %s", (_, edits, all, decided) => {
    const found = codes(changed, edits);
    expect(found.all).toEqual(all);
    expect(found.decided).toBe(decided);
  });

  it("a bad shape is reported first, with what stands in the way of the other edits", () => {
    expect(codes(changed, [set("@2", "X"), set("2", "X"), { op: "nope" }]).all).toEqual([
      "bad_anchor",
      "bad_request",
      "stale",
    ]);
  });

  it("a bare number is answered with the anchor that was shown, never guessed", () => {
    const { result } = codes(changed, [set("2", "X"), set("9", "X")]);
    const shown = at(told("a b c d e f").documents[0] as Document, 2);
    expect(result.problems[0]?.message).toMatch(`line 2 was shown as ${shown}`);
    expect(result.problems[1]?.message).not.toMatch("was shown as");
  });

  it("whole-file operations belong into a batch", () => {
    expect(codes(changed, [{ op: "delete_file" }]).decided).toBe("!bad_request");
  });

  it("a range named backwards is a bad request", () => {
    expect(codes(["a b c"], [replace("@3", "@1", "X")]).decided).toBe("!bad_request");
  });

  it("what the gate says joins the rest", () => {
    const gate = () => ({
      code: "not_shown" as const,
      edits: [0],
      message: "line 4",
      mismatches: [],
      rows: LineSet.empty,
      changed: LineSet.empty,
      missing: LineSet.empty,
    });
    expect(codes(changed, [set("@2", "X")], { gate }).all).toEqual(["not_shown", "stale"]);
  });
});

describe("an edit that changes nothing", () => {
  it.each<[string, object]>([
    ["a line set to itself", set("@2", "b")],
    ["a range retyped", replace("@1", "@3", "a\nb\nc")],
    ["a quote replaced by itself", { op: "replace_text", old: "b", new: "b" }],
  ])("%s", (_, edit) => {
    const result = on("a b c", edit);
    expect(result).toMatchObject({ status: "noop", edits: [{ status: "noop" }] });
    expect(wordsAfter(result)).toBe("= a b c");
  });

  it.each<[string, string, readonly object[]]>([
    ["equal lines change places", "x x", [move("@1", "@1", "@2")]],
    ["deleted and put back", "a b", [remove("@1"), above("@1", "a")]],
  ])("taken together: %s", (_, text, edits) => {
    const result = on(text, ...edits);
    expect(result).toMatchObject({ status: "noop", change: { isIdentity: true } });
    expect(wordsAfter(result)).toBe(`= ${text}`);
  });

  it("is a noop of its own in a call that does something else", () => {
    const result = on("a b c", set("@1", "a"), set("@3", "X"));
    expect(result).toMatchObject({ status: "applied", edits: [{ status: "noop" }, { status: "exact" }] });
  });
});

describe("onStale: refuse", () => {
  const seen = "a b c d e f";
  const strictly = (states: readonly (string | Told)[], ...edits: readonly object[]) => {
    const view = told(...states);
    return run(anchored(edits, view.documents), view, { onStale: "refuse" });
  };

  it.each<[string, readonly (string | Told)[], string]>([
    ["the file is the base", [seen], "a X c d e f"],
    ["it is so again", [seen, "a", seen], "a X c d e f"],
    ["the line merely moved", [seen, "x a b c d e f"], "!stale"],
    ["a change elsewhere", [seen, "a b c d e F"], "!stale"],
  ])("%s", (_, states, expected) => expect(wordsAfter(strictly(states, set("@2", "X")))).toBe(expected));

  it.each<[string, readonly (string | Told)[], string]>([
    ["the file is as shown", [seen], "a b c d e f N"],
    ["it is so again", [seen, "a", seen], "a b c d e f N"],
    ["it changed, and was shown again", [seen, { text: "x a b", shown: true }], "x a b N"],
    ["a change elsewhere", [seen, "a B c d e f"], "!stale"],
    ["a change there", [seen, "a b c d e f g"], "!stale"],
    ["lines deleted", [seen, "a b"], "!stale"],
    ["the text shown is not kept", [{ text: seen, shown: true, kept: "nothing" }, "a b"], "!stale"],
  ])("at an end of the file, too: %s", (_, states, expected) => {
    expect(wordsAfter(strictly(states, { op: "append", text: "N" }))).toBe(expected);
    const before = expected.startsWith("!") ? expected : `N ${expected.slice(0, -2)}`;
    expect(wordsAfter(strictly(states, { op: "prepend", text: "N" }))).toBe(before);
  });

  it.each<[string, string, object]>([
    ["changed", "a B c d e f", { changed: [{ start: 2, end: 2 }], missing: [] }],
    ["deleted", "a b c d", { changed: [], missing: [{ start: 4, end: 4 }] }],
  ])("shows what others did before text is added at an end: %s", (_, now, expected) => {
    const refusal = strictly([seen, now], { op: "append", text: "N" });
    if (refusal.status !== "refused") throw new Error(refusal.status);
    const { changed, missing, message } = refusal.problems[0] as Problem;
    expect({ changed: changed.ranges(), missing: missing.ranges() }).toEqual(expected);
    expect(message).toBe("the file has changed since it was shown");
  });

  it("offers to do what it would have done, and no more: text of others in a range stays", () => {
    const edit = { op: "replace_lines", start: "@2", end: "@4", text: ["b", "c", "D"] };
    expect(strictly([seen, "a b x c d e f"], edit)).toMatchObject({
      status: "refused",
      forced: [{ start: 4, end: 5, lines: ["D"] }],
    });
  });

  it("shows the anchor lines, and tells where each anchor is now", () => {
    const moved = strictly([seen, "x a b c d e f"], set("@3", "N"));
    if (moved.status !== "refused") throw new Error(moved.status);
    expect(moved.problems[0]?.rows.ranges()).toEqual([{ start: 4, end: 4 }]);
    const now = "x a b c D e f";
    const changed = strictly([seen, now], replace("@2", "@4", "N"), set("@6", "F"));
    const anchor = (text: string, line: number) => at(told(text).documents[0] as Document, line);
    expect(changed).toMatchObject({
      remaps: [
        { from: anchor(seen, 2), to: anchor(now, 3), kind: "moved" },
        { from: anchor(seen, 4), to: anchor(now, 5), kind: "changed" },
        { from: anchor(seen, 6), to: anchor(now, 7), kind: "moved" },
      ],
    });
  });
});
