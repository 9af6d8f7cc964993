import { once } from "node:events";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { four, jsonLines, Place } from "../../support.js";

describe("kedge read", () => {
  test("prints rows with anchors, and nothing else", () => {
    const place = new Place({ "a.txt": "foo\n}\n" });
    expect(place.run(["read", "a.txt"])).toEqual({
      status: 0,
      stdout: "1#0f0dd9|foo\n2#44bb18|}\n",
      stderr: "",
    });
  });

  test("prints anchors in every scheme", () => {
    const place = new Place({ "a.txt": "foo\n" });
    expect(place.ok("read", "a.txt", "--anchors", "hex4")).toBe("1#9e91|foo\n");
    expect(place.ok("read", "a.txt", "--anchors", "lean")).toMatch(/^[a-z]{3}1\tfoo\n$/);
    expect(place.ok("read", "a.txt", "--anchors", "none")).toBe("1\tfoo\n");
  });

  test.each<[string[], string, string]>([
    [["--start", "2", "--end", "3"], "2 3", "kedge: 2 of 4 lines; next: --start 4\n"],
    [["--start", "4"], "4", "kedge: 1 of 4 lines\n"],
    [["--ranges", "1,3-"], "1 3 4", "kedge: line 2 not shown\n"],
  ])("prints the rows of %j alone, and on stderr what they leave out", (args, lines, stderr) => {
    const place = new Place({ "a.txt": four });
    const all = place.ok("read", "a.txt").split("\n");
    const rows = lines.split(" ").map((line) => `${all[Number(line) - 1]}\n`);
    expect(place.run(["read", "a.txt", ...args])).toEqual({ status: 0, stdout: rows.join(""), stderr });
  });

  test.each<[string, string]>([
    ["a.txt:2-3", "2 3"],
    ["a.txt:2", "2"],
    ["a.txt:3-", "3 4"],
    ["a.txt:1,3-4", "1 3 4"],
    ["./a.txt:2:", "2"],
  ])("takes the lines from a name like %s", (name, lines) => {
    const place = new Place({ "a.txt": four });
    const rows = place.ok("read", name).trimEnd().split("\n");
    expect(rows.map((row) => row.split("#")[0]).join(" ")).toBe(lines);
  });

  test("takes a file of that very name before the lines of another one", () => {
    const place = new Place({ "a.txt": four, "a.txt:2": "foo\n" });
    expect(place.ok("read", "a.txt:2")).toBe("1#0f0dd9|foo\n");
    expect(place.run(["read", "a.txt:9-2"]).stderr).toContain("the range 9-2 ends before it begins");
    expect(place.run(["read", "a.txt:3", "--end", "4"])).toMatchObject({ status: 2, stdout: "" });
  });

  test("takes several files, each below its name, and says which it cannot read", () => {
    const place = new Place({ "a.txt": four, "b.txt": "foo\n", "c\u001b[2J.txt": "}\n" });
    expect(place.run(["read", "b.txt", "none.txt", "a.txt:2", "c\u001b[2J.txt"])).toEqual({
      status: 1,
      stdout: "b.txt\n1#0f0dd9|foo\na.txt\n2#d7e2f4|two\nc\\u001b[2J.txt\n1#44bb18|}\n",
      stderr: "kedge: none.txt does not exist\nCheck the path.\nkedge: a.txt: 1 of 4 lines\n",
    });
    expect(jsonLines(place.ok("read", "b.txt", "a.txt", "--json")).map(({ path }) => path)).toEqual([
      "b.txt",
      "a.txt",
    ]);
    expect(place.run(["edit", "a.txt", "2#d7e2f4", "TWO"]).status).toBe(0);
    expect(place.run(["read", "a.txt", "-"], { input: "x" }).status).toBe(2);
  });

  test("prints at most 2,000 lines unless asked for more", () => {
    const place = new Place({ "a.txt": "x\n".repeat(2500) });
    const { stdout, stderr } = place.run(["read", "a.txt"]);
    expect(stdout.trimEnd().split("\n")).toHaveLength(2000);
    expect(stderr).toBe("kedge: 2000 of 2500 lines; next: --start 2001\n");
    expect(place.ok("read", "a.txt", "--end", "2500").trimEnd().split("\n")).toHaveLength(2500);
  });

  test("prints the details as JSON", () => {
    const place = new Place({ "a.txt": "foo\n" });
    expect(jsonLines(place.ok("read", "a.txt", "--json"))).toEqual([
      {
        path: "a.txt",
        version: expect.stringMatching(/^[0-9a-f]{16}$/),
        scheme: "hex6",
        totalLines: 1,
        rows: [{ line: 1, anchor: "1#0f0dd9", text: "foo" }],
      },
    ]);
  });

  test("prints only what others changed, if asked to", () => {
    const place = new Place({ "a.txt": four });
    place.ok("read", "a.txt");
    expect(place.ok("read", "a.txt", "--delta")).toBe("[nothing changed]\n");
    place.put("a.txt", "one\ntwo\nTHREE\nfour\n");
    expect(place.ok("read", "a.txt", "--delta")).toMatch(/^3#[0-9a-f]{6}\|THREE\n$/);
    expect(place.ok("read", "a.txt", "--delta")).toBe("[nothing changed]\n");
    place.put("a.txt", "one\nTHREE\nfour\n");
    const [told] = jsonLines(place.ok("read", "a.txt", "--delta", "--json"));
    expect(told).toMatchObject({ rows: [], deletions: [{ after: 1, count: 1 }] });
  });

  test("an empty file, and one without a final newline", () => {
    const place = new Place({ "empty.txt": "", "open.txt": "foo" });
    expect(place.run(["read", "empty.txt"])).toEqual({
      status: 0,
      stdout: "",
      stderr: "kedge: empty file\n",
    });
    expect(place.ok("read", "open.txt")).toBe("1#0f0dd9|foo\n");
  });

  test("a huge line is cut, and read whole when asked for alone", () => {
    const place = new Place({ "a.txt": `short\n${"x".repeat(50_000)}\nend\n` });
    const listed = place.ok("read", "a.txt").split("\n");
    expect(listed[1]?.length).toBeLessThan(2200);
    const alone = place.ok("read", "a.txt", "--ranges", "2");
    expect(alone).toContain("x".repeat(50_000));
  });

  test("paths are named as they were asked for, from the working directory", () => {
    const place = new Place({ "sub/a.txt": "foo\n" });
    const ask = (path: string, cwd: string) =>
      (jsonLines(place.run(["read", path, "--json"], { cwd }).stdout)[0] as { path: string }).path;
    expect(ask("a.txt", "sub")).toBe("a.txt");
    expect(ask("./sub/../sub/a.txt", ".")).toBe("./sub/../sub/a.txt");
    expect(ask(place.path("sub/a.txt"), ".")).toBe(place.path("sub/a.txt"));
  });

  test("a name that begins with a dash", () => {
    const place = new Place({ "-a.txt": "foo\n" });
    expect(place.run(["read", "--", "-a.txt"]).stdout).toBe("1#0f0dd9|foo\n");
  });
});

describe("kedge read refuses, on stderr", () => {
  test.each<[string, string[], number, string]>([
    ["a file that is not there", ["none.txt"], 1, "none.txt does not exist"],
    ["a folder", ["folder"], 1, "kedge: folder is a folder; name a file in it\n"],
    ["a binary file", ["binary"], 1, "binary is binary: 4 bytes"],
    ["an absurd range", ["a.txt", "--ranges", "5-2"], 2, "the range 5-2 ends before it begins"],
    ["no range at all", ["a.txt", "--ranges", "x"], 2, "lines are like 10-20,40-50"],
    ["an end before the start", ["a.txt", "--start", "3", "--end", "2"], 2, "--end 2 lies before --start 3"],
    ["two ways of choosing", ["a.txt", "--start", "3", "--ranges", "1"], 2, "exclude each other"],
    ["a delta of what was never read", ["a.txt", "--delta"], 4, "was not read in this session"],
    ["a delta without a record", ["a.txt", "--delta", "--stateless"], 2, "--delta needs the record, and"],
    ["a root below a file", ["a.txt", "--root", "a.txt/x"], 2, "is not a folder"],
    ["what is outside the root", ["../secret.txt", "--root", "."], 4, "outside"],
    ["what is denied", [".git/config"], 4, "deny pattern"],
  ])("%s", (_, args, status, message) => {
    const place = new Place({ "a.txt": four, ".git/config": "x", binary: new Uint8Array([1, 0, 2, 3]) });
    mkdirSync(place.path("folder"));
    place.put("../secret.txt", "x\n");
    const ran = place.run(["read", ...args]);
    expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status, stdout: "" });
    expect(ran.stderr).toContain(message);
  });

  test.skipIf(process.platform === "win32")("a file without permission", () => {
    const place = new Place({ "a.txt": "foo\n" });
    chmodSync(place.path("a.txt"), 0o000);
    const { status, stderr } = place.run(["read", "a.txt"], { unprivileged: true });
    expect([status, stderr]).toEqual([1, expect.stringContaining("permission")]);
  });

  test("a loop of links", () => {
    const place = new Place();
    symlinkSync("b.txt", place.path("a.txt"));
    symlinkSync("a.txt", place.path("b.txt"));
    expect(place.run(["read", "a.txt"]).status).toBe(1);
  });

  test("and prints the details on stdout with --json", () => {
    const place = new Place();
    const { status, stdout, stderr } = place.run(["read", "none.txt", "--json"]);
    expect(status).toBe(1);
    expect(jsonLines(stdout)).toEqual([expect.objectContaining({ status: "refused", code: "not_found" })]);
    expect(stderr).toBe("kedge: none.txt does not exist\nCheck the path.\n");
  });
});

describe("kedge read -", () => {
  test("lists stdin and records nothing", () => {
    const place = new Place();
    const { status, stdout } = place.run(["read", "-"], { input: "foo\n}" });
    expect([status, stdout]).toEqual([0, "1#0f0dd9|foo\n2#44bb18|}\n"]);
    const [read] = jsonLines<{ rows: unknown[] }>(
      place.run(["read", "-", "--json"], { input: "foo\n" }).stdout,
    );
    expect(read?.rows).toEqual([{ line: 1, anchor: "1#0f0dd9", text: "foo" }]);
    expect(place.run(["read", "-", "--start", "2"], { input: "x" }).status).toBe(2);
  });

  test("says on stderr that there is nothing", () => {
    const { stdout, stderr } = new Place().run(["read", "-"]);
    expect([stdout, stderr]).toEqual(["", "kedge: empty file\n"]);
  });

  test.skipIf(process.platform === "win32")(
    "is over at Ctrl-C, like a hook that waits for its event",
    async () => {
      const place = new Place();
      for (const args of [
        ["read", "-"],
        ["hook", "claude-code"],
      ]) {
        const child = place.start(args);
        const over = once(child, "exit");
        child.stdin.write("x");
        // Nothing tells from outside that it listens: asked again, until it is over.
        const asking = setInterval(() => child.kill("SIGINT"), 200);
        const [status, signal] = await over;
        clearInterval(asking);
        expect(status ?? signal).toEqual(signal ? "SIGINT" : 130);
      }
    },
  );

  test("a long one in pieces gives the same rows", () => {
    const place = new Place({ "a.txt": "some line of text\n".repeat(20_000) });
    const { stdout } = place.run(["read", "-"], { input: place.text("a.txt") });
    expect(stdout).toBe(place.ok("read", "a.txt", "--end", "20000"));
  });
});

describe("encodings", () => {
  test("a legacy file is shown by detection or by name", () => {
    const text = "Das Mädchen trägt grüne Schuhe, die größer sind als üblich.\n".repeat(4);
    const place = new Place({ "a.txt": Buffer.from(text, "latin1") });
    expect(place.ok("read", "a.txt")).toContain("Mädchen");
    expect(place.ok("read", "a.txt", "--encoding", "windows-1252")).toContain("größer");
  });

  test("an unknown one is refused", () => {
    const place = new Place({ "a.txt": Buffer.from("gr\u00fcn\n", "latin1") });
    const { status, stderr } = place.run(["read", "a.txt", "--encoding", "klingon"]);
    expect([status, stderr]).toEqual([2, expect.stringContaining("klingon is not known")]);
  });
});
