import { describe, expect, it } from "vitest";
import { computeLineHash, formatLineTag } from "../../src/anchors/scheme.js";
import type { Edit } from "../../src/edits/index.js";
import { editsFromJson } from "../../src/edits/index.js";
import type { EditRequest } from "../../src/session/session.js";
import { bench, handleOf, numbered, on, outcome, path, printedLines, tag } from "../support/session.js";

const five = "a b c d e";
/** Line 4 reads like the second of two lines that the agent puts in above it: `4#…` is printed for both. */
const braced = "a b c } e f";
const bracedThen = "a b n } c } e f";

async function twoBraces() {
  const made = bench(braced);
  await made.session.read({ path });
  await made.session.edit(on(braced).after(2, ["n", "}"]));
  expect(made.words()).toBe(bracedThen);
  return made;
}

describe("an anchor that was printed for two lines", () => {
  it("is ambiguous, and the refusal shows both", async () => {
    const { session, words } = await twoBraces();
    const result = await session.edit(on(braced).set(4, "x"));
    expect(result.details).toMatchObject({
      code: "ambiguous",
      affectedRanges: [
        { start: 4, end: 4 },
        { start: 6, end: 6 },
      ],
    });
    expect(printedLines(result)).toEqual(expect.arrayContaining([4, 6]));
    expect(result.details).not.toHaveProperty("retry");
    expect(words()).toBe(bracedThen);
  });

  it("is told by the answer that makes it so, with an anchor for each line", async () => {
    const made = bench(braced);
    await made.session.read({ path });
    const { text } = await made.session.edit(on(braced).after(2, ["n", "}"]));
    const [new4, old6] = [formatLineTag(4, "}", "hex4"), formatLineTag(6, "}")];
    expect(text.split("\n").slice(1)).toEqual([
      `${formatLineTag(3, "n")} ${formatLineTag(4, "}")}`,
      "anchors shown for more than one line; use these instead:",
      `${new4}|}`,
      `${old6}|}`,
    ]);
    const set = (anchor: string, words: string): Edit => ({ op: "set_line", anchor, text: words });
    const edits = [set(new4, "new"), set(old6, "old")];
    expect(outcome(await made.session.edit({ path, edits }))).toBe("applied");
    expect(made.words()).toBe("a b n new c old e f");
  });

  it("is told by a refusal that makes it so, with an anchor for each line", async () => {
    const two = "a b c } e } f";
    const [new6, old8] = [formatLineTag(6, "}", "hex4"), formatLineTag(8, "}")];
    const names = `anchors shown for more than one line; use these instead:\n${new6}|}\n${old8}|}`;
    const made = bench(two);
    await made.session.read({ path });
    made.rudely("n m a b C } e } f");
    const refused = await made.session.edit(on(two).set(3, "x"));
    expect(outcome(refused)).toBe("!stale");
    expect(refused.text).toContain(names);
    expect(handleOf(refused)).toBeDefined();
    const set = (anchor: string, words: string): Edit => ({ op: "set_line", anchor, text: words });
    expect(outcome(await made.session.edit({ path, edits: [set(new6, "new"), set(old8, "old")] }))).toBe(
      "applied",
    );
    expect(made.words()).toBe("n m a b C new e old f");
  });

  it("is not told of where the agent knows that the other line is gone, or a read has shown what has its number", async () => {
    const made = bench(braced);
    await made.session.read({ path });
    const { text } = await made.session.edit(on(braced).replace(3, 4, ["x", "}"]));
    await made.session.read({ path });
    const again = await made.session.edit(on("a b x } e f").after(2, ["n", "m"]));
    expect([text, again.text].join()).not.toContain("instead");
  });

  it("is told with the anchor of the new line alone where others took the other one out", async () => {
    const made = bench(braced);
    await made.session.read({ path });
    made.rudely("a b c e f");
    const { text } = await made.session.edit(on(braced).after(2, ["n", "}"]));
    expect(text.split("\n").slice(2, 4)).toEqual([
      "anchors shown for more than one line; use these instead:",
      `${formatLineTag(4, "}", "hex4")}|}`,
    ]);
  });

  it("stays so for the very same call", async () => {
    const { session, words } = await twoBraces();
    for (let time = 0; time < 3; time++)
      expect(outcome(await session.edit(on(braced).set(4, "x")))).toBe("!ambiguous");
    expect(words()).toBe(bracedThen);
  });

  it("is open no more once one of the lines is changed by an anchor of its own", async () => {
    const { session, words } = await twoBraces();
    await session.edit(on(braced).set(4, "x"));
    expect(outcome(await session.edit(on(bracedThen).set(6, "six")))).toBe("applied");
    expect(outcome(await session.edit(on(bracedThen).set(4, "four")))).toBe("applied");
    expect(words()).toBe("a b n four c six e f");
  });

  it("means what a read printed last", async () => {
    const { session, words } = await twoBraces();
    await session.read({ path, ranges: [{ start: 4, end: 4 }] });
    expect(outcome(await session.edit(on(bracedThen).set(4, "four")))).toBe("applied");
    expect(words()).toBe("a b n four c } e f");
  });

  it("still means two lines after a search printed one of them", async () => {
    const { session } = await twoBraces();
    await session.grep({ pattern: "^}$" });
    expect(outcome(await session.edit(on(braced).set(4, "x")))).toBe("!ambiguous");
  });

  it("is not decided by the edit's other anchor", async () => {
    const { session, words } = await twoBraces();
    expect(outcome(await session.edit(on(braced).replace(4, 5, "x")))).toBe("!ambiguous");
    expect(words()).toBe(bracedThen);
  });

  it("means the other line once the agent took one of them out itself", async () => {
    const { session, words } = await twoBraces();
    await session.edit(on(bracedThen).remove(3));
    await session.grep({ pattern: "^}$" });
    await session.edit({ path, edits: [{ op: "delete_lines", start: tag("a b }", 3) }] });
    expect(words()).toBe("a b c } e f");
    expect(outcome(await session.edit(on(braced).set(4, "x")))).toBe("applied");
    expect(words()).toBe("a b c x e f");
  });

  it("means the line whose text is echoed", async () => {
    const [one, two] = sameHash();
    const { session, files } = bench("");
    files.set(path, `${one}\nb\nc\n`);
    await session.read({ path, anchors: "hex4" });
    const anchor = `1#${computeLineHash(one, "hex4")}`;
    const above: Edit = { op: "insert_before", anchor, text: [two, "n"] };
    expect(outcome(await session.edit({ path, edits: [above] }))).toBe("applied");
    const set = (echo: string): EditRequest => ({
      path,
      edits: [{ op: "set_line", anchor: anchor + echo, text: `was ${echo}` }],
    });
    expect(outcome(await session.edit(set(`|${one}`)))).toBe("applied");
    expect(files.text(path)).toBe(`${two}\nn\nwas |${one}\nb\nc\n`);
  });
});

/** Two texts with one 16-bit hash. */
function sameHash(): [string, string] {
  const found = new Map<string, string>();
  for (let number = 0; ; number++) {
    const text = `line ${number}`;
    const other = found.get(computeLineHash(text, "hex4"));
    if (other !== undefined) return [other, text];
    found.set(computeLineHash(text, "hex4"), text);
  }
}

describe("anchors keep their meaning after one's own edits", () => {
  it("below an insert", async () => {
    const { session, words } = bench(five);
    await session.read({ path });
    await session.edit(on(five).before(1, ["x", "y"]));
    await session.edit(on(five).set(4, "D"));
    await session.edit(on(five).remove(2));
    expect(words()).toBe("x y a c D e");
  });

  it.each<[string, readonly EditRequest[], string]>([
    ["the line above", [on(five).set(3, "C"), on(five).set(2, "B")], "a B C d e"],
    ["the line it was put after", [on(five).after(3, "n"), on(five).set(3, "C")], "a b C n d e"],
    ["a range around it", [on(five).set(3, "C"), on(five).replace(2, 4, ["x"])], "a x e"],
    ["a second insert at one place", [on(five).after(3, "n"), on(five).after(3, "m")], "a b c m n d e"],
  ])("beside them: %s", async (_, calls, words) => {
    const made = bench(five);
    await made.session.read({ path });
    for (const call of calls) expect(outcome(await made.session.edit(call))).toBe("applied");
    expect(made.words()).toBe(words);
  });

  it("except those of a line that the agent has replaced itself", async () => {
    const { session } = bench(five);
    await session.read({ path });
    await session.edit(on(five).set(3, "C"));
    const result = await session.edit(on(five).set(3, "D"));
    expect(outcome(result)).toBe("!stale");
    expect(printedLines(result)).toContain(3);
    expect(outcome(await session.edit(on("a b C d e").set(3, "D")))).toBe("applied");
  });

  it("when they are named together with a line of another text", async () => {
    const { session } = bench("a b c");
    await session.read({ path });
    await session.edit(on("a b c").before(1, ["1", "2", "3", "4", "5"]));
    await session.edit(on("a b c").set(3, "C"));
    const range: Edit = { op: "replace_lines", start: tag("1 2 3 4 5", 5), end: tag("a b c", 3), text: "x" };
    expect(outcome(await session.edit({ path, edits: [range] }))).toBe("!stale");
  });

  it("after very many of them", async () => {
    const all = numbered(200);
    const { session } = bench(all);
    await session.read({ path });
    for (let line = 2; line <= 140; line += 2) await session.edit(on(all).set(line, `y${line}`));
    expect(outcome(await session.edit(on(all).set(199, "late")))).toBe("applied");
  });

  it("after more than are kept: those just shown, and those of what was read at first", async () => {
    const all = numbered(60);
    const { session, words } = bench(all);
    await session.read({ path });
    let text = "x30";
    for (let time = 0; time < 450; time++) {
      expect(outcome(await session.edit(on(all.replace("x30", text)).set(30, `y${time}`)))).toBe("applied");
      text = `y${time}`;
    }
    expect(outcome(await session.edit(on(all).set(40, "late")))).toBe("applied");
    expect(words()).toBe(all.replace("x30", "y449").replace("x40", "late"));
  });

  it("except one that was printed twice, once too long ago to know for which line", async () => {
    const all = numbered(60);
    const { session, words } = bench(all);
    await session.read({ path });
    await session.edit(on(all).set(30, "}"));
    await session.edit(on(all).before(1, "n"));
    await session.edit(on(all).set(9, "y"));
    for (let time = 0; time < 420; time++) {
      const now = `n ${all}`.replace("x9", time ? `y${time - 1}` : "y");
      expect(outcome(await session.edit(on(now).set(10, `y${time}`)))).toBe("applied");
    }
    // Line 30 is another one by now, and is made to read the same.
    const { text } = await session.edit(on(all).set(29, "}"));
    expect(text).toContain(tag(all.replace("x30", "}"), 30));
    const twice = `n ${all}`.replace("x29", "}").replace("x30", "}");
    expect(outcome(await session.edit(on(twice).set(30, "MINE")))).toBe("!stale");
    expect(words()).not.toContain("MINE");
    await session.read({ path, ranges: [{ start: 30, end: 30 }] });
    expect(outcome(await session.edit(on(twice).set(30, "MINE")))).toBe("applied");
  });

  it("where showings had to be forgotten, without a guess", async () => {
    const pairs = Array.from({ length: 100 }, (_, at) => `u${at} }`).join(" ");
    const { session, words } = bench(pairs);
    await session.read({ path });
    for (let at = 51; at <= 90; at++) await session.edit(on(pairs).set(2 * at - 1, `y${at}`));
    const { text } = await session.edit(on(pairs).before(9, ["p", "}"]));
    expect(text).toContain(tag(pairs, 10));
    for (let at = 10; at <= 49; at++) await session.edit(on(pairs).set(2 * at + 1, `z${at}`));
    await session.edit(on(pairs).set(10, "MINE"));
    expect(words()).not.toContain("MINE");
  });
});

describe("a call that others have done already", () => {
  const five = "a b c d e";
  it.each<[string, EditRequest, string]>([
    ["an insert", on(five).after(2, "n"), "a b n c d e"],
    ["a line that became two", on(five).set(2, "b\nn"), "a b n c d e"],
    ["a range", on(five).replace(2, 3, ["b", "n", "c"]), "a b n c d e"],
    ["a line", on(five).set(2, "n"), "a n c d e"],
  ])("stays so however often it is sent: %s", async (_, call, then) => {
    const { session, rudely, words } = bench(five);
    await session.read({ path });
    rudely(then);
    const results = [];
    for (let time = 0; time < 4; time++) results.push(outcome(await session.edit(call)));
    expect(results).toEqual(["noop", "noop", "!noop_repeat", "!noop_repeat"]);
    expect(words()).toBe(then);
  });

  it("shows what is there, and another call may count on it", async () => {
    const { session, rudely, words } = bench(five);
    await session.read({ path });
    rudely("a b n c d e");
    const { text } = await session.edit(on(five).after(2, "n"));
    expect(text).toContain(`${tag("a b n", 2)}|b\n${tag("a b n", 3)}|n`);
    expect(outcome(await session.edit(on("a b n").set(3, "N")))).toBe("applied");
    expect(words()).toBe("a b N c d e");
  });
});

describe("a call sent again", () => {
  it("with the text behind its anchor is the same call: what it was refused for still stands", async () => {
    const made = bench("a b c d e");
    await made.session.read({ path });
    made.rudely("a b X d e");
    const replace = (start: string): EditRequest => ({
      path,
      edits: [{ op: "replace_lines", start, end: tag("a b c d e", 4), text: "y" }],
    });
    const start = tag("a b c d e", 2);
    for (const given of [start, start, `${start}|b`, `>>> ${start}`])
      expect(outcome(await made.session.edit(replace(given)))).toBe("!stale");
    expect(made.words()).toBe("a b X d e");
  });

  it("that was applied is a repeat, and the third time refused", async () => {
    const { session, words } = bench(five);
    await session.read({ path });
    const results = [];
    for (let time = 0; time < 4; time++) results.push(await session.edit(on(five).after(1, "n")));
    expect(results.map(outcome)).toEqual(["applied", "noop", "noop", "!noop_repeat"]);
    expect(results[1]?.text).toContain("applied before");
    expect(words()).toBe("a n b c d e");
  });

  it.each<[string, (edits: ReturnType<typeof on>) => EditRequest, string]>([
    ["a line", (at) => at.set(2, "X"), "a X c D e"],
    ["a line that became several", (at) => at.set(2, "X\nY"), "a X Y c D e"],
    ["a range", (at) => at.replace(2, 3, "X"), "a X D e"],
    ["what is gone", (at) => at.replace(2, 3, null), "a D e"],
  ])(
    "that stands there by other words, or with other edits after it, is already there: %s",
    async (_, make, words) => {
      const made = bench("a b c d e");
      const { session } = made;
      await session.read({ path });
      await session.edit(make(on("a b c d e")));
      await session.edit(on("a b c d e").set(4, "D"));
      const again = await session.edit(make(on("a b c d e")));
      expect([outcome(again), made.words()]).toEqual(["noop", words]);
      expect(again.text).toMatch(/^NO CHANGE: src\/a\.ts already reads like this\./);
    },
  );

  it("that no longer stands there, or was changed with its neighbours, is stale", async () => {
    const { session, rudely } = bench("a b c d");
    await session.read({ path });
    await session.edit(on("a b c d").set(2, "X"));
    rudely("a Z c d");
    expect(outcome(await session.edit(on("a b c d").replace(2, 2, "X")))).toBe("!stale");
    await session.read({ path });
    await session.edit(on("a Z c d").replace(2, 3, "Z\nC"));
    await session.edit(on("a Z C d").replace(2, 3, "N\nZ"));
    expect(outcome(await session.edit(on("a Z c d").set(3, "Z")))).toBe("!stale");
  });

  it("is no repeat once the file was read, whatever changed nothing after that", async () => {
    const { session, words } = bench(five);
    const append: EditRequest = { path, edits: [{ op: "append", text: "n" }] };
    await session.read({ path });
    await session.edit(append);
    await session.read({ path });
    expect(outcome(await session.edit(on(five).set(1, "a")))).toBe("noop");
    expect(outcome(await session.edit(append))).toBe("applied");
    expect(words()).toBe("a b c d e n n");
  });

  it("that changed nothing may change something once the file has changed", async () => {
    const { session, words, rudely } = bench(five);
    const write = { path, content: "a\nb\nc\nd\ne\n" };
    await session.read({ path });
    for (let time = 0; time < 2; time++) expect(outcome(await session.write(write))).toBe("noop");
    expect(outcome(await session.write(write))).toBe("!noop_repeat");
    rudely("other");
    await session.read({ path });
    expect(outcome(await session.write(write))).toBe("applied");
    expect(words()).toBe(five);
  });

  it("counts its refusals anew once the file was read again", async () => {
    const { session } = bench(five);
    const wrong = on(five).quote("nothing", "x");
    await session.read({ path });
    expect((await session.edit(wrong)).text).not.toContain("do not retry");
    expect((await session.edit(wrong)).text).toContain("do not retry");
    await session.read({ path });
    expect((await session.edit(wrong)).text).not.toContain("do not retry");
  });

  it("is no repeat once something was shown in between", async () => {
    const { session, words } = bench(five);
    await session.read({ path });
    await session.edit(on(five).after(1, "n"));
    await session.read({ path, anchors: "none" });
    await session.read({ path });
    expect(outcome(await session.edit(on(five).after(1, "n")))).toBe("applied");
    expect(words()).toBe("a n n b c d e");
  });

  it("that changes nothing is refused the third time", async () => {
    const { session } = bench(five);
    await session.read({ path });
    const results = [];
    for (let time = 0; time < 3; time++) results.push(outcome(await session.edit(on(five).set(3, "c"))));
    expect(results).toEqual(["noop", "noop", "!noop_repeat"]);
  });

  it.each<[string, string, EditRequest]>([
    ["a line", "a b X d e", on(five).set(3, "x")],
    ["inside a range", "a b X d e", on(five).replace(2, 4, "x")],
    ["a line that is gone", "a b d e", on(five).set(3, "x")],
    ["between a line and its rest", "a b , c d e", on(five).after(2, "x")],
    [
      "a moved block",
      "a b X d e",
      { path, edits: [{ op: "move_lines", start: tag(five, 2), end: tag(five, 4), after: tag(five, 5) }] },
    ],
  ])("that was refused does not get through: %s", async (_, now, call) => {
    const { session, rudely, words } = bench(five);
    await session.read({ path });
    rudely(now);
    for (let time = 0; time < 3; time++)
      expect(outcome(await session.edit(call))).toMatch(/^!(stale|deleted)$/);
    expect(words()).toBe(now);
  });

  it("that quotes, and was refused, does not get through either", async () => {
    const { session, rudely, words } = bench("foo-1 b c");
    await session.read({ path });
    rudely("foo-2 b c");
    for (let time = 0; time < 3; time++)
      expect(outcome(await session.edit(on("").quote("foo", "bar")))).toBe("!stale");
    expect(words()).toBe("foo-2 b c");
  });

  it("that was refused does not get through in another spelling", async () => {
    const { session, rudely, words } = bench(five);
    await session.read({ path });
    rudely("a b X d e");
    const { edits } = on(five).replace(2, 4, ["x"]);
    const spellings = [
      { path, edits },
      { path, edits: JSON.stringify(edits) },
      { path: `./${path}`, edits },
      {
        path,
        edits: [{ replace_lines: { start_anchor: tag(five, 2), end_anchor: tag(five, 4), new_text: "x" } }],
      },
    ];
    for (const call of spellings)
      expect(outcome(await session.edit({ ...call, edits: editsFromJson(call.edits) }))).toBe("!stale");
    expect(words()).toBe("a b X d e");
  });

  it("that was refused gets through once its lines were read", async () => {
    const { session, rudely, words } = bench(five);
    await session.read({ path });
    rudely("a b X d e");
    const call = on(five).replace(2, 4, "x");
    expect(outcome(await session.edit({ ...call, edits: editsFromJson(call.edits) }))).toBe("!stale");
    await session.read({ path, ranges: [{ start: 2, end: 4 }] });
    expect(outcome(await session.edit(call))).toBe("applied");
    expect(words()).toBe("a x e");
  });
});
