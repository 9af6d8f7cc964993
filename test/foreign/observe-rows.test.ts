import { describe, expect, it } from "vitest";
import { bench, on, outcome, path } from "../support/session.js";

const rowsOf = (words: string, first = 1) => words.split(" ").map((text, at) => ({ line: first + at, text }));

/** What a tool that quotes is about to do. */
const quoting = (old: string, fresh: string) => ({
  ...{ path, tool: "Edit" },
  change: { kind: "quotes" as const, quotes: [{ old, new: fresh, all: false }] },
});

describe("rows that somebody else's tool showed", () => {
  it("open the gate, and name nothing", async () => {
    const { session, words } = bench("a b c");
    expect(await session.observe({ path, rows: rowsOf("a b c") })).toBe(3);
    expect(outcome(await session.edit(on("a b c").set(2, "x")))).toBe("!not_shown");
    expect(outcome(await session.edit(on("").quote("b", "B")))).toBe("applied");
    expect(outcome(await session.write({ path, content: "x\n" }))).toBe("applied");
    expect(words()).toBe("x");
  });

  it("count only where the file reads like them", async () => {
    const { session } = bench("a b c");
    expect(await session.observe({ path, rows: rowsOf("a X c d") })).toBe(2);
    expect(outcome(await session.write({ path, content: "x\n" }))).toBe("!not_shown");
  });

  it("of a text that was there before are a showing of that", async () => {
    const { session, rudely } = bench("alpha beta gamma delta");
    await session.as("another").observe({ path, rows: rowsOf("alpha beta gamma delta") });
    rudely("alpha BETA gamma delta beta");
    await session.observe({ path, rows: rowsOf("alpha beta gamma delta") });
    expect(outcome(await session.edit(on("").quote("beta", "x")))).toBe("!stale");
  });

  it("of a text that nobody recorded are a showing of that", async () => {
    const { session, rudely } = bench("r1 r2 token r4 r5 r6 r7");
    rudely("r1 r2 other r4 r5 token r7");
    expect(await session.observe({ path, rows: rowsOf("r1 r2 token r4 r5 r6 r7") })).toBe(5);
    expect((await session.consider(quoting("token", "x"))).kind).toBe("refused");
    expect((await session.consider(quoting("r5", "x"))).kind).toBe("allowed");
  });

  it("of such a text do not open it for a whole-file write", async () => {
    const { session, rudely } = bench("r1 r2 token r4 r5 r6 r7");
    rudely("r1 r2 other r4 r5 token r7");
    await session.observe({ path, rows: rowsOf("r1 r2 token r4 r5 r6 r7") });
    expect(outcome(await session.write({ path, content: "x\n" }))).toBe("!not_shown");
  });

  it("the same, where the text that came since is recorded already", async () => {
    const { session, rudely } = bench("r1 r2 token r4 r5 r6 r7");
    rudely("r1 r2 other r4 r5 token r7");
    const another = session.as("another");
    await another.observe({ path, rows: rowsOf("r1 r2 other r4 r5 token r7") });
    await session.observe({ path, rows: rowsOf("r1 r2 token r4 r5 r6 r7") });
    expect((await session.consider(quoting("token", "x"))).kind).toBe("refused");
    expect((await session.consider(quoting("r5", "x"))).kind).toBe("allowed");
    expect(outcome(await another.write({ path, content: "x\n" }))).toBe("applied");
  });

  it("of such a text, some of it, are found where they are now", async () => {
    const { session, rudely } = bench("");
    rudely("new line1 line2 line3 line4 line5 line6 line7");
    expect(await session.observe({ path, rows: rowsOf("line2 line3 gone line5", 2) })).toBe(3);
    expect((await session.consider(quoting("line5", "x"))).kind).toBe("allowed");
    expect((await session.consider(quoting("gone", "x"))).kind).toBe("refused");
  });

  it("of such a text, too few of it, show nothing where they happen to stand", async () => {
    const { session, rudely } = bench("");
    rudely("new line1 line2 line3 line4 line5 line6 line7");
    expect(await session.observe({ path, rows: rowsOf("line2 line3", 2) })).toBe(0);
    expect((await session.consider(quoting("line3", "x"))).kind).toBe("refused");
  });

  it("do not make doubtful what the agent has written since", async () => {
    const { session, rudely } = bench("a b c d");
    await session.observe({ path, rows: rowsOf("a b") });
    rudely("a x y c d");
    await session.observeWrite(path, {
      tool: "Edit",
      change: { kind: "quotes", quotes: [{ old: "b", new: "x\ny", all: false }] },
    });
    await session.observe({ path, rows: rowsOf("c d", 3) });
    expect(outcome(await session.write({ path, content: "x\n" }))).toBe("applied");
  });

  it("that were only cut do not count, and the others do", async () => {
    const long = "x".repeat(300);
    const { session } = bench(`a ${long} c`);
    const rows = [...rowsOf("a"), { line: 2, text: `${long.slice(0, 250)}…` }, { line: 3, text: "c" }];
    expect(await session.observe({ path, rows })).toBe(2);
    expect(outcome(await session.write({ path, content: "x\n" }))).toBe("!not_shown");
    expect(outcome(await session.edit(on("").quote("c", "C")))).toBe("applied");
  });

  it("that are nowhere in the file are no showing of it", async () => {
    const { session } = bench("a b c");
    expect(await session.observe({ path, rows: rowsOf("x y") })).toBe(0);
    expect(outcome(await session.edit(on("").quote("b", "B")))).toBe("!not_read");
  });

  it("are the newest text shown, in which quotes are looked for", async () => {
    const { session, rudely, words } = bench("foo b c");
    await session.observe({ path, rows: rowsOf("foo b c") });
    rudely("foo b c foo");
    await session.edit(on("").quote("foo", "bar", true));
    expect(words()).toBe("bar b c foo");
    rudely("fee b c");
    expect(outcome(await session.edit(on("").quote("bar", "x")))).toBe("!stale");
  });

  it("end a repeat: the call is a new decision", async () => {
    const { session } = bench("a b c");
    await session.read({ path });
    await session.edit(on("a b c").after(1, "n"));
    await session.observe({ path, rows: rowsOf("a n b c") });
    expect((await session.edit(on("a b c").after(1, "n"))).text).not.toContain("applied before");
  });
});

describe("a write by somebody else's tool on the agent's behalf", () => {
  it("is its own: nothing of it is pending", async () => {
    const { session, rudely } = bench("a b c");
    await session.read({ path });
    rudely("a mine c d");
    await session.observeWrite(path);
    expect((await session.read({ path, delta: true })).text).toBe("[nothing changed]");
    expect(outcome(await session.write({ path, content: "x\n" }))).toBe("applied");
  });

  it("does not make known what the agent never saw", async () => {
    const { session, rudely } = bench("a b c d e f");
    await session.read({ path, ranges: [{ start: 1, end: 2 }] });
    rudely("a mine c d e f");
    await session.observeWrite(path);
    expect(outcome(await session.write({ path, content: "x\n" }))).toBe("!not_shown");
  });

  it("of the whole file makes all of it known", async () => {
    const { session, rudely } = bench("a b c");
    rudely("x y z");
    await session.observeWrite(path, { whole: true });
    expect(outcome(await session.write({ path, content: "x\n" }))).toBe("applied");
  });

  it("leaves the anchors of other lines what they were", async () => {
    const { session, rudely, words } = bench("a b c d");
    await session.read({ path });
    rudely("top a B c d");
    await session.observeWrite(path);
    expect(outcome(await session.edit(on("a b c d").set(3, "C")))).toBe("applied");
    expect(words()).toBe("top a B C d");
  });
});
