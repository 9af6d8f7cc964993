/** A quote that was a whole line when it was shown, and is a part of what that line is now. */
import { expect, it } from "vitest";
import { quote as foreign, stage } from "../support/foreign.js";
import { bench, handleOf, on, outcome, path } from "../support/session.js";

/** Shown, then changed by others, then refused once: the refusal shows the line as it is now. */
async function refusedOnce(shown: string, now: string, first: string) {
  const made = bench(shown);
  await made.session.read({ path });
  made.rudely(now);
  expect(outcome(await made.session.edit(on(shown).quote(first, "Z\n")))).toBe("!stale");
  const quote = (old: string, fresh: string, all = false) =>
    made.session.edit(on(shown).quote(old, fresh, all));
  return { ...made, quote };
}

it.each([
  ["a line that got an end", "a bbb c", "a bbb-x c", "bbb\n", "bbb"],
  ["a line that got a beginning", "a bbb c", "a x-bbb c", "\nbbb\n", "bbb\n"],
  ["several lines, of which one changed", "a bbb c", "a bbb c-x", "bbb\nc\n", "bbb\nc"],
])("is refused again, with less of it: %s", async (_, shown, now, first, second) => {
  const { quote, words } = await refusedOnce(shown, now, first);
  const again = await quote(second, "BBB");
  expect(outcome(again)).toBe("!stale");
  expect(again.text).toContain("-");
  expect(handleOf(again)).toBeUndefined();
  expect(words()).toBe(now);
});

it("of all places too", async () => {
  const { quote, words } = await refusedOnce("bbb a bbb", "bbb a bbb-x", "a\nbbb\n");
  expect(outcome(await quote("bbb", "BBB", true))).toBe("!stale");
  expect(words()).toBe("bbb a bbb-x");
});

it("what is quoted of the line as it is goes in", async () => {
  const { quote, words } = await refusedOnce("a bbb c", "a bbb-x c", "bbb\n");
  expect(outcome(await quote("bbb-x", "BBB"))).toBe("applied");
  expect(words()).toBe("a BBB c");
});

it("a part of the line as it was shown goes in", async () => {
  const { quote, words } = await refusedOnce("a bbb=1 c", "a bbb=1-x c", "bbb=1\n");
  expect(outcome(await quote("bbb", "BBB"))).toBe("applied");
  expect(words()).toBe("a BBB=1-x c");
});

it("once the line was read it may be quoted as a part", async () => {
  const { session, quote, words } = await refusedOnce("a bbb c", "a bbb-x c", "bbb\n");
  await session.read({ path });
  expect(outcome(await quote("bbb", "BBB"))).toBe("applied");
  expect(words()).toBe("a BBB-x c");
});

it("another line that stands as it was shown goes in", async () => {
  const { session, files } = bench("");
  files.set(path, "a\nbbb\nc\n");
  await session.read({ path });
  files.set(path, "a-x\nbbb\nc\n");
  expect(outcome(await session.edit(on("a").quote("a\n", "A\n")))).toBe("!stale");
  expect(outcome(await session.edit(on("a").quote("bbb", "BBB")))).toBe("applied");
});

it("blanks at the ends of the line are no change of it", async () => {
  const { session, files } = bench("");
  files.set(path, "a\nbbb\nc\n");
  await session.read({ path });
  files.set(path, "a\n  bbb \nc\n");
  expect(outcome(await session.edit(on("a").quote("bbb\n", "BBB\n")))).toBe("!stale");
  expect(outcome(await session.edit(on("a").quote("bbb", "BBB")))).toBe("applied");
  expect(files.text(path)).toBe("a\n  BBB \nc\n");
});

it("the tools of others are held to the same", async () => {
  const at = stage("a bbb c");
  await at.shown(1, 3);
  at.write("a bbb-x c");
  expect(await at.answer(foreign("bbb\n", "Z\n"))).toBe("stale");
  expect(await at.answer(foreign("bbb", "BBB"))).toBe("stale");
  expect(await at.answer(foreign("bbb-x", "BBB"))).toBe("allowed");
  expect(await at.answer(foreign("bb-x", "BB"))).toBe("allowed");
  await at.shown(1, 3);
  expect(await at.answer(foreign("bbb", "BBB"))).toBe("allowed");
});
