/**
 * The twelve ways to lose work, one after the other in one conversation of a real client: `npm run test:clients`. The
 * work of a person and of another agent, by tool and by shell, in tracked and new files, is there each time.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Way, ways } from "../tree/ways.js";
import { chosenDrivers, install } from "./builds.js";
import type { Place } from "./place.js";
import { type Agent, Stage } from "./stage.js";

const lines = (name: string, count = 20): string[] =>
  Array.from({ length: count }, (_, at) => `${name} line ${at + 1}`);
const text = (all: readonly string[]): string => all.map((line) => `${line}\n`).join("");

const committed = lines("committed");
const dirty = text([...committed.slice(0, 5), "worked one", "worked two", ...committed.slice(5)]);
const fresh = text(lines("work", 6));

/** What the work comes to: a person's, an agent's by tool, and an agent's by shell. */
const tracked = { "saved.txt": dirty, "by-tool.txt": dirty, "by-shell.txt": dirty };
const untracked = { "saved-new.txt": fresh, "by-tool-new.txt": fresh, "by-shell-new.txt": fresh };
const work: Readonly<Record<string, string>> = { ...tracked, ...untracked };
const calm = { "calm.txt": "calm\n" };

const alike = (names: readonly string[], content: string) =>
  Object.fromEntries(names.map((name) => [name, content]));
const spare = Object.keys(work).map((name) => `spare/${name}`);
const files = { ...alike(Object.keys(tracked), text(committed)), ...alike(spare, "spare\n"), ...calm };

async function doWork(owner: Agent): Promise<void> {
  await owner.read("by-tool.txt");
  const old = `${committed[4]}\n`;
  await owner.edit("by-tool.txt", old, `${old}worked one\nworked two\n`);
  await owner.write("by-tool-new.txt", fresh);
  await owner.read("by-shell.txt");
  await owner.shell("sed -i '5a worked one\\nworked two' by-shell.txt");
  await owner.shell('for i in 1 2 3 4 5 6; do echo "work line $i" >> by-shell-new.txt; done');
}

const json = (printed: string) =>
  printed
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** All files of the project that have to do with work, as they are. */
function textsOf(place: Place): Record<string, string> {
  const names = [...Object.keys(work), ...Object.keys(calm)].filter((name) => existsSync(place.path(name)));
  return Object.fromEntries(names.map((name) => [name, place.text(name)]));
}

/** The files of which something is lost, each with the beginning of the command that is said to have taken it. */
function lostIn(place: Place): Record<string, string> {
  const edits = json(place.kedge("lost", "--json"));
  return Object.fromEntries(edits.map(({ path, lost }) => [path, beginning(lost.command)]));
}

/** Commands are kept cut. */
const beginning = (command: string): string => command.slice(0, 150);

/** Undoes the last change of each file, or restores all. */
function putBack(place: Place, names: readonly string[], { overwrites }: Way): void {
  if (!overwrites) return void place.kedge("restore", "--all");
  const changes = json(place.kedge("log", "--json")).filter(({ kind }) => kind === "commit");
  for (const name of names) {
    const { id } = changes.findLast(({ path }) => path === name);
    place.kedge("undo", "--id", id);
  }
}

async function takeAway(way: Way, { agent, place }: { agent: Agent; place: Place }): Promise<void> {
  const names = [
    ...(way.tracked === false ? [] : Object.keys(tracked)),
    ...(way.untracked ? Object.keys(untracked) : []),
  ];
  if (way.first) execFileSync("sh", ["-c", way.first], { cwd: place.project, env: place.env, stdio: "pipe" });
  const command = [...new Set(names.map(way.command))].join("; ");
  const told = await agent.shell(command);
  const now = textsOf(place);
  expect(Object.keys(work).filter((name) => now[name] !== work[name])).toEqual(names);
  expect(told).toContain("kedge restore");
  expect(lostIn(place)).toEqual(alike(names, beginning(command)));
  putBack(place, names, way);
  expect(textsOf(place)).toEqual({ ...work, ...calm });
  expect(lostIn(place)).toEqual({});
}

for (const driver of chosenDrivers()) {
  const installed = install(driver);
  const reason = "reason" in installed ? installed.reason : null;
  describe(driver.title, () => {
    test.skipIf(reason !== null)(
      `work comes back from all twelve ways to lose it${reason === null ? "" : ` (${reason})`}`,
      async () => {
        const { program } = installed as { readonly program: string };
        const stage = await Stage.open({ driver, program, files, guard: "user" });
        try {
          const { place } = stage;
          place.git("branch", "other");
          for (const name of ["saved.txt", "saved-new.txt"]) place.put(name, work[name] as string);
          await stage.play(doWork);
          expect(textsOf(place)).toEqual({ ...work, ...calm });
          expect(lostIn(place)).toEqual({});
          await stage.play(async (agent) => {
            const isQuiet = async () =>
              !/took away|kedge restore/.test(await agent.shell("git status --short"));
            expect(await isQuiet()).toBe(true);
            for (const way of Object.values(ways)) await takeAway(way, { agent, place });
            expect(await isQuiet()).toBe(true);
          });
        } finally {
          stage.close();
        }
      },
    );
  });
}
