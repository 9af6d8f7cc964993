import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sessionThat } from "../../src/replay/mechanisms/kedge.js";
import { readPrepared } from "../../src/replay/prepared.js";
import { score } from "../../src/replay/score.js";

const folder = new URL("../../../shared/replay/cases", import.meta.url).pathname;

/** Where the agent's and the others' changes can be told apart, so that refusing is a failure. */
const separable = new Set([
  ...["plain", "far-noshift", "far-shift", "near", "dup-shift", "merge-clean", "own-seq", "fmt-elsewhere"],
  ...["block-lost", "crlf", "moved-other"],
]);

describe.skipIf(!existsSync(folder))("stale edits from real histories", { timeout: 600_000 }, () => {
  it.each(["before", "after"] as const)(
    "go where they belong, or are refused: insert_%s",
    async (inserts) => {
      const { classes } = await score(sessionThat(inserts), readPrepared(folder).cases);
      for (const [name, { right, refused, swapped, wrong }] of Object.entries(classes).sort())
        console.log(
          `replay ${name.padEnd(28)} right ${right}  refused ${refused}  swapped ${swapped}  wrong ${wrong}`,
        );
      for (const [name, { right, refused, swapped, wrong, wrongIds, secondTime }] of Object.entries(
        classes,
      )) {
        expect([name, ...wrongIds]).toEqual([name]);
        const share = (count: number) => count / (right + refused + swapped + wrong);
        // Touching from outside is not meeting; in which order two insertions stand in one gap is open.
        if (/^(touch|same-gap) /.test(name))
          expect(share(right + swapped), name).toBeGreaterThanOrEqual(0.75);
        if (separable.has(name.replace(" (debatable)", "")))
          expect(share(right), name).toBeGreaterThanOrEqual(0.995);
        expect([name, ...secondTime], "sent again unchanged").toEqual([name]);
      }
    },
  );
});
