/**
 * The ways in which people reported losing work, by real commands in real repositories, through the hook events of each
 * client: all of it is listed as lost, restored to the byte, and nothing else is listed.
 */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Driver } from "../guard/drivers/driver.js";
import { drivers } from "../guard/drivers/index.js";
import { Stage } from "../guard/stage.js";
import { type Way, ways } from "./ways.js";

const lines = (name: string, count = 20): string[] =>
  Array.from({ length: count }, (_, at) => `${name} line ${at + 1}`);
const text = (all: readonly string[]): string => all.map((line) => `${line}\n`).join("");
const committed = lines("committed");
const spare = { "spare/a.txt": text(lines("other")), "spare/new.txt": text(lines("other")) };

/** How the work came to be that is taken away. */
const works = {
  "tracked and dirty": { name: "a.txt", tracked: true, by: "person" },
  untracked: { name: "new.txt", tracked: false, by: "person" },
  "by tool": { name: "a.txt", tracked: true, by: "tool" },
  "by shell": { name: "a.txt", tracked: true, by: "shell" },
  "new by tool": { name: "new.txt", tracked: false, by: "tool" },
  "new by shell": { name: "new.txt", tracked: false, by: "shell" },
} as const;

class Loss {
  readonly stage: Stage;

  constructor(
    driver: Driver,
    private readonly work: (typeof works)[keyof typeof works],
  ) {
    this.stage = new Stage(driver, { "a.txt": text(committed), ...spare, "b.txt": "calm\n" }, { git: true });
    this.stage.foreign("git branch other");
  }

  /** The text with the work in it. */
  async make(): Promise<string> {
    const { stage } = this;
    const { name, tracked, by } = this.work;
    const one = stage.agent("one");
    const wanted = tracked
      ? text([...committed.slice(0, 5), "worked one", "worked two", ...committed.slice(5)])
      : text(lines("work", 6));
    if (by === "person") stage.put(name, wanted);
    await one.begin();
    if (by === "tool" && tracked) {
      await one.read(stage.path(name));
      const [old] = committed.slice(4);
      await one.edit(stage.path(name), { old: old as string, new: `${old}\nworked one\nworked two` });
    } else if (by === "tool") await one.write(stage.path(name), wanted);
    else if (by === "shell" && tracked) await one.shell(`sed -i '5a worked one\\nworked two' ${name}`);
    else if (by === "shell") await one.shell(`for i in 1 2 3 4 5 6; do echo "work line $i" >> ${name}; done`);
    expect(stage.text(name)).toBe(wanted);
    return wanted;
  }
}

/** The last change of a file. */
async function entryOf(stage: Stage, name: string): Promise<string> {
  const entries = (await runs(stage, "log", "--json"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return entries.findLast(({ path, kind }) => path === name && kind === "commit").id;
}

function runs(stage: Stage, ...argv: string[]): Promise<string> {
  return stage.kedge(...argv);
}

/** Works of all kinds with one client; with the others each way takes away another kind, all of them with KEDGE_LONG=1. */
function worksFor(driver: Driver, at: number, way: Way): (keyof typeof works)[] {
  const { untracked, tracked } = way;
  // What lay there at the start and is committed before anything changed it has no entry: it is git's.
  const isOnRecord = (name: keyof typeof works) => !way.first || works[name].by !== "person";
  const names = (Object.keys(works) as (keyof typeof works)[]).filter(isOnRecord);
  const fitting = names.filter((name) => (works[name].tracked ? tracked !== false : untracked));
  if (driver.client === "claude-code" || process.env.KEDGE_LONG) return fitting;
  const [first] = fitting.splice((at + drivers.indexOf(driver)) % fitting.length, 1);
  return first ? [first] : [];
}

export function twelveWays(driver: Driver): void {
  for (const [at, [way, found]] of Object.entries(ways).entries())
    for (const name of worksFor(driver, at, found)) {
      const { command, first, overwrites } = found;
      const work = works[name];
      test(`${way}: ${name}`, async () => {
        const loss = new Loss(driver, work);
        const { stage } = loss;
        const wanted = await loss.make();
        expect(await runs(stage, "lost")).toBe("[nothing is lost]\n");
        if (first) stage.foreign(first);
        const two = stage.agent("two");
        await two.begin();
        const { tell } = await two.shell(command(work.name));
        const now = existsSync(stage.path(work.name)) ? readFileSync(stage.path(work.name), "utf8") : null;
        expect(now).not.toBe(wanted);
        expect(tell ?? "").toContain("kedge restore");
        const lost = (await runs(stage, "lost", "--json"))
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line));
        expect(lost.map(({ path }) => path)).toEqual(lost.map(() => work.name));
        // Where the command wrote a text of its own, both texts cannot be in the file: it is the command that is undone.
        const made = overwrites ? await entryOf(stage, work.name) : null;
        const said = made ? await runs(stage, "undo", "--id", made) : await runs(stage, "restore", "--all");
        const back = existsSync(stage.path(work.name)) ? readFileSync(stage.path(work.name), "utf8") : said;
        expect(back).toBe(wanted);
        expect(await runs(stage, "lost")).toBe("[nothing is lost]\n");
      });
    }
}
