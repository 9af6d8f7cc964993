import { describe, expect, it } from "vitest";
import { computeLineHash } from "../../src/anchors/scheme.js";
import type { Edit } from "../../src/edits/index.js";
import type { EditRequest } from "../../src/session/index.js";
import { type Bench, bench, handleOf, outcome, path, printedLines } from "../support/session.js";

const text = (lines: readonly string[]) => `${lines.join("\n")}\n`;
const anchor = (line: number, content: string) => `${line}#${computeLineHash(content)}`;

/** A file of these lines, of which the first was read. */
async function opened(...lines: string[]): Promise<Bench> {
  const made = bench({});
  made.files.set(path, text(lines));
  await made.session.read({ path, ranges: [{ start: 1, end: 1 }] });
  return made;
}

const set = (line: number, content: string, by: string): EditRequest => ({
  path,
  edits: [{ op: "set_line", anchor: anchor(line, content), text: by }],
});
const quote = (old: string, by: string, all = false): EditRequest => ({
  path,
  edits: [{ op: "replace_text", old, new: by, all }],
});

describe("a line that was never shown and is quoted in part", () => {
  it("is printed with its text, and known by that", async () => {
    const { session, files } = await opened("a", "const x = secret();", "c");
    const result = await session.edit(quote("x =", "y ="));
    expect(result.text).toBe(
      [
        "src/a.ts edited; keep using the anchors you were shown",
        "quoted in part, in lines that you were not shown; they read now:",
        `${anchor(2, "const y = secret();")}|const y = secret();`,
      ].join("\n"),
    );
    expect(outcome(await session.edit(set(2, "const y = secret();", "z")))).toBe("applied");
    expect(files.text(path)).toBe("a\nz\nc\n");
  });

  it("is not printed where it was known before", async () => {
    const { session } = await opened("const x = 1;", "b");
    const result = await session.edit(quote("x =", "y ="));
    expect(printedLines(result)).toEqual([]);
    expect(result.text).toContain(anchor(1, "const y = 1;"));
  });

  it("is not printed where all of it is quoted: the agent has it", async () => {
    const { session } = await opened("a", "foo", "bar", "c");
    const result = await session.edit(quote("foo\nbar", "one\ntwo"));
    expect(printedLines(result)).toEqual([]);
    expect(outcome(await session.edit(set(2, "one", "1")))).toBe("applied");
  });

  it("is printed at the edges of a longer quote, and the lines between are not", async () => {
    const { session } = await opened("a", "  if (x) {", "    one();", "  } else y();");
    const result = await session.edit(
      quote("if (x) {\n    one();\n  } else y", "if (z) {\n    two();\n  } else n"),
    );
    expect(printedLines(result)).toEqual([2, 4]);
    expect(result.text).toContain(`${anchor(3, "    two();")}\n`);
  });

  it("is printed where a quote joins two lines", async () => {
    const { session } = await opened("a", "left,", "right", "d");
    expect((await session.edit(quote(",\n", " "))).text).toContain(`|left right`);
  });

  it("does not open the rest of the file: lines that nobody printed stay closed", async () => {
    const many = Array.from({ length: 200 }, (_, at) => `old secret ${at}`);
    const { session, files } = await opened("a", ...many);
    const result = await session.edit(quote("old", "new", true));
    const shown = printedLines(result);
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.length).toBeLessThan(30);
    expect(result.text).toMatch(/^\[180 lines not shown: call read .*\]$/m);
    const before = files.text(path);
    expect(outcome(await session.write({ path, content: "gone\n" }))).toBe("!not_shown");
    expect(files.text(path)).toBe(before);
    const last = many.length + 1;
    expect(outcome(await session.edit(set(last, "new secret 199", "x")))).not.toBe("applied");
    expect(files.text(path)).toBe(before);
  });

  it("inside a range of lines that were shown closes that range", async () => {
    const long = (word: string) => `${word} ${"y".repeat(5000)}`;
    const { session, files } = await opened("a", "b", long("old"), "d");
    await session.read({ path });
    await session.edit(quote("old", "new"));
    const { text: told } = await session.edit({
      path,
      edits: [{ op: "replace_lines", start: anchor(2, "b"), end: anchor(4, "d"), text: "z" }],
    });
    expect(told).toContain("never shown");
    expect(files.text(path)).toBe(text(["a", "b", long("new"), "d"]));
  });

  it("stays closed after the call was sent again by its handle", async () => {
    const { session, files, rudely } = bench("a b c d e f_secret g");
    await session.read({ path, ranges: [{ start: 1, end: 2 }] });
    rudely("a B c d e f_secret g");
    const edits: Edit[] = [
      { op: "set_line", anchor: anchor(2, "b"), text: "x" },
      { op: "replace_text", old: "f_", new: "k_" },
    ];
    const refused = await session.edit({ path, edits });
    const retry = handleOf(refused);
    expect(retry, refused.text).toBeDefined();
    const result = await session.edit({ path, retry: retry as string });
    expect(files.text(path)).toBe("a\nx\nc\nd\ne\nk_secret\ng\n");
    expect(result.text).toContain("|k_secret");
  });
});
