import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { makeStream, tableText } from "../../../src/cli/print/output.js";
import { nodeFiles } from "../../../src/node.js";
import { four, jsonLines, Place, reader } from "../support.js";

/** Runs the body while somebody else holds a.txt. */
async function holding(place: Place, body: () => Promise<void>): Promise<void> {
  const files = nodeFiles({ roots: [place.folder], state: place.state });
  await files.hold([await files.identify("a.txt")], body);
}

const ended = (child: ReturnType<Place["start"]>) =>
  new Promise<number | null>((resolve) => child.on("exit", (status) => resolve(status)));

/** Starts a program, and waits until it has taken over what happens on Ctrl-C, and a moment longer. */
async function listening(place: Place, args: readonly string[]): Promise<ReturnType<Place["start"]>> {
  const [sign, script] = ["listens", "watch.cjs"].map((name) => join(place.scratch, name)) as [
    string,
    string,
  ];
  const tell = `require("node:fs").writeFileSync(${JSON.stringify(sign)}, "")`;
  writeFileSync(script, `process.on("newListener", (name) => name === "SIGINT" && ${tell});`);
  const child = place.start(args, { env: { NODE_OPTIONS: `--require ${JSON.stringify(script)}` } });
  while (!existsSync(sign)) await sleep(20);
  await sleep(200);
  return child;
}

describe("colour", () => {
  test("is left out where nobody looks, and with NO_COLOR", async () => {
    const place = new Place({ "a.txt": four });
    const forced = { FORCE_COLOR: "1" };
    expect(place.ok("read", "a.txt")).not.toContain("\x1b");
    expect(place.run(["read", "a.txt"], { env: forced }).stdout).toContain("\x1b[36m1#bf5260\x1b[39m");
    expect(place.run(["read", "a.txt"], { env: { ...forced, NO_COLOR: "1" } }).stdout).not.toContain("\x1b");
    expect(place.run(["edit", "a.txt", "9#000000", "x"], { env: forced }).stderr).toContain("\x1b[31m");
  });
});

describe.skipIf(process.platform === "win32")("a closed pipe", () => {
  test("is no error, and nobody hears of it", () => {
    const place = new Place({ "a.txt": "some text\n".repeat(200_000) });
    for (const command of [
      "kedge read a.txt --end 200000",
      "kedge read - < a.txt",
      "kedge grep some --max 99999",
    ]) {
      const script = `set -o pipefail; ${command} | head -n 1; echo "status $?"`;
      const { stdout, stderr } = place.shell(script, { shell: "bash" });
      expect(stderr).toBe("");
      expect(stdout).toMatch(/some text|a\.txt/);
      expect(stdout).toMatch(/status 0\n$/);
    }
  });

  test("an edit is made, whether or not anybody reads about it", async () => {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    place.shell(`kedge edit a.txt '${at(1)}' ONE | true`);
    expect(place.text("a.txt")).toBe("ONE\ntwo\nthree\nfour\n");
  });
});

describe("busy: status 6", () => {
  test("names who holds the file", async () => {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    await holding(place, async () => {
      const { status, stdout, stderr } = place.run(["edit", "a.txt", at(1), "x"], {
        env: { KEDGE_LIMITS: "wait=200" },
      });
      expect({ status, stdout }).toEqual({ status: 6, stdout: "" });
      expect(stderr).toContain(`a.txt is held by process ${process.pid}`);
    });
    expect(place.run(["edit", "a.txt", at(1), "x"]).status).toBe(0);
  });
});

describe.skipIf(process.platform === "win32")("interrupted: status 130", () => {
  test("while it waits for stdin", async () => {
    const place = new Place();
    const child = await listening(place, ["write", "a.txt"]);
    child.kill("SIGINT");
    expect(await ended(child)).toBe(130);
    expect(readdirSync(place.folder)).toEqual([]);
  });

  test("in the demo: its folder is gone, too", async () => {
    const place = new Place();
    const child = place.start(["demo"], { env: { TMPDIR: place.folder } });
    while (readdirSync(place.folder).length === 0) await sleep(20);
    child.kill("SIGINT");
    expect(await ended(child)).toBe(130);
    expect(readdirSync(place.folder)).toEqual([]);
  });

  test("while a pattern runs wild", async () => {
    const place = new Place({ "a.txt": `${"x".repeat(40)}!\n` });
    const child = await listening(place, ["grep", "(x+x+)+y", "a.txt"]);
    let stderr = "";
    child.stderr?.on("data", (chunk) => {
      stderr += chunk;
    });
    await sleep(700);
    child.kill("SIGINT");
    expect(await ended(child)).toBe(130);
    expect(stderr).toBe("");
  });

  test("while it waits for a file", async () => {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    await holding(place, async () => {
      const child = await listening(place, ["edit", "a.txt", at(1), "x"]);
      child.kill("SIGINT");
      expect(await ended(child)).toBe(130);
    });
    expect(place.text("a.txt")).toBe(four);
    expect(readdirSync(place.folder)).toEqual(["a.txt"]);
    expect(place.locks()).toEqual([]);
  });
});

describe.skipIf(process.platform !== "linux")("a full disk behind stdout", () => {
  test("is a failure, and said: 1", () => {
    const place = new Place({ "a.txt": four });
    for (const flags of ["", "--json"]) {
      const { status, stderr } = place.shell(`kedge read a.txt ${flags} > /dev/full`);
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/^kedge: cannot write the output: ENOSPC.*\n$/),
      ]);
    }
  });

  test("a working directory that is gone: 1", () => {
    const { status, stderr } = new Place().shell("mkdir x; cd x; rmdir ../x; kedge read a.txt");
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/kedge: the working directory does not exist any more\n$/),
    ]);
  });
});

test("errors are JSON, too, with --json", () => {
  const place = new Place();
  const said = (...args: string[]) => jsonLines(place.run([...args, "--json"]).stdout);
  expect(said("raed")).toEqual([
    { status: "failed", code: "bad_request", message: 'there is no command "raed"' },
  ]);
  expect(said("apply", "none.json")).toEqual([expect.objectContaining({ status: "failed", code: "io" })]);
});

describe("configuration", () => {
  test("a wrong key is named, with the file it is in: 2", () => {
    const place = new Place({ "a.txt": four, ".kedge.json": '{"gaet":"off"}' });
    const { status, stderr } = place.run(["read", "a.txt"]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/\.kedge\.json: there is no key "gaet"/)]);
  });

  test("a state folder that depends on the caller's is refused, and not made: 2", () => {
    const place = new Place({ "a.txt": four });
    const { status, stderr } = place.run(["read", "a.txt"], { env: { KEDGE_STATE: "state" } });
    expect(status).toBe(2);
    expect(stderr).toContain('KEDGE_STATE has to be an absolute path; it is "state"');
    expect(existsSync(place.path("state"))).toBe(false);
    const checked = place.run(["doctor"], { env: { KEDGE_STATE: "state" } });
    expect(checked.status).toBe(1);
    expect(checked.stdout).toContain("!!  state folder   KEDGE_STATE has to be an absolute path");
  });
  test("flags come before the environment, that before the file", () => {
    const place = new Place({ "a.txt": "foo\n", ".kedge.json": '{"anchors":"hex4"}' });
    expect(place.ok("read", "a.txt")).toBe("1#9e91|foo\n");
    expect(place.run(["read", "a.txt"], { env: { KEDGE_ANCHORS: "none" } }).stdout).toBe("1\tfoo\n");
    const both = place.run(["read", "a.txt", "--anchors", "hex6"], { env: { KEDGE_ANCHORS: "none" } });
    expect(both.stdout).toBe("1#0f0dd9|foo\n");
    expect(place.run(["read", "-"], { input: "foo" }).stdout).toBe("1#9e91|foo\n");
  });

  test("one ledger for a file, from wherever it is named", async () => {
    const place = new Place({ "repo/a.txt": four, "repo/.git/HEAD": "ref: x\n" });
    mkdirSync(place.path("elsewhere"));
    const listing = place.run(["read", "../repo/a.txt"], { cwd: "elsewhere" }).stdout;
    const anchor = listing.split("|")[0] as string;
    expect(place.run(["edit", "a.txt", anchor, "x"], { cwd: "repo" }).status).toBe(0);
  });

  test.each([["read", "a.txt"], ["mcp"]])("a root that is no folder: 2, by %s", (...command) => {
    const place = new Place({ "a.txt": four });
    for (const root of ["none", "a.txt"]) {
      const { status, stderr } = place.run([...command, "--root", root]);
      expect([status, stderr]).toEqual([2, expect.stringContaining(`${root} is not a folder`)]);
    }
  });

  test("roots hold for writing, too: 4", () => {
    const place = new Place({ "inside/a.txt": four, "b.txt": four });
    const { status } = place.run(["write", "new.txt", "--root", "inside"], { input: "x" });
    expect(status).toBe(4);
    expect(readdirSync(place.folder)).toEqual(["b.txt", "inside"]);
    expect(place.run(["write", "inside/new.txt", "--root", "inside"], { input: "x" }).status).toBe(0);
  });
});

test("without anything that tells who calls, a refusal names --session", () => {
  const place = new Place({ "a.txt": four });
  const { status, stderr } = place.run(["edit", "a.txt", "1#bf5260", "x"], { env: { KEDGE_SESSION: "" } });
  expect(status).toBe(4);
  if (process.platform === "linux") expect(stderr).not.toContain("nothing tells who is calling");
});

describe("a table", () => {
  const stream = (columns: number, isTerminal = true) =>
    makeStream({ env: { NO_COLOR: "1" }, write: () => {}, isTerminal, columns });
  const columns = [
    { title: "path", shrinks: "start" as const },
    { title: "n", right: true },
  ];
  const rows = [["src/some/long/path.ts", "7"]];

  test("gives way on a narrow terminal, and only there", () => {
    expect(tableText(columns, rows, stream(80))).toEqual([
      "path                   n",
      "src/some/long/path.ts  7",
    ]);
    expect(tableText(columns, rows, stream(15))).toEqual(["path          n", "…ong/path.ts  7"]);
    expect(tableText(columns, rows, stream(16, false))[1]).toBe("src/some/long/path.ts  7");
    const many = Array.from({ length: 300_000 }, () => rows[0] as string[]);
    expect(tableText(columns, many, stream(16, false))).toHaveLength(300_001);
  });
});
