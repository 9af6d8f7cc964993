import { describe, expect, test } from "vitest";
import { anchorsIn, four, jsonLines, Place } from "../../support.js";

/** An edit that was refused because somebody changed its line, and its handle. */
function refusedEdit(args: readonly string[] = [], cwd = ".") {
  const place = new Place({ "sub/a.txt": four, "other/b.txt": four });
  const name = cwd === "sub" ? "a.txt" : "sub/a.txt";
  const anchor = anchorsIn(place.run(["read", name], { cwd }).stdout).get(3) as string;
  place.put("sub/a.txt", four.replace("three", "changed"));
  const { stderr } = place.run(["edit", name, anchor, "3", ...args], { cwd });
  return { place, handle: /kedge retry (r\w+)/.exec(stderr)?.[1] as string };
}
const decided = four.replace("three", "3");

describe("kedge retry", () => {
  test("sends a refused call again by its handle alone, once", () => {
    const { place, handle } = refusedEdit();
    expect(place.run(["retry", handle])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^sub\/a\.txt edited; .*\n3#\w+\n$/),
    });
    expect(place.text("sub/a.txt")).toBe(decided);
    const again = place.run(["retry", handle]);
    expect([again.status, again.stdout]).toEqual([2, ""]);
    expect(again.stderr).toContain("a handle is good once");
    const [entry] = jsonLines(place.ok("log", "--json", "--max", "1"));
    expect(entry).toMatchObject({ tool: "edit", kind: "commit" });
  });

  test.each([["sub"], ["other"], [".."]])("finds the file from the folder %s", (cwd) => {
    const { place, handle } = refusedEdit([], "sub");
    place.put("a.txt", four);
    place.put("other/a.txt", four);
    expect(place.run(["retry", handle, "--json"], { cwd }).status).toBe(0);
    expect(place.text("sub/a.txt")).toBe(decided);
    expect([place.text("a.txt"), place.text("other/a.txt")]).toEqual([four, four]);
  });

  test("writes nothing in a dry run, and keeps the handle", () => {
    const { place, handle } = refusedEdit();
    expect(place.ok("retry", handle, "--dry-run")).toMatch(
      /^Dry run: nothing was written\. sub\/a\.txt would be/,
    );
    expect(place.text("sub/a.txt")).toContain("changed");
    expect(place.run(["retry", handle]).status).toBe(0);
  });

  test("refuses what is no handle of this agent", () => {
    const { place, handle } = refusedEdit();
    for (const args of [["r0"], [handle, "--session", "somebody"], ["x\u001b[2J"]])
      expect(place.run(["retry", ...args])).toMatchObject({ status: 2, stdout: "" });
    expect(place.run(["retry", "x\u001b[2J"]).stderr).not.toContain("\u001b");
    expect(place.run(["retry", handle, "--stateless"]).stderr).toContain("needs the record");
    expect(place.text("sub/a.txt")).toContain("changed");
  });
});
