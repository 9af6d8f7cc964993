/** Only the person may loosen the guard: no file of a project, no variable that its client settings set, no agent. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { jsonLines, Place } from "../cli/support.js";
import { drivers } from "../guard/drivers/index.js";
import { Stage } from "../guard/stage.js";

const source = `${Array.from({ length: 12 }, (_, at) => `line ${at + 1}`).join("\n")}\n`;
const edit = { old: "line 3", new: "mine" };
const user = "../home/config/kedge/config.json";

/** What a project would like to have. */
const wishes: readonly (readonly [string, object, RegExp])[] = [
  ["the gate off", { gate: "off" }, /asks in vain for gate "off"/],
  ["a laxer gate", { gate: "file" }, /asks in vain for gate "file"/],
  ["files too large to look at", { limits: { size: 1 } }, /asks in vain for limits\.size 1/],
  ["no wait", { limits: { wait: 1 } }, /asks in vain for limits\.wait 1/],
  ["no record", { limits: { days: 0.00001 } }, /asks in vain for limits\.days/],
  ["no room for a record", { limits: { space: 1 } }, /asks in vain for limits\.space 1/],
  ["no failClosed", { failClosed: false }, /asks in vain for failClosed false/],
  ["relocation", { onStale: "relocate" }, /asks in vain for onStale "relocate"/],
  ["what was shown to be kept", { keepOnFold: true }, /asks in vain for keepOnFold true/],
];

const wrong: readonly (readonly [string, object, RegExp])[] = [
  ["a key that is none", { gat: "off" }, /no key "gat".*left out/],
  ["a pattern that is none", { deny: ["+(a|b)"] }, /deny is \["\+\(a\|b\)"\].*left out/],
];

const strict = { failClosed: true, onStale: "refuse" };

describe.each(drivers.map((driver) => [driver.client, driver] as const))("%s", (_, driver) => {
  test.each(wishes)("a project asks for %s", async (_, wish, told) => {
    const place = new Stage(driver, { "a.js": source, [user]: JSON.stringify(strict) });
    place.put(".kedge.json", JSON.stringify(wish));
    const agent = place.agent();
    const { say } = await agent.begin();
    expect(say).toMatch(told);
    expect((await agent.asksEdit("a.js", edit)).deny).toMatch(/was not read/);
  });

  test.each(wrong)("a project's file with %s", async (_, wish, told) => {
    const place = new Stage(driver, { "a.js": source, ".kedge.json": JSON.stringify(wish) });
    const agent = place.agent();
    expect((await agent.begin()).say).toMatch(told);
    expect((await agent.asksEdit("a.js", edit)).deny).toMatch(/was not read/);
    // What cannot be read is refused where nothing may go unchecked.
    place.put(user, JSON.stringify(strict));
    expect((await agent.asksEdit("a.js", edit)).deny).toMatch(/could not check/);
  });

  test("patterns of a project hold up nobody", async () => {
    const name = `${"a".repeat(200)}.js`;
    const deny = ["**/*a*a*a*a*a*a*a*a*a*a*b", `${"**/a*/".repeat(12)}b`, `{${"a*,".repeat(30)}b}*a*a*a*a*b`];
    const files = { [name]: source, [`${"aa/".repeat(40)}x.js`]: source };
    const place = new Stage(driver, { ...files, ".kedge.json": JSON.stringify({ deny, secrets: deny }) });
    const agent = place.agent();
    for (const path of Object.keys(files)) {
      await agent.read(path);
      expect((await agent.asksEdit(path, edit)).deny).toBeNull();
    }
  });

  test("all wishes at once, and nothing set by the person", async () => {
    const place = new Stage(driver, { "a.js": source });
    const all = Object.assign({}, ...wishes.map(([, wish]) => wish), {
      limits: { size: 1, wait: 1, space: 1 },
    });
    place.put(".kedge.json", JSON.stringify({ ...all, failClosed: undefined }));
    const agent = place.agent();
    expect((await agent.begin()).say).toMatch(/guarding.*only your own configuration may loosen the guard/);
    expect((await agent.asksEdit("a.js", edit)).deny).toContain("was not read");
    await agent.read("a.js");
    expect(await agent.edit("a.js", edit)).toMatchObject({ deny: null, failed: null });
    place.put("a.js", source);
    expect((await agent.shell("git checkout -- a.js")).tell).toContain("took away 1 edit");
  });

  test("the same in the environment", async () => {
    const env = {
      ...{ KEDGE_GATE: "off", KEDGE_LIMITS: "size=1,wait=1,space=1", KEDGE_FAIL_CLOSED: "0" },
      ...{
        KEDGE_ON_STALE: "relocate",
        KEDGE_KEEP_ON_FOLD: "1",
        KEDGE_DENY: "!x",
        KEDGE_ENCODING: "no, none",
      },
    };
    const place = new Stage(driver, { "a.js": source, [user]: JSON.stringify(strict) }, { env });
    const agent = place.agent();
    const { say } = await agent.begin();
    for (const key of ["gate", "limits.size", "failClosed", "onStale", "keepOnFold", "deny"])
      expect(say).toContain(`environment asks in vain for ${key}`);
    expect(say).toContain("KEDGE_ENCODING");
    expect((await agent.asksEdit("a.js", edit)).deny).toContain("was not read");
  });

  test("what is stricter counts, silently", async () => {
    const place = new Stage(driver, { "a.js": source, "b.js": source });
    place.put(
      ".kedge.json",
      JSON.stringify({ deny: ["b.js"], failClosed: true, gate: "lines", onStale: "refuse" }),
    );
    const agent = place.agent();
    // What goes on record for the first time is said behind it.
    expect((await agent.begin()).say?.split(". ")[0]).toBe("kedge: guarding");
    await agent.read("a.js");
    expect((await agent.asksEdit("a.js", edit)).deny).toBeNull();
    expect((await agent.asksEdit("b.js", edit)).deny).toContain("deny pattern b.js");
  });

  test("what a project keeps out of the record is said", async () => {
    const place = new Stage(driver, { "a.js": source, ".kedge.json": '{"secrets":["**/*.js"]}' });
    expect((await place.agent().begin()).say).toMatch(/keeps the text of \*\*\/\*\.js out of the record/);
  });

  test("an agent does not write the file, nor a link to it, nor anywhere below", async () => {
    const place = new Stage(driver, { ".kedge.json": "{\n}\n", "sub/x": "" });
    symlinkSync(place.path(".kedge.json"), place.path("link.json"));
    const agent = place.agent();
    for (const path of [".kedge.json", "link.json"]) {
      await agent.read(path);
      expect((await agent.asksEdit(path, { old: "{", new: '{"gate":"off"' })).deny).toContain(
        "no agent writes it",
      );
    }
    if (driver.client !== "codex")
      for (const path of [".kedge.json", "sub/.kedge.json", "sub/.KEDGE.json"])
        expect((await agent.asksWrite(path, "{}\n")).deny).toContain("no agent writes it");
  });
});

describe("our own tools", () => {
  const wish = '{"gate":"off","onStale":"relocate","keepOnFold":true,"limits":{"size":999999999}}';

  test("a project does not loosen them", () => {
    const place = new Place({ "a.txt": source, ".kedge.json": wish });
    expect(place.run(["edit", "a.txt", "3#000000", "x"]).status).toBe(4);
    expect(place.run(["write", "a.txt"], { input: "x\n" }).status).toBe(4);
    // The person at the command line may.
    expect(place.run(["write", "a.txt", "--gate", "off"], { input: "x\n" }).status).toBe(0);
    expect(
      place.run(["write", "a.txt"], { input: "y\n", env: { KEDGE_GATE: "off", KEDGE_SESSION: "b" } }).status,
    ).toBe(0);
  });

  test("a project makes them stricter", () => {
    const place = new Place({
      "a.txt": source,
      ".kedge.json": '{"limits":{"size":5},"deny":["b.txt"]}',
      "b.txt": "b\n",
    });
    expect(place.run(["read", "a.txt"]).stderr).toContain("the limit is 5");
    expect(place.run(["read", "b.txt"]).stderr).toContain("deny pattern");
  });

  test("they do not write the file", () => {
    const place = new Place({ ".kedge.json": "{}\n", "a.txt": "a\n" });
    const gate = ["--gate", "off"];
    for (const path of [".kedge.json", "sub/.kedge.json"])
      expect(place.run(["write", path, ...gate], { input: "{}" })).toMatchObject({
        stderr: expect.stringContaining("a person changes it"),
      });
    const request = { files: [{ path: "a.txt", edits: [{ op: "move", to: ".kedge.json" }] }] };
    place.run(["apply", "-", ...gate], { input: JSON.stringify(request) });
    expect(place.text(".kedge.json")).toBe("{}\n");
    expect(place.run(["read", ".kedge.json"]).status).toBe(0);
  });

  test("doctor says what was asked in vain, and where a variable is set", () => {
    const place = new Place({
      ".kedge.json": wish,
      ".claude/settings.json": '{"env":{"KEDGE_STATE":"/tmp/x","KEDGE_GATE":"off"}}',
      ".gemini/.env": "KEDGE_FAIL_CLOSED=0\n",
    });
    const { status, stdout } = place.run(["doctor", "--json"]);
    const found = jsonLines<{ check: string; found: string }>(stdout).map((one) => one.found);
    expect(status).toBe(0);
    expect(found).toContainEqual(expect.stringMatching(/asks in vain for gate "off"/));
    expect(found).toContainEqual(expect.stringMatching(/\.claude.settings\.json sets KEDGE_STATE/));
    expect(found).toContainEqual(expect.stringMatching(/\.claude.settings\.json sets KEDGE_GATE/));
    expect(found).toContainEqual(expect.stringMatching(/\.gemini.\.env sets KEDGE_FAIL_CLOSED/));
  });
});

describe("the installed hook", () => {
  const hook = resolve("dist/hook.cjs");
  const start = (place: Place, args: readonly string[], env: Readonly<Record<string, string>>) => {
    const input = JSON.stringify({
      ...{ session_id: "s", cwd: place.folder, hook_event_name: "SessionStart", source: "startup" },
    });
    return spawnSync(process.execPath, [hook, "claude-code", ...args], {
      ...{ cwd: place.folder, encoding: "utf8", input },
      env: { PATH: process.env.PATH ?? "", HOME: join(place.scratch, "home"), ...env },
    });
  };

  test("keeps its record where its command line says, whatever the environment says", () => {
    const place = new Place();
    const elsewhere = place.path("planted");
    mkdirSync(elsewhere);
    expect(
      start(place, ["--state", place.state], { KEDGE_STATE: elsewhere, KEDGE_SESSION: "x" }).stdout,
    ).toContain("guarding");
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(existsSync(join(place.state, "v2"))).toBe(true);
  });

  test("else in the person's own state folder", () => {
    const place = new Place();
    const elsewhere = place.path("planted");
    mkdirSync(elsewhere);
    const env = { KEDGE_STATE: elsewhere, XDG_STATE_HOME: join(place.scratch, "own") };
    expect(start(place, [], env).stdout).toContain("guarding");
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});
