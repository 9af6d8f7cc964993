/** A state folder with damage of any kind: "read it again" at worst. Nothing is accepted that was not shown, and no text is written that never stood anywhere. */
import { cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { main } from "../../../src/cli/index.js";
import { makeStream } from "../../../src/cli/print/output.js";
import { adapters, hook } from "../../../src/guard/index.js";
import type { Driver } from "../../guard/drivers/driver.js";
import { drivers } from "../../guard/drivers/index.js";
import { damage, spoil } from "./damage.js";
import { runs, soon } from "./mutants.js";
import { isLeaked, Site, timed } from "./site.js";

const lines = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${name} line ${at + 1} of ${count}`);
const whole = (all: readonly string[]): string => all.map((line) => `${line}\n`).join("");
const shown = lines("a", 40);
const files = {
  "a.txt": whole(shown),
  "b.txt": whole(lines("b", 30)),
  "c.txt": whole(lines("c", 30)),
  "never.txt": whole(lines("n", 10)),
};
const driver = drivers[0] as Driver;

interface Ran {
  readonly status: number;
  readonly out: string;
}

/** One call at the command line, in this process. */
async function kedge(site: Site, agent: string, ...argv: string[]): Promise<Ran> {
  let out = "";
  const env = { ...site.env, KEDGE_SESSION: agent };
  const write = (bytes: Uint8Array): void => {
    out += new TextDecoder().decode(bytes);
  };
  const stream = makeStream({ env, write, isTerminal: false, columns: 80 });
  const common = { cwd: site.project, doors: {}, program: "kedge", version: () => "0", exit: () => {} };
  const what = `kedge ${argv.join(" ")}`;
  const status = await timed(what, soon, () =>
    main({ ...common, argv, env, output: { out: stream, err: stream } }),
  );
  expect(out, what).not.toMatch(/this should not happen|\b(?:Type|Range|Reference)Error\b/);
  expect(isLeaked(out), what).toBe(false);
  return { status, out };
}

async function guard(site: Site, payload: object | null): Promise<ReturnType<Driver["reply"]>> {
  const adapter = adapters[driver.client] as NonNullable<(typeof adapters)[string]>;
  const input = JSON.stringify(payload);
  const answer = await timed(input, soon, () => hook({ adapter, input, env: site.env, clock: Date.now }));
  expect(isLeaked(answer ?? "")).toBe(false);
  return driver.reply(answer);
}

const who = (site: Site) => ({ conversation: "one", cwd: site.project });

const anchorOf = (out: string, line: string): string =>
  (out.split("\n").find((row) => row.endsWith(`|${line}`)) ?? "").split("|")[0] as string;

/** All that ever stood in a line of a file. */
const stood = new Set<string>();
let ground: Site;
let anchors: Record<string, string> = {};
const master = (): string => join(ground.scratch, "..", `${ground.scratch.split("/").at(-1)}-master`);

function remember(site: Site): void {
  for (const name of ["a.txt", "b.txt", "c.txt", "never.txt"])
    for (const line of site.text(name).split("\n")) stood.add(line);
}

/** Reads, edits, a batch, refusals, an undo, work that a command took away, and an agent in a client. */
beforeAll(async () => {
  ground = new Site(files);
  const site = ground;
  const run = async (agent: string, ...argv: string[]): Promise<string> => {
    const { out } = await kedge(site, agent, ...argv);
    remember(site);
    return out;
  };
  const all = await run("other", "read", "a.txt");
  anchors = Object.fromEntries(shown.map((line) => [line, anchorOf(all, line)]));
  const part = await run("mine", "read", "a.txt", "--ranges", "1-10");
  await run("mine", "edit", "a.txt", anchorOf(part, shown[4] as string), "a five");
  await run("mine", "edit", "a.txt", anchors[shown[29] as string] as string, "refused");
  const b = await run("mine", "read", "b.txt");
  await run("mine", "edit", "b.txt", anchorOf(b, "b line 3 of 30"), "b three");
  await run("mine", "edit", "b.txt", anchorOf(b, "b line 9 of 30"), "b nine");
  await run("mine", "undo", "b.txt");
  const c = await run("other", "read", "c.txt");
  await run("other", "edit", "c.txt", anchorOf(c, "c line 7 of 30"), "c seven");
  site.put("c.txt", files["c.txt"]);
  const call = driver.call({ do: "read", path: join(site.project, "b.txt") }, who(site));
  const read = call.run(null);
  for (const payload of [...read.after(), ...read.settled()]) await guard(site, payload);
  const edit = { old: "b line 20 of 30", new: "b twenty" };
  const done = driver.call({ do: "edit", path: join(site.project, "b.txt"), edits: [edit] }, who(site));
  await guard(site, done.before);
  const made = done.run(null);
  for (const payload of [...made.after(), ...made.settled()]) await guard(site, payload);
  remember(site);
  // Somebody changed a line that was shown.
  site.put("a.txt", site.text("a.txt").replace(shown[7] as string, "a changed by somebody"));
  remember(site);
  anchors["a changed by somebody"] = anchorOf(
    (await kedge(site, "third", "read", "a.txt")).out,
    "a changed by somebody",
  );
  const never = (await kedge(site, "third", "read", "never.txt")).out;
  anchors["n line 6 of 10"] = anchorOf(never, "n line 6 of 10");
  mkdirSync(master());
  cpSync(site.state, join(master(), "state"), { recursive: true });
  cpSync(site.project, join(master(), "project"), {
    recursive: true,
    filter: (path) => !path.endsWith("pipe"),
  });
});

afterAll(() => {
  rmSync(master(), { recursive: true, force: true });
  ground.remove();
});

/** Each once: a refusal shows the rows, which may be edited from then on. */
const asked = [
  "stale",
  "changed",
  "unseen",
  "unread",
  "undo",
  "undo all",
  "restore",
  "log",
  "guard",
  "read",
] as const;
type Asked = (typeof asked)[number];

test("the state folder may be damaged in any way", { timeout: 3_600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(damage, { minLength: 1, maxLength: 4 }),
      fc.shuffledSubarray([...asked], { minLength: 1, maxLength: 5 }),
      async (damages, calls) => {
        reset();
        for (const one of damages) spoil(ground.state, one);
        for (const call of calls) {
          if (call === "changed" && calls.indexOf("stale") < calls.indexOf(call) && calls.includes("stale"))
            continue;
          // Somebody's change is on record, so that anyone can undo it: the line is as it was shown then.
          if (call === "stale" && calls.slice(0, calls.indexOf(call)).includes("undo all")) continue;
          await tried[call](ground);
          expectOnlyOld(ground, call);
        }
        ground.expectUntouched(calls.join());
        expect(ground.failures(), calls.join()).toEqual([]);
        await works(ground);
      },
    ),
    { numRuns: Math.ceil(runs / 2) },
  );
});

function reset(): void {
  rmSync(ground.state, { recursive: true, force: true });
  cpSync(join(master(), "state"), ground.state, { recursive: true, preserveTimestamps: true });
  for (const name of Object.keys(files))
    ground.put(name, readFileSync(join(master(), "project", name), "utf8"));
}

function expectOnlyOld(site: Site, what: string): void {
  for (const name of Object.keys(files)) {
    const strange = site
      .text(name)
      .split("\n")
      .filter((line) => !stood.has(line));
    expect(strange, `${name} after ${what}`).toEqual([]);
  }
}

/** An edit that must be refused, and leaves the file as it is. */
async function refused(site: Site, name: string, argv: readonly string[]): Promise<void> {
  const before = site.text(name);
  const { status, out } = await kedge(site, "mine", ...argv);
  expect([status === 0, site.text(name) === before], `${argv.join(" ")}: ${out}`).toEqual([false, true]);
}

const tried: Readonly<Record<Asked, (site: Site) => Promise<unknown>>> = {
  // As it was shown, or as it is and was not shown.
  stale: (site) => refused(site, "a.txt", ["edit", "a.txt", anchors[shown[7] as string] as string, "x"]),
  changed: (site) =>
    refused(site, "a.txt", ["edit", "a.txt", anchors["a changed by somebody"] as string, "x"]),
  unseen: (site) => refused(site, "a.txt", ["edit", "a.txt", anchors[shown[36] as string] as string, "x"]),
  unread: (site) =>
    refused(site, "never.txt", ["edit", "never.txt", anchors["n line 6 of 10"] as string, "x"]),
  undo: (site) => kedge(site, "mine", "undo"),
  "undo all": (site) => kedge(site, "mine", "undo", "--last", "9", "--anyone"),
  restore: async (site) => {
    await kedge(site, "mine", "lost");
    await kedge(site, "mine", "restore", "--all");
  },
  log: async (site) => {
    for (const argv of [["log"], ["log", "--json"], ["stats"], ["session", "list"]])
      await kedge(site, "mine", ...argv);
  },
  read: async (site) => {
    await kedge(site, "fourth", "read", "b.txt");
    await kedge(site, "fourth", "read", "b.txt", "--delta");
  },
  guard: async (site) => {
    const path = (name: string): string => join(site.project, name);
    const edit = (name: string, old: string) =>
      driver.call({ do: "edit", path: path(name), edits: [{ old, new: "x" }] }, who(site)).before;
    expect((await guard(site, edit("never.txt", "n line 3 of 10"))).deny).toContain("was not read");
    await guard(site, edit("b.txt", "b line 21 of 30"));
    await guard(site, driver.begin(who(site)));
  },
};

/** Reading again is enough. */
async function works(site: Site): Promise<void> {
  const { out } = await kedge(site, "mine", "read", "never.txt");
  const { status } = await kedge(
    site,
    "mine",
    "edit",
    "never.txt",
    anchorOf(out, "n line 2 of 10"),
    "n line 3 of 10",
  );
  expect(status, "an edit after reading").toBe(0);
  await guard(site, driver.begin(who(site)));
}
