/** Several agents in one project: each knows what it was shown, and who did the rest. */
import { expect, test } from "vitest";
import type { Driver } from "../drivers/driver.js";
import { quiet, Stage, withoutNews } from "../stage.js";
import { source } from "./source.js";

const limit = { old: "  const limit = 10;", new: "  const limit = 20;" };
const theirs = { old: "  const limit = 10;", new: "  const limit = 99;" };
const end = { old: "export const last = 'end';", new: "export const last = 'END';" };

/** Ways in which commands take away work that is in no commit. */
const losing: readonly string[] = [
  "git checkout -- .",
  "git checkout .",
  "git restore a.js",
  "git reset -q --hard",
  "git stash -q",
  "git checkout -q -f other",
  "rm a.js",
];

export function agents(driver: Driver): void {
  const stage = (): Stage => new Stage(driver, { "a.js": source, "b.js": "one\ntwo\n" });
  const withGit = (): Stage => {
    const place = new Stage(driver, { "a.js": source, "b.js": "one\ntwo\n" }, { git: true });
    place.foreign("git branch other");
    return place;
  };

  test("what one agent was shown does not open the file for another", async () => {
    const place = stage();
    await place.agent("one").read(place.path("a.js"));
    expect((await place.agent("two").edit(place.path("a.js"), limit)).deny).toContain("was not read");
  });

  test("a change by another agent is refused with its name", async () => {
    const place = stage();
    const [one, two] = [place.agent("one"), place.agent("two")];
    const path = place.path("a.js");
    await one.read(path);
    await two.read(path);
    await two.edit(path, theirs);
    expect((await one.asksEdit(path, limit)).deny).toMatch(/was " {2}const limit = 10;", changed by \S*two/);
  });

  test("two agents take turns in different places of one file", async () => {
    const place = stage();
    const [one, two] = [place.agent("one"), place.agent("two")];
    const path = place.path("a.js");
    await one.read(path);
    await two.read(path);
    for (let count = 0; count < 3; count++) {
      const [from, to] = [`  const limit = 1${count};`, `  const limit = 1${count + 1};`];
      const [last, next] = [
        `export const last = 'end${count || ""}';`,
        `export const last = 'end${count + 1}';`,
      ];
      expect(withoutNews(await one.edit(path, { old: from, new: to }))).toMatchObject(quiet);
      expect(withoutNews(await two.edit(path, { old: last, new: next }))).toMatchObject(quiet);
    }
    expect(place.text("a.js")).toContain("limit = 13;");
    expect(place.text("a.js")).toContain("'end3'");
  });

  test("folding one conversation leaves another as it was", async () => {
    const place = stage();
    const [one, two] = [place.agent("one"), place.agent("two")];
    await one.read(place.path("a.js"));
    await two.read(place.path("a.js"));
    await two.fold();
    expect(await one.edit(place.path("a.js"), limit)).toMatchObject(quiet);
  });

  if (driver.can.has("subagents")) {
    test("a subagent has its own ledger: what its parent was shown does not count", async () => {
      const place = stage();
      const [parent, child] = [place.agent("one"), place.agent("one", { subagent: "a0ed2bb285f765239" })];
      const path = place.path("a.js");
      await parent.read(path);
      expect((await child.edit(path, limit)).deny).toContain("was not read");
      await child.read(path);
      expect(withoutNews(await child.edit(path, limit))).toMatchObject(quiet);
      expect(withoutNews(await parent.edit(path, end))).toMatchObject(quiet);
      expect((await parent.asksEdit(path, theirs)).deny).toMatch(/changed by \S*a0ed2bb285f765239/);
    });

    test("what a subagent was shown does not count for its parent", async () => {
      const place = stage();
      await place.agent("one", { subagent: "a1" }).read(place.path("a.js"));
      expect((await place.agent("one").edit(place.path("a.js"), limit)).deny).toContain("was not read");
    });
  }

  test("lost work: a linter that writes another line in the place of one takes nothing away", async () => {
    const place = withGit();
    const [owner, other] = [place.agent("owner"), place.agent("other")];
    const path = place.path("a.js");
    await owner.read(path);
    const block = Array.from({ length: 12 }, (_, at) => `  step${at}(limit, "${at}");`);
    await owner.edit(path, { old: limit.old, new: [limit.new, ...block].join("\n") });
    const rule = "/* eslint-disable no-unused-vars, max-lines */";
    const linter = (command: string) => other.shell(`${command} a.js > t && cat t > a.js && rm t`);
    expect(await linter(`awk '{ if (/step7/) print "${rule}"; else print }'`)).toMatchObject(quiet);
    const { tell } = await linter("grep -v step3");
    expect(tell).toMatch(/took away lines of 1 edit:\n\S+ {2}\S*a\.js, lines 9-21 \(1 of 13 gone\)/);
  });

  // What a command takes away does not depend on the client that ran it.
  for (const command of driver.client === "claude-code" ? losing : losing.slice(0, 1))
    test(`lost work: ${command} is told to who ran it, and to whose work it was`, async () => {
      const place = withGit();
      const [owner, other] = [place.agent("owner"), place.agent("other")];
      const path = place.path("a.js");
      await owner.read(path);
      await owner.edit(path, limit);
      const ran = await other.shell(command);
      expect(ran.tell).toMatch(/a\.js/);
      expect(ran.tell).toMatch(/\b(lost|took away)\b/);
      expect(ran.tell).toContain("kedge restore");
      const next = await owner.read(place.path("b.js"));
      expect(next.tell).toMatch(/a\.js/);
      expect(next.tell).toContain(command);
      expect(next.tell).toMatch(/other/);
      expect(await owner.read(place.path("b.js"))).toMatchObject({ tell: null });
    });

  test("lost work: one who takes away its own is told, once", async () => {
    const place = withGit();
    const agent = place.agent();
    await agent.read(place.path("a.js"));
    await agent.edit(place.path("a.js"), limit);
    expect((await agent.shell("git checkout -- .")).tell).toContain("kedge restore");
    expect(await agent.shell("ls")).toMatchObject(quiet);
    expect(await agent.read(place.path("b.js"))).toMatchObject(quiet);
  });

  test("lost work: what is in a commit is not lost by a change of branch", async () => {
    const place = withGit();
    const agent = place.agent();
    await agent.read(place.path("a.js"));
    await agent.edit(place.path("a.js"), limit);
    expect(await agent.shell("git commit -qam work")).toMatchObject(quiet);
    expect(await agent.shell("git checkout -q other")).toMatchObject(quiet);
    expect(await agent.shell("git checkout -q main")).toMatchObject(quiet);
  });

  test("lost work: a new file that a command changed before it was committed is not lost by a change of branch", async () => {
    const place = withGit();
    const [one, two] = [place.agent("one"), place.agent("two")];
    const name = "export function made(input) {\n  const value = input;\n  return value;\n}\n";
    await one.write(place.path("new.js"), `// made\n${name}`);
    for (const command of [
      "sed -i 's/input/given/g' new.js",
      "git add -A && git commit -qm work",
      "git checkout -q other",
      "git checkout -q main",
    ]) {
      const { tell, deny } = await two.shell(command);
      // A commit of another agent's lines is spoken of.
      expect([deny, tell?.includes("takes lines of") ? null : tell], command).toEqual([null, null]);
    }
  });

  test("lost work: what a later edit replaced is not lost", async () => {
    const place = withGit();
    const agent = place.agent();
    await agent.read(place.path("a.js"));
    await agent.edit(place.path("a.js"), limit);
    await agent.edit(place.path("a.js"), { old: limit.new, new: limit.old });
    expect(await agent.shell("git checkout -- .")).toMatchObject(quiet);
  });

  test("lost work: commands that change nothing say nothing", async () => {
    const place = withGit();
    const agent = place.agent();
    await agent.read(place.path("a.js"));
    await agent.edit(place.path("a.js"), limit);
    for (const command of ["git status", "git diff", "ls", "git stash list", "git log --oneline"])
      expect(await agent.shell(command)).toMatchObject(quiet);
  });
}
