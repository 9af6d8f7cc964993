/** The recorded runs belong to the course as it is: docs/clients.md shows them. */
import { describe, expect, test } from "vitest";
import { course } from "./course/index.js";
import { drivers } from "./drivers/index.js";
import { recorded } from "./results.js";
import { rightOf } from "./scenario.js";

const { scenarios, builds } = recorded();
const again = "play it again: KEDGE_CLIENTS=all npm run test:clients -- --record";

test("the titles are those of the course", () => {
  expect(scenarios, again).toEqual(Object.fromEntries(course.map(({ name, title }) => [name, title])));
});

describe.each(drivers.map((driver) => ({ driver, title: driver.title })))("$title", ({ driver }) => {
  const build = builds[driver.name];

  test("was played whole, alone and guarded", () => {
    expect(Object.keys(build?.guarded ?? {}), again).toEqual(Object.keys(build?.alone ?? {}));
    const missing = course.filter(({ name, needs }) => !needs && !build?.alone[name]);
    expect(missing, again).toEqual([]);
  });

  test.each(course.filter(({ name }) => build?.guarded[name]))("$title: the guard does right", (scenario) => {
    expect(rightOf(scenario, driver)).toContain(build?.guarded[scenario.name]?.verdict);
  });
});
