/** What shows lines besides the client's tool for reading, and what writes them. */
import { expect, test } from "vitest";
import type { Driver } from "../drivers/driver.js";
import { quiet, Stage, withoutNews } from "../stage.js";
import { rows, source } from "./source.js";

const limit = { old: "  const limit = 10;", new: "  const limit = 20;" };

/** Commands that show line 9 of a.js, in ways agents do. */
const showing: Readonly<Record<string, string>> = {
  cat: "cat a.js",
  "cat of several": "cat b.js a.js",
  "cat with numbers": "cat -n a.js",
  nl: "nl -ba a.js",
  head: "head -n 12 a.js",
  tail: "tail -n 12 a.js",
  "a window of sed": "sed -n 8,12p a.js",
  "one line of sed": "sed -n 9p a.js",
  "grep with numbers": "grep -n 'const limit' a.js",
  grep: "grep 'const limit' a.js",
  "grep through folders": "grep -rn 'const limit' .",
  "grep with surroundings": "grep -n -B1 -A3 'const limit' a.js",
  awk: "awk 'NR>=8 && NR<=12' a.js",
  "from a folder": "cd sub && cat ../a.js",
  "after other output": "ls && echo --- && cat a.js",
  "git show": "git show HEAD:a.js",
  "with an exit status": "cat a.js; false",
};

/** Commands that name a.js, or print something of it, but show nothing that opens it. */
const hiding: Readonly<Record<string, string>> = {
  ls: "ls -l a.js",
  wc: "wc -l a.js",
  "a quiet grep": "grep -c limit a.js",
  "files that match": "grep -l limit a.js",
  "an empty line": "sed -n 2p a.js",
  "a brace": "sed -n 6p a.js",
  "part of a line": "sed -n 9p a.js | cut -c1-9",
  "another file": "cat b.js",
  "a test run": "test -f a.js && echo ok a.js",
};

export function shown(driver: Driver): void {
  const stage = (git = true): Stage =>
    new Stage(driver, { "a.js": source, "b.js": "one\n}\n\n}\ntwo\n", "sub/c.js": "three\n" }, { git });

  for (const [name, command] of Object.entries(showing))
    test(`shell: ${name} shows lines`, async () => {
      const place = stage(command.includes("git"));
      const agent = place.agent();
      expect(await agent.shell(command)).toMatchObject(quiet);
      expect(await agent.edit(place.path("a.js"), limit)).toMatchObject(quiet);
    });

  for (const [name, command] of Object.entries(hiding))
    test(`shell: ${name} shows nothing that counts`, async () => {
      const place = stage(false);
      const agent = place.agent();
      expect(await agent.shell(command)).toMatchObject(quiet);
      expect((await agent.edit(place.path("a.js"), limit)).deny).toContain("was not read in this session");
    });

  test("a blank line at the end of a window, and of the file, was shown", async () => {
    const place = new Stage(driver, { "a.js": "one\ntwo\n\nfour\n\n" });
    const agent = place.agent();
    await agent.read(place.path("a.js"), { first: 1, last: 3 });
    await agent.read(place.path("a.js"), { first: 4, last: 5 });
    expect(await agent.write(place.path("a.js"), "new\n")).toMatchObject(quiet);
  });

  test("shell: a path from the root of the disk", async () => {
    const place = stage(false);
    const agent = place.agent();
    await agent.shell(`cat '${place.path("a.js")}'`);
    expect(await agent.edit("a.js", limit)).toMatchObject(quiet);
  });

  test("shell: all of a file in parts opens it for a whole-file write; some of it does not", async () => {
    const place = stage(false);
    const agent = place.agent();
    await agent.shell("sed -n 1,11p a.js");
    expect((await agent.asksWrite(place.path("a.js"), "mine\n")).deny).toContain("12-19");
    await agent.shell("sed -n 12,19p a.js");
    expect(await agent.write(place.path("a.js"), "mine\n")).toMatchObject({ deny: null });
  });

  test("shell: a diff shows the lines it prints, as they are now", async () => {
    const place = stage();
    const agent = place.agent();
    place.change("a.js", "  const limit = 10;", "  const limit = 99;");
    expect(await agent.shell("git diff")).toMatchObject(quiet);
    const edit = { old: "  const limit = 99;", new: "  const limit = 5;" };
    expect(await agent.edit(place.path("a.js"), edit)).toMatchObject(quiet);
    expect((await agent.write(place.path("a.js"), "mine\n")).deny).toContain("REJECTED");
  });

  test("shell: a file written by a heredoc is the agent's own", async () => {
    const place = stage(false);
    const agent = place.agent();
    await agent.shell("cat > new.js <<'EOF'\nconst one = 1;\nconst two = 2;\nEOF");
    const edit = { old: "const two = 2;", new: "const two = 3;" };
    expect(await agent.edit(place.path("new.js"), edit)).toMatchObject(quiet);
    expect(await agent.write(place.path("new.js"), "mine\n")).toMatchObject({ deny: null });
  });

  test("shell: what is appended by a heredoc is known, what stood there before is not", async () => {
    const place = stage(false);
    const agent = place.agent();
    await agent.shell("cat >> a.js <<'EOF'\nexport const more = 1;\nexport const most = 2;\nEOF");
    const own = { old: "export const most = 2;", new: "export const most = 3;" };
    expect(await agent.edit(place.path("a.js"), own)).toMatchObject({ deny: null, failed: null });
    expect((await agent.write(place.path("a.js"), "mine\n")).deny).toContain("REJECTED");
  });

  test("shell: a change by sed -i, then read again", async () => {
    const place = stage(false);
    const agent = place.agent();
    await agent.read(place.path("a.js"));
    await agent.shell("sed -i 's/limit = 10/limit = 11/' a.js");
    await agent.read(place.path("a.js"));
    const edit = { old: "  const limit = 11;", new: "  const limit = 12;" };
    expect(await agent.edit(place.path("a.js"), edit)).toMatchObject(quiet);
  });

  test("shell: a change by sed -i elsewhere does not lock the agent out", async () => {
    const place = stage(false);
    const agent = place.agent();
    await agent.read(place.path("a.js"));
    await agent.shell("sed -i 's/total + 1/total + 2/' a.js");
    expect(await agent.edit(place.path("a.js"), limit)).toMatchObject({ deny: null, failed: null });
  });

  for (const move of [
    "mv a.js moved.js",
    "git mv a.js moved.js",
    "mkdir lib && git mv a.js lib/ && mv lib/a.js moved.js",
  ])
    test(`shell: a file that was seen is still known after ${move}`, async () => {
      const place = stage();
      const agent = place.agent();
      await agent.read(place.path("a.js"));
      await agent.edit(place.path("a.js"), { old: rows(source, 16), new: "  return total + 2;" });
      await agent.shell(move);
      expect(await agent.edit(place.path("moved.js"), limit)).toMatchObject({ deny: null, failed: null });
      expect(place.text("moved.js")).toContain(limit.new);
    });

  test("shell: a file that others have changed elsewhere is still known where it was moved to", async () => {
    const place = stage(false);
    const [one, two] = [place.agent("one"), place.agent("two")];
    await one.read("a.js");
    await two.read("a.js");
    await two.edit("a.js", { old: rows(source, 16), new: "  return total + 2;" });
    await one.shell("mv a.js moved.js");
    expect(await one.edit("moved.js", limit)).toMatchObject({ deny: null, failed: null });
    place.change("moved.js", limit.new, "  const limit = 99;");
    const { deny } = await one.asksEdit("moved.js", { old: limit.new, new: limit.old });
    expect(deny).toContain("99");
  });

  test("shell: moved, committed, away with another commit and back: still known", async () => {
    const place = stage();
    const agent = place.agent();
    await agent.read(place.path("a.js"));
    await agent.edit(place.path("a.js"), { old: rows(source, 16), new: "  return total + 2;" });
    for (const command of [
      "git commit -qam edited",
      "git mv a.js moved.js",
      "git commit -qm moved",
      "git checkout -q main~1",
      "ls",
      "git checkout -q main",
    ])
      expect(await agent.shell(command), command).toMatchObject(quiet);
    expect(await agent.edit(place.path("moved.js"), limit)).toMatchObject({ deny: null, failed: null });
  });

  for (const [seen, move] of [
    ["never", "mv a.js moved.js"],
    ["never", "mkdir -p lib && git mv a.js lib/moved.js"],
    ["before", "mv a.js moved.js"],
    ["before", "git mv a.js moved.js"],
    ["after", "git mv a.js moved.js"],
  ] as const)
    test(`shell: moved by one who saw it ${seen} (${move}), committed, away and back: nothing was lost`, async () => {
      const place = stage();
      const [one, two] = [place.agent("one"), place.agent("two")];
      if (seen === "before") await two.read("a.js");
      await one.read("a.js");
      await one.edit("a.js", limit);
      if (seen === "after") await two.read("a.js");
      for (const [agent, command] of [
        [two, move],
        [one, "git add -A && git commit -qm moved"],
        [one, "git checkout -q main~1"],
        [one, "git checkout -q main"],
      ] as const)
        expect(await agent.shell(command), command).toMatchObject(quiet);
    });

  test("shell: moving a file that was not seen opens nothing", async () => {
    const place = stage(false);
    const agent = place.agent();
    await agent.shell("mv a.js moved.js");
    expect((await agent.edit(place.path("moved.js"), limit)).deny).toContain("was not read");
  });

  test("shell: output that repeats the lines of another file opens only what was printed", async () => {
    const place = new Stage(driver, { "a.js": source, "copy.js": source.replace("10", "11") });
    const agent = place.agent();
    await agent.read(place.path("a.js"), { first: 1, last: 2 });
    await agent.shell("cat copy.js");
    const { deny } = await agent.asksWrite(place.path("a.js"), "mine\n");
    expect(deny).toContain("REJECTED");
  });

  if (driver.can.has("grep"))
    for (const [file, where] of [
      ["a.js", "a.js"],
      ["lib/deep.js", "lib/deep.js"],
      ["lib/deep.js", "lib"],
      ["a.js", "."],
    ] as const)
      test(`the client's search tool shows the lines it prints: ${file}, searched in ${where}`, async () => {
        const place = stage(false);
        place.put("lib/deep.js", source.replace("second", "deepest"));
        const agent = place.agent();
        const path = place.path(file);
        expect(await agent.grep("const limit", place.path(where))).toMatchObject(quiet);
        expect(await agent.edit(path, limit)).toMatchObject(quiet);
        expect((await agent.asksWrite(path, "mine\n")).deny).toContain("REJECTED");
      });

  test("a formatter after an edit: told, and its text is edited next", async () => {
    const place = stage(false);
    const agent = place.agent();
    const path = place.path("a.js");
    await agent.read(path);
    place.formatter = () => {
      place.put("a.js", place.text("a.js").replaceAll("'", '"'));
    };
    const { tell, deny } = await agent.edit(path, {
      old: rows(source, 19),
      new: "export const last = 'fin';",
    });
    expect(deny).toBeNull();
    expect(tell).toContain("formatter");
    expect(tell).toContain('export const last = "fin";');
    expect(tell).toContain('import { open } from "./open.js";');
    const next = { old: 'export const last = "fin";', new: 'export const last = "done";' };
    expect(await agent.edit(path, next)).toMatchObject(quiet);
    expect(await agent.write(path, '"whole";\n')).toMatchObject(quiet);
  });

  for (const looks of ["not", "before", "after"])
    test(`a change by another agent, before the edit, is no formatter's (it looked ${looks})`, async () => {
      const place = stage(false);
      const [one, two] = [place.agent("one"), place.agent("two")];
      const path = place.path("new.js");
      await one.write(path, source);
      if (looks === "before") await two.read(path, { first: 8, last: 12 });
      await two.shell("sed -i 's/total/sum/g' new.js");
      if (looks === "after") await two.read(path);
      const edited = await one.edit(path, { old: rows(source, 1), new: "// one\n// two" });
      expect(withoutNews(edited)).toMatchObject(quiet);
      expect(edited.tell).toMatch(/^kedge: \S+:two changed new.js: /);
    });

  test("a formatter that changes nothing is not spoken of", async () => {
    const place = stage(false);
    const agent = place.agent();
    await agent.read(place.path("a.js"));
    place.formatter = () => place.put("a.js", place.text("a.js"));
    expect(await agent.edit(place.path("a.js"), limit)).toMatchObject(quiet);
  });
}
