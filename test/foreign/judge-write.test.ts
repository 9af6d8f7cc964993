import { describe, expect, it } from "vitest";
import type { Consideration } from "../../src/foreign/judge-write.js";
import { bench, path, rowsOf } from "../support/session.js";

/** Words stand for lines; a quote of several is a quote of lines. */
const lines = (words: string): string => words.replaceAll(" ", "\n");
const edit = (old: string, fresh: string, all = false) => ({
  ...{ path, tool: "Edit", single: true },
  change: { kind: "quotes" as const, quotes: [{ old: lines(old), new: lines(fresh), all }] },
});
const write = (words: string) => ({
  ...{ path, tool: "Write" },
  change: { kind: "whole" as const, content: `${lines(words)}\n` },
});

function toldOf(found: Consideration): string {
  if (found.kind === "refused") return found.result.details.code;
  if (found.kind === "allowed") return found.kind;
  return `→ ${found.quotes.map((one) => `${one.old} : ${one.new}`.replaceAll("\n", " ")).join()}`;
}

/** [shown, now, quote, replacement, what becomes of it]; "→ a b" the quote it is carried to. */
const cases: readonly (readonly [string, string, string, string, string, string])[] = [
  ["nothing changed", "a b c", "a b c", "b", "B", "allowed"],
  ["a change elsewhere", "a b c d", "A b c d", "d", "D", "allowed"],
  ["lines that moved", "a b c", "x y a b c", "b", "B", "allowed"],
  ["the very line", "a b c", "a X c", "b", "B", "stale"],
  ["its place is gone, the same text stands elsewhere", "a b c", "a c d e b", "b", "B", "stale"],
  ["a copy was added", "a b c d", "a b c d b", "b", "B", "→ a b c : a B c"],
  ["a line of the context changed", "a b c d e", "a X c d e", "b c d", "b c D", "→ d : D"],
  ["the line deleted", "a b c", "a c", "b", "B", "stale"],
  ["never shown, and in no text that was", "a b c", "a X c new", "new", "N", "allowed"],
  ["twice in the text shown, and now", "a b a", "a b a x", "a", "A", "allowed"],
  ["twice in the text shown, once now", "a b a", "X b a", "a", "A", "ambiguous"],
];

describe("a tool that quotes is let through where it does what the agent meant", () => {
  it.each(cases)("%s", async (_, shown, now, old, fresh, expected) => {
    const { session, rudely } = bench(shown);
    await session.observe({ path, rows: rowsOf(shown) });
    rudely(now);
    const found = await session.consider(edit(old, fresh));
    expect(toldOf(found)).toBe(expected);
  });

  /** Two quotes of one call: the second begins in what the first has written, and ends outside of it. */
  const chained: readonly (readonly [string, string, string])[] = [
    ["a change elsewhere", "A b c d", "allowed"],
    ["a copy was added", "a b c d b", "→ b c : x z"],
    ["a line that only the second reaches has changed", "a b X d", "stale"],
    ["a line that only the second reaches is gone, and stands elsewhere", "a b d c", "stale"],
  ];
  it.each(chained)("quotes that build on each other: %s", async (_, now, expected) => {
    const { session, rudely } = bench("a b c d");
    await session.observe({ path, rows: rowsOf("a b c d") });
    rudely(now);
    const quotes = [
      { old: "b", new: lines("x y"), all: false },
      { old: lines("y c"), new: "z", all: false },
    ];
    const found = await session.consider({ path, tool: "MultiEdit", change: { kind: "quotes", quotes } });
    expect(toldOf(found)).toBe(expected);
  });

  it("a file that was never shown is closed, a new one open", async () => {
    const { session } = bench("a b c");
    expect(await session.consider(edit("a", "A"))).toMatchObject({
      result: { details: { code: "not_read" } },
    });
    expect(await session.consider({ ...edit("a", "A"), path: "new.txt" })).toEqual({ kind: "allowed" });
    expect((await session.consider({ ...write("x"), path: "new.txt" })).kind).toBe("allowed");
  });

  it("all of a file is written only if all of it was shown, as it is", async () => {
    const { session, rudely } = bench("a b c");
    await session.observe({ path, rows: rowsOf("a b") });
    expect((await session.consider(write("x"))).kind).toBe("refused");
    await session.observe({ path, rows: rowsOf("a b c") });
    expect((await session.consider(write("x"))).kind).toBe("allowed");
    rudely("a b c d");
    expect((await session.consider(write("x"))).kind).toBe("refused");
  });

  it("a text seen where it is gone is not looked for where it was never seen", async () => {
    const { session, rudely } = bench("a b c d e f g h");
    await session.observe({ path, rows: rowsOf("a b c") });
    rudely("a X c d e f g h b");
    await session.observe({ path, rows: rowsOf("e f", 5) });
    expect((await session.consider(edit("b", "B"))).kind).toBe("refused");
  });

  it("a text seen where it is gone is not looked for where only a part of it was seen", async () => {
    const { session, rudely } = bench("a { } d e f g { } j k l");
    await session.observe({ path, rows: rowsOf("a { }") });
    await session.observe({ path, rows: rowsOf("} j", 9) });
    rudely("a X } d e f g { } j k l");
    await session.observe({ path, rows: rowsOf("f", 6) });
    expect((await session.consider(edit("{ }", "Y }"))).kind).toBe("refused");
  });

  it("seen in two places, one is gone unseen: which one is meant cannot be told, until that is shown", async () => {
    const { session, rudely } = bench("a b c d e f b h");
    await session.observe({ path, rows: rowsOf("a b c d e f b h") });
    rudely("a X c d e f b h");
    await session.observe({ path, rows: rowsOf("e", 5) });
    const found = await session.consider(edit("b", "B"));
    expect(found).toMatchObject({ kind: "refused", result: { details: { code: "ambiguous" } } });
    expect(found.kind === "refused" && found.result.text).toMatch(
      /is at line 7; you also saw it at line 2, where it has been removed. Quote more surrounding lines/,
    );
    expect((await session.consider(edit("f b", "f B"))).kind).toBe("allowed");
    await session.observe({ path, rows: rowsOf("X", 2) });
    expect((await session.consider(edit("b", "B"))).kind).toBe("allowed");
  });

  it("seen in two places, one is taken out unseen: until the gap is shown", async () => {
    const { session, rudely } = bench("a b c d e f b h");
    await session.observe({ path, rows: rowsOf("a b c d e f b h") });
    rudely("a c d e f b h");
    await session.observe({ path, rows: rowsOf("e", 4) });
    expect((await session.consider(edit("b", "B"))).kind).toBe("refused");
    await session.observe({ path, rows: rowsOf("a c") });
    expect((await session.consider(edit("b", "B"))).kind).toBe("allowed");
  });

  it("the place that was looked at last is the one that is meant", async () => {
    const { session, rudely } = bench("a b c d e f g h");
    await session.observe({ path, rows: rowsOf("a b c d e f g h") });
    rudely("a c d e f g b h");
    await session.observe({ path, rows: rowsOf("b h", 7) });
    expect((await session.consider(edit("b", "B"))).kind).toBe("allowed");
  });

  it("own text that somebody moved is not edited where it was put", async () => {
    const { session, rudely } = bench("a");
    rudely("x y z k l m n");
    await session.observeWrite(path, { ...write("x y z k l m n"), before: null });
    rudely("x Y z k l m n y");
    await session.observe({ path, rows: rowsOf("l", 5) });
    expect((await session.consider(edit("y", "B"))).kind).toBe("refused");
  });

  it("where no text is kept, only what was shown since the change is edited", async () => {
    const { session, rudely, files } = bench("a b c d e f g h");
    const { identify } = files;
    files.identify = async (name) => ({ ...(await identify.call(files, name)), keep: false });
    await session.observe({ path, rows: rowsOf("a b c d e f g h") });
    expect(await session.glance(edit("b", "B"))).toBe("allowed");
    rudely("a X c d e f g b");
    await session.observe({ path, rows: rowsOf("e", 5) });
    expect(await session.glance(edit("b", "B"))).toBe("unclear");
    expect((await session.consider(edit("b", "B"))).kind).toBe("refused");
    expect((await session.consider(edit("e", "E"))).kind).toBe("allowed");
    await session.observe({ path, rows: rowsOf("g b", 7) });
    expect((await session.consider(edit("b", "B"))).kind).toBe("allowed");
  });

  it("text that came back may be quoted again, and written over if it was shown whole", async () => {
    const { session, rudely } = bench("a b c");
    await session.observe({ path, rows: rowsOf("a b c") });
    rudely("a B c");
    await session.observeWrite(path, edit("b", "B"));
    rudely("a b c");
    expect((await session.consider(edit("b", "B"))).kind).toBe("allowed");
    expect((await session.consider(write("x"))).kind).toBe("allowed");
  });

  it("text that came back may not be written over if some of it was never shown", async () => {
    const { session, rudely } = bench("a b c");
    await session.observe({ path, rows: rowsOf("a b") });
    rudely("a B c");
    await session.observeWrite(path, edit("b", "B"));
    rudely("a b c");
    expect((await session.consider(write("x"))).kind).toBe("refused");
  });
});

describe("what a tool has written", () => {
  it("is known, journaled with its exact change, and everything else is followed", async () => {
    const { session, rudely, store } = bench("a b c d");
    await session.observe({ path, rows: rowsOf("a b c d") });
    rudely("a x y c d");
    await session.observeWrite(path, edit("b", "x y"));
    expect(await store.journal()).toMatchObject([
      { kind: "commit", tool: "Edit", agent: session.agent, change: [4, 5, 1, 2, 1, 3] },
    ]);
    expect((await session.consider(edit("y", "Y"))).kind).toBe("allowed");
    expect((await session.consider(write("z"))).kind).toBe("allowed");
  });

  it("what a formatter made of it is told once, and counts as shown", async () => {
    const { session, rudely } = bench("a b c d");
    await session.observe({ path, rows: rowsOf("a b c d") });
    rudely("a B; c d");
    await session.observeWrite(path, edit("b", "B"));
    expect(await session.formatted(path)).toMatchObject({ rows: [{ line: 2, text: "B;" }], deleted: 0 });
    expect((await session.consider(edit("B;", "x"))).kind).toBe("allowed");
    expect((await session.consider(write("x"))).kind).toBe("allowed");
    expect(await session.formatted(path)).toBeNull();
  });

  it("a change of somebody else's in between stays theirs", async () => {
    const { session, rudely } = bench("a b c d");
    await session.observe({ path, rows: rowsOf("a b c d") });
    rudely("a B c X");
    await session.observeWrite(path, { ...edit("b", "B"), before: lines("a b c X") });
    expect((await session.consider(edit("d", "D"))).kind).toBe("refused");
    expect((await session.consider(edit("B", "b"))).kind).toBe("allowed");
  });

  it("a new file is known whole, and what the formatter did to it is told", async () => {
    const { session, rudely } = bench("a");
    rudely("x y;");
    await session.observeWrite(path, { ...write("x y"), before: null });
    expect(await session.formatted(path)).toMatchObject({ rows: [{ line: 2, text: "y;" }] });
    expect((await session.consider(write("z"))).kind).toBe("allowed");
  });

  it("one that somebody looked at before it was told is still the agent's", async () => {
    const { session, rudely } = bench("a b c");
    await session.observe({ path, rows: rowsOf("a b c") });
    rudely("a B c");
    await session.as("another").observe({ path, rows: rowsOf("a B c") });
    await session.observeWrite(path, edit("b", "B"));
    expect((await session.consider(write("z"))).kind).toBe("allowed");
    expect((await session.as("another").consider(write("z"))).kind).toBe("allowed");
  });
});

describe("a file that moved", () => {
  it("is known as far as it was, if it is the same", async () => {
    const { session, files } = bench("a b c");
    await session.observe({ path, rows: rowsOf("a b") });
    files.set("moved.txt", "a\nb\nc\n");
    expect(await session.follow(path, "moved.txt")).toBe(true);
    expect((await session.consider({ ...edit("b", "B"), path: "moved.txt" })).kind).toBe("allowed");
    expect((await session.consider({ ...write("x"), path: "moved.txt" })).kind).toBe("refused");
    files.set("other.txt", "a\nb\nX\n");
    expect(await session.follow(path, "other.txt")).toBe(false);
  });
});
