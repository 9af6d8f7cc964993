/** What was shown and has changed since. */
import { expect, test } from "vitest";
import type { Driver } from "../drivers/driver.js";
import { type Agent, type Outcome, quiet, Stage, withoutNews } from "../stage.js";
import { offered, rows, source } from "./source.js";

const end = { old: "export const last = 'end';", new: "export const last = 'END';" };
const limit = { old: "  const limit = 10;", new: "  const limit = 20;" };

/** What the model is told of a refused edit, whoever refused it. */
const told = ({ deny, tell, failed }: Outcome): string => deny ?? (failed === null ? "" : (tell ?? ""));

export function stale(driver: Driver): void {
  const read = async (text = source): Promise<{ place: Stage; agent: Agent; path: string }> => {
    const place = new Stage(driver, { "a.js": text });
    const agent = place.agent();
    const path = place.path("a.js");
    await agent.read(path);
    return { place, agent, path };
  };

  test("a foreign change elsewhere is no reason to refuse", async () => {
    const { place, agent, path } = await read();
    place.change("a.js", "const total = second(name).length;", "const total = 0;");
    place.change("a.js", "import { open }", "// new\nimport { open }");
    expect(withoutNews(await agent.edit(path, limit))).toMatchObject(quiet);
    expect(place.text("a.js")).toContain(limit.new);
    expect(place.text("a.js")).toContain("const total = 0;");
  });

  test("a foreign change of the quoted lines: denied, with what was shown, what is there, and rows", async () => {
    const { place, agent, path } = await read();
    place.change("a.js", "  const limit = 10;", "  const limit = 99;");
    const before = place.text("a.js");
    for (const outcome of [await agent.asksEdit(path, limit), await agent.edit(path, limit)]) {
      expect(told(outcome)).toContain(JSON.stringify("  const limit = 10;"));
      expect(told(outcome)).toMatch(/^>>> 9\t {2}const limit = 99;$/m);
      expect(outcome.rewritten).toBeNull();
    }
    expect(place.text("a.js")).toBe(before);
  });

  test("the rows of a denial count as shown: the corrected edit is allowed", async () => {
    const { place, agent, path } = await read();
    place.change("a.js", "  const limit = 10;", "  const limit = 99;");
    expect(told(await agent.asksEdit(path, limit))).toMatch(/^>>> 9\t/m);
    const corrected = { old: "  const limit = 99;", new: "  const limit = 20;" };
    expect(withoutNews(await agent.edit(path, corrected))).toMatchObject(quiet);
    expect(place.text("a.js")).toContain(corrected.new);
  });

  test("quoted lines that were deleted: denied, and it is said that they are gone", async () => {
    const { place, agent, path } = await read();
    place.change("a.js", "  const limit = 10;\n", "");
    const deny = told(await agent.asksEdit(path, limit));
    expect(deny).toMatch(/deleted/);
    expect(deny).toContain(JSON.stringify("  const limit = 10;"));
  });

  test("the seen place is gone and the same text stands only somewhere else: denied", async () => {
    const { place, agent, path } = await read();
    place.change("a.js", "  const limit = 10;\n", "");
    place.change(
      "a.js",
      "export const last",
      "export function fourth() {\n  const limit = 10;\n}\nexport const last",
    );
    const before = place.text("a.js");
    const { deny, rewritten } = await agent.edit(path, limit);
    expect(deny).toContain("REJECTED, nothing written.");
    expect(rewritten).toBeNull();
    expect(place.text("a.js")).toBe(before);
  });

  test("the seen place has changed and the same text was put elsewhere: denied", async () => {
    const { place, agent, path } = await read();
    place.change("a.js", "  const limit = 10;", "  const limit = 11;");
    place.change("a.js", "  return total + 1;", "  const limit = 10;\n  return total + 1;");
    expect((await agent.edit(path, limit)).deny).toContain("REJECTED, nothing written.");
  });

  test("only a context line of the quote changed: carried, or the edit to send is given", async () => {
    const { place, agent, path } = await read();
    place.change("a.js", "  const limit = 10;", "  const limit = 99;");
    const wanted = place.text("a.js").replace("slice(0, limit)", "slice(1, limit)");
    const edit = { old: rows(source, 8, 11), new: rows(source, 8, 11).replace("slice(0,", "slice(1,") };
    const asked = await agent.asksEdit(path, edit);
    if (asked.rewritten) {
      expect(asked.deny).toBeNull();
      expect(
        driver.call({ do: "edit", path, edits: [edit] }, agent.who).run(asked.rewritten).failed,
      ).toBeNull();
    } else {
      const better = offered(asked.deny ?? "");
      expect(better).not.toBeNull();
      if (better) expect(await agent.edit(path, better)).toMatchObject({ deny: null, failed: null });
    }
    expect(place.text("a.js")).toBe(wanted);
  });

  test("the same, as the client does it: never written over, and what to send is told", async () => {
    const { place, agent, path } = await read();
    place.change("a.js", "  const limit = 10;", "  const limit = 99;");
    const wanted = place.text("a.js").replace("slice(0, limit)", "slice(1, limit)");
    const edit = { old: rows(source, 8, 11), new: rows(source, 8, 11).replace("slice(0,", "slice(1,") };
    const outcome = await agent.edit(path, edit);
    const better = offered(told(outcome));
    if (outcome.rewritten) expect(outcome.tell).toContain(path);
    else {
      expect(better).not.toBeNull();
      if (better) expect(await agent.edit(path, better)).toMatchObject({ deny: null, failed: null });
    }
    expect(place.text("a.js")).toBe(wanted);
  });

  test("only blanks of the quoted lines were changed: denied, whatever the tool makes of it", async () => {
    const { place, agent, path } = await read();
    place.change("a.js", "  const limit = 10;", "\tconst limit = 10;");
    const before = place.text("a.js");
    const { deny, failed, rewritten } = await agent.edit(path, limit);
    expect(deny === null && failed === null).toBe(false);
    expect(rewritten).toBeNull();
    expect(place.text("a.js")).toBe(before);
  });

  if (driver.can.has("loose"))
    test("an edit that the tool places by rules of its own is the agent's work", async () => {
      const { place, agent, path } = await read();
      const loose = {
        old: "const limit = 10;\nconst found = open(name);\nreturn found",
        new: "const x = 1;",
      };
      expect((await agent.edit(path, loose)).failed).not.toBeNull();
      // No whole step deeper: what that would be with the blanks of the file cannot be told.
      const edit = { old: "\tconst limit = 10;", new: "\tconst limit =\n\t   20;" };
      expect(withoutNews(await agent.edit(path, edit))).toMatchObject(quiet);
      expect(place.text("a.js")).toContain("\tconst limit =\n\t   20;");
      expect(withoutNews(await agent.edit(path, { old: edit.new, new: limit.old }))).toMatchObject(quiet);
      expect(withoutNews(await agent.write(path, "all mine\n"))).toMatchObject(quiet);
    });

  test("a whole-file write after a foreign change is denied, with the rows that changed", async () => {
    const { place, agent, path } = await read();
    place.change("a.js", "  const limit = 10;", "  const limit = 99;");
    const before = place.text("a.js");
    const { deny } = await agent.write(path, "all mine\n");
    expect(deny).toContain("REJECTED, nothing written.");
    expect(place.text("a.js")).toBe(before);
    await agent.read(path);
    expect(withoutNews(await agent.write(path, "all mine\n"))).toMatchObject(quiet);
  });

  test("own text that somebody changed, after another denial has shown it: what it was is still told", async () => {
    const { place, agent, path } = await read();
    await agent.edit(path, limit);
    place.change("a.js", limit.new, "  const limit = 99;");
    expect((await agent.asksWrite(path, "all mine\n")).deny).toContain("REJECTED");
    const { deny } = await agent.asksEdit(path, { old: limit.new, new: "  const limit = 30;" });
    expect(deny).toContain(JSON.stringify(limit.new));
    expect(deny).toMatch(/^(>>> | {4})9\t {2}const limit = 99;$/m);
  });

  test("a foreign change that was read since is no reason to refuse", async () => {
    const { place, agent, path } = await read();
    place.change("a.js", "  const limit = 10;", "  const limit = 99;");
    await agent.read(path, { first: 8, last: 12 });
    expect(await agent.edit(path, { old: "  const limit = 99;", new: "  const limit = 5;" })).toMatchObject(
      quiet,
    );
  });

  test("text that came back as it was is edited again", async () => {
    const { place, agent, path } = await read();
    place.change("a.js", "  const limit = 10;", "  const limit = 99;");
    expect((await agent.asksEdit(path, end)).deny).toBeNull();
    place.put("a.js", source);
    expect(await agent.edit(path, limit)).toMatchObject({ deny: null, failed: null });
  });

  test("lines that moved with their surroundings are edited where they are now", async () => {
    const { place, agent, path } = await read();
    const block = rows(source, 8, 12);
    place.put("a.js", `${source.replace(`${block}\n`, "")}\n// moved\n`);
    place.put("a.js", source.replace("import", "// one\n// two\n// three\nimport"));
    expect(withoutNews(await agent.edit(path, limit))).toMatchObject(quiet);
  });

  test("a line that stands twice, and somebody changed the one that was meant", async () => {
    const { place, agent, path } = await read();
    const edit = { old: rows(source, 9, 10), new: "  const limit = 1;\n  const found = null;" };
    place.change("a.js", rows(source, 9, 10), "  const limit = 10;\n  const found = other(name);");
    const outcome = await agent.asksEdit(path, edit);
    expect(outcome.deny).toContain("other(name)");
  });

  /** Line 15 becomes these, or is taken out; lines 14 and 16 stand as they were shown. */
  const beside: Readonly<Record<string, string>> = {
    "was changed": "  const total = 0;\n",
    "became two": "  const total = 0;\n  use(total);\n",
    "was taken out": "",
    "got one before it": "  // new\n  const total = second(name).length;\n",
    "got one after it": "  const total = second(name).length;\n  // new\n",
  };
  if (driver.client === "claude-code" || driver.client === "codex")
    for (const [what, made] of Object.entries(beside))
      for (const line of [14, 16])
        for (const more of ["", "\n  // mine"])
          test(`the line ${line < 15 ? "below" : "above"} ${what}: line ${line} is ${more ? "added to" : "edited"} all the same`, async () => {
            const { place, agent, path } = await read();
            place.change("a.js", "  const total = second(name).length;\n", made);
            const old = rows(source, line);
            const edit = { old, new: more ? `${old}${more}` : "  changed();" };
            expect(await agent.edit(path, edit)).toMatchObject({ deny: null, failed: null });
            const wanted = source
              .replace(`\n${old}\n`, () => `\n${edit.new}\n`)
              .replace("  const total = second(name).length;\n", () => made);
            expect(place.text("a.js")).toBe(wanted);
          });

  if (driver.can.has("all"))
    test("all places: each was shown; one that changed since is not written over", async () => {
      const { place, agent, path } = await read();
      const edit = { old: "  const found = open(name);", new: "  const found = openAll(name);", all: true };
      expect(withoutNews(await agent.edit(path, edit))).toMatchObject(quiet);
      expect(place.text("a.js").split("openAll(name)")).toHaveLength(3);
      expect(withoutNews(await agent.edit(path, limit))).toMatchObject(quiet);
    });

  if (driver.can.has("several edits"))
    test("several edits in one call, one of them of what another wrote", async () => {
      const { place, agent, path } = await read();
      const more = { old: limit.new, new: "  const limit = 30;" };
      expect(withoutNews(await agent.edit(path, limit, end, more))).toMatchObject(quiet);
      expect(place.text("a.js")).toContain("const limit = 30;");
      place.change("a.js", end.new, "export const last = 'theirs';");
      const two = [
        { old: "  const limit = 30;", new: "  const limit = 40;" },
        { old: end.new, new: "export const last = 'mine';" },
      ];
      const { deny } = await agent.asksEdit(path, ...two);
      expect(deny).toContain("theirs");
      expect(place.text("a.js")).toContain("const limit = 30;");
    });
}
