import { describe, expect, test } from "vitest";
import { textEditor } from "../../src/sdk/text-editor.js";
import { workplace } from "./support.js";

const source = `${["one", "two", "three", "four", "five", "six", "seven", "eight"].join("\n")}\n`;

function bench(content = source) {
  const { files, options } = workplace({ "a.ts": content });
  const run = textEditor(options);
  return {
    files,
    run: async (command: string, more: object = {}) => run({ command, path: "a.ts", ...more }),
  };
}

describe("view", () => {
  test("prints numbers and lines, no anchors", async () => {
    const { run } = bench();
    expect((await run("view")).text).toBe(
      "1\tone\n2\ttwo\n3\tthree\n4\tfour\n5\tfive\n6\tsix\n7\tseven\n8\teight",
    );
  });

  test.each<[unknown, string]>([
    [[2, 3], "2\ttwo\n3\tthree\n[2 of 8 lines]"],
    [["2", "3"], "2\ttwo\n3\tthree\n[2 of 8 lines]"],
    ["[2, 3]", "2\ttwo\n3\tthree\n[2 of 8 lines]"],
    [[7, -1], "7\tseven\n8\teight\n[2 of 8 lines]"],
    [[0, 1], "1\tone\n[1 of 8 lines]"],
  ])("view_range %j", async (view_range, expected) => {
    const { run } = bench();
    expect((await run("view", { view_range })).text).toBe(expected);
  });

  test("goes on where a long file was cut", async () => {
    const { run } = bench("x\n".repeat(2001));
    expect((await run("view")).text).toMatch(/\n\[2000 of 2001 lines; next: view_range \[2001, -1\]\]$/);
  });

  test("a folder is what the host says it is", async () => {
    const { options } = workplace({});
    const run = textEditor({ ...options, list: async (path) => (path === "src" ? "a.ts\nb.ts" : null) });
    expect((await run({ command: "view", path: "src" })).text).toBe("a.ts\nb.ts");
    expect((await run({ command: "view", path: "src", view_range: [1, 9] })).text).toBe("a.ts\nb.ts");
    const missing = await run({ command: "view", path: "none" });
    expect([missing.isError, missing.text]).toEqual([true, expect.stringMatching(/^none does not exist/)]);
  });
});

describe("str_replace", () => {
  test("an unread file is refused, and view is named", async () => {
    const { run, files } = bench();
    const refused = await run("str_replace", { old_str: "two", new_str: "2" });
    expect(refused.isError).toBe(true);
    expect(refused.text).toBe(
      "REJECTED, nothing written.\na.ts was not read in this session: call view on it first",
    );
    expect(files.text("a.ts")).toBe(source);
  });

  test("replaces and shows the place with its new numbers", async () => {
    const { run, files } = bench();
    await run("view");
    const done = await run("str_replace", { old_str: "three\nfour", new_str: "3\n3.5\n4" });
    expect(done.text).toBe("a.ts edited\n1\tone\n2\ttwo\n3\t3\n4\t3.5\n5\t4\n6\tfive\n7\tsix");
    expect(files.text("a.ts")).toBe(source.replace("three\nfour", "3\n3.5\n4"));
  });

  test("without new_str the text is deleted", async () => {
    const { run, files } = bench();
    await run("view");
    await run("str_replace", { old_str: "two\n" });
    expect(files.text("a.ts")).toBe(source.replace("two\n", ""));
  });

  test("lines that merely moved are found", async () => {
    const { run, files } = bench();
    await run("view");
    files.set("a.ts", `zero\n${source}`);
    const done = await run("str_replace", { old_str: "two", new_str: "2" });
    expect(done.isError).toBe(false);
    expect(files.text("a.ts")).toBe(`zero\n${source.replace("two", "2")}`);
  });

  test("text that was shown and has changed is refused with the text as it is now", async () => {
    const { run, files } = bench();
    await run("view");
    files.set("a.ts", source.replace("two", "TWO"));
    const refused = await run("str_replace", { old_str: "two", new_str: "2" });
    expect(refused.details).toMatchObject({ code: "stale" });
    expect(refused.text).toContain('It was "two"');
    expect(refused.text).toContain(">>> 2\tTWO");
    expect(refused.text).not.toMatch(/#|anchor|LINE|retry/);
    const again = await run("str_replace", { old_str: "TWO", new_str: "2" });
    expect(again.isError).toBe(false);
  });

  test("the same text elsewhere is not the text that was shown", async () => {
    const { run, files } = bench();
    await run("view");
    const moved = `${source.replace("two", "TWO")}nine\nten\neleven\ntwo\n`;
    files.set("a.ts", moved);
    const refused = await run("str_replace", { old_str: "two", new_str: "2" });
    expect(refused.isError).toBe(true);
    expect(files.text("a.ts")).toBe(moved);
  });

  test("text in several places asks for more of it", async () => {
    const { run } = bench("x\ny\nx\n");
    await run("view");
    const refused = await run("str_replace", { old_str: "x", new_str: "z" });
    expect(refused.text).toContain("stands 2 times (lines 1, 3 as shown); quote more of it\n");
    expect(refused.text).not.toMatch(/#|anchor/);
  });

  test("the third refusal of one call says stop", async () => {
    const { run } = bench();
    const texts: string[] = [];
    for (let at = 0; at < 3; at++)
      texts.push((await run("str_replace", { old_str: "two", new_str: "2" })).text);
    expect(texts[1]).toContain("do not retry identical arguments: call view on a.ts first");
    expect(texts[2]).toContain("Stop. Do not retry identical arguments");
  });
});

describe("insert", () => {
  test("of many lines speaks of no anchors", async () => {
    const { run } = bench();
    await run("view");
    const { text } = await run("insert", { insert_line: 2, insert_text: "new\n".repeat(100) });
    expect(text).toMatch(/^a\.ts edited\n/);
    expect(text).not.toContain("anchor");
  });

  test.each([
    [0, `new\n${source}`],
    [2, source.replace("two\n", "two\nnew\n")],
    ["8", `${source}new\n`],
  ])("after line %j", async (insert_line, expected) => {
    const { run, files } = bench();
    await run("view");
    const done = await run("insert", { insert_line, insert_text: "new" });
    expect(done.isError).toBe(false);
    expect(files.text("a.ts")).toBe(expected);
  });

  test("a line that was not shown is refused, naming the view", async () => {
    const { run, files } = bench();
    await run("view", { view_range: [1, 2] });
    const refused = await run("insert", { insert_line: 6, insert_text: "new" });
    expect(refused.text).toContain(
      "line 6 was not shown under this number since your last edit: call view on a.ts with view_range [1, 11] first",
    );
    expect(files.text("a.ts")).toBe(source);
  });

  test("goes beside the line that was shown, wherever others have moved it", async () => {
    const { run, files } = bench();
    await run("view");
    files.set("a.ts", `zero\n${source}`);
    await run("insert", { insert_line: 2, insert_text: "new" });
    expect(files.text("a.ts")).toBe(`zero\n${source.replace("two\n", "two\nnew\n")}`);
  });

  test("below an own edit a number counts only if it was printed since", async () => {
    const { run, files } = bench();
    await run("view");
    await run("str_replace", { old_str: "two", new_str: "2\n2.5" });
    const refused = await run("insert", { insert_line: 7, insert_text: "new" });
    expect(refused.isError).toBe(true);
    await run("insert", { insert_line: 4, insert_text: "new" });
    expect(files.text("a.ts")).toBe(source.replace("two", "2\n2.5").replace("three\n", "three\nnew\n"));
  });
});

describe("a number that was printed before an own edit above it does not count", () => {
  const long = `${Array.from({ length: 20 }, (_, at) => `line ${at + 1}`).join("\n")}\n`;

  test("under another spelling of the path", async () => {
    const { run, files } = bench(long);
    await run("view");
    await run("str_replace", { path: "./a.ts", old_str: "line 2\n", new_str: "2\n2.5\n" });
    const before = files.text("a.ts");
    const refused = await run("insert", { insert_line: 9, insert_text: "new" });
    expect(refused.details).toMatchObject({ code: "not_shown" });
    expect(files.text("a.ts")).toBe(before);
    await run("view", { path: "sub/../a.ts" });
    expect((await run("insert", { insert_line: 9, insert_text: "new" })).isError).toBe(false);
  });

  test("where others have moved what was edited", async () => {
    const { run, files } = bench(long);
    await run("view", { view_range: [5, 12] });
    files.set("a.ts", `${"top\n".repeat(10)}${long}`);
    await run("str_replace", { old_str: "line 6\n", new_str: "6\n6.5\n" });
    const before = files.text("a.ts");
    const refused = await run("insert", { insert_line: 10, insert_text: "new" });
    expect(refused.details).toMatchObject({ code: "not_shown" });
    expect(files.text("a.ts")).toBe(before);
  });
});

describe("create", () => {
  test("a new file needs nothing; over a file that was not wholly shown it is refused", async () => {
    const { run, files } = bench();
    const created = await run("create", { path: "b.ts", file_text: "x\n" });
    expect(created.text).toBe("b.ts created (1 line)");
    expect(files.text("b.ts")).toBe("x\n");
    const refused = await run("create", { file_text: "gone" });
    expect(refused.isError).toBe(true);
    await run("view", { view_range: [1, 3] });
    const partly = await run("create", { file_text: "gone" });
    expect(partly.details).toMatchObject({ code: "not_shown" });
    expect(partly.text).not.toMatch(/#|anchor/);
    expect(files.text("a.ts")).toBe(source);
    expect((await run("create", { file_text: "new\n" })).isError).toBe(false);
  });
});

test.each<[string, object, string]>([
  ["undo_edit", {}, 'there is no command "undo_edit": use view, str_replace, create or insert'],
  ["str_replace", {}, "old_str is missing"],
  ["str_replace", { old_str: "x", new_str: 7 }, "new_str must be a string"],
  ["insert", { insert_text: "x" }, "insert_line is missing"],
  ["insert", { insert_line: 1 }, "insert_text is missing"],
  ["insert", { insert_line: -1, insert_text: "x" }, "insert_line must be a whole number from 0"],
  ["create", {}, "file_text is missing"],
  ["view", { view_range: "all" }, "view_range must be like [10, 20]"],
  ["view", { view_range: [2, null] }, "view_range must be like [10, 20]"],
  ["view", { view_range: [3, 1] }, "range 3-1 ends before it begins"],
  ["view", { path: "" }, "path is missing"],
])("%s %j is a bad request", async (command, more, message) => {
  const { run } = bench();
  const result = await run(command, more);
  expect(result.isError).toBe(true);
  expect(result.text).toContain(message);
  expect(result.text.startsWith("REJECTED, nothing written.")).toBe(command !== "view");
});
