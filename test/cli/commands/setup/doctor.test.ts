import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { four, jsonLines, Place, reader } from "../../support.js";

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly found: string;
  readonly advice?: string;
}

const wrong = (text: string) => jsonLines<Finding>(text).filter(({ ok }) => !ok);

describe("kedge doctor", () => {
  test("all is well: 0", () => {
    const place = new Place();
    const { status, stdout, stderr } = place.run(["doctor"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    for (const check of [
      "Node",
      "configuration",
      "state folder",
      "record",
      "locks",
      "search",
      "caller",
      "clients",
      "self-test",
    ])
      expect(stdout).toMatch(new RegExp(`^ok  ${check} `, "m"));
    expect(stdout).toMatch(/\nall is well\n$/);
    const findings = jsonLines<Finding>(place.ok("doctor", "--json"));
    expect(findings.map(({ check }) => check)).toContain("self-test");
  });

  test("a configuration that is wrong: 1, and what it is", () => {
    const place = new Place({ ".kedge.json": '{"gate":"open"}' });
    const { status, stdout } = place.run(["doctor", "--json"]);
    expect(status).toBe(1);
    expect(wrong(stdout)).toEqual([
      expect.objectContaining({ check: "configuration", found: expect.stringContaining("gate") }),
    ]);
  });

  test("a state folder that others can read, with damaged files: 1, and what to do", () => {
    const place = new Place();
    mkdirSync(join(place.state, "damaged"), { recursive: true });
    writeFileSync(join(place.state, "damaged", "x"), "");
    chmodSync(place.state, 0o755);
    const { status, stdout } = place.run(["doctor", "--json"]);
    expect(status).toBe(1);
    expect(wrong(stdout).map((finding) => finding.found)).toContain(
      `1 damaged file was put aside in ${place.state}/damaged`,
    );
    const advice = wrong(stdout).map((finding) => finding.advice);
    expect(advice).toContainEqual(expect.stringContaining("delete that folder"));
    if (process.platform !== "win32") expect(advice).toContain(`chmod 700 ${place.state}`);
  });

  test("a journal and records that cannot be read: 1, what that means, and nothing is put aside", async () => {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    await place.before(["edit", "a.txt", at(1), "ONE"]);
    const below = (folder: string) => join(folder, readdirSync(folder)[0] as string);
    const folder = below(join(place.state, "v2"));
    const ledger = readdirSync(below(join(folder, "files"))).find((name) => name.endsWith(".json")) as string;
    const file = join(below(join(folder, "files")), ledger);
    appendFileSync(below(join(folder, "journal")), '{"id":\n{"id":"cut o');
    expect(wrong(place.run(["doctor", "--json"]).stdout).map(({ found }) => found)).toEqual([
      "1 line of this workspace's journal cannot be read",
    ]);
    writeFileSync(file, "{");
    const { status, stdout } = place.run(["doctor", "--json"]);
    expect(status).toBe(1);
    expect(wrong(stdout)).toEqual([
      expect.objectContaining({
        check: "record",
        found: "1 line of this workspace's journal cannot be read",
      }),
      expect.objectContaining({ check: "record", found: "1 record of this workspace cannot be read" }),
    ]);
    expect(readFileSync(file, "utf8")).toBe("{");
  });

  test("a lock whose holder is silent: 1, and who it is", () => {
    const place = new Place();
    const lock = join(place.state, "locks", "someone");
    mkdirSync(join(place.state, "locks"), { recursive: true, mode: 0o700 });
    writeFileSync(lock, JSON.stringify({ path: "/work/a.ts", pid: 4711, host: "far-away", token: "t" }));
    utimesSync(lock, Date.now() / 1000 - 60, Date.now() / 1000 - 60);
    chmodSync(place.state, 0o700);
    const { status, stdout } = place.run(["doctor"]);
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /^!! {2}locks +\/work\/a\.ts is held by process 4711 on far-away, silent for \d+ s/m,
    );
    expect(stdout).toMatch(/\nnot all is well: see above\n$/);
  });
});
