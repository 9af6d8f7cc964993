/** Others changed what stands directly beside the lines that an edit names. */
import { describe, expect, it } from "vitest";
import { run } from "../../src/merge/run-edits.js";
import { anchored, type Told, textAfter, told } from "../support/view.js";

const set = (anchor: string, ...text: string[]) => ({ op: "set_line", anchor, text });
const lines = (start: string, end: string, ...text: string[]) => ({ op: "replace_lines", start, end, text });
const remove = (start: string, end: string) => ({ op: "delete_lines", start, end });
const below = (anchor: string, ...text: string[]) => ({ op: "insert_after", anchor, text });
const above = (anchor: string, ...text: string[]) => ({ op: "insert_before", anchor, text });

/** Lines as a table holds them: a slash between two of them, two underscores for a blank deeper. */
const text = (given: string): string => `${given.split(" / ").join("\n").replaceAll("__", "    ")}\n`;
const outcome = (shown: string, now: string | Told, ...edits: object[]): string => {
  const view = told({ raw: text(shown), shown: true }, typeof now === "string" ? { raw: text(now) } : now);
  return textAfter(run(anchored(edits, view.documents), view));
};

type Row = readonly [name: string, shown: string, now: string, edit: object, expected: string];

const list = "const a = [ / one, / two, / three, / ];";

describe("the named lines are as they were shown: the edit is made", () => {
  it.each<Row>([
    [
      "the line above",
      list,
      list.replace("one", "ONE"),
      set("@3", "2,"),
      "const a = [ / ONE, / 2, / three, / ];",
    ],
    [
      "the line below",
      list,
      list.replace("three", "3"),
      set("@3", "2,"),
      "const a = [ / one, / 2, / 3, / ];",
    ],
    ["deleted above", list, list.replace("one, / ", ""), set("@3", "2,"), "const a = [ / 2, / three, / ];"],
    [
      "inserted below",
      list,
      list.replace("two, /", "two, / x, /"),
      set("@3", "2,"),
      "const a = [ / one, / 2, / x, / three, / ];",
    ],
    [
      "a range",
      list,
      list.replace("one", "ONE"),
      lines("@3", "@4", "2,", "3,"),
      "const a = [ / ONE, / 2, / 3, / ];",
    ],
    ["a range deleted", list, list.replace("one", "ONE"), remove("@3", "@4"), "const a = [ / ONE, / ];"],
    [
      "both insert after a line",
      list,
      list.replace("two, /", "two, / x, /"),
      below("@3", "y,"),
      "const a = [ / one, / two, / y, / x, / three, / ];",
    ],
    [
      "both insert before a line",
      list,
      list.replace("two, /", "two, / x, /"),
      above("@4", "y,"),
      "const a = [ / one, / two, / x, / y, / three, / ];",
    ],
    [
      "the line after an insertion's",
      list,
      list.replace("three", "3"),
      below("@3", "y,"),
      "const a = [ / one, / two, / y, / 3, / ];",
    ],
    [
      "the line before an insertion's",
      list,
      list.replace("two", "2"),
      above("@4", "y,"),
      "const a = [ / one, / 2, / y, / three, / ];",
    ],
    [
      "text a range gets at its end",
      list,
      list.replace("two, /", "two, / x, /"),
      set("@3", "two,", "y,"),
      "const a = [ / one, / two, / y, / x, / three, / ];",
    ],
    [
      "text a range gets at its start",
      list,
      list.replace("two, /", "x, / two, /"),
      set("@3", "y,", "two,"),
      "const a = [ / one, / x, / y, / two, / three, / ];",
    ],
    [
      "inside a body, before the else of it",
      "if a: / __b() / c()",
      "if a: / __b() / else: / __d() / c()",
      below("@2", "    e()"),
      "if a: / __b() / __e() / else: / __d() / c()",
    ],
    [
      "a line of that body",
      "if a: / __b() / c()",
      "if a: / __b() / else: / __d() / c()",
      set("@2", "    e()"),
      "if a: / __e() / else: / __d() / c()",
    ],
    [
      "one more of a chain",
      "a() / __.b() / c()",
      "a() / __.b() / __.x() / c()",
      below("@2", "    .y()"),
      "a() / __.b() / __.y() / __.x() / c()",
    ],
    [
      "one more of a list",
      "# A / - b / end",
      "# A / - b / - x / end",
      below("@2", "- y", "  and more"),
      "# A / - b / - y /   and more / - x / end",
    ],
    [
      "lines that stand in the text often",
      "f() / return 1 / g() / return 1 / h()",
      "f() / return 1 / x() / return 1 / g() / return 1 / h()",
      above("@3", "y()", "return 1"),
      "f() / return 1 / x() / return 1 / y() / return 1 / g() / return 1 / h()",
    ],
  ])("%s", (_, shown, now, edit, expected) => expect(outcome(shown, now, edit)).toBe(text(expected)));

  it("two edits, one on either side", () => {
    const now = list.replace("two, /", "two, / x, /");
    expect(outcome(list, now, set("@3", "2,"), set("@4", "3,"))).toBe(
      text("const a = [ / one, / 2, / x, / 3, / ];"),
    );
  });

  it("changes known to the line need no evidence", () => {
    const exact = (...change: [number, number, string[]]): Told => ({ exact: [change] });
    expect(outcome("} / } / } / }", exact(1, 2, ["x"]), set("@3", "y"))).toBe(text("} / x / y / }"));
    expect(outcome("} / } / } / }", "} / x / } / }", set("@3", "y"))).toBe("!stale");
  });
});

describe("touching that stays a conflict", () => {
  const call = "f(); / g(); / h();";
  it.each<readonly [name: string, shown: string, now: string, edit: object]>([
    ["the line itself", list, list.replace("two", "2"), set("@3", "x,")],
    [
      "from inside the named range",
      list,
      list.replace("two", "2"),
      lines("@2", "@4", "ONE,", "two,", "three,"),
    ],
    [
      "inserted inside it, beside a changed line",
      call,
      "f(); / x(); / g(); / h();",
      lines("@1", "@3", "f();", "G();", "h();"),
    ],
    ["on both sides at once", call, "f(); / if (x) { / g(); / } / h();", set("@2", "y();")],
    ["on both sides of an insertion's line", call, "f(); / if (x) { / g(); / } / h();", below("@2", "y();")],
    [
      "others wrote the same line there, and more",
      call,
      "f(); / g(); / const x = 1; / i(x); / h();",
      below("@2", "const x = 1;", "k(x);"),
    ],
    [
      "all of it stands there, and more",
      `${call} / k();`,
      "f(); / g(); / i(); / k(); / h(); / k();",
      below("@2", "k();"),
    ],
    ["the start of a conflict", call, "f(); / <<<<<<< HEAD / g(); / h();", set("@2", "y();")],
    [
      "the middle of a conflict",
      call,
      "f(); / g(); / ======= / i(); / >>>>>>> theirs / h();",
      set("@2", "y();"),
    ],
    ["the base of a conflict", call, "f(); / g(); / ||||||| base / i(); / h();", below("@2", "y();")],
    [
      "the named lines stand twice now",
      "f(); / g(); / h(); / i();",
      "f(); / x(); / h(); / f(); / i();",
      set("@1", "y();"),
    ],
    [
      "the named lines stood twice",
      "f(); / g(); / h(); / f(); / i();",
      "f(); / x(); / h(); / i();",
      set("@1", "y();"),
    ],
  ])("%s", (_, shown, now, edit) => expect(outcome(shown, now, edit)).toMatch(/^!(stale|deleted)$/));

  it.each<readonly [line: string]>([
    ...[
      "else {",
      "else:",
      "elif b:",
      "catch (e) {",
      "except Error:",
      "finally:",
      "rescue => e",
      "#else",
      "{% else %}",
      "end",
    ].map((line): [string] => [line]),
    ...[
      "}",
      ")",
      "];",
      "</p>",
      "*/",
      ".then(f)",
      "?.b",
      ", b",
      "&& b",
      "|| b",
      "+ b",
      "? b",
      ": b",
      "= b",
      "|> b",
    ].map((line): [string] => [line]),
  ])("the line is continued by others: %s", (line) => {
    expect(outcome("f() / if a() / g()", `f() / if a() / ${line} / g()`, below("@2", "b()"))).toBe("!stale");
    // Deleted, or followed by more, it would be parted from what continues it, too.
    expect(outcome("f() / if a() / g()", `f() / if a() / ${line} / g()`, set("@2", "if a()", "b()"))).toBe(
      "!stale",
    );
    expect(outcome("f() / if a() / g()", `f() / if a() / ${line} / g()`, remove("@2", "@2"))).toBe("!stale");
  });

  it("a line grows between a statement and a clause that others gave it", () => {
    const now = "f() / if a: b() / else: c() / g()";
    expect(outcome("f() / if a: b() / g()", now, set("@2", "if a: x()", "y()"))).toBe("!stale");
    expect(outcome("f() / if a: b() / g()", now, set("@2", "if a: x()"))).toBe(
      text(now.replace("b()", "x()")),
    );
  });

  it.each([
    "// as told",
    "# as told",
    "/* as told */",
    "*/",
    "-- as told",
    "<!-- as told -->",
    "@Test",
    "#[test]",
  ])("others put above the line what belongs to it: %s", (line) => {
    expect(outcome("f() / g() / h()", `f() / ${line} / g() / h()`, above("@2", "x()"))).toBe("!stale");
    expect(outcome("f() / g() / h()", `f() / ${line} / g() / h()`, set("@2", "x()", "g()"))).toBe("!stale");
    expect(outcome("f() / g() / h()", `f() / ${line} / g() / h()`, set("@2", "x()"))).toBe(
      text(`f() / ${line} / x() / h()`),
    );
  });

  it.each(["@Test", "  #[test]"])("the line belongs to what others put below it: %s", (line) => {
    expect(outcome(`f() / ${line} / g()`, `f() / ${line} / x() / g()`, below("@2", "y()"))).toBe("!stale");
  });

  it.each<readonly [name: string, now: string, edits: readonly object[]]>([
    [
      "after one line and before the next",
      "f(); / g(); / x(); / h();",
      [below("@2", "y();"), above("@3", "z();")],
    ],
    ["twice after one line", "f(); / g(); / x(); / h();", [below("@2", "y();"), below("@2", "z();")]],
    [
      "a range's last line and before the next",
      "f(); / g(); / x(); / h();",
      [set("@2", "g();", "y();"), above("@3", "z();")],
    ],
  ])("one call inserts twice at a point that others filled: %s", (_, now, edits) =>
    expect(outcome(call, now, ...edits)).toBe("!stale"),
  );

  it("one call inserts twice at an end of what others removed", () => {
    const edits = [above("@4", "z();"), below("@2", "y();")];
    expect(outcome("f(); / g(); / x(); / h(); / i();", "f(); / g(); / h(); / i();", ...edits)).toBe(
      "!deleted",
    );
  });

  it.each(["move_lines", "copy_lines"])("%s needs an unchanged line between", (op) => {
    const edit = { op, start: "@1", end: "@1", after: "@2" };
    expect(outcome("f(); / g(); / h(); / i();", "f(); / g(); / x(); / h(); / i();", edit)).toBe("!stale");
  });
});
