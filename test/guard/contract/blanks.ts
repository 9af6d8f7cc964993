/** Changes of blanks at the ends of lines: by a formatter, and in what a model quotes. */
import { expect, test } from "vitest";
import type { Driver } from "../drivers/driver.js";
import { type Agent, type Outcome, quiet, Stage } from "../stage.js";
import { offered, source } from "./source.js";

const told = ({ deny, tell, failed }: Outcome): string => deny ?? (failed === null ? "" : (tell ?? ""));

export function blanks(driver: Driver): void {
  const read = async (text = source): Promise<{ place: Stage; agent: Agent; path: string }> => {
    const place = new Stage(driver, { "a.js": text });
    const agent = place.agent();
    const path = place.path("a.js");
    await agent.read(path);
    return { place, agent, path };
  };
  const isPatcher = driver.client === "codex";

  if (!isPatcher)
    for (const [what, old, now] of [
      ["indented more", "  const limit = 10;", "      const limit = 10;"],
      ["indented with a tab", "  const limit = 10;", "\tconst limit = 10;"],
      ["given a blank at its end", "  const limit = 10;", "  const limit = 10; "],
    ] as const)
      test(`a line was ${what} by a formatter, and the quote still stands there once: allowed without a word`, async () => {
        const { place, agent, path } = await read();
        place.change("a.js", old, now);
        const wanted = place.text("a.js").replace("limit = 10", "limit = 20");
        expect(await agent.edit(path, { old: "const limit = 10;", new: "const limit = 20;" })).toMatchObject(
          quiet,
        );
        expect(place.text("a.js")).toBe(wanted);
      });

  if (!isPatcher)
    test("a formatter indented all of the file: a part of a line is still edited there", async () => {
      const { place, agent, path } = await read();
      place.put("a.js", source.replace(/^ +/gm, "\t"));
      expect(await agent.edit(path, { old: "const limit = 10;", new: "const limit = 20;" })).toMatchObject(
        quiet,
      );
      expect(place.text("a.js")).toContain("\tconst limit = 20;\n");
    });

  test("the line is gone, and one with other blanks stands elsewhere: denied", async () => {
    const { place, agent, path } = await read();
    place.change("a.js", "  const limit = 10;\n", "");
    place.change("a.js", "export const last", "\tconst limit = 10;\nexport const last");
    const before = place.text("a.js");
    const { deny, rewritten } = await agent.asksEdit(path, {
      old: "const limit = 10;",
      new: "const limit = 20;",
    });
    expect(deny).toContain("REJECTED");
    expect(rewritten).toBeNull();
    expect(place.text("a.js")).toBe(before);
  });

  test("a quote that was a whole line, and is a part of that line now, is denied, also after a refusal showed the line", async () => {
    const { place, agent, path } = await read();
    place.change("a.js", "  const limit = 10;", "  const limit = 10; // most");
    const before = place.text("a.js");
    const whole = { old: "  const limit = 10;", new: "  const limit = 20;" };
    expect(told(await agent.asksEdit(path, { old: `${whole.old}\n`, new: `${whole.new}\n` }))).toContain(
      "// most",
    );
    const outcome = await agent.edit(path, whole);
    expect(told(outcome)).toContain("// most");
    expect(place.text("a.js")).toBe(before);
    const { old, fresh } = { old: "  const limit = 10; // most", fresh: "  const limit = 20; // most" };
    expect(await agent.edit(path, { old, new: fresh })).toMatchObject({ deny: null, failed: null });
  });

  if (!isPatcher) {
    test("a quote that was a part of a line when it was shown is no whole line", async () => {
      const { place, agent, path } = await read();
      place.change("a.js", "  const limit = 10;", "  const limit = 10; // most");
      expect(told(await agent.asksEdit(path, { old: "  const limit = 10;\n", new: "" }))).toContain(
        "// most",
      );
      const part = { old: "limit = 10", new: "limit = 20" };
      expect(await agent.edit(path, part)).toMatchObject({ deny: null, failed: null });
      expect(place.text("a.js")).toContain("  const limit = 20; // most");
    });

    test("a whole line that is a part now may be quoted once the line was read", async () => {
      const { place, agent, path } = await read();
      place.change("a.js", "  const limit = 10;", "  const limit = 10; // most");
      await agent.read(path);
      const part = { old: "  const limit = 10;", new: "  const limit = 20;" };
      expect(await agent.edit(path, part)).toMatchObject(quiet);
      expect(place.text("a.js")).toContain("  const limit = 20; // most");
    });

    test("a quote that fails in blanks alone: rewritten with the file's, or those and the call to send are told", async () => {
      const { place, agent, path } = await read();
      const edit = {
        old: "\tconst limit = 10;\n\tconst found = open(name);\n\treturn found.rows.slice(0, limit);",
        new: "\tconst found = open(name);\n\treturn found.rows.slice(0, 10);",
      };
      const wanted = source.replace(
        "  const limit = 10;\n  const found = open(name);\n  return found.rows.slice(0, limit);",
        "  const found = open(name);\n  return found.rows.slice(0, 10);",
      );
      const outcome = await agent.edit(path, edit);
      const why = outcome.deny ?? outcome.tell ?? "";
      expect(why).toMatch(/blanks/);
      if (outcome.failed === null && driver.can.has("rewriting")) expect(outcome.rewritten).not.toBeNull();
      else {
        expect(why).toMatch(/^9\t {2}const limit = 10;$/m);
        const better = offered(why);
        expect(better).not.toBeNull();
        if (better) expect(await agent.edit(path, better)).toMatchObject(quiet);
      }
      expect(place.text("a.js")).toBe(wanted);
    });

    test("a mapping that is not the same on every line is not done unseen: the call to send is told", async () => {
      const text = "def f(x):\n    if x:\n        return 1\n    return 2\n";
      const { place, agent, path } = await read(text);
      const outcome = await agent.edit(path, { old: "  if x:\n    return 1", new: "  if x:\n    return 3" });
      expect(outcome.rewritten).toBeNull();
      expect(place.text("a.js")).toBe(text);
      const better = offered(told(outcome));
      expect(better).not.toBeNull();
      if (better) expect(await agent.edit(path, better)).toMatchObject(quiet);
      expect(place.text("a.js")).toBe(text.replace("return 1", "return 3"));
    });

    test("blanks that nobody can put right: the tool says what it finds, and where it finds nothing the lines are told", async () => {
      const text = "# Notes\n\nfirst line  \nsecond line\n\nend\n";
      const { place, agent, path } = await read(text);
      const edit = { old: "first line\nsecond line", new: "first\nsecond" };
      const outcome = await agent.edit(path, edit);
      expect(outcome).toMatchObject({ deny: null, rewritten: null });
      if (outcome.failed === null) return;
      expect(told(outcome)).toMatch(
        /in blanks at line starts and ends only.*\n3\tfirst line {2}\n4\tsecond line$/,
      );
      expect(place.text("a.js")).toBe(text);
    });

    test("two places read like it, or words differ: between the agent and its tool", async () => {
      const { place, agent, path } = await read();
      const two = await agent.asksEdit(path, {
        old: "\tconst found = open(name);",
        new: "\tconst found = 1;",
      });
      expect(two).toMatchObject({ deny: null, rewritten: null });
      const other = await agent.asksEdit(path, { old: "\tconst limit  = 10;", new: "\tconst limit = 1;" });
      expect(other).toMatchObject({ deny: null, rewritten: null });
      expect(place.text("a.js")).toBe(source);
    });
  }
}
