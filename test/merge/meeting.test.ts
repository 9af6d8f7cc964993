import { describe, expect, it } from "vitest";
import { History } from "../../src/changes/history.js";
import { normaliseEdits } from "../../src/edits/edit.js";
import { anchorOf } from "../../src/edits/problem.js";
import { orderBeside } from "../../src/merge/meeting.js";
import { resolve } from "../../src/merge/resolve.js";
import { run, run as runCall } from "../../src/merge/run-edits.js";
import { Document } from "../../src/text/document.js";
import { LineSet } from "../../src/text/line-set.js";
import { anchored, at, type Told, told, wordsAfter } from "../support/view.js";

type States = readonly (string | Told)[];
type Edits = readonly object[];

function play(states: States, edits: Edits) {
  const view = told(...states);
  return run(anchored(edits, view.documents), view);
}

const outcome = (states: States, edits: Edits): string => wordsAfter(play(states, edits));

/** `code indexes: message` of each problem, with `@3` for the anchor of line 3 in the first text. */
function said(states: States, edits: Edits): string[] {
  const result = play(states, edits);
  if (result.status !== "refused") throw new Error(`${result.status}: ${wordsAfter(result)}`);
  const { documents } = told(...states);
  const names = documents.flatMap((document, state) =>
    Array.from({ length: document.lineCount }, (_, index) => {
      const name = state === 0 ? `@${index + 1}` : `@${index + 1}/${state}`;
      return [at(document, index + 1), name] as const;
    }),
  );
  return result.problems.map((one) =>
    names.reduce(
      (text, [anchor, name]) => text.replaceAll(anchor, name),
      `${one.code} ${one.edits}: ${one.message}`,
    ),
  );
}

const set = (anchor: string, text: unknown) => ({ op: "set_line", anchor, text });
const lines = (start: string, end: string, words: string) => {
  return { op: "replace_lines", start, end, text: words.split(" ") };
};
const below = (anchor: string, text: unknown) => ({ op: "insert_after", anchor, text });
const above = (anchor: string, text: unknown) => ({ op: "insert_before", anchor, text });
const move = (start: string, end: string, to: string) => ({ op: "move_lines", start, end, after: to });
const copy = (start: string, end: string, to: string) => ({ op: "copy_lines", start, end, after: to });
const append = (text: string) => ({ op: "append", text });

const seen = "a b c d e f";
const then = (text: string): States => [seen, { text, shown: true }];
const down = then("x a b c d e f");

describe("edits of two texts meet in the file now", () => {
  it.each<[string, Edits, string]>([
    ["one line", [set("@3", "C"), set("@4/1", "Z")], "!overlap"],
    ["one number, two lines", [set("@3", "C"), set("@3/1", "B")], "x a B C d e f"],
    ["a line of a range", [set("@3", "C"), lines("@3/1", "@4/1", "N")], "!overlap"],
    ["side by side", [lines("@2", "@3", "M"), lines("@5/1", "@6/1", "N")], "x a M N f"],
    ["a range far above", [set("@4", "D"), lines("@1/1", "@2/1", "N")], "N b c D e f"],
    ["newer insert inside", [lines("@2", "@4", "N"), below("@4/1", "y")], "!overlap"],
    ["newer insert at the end", [below("@5/1", "y"), lines("@2", "@4", "N")], "x a N y e f"],
    ["newer insert at the start", [lines("@2", "@4", "N"), above("@3/1", "y")], "x a y N e f"],
    ["older insert inside, below", [below("@2", "y"), lines("@3/1", "@4/1", "N")], "!overlap"],
    ["older insert inside, above", [above("@3", "y"), lines("@3/1", "@4/1", "N")], "!overlap"],
    ["older insert at the end", [below("@2", "y"), lines("@2/1", "@3/1", "N")], "x N y c d e f"],
    ["older insert at the start", [lines("@4/1", "@5/1", "N"), above("@3", "y")], "x a b y N e f"],
    ["destination inside", [move("@2", "@2", "@4"), lines("@5/1", "@6/1", "N")], "!overlap"],
    ["destination at the edge", [copy("@2", "@2", "@5"), lines("@5/1", "@6/1", "N")], "x a b c N b f"],
    ["one point", [below("@2", "1"), below("@3/1", "2"), below("@2", "3")], "x a b 1 2 3 c d e f"],
  ])("%s", (_, edits, expected) => expect(outcome(down, edits)).toBe(expected));

  it.each<[string, object]>([
    ["set", set("@2", "A")],
    ["inserted below", below("@2", "y")],
  ])("at the file's first line, too: %s", (_, edit) => {
    const up: States = ["x a b c d", { text: "a b c d", shown: true }];
    expect(outcome(up, [edit, lines("@1/1", "@2/1", "N")])).toBe("!overlap");
  });

  const first = then("x A b c d e f");
  const head = lines("@1", "@5", "a b c d E");
  const last = then("x a b c d E f");
  const tail = lines("@2", "@5", "B c d e");
  it.each<[string, States, Edits, string]>([
    ["the first, named by another", first, [head, set("@2/1", "Z")], "x Z b c d E f"],
    ["the first, the next is named", first, [head, set("@3/1", "Z")], "!overlap"],
    ["the last, named by another", last, [tail, set("@6/1", "Z")], "x a B c d Z f"],
    ["the last, the one before is named", last, [tail, set("@5/1", "Z")], "!overlap"],
    ["the last, the one after is named", last, [tail, set("@7/1", "F")], "x a B c d E F"],
    ["all, within a range", then("x a B c d e f"), [set("@2", "b"), lines("@3/1", "@5/1", "N")], "x a N e f"],
    ["all, at the start", first, [set("@1", "a"), set("@7/1", "F")], "x A b c d e F"],
    ["all of both", [...down, "x a B c d e f"], [set("@2", "b"), set("@3/1", "b")], "= x a B c d e f"],
  ])("retyped lines that are gone are not named: %s", (_, states, edits, expected) =>
    expect(outcome(states, edits)).toBe(expected),
  );
});

describe("what is said of edits that cannot be together", () => {
  it.each<[string, Edits]>([
    [
      "overlap 1,2: edits[1] replace_lines @2 @3 and edits[2] replace_lines @3 @4 name the same lines",
      [append("y"), lines("@2", "@3", "M"), lines("@3", "@4", "N")],
    ],
    [
      "overlap 1,0: edits[1] replace_lines @2 @4 and edits[0] replace_lines @2 @3 name the same lines",
      [lines("@2", "@3", "M"), lines("@2", "@4", "N")],
    ],
    [
      "overlap 0,1: edits[0] replace_lines @2 @4 and edits[1] replace_lines @5/1 @6/1 name the same lines",
      [lines("@2", "@4", "M"), lines("@5/1", "@6/1", "N")],
    ],
    [
      "overlap 2,1: edits[2] replace_lines @2 @4 and edits[1] insert_after @3 name the same lines",
      [set("@7/1", "F"), below("@3", "y"), lines("@2", "@4", "N")],
    ],
    [
      "overlap 1: edits[1] move_lines @2 @4 @3 has its destination inside its own range",
      [set("@7/1", "F"), move("@2", "@4", "@3")],
    ],
    [
      "bad_request 1: start is after end: the range 2-4 is named backwards",
      [append("y"), lines("@4", "@2", "N")],
    ],
  ])("%s", (expected, edits) => expect(said(down, edits)).toEqual([expected]));

  it.each<[string, string, string]>([
    ["its source changed", "a B c d e f", "stale 1: 1 changed"],
    ["both ends changed", "A b c d X f", "stale 1: 2 changed"],
  ])("a copy, once: %s", (_, now, expected) =>
    expect(said([seen, now], [append("y"), copy("@1", "@2", "@5")])).toEqual([expected]),
  );
});

describe("moves and copies", () => {
  it.each<[string, string, Edits, string]>([
    ["moved to its end, changed inside", "a b X d e f", [move("@2", "@4", "@4")], "= a b X d e f"],
    ["moved to its start, changed inside", "a b X d e f", [move("@2", "@4", "@1")], "= a b X d e f"],
    ["moved beyond its end", seen, [move("@2", "@3", "@4")], "a d b c e f"],
    ["copied to its end, in order", seen, [below("@3", "y"), copy("@2", "@3", "@3")], "a b c y b c d e f"],
    ["copied to its start, in order", seen, [copy("@2", "@3", "@1"), below("@1", "y")], "a b c y b c d e f"],
    ["moved already, more to do", "b c a d e f", [move("@1", "@1", "@3"), set("@6", "F")], "b c a d e F"],
    ["half moved already, more to do", "b c d e f", [move("@1", "@1", "@3"), set("@6", "F")], "!stale"],
  ])("%s", (_, now, edits, expected) => expect(outcome([seen, now], edits)).toBe(expected));

  it("text of several ranges has its order at each of them", () => {
    const spans = [0, 2].map((start) => ({ start, end: start + 1 }));
    expect([0, 1, 2, 3, 5].map((point) => orderBeside(spans, point))).toEqual([2, 0, 2, 0, 1]);
  });
});

describe("beside a region of equal lines", () => {
  const fewer = "m } z n";
  it.each<[string, string | Told, object, string]>([
    ["theirs is above", fewer, set("@4", "Z"), "m } Z n"],
    ["theirs is below", fewer, set("@1", "M"), "M } z n"],
    ["theirs is above an insertion", fewer, above("@4", "y"), "m } y z n"],
    ["theirs is below an insertion", fewer, below("@1", "y"), "m y } z n"],
    ["mine is above", "m } } Z n", lines("@2", "@3", "}"), "m } Z n"],
    ["mine is below", "M } } z n", lines("@2", "@3", "}"), "M } z n"],
    ["an equal line was inserted", { exact: [[3, 3, ["}"]]] }, set("@4", "Z"), "m } } } Z n"],
    ["an equal line was deleted", { exact: [[2, 3, []]] }, set("@4", "Z"), "m } Z n"],
  ])("%s", (_, now, edit, expected) => expect(outcome(["m } } z n", now], [edit])).toBe(expected));
});

describe("already there, taken together", () => {
  it.each<[string, string, Edits]>([
    ["the lower first", "a B C d e f", [set("@3", "C"), set("@2", "B")]],
    ["a line, then above it", "a b y C d e f", [set("@3", "C"), above("@3", "y")]],
    ["below a line, then the line", "a b C y d e f", [below("@3", "y"), set("@3", "C")]],
  ])("%s", (_, now, edits) => expect(outcome([seen, now], edits)).toBe(`= ${now}`));

  it("one meets two regions, the other one of them", () => {
    const [one, two] = [[1, 2, ["X"]] as const, [3, 5, ["Y", "Q"]] as const];
    const edits = [lines("@2", "@4", "X } Y"), set("@5", "Q")];
    expect(outcome(["p } } } q", { exact: [one, two] }], edits)).toBe("= p X } Y Q");
  });

  it.each<[string, object, number, readonly object[]]>([
    ["wholly", set("@3", "C"), 1, []],
    ["in part", lines("@1", "@6", "A b c d e F"), 0, [{ start: 5, end: 6, lines: ["F"] }]],
  ])("only an edit with nothing left to write is: %s", (_, edit, there, pieces) => {
    const view = told(seen, "A b C d e f");
    const found = resolve(normaliseEdits(anchored([edit], view.documents)).edits, view);
    expect(found.alreadyThere).toHaveLength(there);
    expect(found.pieces).toMatchObject(pieces);
  });
});

describe("the message of an overlap", () => {
  it("names the anchor of a single line once", () => {
    const base = Document.fromText("a\nb\nc\n");
    const anchor = anchorOf(base, 1, "hex6");
    const rows = LineSet.all(3);
    const view = {
      history: History.of(base),
      showings: [{ state: 0, rows, scheme: "hex6" as const }],
      known: () => rows,
    };
    const made = runCall(
      [
        { op: "set_line", anchor, text: "x" },
        { op: "set_line", anchor, text: "y" },
      ],
      view,
    );
    expect(made.status === "refused" && made.problems.map(({ message }) => message)).toEqual([
      `edits[0] set_line ${anchor} and edits[1] set_line ${anchor} name the same lines`,
    ]);
  });
});

describe("a range whose ends were printed at different times", () => {
  const others: Told = { exact: [[2, 2, ["x"]]], shown: [[1, 1]] };

  it("of one text: what others put between them since is not replaced", () => {
    const [changed, back]: Told[] = [
      { exact: [[3, 4, ["D"]]], own: true },
      { exact: [[3, 4, ["d"]]], own: true, shown: [[4, 4]] },
    ];
    const states = [{ text: "a b c d", shown: [[1, 2]] }, changed, back, others] as States;
    expect(outcome(states, [lines("@1", "@4", "N")])).toBe("!stale");
  });

  it("of two texts: the newer one counts", () => {
    const states: States = [{ text: "a b c d", shown: [[4, 4]] }, others];
    expect(outcome(states, [lines("@1", "@4", "N")])).toBe("N");
  });
});

describe("two edits that put the same text into one gap", () => {
  const [ours, theirs] = [lines("@1", "@2", "b n"), below("@2", "n")];

  it("of one call put it there twice", () => {
    expect(outcome(["a b c"], [theirs, ours])).toBe("b n n c");
  });

  it("one after the other put it there once, and what else they change is done", () => {
    expect(outcome(["a b c", { exact: [[2, 2, ["n"]]] }], [ours])).toBe("b n c");
  });
});
