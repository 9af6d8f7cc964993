/** What a person sees at a terminal, where the program asks. */
import { spawnSync } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { beforeEach, describe, expect, test } from "vitest";
import { four, Place, program, reader } from "../../support.js";

const script = spawnSync("script", ["--version"]).status === 0;

let place: Place;
beforeEach(async () => {
  place = new Place({ "a.txt": four, "b.txt": "alpha\nbeta\n" });
  const a = await reader(place, "a.txt");
  const b = await reader(place, "b.txt");
  await place.before(["edit", "a.txt", a(1), "ONE"], "tester");
  await place.before(["read", "b.txt"], "other");
  await place.before(["edit", "b.txt", b(1), "ALPHA"], "other");
});

/** A terminal of its own; `answer` is typed into it. What it showed. */
function terminal(answer: string, ...args: string[]): { status: number | null; shown: string } {
  const command = [process.execPath, program, ...args].map((word) => `'${word}'`).join(" ");
  const { status, stdout } = spawnSync("script", ["-qec", command, "/dev/null"], {
    ...{ cwd: place.folder, input: answer, encoding: "utf8" },
    env: place.env({ KEDGE_SESSION: undefined, TERM: "xterm" }),
  });
  return { status, shown: stripVTControlCharacters(stdout).replaceAll("\r", "") };
}

describe.skipIf(!script)("kedge undo at a terminal", () => {
  test("lists the last edits with who made them, and asks which", () => {
    const { status, shown } = terminal("2\n", "undo");
    expect(shown).toMatch(/^1 +\S+ +other +edited +b\.txt:1 /m);
    expect(shown).toMatch(/^2 +\S+ +tester +edited +a\.txt:1 /m);
    expect(shown).toContain("Undo which? [1-2, Enter: none]");
    expect(shown).toMatch(/a\.txt: edit \S+ of tester undone/);
    expect([status, place.text("a.txt"), place.text("b.txt")]).toEqual([0, four, "ALPHA\nbeta\n"]);
  });

  test.each(["\n", "0\n", "3\n", "n\n", "-1\n"])("undoes nothing for %j", (answer) => {
    const { status, shown } = terminal(answer, "undo");
    expect(shown).toContain("kedge: nothing was undone");
    expect([status, place.text("b.txt")]).toEqual([0, "ALPHA\nbeta\n"]);
  });

  test("takes the newest with --yes, of one FILE if named, and asks once for --last", () => {
    expect(terminal("", "undo", "--yes").shown).toMatch(/^b\.txt: edit \S+ of other undone/);
    expect(terminal("1\n", "undo", "b.txt").shown).toContain("there is no edit of b.txt to undo");
    expect(terminal("y\n", "undo", "--last", "1").shown).toContain("Undo these? [y/N]");
    expect([place.text("a.txt"), place.text("b.txt")]).toEqual([four, "alpha\nbeta\n"]);
  });

  test("an agent that says who it is gets no question", () => {
    expect(terminal("", "undo", "--session", "tester").shown).toMatch(/^a\.txt: edit \S+ undone/);
    expect(place.text("a.txt")).toBe(four);
  });
});
