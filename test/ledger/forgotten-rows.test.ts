import { describe, expect, it } from "vitest";
import type { Showing } from "../../src/edits/located-edit.js";
import { forget, isForgotten, nothingForgotten, retired } from "../../src/ledger/forgotten-rows.js";
import { LineSet } from "../../src/text/line-set.js";

const showing = (first: number, hashes: readonly string[], scheme: Showing["scheme"] = "hex6"): Showing => ({
  state: 0,
  rows: LineSet.of([[first, first + hashes.length]]),
  scheme,
  hashes: Object.fromEntries(hashes.map((hash, at) => [first + at, hash])),
});
const listing = (first: number, end: number): Showing => ({
  ...{ state: 0, rows: LineSet.of([[first, end]]), scheme: "hex6" },
});

describe("rows whose showings were dropped", () => {
  it("are told by what they were printed with, where that is known", () => {
    const found = forget(forget(nothingForgotten, [showing(4, ["aa", "bb"])]), [showing(4, ["cc"])]);
    expect(isForgotten(found, 4, "aa", "hex6")).toBe(true);
    expect(isForgotten(found, 4, "cc", "hex6")).toBe(true);
    expect(isForgotten(found, 4, "bb", "hex6")).toBe(false);
    expect(isForgotten(found, 5, "bb", "hex6")).toBe(true);
    expect(isForgotten(found, 6, "bb", "hex6")).toBe(false);
  });

  it("else by their numbers", () => {
    const found = forget(nothingForgotten, [listing(2, 4)]);
    expect([1, 2, 3, 4].map((index) => isForgotten(found, index, "aa", "hex6"))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it("name nothing if they were printed without anchors", () => {
    expect(forget(nothingForgotten, [showing(1, ["aa"], null)])).toBe(nothingForgotten);
  });

  it("are known by their numbers alone when they are too many", () => {
    const many = Array.from({ length: 1500 }, (_, at) => showing(at % 7, [`h${at}`]));
    const most = forget(nothingForgotten, many);
    expect([isForgotten(most, 3, "h3", "hex6"), isForgotten(most, 3, "other", "hex6")]).toEqual([
      true,
      false,
    ]);
    const more = forget(most, [showing(3, ["one more"])]);
    expect([isForgotten(more, 3, "other", "hex6"), isForgotten(more, 7, "other", "hex6")]).toEqual([
      true,
      false,
    ]);
    // The same again is no more.
    expect(forget(most, [showing(3, ["h3"])]).hex6?.rows).toHaveLength(1500);
  });

  it("are certain again once their numbers were printed anew", () => {
    const found = forget(nothingForgotten, [showing(1, ["aa", "bb"]), listing(5, 8)]);
    const left = retired(found, LineSet.of([[2, 6]]), "hex6");
    expect([1, 2, 5, 6].map((index) => isForgotten(left, index, index === 1 ? "aa" : "bb", "hex6"))).toEqual([
      ...[true, false, false, true],
    ]);
    expect(retired(nothingForgotten, LineSet.all(9), "hex6")).toBe(nothingForgotten);
  });
});
