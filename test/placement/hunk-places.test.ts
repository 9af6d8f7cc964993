/** Tools that take patches put a hunk in the first place that it fits. */
import { describe, expect, it } from "vitest";
import { parseUpdate } from "../../src/placement/patch.js";
import { bench, path, rowsOf } from "../support/session.js";

const patch = (lines: readonly string[], isLenient = false) => ({
  ...{ path, tool: "apply_patch" },
  change: { kind: "patch" as const, hunks: parseUpdate(lines.join("\n"), isLenient) },
});

const all = "f x y g x z h x end";
const cases: readonly (readonly [string, readonly string[], string])[] = [
  ["one place", ["@@", "-y", "+Y"], "allowed"],
  ["three places", ["@@", "-x", "+X"], "ambiguous"],
  ["a line of context says which", ["@@", "-x", "+X", " z"], "allowed"],
  ["a header says which", ["@@ g", "-x", "+X"], "allowed"],
  ["a header that is not there says nothing", ["@@ nowhere", "-x", "+X"], "ambiguous"],
  ["the end of the file says which", ["@@", "-x", "+X", " end", "*** End of File"], "allowed"],
  ["the hunk before says which", ["@@", "-h", "+H", "@@", "-x", "+X"], "allowed"],
  ["the hunk before leaves two", ["@@", "-y", "+Y", "@@", "-x", "+X"], "ambiguous"],
  ["the hunk behind says which", ["@@", "-x", "+X", "@@", "-y", "+Y"], "allowed"],
  ["the hunk behind leaves two", ["@@", "-x", "+X", "@@", "-z", "+Z"], "ambiguous"],
  ["a hunk with a header behind says which", ["@@", "-x", "+X", "@@ g", "-x", "+Y"], "allowed"],
  ["all of them, one by one", ["@@", "-x", "+1", "@@", "-x", "+2", "@@", "-x", "+3"], "allowed"],
  ["two of three", ["@@", "-x", "+1", "@@", "-x", "+2"], "ambiguous"],
  ["nothing is quoted: it goes to the end", ["@@", "+X"], "allowed"],
  ["nothing is quoted, but a header says where", ["@@ g", "+X"], "bad_request"],
];

describe("a hunk that fits several places, all of them seen", () => {
  it.each(cases)("%s", async (_, lines, expected) => {
    const { session } = bench(all);
    await session.observe({ path, rows: rowsOf(all) });
    const found = await session.consider(patch(lines));
    expect(found.kind === "refused" ? found.result.details.code : found.kind).toBe(expected);
  });

  it("is refused with the places, and with what to add", async () => {
    const { session } = bench(all);
    await session.observe({ path, rows: rowsOf(all) });
    const found = await session.consider(patch(["@@", "-x", "+X"]));
    const text = found.kind === "refused" ? found.result.text : "";
    expect(text).toMatch(/"x" match in 3 places \(lines 2, 5, 8\)/);
    expect(text).toMatch(/give more context, or @@ with a line above/);
    for (const line of [1, 2, 3, 5, 8]) expect(text).toMatch(new RegExp(`^ +${line}#`, "m"));
  });

  it("a tool that takes no notice of the end takes another", async () => {
    const { session } = bench(`${all} x`);
    await session.observe({ path, rows: rowsOf(`${all} x`) });
    const lines = ["@@ h", "-x", "+X", "*** End of File"];
    expect((await session.consider(patch(lines))).kind).toBe("allowed");
    expect((await session.consider(patch(lines, true))).kind).toBe("refused");
  });

  it.each([
    ["above", ["  g", "x", "g", "x"]],
    ["below", ["g", "x", "  g", "x"]],
  ])("a tool that overlooks how far a header is indented finds another: %s", async (_, lines) => {
    const { session, files } = bench("");
    files.set(path, `${lines.join("\n")}\n`);
    await session.read({ path });
    const under = (header: string, isLenient = true) =>
      session.consider(patch([`@@ ${header}`, "-x", "+X"], isLenient));
    expect((await under("  g")).kind).toBe("refused");
    expect((await under("  g", false)).kind).toBe("allowed");
  });

  it("a tool that overlooks what has no sign finds another", async () => {
    const { session } = bench(all);
    await session.observe({ path, rows: rowsOf(all) });
    expect((await session.consider(patch(["@@", " x", "", "-y"], true))).kind).toBe("refused");
    expect((await session.consider(patch(["@@", " x", "-y", ""], true))).kind).toBe("allowed");
  });

  it("whichever of them it is put in, the same comes of it", async () => {
    const { session } = bench("a x x b");
    await session.observe({ path, rows: rowsOf("a x x b") });
    expect((await session.consider(patch(["@@", "-x"]))).kind).toBe("allowed");
    expect((await session.consider(patch(["@@", "-x", "+X"]))).kind).toBe("refused");
  });

  it("a header that stands twice says which only if the same is below both", async () => {
    const { session } = bench("run x run y x");
    await session.observe({ path, rows: rowsOf("run x run y x") });
    expect((await session.consider(patch(["@@ run", "-x", "+X"]))).kind).toBe("refused");
    expect((await session.consider(patch(["@@ run", "-y", "+Y"]))).kind).toBe("allowed");
  });
});

describe("a hunk that fits several places, not all of them seen", () => {
  it("the first was seen, and no other: that one is meant", async () => {
    const { session } = bench(all);
    await session.observe({ path, rows: rowsOf("f x y") });
    expect((await session.consider(patch(["@@", "-x", "+X"]))).kind).toBe("allowed");
  });

  it("several were seen, and one of them is gone: which one, nobody can tell", async () => {
    const { session, rudely } = bench("} } x x x");
    await session.observe({ path, rows: rowsOf("} } x x x") });
    rudely("} } x x");
    await session.observe({ path, rows: rowsOf("} } x") });
    expect((await session.consider(patch(["@@", "-x", "+X"]))).kind).toBe("refused");
  });

  it("another was seen: the tool would take the first", async () => {
    const { session } = bench(all);
    await session.observe({ path, rows: rowsOf("h x", 7) });
    expect((await session.consider(patch(["@@", "-x", "+X"]))).kind).toBe("refused");
  });

  it("what it did to the first place is the agent's own", async () => {
    const { session, rudely, store } = bench(all);
    await session.observe({ path, rows: rowsOf("f x y") });
    rudely(all.replace("x", "X"));
    await session.observeWrite(path, patch(["@@", "-x", "+X"]));
    expect(await store.journal()).toMatchObject([{ kind: "commit", change: [9, 9, 1, 2, 1, 2] }]);
  });
});

describe("a hunk in a file that has changed since it was seen", () => {
  /** Lines, with strokes between them. */
  const cases: readonly (readonly [string, string, string, readonly string[]])[] = [
    ["others put the same line below its header", "d|b|e", "d|e|b|e", ["@@ d", "-e", "+E"]],
    ["others put the same header above", "f|x|g|x", "g|f|x|g|x", ["@@ g", "-x", "+X"]],
    ["its header is gone, and another is like it", "h|x|  h|x", "x|  h|x", ["@@ h", "-x", "+X"]],
    ["what is left is like it but for blanks", "x|}|x", "x|  x|}|x", ["@@", "-x", "-}", "-x", "+n"]],
    ["the end is like it but for blanks", "a|  x", "a|  x|x", ["@@", "-  x", "+n", "*** End of File"]],
    ["what is like it has another dash", "a-b|c", "c|a–b", ["@@", "-a-b", "+n"]],
    ["a blank line of it is gone, and it was nothing else", "a||b", "a|b|c", ["@@", "-", "+n"]],
    [
      "the end has come up to the hunk above",
      "a|c|b|c",
      "a|c",
      ["@@", "-a", "+n", " c", "@@", "-c", "+m", "*** End of File"],
    ],
  ];

  it.each(cases)("%s: refused", async (_, before, after, lines) => {
    const { session, files } = bench("");
    files.set(path, `${before.replaceAll("|", "\n")}\n`);
    await session.observe({ path, rows: before.split("|").map((text, at) => ({ line: at + 1, text })) });
    files.set(path, `${after.replaceAll("|", "\n")}\n`);
    expect((await session.consider(patch(lines))).kind).toBe("refused");
  });

  it("is let through where it stands below a header that was put there, too", async () => {
    const { session, rudely } = bench("f x g x y");
    await session.observe({ path, rows: rowsOf("f x g x y") });
    rudely("g f x g x y");
    expect((await session.consider(patch(["@@ g", "-y", "+Y"]))).kind).toBe("allowed");
  });

  it("is told which line would be taken, and which one was seen", async () => {
    const { session, rudely } = bench("d b e");
    await session.observe({ path, rows: rowsOf("d b e") });
    rudely("d e b e");
    const found = await session.consider(patch(["@@ d", "-e", "+E"]));
    expect(found.kind === "refused" ? found.result.text : "").toMatch(
      /saw the quoted lines at line 4, but the tool would take line 2 for them: give more context, or @@ with/,
    );
  });
});
