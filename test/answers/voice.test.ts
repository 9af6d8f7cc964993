import { describe, expect, it } from "vitest";
import { closingAdvice, libraryDoor, lineName, rowOf, type Voice } from "../../src/answers/voice.js";
import { Document } from "../../src/text/document.js";
import { bench, handleOf, on, path, tag } from "../support/session.js";

const anchored: Voice = { door: libraryDoor };
const numbered: Voice = { door: libraryDoor, numbered: () => {} };

describe("a voice", () => {
  const document = Document.fromText("foo\n12#0f0dd9|bar\n");

  it("prints the row of a line with its anchor, or with its number and a tab", () => {
    expect(rowOf(document, 0, "hex6", anchored)).toBe("1#0f0dd9|foo");
    expect(rowOf(document, 0, "hex6", numbered)).toBe("1\tfoo");
  });

  it("leaves a line that looks like a row as it stands in the file", () => {
    expect(rowOf(document, 1, "hex6", numbered)).toBe("2\t12#0f0dd9|bar");
  });

  it("tells the anchor of each row that it prints without one", () => {
    const heard: string[] = [];
    rowOf(document, 0, "hex6", {
      door: libraryDoor,
      numbered: (line, anchor) => heard.push(`${line} ${anchor}`),
    });
    expect(heard).toEqual(["1 1#0f0dd9"]);
  });

  it("names the line of an anchor of any scheme by its number", () => {
    expect(["12#0f0dd9", "12#9e91", "kob12"].map((anchor) => lineName(anchor, numbered))).toEqual([
      ...["line 12", "line 12", "line 12"],
    ]);
    expect(lineName("12#0f0dd9", anchored)).toBe("12#0f0dd9");
  });

  it("says of anchors only what holds for them", () => {
    const unmoved: Voice = { door: libraryDoor, unmoved: true };
    expect(closingAdvice(true, anchored)).toBe("; keep using the anchors you were shown");
    expect(closingAdvice(true, numbered)).toBe("");
    expect(closingAdvice(true, unmoved)).toContain("read them again");
    expect(closingAdvice(false, unmoved)).toBe("");
  });
});

describe("a session whose answers name lines by numbers", () => {
  const anchor = /\d+#[0-9a-f]{6}/;

  it("prints no anchor in a read, a delta, a search, a result and a refusal, and places anchors as ever", async () => {
    const heard = new Map<number, string>();
    const { session, rudely } = bench("a b c d e", { numbered: (line, given) => heard.set(line, given) });
    const texts = [(await session.read({ path })).text, (await session.grep({ pattern: "c" })).text];
    expect(heard.get(3)).toBe(tag("a b c d e", 3));
    texts.push((await session.edit(on("a b c d e").set(1, "A"))).text);
    rudely("A b x d e");
    const refused = await session.edit(on("a b c d e").set(3, "C"));
    expect(handleOf(refused)).toBeDefined();
    texts.push(refused.text);
    rudely("A b x y e");
    texts.push((await session.read({ path, delta: true })).text);
    for (const text of texts) expect(text).not.toMatch(anchor);
    expect(refused.text).toContain("1 line has changed since last read; the text as it is now");
    expect(refused.text).toContain(">>> 3\tx");
    expect(refused.text).not.toContain("anchors");
  });

  it("asks for more of a quote that stands several times, and for nothing that it does not print", async () => {
    const { session } = bench("a b a", { numbered: true });
    await session.read({ path });
    const { text } = await session.edit(on("a b a").quote("a", "A"));
    expect(text).toContain("as shown); quote more of it\n");
  });
});
