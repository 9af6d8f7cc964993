import { describe, expect, it } from "vitest";
import { Document, History } from "../../src/core/index.js";

describe("a state that was forgotten", () => {
  it("leads nowhere, as one whose text is gone", () => {
    const history = History.of(Document.fromText("one\ntwo\n"));
    expect(history.follow(0)?.isIdentity).toBe(true);
    expect(history.follow(-1)).toBe(null);
    expect(history.believed(-1)).toBe(null);
  });
});
