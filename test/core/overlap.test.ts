import { describe, expect, it } from "vitest";
import { normaliseEdits } from "../../src/core/edit.js";
import { run } from "../../src/core/engine.js";
import { orderBeside, resolve } from "../../src/core/resolve.js";
import { anchored, type Told, told, wordsAfter } from "../support/view.js";

type States = readonly (string | Told)[];

function play(states: States, edits: readonly object[]) {
  const view = told(...states);
  return run(anchored(edits, view.documents), view);
}

function problemsOf(states: States, edits: readonly object[]) {
  const result = play(states, edits);
  if (result.status !== "refused") throw new Error(`${result.status}: ${wordsAfter(result)}`);
  return result.problems.map(({ code, edits: indexes, message }) => ({ code, edits: indexes, message }));
}

const set = (anchor: string, text: unknown) => ({ op: "set_line", anchor, text });
const replace = (start: string, end: string, words: string) => ({
  op: "replace_lines",
  start,
  end,
  text: words.split(" "),
});
const below = (anchor: string, text: unknown) => ({ op: "insert_after", anchor, text });
const above = (anchor: string, text: unknown) => ({ op: "insert_before", anchor, text });
const move = (start: string, end: string, to: string) => ({ op: "move_lines", start, end, after: to });
const copy = (start: string, end: string, to: string) => ({ op: "copy_lines", start, end, after: to });
const append = (text: string) => ({ op: "append", text });

const seen = "a b c d e f";
const again = (text: string): Told => ({ text, shown: true });
const down: States = [seen, again("x a b c d e f")];
const up: States = ["x a b c d", again("a b c d")];

describe("edits of two texts meet in the file now", () => {
  it.each<[string, States, readonly object[], string]>([
    ["one line", down, [set("@3", "C"), set("@4/1", "Z")], "!overlap"],
    ["one number, two lines", down, [set("@3", "C"), set("@3/1", "B")], "x a B C d e f"],
    ["a line of a range", down, [set("@3", "C"), replace("@3/1", "@4/1", "N")], "!overlap"],
    ["ranges side by side", down, [replace("@1", "@2", "M"), replace("@4/1", "@5/1", "N")], "x M N e f"],
    ["the file's first line", up, [set("@2", "A"), set("@1/1", "Z")], "!overlap"],
    ["a range far above", down, [set("@4", "D"), replace("@1/1", "@2/1", "N")], "N b c D e f"],
    ["newer insert inside", down, [replace("@2", "@4", "N"), below("@4/1", "y")], "!overlap"],
    ["newer insert at the end", down, [below("@5/1", "y"), replace("@2", "@4", "N")], "x a N y e f"],
    ["newer insert at the start", down, [replace("@2", "@4", "N"), above("@3/1", "y")], "x a y N e f"],
    ["older insert inside, below", down, [below("@2", "y"), replace("@3/1", "@4/1", "N")], "!overlap"],
    ["older insert inside, above", down, [above("@3", "y"), replace("@3/1", "@4/1", "N")], "!overlap"],
    ["older insert at the end", down, [below("@2", "y"), replace("@2/1", "@3/1", "N")], "x N y c d e f"],
    ["older insert at the start", down, [replace("@4/1", "@5/1", "N"), above("@3", "y")], "x a b y N e f"],
    ["insert below the first line", up, [below("@2", "y"), replace("@1/1", "@2/1", "N")], "!overlap"],
    ["destination inside", down, [move("@1", "@1", "@4"), replace("@5/1", "@6/1", "N")], "!overlap"],
    [
      "destination at the edge",
      down,
      [copy("@2", "@2", "@5"), replace("@5/1", "@6/1", "N")],
      "x a b c N b f",
    ],
    [
      "inserts at one point: array order",
      down,
      [below("@2", "1"), below("@3/1", "2"), below("@2", "3")],
      "x a b 1 2 3 c d e f",
    ],
  ])("%s", (_, states, edits, expected) => expect(wordsAfter(play(states, edits))).toBe(expected));

  const first: States = [seen, again("x A b c d e f")];
  const last: States = [seen, again("x a b c d E f")];
  const middle: States = [seen, again("x a B c d e f")];
  it.each<[string, States, readonly object[], string]>([
    ["first, another names it", first, [replace("@1", "@5", "a b c d E"), set("@2/1", "Z")], "x Z b c d E f"],
    [
      "first, another names the next",
      first,
      [replace("@1", "@5", "a b c d E"), set("@3/1", "Z")],
      "!overlap",
    ],
    ["last, another names it", last, [replace("@2", "@5", "B c d e"), set("@6/1", "Z")], "x a B c d Z f"],
    [
      "last, another names the one before",
      last,
      [replace("@2", "@5", "B c d e"), set("@5/1", "Z")],
      "!overlap",
    ],
    [
      "last, another names the one after",
      last,
      [replace("@2", "@5", "B c d e"), set("@7/1", "F")],
      "x a B c d E F",
    ],
    [
      "all, another's range goes over it",
      middle,
      [set("@2", "b"), replace("@3/1", "@5/1", "N")],
      "x a N e f",
    ],
    ["all, at the start", first, [set("@1", "a"), set("@7/1", "F")], "x A b c d e F"],
    ["all, for both", [...down, "x a B c d e f"], [set("@2", "b"), set("@3/1", "b")], "= x a B c d e f"],
  ])("retyped lines that are gone count for nothing: %s", (_, states, edits, expected) =>
    expect(wordsAfter(play(states, edits))).toBe(expected),
  );
});

describe("what is said of edits that cannot be together", () => {
  const [b, c, d] = ["@2", "@3", "@4"];
  const given = anchored({ b, c, d, later: "@5/1" }, told(...down).documents);
  it.each<[string, States, readonly object[], string, readonly number[], string]>([
    [
      "two ranges",
      [seen],
      [append("y"), replace("@2", "@3", "M"), replace("@3", "@4", "N")],
      "overlap",
      [1, 2],
      `edits[1] replace_lines ${given.b} ${given.c} and edits[2] replace_lines ${given.c} ${given.d} name the same lines`,
    ],
    [
      "from one line on, the longer first",
      [seen],
      [set("@2", "B"), replace("@2", "@4", "N")],
      "overlap",
      [1, 0],
      `edits[1] replace_lines ${given.b} ${given.d} and edits[0] set_line ${given.b} name the same lines`,
    ],
    [
      "of two texts",
      down,
      [replace("@2", "@4", "N"), set("@5/1", "D")],
      "overlap",
      [0, 1],
      `edits[0] replace_lines ${given.b} ${given.d} and edits[1] set_line ${given.later} name the same lines`,
    ],
    [
      "of one text, beside an edit of another: once",
      down,
      [set("@7/1", "F"), below("@3", "y"), replace("@2", "@4", "N")],
      "overlap",
      [2, 1],
      `edits[2] replace_lines ${given.b} ${given.d} and edits[1] insert_after ${given.c} name the same lines`,
    ],
    [
      "an own destination",
      [seen],
      [append("y"), move("@2", "@4", "@3")],
      "overlap",
      [1],
      `edits[1] move_lines ${given.b} ${given.d} ${given.c} has its destination inside its own range`,
    ],
    [
      "an own destination, beside an edit of another text: once",
      down,
      [move("@2", "@4", "@3"), set("@7/1", "F")],
      "overlap",
      [0],
      `edits[0] move_lines ${given.b} ${given.d} ${given.c} has its destination inside its own range`,
    ],
    [
      "a range named backwards",
      [seen],
      [append("y"), replace("@4", "@2", "N")],
      "bad_request",
      [1],
      "start is after end: the range 2-4 is named backwards",
    ],
    [
      "a copy, both ends changed: once",
      [seen, "A b c d X f"],
      [append("y"), copy("@1", "@2", "@5")],
      "stale",
      [1],
      "2 changed",
    ],
    [
      "a copy, its source changed",
      [seen, "a B c d e f"],
      [append("y"), copy("@1", "@2", "@5")],
      "stale",
      [1],
      "1 changed",
    ],
  ])("%s", (_, states, edits, code, indexes, message) =>
    expect(problemsOf(states, edits)).toEqual([{ code, edits: indexes, message }]),
  );
});

describe("moves and copies beside themselves", () => {
  it.each<[string, States, readonly object[], string]>([
    [
      "moved below its end, a line in it changed",
      [seen, "a b X d e f"],
      [move("@2", "@4", "@4")],
      "= a b X d e f",
    ],
    [
      "moved above its start, a line in it changed",
      [seen, "a b X d e f"],
      [move("@2", "@4", "@1")],
      "= a b X d e f",
    ],
    ["moved beyond its end", [seen], [move("@2", "@3", "@4")], "a d b c e f"],
    [
      "copied below its end: array order",
      [seen],
      [below("@3", "y"), copy("@2", "@3", "@3")],
      "a b c y b c d e f",
    ],
    [
      "copied above its start: array order",
      [seen],
      [copy("@2", "@3", "@1"), below("@1", "y")],
      "a b c y b c d e f",
    ],
    [
      "moved already, another edit is not",
      ["a b c d e f g h", "c d e a b f g h"],
      [move("@1", "@2", "@5"), set("@8", "H")],
      "c d e a b f g H",
    ],
    [
      "half moved already, another edit is not",
      ["a b c d e f g h", "c d e f g h"],
      [move("@1", "@2", "@5"), set("@8", "H")],
      "!stale",
    ],
  ])("%s", (_, states, edits, expected) => expect(wordsAfter(play(states, edits))).toBe(expected));

  it.each([
    [1, 0],
    [2, 2],
    [3, 0],
    [5, 1],
  ])("text of several ranges, at %i", (point, order) =>
    expect(
      orderBeside(
        [
          { start: 0, end: 1 },
          { start: 2, end: 3 },
        ],
        point,
      ),
    ).toBe(order),
  );
});

describe("beside a region of equal lines", () => {
  const braces = "m } } z n";
  it.each<[string, States, object, string]>([
    ["theirs is above", [braces, "m } z n"], set("@4", "Z"), "m } Z n"],
    ["theirs is below", [braces, "m } z n"], set("@1", "M"), "M } z n"],
    ["theirs is above an insertion", [braces, "m } z n"], above("@4", "y"), "!stale"],
    ["theirs is below an insertion", [braces, "m } z n"], below("@1", "y"), "!stale"],
    ["mine is above", [braces, "m } } Z n"], replace("@2", "@3", "}"), "m } Z n"],
    ["mine is below", [braces, "M } } z n"], replace("@2", "@3", "}"), "M } z n"],
    ["an equal line was inserted", [braces, { exact: [[3, 3, ["}"]]] }], set("@4", "Z"), "!stale"],
    ["an equal line was deleted", [braces, { exact: [[2, 3, []]] }], set("@4", "Z"), "!deleted"],
  ])("%s", (_, states, edit, expected) => {
    const found = wordsAfter(play(states, [edit]));
    if (expected === "!stale") expect(["!stale", "!deleted"]).toContain(found);
    else expect(found).toBe(expected);
  });
});

describe("already there, taken together", () => {
  it.each<[string, States, readonly object[], string]>([
    ["the lower first", [seen, "a B C d e f"], [set("@3", "C"), set("@2", "B")], "= a B C d e f"],
    ["a line, then above it", [seen, "a b y C d e f"], [set("@3", "C"), above("@3", "y")], "= a b y C d e f"],
    [
      "below a line, then the line",
      [seen, "a b C y d e f"],
      [below("@3", "y"), set("@3", "C")],
      "= a b C y d e f",
    ],
    [
      "one meets two regions, the other one of them",
      [
        "p } } } q",
        {
          exact: [
            [1, 2, ["X"]],
            [3, 5, ["Y", "Q"]],
          ],
        },
      ],
      [replace("@2", "@4", "X } Y"), set("@5", "Q")],
      "= p X } Y Q",
    ],
  ])("%s", (_, states, edits, expected) => expect(wordsAfter(play(states, edits))).toBe(expected));

  it("names the edits that have nothing left to write", () => {
    const view = told(seen, "A b C d e f");
    const edits = [set("@3", "C"), replace("@1", "@6", "A b c d e F")];
    const wholly = resolve(normaliseEdits(anchored([edits[0]], view.documents)).edits, view);
    const partly = resolve(normaliseEdits(anchored([edits[1]], view.documents)).edits, view);
    expect([wholly, partly].map(({ alreadyThere }) => alreadyThere.length)).toEqual([1, 0]);
    expect(partly.pieces).toMatchObject([{ start: 5, end: 6, lines: ["F"] }]);
  });
});
