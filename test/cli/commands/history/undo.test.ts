import { existsSync, mkdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { four, jsonLines, Place, reader } from "../../support.js";

/** Two commits by tester, a refusal, one commit by another. */
async function busy(): Promise<Place> {
  const place = new Place({ "a.txt": four, "b.txt": "alpha\nbeta\n" });
  const a = await reader(place, "a.txt");
  const b = await reader(place, "b.txt");
  await place.before(["read", "a.txt"], "other");
  await place.before(["edit", "a.txt", a(1), "ONE"]);
  await place.before(["edit", "b.txt", b(1), "ALPHA"]);
  await place.before(["edit", "a.txt", a(3), "THREE"], "other");
  await place.before(["edit", "a.txt", a(3), "3"]);
  return place;
}

describe("kedge undo", () => {
  test("the caller's last edit, then the one before", async () => {
    const place = await busy();
    const { status, stdout } = place.run(["undo"]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^b\.txt: edit \S+ undone\n--- a\/b\.txt\n/);
    expect(place.text("b.txt")).toBe("alpha\nbeta\n");
    place.ok("undo");
    expect(place.text("a.txt")).toBe("one\ntwo\nTHREE\nfour\n");
    const { status: nothing, stderr } = place.run(["undo"]);
    expect([nothing, stderr]).toEqual([1, expect.stringContaining("kedge undo --list")]);
  });

  test("of a file: one's own, or whoever made it, who is named; it comes back by its id", async () => {
    const place = await busy();
    expect(place.ok("undo", "a.txt")).toContain("+one");
    expect(place.run(["undo", "a.txt"])).toMatchObject({
      ...{ status: 1, stderr: expect.stringContaining("no edit of a.txt of yours to undo, only of others") },
    });
    const { stdout, stderr } = place.run(["undo", "a.txt", "--anyone"]);
    const [, id = ""] = /^a\.txt: edit (\S+) of other undone\n/.exec(stdout) ?? [];
    expect(stderr).toBe(`kedge: \`kedge restore ${id}\` brings it back\n`);
    expect(place.text("a.txt")).toBe(four);
    expect(place.ok("restore", id)).toContain("-three\n+THREE");
    expect(place.text("a.txt")).toBe("one\ntwo\nTHREE\nfour\n");
    place.ok("undo");
    expect(place.text("a.txt")).toBe(four);
    const undo = jsonLines<{ id: string; kind: string }>(place.ok("log", "--json")).at(-1)?.id as string;
    expect(place.ok("undo", "--id", undo)).toContain(`a.txt: edit ${id} of other made again`);
    expect(place.text("a.txt")).toBe("one\ntwo\nTHREE\nfour\n");
  });

  test("takes back edits by id: one, several, anybody's", async () => {
    const place = await busy();
    const entries = jsonLines<{ id: string; path: string }>(place.ok("undo", "--list", "--json"));
    expect(entries.map(({ path }) => path)).toEqual(["a.txt", "b.txt", "a.txt"]);
    place.ok("undo", "--id", entries[2]?.id as string);
    expect(place.text("a.txt")).toBe("one\ntwo\nTHREE\nfour\n");
    place.ok("undo", "--last", "2", "--anyone");
    expect([place.text("a.txt"), place.text("b.txt")]).toEqual([four, "alpha\nbeta\n"]);
    expect(place.ok("undo", "--list")).toBe("[nothing to undo]\n");
  });

  test("a whole batch", async () => {
    const place = new Place({ "a.txt": four, "b.txt": four });
    const a = await reader(place, "a.txt");
    await place.before(["read", "b.txt"]);
    const files = ["a.txt", "b.txt"].map((path) => ({
      path,
      edits: [{ op: "set_line", anchor: a(1), text: "1" }],
    }));
    place.run(["apply"], { input: JSON.stringify({ files }) });
    place.ok("undo");
    expect([place.text("a.txt"), place.text("b.txt")]).toEqual([four, four]);
  });

  test("shows only the diff with --dry-run", async () => {
    const place = await busy();
    expect(place.ok("undo", "--dry-run")).toContain("would be undone");
    expect(place.text("b.txt")).toBe("ALPHA\nbeta\n");
  });

  test("works from another folder than the edit was made in", async () => {
    const place = new Place({ "sub/a.txt": four, ".git/HEAD": "ref: x\n" });
    mkdirSync(place.path("other"));
    place.run(["read", "a.txt"], { cwd: "sub" });
    place.run(["edit", "a.txt", "1#bf5260", "ONE"], { cwd: "sub" });
    const { status, stdout } = place.run(["undo"], { cwd: "other" });
    expect([status, place.text("sub/a.txt")]).toEqual([0, four]);
    expect(stdout).toMatch(/^\.\.\/sub\/a\.txt: edit .*\n--- a\/\.\.\/sub\/a\.txt\n/);
  });

  test("of a file of which no text is kept: said in the list, and when it is tried", async () => {
    const place = new Place({ ".env": "A=1\nB=2\n" });
    const at = await reader(place, ".env");
    await place.before(["edit", ".env", at(1), "A=3"]);
    place.run(["write", ".env.new"], { input: "C=1\n" });
    const listed = place.ok("undo", "--list");
    expect(listed).toMatch(/ created {2,}\.env\.new:1 /);
    expect(listed).toMatch(/ edited \(cannot be undone\) {2}\.env:1 /);
    const entries = jsonLines<{ id: string; undoable: boolean }>(place.ok("undo", "--list", "--json"));
    expect(entries.map(({ undoable }) => undoable)).toEqual([true, false]);
    const { status, stderr } = place.run(["undo", "--id", entries[1]?.id as string]);
    expect([status, stderr]).toEqual([
      5,
      expect.stringContaining(
        "cannot be undone: of files that look secret, or are outside the roots, no text is kept",
      ),
    ]);
    place.ok("undo");
    expect(existsSync(place.path(".env.new"))).toBe(false);
  });

  test("what stands in the way is said: 5", async () => {
    const place = await busy();
    place.put("b.txt", "ALPHA, changed\nbeta\n");
    const { status, stdout, stderr } = place.run(["undo"]);
    expect([status, stdout]).toEqual([5, ""]);
    expect(stderr).toContain("\n--- b.txt as shown\n+++ b.txt now\n");
    expect(stderr).toContain("\n-ALPHA\n+ALPHA, changed\n");
  });

  test("refuses flags that exclude each other", async () => {
    const place = await busy();
    expect(place.run(["undo", "--id", "x", "--last", "2"]).status).toBe(2);
    expect(place.run(["undo", "--id", "nope"]).status).toBe(1);
    expect(place.run(["undo", "--list", "--last", "1"]).status).toBe(2);
    expect(place.run(["undo", "--last", "0"]).status).toBe(2);
  });
});

describe("kedge log", () => {
  test("a row for everything that happened, oldest first", async () => {
    const rows = (await busy()).ok("log").trimEnd().split("\n");
    expect(rows[0]).toMatch(/^time +agent +what +where +id$/);
    expect(rows.slice(1).map((row) => row.split(/ {2,}/).slice(1, 4))).toEqual([
      ["tester", "edited", "a.txt:1"],
      ["tester", "edited", "b.txt:1"],
      ["other", "edited", "a.txt:3"],
      ["tester", "refused: stale", "a.txt:3"],
    ]);
  });

  test("lists entries of a file, since a time, or the newest", async () => {
    const place = await busy();
    expect(jsonLines(place.ok("log", "--file", "b.txt", "--json"))).toHaveLength(1);
    expect(jsonLines(place.ok("log", "--since", "1h", "--json"))).toHaveLength(4);
    expect(place.ok("log", "--since", "2099-01-01", "--json")).toBe("");
    expect(jsonLines(place.ok("log", "--max", "2", "--json"))).toHaveLength(2);
    expect(place.ok("log", "--max", "2")).toContain("[the newest 2; --max N shows more]");
    expect(place.run(["log", "--since", "soon"]).status).toBe(2);
  });

  test("lists one agent's entries, and each with its diff on request", async () => {
    const place = await busy();
    expect(jsonLines(place.ok("log", "--agent", "other", "--json"))).toMatchObject([{ agent: "other" }]);
    expect(place.ok("log", "--agent", "x\u001b[2J")).toBe("[nothing on record by x\\u001b[2J]\n");
    const [first = "", ...others] = place.ok("log", "a.txt", "-p").split(/\n\n(?=a\.txt)/);
    expect(first).toMatch(/^a\.txt:1: edited\nid: .*\nagent: tester\n[\s\S]*\n\+/);
    expect(others).toHaveLength(2);
    expect(others.at(-1)).toMatch(/refused: stale\n[\s\S]*cause: /);
    expect(place.run(["log", "a.txt", "--file", "b.txt"]).status).toBe(2);
  });

  test("says that there is nothing yet, or nothing that was asked for", async () => {
    expect(new Place().ok("log")).toBe("[nothing on record]\n");
    const place = await busy();
    expect(place.ok("log", "--since", "2999-01-01")).toBe("[nothing on record since then]\n");
    expect(place.ok("log", "--file", "none.txt")).toBe("[nothing on record of none.txt]\n");
    expect(place.ok("stats", "--since", "2999-01-01")).toBe("[nothing on record since then]\n");
  });
});

describe("kedge stats", () => {
  test("prints a table", async () => {
    const text = (await busy()).ok("stats");
    expect(text).toMatch(/^3 edits · 0 relocated · 1 refusal\n/);
    expect(text).toMatch(/^a\.txt +2 +0 +1$/m);
    expect(text).toMatch(/^tester +2 +0 +1$/m);
    expect(text).toMatch(/^stale +1$/m);
    expect(text).toMatch(/tokens saved against full re-reads\n {2}Counted over 1 event: /);
    expect(new Place().ok("stats")).toBe("[nothing on record]\n");
  });

  test("prints JSON", async () => {
    const [found] = jsonLines((await busy()).ok("stats", "--json"));
    expect(found).toMatchObject({
      commits: 3,
      relocated: 0,
      refusals: 1,
      undone: 0,
      causes: [{ code: "stale", refusals: 1 }],
      contention: [],
      saved: { counted: 1, method: expect.stringContaining("bytes / 4 + 7 tokens a line") },
    });
  });
});

describe("kedge session", () => {
  test("lists who was here", async () => {
    const place = await busy();
    expect(jsonLines(place.ok("session", "list", "--json"))).toEqual([
      expect.objectContaining({ session: "tester", commits: 2, refusals: 1, isCaller: true }),
      expect.objectContaining({ session: "other", commits: 1, refusals: 0, isCaller: false }),
    ]);
    expect(place.ok("session", "list")).toMatch(/^tester \(you\) +2 +2 +1 +just now$/m);
  });

  test("lists who has only read, and for how many files that counts", async () => {
    const place = new Place({ "a.txt": four, "b.txt": four });
    for (const file of ["a.txt", "b.txt"]) place.ok("read", file, "--session", "reader");
    const found = () =>
      place
        .ok("session", "list")
        .split("\n")
        .find((line) => line.startsWith("reader"));
    expect(found()).toMatch(/^reader +2 +0 +0 +-$/);
    place.ok("session", "end", "--session", "reader");
    expect(found()).toMatch(/^reader +0 +0 +0 +-$/);
    const agent = "claude-code:7f3a1c22-0000-4000-8000-000000000000";
    place.ok("read", "a.txt", "--session", agent);
    expect(place.ok("session", "list")).toMatch(/^claude-code:7f3a +1 +0 +0 +-$/m);
    place.ok("session", "end", "--session", "claude-code:7f3a");
    expect(place.ok("session", "list")).not.toMatch(/^claude-code:7f3a +1/m);
    expect(place.ok("session", "end", "--session", "nobody")).toBe(
      "nobody: nothing was shown to it here, so there is nothing to forget\n",
    );
    expect(place.ok("session", "list")).not.toContain("nobody");
  });

  test.each(["fold", "end"])("%s: nothing counts as shown any more", async (action) => {
    const place = new Place({ "a.txt": four });
    const at = await reader(place, "a.txt");
    expect(place.ok("session", action)).toContain("tester: nothing counts as shown any more");
    expect(place.run(["edit", "a.txt", at(1), "x"]).status).toBe(4);
  });

  test("a fold that is configured away, and an end that is not", async () => {
    const place = new Place({ "a.txt": four });
    place.put("../home/config/kedge/config.json", '{"keepOnFold":true}');
    const at = await reader(place, "a.txt");
    expect(place.ok("session", "fold")).toContain("keepOnFold");
    expect(place.run(["edit", "a.txt", at(1), "x"]).status).toBe(0);
    place.ok("session", "end");
    expect(place.run(["edit", "a.txt", at(2), "x"]).status).toBe(4);
  });

  test("purge asks to be meant, then deletes the record and no file", async () => {
    const place = await busy();
    const { status, stderr } = place.run(["session", "purge"]);
    expect([status, stderr]).toEqual([2, expect.stringContaining("kedge session purge --yes")]);
    expect(jsonLines(place.ok("session", "purge", "--yes", "--json"))).toEqual([
      { action: "purge", folder: expect.any(String) },
    ]);
    expect(place.ok("log")).toBe("[nothing on record]\n");
    expect(existsSync(place.path("a.txt"))).toBe(true);
    expect(place.run(["session", "purge", "--yes", "--session", "x"]).status).toBe(2);
  });
});
