/** Quotes and lines that differ from the file in blanks only: refused, and the handle takes the blanks of the file. */

import { describe, expect, it } from "vitest";
import type { Edit } from "../../src/edits/index.js";
import { bench, handleOf, on, outcome, path, tag } from "../support/session.js";

const python = "def f(x):\n    a = 1\n    if x:\n        b = 2\n    return a\n";

async function at(text: string, shown?: { start: number; end: number }) {
  const made = bench({ [path]: text });
  await made.session.read({ path, ...(shown ? { ranges: [shown] } : {}) });
  return {
    ...made,
    quote: (old: string, fresh: string, more: object = {}) =>
      made.session.edit({ path, edits: [{ op: "replace_text", old, new: fresh, ...more }] }),
    text: () => made.files.text(path),
  };
}

describe("a quote with other blanks than the file", () => {
  it("is refused with the rows and what its handle writes, and the handle writes that", async () => {
    const { quote, session, text } = await at(python);
    const refusal = await quote("\tif x:\n\t\tb = 2", "\tif x:\n\t\tb = 3\n\t\tc = 4");
    expect(outcome(refusal)).toBe("!not_found");
    expect(refusal.text).toContain("lines 3-4 read the same but for blanks");
    expect(refusal.text).toMatch(/^ {4}3#[0-9a-f]{6}\| {4}if x:$/m);
    expect(refusal.text).toContain("-        b = 2\n+        b = 3\n+        c = 4");
    expect(text()).toBe(python);
    const retry = handleOf(refusal) as string;
    expect(refusal.text).toContain(JSON.stringify({ path, retry }));
    expect(outcome(await session.edit({ path, retry }))).toBe("applied");
    expect(text()).toBe(python.replace("        b = 2\n", "        b = 3\n        c = 4\n"));
  });

  it("goes with other edits of its call", async () => {
    const { session, text } = await at(python);
    const edits: Edit[] = [
      { op: "replace_text", old: "\treturn a", new: "\treturn b" },
      { op: "set_line", anchor: tag(python, 2), text: "    a = 7" },
    ];
    const refusal = await session.edit({ path, edits });
    expect(outcome(refusal)).toBe("!not_found");
    expect(outcome(await session.edit({ path, retry: handleOf(refusal) as string }))).toBe("applied");
    expect(text()).toBe(python.replace("a = 1", "a = 7").replace("return a", "return b"));
  });

  it("its handle is good for this version only", async () => {
    const { quote, session, files, text } = await at(python);
    const retry = handleOf(await quote("\treturn a", "\treturn b")) as string;
    files.set(path, python.replace("    return a", "        return a"));
    const again = await session.edit({ path, retry });
    expect(outcome(again)).toMatch(/^!/);
    expect(text()).toContain("        return a\n");
  });

  const shown: [string, string, string, string, RegExp][] = [
    [
      "a line that ends in two blanks",
      "- one  \n- two\n",
      " - one",
      " - ONE",
      /^ {4}1#[0-9a-f]{6}\|- one {2}$/m,
    ],
    [
      "a line that goes on in the next",
      "cc \\\n  x\n",
      " cc \\\n  x",
      " cc \\\n  y",
      /^ {4}2#[0-9a-f]{6}\| {2}x$/m,
    ],
    ["one depth in the quote is two in the file", python, "if x:\nb = 2", "if x:\nb = 3", /\| {8}b = 2$/m],
    [
      "a new line at a depth that is no step",
      python,
      "\treturn a",
      "\treturn (a +\n\t\t  b)",
      /\| {4}return a$/m,
    ],
    ["it would run into the next line", python, "\treturn a\n", "\treturn b", /\| {4}return a$/m],
  ];
  it.each(shown)("is not healed, and its rows are shown: %s", async (_, content, old, fresh, row) => {
    const { quote, text } = await at(content);
    const refusal = await quote(old, fresh);
    expect(outcome(refusal)).toBe("!not_found");
    expect(handleOf(refusal)).toBeUndefined();
    expect(refusal.text).toContain("the same but for blanks at line starts and ends");
    expect(refusal.text).toMatch(row);
    expect(refusal.text).not.toContain("With the blanks of the file");
    expect(text()).toBe(content);
  });

  const none: [string, string, string, string, object?][] = [
    ["two places read like it", "  a\nb\n    a\n", "\ta", "\tc"],
    ["all are meant", python, "\treturn a", "\treturn b", { all: true }],
    ["more than blanks differs", python, "\treturn  a", "\treturn b"],
    ["a part of a line", python, "\treturn", "\tyield"],
  ];
  it.each(none)("is not healed: %s", async (_, content, old, fresh, more = {}) => {
    const { quote, text } = await at(content);
    const refusal = await quote(old, fresh, more);
    expect(outcome(refusal)).toBe("!not_found");
    expect(handleOf(refusal)).toBeUndefined();
    expect(refusal.text).not.toContain("the same but for blanks");
    expect(text()).toBe(content);
  });

  it("is not healed in lines that were not shown, nor in such that changed since", async () => {
    const some = await at(python, { start: 1, end: 4 });
    const unseen = await some.quote("\treturn a", "\treturn b");
    expect(outcome(unseen)).toBe("!not_found");
    expect(handleOf(unseen)).toBeUndefined();
    const all = await at(python);
    all.files.set(path, python.replace("return a", "return aa"));
    const pending = await all.quote("\treturn aa", "\treturn b");
    expect(outcome(pending)).toBe("!not_found");
    expect(handleOf(pending)).toBeUndefined();
  });

  it("in the lines that anchors name: there, and nowhere else", async () => {
    const { quote, session, text } = await at(python);
    const named = (line: number) => ({ anchor: tag(python, line) });
    expect(handleOf(await quote("\ta = 1", "\ta = 2", named(5)))).toBeUndefined();
    const retry = handleOf(await quote("\ta = 1", "\ta = 2", named(2))) as string;
    expect(outcome(await session.edit({ path, retry }))).toBe("applied");
    expect(text()).toBe(python.replace("a = 1", "a = 2"));
  });

  it("text that was shown with those blanks once, and again as it is now", async () => {
    const { quote, session, files, text } = await at(python);
    const now = python.replaceAll("    ", "\t");
    files.set(path, now);
    await session.read({ path });
    const refusal = await quote("    return a", "    return b");
    expect(outcome(refusal)).toBe("!stale");
    expect(outcome(await session.edit({ path, retry: handleOf(refusal) as string }))).toBe("applied");
    expect(text()).toBe(now.replace("return a", "return b"));
  });
});

describe("lines of which only the blanks changed since they were shown", () => {
  const now = python.replaceAll("    ", "\t");
  const sent = async (edit: Edit): Promise<string | null> => {
    const { session, files, text } = await at(python);
    files.set(path, now);
    const refusal = await session.edit({ path, edits: [edit] });
    expect(outcome(refusal)).toBe("!stale");
    expect(refusal.text).toContain("only blanks changed");
    const retry = handleOf(refusal);
    if (retry === undefined) return null;
    expect(outcome(await session.edit({ path, retry }))).toBe("applied");
    return text();
  };
  const anchor = (line: number) => tag(python, line);

  it("the handle writes with the blanks of now", async () => {
    expect(await sent({ op: "set_line", anchor: anchor(5), text: "    return b" })).toBe(
      now.replace("return a", "return b"),
    );
    expect(
      await sent({
        ...{ op: "replace_lines", start: anchor(3), end: anchor(4) },
        text: ["    if y:", "        b = 2", "        c = 3"],
      }),
    ).toBe(now.replace("if x:", "if y:").replace("b = 2", "b = 2\n\t\tc = 3"));
    expect(await sent({ op: "insert_after", anchor: anchor(4), text: "        c = 3" })).toBe(
      now.replace("b = 2", "b = 2\n\t\tc = 3"),
    );
    expect(await sent({ op: "delete_lines", start: anchor(3), end: anchor(4) })).toBe(
      now.replace("\tif x:\n\t\tb = 2\n", ""),
    );
  });

  it("the handle of a quote writes with the blanks of now, for whole lines or a part of one", async () => {
    for (const [old, fresh] of [
      ["    if x:\n        b = 2", "    if x:\n        b = 3"],
      ["b = 2", "b = 3"],
    ] as const)
      expect(await sent({ op: "replace_text", old, new: fresh })).toBe(now.replace("b = 2", "b = 3"));
  });

  it("there is none where the blanks of the new text cannot be told", async () => {
    expect(await sent({ op: "set_line", anchor: anchor(5), text: "      return b" })).toBeNull();
  });

  it("where words changed too, the text goes in as it was sent", async () => {
    const { session, files, text } = await at(python);
    files.set(path, now.replace("return a", "return aa"));
    const { edits } = on(python).set(5, "    return b");
    const retry = handleOf(await session.edit({ path, edits })) as string;
    await session.edit({ path, retry });
    expect(text()).toContain("\n    return b\n");
  });
});
