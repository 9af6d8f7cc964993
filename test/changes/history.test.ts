import { describe, expect, it } from "vitest";
import { History, type State } from "../../src/changes/history.js";
import { LineChange } from "../../src/changes/line-change.js";
import { Document } from "../../src/text/document.js";

describe("a state that was forgotten", () => {
  it("leads nowhere, as one whose text is gone", () => {
    const history = History.of(Document.fromText("one\ntwo\n"));
    expect(history.follow(0)?.isIdentity).toBe(true);
    expect(history.follow(-1)).toBe(null);
    expect(history.believed(-1)).toBe(null);
  });
});

describe("a text that is back from before a change that is known to the line", () => {
  const state = (words: string, exact: LineChange | null = null): State => {
    const document = Document.fromText(words.replaceAll(" ", "\n"));
    return { version: document.version, lineCount: document.lineCount, document, exact };
  };
  const insertedAbove = LineChange.of(3, 4, [{ aStart: 1, aEnd: 1, bStart: 1, bEnd: 2 }]);

  it("has the lines it had: of two that read the same, the older one is left", () => {
    const history = new History([state("{ } end"), state("{ } } end", insertedAbove), state("{ } end")]);
    const taken = history.follow(1);
    expect([0, 1, 2, 3].map((line) => taken?.index(line))).toEqual([0, -1, 1, 2]);
  });

  it("takes the agent's own edit back as the doing of others", () => {
    const own = { ...state("{ } } end", insertedAbove), by: "me" };
    const history = new History([state("{ } end"), own, state("{ } end")], { agent: "me" });
    const { regions } = history.follow(1) as LineChange;
    expect(regions).toEqual([{ aStart: 1, aEnd: 2, bStart: 1, bEnd: 1 }]);
  });

  it("is compared where what came between is gone", () => {
    const lost = { ...state("{ x end"), document: null };
    const history = new History([state("{ } end"), lost, state("{ } } end"), state("{ } end")]);
    expect([0, 1, 2, 3].map((line) => history.follow(2)?.index(line))).toEqual([0, -1, -1, 2]);
  });
});
