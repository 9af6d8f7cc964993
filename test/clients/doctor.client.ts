/** `kedge doctor` beside the clients: it says that a guard is guarding exactly where the client starts it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { chosenDrivers, install } from "./builds.js";
import { course } from "./course/index.js";
import type { Place } from "./place.js";
import type { Scenario } from "./scenario.js";
import { Stage } from "./stage.js";

type Change = (place: Place) => void;

/** Adds members to a file of the home folder that may be there already. */
const person =
  (path: string, members: object): Change =>
  (place) => {
    let before = {};
    try {
      before = JSON.parse(readFileSync(join(place.home, path), "utf8"));
    } catch {
      // There is none.
    }
    place.putHome(path, `${JSON.stringify({ ...before, ...members }, null, 2)}\n`);
  };
const project =
  (path: string, content: object): Change =>
  (place) =>
    place.put(path, JSON.stringify(content));

const off = { disableAllHooks: true };
const bare = { env: { CLAUDE_CODE_SIMPLE: "1" } };
const safe = { env: { CLAUDE_CODE_SAFE_MODE: "yes" } };

const cases: Readonly<Record<string, Readonly<Record<string, Change>>>> = {
  "claude-code": {
    "nothing else": () => {},
    "hooks off in the project": project(".claude/settings.json", off),
    "hooks off by a text in the file of the guard": person(".claude/settings.json", {
      disableAllHooks: "true",
    }),
    "hooks off by a text in the project": project(".claude/settings.json", { disableAllHooks: "true" }),
    "hooks off in a file that Claude Code does not read": person(".claude/settings.local.json", off),
    "bare by the project": project(".claude/settings.json", bare),
    "safe mode by the person": person(".claude/settings.json", safe),
    "safe mode by the project": project(".claude/settings.local.json", safe),
  },
  copilot: {
    "nothing else": () => {},
    "hooks off in the project": project(".github/copilot/settings.json", off),
    "hooks off in the project by one person": project(".github/copilot/settings.local.json", off),
    "hooks off in the project's settings of Claude Code": project(".claude/settings.json", off),
    "hooks off by the person": person(".copilot/settings.json", off),
  },
  "gemini-cli": {
    "nothing else": () => {},
    "hooks off by name": project(".gemini/settings.json", { hooksConfig: { disabled: ["kedge"] } }),
  },
  "qwen-code": {
    "nothing else": () => {},
    "hooks off in the project": project(".qwen/settings.json", off),
    "hooks off by a text": project(".qwen/settings.json", { disableAllHooks: "true" }),
    "safe mode by the project": project(".qwen/settings.json", { env: { QWEN_CODE_SAFE_MODE: "1" } }),
  },
  pi: {
    "nothing else": () => {},
    "taken out by its path": person(".pi/agent/settings.json", { extensions: ["-extensions/kedge.js"] }),
    "taken out by a pattern": person(".pi/agent/settings.json", { extensions: ["!**/kedge.js"] }),
    "taken out and brought back": person(".pi/agent/settings.json", {
      extensions: ["!**/kedge.js", "+extensions/kedge.js"],
    }),
  },
};

/** A write that no client refuses by itself. */
const overwrite = course.find(({ name }) => name === "partial-overwrite") as Scenario;

function isSaidToGuard(place: Place, client: string): boolean {
  let printed: string;
  try {
    printed = place.kedge("doctor", "--json");
  } catch (error) {
    printed = String((error as { stdout?: unknown }).stdout);
  }
  return printed.includes(`${client} (user): guarding`);
}

for (const driver of chosenDrivers()) {
  const installed = install(driver);
  const reason = "reason" in installed ? installed.reason : null;
  const known = Object.entries(cases[driver.client] ?? {});
  describe.skipIf(known.length === 0).concurrent(`${driver.title}, as doctor sees it`, () => {
    test.skipIf(reason !== null).each(known)("%s", async (_, change) => {
      const { program } = installed as { readonly program: string };
      const stage = await Stage.open({ driver, program, files: overwrite.files, guard: "user" });
      try {
        change(stage.place);
        const { verdict } = await overwrite.play(stage);
        expect(isSaidToGuard(stage.place, driver.client)).toBe(verdict === "refused");
      } finally {
        stage.close();
      }
    });
  });
}
