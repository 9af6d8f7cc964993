import { chmodSync, existsSync, readdirSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { anchorsIn, four, jsonLines, Place, reader } from "../../support.js";

describe("kedge edit", () => {
  test.each<[string, (at: (line: number) => string) => string[], string, string]>([
    ["replaces a line", (at) => [at(2), "TWO"], "", "one\nTWO\nthree\nfour\n"],
    ["by several lines", (at) => [at(2), "a\nb"], "", "one\na\nb\nthree\nfour\n"],
    ["by an empty line", (at) => [at(2), ""], "", "one\n\nthree\nfour\n"],
    ["replaces a range", (at) => [at(2), "x", "--end", at(3)], "", "one\nx\nfour\n"],
    ["inserts after", (at) => [at(2), "x", "--after"], "", "one\ntwo\nx\nthree\nfour\n"],
    ["inserts before", (at) => [at(1), "x", "--before"], "", "x\none\ntwo\nthree\nfour\n"],
    ["deletes a line", (at) => [at(2), "--delete"], "", "one\nthree\nfour\n"],
    ["deletes a range", (at) => [at(1), "--delete", "--end", at(3)], "", "four\n"],
    ["takes stdin by -", (at) => [at(2), "-"], "x\ny\n", "one\nx\ny\nthree\nfour\n"],
    ["takes stdin by --from -", (at) => [at(2), "--from", "-"], "x", "one\nx\nthree\nfour\n"],
    ["takes an empty line from stdin", (at) => [at(2), "-"], "\n", "one\n\nthree\nfour\n"],
    ["takes a file", (at) => [at(2), "--from", "new.txt"], "", "one\nnew 1\nnew 2\nthree\nfour\n"],
    ["text with a dash", (at) => [at(2), "- item"], "", "one\n- item\nthree\nfour\n"],
    ["text like a flag", (at) => ["--", at(2), "--json"], "", "one\n--json\nthree\nfour\n"],
    ["\\n as two characters", (at) => [at(2), "a\\nb"], "", "one\na\\nb\nthree\nfour\n"],
    ["a whole row as anchor", (at) => [`${at(2)}|two`, "TWO"], "", "one\nTWO\nthree\nfour\n"],
  ])("%s", async (_, argsOf, input, expected) => {
    const place = new Place({ "a.txt": four, "new.txt": "new 1\nnew 2\n" });
    const args = argsOf(await reader(place, "a.txt"));
    const [first, ...rest] = args as [string, ...string[]];
    const call = first === "--" ? ["edit", "--", "a.txt", ...rest] : ["edit", "a.txt", ...args];
    const { status, stdout, stderr } = place.run(call, { input });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(place.text("a.txt")).toBe(expected);
    expect(stdout).toMatch(/^a\.txt:? .* keep using the anchors you were shown\n/);
  });

  test("answers with the anchors of what was written", async () => {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    expect(place.ok("edit", "a.txt", at(2), "foo")).toMatch(/^a\.txt [^\n]+\n2#0f0dd9\n$/);
  });

  test("lands where its lines are now", async () => {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    place.put("a.txt", `zero\n${four}`);
    expect(place.ok("edit", "a.txt", at(3), "THREE")).toContain("(relocated)");
    expect(place.text("a.txt")).toBe("zero\none\ntwo\nTHREE\nfour\n");
  });

  test("prints with --dry-run the diff and writes nothing", async () => {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    const { status, stdout } = place.run(["edit", "a.txt", at(2), "TWO", "--dry-run"]);
    expect(status).toBe(0);
    expect(stdout).toContain("Dry run: nothing was written.");
    expect(stdout).toContain("@@ -1,4 +1,4 @@\n one\n-two\n+TWO\n three\n four\n");
    expect(place.text("a.txt")).toBe(four);
  });

  test("prints the details with --json", async () => {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    const [details] = jsonLines(place.ok("edit", "a.txt", at(2), "TWO", "--json"));
    expect(details).toMatchObject({
      status: "applied",
      path: "a.txt",
      edits: [{ index: 0, op: "set_line", status: "exact" }],
      firstChangedLine: 2,
      changedRanges: [{ start: 2, end: 2 }],
      warnings: [],
      diff: expect.stringContaining("+TWO"),
      id: expect.any(String),
    });
  });

  test("prints with --json all rows that count as shown, those that others changed too", async () => {
    const place = new Place({ "a.txt": `${four}five\nsix\n` });
    const at = await reader(place, "a.txt");
    place.put("a.txt", `ONE\ntwo\nthree\nfour\nfive\n`);
    const [details] = jsonLines(place.ok("edit", "a.txt", at(3), "3", "--json"));
    expect(details).toMatchObject({ text: expect.stringMatching(/\|ONE$/m) });
    expect(details).toMatchObject({ text: expect.stringContaining("deleted after line 5") });
    expect(place.ok("read", "a.txt", "--delta")).toContain("[nothing changed]");
  });

  test("keeps bytes, terminators and mode of what it does not touch", async () => {
    const bytes = "\ufeffone\r\ntwo \nthree\r\nfour";
    const place = new Place({ "a.sh": bytes });
    chmodSync(place.path("a.sh"), 0o755);
    const at = await reader(place, "a.sh");
    place.ok("edit", "a.sh", at(3), "THREE");
    expect(place.text("a.sh")).toBe("\ufeffone\r\ntwo \nTHREE\r\nfour");
    expect(statSync(place.path("a.sh")).mode & 0o777).toBe(0o755);
  });

  test("leaves nothing behind in the workspace", async () => {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    place.ok("edit", "a.txt", at(2), "TWO");
    place.run(["edit", "a.txt", "9#000000", "x"]);
    expect(readdirSync(place.folder)).toEqual(["a.txt"]);
    expect(place.locks()).toEqual([]);
  });
});

describe("kedge edit, wrongly used: status 2", () => {
  test.each<[string, string[], string]>([
    ["no text", ["1#bf5260"], "the new text is missing"],
    ["two texts", ["1#bf5260", "x", "--from", "new.txt"], "given twice"],
    ["two places", ["1#bf5260", "x", "--after", "--before"], "--after and --before exclude each other"],
    ["a range to insert at", ["1#bf5260", "x", "--after", "--end", "2#d7e2f4"], "--end goes with a range"],
    ["a deletion with text", ["1#bf5260", "x", "--delete"], "--delete takes no new text"],
    ["a bare number", ["2", "x"], "2#d7e2f4"],
    ["a placeholder", ["LINE#HASH", "x"], "anchor"],
    ["text that is not UTF-8", ["1#bf5260", "--from", "latin1.txt"], "latin1.txt is not UTF-8 text"],
    ["a pipe without anything in it", ["1#bf5260", "-"], "stdin is empty\n  an empty line is ''"],
    ["an empty file", ["1#bf5260", "--after", "--from", "empty.txt"], "empty.txt is empty"],
  ])("%s", async (_, args, message) => {
    const place = new Place({ "a.txt": four, "new.txt": "x\n", "latin1.txt": Buffer.from([0xfc, 10]) });
    place.put("empty.txt", "");
    await place.before(["read", "a.txt"]);
    const { status, stdout, stderr } = place.run(["edit", "a.txt", ...args]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(place.text("a.txt")).toBe(four);
  });

  test("a file of new text that is not there fails with 1", async () => {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    const { status, stderr } = place.run(["edit", "a.txt", at(1), "--from", "none.txt"]);
    expect([status, stderr]).toEqual([1, "kedge: none.txt does not exist\n"]);
  });
});

describe("the gate: status 4", () => {
  test("a file that was not read", async () => {
    const place = new Place({ "a.txt": four });
    const { status, stdout, stderr } = place.run(["edit", "a.txt", "1#bf5260", "x"]);
    expect({ status, stdout }).toEqual({ status: 4, stdout: "" });
    expect(stderr).toBe(
      "REJECTED, nothing written.\na.txt was not read in this session: run `kedge read a.txt` first\n",
    );
  });

  test("the next call has the flags that it needs", async () => {
    const place = new Place({ "my file.txt": four });
    const { stderr } = place.run(["edit", "my file.txt", "1#bf5260", "x", "--session", "it's me"]);
    expect(stderr).toContain("run `kedge read --session 'it'\\''s me' 'my file.txt'` first");
  });

  test("lines that were not shown; then they are", async () => {
    const place = new Place({ "a.txt": four });
    await place.before(["read", "a.txt", "--ranges", "1"]);
    const { status, stderr } = place.run(["edit", "a.txt", "3#1247f8", "x"]);
    expect(status).toBe(4);
    const at = anchorsIn(stderr).get(3) as string;
    expect(place.run(["edit", "a.txt", at, "y"]).status).toBe(0);
  });

  test("who is who: another session has read nothing", async () => {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    expect(place.run(["edit", "a.txt", at(1), "x"], { env: { KEDGE_SESSION: "other" } }).status).toBe(4);
    expect(place.run(["edit", "a.txt", at(1), "x", "--session", "other"]).status).toBe(4);
    expect(place.run(["edit", "a.txt", at(1), "x", "--gate", "off", "--session", "other"]).status).toBe(0);
  });

  test("the same no-op for the third time", async () => {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    const statuses = [1, 2, 3].map(() => place.run(["edit", "a.txt", at(1), "one"]).status);
    expect(statuses).toEqual([0, 0, 4]);
  });
});

describe("stale: status 5", () => {
  async function stale() {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    place.put("a.txt", "one\ntwo\nTHREE, by another\nfour\n");
    return { place, at, ran: place.run(["edit", "a.txt", at(3), "3"]) };
  }

  test("nothing is written; report and diff are on stderr", async () => {
    const { place, ran } = await stale();
    expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status: 5, stdout: "" });
    expect(ran.stderr).toMatch(/^REJECTED, nothing written\.\n1 line has changed since last read\./);
    expect(ran.stderr).toMatch(/^>>> 3#[0-9a-f]{6}\|THREE, by another$/m);
    expect(ran.stderr).toContain("--- a.txt as shown\n+++ a.txt now\n");
    expect(ran.stderr).toContain("\n-three\n+THREE, by another\n");
    expect(place.text("a.txt")).toBe("one\ntwo\nTHREE, by another\nfour\n");
  });

  test("the same call again is still refused", async () => {
    const { place, at } = await stale();
    const { status, stderr } = place.run(["edit", "a.txt", at(3), "3"]);
    expect([status, stderr]).toEqual([5, expect.stringContaining("do not retry identical arguments")]);
  });

  test("a call with the rows of the refusal needs no read", async () => {
    const { place, ran } = await stale();
    place.ok("edit", "a.txt", anchorsIn(ran.stderr).get(3) as string, "3");
    expect(place.text("a.txt")).toBe("one\ntwo\n3\nfour\n");
  });

  test("the command for the retry, as it is printed, sends it", async () => {
    const { place, ran } = await stale();
    const command = /Send it again: run `(.+)`; else/.exec(ran.stderr)?.[1] as string;
    expect(command).toMatch(/^kedge retry r\w+$/);
    expect(place.shell(command)).toMatchObject({ status: 0, stderr: "" });
    expect(place.text("a.txt")).toBe("one\ntwo\n3\nfour\n");
    expect(place.shell(command).status).toBe(2);
  });

  test.each([["edit"], ["apply"]])("what a refused dry run of %s names next writes nothing", async (name) => {
    const place = new Place({ "a.txt": four });
    const anchor = (await reader(place, "a.txt"))(3);
    place.put("a.txt", four.replace("three", "changed"));
    const request = { path: "a.txt", edits: [{ op: "set_line", anchor, text: "3" }], dry_run: true };
    const { stderr } =
      name === "edit"
        ? place.run(["edit", "--dry-run", "a.txt", anchor, "3"])
        : place.run(["apply"], { input: JSON.stringify(request) });
    const command = /Send it again: run `(.+)`; else/.exec(stderr)?.[1] as string;
    expect(command).toMatch(/^kedge retry r\w+ --dry-run$/);
    expect(place.shell(command).stdout).toMatch(/^Dry run:/);
    expect(place.text("a.txt")).toContain("changed");
  });

  test("a deleted line", async () => {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    place.put("a.txt", "one\ntwo\nfour\n");
    const { status, stderr } = place.run(["edit", "a.txt", at(3), "3"]);
    expect(status).toBe(5);
    expect(stderr).toContain("\n-three\n");
  });

  test("refuses with --on-stale refuse a file that is not as it was shown", async () => {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    place.put("a.txt", `zero\n${four}`);
    const { status, stderr } = place.run(["edit", "a.txt", at(3), "3", "--on-stale", "refuse"]);
    expect(status).toBe(5);
    expect(stderr).toContain("@@ 3#1247f8 is 4#1247f8 now, unchanged @@");
  });

  test("prints the mismatches with --json", async () => {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    place.put("a.txt", "one\ntwo\nX\nfour\n");
    const { status, stdout } = place.run(["edit", "a.txt", at(3), "3", "--json"]);
    expect(status).toBe(5);
    expect(jsonLines(stdout)).toEqual([
      expect.objectContaining({
        status: "refused",
        code: "stale",
        affectedRanges: [{ start: 3, end: 3 }],
        mismatches: [expect.objectContaining({ line: 3, shown: "three", now: "X" })],
        retry: expect.stringMatching(/^r/),
      }),
    ]);
  });
});

describe("--unmoved", () => {
  test("takes a line that is where it was, whatever else changed", async () => {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    place.put("a.txt", "one\nX\nthree\nfour\n");
    expect(place.run(["edit", "a.txt", at(4), "4", "--unmoved"]).status).toBe(0);
    expect(place.text("a.txt")).toBe("one\nX\nthree\n4\n");
  });

  test("refuses one that moved, and shows where it is", async () => {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    place.put("a.txt", `zero\n${four}`);
    const { status, stderr } = place.run(["edit", "a.txt", at(3), "3", "--unmoved"]);
    expect(status).toBe(5);
    expect(stderr).toContain("\n3#1247f8 is 4#1247f8 now\n");
    expect(stderr).toContain("    4#1247f8|three");
    expect(stderr).toContain("@@ 3#1247f8, line 4 now @@\n three\n");
    expect(place.text("a.txt")).toBe(`zero\n${four}`);
    place.ok("edit", "a.txt", "4#1247f8", "3", "--unmoved");
    const told = jsonLines(place.ok("log", "--json", "--agent", "tester"));
    expect(told.map(({ kind }) => kind)).toEqual(["refusal", "commit"]);
  });

  test("retires nothing: what was shown before still names its lines", async () => {
    const place = new Place({ "a.txt": "same\none\nsame\ntwo\n" });
    const at = await reader(place, "a.txt");
    const third = at(3);
    place.put("a.txt", "zero\nzero\nsame\none\nsame\ntwo\n");
    // What is printed in the place of the third line reads as that did.
    expect(place.run(["edit", "a.txt", third, "3", "--unmoved"]).status).toBe(5);
    expect(place.run(["edit", "a.txt", third, "3", "--unmoved"]).status).toBe(5);
    expect(place.ok("edit", "a.txt", third, "3")).toContain("relocated");
    expect(place.ok("edit", "a.txt", at(4), "4")).toContain("relocated");
    expect(place.text("a.txt")).toBe("zero\nzero\nsame\none\n3\n4\n");
  });

  test("names every anchor that moved, and is sharper the second time", async () => {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    place.put("a.txt", `zero\n${four}`);
    const args = ["edit", "a.txt", at(2), "x", "--end", at(4), "--unmoved"];
    const { stderr } = place.run(args);
    expect(stderr).toMatch(/^2#\w+ is 3#\w+ now, 4#\w+ is 5#\w+ now$/m);
    expect(stderr).toMatch(/^@@ 4#\w+, line 5 now @@\n four$/m);
    expect(place.run(args).stderr).toContain("do not retry identical arguments");
    const { details, status } = { details: jsonLines(place.run([...args, "--json"]).stdout)[0], status: 5 };
    expect(details).toMatchObject({
      ...{
        code: "stale",
        path: "a.txt",
        affectedRanges: [
          { start: 3, end: 3 },
          { start: 5, end: 5 },
        ],
      },
      mismatches: [2, 4].map((line) => ({ anchor: at(line), line: line + 1, cause: "moved" })),
      remaps: [2, 4].map((line) => ({ from: at(line), kind: "moved" })),
    });
    const third = place.run(args);
    expect(third.status).toBe(status);
    expect(third.stderr).not.toContain("Contention: ");
    const command = /Send it again: run `(.+)`; else/.exec(third.stderr)?.[1] as string;
    expect(command).toMatch(/^kedge retry r\w+ --unmoved$/);
    expect(place.shell(command).status).toBe(0);
    expect(place.text("a.txt")).toBe("zero\none\nx\n");
  });

  test("holds in a dry run, and when an edit of one's own moved the line", async () => {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    await place.before(["edit", "a.txt", at(1), "zero", "--before"]);
    expect(place.run(["edit", "a.txt", at(3), "3", "--unmoved", "--dry-run"]).status).toBe(5);
  });

  test("says when lines below have moved", async () => {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    expect(place.ok("edit", "a.txt", at(2), "a\nb", "--unmoved")).toContain("read them again");
    const same = place.ok("edit", "a.txt", at(1), "1", "--unmoved");
    expect(same).not.toMatch(/keep using|read them again/);
  });
});

describe("--stateless", () => {
  test("an anchor that fits, and one that is near", async () => {
    const place = new Place({ "a.txt": four });
    expect(place.run(["edit", "a.txt", "2#d7e2f4", "TWO", "--stateless"]).status).toBe(0);
    place.put("a.txt", `zero\n${four}`);
    expect(place.ok("edit", "a.txt", "2#d7e2f4", "TWO", "--stateless")).toContain("(relocated)");
    expect(place.text("a.txt")).toBe("zero\none\nTWO\nthree\nfour\n");
    expect(place.ok("log", "--json")).toBe("");
  });

  test("one that fits nowhere: 5, with a diff", async () => {
    const place = new Place({ "a.txt": four });
    const { status, stderr } = place.run(["edit", "a.txt", "2#000000", "TWO", "--stateless"]);
    expect(status).toBe(5);
    expect(stderr).toContain("+two\n");
    expect(stderr).toContain(">>> 2#d7e2f4|two");
  });

  test("relocates nothing with --on-stale refuse", async () => {
    const place = new Place({ "a.txt": `zero\n${four}` });
    const args = ["edit", "a.txt", "2#d7e2f4", "TWO", "--stateless", "--on-stale", "refuse"];
    expect(place.run(args).status).toBe(5);
  });

  test("a batch with whole files", async () => {
    const place = new Place({ "a.txt": four, "b.txt": "b\n", "c.txt": "c\n" });
    const files = [
      { path: "a.txt", edits: [{ op: "set_line", anchor: "1#bf5260", text: "1" }] },
      { path: "new.txt", edits: [{ op: "create_file", text: "new\n" }] },
      { path: "b.txt", edits: [{ op: "delete_file" }] },
      { path: "c.txt", edits: [{ op: "move_file", to: "d.txt" }] },
    ];
    const { status, stdout } = place.run(["apply", "--stateless"], { input: JSON.stringify({ files }) });
    expect(status).toBe(0);
    expect(stdout).toContain("b.txt: deleted");
    expect(readdirSync(place.folder)).toEqual(["a.txt", "d.txt", "new.txt"]);
    expect(place.text("a.txt")).toBe("1\ntwo\nthree\nfour\n");
    const again = place.run(["apply", "--stateless"], { input: JSON.stringify({ files }) });
    expect(again.status).toBe(5);
    expect(readdirSync(place.folder)).toEqual(["a.txt", "d.txt", "new.txt"]);
  });

  test("has no handles, no undo, no --unmoved", async () => {
    const place = new Place({ "a.txt": four });
    expect(place.run(["apply", "--stateless"], { input: '{"path":"a.txt","retry":"r7"}' }).status).toBe(2);
    expect(place.run(["undo", "--stateless"]).status).toBe(2);
    expect(place.run(["edit", "a.txt", "1#bf5260", "x", "--stateless", "--unmoved"]).status).toBe(2);
  });
});

describe("failures: status 1", () => {
  test.each<[string, string]>([
    ["none.txt", "none.txt does not exist"],
    ["folder", "folder is a folder; name a file in it"],
    ["binary", "binary is binary"],
  ])("%s", async (name, message) => {
    const place = new Place({ "folder/x": "", binary: new Uint8Array([0, 1]) });
    const { status, stderr } = place.run(["edit", name, "1#bf5260", "x", "--gate", "off"]);
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  });

  test.skipIf(process.platform === "win32")("a folder that cannot be written", async () => {
    const place = new Place({ "sub/a.txt": four });
    const options = { unprivileged: true };
    chmodSync(place.path("sub/a.txt"), 0o666);
    chmodSync(place.path("sub"), 0o555);
    const listing = place.run(["read", "sub/a.txt"], options).stdout;
    const at = anchorsIn(listing).get(1) as string;
    const { status, stderr } = place.run(["edit", "sub/a.txt", at, "x"], options);
    chmodSync(place.path("sub"), 0o755);
    expect([status, stderr]).toEqual([1, expect.stringContaining("REJECTED, nothing written.")]);
    expect(place.text("sub/a.txt")).toBe(four);
    expect(readdirSync(place.path("sub"))).toEqual(["a.txt"]);
  });

  test("a new file that would not be text, also without a record", () => {
    const place = new Place();
    const files = ["\0", "\ud800"].map((text, at) => ({
      path: `${at}`,
      edits: [{ op: "create_file", text }],
    }));
    for (const [at, words] of ["holds NUL", "cannot hold"].entries())
      for (const flags of [[], ["--stateless"]]) {
        const input = JSON.stringify({ files: [files[at]] });
        const { status, stderr } = place.run(["apply", ...flags], { input });
        expect([status, stderr]).toEqual([1, expect.stringContaining(words)]);
      }
    expect(readdirSync(place.folder)).toEqual([]);
  });

  test("text that the encoding cannot hold", async () => {
    const text = "Das Mädchen trägt grüne Schuhe, die größer sind als üblich.\n".repeat(4);
    const place = new Place({ "a.txt": Buffer.from(text, "latin1") });
    const at = await reader(place, "a.txt", "--encoding", "windows-1252");
    const { status, stderr } = place.run(["edit", "a.txt", at(1), "日本", "--encoding", "windows-1252"]);
    expect([status, stderr]).toEqual([1, expect.stringContaining("windows-1252")]);
  });

  test("text that an encoding guessed wrong cannot hold: the right one is set", async () => {
    const place = new Place({ "a.txt": Buffer.from("café\nnaïve\n", "latin1") });
    const at = await reader(place, "a.txt");
    const { status, stderr } = place.run(["edit", "a.txt", at(1), "ù"]);
    expect(status).toBe(1);
    expect(stderr).toContain("set encoding if that one was guessed wrong");
    const again = await reader(place, "a.txt", "--encoding", "windows-1252");
    expect(place.ok("edit", "a.txt", again(1), "ù", "--encoding", "windows-1252")).toContain("edited");
  });
});

describe("kedge write", () => {
  test("creates a file, folders and all, byte for byte", async () => {
    const place = new Place({ "draft.txt": "a\r\nb" });
    expect(place.ok("write", "deep/er/a.txt", "--from", "draft.txt")).toMatch(/^deep\/er\/a\.txt /);
    expect(place.text("deep/er/a.txt")).toBe("a\r\nb");
    expect(place.run(["write", "b.txt"], { input: "" }).status).toBe(0);
    expect(place.text("b.txt")).toBe("");
  });

  test("over a file only when all of it was shown", async () => {
    const place = new Place({ "a.txt": four });
    expect(place.run(["write", "a.txt"], { input: "x\n" }).status).toBe(4);
    await place.before(["read", "a.txt", "--ranges", "1-2"]);
    expect(place.run(["write", "a.txt"], { input: "x\n" }).status).toBe(4);
    await place.before(["read", "a.txt"]);
    expect(place.run(["write", "a.txt", "--dry-run"], { input: "x\n" }).stdout).toContain("+x");
    expect(place.text("a.txt")).toBe(four);
    expect(place.run(["write", "a.txt"], { input: "x\n" }).status).toBe(0);
    expect(place.text("a.txt")).toBe("x\n");
  });

  test.skipIf(process.platform === "win32")(
    "an empty pipe empties no file; who means it says so",
    async () => {
      const place = new Place({ "a b.txt": four });
      await place.before(["read", "a b.txt"]);
      const { status, stderr } = place.run(["write", "a b.txt"], { input: "" });
      expect(status).toBe(2);
      expect(stderr).toMatch(/^kedge: stdin is empty: that would empty a b\.txt\n/);
      expect(place.text("a b.txt")).toBe(four);
      const meant = /kedge write .*/.exec(stderr)?.[0] as string;
      expect(place.shell(meant)).toMatchObject({ status: 0 });
      expect(place.text("a b.txt")).toBe("");
      expect(place.run(["write", "a b.txt"], { input: "" }).status).toBe(0);
    },
  );

  test("refuses a name that ends like a folder's: status 2", () => {
    const place = new Place();
    for (const flags of [[], ["--dry-run"]]) {
      const { status, stderr } = place.run(["write", "new/", ...flags], { input: "x" });
      expect([status, stderr]).toEqual([2, expect.stringContaining("new/ is the name of a folder")]);
    }
    expect(existsSync(place.path("new"))).toBe(false);
  });

  test("a dry run does not promise what cannot be: a file below a file", () => {
    const place = new Place({ "a.txt": four });
    for (const flags of [[], ["--dry-run"]]) {
      const { status, stderr } = place.run(["write", "a.txt/b/c", ...flags], { input: "x" });
      expect([status, stderr]).toEqual([1, expect.stringContaining("a part of the path is not a folder")]);
    }
  });

  test("refuses text that is not UTF-8", async () => {
    const place = new Place();
    expect(place.run(["write", "a.txt"], { input: Buffer.from([0xff, 0xfe, 0x41]) }).status).toBe(2);
    expect(existsSync(place.path("a.txt"))).toBe(false);
  });
});
