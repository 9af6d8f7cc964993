import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SchemeName } from "../../src/anchors/scheme.js";
import { type ApplyOptions, applyEdits } from "../../src/answers/apply-edits.js";
import { type Edit, editsFromJson } from "../../src/edits/index.js";
import { unrecordedView } from "../../src/edits/located-edit.js";
import { run } from "../../src/merge/run-edits.js";
import { Document } from "../../src/text/document.js";
import { callOn, firstShown, stateOf, World } from "../support/model.js";
import { Random } from "../support/random.js";
import { anchored, textAfter, textOf, wordsAfter } from "../support/view.js";

/** Anchors are those of the text that somebody once saw; nothing is recorded of that. */
interface Play {
  readonly seen: string;
  readonly now: string;
  readonly scheme?: SchemeName;
  readonly options?: ApplyOptions;
}

function play({ seen, now, scheme, options }: Play, ...edits: readonly object[]) {
  const given = anchored(edits, [Document.fromText(textOf(seen))], scheme);
  return run(given, unrecordedView(Document.fromText(textOf(now)), options?.window ?? 8));
}

const set = (anchor: string, text: string): Edit => ({ op: "set_line", anchor, text });
const replace = (start: string, end: string, text: unknown) => ({ op: "replace_lines", start, end, text });
const below = (anchor: string, text: unknown) => ({ op: "insert_after", anchor, text });

const many = (count: number) => Array.from({ length: count }, (_, at) => `x${at}`).join(" ");

describe("one anchor", () => {
  it.each([
    ["a", "line 2 (2#0cadbf) is past the end: the file has 1 line"],
    ["a x", "line 2 (2#0cadbf) does not carry that hash now"],
  ])("is spoken of once, in %j", (now, message) => {
    const { status, details } = applyEdits(textOf(now), [set("2#0cadbf", "N")]);
    expect([status, details]).toMatchObject(["refused", { message }]);
  });
  it.each<[string, Play, string, string]>([
    ["fits", { seen: "a b c", now: "a b c" }, "@2", "a N c"],
    ["fits, though all else changed", { seen: "a b c", now: "X b Y" }, "@2", "X N Y"],
    ["moved down by 8", { seen: "a b", now: `${many(8)} a b` }, "@1", `${many(8)} N b`],
    ["moved down by 9", { seen: "a b", now: `${many(9)} a b` }, "@1", "!stale"],
    ["moved up by 8", { seen: `${many(8)} a`, now: "a" }, "@9", "N"],
    ["moved up by 9", { seen: `${many(9)} a`, now: "a" }, "@10", "!deleted"],
    [
      "moved by 9 in a wider window",
      { seen: "a", now: `${many(9)} a`, options: { window: 9 } },
      "@1",
      `${many(9)} N`,
    ],
    ["moved by 1, window 0", { seen: "a b", now: "x a b", options: { window: 0 } }, "@1", "!stale"],
    ["moved, and there is another like it", { seen: "a b", now: "x a b a" }, "@1", "!ambiguous"],
    ["another like it far away", { seen: "a b", now: `x a b ${many(40)} a` }, "@1", "!ambiguous"],
    ["fits, and there is another like it", { seen: "a b a", now: "a b a" }, "@1", "N b a"],
    ["changed", { seen: "a b c", now: "a X c" }, "@2", "!stale"],
    ["only blanks changed", { seen: "a\nb\n", now: "a\n b\n" }, "@2", "!stale"],
    ["beyond the end", { seen: "a b c", now: "a" }, "@3", "!deleted"],
    ["in an empty file", { seen: "a b c", now: "" }, "@1", "!deleted"],
    ["hex4 fits", { seen: "a b c", now: "a b c", scheme: "hex4" }, "@2", "a N c"],
    ["hex4 does not move", { seen: "a b c", now: "x a b c", scheme: "hex4" }, "@2", "!stale"],
    ["lean fits", { seen: "a b c", now: "a b c", scheme: "lean" }, "@2", "a N c"],
    ["lean does not move", { seen: "a b c", now: "x a b c", scheme: "lean" }, "@2", "!stale"],
    ["echoed content fits", { seen: "a b c", now: "a b c" }, "@2|b", "a N c"],
    ["echoed content contradicts", { seen: "a b c", now: "a b c" }, "@2|B", "!wrong_hash"],
    ["echoed content moved along", { seen: "a b c", now: "x a b c" }, "@2|b", "x a N c"],
    ["echoed content contradicts where it moved", { seen: "a b c", now: "x a b c" }, "@2|B", "!wrong_hash"],
  ])("%s", (_, given, anchor, expected) => expect(wordsAfter(play(given, set(anchor, "N")))).toBe(expected));
});

describe("a range", () => {
  it.each<[string, Play, object, string]>([
    ["fits", { seen: "a b c d", now: "a b c d" }, replace("@2", "@3", "N"), "a N d"],
    ["moved as one", { seen: "a b c d", now: "x a b c d" }, replace("@2", "@4", "N"), "x a N"],
    ["its ends moved apart", { seen: "a b c d", now: "a b x c d" }, replace("@2", "@3", "N"), "!stale"],
    [
      "its ends moved differently",
      { seen: "a b c d", now: "x a b y c d" },
      replace("@2", "@3", "N"),
      "!stale",
    ],
    ["one end changed", { seen: "a b c d", now: "a b X d" }, replace("@2", "@3", "N"), "!stale"],
    [
      "one end fits but is repeated, the other changed",
      { seen: "} b c }", now: "} b X }" },
      replace("@1", "@3", "N"),
      "!stale",
    ],
    [
      "both ends moved, one is repeated",
      { seen: "a b }", now: "x a b } }" },
      replace("@2", "@3", "N"),
      "!ambiguous",
    ],
    ["backwards", { seen: "a b c", now: "a b c" }, replace("@3", "@2", "N"), "!bad_request"],
    [
      "a move, each end at its own offset",
      { seen: "a b c d e", now: "a b c x d e" },
      { op: "move_lines", start: "@1", end: "@2", after: "@5" },
      "c x d e a b",
    ],
    [
      "a move to a line that changed",
      { seen: "a b c d e", now: "a b c d X" },
      { op: "move_lines", start: "@1", end: "@2", after: "@5" },
      "!stale",
    ],
  ])("%s", (_, given, edit, expected) => expect(wordsAfter(play(given, edit))).toBe(expected));

  it.each<[string, object, boolean]>([
    ["of three lines", replace("@1", "@3", "N"), true],
    ["of two lines", replace("@1", "@2", "N"), false],
    ["of one line", set("@1", "N"), false],
    ["to move", { op: "move_lines", start: "@1", end: "@3", after: "@5" }, true],
  ])("says that what lies between the ends was not verified: %s", (_, edit, said) => {
    const result = play({ seen: "a b c d e", now: "a X c d e" }, edit);
    const plain = play({ seen: "a b c d e", now: "a b c d e" }, edit);
    const warning = expect.stringMatching(/between the ends.*not verified/);
    expect(plain).toMatchObject({ warnings: said ? [warning] : [] });
    if (said) expect(result).toMatchObject({ status: "applied" });
  });
});

describe("a call", () => {
  it("moves each edit by its own offset, and tells", () => {
    const result = play(
      { seen: "a b c d e", now: "a x b c y d e" },
      set("@2", "B"),
      below("@4", "n"),
      set("@1", "A"),
    );
    expect(wordsAfter(result)).toBe("A x B c y d n e");
    expect(result).toMatchObject({
      edits: [
        { status: "relocated", from: { start: 2, end: 2 }, to: { start: 3, end: 3 } },
        { status: "relocated", from: { start: 4, end: 4 }, to: { start: 6, end: 6 } },
        { status: "exact" },
      ],
    });
  });

  it.each<[string, readonly object[], string]>([
    [
      "all problems together",
      [set("@2", "N"), set("@9", "N"), { op: "replace_text", old: "zz", new: "" }],
      "!stale",
    ],
    ["overlap in the file now", [set("@4", "N"), replace("@4", "@5", "N")], "!overlap"],
    ["quotes need no anchor", [{ op: "replace_text", old: "X", new: "Y" }], "x a Y c d e"],
    ["nor does appending", [{ op: "append", text: "z" }], "x a X c d e z"],
    ["a bad shape", [{ op: "set_line", anchor: "2", text: "N" }], "!bad_anchor"],
    ["whole files", [{ op: "delete_file" }], "!bad_request"],
  ])("%s", (_, edits, expected) => {
    const seen = "a b c d e f g h i";
    expect(wordsAfter(play({ seen, now: "x a X c d e" }, ...edits))).toBe(expected);
  });

  it("has all its problems told at once", () => {
    const quote: Edit = { op: "replace_text", old: "zz", new: "" };
    const edits = editsFromJson([set("2", "N"), set("@2", "N"), quote, { op: "append" }]);
    const { text } = applyEdits(textOf("a X c"), anchored(edits, [Document.fromText(textOf("a b c"))]));
    for (const said of [/edits\[0\]: /, /1 line has changed/, /"zz" is not/, /edits\[3\]: append needs text/])
      expect(text).toMatch(said);
    expect(text).toMatch(/^>>> 2#\w{6}\|X$/m);
  });

  it("tells that the lines of a quote moved", () => {
    const quote = { op: "replace_text", old: "b", new: "B", anchor: "@2" };
    const result = play({ seen: "a b c", now: "b x a b c" }, quote);
    expect(result).toMatchObject({ status: "refused" });
    expect(play({ seen: "a b c", now: "x a b c" }, quote)).toMatchObject({
      edits: [{ status: "relocated", from: { start: 2, end: 2 }, to: { start: 3, end: 3 } }],
    });
  });

  it("on a text that has not changed is what it is with a ledger", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 30 }), (seed, size) => {
        const world = new World(new Random(seed), 0.7, size);
        const { edits } = callOn(world.lines, world);
        const view = firstShown([stateOf(world.document)]);
        expect(textAfter(run(edits, unrecordedView(world.document, 8)))).toBe(textAfter(run(edits, view)));
      }),
    );
  });
});
