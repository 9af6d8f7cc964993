import { describe, expect, it } from "vitest";
import { History } from "../../src/changes/history.js";
import { Document } from "../../src/text/document.js";

describe("a state that was forgotten", () => {
  it("leads nowhere, as one whose text is gone", () => {
    const history = History.of(Document.fromText("one\ntwo\n"));
    expect(history.follow(0)?.isIdentity).toBe(true);
    expect(history.follow(-1)).toBe(null);
    expect(history.believed(-1)).toBe(null);
  });
});
