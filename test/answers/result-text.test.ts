import { describe, expect, it } from "vitest";
import { changedRanges, resultText } from "../../src/answers/result-text.js";
import { libraryDoor } from "../../src/answers/voice.js";
import { type Applied, run } from "../../src/merge/run-edits.js";
import { LineSet } from "../../src/text/line-set.js";
import { anchored, at, type Told, told } from "../support/view.js";

type States = readonly (string | Told)[];

const voice = { door: libraryDoor };

function success(
  states: States,
  edits: readonly object[],
): { applied: Applied; text: string; printed: LineSet } {
  const view = told(...states);
  const applied = run(anchored(edits, view.documents), view);
  if (applied.status === "refused") throw new Error("refused");
  return { applied, ...resultText({ path: "src/a.ts", applied, scheme: "hex6", voice }) };
}

const set = (anchor: string, text: unknown) => ({ op: "set_line", anchor, text });
const numbers = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => `n${first + index}`);
describe("a success", () => {
  it("is one line and the anchors of what was written, without its text", () => {
    const { text, printed, applied } = success(["a b c d"], [set("@2", "X\nY")]);
    const [first, second, ...rest] = text.split("\n");
    expect(first).toContain("; keep using the anchors you were shown");
    expect(second).toBe(`${at(applied.document, 2)} ${at(applied.document, 3)}`);
    expect(rest).toEqual([]);
    expect(text).not.toMatch(/\bX\b|\|/);
    expect(printed.ranges()).toEqual([{ start: 2, end: 3 }]);
  });

  it.each<[string, States, readonly object[], RegExp]>([
    ["added", ["a b"], [{ op: "append", text: "X" }], /a.ts edited/],
    ["deleted", ["a b c"], [{ op: "delete_lines", start: "@1", end: "@2" }], /2 lines deleted/],
    ["replaced", ["a b c"], [{ op: "replace_lines", start: "@1", end: "@2", text: "X" }], /edited/],
    ["relocated", ["a b c", "x a b c"], [set("@3", "N")], /relocated/],
    ["partly there", ["a b c d", "A b c d"], [set("@1", "A"), set("@4", "D")], /1 already there/],
    ["warned", ["a b c"], [set("@2", "a")], /^! .*repeats the line above it/m],
  ])("says what was done: %s", (_, states, edits, expected) => {
    const { text } = success(states, edits);
    expect(text).toMatch(expected);
    expect(text).not.toMatch(/moved by|[+-]\d+ lines/);
  });

  it("rows with text only for what others changed, within a budget", () => {
    const { applied } = success(["a b c d"], [set("@1", "X")]);
    const foreign = LineSet.of([[2, 4]]);
    const { text, printed } = resultText({
      path: "src/a.ts",
      applied,
      scheme: "hex6",
      voice,
      foreign,
    });
    expect(text.split("\n").slice(-2)).toEqual([
      `${at(applied.document, 3)}|c`,
      `${at(applied.document, 4)}|d`,
    ]);
    expect(printed.ranges()).toEqual([
      { start: 1, end: 1 },
      { start: 3, end: 4 },
    ]);
    const big = success([numbers(200).join(" ")], [set("@1", "X")]).applied;
    const every = resultText({
      path: "a",
      applied: big,
      scheme: "hex6",
      voice,
      foreign: LineSet.all(200),
    });
    expect(every.text.split("\n").length).toBeLessThan(20);
    expect(every.text).toMatch(
      /\n\[188 lines not shown: call read on a with ranges \[\{"start":13,"end":200\}\]\]$/,
    );
  });

  it("anchors of a large edit are cut, and what is not printed does not count as printed", () => {
    const { text, printed } = success(["a b"], [{ op: "append", text: numbers(100) }]);
    expect(text).toContain(
      '[anchors of 40 lines not shown: call read on src/a.ts with ranges [{"start":63,"end":102}]]',
    );
    expect(printed.size).toBe(60);
  });

  it("what is left out in many places is named in few words", () => {
    const many = { op: "replace_text", old: "n", new: "N", all: true };
    const words = Array.from({ length: 2000 }, (_, at) => (at % 2 ? "x" : "n")).join(" ");
    const { text } = success([words], [many]);
    const ranges = /anchors of 940 lines not shown: call read on src\/a.ts with ranges (\[.*\])\]$/.exec(
      text,
    )?.[1];
    const named = JSON.parse(ranges as string) as { start: number; end: number }[];
    expect(named.length).toBeLessThanOrEqual(5);
    for (let line = 121; line < 2000; line += 2)
      expect(named.some(({ start, end }) => start <= line && line <= end)).toBe(true);
  });

  it("a noop says so and shows the rows", () => {
    const { text, printed } = success(["a b c", "a X c"], [set("@2", "X")]);
    expect(text).toMatch(/^NO CHANGE: src\/a\.ts already reads like this/);
    expect(text).toMatch(/^2#\w{6}\|X$/m);
    expect(printed.ranges()).toEqual([{ start: 2, end: 2 }]);
    const all = { op: "replace_lines", start: "@1", end: "@12", text: numbers(12) };
    expect(success([numbers(12, 50).join(" "), numbers(12).join(" ")], [all]).text).toMatch(
      /\n\[2 lines not shown: call read on src\/a.ts with ranges \[\{"start":11,"end":12\}\]\]$/,
    );
  });

  it("a dry run shows the diff and names nothing", () => {
    const { applied } = success(["a b"], [set("@1", "X")]);
    const { text, printed } = resultText({
      path: "a",
      applied,
      scheme: "hex6",
      voice,
      dryRun: true,
      diff: "-a\n+X",
    });
    expect(text).toMatch(/^Dry run: nothing was written\. /);
    expect(text).toContain("-a\n+X");
    expect(printed.isEmpty).toBe(true);
  });

  it("changed places are in today's numbers; a deletion is named by the line that follows", () => {
    const edits = [
      { op: "delete_lines", start: "@1" },
      { op: "append", text: ["x", "y"] },
    ];
    expect(changedRanges(success(["a b c"], edits).applied.change)).toEqual([
      { start: 1, end: 1 },
      { start: 3, end: 4 },
    ]);
  });
});
