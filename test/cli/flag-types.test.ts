import { expect, test } from "vitest";
import { statusOf } from "../../src/cli/flag-types.js";
import { codes } from "../../src/edits/codes.js";

test("every refusal exits with the status of its code, and anything else with 0", () => {
  for (const [code, { exit }] of Object.entries(codes))
    expect(statusOf({ status: "refused", code })).toBe(exit);
  expect(statusOf({ status: "applied" })).toBe(0);
  expect(new Set(Object.values(codes).map(({ exit }) => exit))).toEqual(new Set([1, 2, 4, 5, 6]));
});
