/** A line that an agent wrote by a command, taken away by another one's: with real clients, `npm run test:clients`. */
import { describe, expect, test } from "vitest";
import { chosenDrivers, install } from "./builds.js";
import { prices, small } from "./course/source.js";
import { exchange } from "./scenario.js";
import { Stage } from "./stage.js";

for (const driver of chosenDrivers()) {
  const installed = install(driver);
  const reason = "reason" in installed ? installed.reason : null;
  describe(driver.title, () => {
    test.skipIf(reason !== null)(
      `a shell edit comes back${reason === null ? "" : ` (${reason})`}`,
      async () => {
        const { program } = installed as { readonly program: string };
        const stage = await Stage.open({
          driver,
          program,
          files: { "prices.ts": prices, "small.ts": small },
          guard: "user",
        });
        try {
          const { place } = stage;
          const edited = exchange(prices, "rate = 0.19", "rate = 0.07");
          let toCauser = "";
          const toOwner = await stage.play(async (owner) => {
            // Qwen Code takes `sed -i` for an edit, and refuses that of a file that was not read.
            await owner.read("prices.ts");
            await owner.shell("sed -i 's/rate = 0.19/rate = 0.07/' prices.ts");
            expect(place.text("prices.ts")).toBe(edited);
            toCauser = await stage.play(async (other) => other.shell("git checkout -- ."));
            expect(place.text("prices.ts")).toBe(prices);
            return owner.read("small.ts");
          });
          expect(toCauser).toContain("kedge restore");
          expect(toOwner).toContain("prices.ts");
          place.kedge("restore", "--all");
          expect(place.text("prices.ts")).toBe(edited);
        } finally {
          stage.close();
        }
      },
    );
  });
}
