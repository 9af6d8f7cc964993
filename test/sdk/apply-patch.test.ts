import { applyDiff } from "@openai/agents";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PatchOperation, patchEditor } from "../../src/sdk/apply-patch.js";
import { Session } from "../../src/session/session.js";
import { workplace } from "./support.js";

const source = [
  "class One",
  "  def go",
  "    x = 1",
  "  end",
  "end",
  "class Two",
  "  def go",
  "    x = 1",
  "  end",
  "end",
];
const text = `${source.join("\n")}\n`;

async function bench(content = text, read = true) {
  const { files, options } = workplace({ "a.rb": content });
  const session = new Session(options);
  if (read) await session.read({ path: "a.rb" });
  const run = patchEditor(options);
  const update = (diff: string, more: object = {}) =>
    run({ type: "update_file", path: "a.rb", diff, ...more } as PatchOperation);
  return { files, session, run, update, now: () => files.text("a.rb") };
}

describe("update_file", () => {
  test("a file that was not read is denied", async () => {
    const { update, now } = await bench(text, false);
    const refused = await update("@@\n class One\n-  def go\n+  def run");
    expect(refused.details).toMatchObject({ code: "not_read" });
    expect(refused.text).toBe(
      "REJECTED, nothing written.\na.rb was not read in this session: read a.rb first",
    );
    expect(now()).toBe(text);
  });

  test.each<[string, string, string]>([
    [
      "context and change",
      "@@\n class Two\n-  def go\n+  def run\n     x = 1",
      text.replace("class Two\n  def go", "class Two\n  def run"),
    ],
    [
      "a header picks the place",
      "@@ class Two\n   def go\n-    x = 1\n+    x = 2",
      text.replace(/x = 1(?![\s\S]*x = 1)/, "x = 2"),
    ],
    [
      "two headers",
      "@@ class Two\n@@   def go\n-    x = 1\n+    x = 2",
      text.replace(/x = 1(?![\s\S]*x = 1)/, "x = 2"),
    ],
    [
      "only removed lines",
      "@@ class One\n-  def go\n-    x = 1\n-  end",
      text.replace("  def go\n    x = 1\n  end\n", ""),
    ],
    [
      "only added lines, below a header",
      "@@ class Two\n+  include Three",
      text.replace("class Two\n", "class Two\n  include Three\n"),
    ],
    ["at the end of the file", "@@\n   end\n end\n+# done\n*** End of File", `${text}# done\n`],
    ["only added lines at the end", "@@\n+# done\n*** End of File", `${text}# done\n`],
    [
      "two hunks in order",
      "@@\n class One\n   def go\n-    x = 1\n+    x = 2\n@@\n   def go\n-    x = 1\n+    x = 3",
      text.replace("x = 1", "x = 2").replace("x = 1", "x = 3"),
    ],
    [
      "hunks that share context",
      "@@\n class One\n-  def go\n+  def run\n     x = 1\n@@\n     x = 1\n-  end\n+  fin\n end\n class Two",
      text.replace("  def go\n    x = 1\n  end", "  def run\n    x = 1\n  fin"),
    ],
    [
      "the envelope of the older form",
      "*** Begin Patch\n*** Update File: a.rb\n@@\n class One\n-  def go\n+  def run\n*** End Patch",
      text.replace("def go", "def run"),
    ],
  ])("%s", async (_, diff, expected) => {
    const { update, now } = await bench();
    const done = await update(diff);
    expect(done.text).not.toMatch(/#[0-9a-f]{6}|anchor/);
    expect(done.isError).toBe(false);
    expect(now()).toBe(expected);
  });

  test("lines that merely moved are found", async () => {
    const { update, files, now } = await bench();
    files.set("a.rb", `# head\n${text}`);
    await update("@@\n class Two\n-  def go\n+  def run");
    expect(now()).toBe(`# head\n${text.replace("class Two\n  def go", "class Two\n  def run")}`);
  });

  test("lines that were shown and have changed are refused with what is there now", async () => {
    const { update, files, now } = await bench();
    const changed = text.replace("class Two\n  def go", "class Two\n  def fly");
    files.set("a.rb", changed);
    const refused = await update("@@\n class Two\n-  def go\n+  def run");
    expect(refused.details).toMatchObject({ code: "stale" });
    expect(refused.text).toContain(">>> 7\t  def fly");
    expect(refused.text).not.toMatch(/#[0-9a-f]{6}|anchor|LINE/);
    expect(now()).toBe(changed);
  });

  test("the same lines elsewhere are not the lines that were shown", async () => {
    const { update, files, now } = await bench("a\nb\nc\nd\ne\nf\n");
    const changed = "a\nB\nc\nd\ne\nf\na\nb\nc\n";
    files.set("a.rb", changed);
    const refused = await update("@@\n a\n-b\n+x\n c");
    expect(refused.isError).toBe(true);
    expect(now()).toBe(changed);
  });

  test.each<[string, string, RegExp]>([
    [
      "several places",
      "@@\n-    x = 1\n+    x = 2",
      /match in 2 places \(lines 3, 8\): give more context, or @@/,
    ],
    ["a part of a line", "@@\n-x = 1\n+x = 2", /matches only parts of lines/],
    ["no such lines", "@@\n-nothing\n+x", /"nothing" is not in the text that was shown/],
    ["only added lines, nowhere", "@@\n+x", /needs a line of context/],
    ["a wrong sign", "@@\n*nothing", /a line begins with/],
    ["nothing", "", /the diff is empty/],
    ["a header alone", "@@ class One", /a hunk has no lines/],
  ])("%s is refused", async (_, diff, message) => {
    const { update, now } = await bench();
    const refused = await update(diff);
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(message);
    expect(now()).toBe(text);
  });

  test("nothing is left of a file", async () => {
    const { update, now } = await bench("a\nb\n");
    await update("@@\n-a\n-b");
    expect(now()).toBe("");
  });

  test("an empty file is filled", async () => {
    const { update, now } = await bench("");
    await update("@@\n+a\n+b");
    expect(now()).toBe("a\nb\n");
  });

  test("line ends stay", async () => {
    const { update, now } = await bench("a\r\nb\r\nc\r\n");
    await update("@@\n a\n-b\n+x\n+y\n c");
    expect(now()).toBe("a\r\nx\r\ny\r\nc\r\n");
  });

  test("a move takes the changes along", async () => {
    const { update, files } = await bench("a\nb\n");
    const done = await update("@@\n-a\n+A\n b", { moveTo: "b.rb" });
    expect(done.isError).toBe(false);
    expect([files.text("a.rb"), files.text("b.rb")]).toEqual([null, "A\nb\n"]);
  });
});

describe("whole files", () => {
  test("create_file", async () => {
    const { run, files } = await bench();
    const done = await run({ type: "create_file", path: "new.rb", diff: "+one\n+\n+two\n" });
    expect(done.isError).toBe(false);
    expect(files.text("new.rb")).toBe("one\n\ntwo\n");
    const again = await run({ type: "create_file", path: "a.rb", diff: "+gone" });
    expect(again.details).toMatchObject({ code: "exists" });
    const wrong = await run({ type: "create_file", path: "c.rb", diff: "one" });
    expect(wrong.text).toContain('every line of a new file begins with "+"; got "one"');
  });

  test("delete_file needs all of the file", async () => {
    const unread = await bench(text, false);
    expect((await unread.run({ type: "delete_file", path: "a.rb" })).isError).toBe(true);
    expect(unread.now()).toBe(text);
    const read = await bench();
    expect((await read.run({ type: "delete_file", path: "a.rb" })).text).toBe("a.rb: deleted");
    expect(read.now()).toBe(null);
  });

  test("a file that is not there, an operation that is none", async () => {
    const { run } = await bench();
    const missing = await run({ type: "update_file", path: "none.rb", diff: "@@\n-a\n+b" });
    expect(missing.details).toMatchObject({ code: "not_found" });
    const none = await run({ type: "explode", path: "a.rb" } as never);
    expect(none.text).toContain('there is no operation "explode"');
  });

  test.each<[unknown, string]>([
    [null, "there is no operation"],
    [{}, "there is no operation"],
    [{ type: "update_file", path: "a.rb" }, "diff is missing"],
    [{ type: "create_file", path: "b.rb", diff: 7 }, "diff is missing"],
    [{ type: "update_file", diff: "@@\n-a" }, "path is missing"],
    [{ type: "delete_file", path: 7 }, "path is missing"],
  ])("%j is a bad request", async (operation, message) => {
    const { run, now } = await bench();
    const refused = await run(operation as PatchOperation);
    expect(refused.details).toMatchObject({ code: "bad_request" });
    expect(refused.text).toContain(message);
    expect(now()).toBe(text);
  });
});

/** A patch that the SDK's own applier takes without a doubt gives the same file here, or is refused. */
test("agrees with the SDK's own applyDiff on exact patches", async () => {
  let applied = 0;
  const line = fc.constantFrom("a", "b", "", "}", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8");
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 10, max: 99 }), { minLength: 1, maxLength: 12 }),
      fc.array(line, { maxLength: 12 }),
      fc.array(fc.record({ at: fc.nat(20), remove: fc.nat(2), insert: fc.array(line, { maxLength: 2 }) }), {
        maxLength: 2,
      }),
      async (numbers, repeated, changes) => {
        const lines = [...numbers.map((number) => `line ${number}`), ...repeated];
        const content = `${lines.join("\n")}\n`;
        const diff = diffOf(lines, changes);
        if (diff === null) return;
        const { update, now } = await bench(content);
        const result = await update(diff);
        if (result.isError) {
          expect(now()).toBe(content);
          return;
        }
        applied++;
        const expected = applyDiff(content, diff);
        // Where no line is left the SDK leaves a line break; one empty line reads the same.
        const isEmptied = expected === "\n" && !lines.includes("") && !/^\+$/m.test(diff);
        expect(now()).toBe(isEmptied ? "" : expected);
      },
    ),
    { numRuns: 300 },
  );
  expect(applied).toBeGreaterThan(50);
});

function diffOf(
  lines: readonly string[],
  changes: readonly { at: number; remove: number; insert: readonly string[] }[],
): string | null {
  const sorted = changes
    .map((one) => ({ ...one, at: one.at % lines.length }))
    .sort((one, two) => one.at - two.at);
  const hunks: string[] = [];
  let before = 0;
  for (const { at, remove, insert } of sorted) {
    if (at < before) return null;
    const removed = lines.slice(at, at + remove);
    const above = lines.slice(Math.max(before, at - 3), at).map((line) => ` ${line}`);
    const below = lines.slice(at + removed.length, at + removed.length + 3).map((line) => ` ${line}`);
    if (removed.length + insert.length === 0 || above.length + below.length + removed.length === 0)
      return null;
    hunks.push(
      [
        "@@",
        ...above,
        ...removed.map((line) => `-${line}`),
        ...insert.map((line) => `+${line}`),
        ...below,
      ].join("\n"),
    );
    before = at + removed.length + 3;
  }
  return hunks.length === 0 ? null : hunks.join("\n");
}
