import { describe, expect, test } from "vitest";
import { four, jsonLines, Place, reader } from "../../support.js";

interface Entry {
  readonly id: string;
  readonly batch?: string;
  readonly kind: string;
  readonly diff?: string | null;
}

describe("kedge show", () => {
  test("shows an edit with its diff, who made it, when and with which tool", async () => {
    const place = new Place({ "a.txt": four });
    const anchor = (await reader(place, "a.txt"))(2);
    place.ok("edit", "a.txt", anchor, "TWO");
    const [{ id }] = jsonLines<Entry>(place.ok("log", "--json")) as [Entry];
    expect(place.ok("show", id)).toMatch(
      /^a\.txt:2: edited\nid: \S+\nagent: tester\ntool: edit\ntime: [\d-]+ [\d:]+\n\n--- a\/a\.txt\n\+\+\+ b\/a\.txt\n@@ .* @@\n one\n-two\n\+TWO\n three\n four\n$/,
    );
    const [shown] = jsonLines<Entry>(place.ok("show", id, "--json"));
    expect(shown).toMatchObject({ id, kind: "commit", diff: expect.stringContaining("-two\n+TWO") });
  });

  test("shows every file of a batch, refusals with their reason, and what was undone", async () => {
    const place = new Place({ "a.txt": four });
    const edits = [{ op: "create_file", text: "new\n" }];
    const files = ["new.txt", "other.txt"].map((path) => ({ path, edits }));
    place.run(["apply"], { input: JSON.stringify({ files }) });
    place.run(["edit", "a.txt", "2#d7e2f4", "TWO"]);
    place.ok("undo");
    const entries = jsonLines<Entry>(place.ok("log", "--json"));
    const [made, , refused, undone] = entries as [Entry, Entry, Entry, Entry];
    expect(place.ok("show", made.batch as string).match(/^(new|other)\.txt:1: created$/gm)).toHaveLength(2);
    expect(place.ok("show", refused.id)).toMatch(/^a\.txt: refused: not_read\n[\s\S]*\ncause: .*not read/);
    expect(place.ok("show", undone.id)).toMatch(/: undone\n[\s\S]*\+\+\+ \/dev\/null\n/);
  });

  test("says that an id is not on record, and escapes it", () => {
    const place = new Place();
    expect(place.run(["show", "x\u001b[2J"])).toEqual({
      status: 1,
      stdout: "",
      stderr: "kedge: nothing on record has the id x\\u001b[2J; `kedge log` lists what is\n",
    });
  });
});
