/** What the runs showed, kept for docs/clients.md. A recording replaces only what it played. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { course } from "./course/index.js";
import type { Driver } from "./driver.js";
import { drivers } from "./drivers/index.js";
import { root } from "./root.js";
import type { Finding, Scenario } from "./scenario.js";

export type Condition = "alone" | "guarded";

interface Recorded {
  /** Names and titles, in the order of the course. */
  readonly scenarios: Readonly<Record<string, string>>;
  readonly builds: Readonly<Record<string, Build>>;
}

type Build = { readonly title: string } & Readonly<Record<Condition, Readonly<Record<string, Finding>>>>;

const path = join(root, "test/clients/results.json");

export class Results {
  private readonly played: { driver: Driver; condition: Condition; scenario: Scenario; finding: Finding }[] =
    [];

  note(driver: Driver, condition: Condition, played: { scenario: Scenario; finding: Finding }): void {
    this.played.push({ driver, condition, ...played });
  }

  save(): void {
    const before = recorded();
    const findings = (driver: Driver, condition: Condition): Record<string, Finding> => {
      const old = before.builds[driver.name]?.[condition] ?? {};
      const rows = course.map(({ name }): [string, Finding | undefined] => {
        const now = this.played.find(
          (one) => one.driver === driver && one.condition === condition && one.scenario.name === name,
        );
        return [name, now?.finding ?? old[name]];
      });
      return Object.fromEntries(rows.filter((row): row is [string, Finding] => row[1] !== undefined));
    };
    const after: Recorded = {
      scenarios: Object.fromEntries(course.map(({ name, title }) => [name, title])),
      builds: Object.fromEntries(
        drivers.map((driver) => [
          driver.name,
          { title: driver.title, alone: findings(driver, "alone"), guarded: findings(driver, "guarded") },
        ]),
      ),
    };
    writeFileSync(path, `${JSON.stringify(after, null, 2)}\n`);
  }
}

export function recorded(): Recorded {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return { scenarios: {}, builds: {} };
  }
}
