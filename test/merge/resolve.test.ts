import { describe, expect, it } from "vitest";
import { computeLineHash } from "../../src/anchors/scheme.js";
import { type EngineOptions, type Refused, run } from "../../src/merge/run-edits.js";
import type { Document } from "../../src/text/document.js";
import { anchored, at, type Told, told, wordsAfter } from "../support/view.js";

type States = readonly (string | Told)[];

function play(states: States, edits: readonly object[], options?: EngineOptions) {
  const view = told(...states);
  return run(anchored(edits, view.documents), view, options);
}

function refusal(states: States, edits: readonly object[], options?: EngineOptions): Refused {
  const result = play(states, edits, options);
  if (result.status !== "refused") throw new Error(`${result.status}: ${wordsAfter(result)}`);
  return result;
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
const remove = (start: string, end = start) => ({ op: "delete_lines", start, end });
const move = (start: string, end: string, to: string) => ({ op: "move_lines", start, end, after: to });
const copy = (start: string, end: string, to: string) => ({ op: "copy_lines", start, end, after: to });

const seen = "a b c d e f";

describe("others changed the file since it was shown", () => {
  it.each<[string, string, object, string]>([
    ["inserted above", "x a b c d e f", set("@4", "D"), "x a b c D e f"],
    ["deleted above", "b c d e f", set("@4", "D"), "b c D e f"],
    ["changed elsewhere", "a b c d e F", set("@4", "D"), "a b c D e F"],
    ["changed above and below", "A x b c d e", set("@4", "D"), "A x b c D e"],
    ["the line itself", "a b c X e f", set("@4", "D"), "!stale"],
    ["only its blanks", "a\nb\nc\n\td\ne\nf\n", set("@4", "D"), "!stale"],
    ["the line is gone", "a b c e f", set("@4", "D"), "!deleted"],
    ["the line above it", "a b X d e f", set("@4", "D"), "a b X D e f"],
    ["the line below it", "a b c d X f", set("@4", "D"), "a b c D X f"],
    ["two lines above it", "a X c d e f", set("@4", "D"), "a X c D e f"],
    ["inserted directly above it", "a b c x d e f", set("@4", "D"), "a b c x D e f"],
    ["inserted directly below it", "a b c d x e f", set("@4", "D"), "a b c D x e f"],
    ["the same change", "a b c D e f", set("@4", "D"), "= a b c D e f"],
    ["the same change and more", "a b c D x e f", set("@4", "D"), "!stale"],
    ["inside a replaced block", "a b X d e f", replace("@2", "@4", "N"), "!stale"],
    ["inserted inside a replaced block", "a b c x d e f", replace("@2", "@5", "N"), "!stale"],
    ["deleted inside a deleted block", "a b d e f", remove("@2", "@4"), "!deleted"],
    ["the block is deleted already", "a e f", remove("@2", "@4"), "= a e f"],
    ["among lines retyped unchanged", "a b C d e f", replace("@1", "@5", "A b c d e"), "A b C d e f"],
    ["beside a line retyped changed", "a b C d e f", replace("@1", "@5", "a B c d e"), "!stale"],
    ["inserted among lines retyped", "a b x c d e f", replace("@1", "@6", "a b c d e F"), "a b x c d e F"],
    ["half of our change", "A b c d e f", replace("@1", "@6", "A b c d e F"), "A b c d e F"],
    ["both inserted in one gap, after", "a b x c d e f", below("@2", "y"), "a b y x c d e f"],
    ["both inserted in one gap, before", "a b x c d e f", above("@3", "y"), "a b x y c d e f"],
    ["both inserted the same", "a b y c d e f", below("@2", "y"), "= a b y c d e f"],
    ["an insertion's anchor", "a B c d e f", below("@2", "y"), "!stale"],
    ["an insertion's other neighbour", "a B c d e f", above("@3", "y"), "a B y c d e f"],
    ["beyond an insertion's neighbour", "a B c d e f", below("@3", "y"), "a B c y d e f"],
    ["the last line, and one goes after it", "a b c d e F", below("@6", "y"), "!stale"],
    ["added at the end, where one is inserted", "a b c d e f x", below("@6", "y"), "a b c d e f y x"],
    ["added at the start, where one is inserted", "x a b c d e f", above("@1", "y"), "x y a b c d e f"],
    ["everything", "u v w", set("@4", "D"), "!stale"],
    ["everything deleted", "", set("@4", "D"), "!deleted"],
  ])("%s", (_, now, edit, expected) => expect(wordsAfter(play([seen, now], [edit]))).toBe(expected));

  it.each<[string, string, object, string]>([
    ["between source and destination", "a b c X e f", move("@1", "@2", "@5"), "c X e a b f"],
    ["inserted above", "x y a b c d e f", move("@2", "@3", "@5"), "x y a d e b c f"],
    ["the moved lines", "a B c d e f", move("@1", "@2", "@5"), "!stale"],
    ["inside the moved lines", "a x b c d e f", move("@1", "@2", "@5"), "!stale"],
    ["the destination", "a b c d X f", move("@1", "@2", "@5"), "!stale"],
    ["inserted at the destination", "a b c d e x f", move("@1", "@2", "@5"), "!stale"],
    ["the same move", "c d e a b f", move("@1", "@2", "@5"), "= c d e a b f"],
    ["half of the move: put there", "a b c d e a b f", move("@1", "@2", "@5"), "!stale"],
    ["half of the move: taken away", "c d e f", move("@1", "@2", "@5"), "!stale"],
    ["the copied lines", "a B c d e f", copy("@1", "@2", "@5"), "!stale"],
    ["inside the copied lines", "a x b c d e f", copy("@1", "@2", "@5"), "!stale"],
    ["beside the copied lines", "a b X d e f", copy("@1", "@2", "@5"), "a b X d e a b f"],
    ["the destination of a copy", "a b c d X f", copy("@1", "@2", "@5"), "!stale"],
  ])("moved or copied: %s", (_, now, edit, expected) =>
    expect(wordsAfter(play([seen, now], [edit]))).toBe(expected),
  );

  it.each<[string, string, object, string, RegExp | null]>([
    ["at the end", "a b x", { op: "append", text: "y" }, "a b x y", /others added text at the end/],
    ["at the start", "x a b", { op: "prepend", text: "y" }, "y x a b", /others added text at the start/],
    ["elsewhere", "x a b", { op: "append", text: "y" }, "x a b y", null],
  ])("appending is no conflict: %s", (_, now, edit, expected, warning) => {
    const result = play(["a b", now], [edit]);
    expect(wordsAfter(result)).toBe(expected);
    expect(result).toMatchObject({ warnings: warning ? [expect.stringMatching(warning)] : [] });
  });

  it.each<[string, string, readonly object[], string]>([
    ["two lines that changed together", "a X Y d e f", [set("@2", "B"), set("@3", "C")], "!stale"],
    ["both made what others made", "a B C d e f", [set("@2", "B"), set("@3", "C")], "= a B C d e f"],
    ["one of both did", "a B c d e f", [set("@2", "B"), set("@6", "F")], "a B c d e F"],
    ["beside itself, part of it gone", "a b", [move("@2", "@4", "@1")], "= a b"],
  ])("several edits, or none: %s", (_, now, edits, expected) =>
    expect(wordsAfter(play([seen, now], edits))).toBe(expected),
  );

  it("a text that is back is the text it was, whatever was done in between", () => {
    const away: States = ["a b c", { exact: [[1, 2, ["X"]]] }, { exact: [[1, 2, ["b"]]] }];
    expect(wordsAfter(play(away, [set("@2", "Z")]))).toBe("a Z c");
    const own: Told = { exact: [[1, 2, ["X"]]], own: true };
    expect(wordsAfter(play(["a b c", own, "a b c"], [set("@2", "Z")]))).toBe("a Z c");
    expect(wordsAfter(play(["a b c", own, "a b c", { exact: [[0, 0, ["n"]]] }], [set("@2", "Z")]))).toBe(
      "n a Z c",
    );
    expect(wordsAfter(play(["a b c", own, "a b c", { exact: [[1, 2, ["Y"]]] }], [set("@2", "Z")]))).toBe(
      "!stale",
    );
  });

  it("a call is all or nothing", () => {
    expect(wordsAfter(play([seen, "a B c d e f"], [set("@6", "F"), set("@2", "X")]))).toBe("!stale");
  });

  it("tells where an edit went", () => {
    const edits = [set("@1", "A"), replace("@3", "@4", "N"), set("@6", "f")];
    expect(play([seen, "a x b c d e f"], [edits[1], edits[2]] as object[])).toMatchObject({
      edits: [
        {
          index: 0,
          op: "replace_lines",
          status: "relocated",
          from: { start: 3, end: 4 },
          to: { start: 4, end: 5 },
        },
        { index: 1, op: "set_line", status: "noop" },
      ],
    });
    expect(play([seen, "a b c d x e f"], [edits[0]] as object[])).toMatchObject({
      edits: [{ status: "exact" }],
    });
  });

  it("tells what was shown, what is there now, and why", () => {
    const { problems } = refusal([seen, "x a b C d e f"], [set("@3", "N")]);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.mismatches).toMatchObject([
      {
        anchor: "3#b00f1b",
        line: 4,
        expected: "3#b00f1b",
        actual: `4#${computeLineHash("C")}`,
        cause: "changed",
        shown: "c",
        now: "C",
      },
    ]);
    expect(problems[0]?.changed.ranges()).toEqual([{ start: 4, end: 4 }]);
  });

  it.each<[string, string, object, readonly string[]]>([
    ["blanks", "a\nb\nc\n d\ne\nf\n", set("@4", "D"), ["blanks"]],
    ["deleted", "a b c e f", set("@4", "D"), ["deleted"]],
    ["inserted", "a b c x d y e f", set("@4", "D"), ["inserted", "inserted"]],
    ["in a range", "a B c D e f", replace("@1", "@5", "N"), ["changed", "changed"]],
  ])("cause: %s", (_, now, edit, causes) => {
    const { problems } = refusal([seen, now], [edit]);
    expect(problems.flatMap(({ mismatches }) => mismatches).map(({ cause }) => cause)).toEqual(causes);
  });
});

describe("equal lines", () => {
  const blocks = "{ x } { x }";
  it.each<[string, States, object, string]>([
    ["one of three is gone, which?", ["} } }", "} }"], set("@2", "X"), "!stale"],
    ["one of three is gone, it is known which", ["} } }", { exact: [[0, 1, []]] }], set("@3", "X"), "} X"],
    ["one more, which?", ["} } }", "} } } }"], set("@2", "X"), "!stale"],
    ["one more, it is known where", ["} } }", { exact: [[0, 0, ["}"]]] }], set("@2", "X"), "} } X }"],
    ["the same change to one of them", ["} } }", "} }"], remove("@2"), "= } }"],
    ["one of two blocks is gone", [blocks, "{ x }"], set("@5", "X"), "!deleted"],
    ["it is known that it was the other", [blocks, { exact: [[0, 3, []]] }], set("@5", "X"), "{ X }"],
    ["it is known that it was this one", [blocks, { exact: [[3, 6, []]] }], set("@5", "X"), "!deleted"],
    ["apart from where it is unclear", ["} } } m z", "} } m z"], set("@5", "Z"), "} } m Z"],
  ])("%s", (_, states, edit, expected) => {
    const found = wordsAfter(play(states, [edit]));
    if (expected === "!stale") expect(["!stale", "!deleted"]).toContain(found);
    else expect(found).toBe(expected);
  });
});

describe("own edits make nobody blind", () => {
  const own = (...exact: NonNullable<Told["exact"]>): Told => ({ exact, own: true });
  it.each<[string, States, object, string]>([
    ["beside a line I changed", [seen, own([1, 2, ["B"]])], set("@3", "C"), "a B C d e f"],
    ["beside a line others changed so", [seen, { exact: [[1, 2, ["B"]]] }], set("@3", "C"), "a B C d e f"],
    ["again in the gap I filled", [seen, own([1, 1, ["x"]])], below("@1", "y"), "a y x b c d e f"],
    ["over what I put there", [seen, own([2, 2, ["x", "y"]])], remove("@2", "@3"), "a d e f"],
    ["the line that I replaced", [seen, own([1, 2, ["B"]])], set("@2", "X"), "!stale"],
    ["the line that I deleted", [seen, own([1, 2, []])], set("@2", "X"), "!stale"],
    [
      "others changed what I had changed",
      [seen, own([1, 2, ["B"]]), "a X c d e f"],
      set("@3", "C"),
      "a X C d e f",
    ],
    [
      "others changed something else",
      [seen, own([1, 2, ["B"]]), "a B c d e F"],
      set("@3", "C"),
      "a B C d e F",
    ],
  ])("%s", (_, states, edit, expected) => expect(wordsAfter(play(states, [edit]))).toBe(expected));
});

describe("which line an anchor means", () => {
  const brace = "2#44bb18";
  const shifted: States = ["h } q r s", { exact: [[0, 0, ["g", "}"]]], shown: [[2, 2]] }];

  it("printed for two places: refused, both shown", () => {
    const { problems } = refusal(shifted, [set(brace, "X")]);
    expect(problems).toMatchObject([{ code: "ambiguous" }]);
    expect(problems[0]?.mismatches.map(({ line }) => line).sort()).toEqual([2, 4]);
    expect(problems[0]?.rows.ranges()).toEqual([
      { start: 2, end: 2 },
      { start: 4, end: 4 },
    ]);
  });

  it("a line that is gone is a different place", () => {
    const states: States = [
      "h } q r",
      { exact: [[1, 2, []]] },
      { exact: [[1, 1, ["}", "n"]]], shown: [[2, 2]] },
    ];
    const { problems } = refusal(states, [set(brace, "X")]);
    expect(problems).toMatchObject([{ code: "ambiguous" }]);
    expect(problems[0]?.mismatches.map(({ line }) => line)).toEqual([2, null]);
    expect(problems[0]?.mismatches.map(({ cause }) => cause)).toEqual(["ambiguous", "ambiguous"]);
  });

  it("a line that is gone is no place once the agent was told, or removed it itself", () => {
    const states: States = [
      "h } q r",
      { exact: [[1, 2, []]] },
      { exact: [[1, 1, ["}", "n"]]], shown: [[2, 2]] },
    ];
    const view = told(...states);
    const told_ = { ...view, isUntold: () => false };
    expect(wordsAfter(run(anchored([set(brace, "X")], view.documents), told_))).toBe("h X n q r");
    const own: States = [
      "h } q r",
      { exact: [[1, 2, []]], own: true },
      { exact: [[1, 1, ["}", "n"]]], own: true, shown: [[2, 2]] },
    ];
    expect(wordsAfter(play(own, [set(brace, "X")]))).toBe("h X n q r");
  });

  it("lines that are all gone are no choice", () => {
    const states: States = ["h } q r", { exact: [[1, 2, ["}"]]], shown: [[2, 2]] }, { exact: [[1, 2, []]] }];
    expect(wordsAfter(play(states, [set(brace, "X")]))).toBe("!deleted");
    expect(wordsAfter(play([states[0] as string, { exact: [[1, 2, []]] }], [set(brace, "X")]))).toBe(
      "!deleted",
    );
  });

  it("printed twice for one line: no question", () => {
    const states: States = ["a b c d", { exact: [[3, 4, ["D"]]], shown: true }, { exact: [[0, 0, ["x"]]] }];
    expect(wordsAfter(play(states, [set("@2", "B")]))).toBe("x a B c D");
  });

  it("a retired row does not count", () => {
    const states: States = [{ text: "h } q r s", shown: [[3, 5]] }, shifted[1] as Told];
    expect(wordsAfter(play(states, [set(brace, "X")]))).toBe("g X h } q r s");
  });

  it("the other anchors of an edit decide nothing, nor does the newest showing", () => {
    expect(wordsAfter(play(shifted, [replace(brace, "@4", "X")]))).toBe("!ambiguous");
    expect(wordsAfter(play(shifted, [replace(brace, brace, "X")]))).toBe("!ambiguous");
    const both: States = ["h } q r s", { exact: [[0, 0, ["g", "}"]]], shown: [[2, 3]] }];
    expect(wordsAfter(play(both, [replace(brace, "@3/1", "X")]))).toBe("!ambiguous");
  });

  it("each way to take it is a choice, the newest showing first, with what it would do", () => {
    const { choices, forced } = refusal(shifted, [set(brace, "X")]);
    expect(forced).toBeNull();
    expect(choices).toEqual([
      { lines: [1], splices: [{ start: 1, end: 2, lines: ["X"] }], isForced: false },
      { lines: [3], splices: [{ start: 3, end: 4, lines: ["X"] }], isForced: false },
    ]);
    // Beginning at line 4 the range would end before it begins.
    const range = refusal(shifted, [replace(brace, "@3/1", "X")]);
    expect(range.problems.map(({ code }) => code)).toContain("ambiguous");
  });

  it("a choice that meets others' changes shows them", () => {
    const states: States = [...shifted, "g } h } Q r s"];
    const { choices, problems } = refusal(states, [replace(brace, "@3", "X")]);
    expect(choices?.map(({ lines, isForced }) => [lines, isForced])).toEqual([
      [[1], true],
      [[3], true],
    ]);
    expect(problems[0]?.changed.ranges()).toEqual([{ start: 5, end: 5 }]);
  });

  it("echoed content decides between rows of one hash", () => {
    const word = computeLineHash("a", "lean");
    let number = 0;
    while (computeLineHash(`t${number}`, "lean") !== word) number++;
    const twin = `t${number}`;
    const states: States = [
      { text: "a q r", shown: true, scheme: "lean" },
      { text: `${twin} q r`, shown: true, scheme: "lean" },
    ];
    expect(wordsAfter(play(states, [set(`${word}1`, "X")]))).toBe("!ambiguous");
    expect(wordsAfter(play(states, [set(`${word}1\t${twin}`, "X")]))).toBe("X q r");
    expect(wordsAfter(play(states, [set(`${word}1\ta`, "X")]))).toBe("!stale");
    expect(wordsAfter(play(states, [set(`${word}1\tb`, "X")]))).toBe("!wrong_hash");
  });

  it.each<[string, States, string, string]>([
    ["never shown", [{ text: seen, shown: [[1, 2]] }], "@4", "!not_shown"],
    ["worked out", [seen], "9#0f0dd9", "!not_shown"],
    ["worked out for a line that moved", [seen, { exact: [[0, 0, ["x"]]] }], "@5/1", "!wrong_hash"],
    ["shown without anchors", [{ text: seen, shown: true, scheme: null }], "@4", "!not_shown"],
    ["another hash was shown", [seen], "4#0f0dd9", "!wrong_hash"],
    ["shown in another scheme", [{ text: seen, shown: true, scheme: "lean" }], "@4", "!wrong_hash"],
  ])("no line, since it was not printed: %s", (_, states, anchor, expected) =>
    expect(wordsAfter(play(states, [set(anchor, "X")]))).toBe(expected),
  );

  it("a miscopied hash is answered with the right one, and the row", () => {
    const { problems } = refusal([seen, "x a b c d e f"], [set("4#0f0dd9", "X")]);
    const right = at(told(seen).documents[0] as Document, 4);
    expect(problems).toMatchObject([{ code: "wrong_hash", message: expect.stringContaining(right) }]);
    expect(problems[0]?.mismatches).toMatchObject([{ cause: "miscopied", line: 5, shown: "d" }]);
    expect(problems[0]?.rows.ranges()).toEqual([{ start: 5, end: 5 }]);
  });

  const wrong = "0f0dd9";
  it.each<[string, States, object, readonly string[]]>([
    ["a range", [seen], replace(`2#${wrong}`, `4#${wrong}`, "X"), [`2#${wrong}`, `4#${wrong}`]],
    [
      "a move",
      [seen],
      move(`1#${wrong}`, `2#${wrong}`, `5#${wrong}`),
      [`1#${wrong}`, `2#${wrong}`, `5#${wrong}`],
    ],
    ["one of them right", [seen], move(`1#${wrong}`, "@2", `5#${wrong}`), [`1#${wrong}`, `5#${wrong}`]],
    ["one line, named twice", [seen], remove(`2#${wrong}`), [`2#${wrong}`]],
    [
      "a quote",
      [seen],
      { op: "replace_text", old: "c", new: "X", anchor: `2#${wrong}`, end: `4#${wrong}` },
      [`2#${wrong}`, `4#${wrong}`],
    ],
    [
      "never shown",
      [{ text: seen, shown: [[1, 1]] }],
      replace(`2#${wrong}`, `4#${wrong}`, "X"),
      [`2#${wrong}`, `4#${wrong}`],
    ],
    [
      "changed by the agent itself",
      [
        seen,
        {
          exact: [
            [1, 2, ["B"]],
            [3, 4, ["D"]],
          ],
          own: true,
        },
      ],
      move("@2", "@4", "@6"),
      ["2#0cadbf", "4#f35290"],
    ],
    [
      "changed before the newest was shown",
      [
        { text: seen, shown: [[1, 3]] },
        { text: "A b C d e f", shown: [[5, 5]] },
      ],
      move("@1", "@3", "@5/1"),
      ["1#0d7456", "3#b00f1b"],
    ],
    [
      "each for several lines",
      [
        {
          text: "a q b r s t u v",
          shown: [
            [1, 1],
            [3, 3],
          ],
        },
        {
          text: "a q b r a q b r s t u v",
          shown: [
            [1, 1],
            [3, 3],
          ],
        },
        { exact: [[0, 0, ["x", "y"]]] },
      ],
      replace("@1", "@3", "X"),
      ["1#0d7456", "3#0cadbf"],
    ],
  ])("all bad anchors of an edit are told: %s", (_, states, edit, expected) => {
    const { problems } = refusal(states, [edit]);
    const anchors = problems.flatMap(({ mismatches }) => mismatches.map(({ anchor }) => anchor));
    expect([...new Set(anchors)]).toEqual(expected);
    for (const { edits } of problems) expect(edits).toEqual([0]);
    expect(new Set(problems.map(({ message }) => message)).size).toBe(expected.length);
  });
});

describe("which text is the base", () => {
  it.each<[string, States, object, string]>([
    [
      "anchors of two texts: the newer, the other carried",
      [
        { text: seen, shown: [[1, 2]] },
        { text: "x a b c d e f", shown: [[5, 6]] },
      ],
      replace("@2", "@5/1", "N"),
      "x a N e f",
    ],
    [
      "one that changed before is not carried",
      [
        { text: seen, shown: [[1, 2]] },
        { text: "x a B c d e f", shown: [[5, 6]] },
      ],
      replace("@2", "@5/1", "N"),
      "!stale",
    ],
    [
      "both printed twice: the newer, with what stood between",
      [seen, { text: "a b C d e f", shown: true }],
      replace("@2", "@4", "N"),
      "a N e f",
    ],
    [
      "only one printed again: the older",
      [seen, { text: "a b C d e f", shown: [[2, 2]] }],
      replace("@2", "@4", "N"),
      "!stale",
    ],
    [
      "and then it changed again",
      [seen, { text: "a b C d e f", shown: true }, "a b X d e f"],
      replace("@2", "@4", "N"),
      "!stale",
    ],
    [
      "a destination from another text",
      [
        { text: seen, shown: [[1, 2]] },
        { text: "x a b c d e f", shown: [[6, 6]] },
      ],
      move("@1", "@2", "@6/1"),
      "x c d e a b f",
    ],
  ])("%s", (_, states, edit, expected) => expect(wordsAfter(play(states, [edit]))).toBe(expected));

  it("each edit has its own; they meet in the file now", () => {
    const states: States = [
      { text: seen, shown: [[2, 3]] },
      { text: "x a b c d e f", shown: [[5, 6]] },
    ];
    expect(wordsAfter(play(states, [set("@2", "B"), set("@6/1", "E")]))).toBe("x a B c d E f");
    expect(wordsAfter(play(states, [replace("@2", "@3", "N"), below("@5/1", "y")]))).toBe("x a N d y e f");
    const twice: States = [seen, { text: "x a b c d e f", shown: true }];
    expect(wordsAfter(play(twice, [set("@3", "A"), set("@4/1", "B")]))).toBe("!overlap");
  });
});

describe("texts that are not kept", () => {
  const kept = (how: "hashes" | "nothing"): Told => ({ text: seen, shown: true, kept: how });
  it.each<[string, States, string, string]>([
    ["forgotten, the file changed", [kept("nothing"), "a b c d e F"], "@2", "!stale"],
    ["forgotten, the file is the same", [kept("nothing"), seen], "@2", "a X c d e f"],
    ["forgotten, and back again", [kept("nothing"), "a", seen], "@2", "a X c d e f"],
    ["hashes only, another line changed", [kept("hashes"), "a b c d e F"], "@2", "a X c d e F"],
    ["hashes only, lines moved it", [kept("hashes"), "x y a b c d e f"], "@2", "x y a X c d e f"],
    ["hashes only, the line changed", [kept("hashes"), "a b c d e F"], "@6", "!stale"],
    ["hashes only, the line is gone", [kept("hashes"), "a b c d e"], "@6", "!deleted"],
    ["hashes only, the line and others are gone", [kept("hashes"), "a c d e"], "@2", "!deleted"],
    ["hashes only, the file is the same", [kept("hashes"), seen], "@2", "a X c d e f"],
    ["hashes only, another hash", [kept("hashes"), "a b c d e F"], "2#0f0dd9", "!wrong_hash"],
    [
      "followed through one by exact changes",
      [seen, { exact: [[0, 0, ["x"]]], kept: "nothing" }, { exact: [[0, 1, []]] }],
      "@2",
      "a X c d e f",
    ],
    [
      "one between is forgotten, texts are compared",
      [seen, { text: "z", kept: "nothing" }, "x a b c d e f"],
      "@2",
      "x a X c d e f",
    ],
  ])("%s", (_, states, anchor, expected) =>
    expect(wordsAfter(play(states, [set(anchor, "X")]))).toBe(expected),
  );

  it("say that they are forgotten", () => {
    expect(refusal([kept("nothing"), "a"], [set("@2", "X")]).problems).toMatchObject([
      { code: "stale", mismatches: [{ cause: "forgotten" }] },
    ]);
  });
});
