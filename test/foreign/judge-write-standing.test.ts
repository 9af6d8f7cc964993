/** What stands where it was seen is let through; and where that is. */
import { describe, expect, it } from "vitest";
import { patch, quote, stage } from "../support/foreign.js";
import { path } from "../support/session.js";

describe("what stands where it was seen is let through, whatever is beside it", () => {
  const cases: readonly (readonly [
    string,
    string,
    [number, number],
    string,
    Parameters<typeof patch>[0] | [string, string],
  ])[] = [
    ["a line is taken out, and one was added below", "} a", [1, 2], "} _ a", ["@@", "-}"]],
    [
      "lines that are unique, though not as text",
      "} } } _ } }",
      [1, 6],
      "} } } _ } x }",
      ["@@", "-", "-}", "+n"],
    ],
    ["the same text in a line that was never shown", "ax b c x d", [4, 4], "b b c x d", ["x", "n"]],
    ["a quote with its newline, and the line below is gone", "a d _ b", [2, 2], "a d b", ["d\n", "n\n"]],
    ["a quote with its newline, and a line was put below it", "a d b", [1, 3], "a d NEW b", ["d\n", "n\n"]],
  ];
  it.each(cases)("%s", async (_, before, [first, last], now, change) => {
    const at = stage(before);
    await at.shown(first, last);
    at.write(now);
    const [old, fresh] = change;
    expect(
      await at.answer(
        change.length === 2 && old !== "@@" ? quote(old as string, fresh as string) : patch(change),
      ),
    ).toBe("allowed");
  });
});

describe("somebody adds or takes out a function beside the one that is edited", () => {
  const cases: readonly (readonly [string, string, string, string])[] = [
    ["below", "f1 x1 } _ z", "f1 x1 } _ f2 x2 } _ z", "x1\n}"],
    ["below, without a blank line", "f1 x1 } z", "f1 x1 } f2 x2 } z", "f1\nx1\n}"],
    ["at the end", "f1 x1 }", "f1 x1 } _ f2 x2 }", "x1\n}"],
    ["above", "z _ f1 x1 }", "z _ f0 x0 } _ f1 x1 }", "\nf1\nx1"],
    ["taken out below", "f1 x1 } _ f2 x2 } _ z", "f1 x1 } _ z", "x1\n}"],
    ["taken out above", "z _ f0 x0 } _ f1 x1 } y", "z _ f1 x1 } y", "\nf1\nx1\n}"],
  ];
  it.each(cases)("%s: what they have in common stands where it was seen", async (_, before, now, old) => {
    const at = stage(before);
    await at.shown(1, before.split(" ").length);
    at.write(now);
    expect(await at.answer(quote(old, "N"))).toBe("allowed");
    expect(await at.answer(patch(["@@", ...old.split("\n").map((line) => `-${line}`), "+N"]))).toBe(
      "allowed",
    );
  });
});

describe("a patch", () => {
  it("below a header that was seen elsewhere, and is gone there", async () => {
    const at = stage("a f x y z q g x w");
    await at.shown(1, 9);
    at.write("a F x y z q f x w");
    expect(await at.answer(patch(["@@ f", "-x", "+n"]))).toBe("stale");
  });

  it.each([
    ["behind the hunk before", ["@@", "-a", "+A", "@@", "-x", "+n"]],
    ["below a header", ["@@ a", "-x", "+n"]],
  ])("is put where the tool looks, blanks overlooked: %s", async (_, lines) => {
    const at = stage("a");
    at.files.set(path, "x\na\nb\n  x\nc\n");
    await at.shown(1, 3);
    expect(await at.answer(patch(lines))).toBe("not_shown");
    await at.shown(4, 4);
    expect(await at.answer(patch(lines))).toBe("allowed");
  });

  it("that only adds adds at the end, whatever stands above", async () => {
    const at = stage("a b c");
    await at.shown(1, 3);
    const change = patch(["@@ a", "+x"]);
    at.write("a b c x");
    await at.session.observeWrite(path, change);
    expect(await at.store.journal()).toMatchObject([{ change: [3, 4, 3, 3, 3, 4] }]);
  });
});

describe("several quotes of one call", () => {
  const together = (...quotes: readonly (readonly [string, string, boolean?])[]) => ({
    ...{ path, tool: "MultiEdit" },
    change: {
      kind: "quotes" as const,
      quotes: quotes.map(([old, fresh, all = false]) => ({ old, new: fresh, all })),
    },
  });

  it("one of which means all places: the others are held to theirs", async () => {
    const at = stage("a b c d e f b h z");
    await at.shown(1, 4);
    at.write("a X c d e f b h z");
    expect(await at.answer(together(["b", "B"], ["c", "C", true]))).toBe("stale");
  });

  it("take newlines along in the text as it is at their turn", async () => {
    const at = stage("a b c d");
    await at.shown(1, 2);
    const change = together(["b", "Q"], ["\nQ", ""]);
    const quotes = change.change.quotes.map((one) => ({ ...one, takesNewline: true }));
    expect(await at.answer({ ...change, change: { kind: "quotes", quotes } })).toBe("not_shown");
  });

  it("many places of one quote take no time to speak of", async () => {
    const at = stage("a");
    at.files.set(path, "x = 1;\n".repeat(8000));
    await at.shown(1, 8000);
    expect(await at.answer(quote("x", "y", true))).toBe("allowed");
    expect(await at.answer(quote("x", "y"))).toBe("allowed");
  });
});

describe("lines that were taken out between two windows", () => {
  it("are told of when both lines beside them were shown, one after the other", async () => {
    const at = stage("a b c GONE d e");
    await at.shown(1, 6);
    at.write("a b c d e");
    await at.shown(1, 3);
    const write = { path, tool: "Write", change: { kind: "whole" as const, content: "new\n" } };
    expect(await at.answer(write)).toBe("not_shown");
    await at.shown(4, 5);
    expect(await at.answer(write)).toBe("allowed");
  });
});
