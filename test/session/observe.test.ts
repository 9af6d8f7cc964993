import { describe, expect, it } from "vitest";
import { bench, on, outcome, path } from "../support/session.js";

const rowsOf = (words: string) => words.split(" ").map((text, at) => ({ line: at + 1, text }));

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
