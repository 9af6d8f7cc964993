import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Place } from "../cli/support.js";

const listing = "1#0f0dd9|foo\n";

function codeIn(place: Place): string[] {
  return readdirSync(join(place.state, "code")).map((name) => join(place.state, "code", name));
}

describe("machine code from an earlier run", () => {
  test("is kept for each frequent command, where only its user can read it, and used again", () => {
    const place = new Place({ "a.txt": "foo\n" });
    expect(place.ok("read", "a.txt")).toBe(listing);
    const [code] = codeIn(place) as [string];
    if (process.platform !== "win32") expect(statSync(code).mode & 0o777).toBe(0o600);
    const before = statSync(code).mtimeMs;
    expect(place.ok("read", "a.txt")).toBe(listing);
    expect(statSync(code).mtimeMs).toBe(before);
    place.ok("--version");
    place.ok("grep", "foo");
    expect(codeIn(place)).toHaveLength(3);
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ["empty", () => Buffer.alloc(0)],
    ["cut off", (bytes) => bytes.subarray(0, bytes.length / 2)],
    ["something else", () => Buffer.from("not machine code, but long enough to be looked at by somebody")],
    ["of another machine", (bytes) => Buffer.concat([Buffer.alloc(32, 7), bytes.subarray(32)])],
  ])("that is %s is not taken, and replaced", (_, damage) => {
    const place = new Place({ "a.txt": "foo\n" });
    place.ok("read", "a.txt");
    const [code] = codeIn(place) as [string];
    const good = readFileSync(code);
    writeFileSync(code, damage(good));
    expect(place.run(["read", "a.txt"])).toEqual({ status: 0, stdout: listing, stderr: "" });
    expect(statSync(code).size).toBeGreaterThan(good.length / 2);
  });

  test("is missed by nobody where it cannot be kept", () => {
    const place = new Place({ "a.txt": "foo\n" });
    place.ok("read", "a.txt", "--stateless");
    writeFileSync(join(place.scratch, "file"), "");
    const env = { KEDGE_STATE: join(place.scratch, "file", "state"), TMPDIR: join(place.scratch, "none") };
    expect(place.run(["--version"], { env }).status).toBe(0);
  });
});
