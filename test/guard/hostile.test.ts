/** Whatever comes in, the guard ends in peace: no crash, no refusal that nothing but a failure calls for. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { adapters } from "../../src/guard/index.js";
import { source } from "./contract/source.js";
import { type Driver, folder, moved, type Payload, record } from "./drivers/driver.js";
import { drivers } from "./drivers/index.js";
import { mutants } from "./hostile/mutants.js";
import { Stage, type StageOptions } from "./stage.js";

const seed = Number(process.env.KEDGE_SEED ?? 1);
const limit = { old: "  const limit = 10;", new: "  const limit = 20;" };
/** What a refusal says that has a reason of its own. */
const grounded =
  /was not read in this session|has changed since|needs all of the file|is not in the text that was shown|[Dd]o not retry/;

const staged = (driver: Driver, options: StageOptions = {}): Stage =>
  new Stage(driver, { "a.js": source, "a.txt": "alpha\nbeta\ngamma\n", "b.txt": "one\ntwo\n" }, options);

const before = (place: Stage, path = place.path("a.js")): Payload =>
  place.driver.call({ do: "edit", path, edits: [limit] }, place.agent().who).before ?? {};

function files(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function samples(driver: Driver): Payload[] {
  const [version = ""] = driver.versions;
  return files(join(folder, version)).flatMap((path) => {
    const texts = readFileSync(path, "utf8").split("\n");
    return texts.filter((text) => text.startsWith("{")).map((text) => JSON.parse(text) as Payload);
  });
}

/** Of payloads that are alike two. */
function unlike(payloads: readonly Payload[]): Payload[] {
  const count = new Map<string, number>();
  return payloads.filter((payload) => {
    const { k, i, toolName, hook_event_name, tool_name } = payload;
    const kind = JSON.stringify([k, record(i).tool, toolName, hook_event_name, tool_name]);
    count.set(kind, (count.get(kind) ?? 0) + 1);
    return (count.get(kind) ?? 0) <= 2;
  });
}

/** Through the program that clients start. */
function run(place: Stage, input: string | Uint8Array, env: Record<string, string> = {}): string | null {
  const program = resolve("dist/hook.cjs");
  const { status, stdout, stderr, signal } = spawnSync(
    process.execPath,
    [program, place.driver.client, "--state", place.state],
    {
      ...{ input, env: { ...place.env, ...env }, cwd: place.folder, encoding: "utf8" },
      ...{ maxBuffer: 1 << 28, timeout: 60_000 },
    },
  );
  expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: "" });
  return stdout === "" ? null : stdout;
}

function contract(driver: Driver): void {
  // What does not depend on the client is tried with one.
  const isFirst = driver === drivers[0];
  const letsThrough = (place: Stage, output: string | null, what: string): void => {
    const { deny } = place.driver.reply(output);
    if (deny !== null) expect(deny, what).toMatch(grounded);
  };

  test("every field of every captured payload, replaced by junk", async () => {
    const place = staged(driver);
    const failures: string[] = [];
    let at = seed;
    for (const payload of unlike(samples(driver))) {
      const all = mutants(
        moved({ ...payload, cwd: place.folder, directory: place.folder }, place.folder),
        at,
      );
      at += all.length;
      // Some of each: another run takes others.
      for (const { what, payload: mutant } of all.filter((_, index) => (index + seed) % 3 === 0))
        try {
          letsThrough(place, await place.send(mutant as Payload), what);
        } catch (error) {
          failures.push(`${what}: ${String(error).slice(0, 120)}`);
        }
    }
    expect(failures.slice(0, 20)).toEqual([]);
  });

  test("what is no event at all", async () => {
    const place = staged(driver);
    const whole = JSON.stringify(before(place));
    const inputs = ["{", whole.slice(0, 40), "null", "[]", "7", '"x"', "\0\0", `${whole}${whole}`];
    for (const input of inputs) expect(driver.reply(await place.sendText(input)).deny, input).toBeNull();
    const bytes = [Buffer.from(whole.slice(0, 60)), Buffer.from([0xff, 0xfe, 0x80]), Buffer.from('"}')];
    for (const input of isFirst ? ["", whole.slice(0, -1), Buffer.concat(bytes)] : [whole.slice(0, -1)])
      expect(driver.reply(run(place, input)).deny).toBeNull();
  });

  if (isFirst)
    test("a write of fifty megabytes is let through", () => {
      const place = staged(driver);
      const content = "a line of a large file\n".repeat(2_200_000);
      const write = { do: "write", path: place.path("new.txt"), content } as const;
      expect(run(place, JSON.stringify(driver.call(write, place.agent().who).before))).toBeNull();
    });

  const paths: Readonly<Record<string, string>> = {
    "with NUL": "a\0b.js",
    "with a newline": "a\nb.js",
    empty: "",
    "of a folder": ".",
    "of a folder that is not there": "no/such/folder/a.js",
    "through a file": "a.js/b.js",
    "too long": `${"long/".repeat(2000)}a.js`,
    "of a device": "/dev/zero",
    "of the kernel": "/proc/self/mem",
  };
  for (const [name, path] of Object.entries(paths))
    test(`a path ${name}`, async () => {
      const place = staged(driver);
      const agent = place.agent();
      letsThrough(place, await place.send(before(place, path)), name);
      for (const action of [
        { do: "write", path, content: "x\n" },
        { do: "read", path },
      ] as const)
        expect(["object", "string"]).toContain(typeof (await agent.ask(action)).deny);
    });

  if (driver.can.has("patch"))
    for (const name of ["with NUL", "too long", "through a loop of links"])
      test(`a path ${name} lets no other file of the call through`, async () => {
        const place = staged(driver);
        place.foreign("ln -s loop.js loop.js");
        const hunks = [limit];
        const path = paths[name] ?? "loop.js/x.js";
        const { deny } = await place.agent().ask({
          do: "patch",
          sections: [
            { do: "update", path, hunks },
            { do: "update", path: place.path("a.js"), hunks },
          ],
        });
        expect(deny).toContain("a.js was not read");
      });

  test("a pipe is not waited for", async () => {
    const place = staged(driver);
    place.foreign("mkfifo pipe.js");
    letsThrough(place, await place.send(before(place, place.path("pipe.js"))), "a pipe");
  });

  for (const [name, cwd] of [
    ["is not there", "/no/such/folder"],
    ["is a file", "a.js"],
    ["is relative", "."],
  ] as const)
    test(`a working directory that ${name}`, async () => {
      const place = staged(driver);
      const where = cwd === "a.js" ? place.path(cwd) : cwd;
      const agent = place.agent("one", { cwd: where });
      const { deny } = await agent.asksEdit(place.path("a.js"), limit);
      if (deny !== null) expect(deny).toMatch(grounded);
      expect((await agent.begin()).deny).toBeNull();
    });

  if (isFirst) {
    const begin = (place: Stage): string => JSON.stringify(driver.begin(place.agent().who));
    const blocked = (): Stage => {
      const place = staged(driver);
      writeFileSync(place.state, "a file where a folder should be\n");
      return place;
    };

    test("a state folder that cannot be written: another one is used, and the person is told", () => {
      const place = blocked();
      const TMPDIR = join(place.scratch, "temporary");
      mkdirSync(TMPDIR);
      expect(driver.reply(run(place, begin(place), { TMPDIR })).say).toMatch(/guarding.*kedge doctor/);
      expect(driver.reply(run(place, JSON.stringify(before(place)), { TMPDIR })).deny).toContain(
        "was not read",
      );
    });

    test("no folder for a state at all, where nothing may go through unchecked", () => {
      const place = blocked();
      place.put(".kedge.json", '{"failClosed":true}');
      const env = { TMPDIR: place.state };
      expect(driver.reply(run(place, begin(place), env)).say).toMatch(/Edits are refused/);
      expect(driver.reply(run(place, JSON.stringify(before(place)), env)).deny).toMatch(/could not check/);
    });

    test("a file of another repository whose configuration is broken, and closed", async () => {
      const place = staged(driver);
      place.put("../other/b.js", source);
      place.put("../other/.kedge.json", '{"failClosed":true,"gat":1}');
      place.foreign("git init -q -b main ../other");
      const there = place.path("../other/b.js");
      expect((await place.agent().asksEdit(there, limit)).deny).toMatch(/could not check.*gat/);
    });

    test("no folder for a state at all: edits go through, and the person is told", () => {
      const place = blocked();
      const env = { TMPDIR: place.state };
      expect(driver.reply(run(place, begin(place), env)).say).toMatch(/not guarding.*kedge doctor/);
      expect(driver.reply(run(place, JSON.stringify(before(place)), env)).deny).toBeNull();
      const closed = { ...env, KEDGE_FAIL_CLOSED: "1" };
      expect(driver.reply(run(place, JSON.stringify(before(place)), closed)).deny).toMatch(/could not check/);
    });
  }

  for (const [name, garbage] of [
    ["nothing", ""],
    ["text", "garbage\n{"],
    ["JSON of another kind", '{"version":99,"files":[null],"agents":7}'],
    ["bytes", Buffer.from([0xff, 0x00, 0xfe, 0x80, 0x0a])],
  ] as const)
    test(`a state folder in which every file holds ${name}: reading again is enough`, async () => {
      const place = staged(driver);
      const agent = place.agent();
      await agent.begin();
      await agent.read("a.js");
      await agent.edit("a.js", limit);
      for (const path of files(place.state)) writeFileSync(path, garbage);
      const next = { old: limit.new, new: "  const limit = 30;" };
      letsThrough(place, await place.send(before(place)), "a garbled state");
      await agent.read("a.js");
      expect(await agent.edit("a.js", next)).toMatchObject({ deny: null, failed: null });
    });

  test("a state folder that goes away in the middle", async () => {
    const place = staged(driver);
    const agent = place.agent();
    await agent.read("a.js");
    rmSync(place.state, { recursive: true });
    expect((await agent.edit("a.js", limit)).deny).toContain("was not read");
    await agent.read("a.js");
    expect(await agent.edit("a.js", limit)).toMatchObject({ deny: null, failed: null });
  });

  const broken = '{ "gate": "of", ';
  const user = "../home/config/kedge/config.json";
  test("a broken configuration: edits go through, and the person is told once", async () => {
    const place = staged(driver);
    place.put(user, broken);
    const agent = place.agent();
    expect((await agent.begin()).say).toMatch(/kedge: not guarding: .*config\.json.*kedge doctor/);
    for (let count = 0; count < 3; count++)
      expect(await agent.asksEdit("a.js", limit)).toMatchObject({ deny: null, say: null });
    const subagent = place.agent("one", { subagent: "inner" });
    // Elsewhere a subagent is a conversation.
    if (isFirst) expect((await subagent.asksEdit("a.js", limit)).say).toBeNull();
    // It is taken up again.
    expect((await agent.begin()).say).toBeNull();
    const other = place.agent("two");
    expect((await other.asksEdit("a.js", limit)).say).toContain("kedge doctor");
    expect((await other.begin()).say).toBeNull();
    place.put(user, '{ "gate": "of" }');
    expect((await agent.asksEdit("a.js", limit)).say).toContain("gate is");
    expect(place.log()).toContain("config.json");
  });

  test("a project's broken configuration takes no guard away, and the person is told", async () => {
    const place = staged(driver);
    place.put(".kedge.json", broken);
    const agent = place.agent();
    expect((await agent.begin()).say).toMatch(/kedge: guarding.*\.kedge\.json is not JSON.*left out/);
    expect((await agent.asksEdit("a.js", limit)).deny).toContain("was not read");
  });

  test("a broken configuration, where nothing may go through unchecked", async () => {
    const place = staged(driver, { env: { KEDGE_FAIL_CLOSED: "1" } });
    place.put(".kedge.json", broken);
    const agent = place.agent();
    const { deny } = await agent.edit("a.js", limit);
    expect(deny).toMatch(/could not check.*kedge doctor/s);
    expect(place.text("a.js")).toBe(source);
    expect((await agent.read("a.js")).deny).toBeNull();
    expect((await agent.shell("ls")).deny).toBeNull();
    const again = await place.send(before(place));
    expect(driver.reply(again).deny).toMatch(/could not check/);
    // The configuration of the person says so too.
    if (isFirst)
      expect(driver.reply(run(place, JSON.stringify(before(place)))).deny).toMatch(/could not check/);
  });

  for (const [name, configuration] of [
    ["in a file with a wrong key", { ".kedge.json": '{"failClosed":true,"gat":1}' }],
    ["in a file that is no JSON", { ".kedge.json": '{"failClosed": true, // always\n}' }],
    ["by the person, and the project's file is wrong", { [user]: '{"failClosed":true}', ".kedge.json": "{" }],
    ["by the project, and the person's file is wrong", { ".kedge.json": '{"failClosed":true}', [user]: "{" }],
  ] as const)
    test(`a broken configuration, where nothing may go through unchecked: said ${name}`, async () => {
      const place = staged(driver);
      for (const [path, text] of Object.entries(configuration)) place.put(path, text);
      const agent = place.agent();
      expect((await agent.asksEdit("a.js", limit)).say).toMatch(/not guarding: .*Edits are refused/);
      expect((await place.agent("two").begin()).say).toMatch(/Edits are refused.*kedge doctor/);
      expect((await agent.edit("a.js", limit)).deny).toMatch(/could not check.*\.json.*kedge doctor/s);
      expect(place.text("a.js")).toBe(source);
      expect((await agent.read("a.js")).deny).toBeNull();
      place.put("inner/b.js", source);
      const inside = place.agent("two", { cwd: place.path("inner") });
      expect((await inside.asksEdit(place.path("inner/b.js"), limit)).deny).toMatch(/could not check/);
    });

  test("the log does not grow without end", async () => {
    const place = staged(driver);
    place.put(user, broken);
    mkdirSync(place.state, { recursive: true });
    writeFileSync(join(place.state, "guard.log"), "x".repeat(2 * 1024 * 1024));
    for (let count = 0; count < 3; count++) await place.agent().asksEdit("a.js", limit);
    expect(statSync(join(place.state, "guard.log")).size).toBeLessThan(1024 * 1024);
  });
}

for (const driver of drivers)
  describe.skipIf(!adapters[driver.client])(driver.client, () => contract(driver));
