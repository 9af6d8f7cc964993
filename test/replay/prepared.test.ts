import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { session } from "../../src/replay/mechanisms/kedge.js";
import { readPrepared } from "../../src/replay/prepared.js";
import { score } from "../../src/replay/score.js";

const folder = new URL("../../../shared/replay/cases", import.meta.url).pathname;

/** Where the agent's and the others' changes can be told apart, so that refusing is a failure. */
const separable = new Set([
  ...["plain", "far-noshift", "far-shift", "near", "dup-shift", "merge-clean", "own-seq", "fmt-elsewhere"],
  ...["block-lost", "crlf", "moved-other"],
]);

describe.skipIf(!existsSync(folder))("stale edits from real histories", { timeout: 600_000 }, () => {
  it("go where they belong, or are refused", async () => {
    const { classes } = await score(session, readPrepared(folder).cases);
    for (const [name, { right, refused, wrong }] of Object.entries(classes).sort())
      console.log(`replay ${name.padEnd(28)} right ${right}  refused ${refused}  wrong ${wrong}`);
    for (const [name, { right, refused, wrong, wrongIds, secondTime }] of Object.entries(classes)) {
      if (!name.endsWith("(debatable)")) expect([name, ...wrongIds]).toEqual([name]);
      if (separable.has(name.replace(" (debatable)", "")))
        expect(right / (right + refused + wrong), name).toBeGreaterThanOrEqual(0.995);
      expect([name, ...secondTime], "sent again unchanged").toEqual([name]);
    }
  });
});
