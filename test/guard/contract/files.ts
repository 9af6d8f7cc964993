/** Files as they are found: names, places, line ends, encodings. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import type { Driver } from "../drivers/driver.js";
import { quiet, Stage } from "../stage.js";
import { source } from "./source.js";

const limit = { old: "  const limit = 10;", new: "  const limit = 20;" };
const again = { old: "  const limit = 20;", new: "  const limit = 30;" };

export function files(driver: Driver): void {
  const stage = (): Stage => new Stage(driver, { "a.js": source, "sub/b.js": source });

  test("relative and absolute paths are one file", async () => {
    const place = stage();
    const agent = place.agent();
    await agent.read("a.js");
    expect(await agent.edit(place.path("a.js"), limit)).toMatchObject(quiet);
    await agent.read(place.path("sub/b.js"));
    expect(await agent.edit("./sub/../sub/b.js", limit)).toMatchObject(quiet);
  });

  for (const git of [true, false])
    test(`a conversation that goes to another folder of its project, ${git ? "with" : "without"} git`, async () => {
      const place = new Stage(driver, { "a.js": source, "sub/b.js": source }, { git });
      const [above, inside] = [place.agent("one"), place.agent("one", { cwd: place.path("sub") })];
      await above.read("sub/b.js");
      expect(await inside.edit("b.js", limit)).toMatchObject(quiet);
      expect(await above.edit("sub/b.js", again)).toMatchObject(quiet);
      expect((await inside.edit("../a.js", limit)).deny).toContain("was not read");
    });

  test("a file outside the project is guarded like any other", async () => {
    const place = stage();
    const agent = place.agent();
    const outside = join(place.scratch, "elsewhere.js");
    const change = (old: string, fresh: string): void =>
      writeFileSync(outside, readFileSync(outside, "utf8").replace(old, fresh));
    writeFileSync(outside, source);
    expect((await agent.edit(outside, limit)).deny).toContain("was not read");
    await agent.read(outside);
    expect(await agent.edit(outside, limit)).toMatchObject(quiet);
    expect(await agent.edit(outside, again)).toMatchObject(quiet);
    // Its text is not kept, so it cannot be told where its lines are now.
    change("limit = 30", "limit = 77");
    const last = { old: again.new, new: "  const limit = 40;" };
    const { deny } = await agent.asksEdit(relative(place.folder, outside), last);
    expect(deny).toMatch(driver.reads(outside));
    await agent.read(outside);
    const better = { old: "  const limit = 77;", new: "  const limit = 40;" };
    expect(await agent.edit(outside, better)).toMatchObject(quiet);
  });

  test("a file in another repository is guarded like any other", async () => {
    const place = stage();
    const agent = place.agent();
    mkdirSync(join(place.scratch, "other"));
    writeFileSync(join(place.scratch, "other/c.js"), source);
    place.foreign("cd ../other && git init -q . && cd ../project && git init -q .");
    const path = join(place.scratch, "other/c.js");
    expect((await agent.edit(path, limit)).deny).toContain("was not read");
    await agent.read(path);
    expect(await agent.edit(path, limit)).toMatchObject(quiet);
    expect(await place.agent("one", { cwd: join(place.scratch, "other") }).edit("c.js", again)).toMatchObject(
      quiet,
    );
  });

  test("a link and what it leads to are one file", async () => {
    const place = stage();
    symlinkSync("a.js", place.path("link.js"));
    symlinkSync("sub", place.path("linked"));
    const agent = place.agent();
    await agent.read(place.path("link.js"));
    expect(await agent.edit(place.path("a.js"), limit)).toMatchObject(quiet);
    expect(await agent.edit(place.path("link.js"), again)).toMatchObject(quiet);
    await agent.read(place.path("sub/b.js"));
    expect(await agent.edit(place.path("linked/b.js"), limit)).toMatchObject(quiet);
  });

  test("a project that is itself reached through a link", async () => {
    const place = stage();
    symlinkSync("project", join(place.scratch, "way"));
    const agent = place.agent("one", { cwd: join(place.scratch, "way") });
    await agent.read(join(place.scratch, "way/a.js"));
    expect(await agent.edit(place.path("a.js"), limit)).toMatchObject(quiet);
    expect(await agent.edit("a.js", again)).toMatchObject(quiet);
  });

  const texts: Readonly<Record<string, { text: string | Uint8Array; edit?: boolean }>> = {
    "line ends of Windows": { text: source.replaceAll("\n", "\r\n") },
    "mixed line ends": { text: source.replace("\n", "\r\n") },
    "a byte order mark": { text: `\ufeff${source}` },
    "no end of the last line": { text: source.trimEnd() },
    "a form feed and tabs": { text: source.replace("\n\n", "\n\f\n\t\tx\n") },
    "many languages": { text: source.replace("'end'", "'конец 結束 👩‍👩‍👧 e\u0301'") },
  };
  for (const [name, { text }] of Object.entries(texts))
    test(`${name}: read, edited twice, changed by others, written over`, async () => {
      const place = new Stage(driver, { "a.js": text });
      const agent = place.agent();
      const path = place.path("a.js");
      expect((await agent.asksEdit(path, limit)).deny).toContain("was not read");
      await agent.read(path);
      expect(await agent.edit(path, limit)).toMatchObject(quiet);
      expect(await agent.edit(path, again)).toMatchObject(quiet);
      place.change("a.js", "limit = 30;", "limit = 99;");
      expect((await agent.asksEdit(path, { old: again.new, new: limit.old })).deny).toMatch(/>>> \d+\t.*99/);
      await agent.read(path);
      expect(await agent.write(path, "x\n")).toMatchObject(quiet);
    });

  test("a file in Latin-1: lines that the client shows as they are can be edited", async () => {
    const place = new Stage(driver, {
      "a.js": Buffer.from(source.replace("'end'", "'fin d\u00e9j\u00e0'"), "latin1"),
    });
    const agent = place.agent();
    await agent.read(place.path("a.js"));
    expect(await agent.edit(place.path("a.js"), limit)).toMatchObject({ deny: null, failed: null });
    expect(await agent.edit(place.path("a.js"), again)).toMatchObject({ deny: null, failed: null });
  });

  test("an empty file, once shown, is written", async () => {
    const place = new Stage(driver, { "empty.js": "" });
    const agent = place.agent();
    await agent.read(place.path("empty.js"));
    expect(await agent.write(place.path("empty.js"), source)).toMatchObject({ deny: null });
    expect(await agent.edit(place.path("empty.js"), limit)).toMatchObject(quiet);
  });

  for (const name of ["naïve файл 名.js", "with 'quotes' and $HOME.js", "-dash.js", "[id].js"])
    test(`a file called ${name}`, async () => {
      const place = new Stage(driver, { [name]: source });
      const agent = place.agent();
      const { deny } = await agent.asksEdit(place.path(name), limit);
      expect(deny).toMatch(driver.reads(place.path(name)));
      // Where a command is named, it is one that works.
      const command = /\brun `(.*)` first/.exec(deny ?? "")?.[1];
      if (command === undefined) await agent.read(place.path(name));
      else expect((await agent.shell(command)).printed).toContain("const limit = 10;");
      expect(await agent.edit(place.path(name), limit)).toMatchObject(quiet);
    });

  if (driver.can.has("notebook"))
    test("a notebook: unread denied, read allowed, changed since denied, own edits go on", async () => {
      const cell = (id: string, code: string) => ({
        cell_type: "code",
        id,
        source: [code],
        metadata: {},
        outputs: [],
      });
      const book = { cells: [cell("c1", "print(1)"), cell("c2", "print(2)")], metadata: {}, nbformat: 4 };
      const place = new Stage(driver, { "nb.ipynb": JSON.stringify(book) });
      const agent = place.agent();
      const path = place.path("nb.ipynb");
      const edit = (id: string, text: string) => agent.act({ do: "notebook", path, cell: id, source: text });
      expect((await edit("c1", "print(3)")).deny).toMatch(driver.reads(path));
      await agent.read(path);
      expect(await edit("c1", "print(3)")).toMatchObject(quiet);
      expect(await edit("c2", "print(4)")).toMatchObject(quiet);
      place.change("nb.ipynb", "print(4)", "print(5)");
      expect((await edit("c2", "print(6)")).deny).toContain("REJECTED");
      expect(place.text("nb.ipynb")).toContain("print(5)");
    });
}
