import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import type { SchemeName } from "../../src/anchors/scheme.js";
import { type RefusalDetails, refusalDetails, selectRows } from "../../src/answers/refusal-details.js";
import { notRead, refusalText } from "../../src/answers/refusal-text.js";
import { type Door, libraryDoor } from "../../src/answers/voice.js";
import { run } from "../../src/merge/run-edits.js";
import { anchored, type Told, told } from "../support/view.js";

type States = readonly (string | Told)[];

interface Options {
  readonly scheme?: SchemeName;
  readonly retry?: string;
  readonly repeated?: number;
  readonly contention?: string;
  readonly door?: Door;
}

function refusal(states: States, edits: readonly object[], options: Options = {}) {
  const { scheme = "hex6", retry, door = libraryDoor, ...more } = options;
  const view = told(...states);
  const result = run(anchored(edits, view.documents, scheme), view);
  if (result.status !== "refused") throw new Error(result.status);
  const { now } = view.history;
  const selection = selectRows(result.problems, now);
  const found = refusalDetails("src/a.ts", result);
  const details: RefusalDetails = retry === undefined ? found : { ...found, retry };
  const text = refusalText({
    details,
    problems: result.problems,
    ...selection,
    now,
    scheme,
    voice: { door },
    ...more,
  });
  return { text, lines: text.split("\n"), details, selection, result };
}

/** The rows of a refusal: what begins with four blanks or the mark. */
const rowsIn = (lines: readonly string[]) => lines.filter((line) => /^(>>> | {4})/.test(line));
const set = (anchor: string, text: unknown) => ({ op: "set_line", anchor, text });
const below = (anchor: string, text: unknown) => ({ op: "insert_after", anchor, text });
const replace = (start: string, end: string, text: unknown) => ({ op: "replace_lines", start, end, text });
const numbers = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => `n${first + index}`);

describe("a refusal", () => {
  const hello = "function hello() {\n  return 1;\n}\n";
  const changed = "function hello() {\n  return 42;\n}\n";

  it("begins with what was not done, then the rows, changed ones marked, then the next call", () => {
    const { lines } = refusal([hello, changed], [set("@2", "  return 7;")], { retry: "r7" });
    expect(lines[0]).toBe("REJECTED, nothing written.");
    expect(lines[1]).toBe(
      "1 line has changed since last read. Use the updated LINE#ID references shown below (>>> marks changed lines).",
    );
    expect(lines).toContain('It was "  return 1;"');
    const first = lines.indexOf("    1#d14552|function hello() {");
    expect(lines.slice(first - 1, first + 4)).toEqual([
      "",
      "    1#d14552|function hello() {",
      ">>> 2#ffcaa2|  return 42;",
      "    3#44bb18|}",
      expect.stringMatching(/^Still right\?/),
    ]);
    expect(lines.at(-1)).toContain('{"path":"src/a.ts","retry":"r7"}');
  });

  it("shows two lines around, and says where some are left out", () => {
    const seen = numbers(20);
    const now = seen.with(4, "X").with(14, "Y");
    const edits = [set("@5", "a"), set("@15", "b")];
    const { lines } = refusal([seen.join(" "), now.join(" ")], edits);
    const rows = rowsIn(lines).map((row) => row.replace(/#[0-9a-f]{6}/, ""));
    expect(rows).toEqual([
      "    3|n2",
      "    4|n3",
      ">>> 5|X",
      "    6|n5",
      "    7|n6",
      "    [lines 8-12 not shown]",
      "    13|n12",
      "    14|n13",
      ">>> 15|Y",
      "    16|n15",
      "    17|n16",
    ]);
  });

  it("shows both ends of a range and every changed line between them", () => {
    const seen = numbers(30);
    const now = seen.with(14, "X");
    const edit = { op: "replace_lines", start: "@5", end: "@25", text: "new" };
    const { lines, details } = refusal([seen.join(" "), now.join(" ")], [edit]);
    const shown = rowsIn(lines).map((row) => Number(/\d+/.exec(row)?.[0]));
    for (const line of [5, 15, 25]) expect(shown).toContain(line);
    expect(details.affectedRanges).toEqual([{ start: 15, end: 15 }]);
  });

  it.each<[string, States, object, RegExp]>([
    ["changed", ["a b c", "a X c"], set("@2", "N"), /^It was "b"$/m],
    ["only blanks", ["a\nb\nc\n", "a\n b\nc\n"], set("@2", "N"), /^It was "b", only blanks changed$/m],
    ["deleted", ["a b c", "a c"], set("@2", "N"), /^2#\w{6} was "b", deleted$/m],
    ["inserted", ["a b c", "a x b y c"], set("@2", "N"), /^2#\w{6} was added$/m],
    ["never shown", [{ text: "a b c", shown: [[1, 1]] }], set("@3", "N"), /^line 3 .* was never shown$/m],
    [
      "miscopied",
      ["a b c"],
      set("2#0f0dd9", "N"),
      /^2#0f0dd9 does not fit: line 2 was last shown as 2#0cadbf$/m,
    ],
    [
      "another scheme",
      ["a b c"],
      set("2#262d", "N"),
      /^2#262d does not fit: line 2 was last shown as 2#0cadbf$/m,
    ],
    ["not kept", [{ text: "a b", shown: true, kept: "nothing" }, "a c"], set("@2", "N"), /no longer kept$/m],
    ["a bare number", ["a b c"], set("2", "N"), /bare number.*line 2 was shown as 2#0cadbf/],
  ])("says why: %s", (_, states, edit, expected) => expect(refusal(states, [edit]).text).toMatch(expected));

  const long = numbers(200);
  const lost: Told = { text: long.join(" "), shown: true, kept: "nothing" };
  const shifted = [...numbers(30, 1000), ...long].join(" ");
  const gone = [...long.slice(0, 100), ...numbers(100, 5000)].join(" ");
  it.each<[string, States, object, string]>([
    ["where its line is now", [lost, shifted], set("@100", "N"), "110,150"],
    ["where it was, if it is nowhere", [lost, gone], set("@150", "N"), "130,170"],
    ["the end, if that was past it", [lost, numbers(100).join(" ")], set("@190", "N"), "80,100"],
    ["a range", [lost, shifted], replace("@50", "@100", "N"), "60,150"],
    ["a move", [lost, shifted], { op: "move_lines", start: "@5", end: "@9", after: "@150" }, "15,59 160,200"],
    ["a quote", [lost, shifted], { op: "replace_text", old: "n99", new: "N" }, "110,150"],
    [
      "one of two texts",
      [
        { ...lost, shown: [[1, 100]] },
        { text: shifted, shown: [[150, 160]] },
      ],
      replace("@100", "@155/1", "N"),
      "110,175",
    ],
  ])("of a text that is not kept asks for lines around: %s", (_, states, edit, expected) => {
    const { lines, details } = refusal(states, [edit]);
    const ranges = expected.split(" ").map((one) => {
      const [start = 0, end = 0] = one.split(",").map(Number);
      return { start, end };
    });
    expect(details).toMatchObject({ code: "stale", reread: ranges });
    expect(lines.at(-1)).toBe(`Next: call read on src/a.ts with ranges ${JSON.stringify(ranges)}.`);
    const again = refusal(states, [edit], { repeated: 1 });
    expect(again.text).toContain(
      `identical arguments: call read on src/a.ts with ranges ${JSON.stringify(ranges)} first`,
    );
  });

  it("of a text that is not kept asks for a short file as a whole", () => {
    const { lines, details } = refusal(
      [{ text: "a b c", shown: true, kept: "nothing" }, "a b C"],
      [set("@2", "N")],
    );
    expect(lines.at(-1)).toBe("Next: call read on src/a.ts.");
    expect(details).not.toHaveProperty("reread");
  });

  it("says who, if that is known", () => {
    const view = told("a b c", "a X c");
    const result = run(anchored([set("@2", "N")], view.documents), view);
    if (result.status !== "refused") throw new Error(result.status);
    const found = refusalDetails("src/a.ts", result);
    const details = { ...found, mismatches: found.mismatches.map((one) => ({ ...one, by: "agent-2" })) };
    const { now } = view.history;
    const selection = selectRows(result.problems, now);
    const { problems } = result;
    const text = refusalText({
      details,
      problems,
      ...selection,
      now,
      scheme: "hex6",
      voice: { door: libraryDoor },
    });
    expect(text).toContain('was "b", changed by agent-2');
  });

  it("tells all problems, also beside changed lines", () => {
    const edits = [set("@2", "N"), set("5#0f0dd9", "N"), { op: "replace_text", old: "zz", new: "" }];
    const { text } = refusal(["a b c d e f", "a X c d e f"], edits);
    expect(text).toMatch(/1 line has changed/);
    expect(text).toMatch(/5#0f0dd9 does not fit/);
    expect(text).toMatch(/"zz" is not in the text/);
  });

  it("prints lean rows for a caller that speaks lean", () => {
    const states: States = [{ text: "a b c", shown: true, scheme: "lean" }, "a X c"];
    const { lines } = refusal(states, [set("@2", "N")], { scheme: "lean" });
    expect(lines[1]).toMatch(/Use the updated anchors shown below/);
    expect(rowsIn(lines)).toEqual([
      expect.stringMatching(/^ {4}[a-z]{3}1\ta$/),
      expect.stringMatching(/^>>> [a-z]{3}2\tX$/),
      expect.stringMatching(/^ {4}[a-z]{3}3\tc$/),
    ]);
  });

  it("mentions five changes and counts the rest", () => {
    const seen = numbers(12);
    const now = numbers(12, 100);
    const edit = { op: "replace_lines", start: "@1", end: "@12", text: "N" };
    const { text } = refusal([seen.join(" "), now.join(" ")], [edit]);
    expect(text).toMatch(/^12 lines have changed/m);
    expect(text.match(/^\d+#\w{6} was "n\d+"$/gm)).toHaveLength(5);
    expect(text).toContain("[and 7 more]");
  });

  it("never becomes a re-read: 40 rows, changed lines first, and then it says so", () => {
    const seen = numbers(100);
    const some = seen.map((line, index) => (index >= 10 && index < 46 ? `X${index}` : line));
    const edit = { op: "replace_lines", start: "@5", end: "@90", text: "N" };
    const fits = refusal([seen.join(" "), some.join(" ")], [edit]);
    expect(fits.selection).toMatchObject({ complete: true });
    expect(rowsIn(fits.lines).filter((row) => row.startsWith(">>> "))).toHaveLength(36);
    const all = refusal([seen.join(" "), numbers(100, 500).join(" ")], [edit]);
    expect(all.selection.complete).toBe(false);
    expect(rowsIn(all.lines)).toHaveLength(40);
    expect(all.text).toMatch(
      /\[not all changed lines are shown: call read on src\/a\.ts with ranges \[\{"start":\d+/,
    );
    expect(all.details.mismatches.length).toBeGreaterThanOrEqual(86);
  });

  it("a line too long for a row is neither printed nor counted as shown", () => {
    const long = "x".repeat(2001);
    const { selection, text } = refusal(["a b c", `a ${long} c`], [set("@2", "N")]);
    expect(selection.complete).toBe(false);
    expect(selection.shown.has(1)).toBe(false);
    expect(text).not.toContain(long);
  });

  it("what it prints is what it counts as shown", () => {
    const { selection, lines } = refusal(["a b c d e f", "a X c d e f"], [set("@2", "N")]);
    expect(selection.shown.ranges()).toEqual([{ start: 1, end: 4 }]);
    expect(rowsIn(lines)).toHaveLength(4);
  });

  it.each<[number, RegExp]>([
    [1, /^do not retry identical arguments: call read on src\/a\.ts first$/m],
    [2, /^Stop\. Do not retry identical arguments: call read on src\/a\.ts first$/m],
  ])("refused %i times before, it gets sharper", (repeated, expected) =>
    expect(refusal(["a b", "a X"], [set("@2", "N")], { repeated }).text).toMatch(expected),
  );

  it("speaks the words of its door", () => {
    const door: Door = {
      read: (path) => `call read_file on ${path}`,
      retry: (_, handle) => `edit_file {"retry":"${handle}"}`,
    };
    const states: States = [{ text: "a b", shown: true, kept: "nothing" }, "a c"];
    expect(refusal(states, [set("@2", "N")], { door }).lines.at(-1)).toBe(
      "Next: call read_file on src/a.ts.",
    );
    const retried = refusal(["a b", "a c"], [set("@2", "N")], { door, retry: "r1" });
    expect(retried.lines.at(-1)).toContain('edit_file {"retry":"r1"}');
    expect(notRead("src/a.ts", door)).toBe(
      "src/a.ts was not read in this session: call read_file on it first",
    );
  });

  it("details hold everything, for programs", () => {
    const { details } = refusal(
      ["a b c d e f", "x a B C d e f"],
      [{ op: "delete_lines", start: "@2", end: "@3" }, set("@6", "F")],
    );
    expect(details).toMatchObject({
      status: "refused",
      code: "stale",
      path: "src/a.ts",
      mismatches: [
        { path: "src/a.ts", line: 3, cause: "changed", shown: "b", now: "B" },
        { path: "src/a.ts", line: 4, cause: "changed", shown: "c", now: "C" },
      ],
      affectedRanges: [{ start: 3, end: 4 }],
    });
    expect(details.remaps.map(({ kind }) => kind)).toEqual(["changed", "changed", "moved"]);
  });
});

describe("sending a refused call again on the rows of the refusal", () => {
  it.each<[string, string, object, readonly (readonly [number, number, readonly string[]])[] | null]>([
    ["a line that changed", "a X c d e f", set("@2", "N"), [[1, 2, ["N"]]]],
    ["inside a range", "a b X d e f", replace("@2", "@4", ["N"]), [[1, 4, ["N"]]]],
    ["a range to delete", "a b X d e f", { op: "delete_lines", start: "@2", end: "@4" }, [[1, 4, []]]],
    ["a range retyped", "a b X d e f", replace("@2", "@4", ["b", "N", "d"]), [[2, 3, ["N"]]]],
    ["beside a line that changed", "a X c d e f", below("@2", "N"), [[2, 2, ["N"]]]],
    ["before what continues the line", "a b , c d e f", below("@2", "N"), [[2, 2, ["N"]]]],
    ["moved and changed", "x y a X c d e f", set("@2", "N"), [[3, 4, ["N"]]]],
    ["one became two, which?", "a X Y d e f", below("@2", "N"), [[2, 2, ["N"]]]],
    ["two became one", "a X d e f", set("@2", "N"), null],
    ["another hash", "a b c d e f", set("2#0f0dd9", "N"), null],
    [
      "a move",
      "a X c d e f",
      { op: "move_lines", start: "@2", end: "@2", after: "@5" },
      [
        [1, 2, []],
        [5, 5, ["X"]],
      ],
    ],
    ["a move of what is gone", "a c d e f", { op: "move_lines", start: "@2", end: "@2", after: "@5" }, null],
  ])("%s", (_, now, edit, expected) => {
    const { forced } = refusal(["a b c d e f", now], [edit]).result;
    expect(forced?.map(({ start, end, lines }) => [start, end, lines]) ?? null).toEqual(expected);
  });

  it("keeps the order at one point, and does not repeat what is already there", () => {
    const order = [below("@2", "z"), replace("@1", "@2", ["a", "b", "w"]), set("@6", "Z")];
    expect(
      refusal(["a b c d e f", "a b c d e X"], order).result.forced?.flatMap(({ lines }) => lines),
    ).toEqual(["w", "z", "Z"]);
    const there = [below("@2", "new"), set("@6", "Z")];
    expect(refusal(["a b c d e f", "a b new c d e X"], there).result.forced).toEqual([
      { start: 6, end: 7, lines: ["Z"] },
    ]);
  });
});

describe("tokens (o200k)", () => {
  it("one stale line in 1,000: refusal and retry together cost at most 220", () => {
    for (let round = 0; round < 20; round++) {
      const seen = Array.from(
        { length: 1000 },
        (_, at) => `  const value${at} = compute(items[${at * 7 + round}], options);`,
      );
      const now = seen.with(500, `  const value500 = await computeAll(items[${round}], options);`);
      const states: States = [{ raw: `${seen.join("\n")}\n`, shown: true }, { raw: `${now.join("\n")}\n` }];
      const { text } = refusal(states, [set("@501", "  const value500 = 7;")], { retry: "r7" });
      const retry = JSON.stringify({ path: "src/a.ts", retry: "r7" });
      expect(countTokens(text) + countTokens(retry)).toBeLessThanOrEqual(220);
    }
  });
});
