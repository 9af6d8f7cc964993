import { describe, expect, it } from "vitest";
import type { EditRequest } from "../../src/session/session.js";
import { bench, on, outcome, path } from "../support/session.js";

const five = "a b c d e";

describe("an edit beside what others changed", () => {
  it.each<[string, string, EditRequest, string, RegExp]>([
    ["a line they put there", "a b X c d e", on(five).after(2, "y"), "a b y X c d e", /^4#\w{6}\|X$/m],
    ["a line they changed", "a B c d e", on(five).set(3, "C"), "a B C d e", /^2#\w{6}\|B$/m],
    ["a line they took out", "a c d e", on(five).set(3, "C"), "a C d e", /deleted/],
  ])("is made, and the answer shows it: %s", async (_, now, edit, expected, shown) => {
    const { session, rudely, words } = bench(five);
    await session.read({ path });
    rudely(now);
    const { text, isError } = await session.edit(edit);
    expect([isError, words()]).toEqual([false, expected]);
    expect(text.slice(text.indexOf("changed by others since you read:"))).toMatch(shown);
  });

  it("names what it wrote, so that the next edit needs no read", async () => {
    const { session, rudely, words } = bench(five);
    await session.read({ path });
    rudely("a b X c d e");
    await session.edit(on(five).after(2, "y"));
    expect(outcome(await session.edit(on("a b y X c d e").set(4, "Z")))).toBe("applied");
    expect(words()).toBe("a b y Z c d e");
  });
});

describe("an undo beside what others changed", () => {
  it.each(["a b X C d e", "a b C X d e", "a B C d e", "a b C e"])("is refused: %s", async (now) => {
    const { session, rudely, words } = bench(five);
    await session.read({ path });
    await session.edit(on(five).set(3, "C"));
    rudely(now);
    expect((await session.undo({ path })).text).toContain("changed since");
    expect(words()).toBe(now);
  });

  it("is made with an unchanged line between", async () => {
    const { session, rudely, words } = bench(five);
    await session.read({ path });
    await session.edit(on(five).set(3, "C"));
    rudely("A b C d E");
    await session.undo({ path });
    expect(words()).toBe("A b c d E");
  });
});

describe("a restore beside what others changed", () => {
  it("is refused", async () => {
    const { session, rudely, words } = bench(five);
    await session.read({ path });
    await session.edit(on(five).set(3, "C"));
    rudely("a b c X e");
    expect((await session.restore({ all: true })).details).toMatchObject({ status: "refused" });
    expect(words()).toBe("a b c X e");
  });
});
