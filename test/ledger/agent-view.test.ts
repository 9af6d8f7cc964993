import { describe, expect, it } from "vitest";
import { quote, stage } from "../support/foreign.js";
import { bench, on, outcome, path, tag } from "../support/session.js";

const five = "a b c d e";

async function takenBack() {
  const made = bench(five);
  await made.session.read({ path });
  const call = on(five).set(2, "B");
  const done = await made.session.edit(call);
  const { id } = done.details as { id: string };
  made.rudely(five);
  return { ...made, call, id };
}

describe("a text that is back, as after git checkout", () => {
  it("has the anchors that it was shown with", async () => {
    const { session, words } = await takenBack();
    expect(outcome(await session.edit(on(five).set(2, "other")))).toBe("applied");
    expect(words()).toBe("a other c d e");
  });

  it("has them also when the agent looked at the other text meanwhile, and for good", async () => {
    const { session, words, rudely } = bench(five);
    await session.read({ path });
    await session.edit(on(five).set(2, "B"));
    await session.read({ path });
    rudely(five);
    await session.edit({ path, edits: [{ op: "append", text: "end" }] });
    expect(outcome(await session.edit(on(five).set(2, "two")))).toBe("applied");
    expect(words()).toBe("a two c d e end");
  });

  it("retires no row: what was printed of the text between is followed like any row", async () => {
    const { session, words, rudely } = bench(five);
    await session.read({ path });
    await session.edit(on(five).before(1, ["top", "top2"]));
    await session.grep({ pattern: "^[de]$" });
    rudely(five);
    expect(outcome(await session.edit(on("top top2 a b c d e").set(7, "E")))).toBe("applied");
    expect(words()).toBe("a b c d E");
  });

  it("makes no new request of the last one: it was applied before, then taken back, and a handle applies it again", async () => {
    const { session, words, call } = await takenBack();
    const again = await session.edit(call);
    expect(outcome(again)).toBe("noop");
    expect(again.text).toContain("applied before, then taken back");
    const { retry } = again.details as { retry?: string };
    expect(again.text).toContain(JSON.stringify({ path, retry }));
    expect(words()).toBe(five);
    expect(outcome(await session.edit({ path, retry: retry as string }))).toBe("applied");
    expect(words()).toBe("a B c d e");
  });

  it("does so for a batch", async () => {
    const made = bench({ a: five, b: five });
    const { session } = made;
    await session.read({ path: "a" });
    await session.read({ path: "b" });
    const files = [on(five, "a").set(2, "B"), on(five, "b").set(2, "B")] as never;
    await session.multiEdit({ files });
    made.rudely(five, "a");
    const again = await session.multiEdit({ files });
    expect(outcome(again)).toBe("noop");
    expect(again.text).toContain("applied before, then taken back");
    const { retry } = again.details as { retry?: string };
    expect(outcome(await session.multiEdit({ retry: retry as string }))).toBe("applied");
    expect([made.words("a"), made.words("b")]).toEqual(["a B c d e", "a B c d e"]);
  });

  it.each<[string, (made: Awaited<ReturnType<typeof takenBack>>) => Promise<string>]>([
    ["an edit", async ({ session }) => (await session.edit(on(five).set(5, "E"))).text],
    ["a noop", async ({ session, call }) => (await session.edit(call)).text],
    ["a refusal", async ({ session }) => (await session.edit(on("x y z").set(3, "E"))).text],
    ["a read", async ({ session }) => (await session.read({ path })).text],
    ["a delta", async ({ session }) => (await session.read({ path, delta: true })).text],
  ])("names the agent's own edits that are gone in its first answer, once: %s", async (_, ask) => {
    const made = await takenBack();
    expect(await ask(made)).toContain(made.id);
    expect((await made.session.read({ path })).text).not.toContain(made.id);
    expect((await made.session.read({ path, delta: true })).text).not.toContain(made.id);
  });

  it("says nothing of own edits where others' were taken back", async () => {
    const { session, rudely } = bench(five);
    await session.read({ path });
    await session.as("two").read({ path });
    await session.as("two").edit(on(five).set(2, "B"));
    rudely(five);
    expect((await session.edit(on(five).set(5, "E"))).text).not.toMatch(/gone|taken back/);
  });

  it("may be written over as a whole: stash, stash pop", async () => {
    const { session, rudely, words } = bench(five);
    await session.read({ path });
    rudely("a x c d e f");
    await session.as("two").read({ path });
    await session.read({ path: "none" });
    // Something looked at it meanwhile, and the agent was told nothing.
    await session.grep({ pattern: "zzz" });
    rudely(five);
    const result = await session.write({ path, content: "new\n" });
    expect(outcome(result)).toBe("applied");
    expect(words()).toBe("new");
  });

  it("may be written over although the agent saw the text between", async () => {
    const { session, rudely, words } = bench("a b c d e f g");
    await session.read({ path });
    rudely("a b c g");
    await session.grep({ pattern: "^c$", context: 1 });
    rudely("a b c d e f g");
    expect(outcome(await session.write({ path, content: "new\n" }))).toBe("applied");
    expect(words()).toBe("new");
  });

  it.each([
    ["line 2", "b", "X"],
    ["line 4", "d", "X"],
  ])(
    "may by a client's own tool after an edit of %s, where own lines went with the other text",
    async (_, old, by) => {
      const made = stage("a b c d");
      const { session, write, files } = made;
      await made.shown(1, 4);
      const whole = (content: string) =>
        ({ path, tool: "Write", single: true, change: { kind: "whole", content } }) as const;
      const longer = whole("a\nB\nc\nd\ne\n");
      expect(await made.answer(longer)).toBe("allowed");
      files.set(path, longer.change.content);
      await session.observeWrite(path, longer);
      write("a b c d");
      expect(await made.answer(quote(old, by))).toBe("allowed");
      write("a b c d".replace(old, by));
      await session.observeWrite(path, quote(old, by));
      expect(await made.answer(whole("new\n"))).toBe("allowed");
    },
  );

  it("may not where others took out a line after that edit", async () => {
    const { session, rudely } = bench("a b c d");
    await session.read({ path });
    await session.write({ path, content: "a\nB\nc\nd\ne\n" });
    rudely("a b c d");
    expect(outcome(await session.edit(on("a b c d").set(2, "X")))).toBe("applied");
    rudely("a X d");
    expect(outcome(await session.write({ path, content: "new\n" }))).toBe("!not_shown");
  });

  it("may not where others took lines out of the text that the agent was never told of", async () => {
    const { session, rudely } = bench("a b c d e f g h i j");
    await session.read({ path });
    rudely("a b c d i j");
    await session.grep({ pattern: "^a$" });
    rudely("a b c d i j k");
    await session.grep({ pattern: "^k$" });
    rudely("a b c d i j");
    expect(outcome(await session.write({ path, content: "new\n" }))).toBe("!not_shown");
  });

  it("is the same for another agent's undo of this one's edit", async () => {
    const { session, words } = bench(five);
    await session.read({ path });
    await session.edit(on(five).set(2, "B"));
    const two = session.as("two");
    await two.undo({ anyone: true });
    expect(words()).toBe(five);
    expect(outcome(await session.edit(on(five).set(2, "X")))).toBe("applied");
    void tag;
  });
});

it("names no edit that was made again since by another program's tool", async () => {
  const { session, files, rudely, store } = bench(five);
  await session.read({ path });
  const own = async (old: string, fresh: string): Promise<string> => {
    expect((await session.consider(quote(old, fresh))).kind).toBe("allowed");
    files.set(path, (files.text(path) as string).replace(old, fresh));
    await session.observeWrite(path, { tool: "Edit", change: quote(old, fresh).change });
    return (await store.journal({})).at(-1)?.id as string;
  };
  const first = await own("b", "B");
  const second = await own("d", "D");
  rudely(five);
  const third = await own("b", "B");
  const { text } = await session.edit(on(five).set(5, "E"));
  expect(text).toContain(second);
  expect(text).not.toContain(first);
  expect(text).not.toContain(third);
});

it("does not forget the text that stood there meanwhile where a refusal has shown it: its rows name lines that are gone", async () => {
  const braced = "a b } c";
  const made = bench(braced);
  await made.session.read({ path });
  const two = made.session.as("two");
  await two.read({ path });
  await two.edit(on(braced).after(2, ["}", "n"]));
  const refused = await made.session.write({ path, content: ["x"] });
  expect(refused.text).toContain(`${tag("a b } n } c", 3)}|}`);
  await two.undo();
  expect(made.words()).toBe(braced);
  expect(outcome(await made.session.edit(on(braced).set(3, "X")))).toBe("!ambiguous");
});
