/** The course with real clients: `npm run test:clients`. */
import { afterAll, describe, expect, test } from "vitest";
import { chosenDrivers, install } from "./builds.js";
import { opening } from "./course/gate.js";
import { course } from "./course/index.js";
import { tabs } from "./course/tabs.js";
import type { Driver } from "./driver.js";
import { putFormatter } from "./formatter.js";
import type { Place } from "./place.js";
import { type Condition, Results } from "./results.js";
import { type Finding, rightOf, type Scenario } from "./scenario.js";
import { type Guard, Stage } from "./stage.js";

const isRecording = Boolean(process.env.KEDGE_CLIENTS_RECORD);
const conditions: readonly Condition[] = isRecording ? ["alone", "guarded"] : ["guarded"];
const results = new Results();
afterAll(() => {
  if (isRecording) results.save();
});

/** Why this client cannot play this scenario, or null. */
function obstacle(driver: Driver, { needs }: Scenario): string | null {
  const { compaction, calls, pointOf, formatter: formats } = driver;
  if (needs === "compaction" && !compaction) return "it cannot be brought to compact without a person";
  if (needs === "rewind" && !pointOf) return "only a person can take its conversations back";
  if (needs === "subagents" && !calls.delegate) return "its subagents are not driven here";
  if (needs === "formatter" && !formats) return "it runs no formatters";
  return null;
}

interface Run {
  readonly driver: Driver;
  readonly program: string;
  readonly guard: Guard;
}

async function play({ driver, program, guard }: Run, { files, needs, play }: Scenario): Promise<Finding> {
  const prepare = (place: Place) => {
    if (needs === "formatter") driver.formatter?.(place, putFormatter(place));
  };
  const stage = await Stage.open({ driver, program, files, guard, prepare });
  try {
    const finding = await play(stage);
    return { ...finding, received: plain(finding.received, driver, stage.place) };
  } finally {
    stage.close();
  }
}

/** What is worth keeping of a text: without the client's own reminders and the folders of this run. */
function plain(text: string, { reminders }: Driver, { project, home }: Place): string {
  const own = reminders ? text.replaceAll(reminders, "") : text;
  return own.replaceAll(`${project}/`, "").replaceAll(project, ".").replaceAll(home, "~").trim();
}

/** The whole course, alone or with the guard installed for the user. */
function playCourse(driver: Driver, program: string, condition: Condition): void {
  describe.concurrent(`${driver.title}, ${condition}`, () => {
    for (const scenario of course) {
      const reason = obstacle(driver, scenario);
      if (reason !== null) {
        test.skip(`${scenario.title} (${reason})`);
        continue;
      }
      test(scenario.title, async () => {
        const guard = condition === "alone" ? "none" : "user";
        const finding = await play({ driver, program, guard }, scenario);
        results.note(driver, condition, { scenario, finding });
        if (condition === "guarded")
          expect(rightOf(scenario, driver), finding.received).toContain(finding.verdict);
      });
    }
  });
}

/** That the guard is there at all, by the other ways to install it. */
function playOtherWays(driver: Driver, program: string): void {
  const ways: Guard[] = ["project", ...(driver.plugin ? (["plugin"] as const) : [])];
  for (const guard of ways) {
    describe.concurrent(`${driver.title}, guarded by ${guard}`, () => {
      test(opening.title, async () => {
        const finding = await play({ driver, program, guard }, opening);
        expect(opening.right, finding.received).toContain(finding.verdict);
      });
    });
  }
}

/** What is written down, which no client shows. */
function playTabs(driver: Driver, program: string): void {
  describe(`${driver.title}, guarded`, () => {
    test(tabs.title, async () => {
      const { verdict, received } = await play({ driver, program, guard: "user" }, tabs);
      expect(tabs.right, received).toContain(verdict);
    });
  });
}

for (const driver of chosenDrivers()) {
  const installed = install(driver);
  if ("reason" in installed) {
    console.log(`skipped: ${driver.title}: ${installed.reason}`);
    describe(driver.title, () => test.skip(`the course (${installed.reason})`));
    continue;
  }
  for (const condition of conditions) playCourse(driver, installed.program, condition);
  playOtherWays(driver, installed.program);
  playTabs(driver, installed.program);
}
