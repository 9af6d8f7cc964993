/** From a bare machine to a refused bad edit, as README says: the packed package, npm, the client, and a stopwatch. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { installPacked, pack } from "../support/packed.js";
import { chosenDrivers, install, pathFor } from "./builds.js";
import { prices } from "./course/source.js";
import { Stage } from "./stage.js";

const rate = "  const rate = 0.19;\n";

for (const driver of chosenDrivers()) {
  const installed = install(driver);
  const reason = "reason" in installed ? installed.reason : null;
  describe(driver.title, () => {
    test.skipIf(reason !== null)(
      `its first bad edit is refused${reason === null ? "" : ` (${reason})`}`,
      async ({ skip }) => {
        const { program } = installed as { readonly program: string };
        const scratch = realpathSync(mkdtempSync(join(tmpdir(), "kedge-first-run-")));
        const archive = pack(scratch);
        const stage = await Stage.open({ driver, program, files: { "prices.ts": prices }, guard: "none" });
        const started = performance.now();
        const laps: string[] = [];
        const lap = (name: string) =>
          laps.push(`${name} ${((performance.now() - started) / 1000).toFixed(1)} s`);
        try {
          const { place } = stage;
          const packed = installPacked(archive, scratch);
          if ("reason" in packed) return skip(packed.reason);
          lap("npm install");
          // Only this client is on the PATH: `kedge install` finds it by itself.
          const env = { ...place.env, PATH: `${pathFor(program, dirname(process.execPath))}:/usr/bin:/bin` };
          execFileSync(packed.kedge, ["install", "--yes"], { cwd: place.project, env, stdio: "pipe" });
          lap("kedge install");
          const received = await stage.play((agent) =>
            agent.edit("prices.ts", rate, "  const rate = 0.07;\n"),
          );
          lap("refused");
          // Older ones refuse it themselves, before they ask a hook.
          expect(received).toMatch(/was not read|has not been read/);
          expect(place.text("prices.ts")).toBe(prices);
          console.log(`${driver.title}, from a bare machine: ${laps.join(", ")}`);
        } finally {
          stage.close();
          rmSync(scratch, { recursive: true, force: true });
        }
      },
    );
  });
}
