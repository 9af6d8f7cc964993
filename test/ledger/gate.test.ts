import { describe, expect, it } from "vitest";
import { applyEdits } from "../../src/answers/apply-edits.js";
import type { Edit } from "../../src/edits/index.js";
import type { EditRequest, MultiEditRequest } from "../../src/session/index.js";
import { type Bench, bench, numbered, on, outcome, path, printedLines, tag } from "../support/session.js";

const five = "a b c d e";
const part = { path, ranges: [{ start: 1, end: 2 }] };
const whole = (op: "delete_file" | "move_file", file = path): MultiEditRequest => ({
  files: [{ path: file, edits: [op === "move_file" ? { op, to: "b.ts" } : { op }] }],
});

/** What may only be done to a file all of which was shown. */
const wholeCalls: readonly [string, (bench: Bench) => Promise<unknown>][] = [
  ["write", ({ session }) => session.write({ path, content: "x\n" })],
  ["delete_file", ({ session }) => session.multiEdit(whole("delete_file"))],
  ["move_file", ({ session }) => session.multiEdit(whole("move_file"))],
];

describe("a file that was not read", () => {
  it("is not edited, and the refusal names the next call", async () => {
    const { session, words } = bench(five);
    const result = await session.edit(on(five).set(3, "x"));
    expect(result.details).toMatchObject({ status: "refused", code: "not_read", path });
    expect(result.text).toBe(
      "REJECTED, nothing written.\nsrc/a.ts was not read in this session: call read on it first",
    );
    expect(result.isError).toBe(true);
    expect(words()).toBe(five);
  });

  it("is named in the words of the door", async () => {
    const door = { read: (file: string) => `call read_file on ${file}`, retry: () => "" };
    const { session } = bench(five, { door });
    const { text } = await session.edit(on(five).set(3, "x"));
    expect(text).toContain("src/a.ts was not read in this session: call read_file on it first");
  });

  it.each<[string, (bench: Bench) => Promise<unknown>]>([
    ["replace_text", ({ session }) => session.edit(on(five).quote("a", "b"))],
    ["append", ({ session }) => session.edit({ path, edits: [{ op: "append", text: "x" }] })],
    ...wholeCalls,
  ])("is not touched by %s", async (_, call) => {
    const made = bench(five);
    expect(outcome((await call(made)) as never)).toBe("!not_read");
    expect(made.words()).toBe(five);
  });

  it("is refused more sharply the second time, and the third", async () => {
    const { session } = bench(five);
    const call = on(five).set(3, "x");
    await session.edit(call);
    expect((await session.edit(call)).text).toMatch(
      /^do not retry identical arguments: call read on src\/a\.ts first$/m,
    );
    expect((await session.edit(call)).text).toMatch(
      /^Stop\. Do not retry identical arguments: call read on src\/a\.ts first$/m,
    );
    expect((await session.edit(on(five).set(3, "y"))).text).not.toContain("identical");
  });

  it("blocks nothing else", async () => {
    const { session, words } = bench({ [path]: five, b: five });
    for (let time = 0; time < 4; time++) await session.edit(on(five).set(3, "x"));
    await session.read({ path: "b" });
    expect(outcome(await session.edit(on(five, "b").set(3, "x")))).toBe("applied");
    await session.read({ path });
    expect(outcome(await session.edit(on(five).set(3, "x")))).toBe("applied");
    expect([words(), words("b")]).toEqual(["a b x d e", "a b x d e"]);
  });

  it("counts as read after nothing was shown of it: no", async () => {
    const { session, files } = bench(five);
    const append: EditRequest = { path, edits: [{ op: "append", text: "x" }] };
    await session.read({ path, ranges: [{ start: 90, end: 99 }] });
    expect(outcome(await session.edit(append))).toBe("!not_read");
    files.set(path, `${"y".repeat(3000)}\n`);
    await session.read({ path });
    expect(outcome(await session.edit(append))).toBe("!not_read");
  });

  it("is not overwritten where its read was refused as binary", async () => {
    const { session, files } = bench({ "a.bin": "x" });
    files.set("a.bin", "x\0y\n");
    const write = { path: "a.bin", content: "x\n" };
    const refusals = [await session.write(write)];
    expect(outcome(await session.read({ path: "a.bin" }))).toBe("!binary");
    refusals.push(await session.write(write));
    expect(refusals.map(outcome)).toEqual(["!binary", "!binary"]);
    expect(refusals[0]?.text).toContain("a.bin is binary, and was never shown");
    for (const { text } of refusals) expect(text).not.toContain("Use another tool");
    expect(files.text("a.bin")).toBe("x\0y\n");
    expect(outcome(await session.multiEdit(whole("delete_file", "a.bin")))).toBe("applied");
    expect(outcome(await session.write(write))).toBe("applied");
  });

  it("is created where there was none, and edited where there was an empty one", async () => {
    const { session } = bench({ "empty.ts": "", "void.ts": "" });
    for (const path of ["empty.ts", "void.ts"]) await session.read({ path });
    const lineOf = ({ text }: { readonly text: string }) => text.split(/[;\n]/)[0];
    const append: EditRequest = { path: "empty.ts", edits: [{ op: "append", text: "a" }] };
    expect(lineOf(await session.edit({ ...append, dryRun: true }))).toMatch(/ empty\.ts would be edited$/);
    expect(lineOf(await session.edit(append))).toBe("empty.ts edited");
    expect(lineOf(await session.write({ path: "void.ts", content: "a\n" }))).toBe("void.ts edited");
    expect(lineOf(await session.write({ path: "new.ts", content: "a\n" }))).toBe("new.ts created (1 line)");
    expect(lineOf(await session.write({ path: "none.ts", content: "" }))).toBe("none.ts created (empty)");
  });

  it("may be created without reading, and not over another", async () => {
    const { session, words } = bench(five);
    expect(outcome(await session.write({ path: "new", content: "x\n" }))).toBe("applied");
    const create = (file: string): MultiEditRequest => ({
      files: [{ path: file, edits: [{ op: "create_file", text: "y" }] }],
    });
    expect(outcome(await session.multiEdit(create("newer")))).toBe("applied");
    expect(outcome(await session.multiEdit(create(path)))).toBe("!exists");
    expect([words("new"), words("newer"), words()]).toEqual(["x", "y", five]);
  });
});

describe("what counts as shown", () => {
  it("reading, and after it one's own edits", async () => {
    const { session, words } = bench(five);
    await session.read({ path });
    expect(outcome(await session.edit(on(five).set(3, "C")))).toBe("applied");
    expect(outcome(await session.edit(on("a b C d e").set(3, "D")))).toBe("applied");
    expect(words()).toBe("a b D d e");
  });

  it("one's own writing", async () => {
    const { session, words } = bench({});
    await session.write({ path, content: "a\nb\nc\n" });
    expect(outcome(await session.edit(on("a b c").set(2, "B")))).toBe("applied");
    expect(outcome(await session.write({ path, content: "z\n" }))).toBe("applied");
    expect(words()).toBe("z");
  });

  it("a part of the file, for that part only", async () => {
    const { session, words } = bench(five);
    await session.read(part);
    const beyond = await session.edit(on(five).set(4, "x"));
    expect(beyond.details).toMatchObject({ code: "not_shown", affectedRanges: [{ start: 4, end: 4 }] });
    expect(outcome(await session.edit(on(five).set(2, "B")))).toBe("applied");
    expect(words()).toBe("a B c d e");
  });

  it("the ends of a range do not stand for what is between them", async () => {
    const { session, words } = bench(five);
    await session.read({
      path,
      ranges: [
        { start: 1, end: 1 },
        { start: 5, end: 5 },
      ],
    });
    const result = await session.edit(on(five).replace(1, 5, "x"));
    expect(result.details).toMatchObject({ code: "not_shown", affectedRanges: [{ start: 2, end: 4 }] });
    expect(printedLines(result)).toEqual([1, 2, 3, 4, 5]);
    expect(words()).toBe(five);
  });

  it("rows of a refusal, for every call but the refused one", async () => {
    const { session, words } = bench(five);
    await session.read(part);
    const call = on(five).set(4, "x");
    await session.edit(call);
    expect(outcome(await session.edit(call))).toBe("!not_shown");
    expect(outcome(await session.edit(on(five).set(4, "y")))).toBe("applied");
    expect(words()).toBe("a b c y e");
  });

  it("rows of a refusal, for a different whole write", async () => {
    const { session } = bench(five);
    await session.read(part);
    const write = { path, content: "x\n" };
    expect(printedLines(await session.write(write))).toEqual(expect.arrayContaining([3, 4, 5]));
    expect(outcome(await session.write(write))).toBe("!not_shown");
    expect(outcome(await session.write({ path, content: "y\n" }))).toBe("applied");
  });

  it("rows of a refusal, also after somebody changed another line", async () => {
    const { session, rudely } = bench(five);
    await session.read(part);
    await session.write({ path, content: "x\n" });
    rudely("A b c d e");
    await session.read({ path, delta: true });
    expect(outcome(await session.write({ path, content: "y\n" }))).toBe("applied");
  });

  it("search hits, which name lines", async () => {
    const { session, words } = bench(five);
    await session.grep({ pattern: "c" });
    expect(outcome(await session.edit(on(five).set(3, "C")))).toBe("applied");
    expect(outcome(await session.edit(on(five).set(5, "E")))).toBe("!not_shown");
    await session.grep({ pattern: "d", context: 1 });
    expect(outcome(await session.edit(on(five).replace(4, 5, "D")))).toBe("applied");
    expect(words()).toBe("a b C D");
  });

  it("leaves out rows that were cut", async () => {
    const { session, files } = bench("a");
    files.set(path, `a\n${"y".repeat(3000)}\nc\n`);
    const { text } = await session.read({ path });
    expect(text).toContain("[cut:");
    const anchor = (/^2#[0-9a-f]{6}/m.exec(text) as RegExpExecArray)[0];
    expect(outcome(await session.edit({ path, edits: [{ op: "set_line", anchor, text: "z" }] }))).toBe(
      "!not_shown",
    );
  });

  /** A file of one long line, of which a read prints a part; and the edit of that line. */
  async function oneLine(length: number) {
    const made = bench("a");
    made.files.set(path, `begin${"y".repeat(length)}\n`);
    const { text } = await made.session.read({ path });
    expect(text).toContain("[cut:");
    const anchor = text.slice(0, text.indexOf("|"));
    const edit = () => made.session.edit({ path, edits: [{ op: "set_line", anchor, text: "z" }] });
    return { ...made, edit };
  }

  it("of a line that a plain read cuts nothing: the refusal names the read that shows it", async () => {
    const { session, edit } = await oneLine(3000);
    const next = 'call read on it with ranges [{"start":1,"end":1}] first';
    expect((await edit()).text).toBe(
      `REJECTED, nothing written.\nsrc/a.ts was not read in this session: ${next}`,
    );
    expect((await edit()).text).toContain(`identical arguments: ${next.replace("on it", "on src/a.ts")}`);
    await session.read({ path, ranges: [{ start: 1, end: 1 }] });
    expect(outcome(await edit())).toBe("applied");
  });

  it("of a line that the reads of another door may show: its own read is named", async () => {
    const door = { read: (at: string) => `look at ${at}`, retry: () => "again" };
    const { session, files } = bench("a", { door });
    files.set(path, `${"y".repeat(70_000)}\n`);
    const edits: Edit[] = [{ op: "replace_text", old: "y", new: "z", all: true }];
    expect((await session.edit({ path, edits })).text).toContain("in this session: look at src/a.ts first");
    files.set(path, `a\n${"y".repeat(70_000)}\n`);
    await session.read({ path });
    expect((await session.write({ path, content: "x" })).text).toMatch(
      /was not\nNext: look at src\/a\.ts\.$/,
    );
  });

  it("of a file of lines that no read shows whole nothing but that it was read: a quote of a part is enough", async () => {
    const { session, files } = bench("a");
    files.set(path, `${"y".repeat(1_000_000)}begin\n`);
    const quote = (old: string, by: string): EditRequest => ({
      path,
      edits: [{ op: "replace_text", old, new: by }],
    });
    expect((await session.edit(quote("begin", "end"))).text).toBe(
      "REJECTED, nothing written.\nsrc/a.ts was not read in this session: call read on it first; its lines are too long to be shown whole: change a part of one with replace_text",
    );
    const { text } = await session.read({ path });
    const anchor = text.slice(0, text.indexOf("|"));
    const calls = [
      await session.edit({ path, edits: [{ op: "set_line", anchor, text: "z" }] }),
      await session.write({ path, content: "z\n" }),
    ];
    expect(calls.map(outcome)).toEqual(["!not_shown", "!not_shown"]);
    for (const { text } of calls) expect(text).toContain("change a part of it with replace_text");
    const several = await session.edit(quote("yyy", "z"));
    const done = await session.edit(quote("begin", "end"));
    expect([outcome(several), outcome(done)]).toEqual(["!ambiguous", "applied"]);
    expect(done.text).toContain(
      "[line 1 is too long to be shown whole: change a part of it with replace_text]",
    );
    files.set(path, `${"y".repeat(1_000_000)}ENDS\n`);
    const stale = await session.edit(quote("ENDS", "end"));
    await session.read({ path });
    expect(outcome(await session.edit(quote("ENDS", "end")))).toBe("applied");
    const tried = await session.edit({ ...quote("end", "x"), dryRun: true });
    for (const { text } of [...calls, several, done, stale, tried]) expect(text.length).toBeLessThan(8000);
  });

  it("of a line that no read shows whole nothing: the refusal says so", async () => {
    const { session, files } = bench("a");
    const long = `begin${"y".repeat(70_000)}`;
    files.set(path, `a\n${long}\n`);
    const { text } = await session.read({ path });
    const anchor = (/^2#\w{6}/m.exec(text) as RegExpExecArray)[0];
    const refused = await session.edit({ path, edits: [{ op: "set_line", anchor, text: "z" }] });
    expect(refused.text).toBe(
      `REJECTED, nothing written.\nline 2 (${anchor}) was never shown\n[line 2 is too long to be shown whole: change a part of it with replace_text]`,
    );
    expect((await session.write({ path, content: "x" })).text).toContain("too long to be shown whole");
    const quote: Edit = { op: "replace_text", old: "begin", new: "BEGIN" };
    expect(outcome(await session.edit({ path, edits: [quote] }))).toBe("applied");
  });

  it.each([
    ["a b", 9, "line 9 (9#0f0dd9) was never shown; the file has 2 lines"],
    ["a", 9, "line 9 (9#0f0dd9) was never shown; the file has 1 line"],
    ["", 1, "line 1 (1#0f0dd9) was never shown; the file is empty: use append"],
  ])("of %j not line %i, and the refusal says how long it is", async (words, line, expected) => {
    const { session, files } = bench("a");
    files.set(path, words && `${words.replace(" ", "\n")}\n`);
    await session.read({ path });
    const edits: Edit[] = [{ op: "set_line", anchor: `${line}#0f0dd9`, text: "z" }];
    const { text } = await session.edit({ path, edits });
    expect(text).toBe(`REJECTED, nothing written.\n${expected}\nNext: call read on src/a.ts.`);
  });

  it("content, not time: a touched but identical file is not stale", async () => {
    const { session, rudely } = bench(five);
    await session.read({ path });
    rudely("a");
    rudely(five);
    expect(outcome(await session.write({ path, content: "x\n" }))).toBe("applied");
  });
});

describe.each(wholeCalls)("%s of a whole file", (_, call) => {
  const result = async (made: Bench) => outcome((await call(made)) as never);

  it("needs all of it shown", async () => {
    const made = bench(five);
    await made.session.read(part);
    expect(await result(made)).toBe("!not_shown");
    await made.session.read({ path, offset: 3 });
    expect(await result(made)).toBe("applied");
  });

  it("needs it unchanged since, or the change shown", async () => {
    const made = bench(five);
    await made.session.read({ path });
    made.rudely("a b X d e");
    expect(await result(made)).toBe("!not_shown");
    expect(made.words()).toBe("a b X d e");
    await made.session.read({ path, ranges: [{ start: 3, end: 3 }] });
    expect(await result(made)).toBe("applied");
  });

  it("takes note of what others took out", async () => {
    const made = bench("a b c d e f");
    await made.session.read({ path });
    made.rudely("a b d e f");
    await made.session.grep({ pattern: "^b$" });
    expect(await result(made)).toBe("!not_shown");
    await made.session.read({ path, delta: true });
    expect(await result(made)).toBe("applied");
  });

  it("takes note of every deletion that no result has told of", async () => {
    const all = numbered(40);
    const made = bench(all);
    await made.session.read({ path });
    made.rudely(
      all
        .split(" ")
        .filter((word) => !/^x(4|8|12|16|20|24|28)$/.test(word))
        .join(" "),
    );
    expect(outcome(await made.session.edit(on(all).set(40, "mine")))).toBe("applied");
    expect(await result(made)).toBe("!not_shown");
  });
});

describe("policies", () => {
  it("file: any showing is enough, but not for whole files", async () => {
    const { session, words } = bench(five, { gate: "file" });
    expect(outcome(await session.edit(on(five).set(4, "x")))).toBe("!not_read");
    await session.read(part);
    expect(outcome(await session.edit(on(five).set(4, "x")))).toBe("applied");
    expect(outcome(await session.write({ path, content: "x\n" }))).toBe("!not_shown");
    expect(words()).toBe("a b c x e");
  });

  it("off: nothing is asked, but anchors must fit", async () => {
    const { session, words } = bench(five, { gate: "off" });
    expect(outcome(await session.edit(on("a b X").set(3, "x")))).toBe("!stale");
    expect(outcome(await session.edit(on(five).set(4, "x")))).toBe("applied");
    expect(outcome(await session.write({ path, content: "y\n" }))).toBe("applied");
    expect(words()).toBe("y");
  });

  it("off: text is quoted of a file that was never shown", async () => {
    const { session, words } = bench(five, { gate: "off" });
    expect(outcome(await session.edit(on(five).quote("c", "C")))).toBe("applied");
    expect(words()).toBe("a b C d e");
  });

  it("off: rows of a refusal name lines after another change", async () => {
    const { session, words, rudely } = bench(five, { gate: "off" });
    await session.edit(on("a X").set(2, "x"));
    rudely("top a b c d e");
    expect(outcome(await session.edit(on(five).set(2, "B")))).toBe("applied");
    expect(words()).toBe("top a B c d e");
  });

  it("without a ledger there is no gate", () => {
    const made = applyEdits("a\nb\n", [{ op: "set_line", anchor: tag("a b", 2), text: "B" }]);
    expect(made).toMatchObject({ status: "applied", text: "a\nB\n" });
  });
});

describe("a whole file that others have changed since it was shown", () => {
  const all = numbered(12);
  const overwrite = (made: Bench, content = "x\n") => made.session.write({ path, content });

  it("is refused with what was shown, who changed it, and the rows; another write may count on those", async () => {
    const made = bench(all);
    await made.session.read({ path });
    const other = made.session.as("two");
    await other.read({ path });
    await other.edit(on(all).set(5, "FIVE"));
    const { text, details } = await overwrite(made);
    expect(text).toBe(
      [
        "REJECTED, nothing written.",
        "src/a.ts has changed since it was shown (line 5): this needs all of it as it is now",
        'It was "x5", changed by two',
        "",
        ...[3, 4].map((line) => `    ${tag(all, line)}|x${line}`),
        `>>> ${tag(all.replace("x5", "FIVE"), 5)}|FIVE`,
        ...[6, 7].map((line) => `    ${tag(all, line)}|x${line}`),
        "Decide again with these rows, and send a call made from them.",
      ].join("\n"),
    );
    expect(details).toMatchObject({
      code: "not_shown",
      mismatches: [{ line: 5, cause: "changed", shown: "x5", now: "FIVE", by: "two" }],
    });
    expect(outcome(await overwrite(made))).toBe("!not_shown");
    expect(outcome(await overwrite(made, "y\n"))).toBe("applied");
  });

  it("tells what was taken out, and shows where", async () => {
    const made = bench(all);
    await made.session.read({ path });
    made.rudely(all.replace("x8 ", "").replace("x3", "x3 NEW"));
    const { text } = await overwrite(made);
    expect(text).toContain("has changed since it was shown (line 4; 1 line deleted after line 8)");
    expect(printedLines({ text } as never)).toEqual(expect.arrayContaining([4, 8, 9]));
    expect(outcome(await overwrite(made, "y\n"))).toBe("applied");
  });
});
