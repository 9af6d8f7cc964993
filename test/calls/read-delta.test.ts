import { describe, expect, it } from "vitest";
import type { ReadDetails } from "../../src/calls/result.js";
import { Session } from "../../src/session/session.js";
import { bench, numbered, on, outcome, path, printedLines } from "../support/session.js";
import { altered } from "../support/store.js";

const all = numbered(12);

async function seen(words = all, ranges?: readonly { start: number; end: number }[]) {
  const made = bench(words);
  await made.session.read(ranges ? { path, ranges } : { path });
  const delta = async () => (await made.session.read({ path, delta: true })).text;
  return { ...made, delta };
}

describe("reading what others changed", () => {
  it("prints changed rows and deletions, once", async () => {
    const { rudely, delta } = await seen();
    rudely(all.replace("x3", "X3").replace("x8 ", ""));
    expect(await delta()).toBe("3#3d50cd|X3\n[1 line deleted after line 7]");
    expect(await delta()).toBe("[nothing changed]");
  });

  it("prints what was put in, at the edges of the file too", async () => {
    const { rudely, delta } = await seen("a b c d");
    rudely("first a b between c d last");
    expect(await delta()).toMatch(/^1#\w+\|first\n4#\w+\|between\n7#\w+\|last$/);
  });

  it("tells of deletions at the start and of several lines", async () => {
    const { rudely, delta } = await seen("a b c d e f g");
    rudely("c d g");
    expect(await delta()).toBe("[2 lines deleted at the start]\n[2 lines deleted after line 2]");
  });

  it("tells programs of deletions too, once", async () => {
    const { session, rudely } = await seen("a b c d e f g");
    const deletions = async (delta = true) =>
      ((await session.read({ path, delta })).details as ReadDetails).deletions;
    rudely("c D g");
    expect(await deletions()).toEqual([
      { after: 0, count: 2 },
      { after: 2, count: 2 },
    ]);
    expect(await deletions()).toEqual([]);
    expect(await deletions(false)).toBeUndefined();
  });

  it("does not say that nothing changed where it cannot be told: what was shown is not kept", async () => {
    const made = bench("a b c");
    const store = altered(made.store, { isKept: () => false });
    const session = new Session({ files: made.files, store, agent: "one", clock: () => made.time++ });
    await session.read({ path });
    expect((await session.read({ path, delta: true })).text).toBe("[nothing changed]");
    made.rudely("a B c");
    for (let time = 0; time < 2; time++) {
      const refused = await session.read({ path, delta: true });
      expect(outcome(refused)).toBe("!stale");
      expect(refused.text).toContain(`${path} has changed, and the text that was shown is not kept`);
      expect(refused.text).toContain(`Next: call read on ${path}.`);
    }
    await session.read({ path });
    expect((await session.read({ path, delta: true })).text).toBe("[nothing changed]");
  });

  it("leaves unseen lines unseen, and says so", async () => {
    const { rudely, delta, session } = await seen(all, [{ start: 3, end: 5 }]);
    rudely(all.replace("x4", "X4").replace("x10", "X10"));
    expect(await delta()).toMatch(/^4#\w+\|X4\n\[lines 1-2, 6-12 never shown\]$/);
    expect(outcome(await session.edit(on(all).set(10, "x")))).toBe("!not_shown");
  });

  it("has nothing to say of one's own edits", async () => {
    const { session, delta } = await seen();
    await session.edit(on(all).replace(2, 4, ["y", "z"]));
    await session.edit(on(all).after(8, "n"));
    expect(await delta()).toBe("[nothing changed]");
  });

  it("does not call rows of a refusal never shown", async () => {
    const { session, rudely, delta } = await seen("a b c d e");
    rudely("a b C d e");
    await session.edit(on("a b c d e").set(3, "x"));
    expect(await delta()).not.toContain("never shown");
  });

  it("tells what a refusal has shown again, for it is asked; the result of an edit does not", async () => {
    const { session, rudely, delta } = await seen("a b c d e f g h i j k l m n");
    rudely("a b C d e f g h i j k l M n");
    await session.edit(on("a b c").set(3, "x"));
    const { text } = await session.edit(on("a b c d e f g h").set(8, "H"));
    expect(text).toContain("|M");
    expect(text).not.toContain("|C");
    expect(await delta()).toMatch(/^3#\w+\|C$/);
  });

  it("of a file never read names the next call", async () => {
    const { session } = bench(all);
    const result = await session.read({ path, delta: true });
    expect(outcome(result)).toBe("!not_read");
    expect(result.text).toContain("call read on it first");
  });

  it("brings an agent up to date whose states were long forgotten", async () => {
    const { session, rudely, delta } = await seen(numbered(30));
    const two = session.as("two");
    rudely(numbered(30).replace("x5 ", "F "));
    await session.read({ path, ranges: [{ start: 1, end: 1 }] });
    await two.read({ path });
    for (let time = 0; time < 205; time++)
      await two.write({ path, content: [...numbered(30).split(" "), `v${time}`] });
    await session.read({ path });
    expect(await delta()).toBe("[nothing changed]");
  });

  it("names lines like any read", async () => {
    const { session, rudely, delta, words } = await seen("a b c d");
    rudely("a X c d");
    await delta();
    expect(outcome(await session.edit(on("a X c d").set(2, "Y")))).toBe("applied");
    expect(words()).toBe("a Y c d");
  });
});

describe("reading ranges", () => {
  it.each<[string, readonly { start: number; end: number }[], number[]]>([
    [
      "sorted and merged",
      [
        { start: 5, end: 6 },
        { start: 1, end: 2 },
        { start: 2, end: 3 },
      ],
      [1, 2, 3, 5, 6],
    ],
    ["clipped", [{ start: 11, end: 99 }], [11, 12]],
    ["beyond the end", [{ start: 50, end: 60 }], []],
    ["none, which is no ranges at all", [], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
  ])("%s", async (_, ranges, lines) => {
    const { session } = bench(all);
    expect(printedLines(await session.read({ path, ranges }))).toEqual(lines);
  });

  it("overrides offset and limit", async () => {
    const { session } = bench(all);
    const request = { path, offset: 7, limit: 2 };
    expect(printedLines(await session.read(request))).toEqual([7, 8]);
    expect(printedLines(await session.read({ ...request, ranges: [{ start: 2, end: 2 }] }))).toEqual([2]);
  });
});

describe("the result of an edit", () => {
  it("shows what others changed in lines the agent knew, and no other rows", async () => {
    const { session, rudely } = await seen();
    rudely(all.replace("x3", "X3").replace("x8 ", ""));
    const result = await session.edit(on(all).set(11, "mine"));
    expect(result.text).toContain("changed by others since you read:");
    expect(printedLines(result)).toEqual([3]);
    expect(result.text).toContain("[1 line deleted after line 7]");
    expect(result.text).not.toContain("|mine");
  });

  it("counts as showing them: nothing is pending then", async () => {
    const { session, rudely, delta } = await seen();
    rudely(all.replace("x3", "X3").replace("x8 ", ""));
    await session.edit(on(all).set(11, "mine"));
    expect(await delta()).toBe("[nothing changed]");
    expect(outcome(await session.edit(on(all.replace("x3", "X3")).set(3, "Y")))).toBe("applied");
  });

  it("keeps to a budget, and what did not fit stays pending", async () => {
    const long = numbered(50);
    const { session, rudely, delta } = await seen(long);
    rudely(long.replaceAll(/x(2\d|3\d) /g, "y$1 "));
    const shown = printedLines(await session.edit(on(long).set(1, "mine")));
    expect(shown.length).toBeLessThanOrEqual(12);
    const rest = printedLines({ text: await delta() });
    expect([...shown, ...rest]).toEqual(Array.from({ length: 20 }, (_, at) => 20 + at));
  });

  it("says what it leaves out, and the call that shows it", async () => {
    const long = numbered(50);
    const { session, rudely, delta } = await seen(long);
    rudely(long.replaceAll(/x(2\d) /g, "y$1 ").replace("x40 ", `${"y".repeat(201)} `));
    const { text } = await session.edit(on(long).set(1, "mine"));
    expect(text).toMatch(
      /\n\[1 line not shown: call read on src\/a.ts with ranges \[\{"start":40,"end":40\}\]\]$/,
    );
    await session.read({ path, ranges: [{ start: 40, end: 40 }] });
    expect(await delta()).toBe("[nothing changed]");
  });

  it("says how many deletions it leaves out, and where", async () => {
    const long = numbered(50);
    const { session, rudely, delta } = await seen(long);
    rudely(long.replaceAll(/x\d?5 |x\d0 /g, ""));
    const { text } = await session.edit(on(long).set(1, "mine"));
    expect(text.match(/^\[1 line deleted after line \d+\]$/gm)).toHaveLength(5);
    const call = /\n\[4 deletions not shown: call read on src\/a.ts with ranges (.*)\]$/.exec(text)?.[1];
    await session.read({ path, ranges: JSON.parse(call as string) });
    expect(await delta()).toBe("[nothing changed]");
  });

  it("never counts lines: that invites computed anchors", async () => {
    const { session } = await seen();
    const { text } = await session.edit(on(all).replace(2, 3, ["p", "q", "r", "s"]));
    expect(text).toContain("; keep using the anchors you were shown");
    expect(text).not.toMatch(/moved by|[+-]\d/);
  });
});
