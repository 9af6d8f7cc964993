/** Sessions that real clients leave, with known content: every number of the audit is checked against what was played. */
import { describe, expect, test } from "vitest";
import { expected, files, numbersOf, play } from "../audit/course.js";
import { chosenDrivers, install } from "./builds.js";
import { sessionFiles } from "./session-files.js";
import { recordSession } from "./session-record.js";
import { Stage } from "./stage.js";

describe.each(chosenDrivers())("$title", (driver) => {
  test("leaves a session of which every number is counted right", async ({ skip }) => {
    if (!expected[driver.name]) return skip(`nothing is known of what ${driver.title} makes of the course`);
    const installed = install(driver);
    if ("reason" in installed) return skip(installed.reason);
    const { program } = installed;
    const stage = await Stage.open({ driver, program, files, guard: "none" });
    try {
      await stage.play(play);
      const numbers = numbersOf(stage.place.kedge("audit", "--json", "--client", driver.client));
      const [session] = sessionFiles(stage.place.home);
      if (process.env.KEDGE_CLIENTS_RECORD && session) recordSession(driver.name, session, stage.place);
      // Characters depend on how long the names of folders are.
      const wanted = {
        ...expected[driver.name],
        recovery: expect.objectContaining({ calls: expect.any(Number) }),
      };
      expect(numbers).toEqual(wanted);
    } finally {
      stage.close();
    }
  });
});
