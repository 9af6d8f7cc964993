/** Other programs' tools edit by a quote; a formatter changed only the blanks at the ends of its lines. */

import { expect, it } from "vitest";
import { computeLineHash } from "../../src/anchors/scheme.js";
import type { Edit } from "../../src/edits/index.js";
import { quote, stage } from "../support/foreign.js";
import { bench, handleOf, path } from "../support/session.js";

const lines = (...all: readonly string[]): string => all.map((line) => `${line}\n`).join("");

async function at(shown: string, now: string, [first, last]: readonly [number, number] = [1, 9]) {
  const made = stage("");
  made.files.set(path, shown);
  await made.shown(first, Math.min(last, shown.split("\n").length - 1));
  made.files.set(path, now);
  return made;
}

it.each([
  ["more", lines("a", "  b", "c"), lines("a", "    b", "c"), "b"],
  ["more, quoted with its blanks", lines("a", "  b", "c"), lines("a", "    b", "c"), "  b"],
  ["less", lines("a", "    b", "c"), lines("a", "  b", "c"), "b"],
  ["a tab", lines("a", "  b", "c"), lines("a", "\tb", "c"), "b"],
  ["at its end", lines("a", "b", "c"), lines("a", "b ", "c"), "b"],
  ["from the end of one line to the next", lines("a {", "b", "}"), lines("a { ", "b ", "}"), "b"],
  ["all of the file", lines("a", "  b", "  c", "d"), lines("  a", "    b", "    c", "  d"), "c"],
  ["and a line was added above", lines("a", "  b", "c"), lines("n", "a", "    b", "c"), "b"],
  [
    "among others that changed, with two of its neighbours",
    lines("a", "  b", "  c", "  d", "e"),
    lines("A", "    b", "    c", "    d", "E", "f"),
    "c",
  ],
])("a quote that stands there once is let through: %s", async (_, shown, now, old) => {
  const made = await at(shown, now);
  expect(await made.answer(quote(old, "X"))).toBe("allowed");
});

it.each([
  [
    "a line beside it changed too, so it may be a new one",
    lines("a", "  b", "c"),
    lines("a", "    b", "C"),
    "b",
  ],
  ["lines beside it went", lines("a", "b", "  x", "c", "d"), lines("a", "    x", "d"), "x"],
  ["the words changed too", lines("a", "  b", "c"), lines("a", "    b2", "c"), "b"],
  ["it stands in another place", lines("a", "  b", "c", "d"), lines("a", "c", "d", "    b"), "b"],
  [
    "one of two places was indented, and the quote fits the other",
    lines("  b", "a", "  b"),
    lines("\tb", "a", "  b"),
    "  b",
  ],
])("refused: %s", async (_, shown, now, old) => {
  const made = await at(shown, now);
  expect(await made.answer(quote(old, "X"))).not.toBe("allowed");
});

it("a line that was never shown is not known by its blanks", async () => {
  const made = await at(lines("a", "b", "c", "  d"), lines("a", "b", "c", "    d"), [1, 2]);
  expect((await made.session.consider(quote("a\nb", "X"))).kind).toBe("allowed");
});

it("a line that was seen to be gone, and is back with other blanks, was not seen", async () => {
  const made = await at(lines("a", "  b", "c"), lines("a", "y", "c"));
  await made.shown(1, 3);
  made.files.set(path, lines("a", "    b", "c"));
  expect(await made.answer(quote("b", "X"))).toBe("stale");
});

it("what the agent wrote itself, and a formatter indented", async () => {
  const made = await at(lines("a", "b", "c"), lines("a", "b", "c"));
  made.files.set(path, lines("a", "  x", "c"));
  await made.session.observeWrite(path, { tool: "Edit", change: quote("b", "  x").change });
  made.files.set(path, lines("a", "\tx", "c"));
  expect(await made.answer(quote("x", "y"))).toBe("allowed");
});

it.each([
  ["with its blanks", "  bar();"],
  ["without them", "bar();"],
])("a line that a formatter indented beside one that the agent edited since: %s", async (_, old) => {
  const made = await at(lines("{", "  foo();", "  bar();", "}"), lines("{", "    foo();", "    bar();", "}"));
  expect(await made.answer(quote("foo();", "foo(1);"))).toBe("allowed");
  made.files.set(path, lines("{", "    foo(1);", "    bar();", "}"));
  await made.session.observeWrite(path, { tool: "Edit", change: quote("foo();", "foo(1);").change });
  expect(await made.answer(quote(old, "X"))).toBe("allowed");
});

it("names nobody for a line that an unknown author changed beside one that the agent edited", async () => {
  const made = await at(lines("{", "  foo();", "  bar();", "}"), lines("{", "  foo();", "  bar(77);", "}"));
  expect(await made.answer(quote("foo();", "foo(1);"))).toBe("allowed");
  made.files.set(path, lines("{", "  foo(1);", "  bar(77);", "}"));
  await made.session.observeWrite(path, { tool: "Edit", change: quote("foo();", "foo(1);").change });
  const found = await made.session.consider(quote("  bar();", "X"));
  expect(found).toMatchObject({ kind: "refused" });
  expect(JSON.stringify(found)).not.toContain('"by":"you"');
});

it("replace_text names nobody for blanks beside lines that the agent wrote", async () => {
  const { session, files } = bench("");
  files.set(path, lines("{", "  foo();", "  bar();", "}"));
  await session.read({ path });
  files.set(path, lines("{", "\tfoo();", "\tbar();", "}"));
  const set: Edit = { op: "set_line", anchor: `2#${computeLineHash("  foo();")}`, text: "  foo(1);\n  k();" };
  const retry = handleOf(await session.edit({ path, edits: [set] })) as string;
  expect((await session.edit({ path, retry })).isError).toBe(false);
  const edits: Edit[] = [{ op: "replace_text", old: "  bar();", new: "  bar(2);" }];
  const { text } = await session.edit({ path, edits });
  expect(text).toContain('It was "  bar();", only blanks changed');
  expect(text).not.toContain("by you");
});
