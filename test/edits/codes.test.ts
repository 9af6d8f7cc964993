import { describe, expect, it } from "vitest";
import { type Code, codes, decidingCode, exitStatus } from "../../src/edits/codes.js";

/** The published table; agents and scripts depend on it. */
const table: Record<number, readonly Code[]> = {
  1: ["not_found", "binary", "too_large", "unencodable", "exists", "io"],
  2: ["bad_request", "bad_anchor", "overlap"],
  4: ["not_read", "not_shown", "noop_repeat", "outside_roots", "denied"],
  5: ["stale", "ambiguous", "deleted", "wrong_hash"],
  6: ["busy"],
};

describe("codes", () => {
  it("are exactly the published ones, each with its exit status", () => {
    const published = Object.entries(table).flatMap(([exit, names]) =>
      names.map((name) => [name, Number(exit)]),
    );
    const known = Object.keys(codes).map((name) => [name, exitStatus(name as Code)]);
    expect(new Map(known as [string, number][])).toEqual(new Map(published as [string, number][]));
  });

  it.each(Object.entries(codes))("%s says what it means and what to do", (_, { meaning, next }) => {
    for (const sentence of [meaning, next]) expect(sentence).toMatch(/^[A-Z].*\.$/);
  });

  it.each<[readonly Code[], Code]>([
    [["not_found", "stale", "not_shown", "overlap"], "overlap"],
    [["not_found", "stale", "not_shown"], "not_shown"],
    [["not_found", "stale"], "stale"],
    [["not_found", "busy"], "not_found"],
    [["stale", "bad_anchor", "bad_request"], "bad_anchor"],
    [["deleted", "stale"], "deleted"],
    [["busy"], "busy"],
  ])("of %j, %s decides", (found, expected) => expect(decidingCode(found)).toBe(expected));
});
