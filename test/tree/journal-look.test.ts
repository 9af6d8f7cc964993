/** What becomes of lines after moves, new layouts, stashes and merges: whose they are, and whether they are lost. */
import { describe, expect, test } from "vitest";
import type { Driver } from "../guard/drivers/driver.js";
import { drivers } from "../guard/drivers/index.js";
import { type Agent, Stage } from "../guard/stage.js";
import { TreeGround } from "./ground.js";

const ten = Array.from({ length: 10 }, (_, at) => `line number ${at + 1}\n`).join("");
const driver = drivers.find(({ client }) => client === "claude-code") as Driver;
const nothing = "[nothing is lost]\n";

async function stageWith(files: Record<string, string>, ...names: string[]) {
  const stage = new Stage(driver, files, { git: true });
  const agents = names.map((name) => stage.agent(name));
  for (const agent of agents) await agent.begin();
  return { stage, agents };
}

describe("a file that was moved", () => {
  test("takes nothing away from the list of what is lost under the name that it got", async () => {
    const { stage, agents } = await stageWith({ "a.txt": ten }, "one", "two");
    const [one, two] = agents as [Agent, Agent];
    await one.read(stage.path("a.txt"));
    await one.edit(stage.path("a.txt"), { old: "line number 10", new: "line number ten" });
    await one.write(stage.path("b.txt"), "made by one\n");
    await two.shell("git stash -q -u");
    const put = await stage.kedge("lost");
    expect(put).toContain("b.txt:1 (in stash@{0})");
    await two.shell("mv a.txt b.txt");
    expect(await stage.kedge("lost")).toContain("b.txt:1 (in stash@{0})");
  });

  test("keeps the authors of its lines: none of them is found to be the person's", async () => {
    const ground = new TreeGround({ "a.txt": ten });
    await ground.begin();
    await ground.shell("echo 'by one' >> a.txt");
    await ground.shell("mv a.txt c.txt", "two");
    ground.put("c.txt", `${ground.text("c.txt")}typed\n`);
    await ground.prompt();
    await ground.shell("sed -i '/typed/d;/by one/d' c.txt", "two");
    const made = (await ground.store.journal()).map(({ agent, change, swept }) => [
      agent,
      change?.at(-1),
      swept,
    ]);
    expect(made).toEqual([
      ["one", 11, undefined],
      ["two", 11, undefined],
      ["outside", 12, undefined],
      ["two", 10, [10, 12]],
    ]);
  });

  test("with a folder that has older times was moved by the command", async () => {
    const ground = new TreeGround({ "src/a.txt": ten, "src/b.txt": ten.toUpperCase() });
    ground.put("src/new.txt", "untracked\n");
    ground.later = 3_600_000;
    await ground.begin();
    ground.later += 60_000;
    expect(ground.told(await ground.shell("mv src lib")).sort()).toEqual([
      "one shell src/a.txt to lib/a.txt",
      "one shell src/b.txt to lib/b.txt",
      "one shell src/new.txt to lib/new.txt",
    ]);
  });
});

test("a person's lines from before the first edit of a tool are lost with those that it added", async () => {
  const stage = new Stage(driver, { "a.txt": ten }, { git: true });
  stage.put("a.txt", `${ten}typed\n`);
  const [one, two] = [stage.agent("one"), stage.agent("two")];
  await one.begin();
  await two.begin();
  await one.read(stage.path("a.txt"));
  await one.edit(stage.path("a.txt"), { old: "line number 10", new: "line number 10\nby one" });
  const before = stage.text("a.txt");
  await two.shell("git checkout -- .");
  await stage.kedge("restore", "--all");
  expect(stage.text("a.txt")).toBe(before);
});

test("git's own text is the command's, though a person saved the file a moment ago", async () => {
  const ground = new TreeGround({ "a.txt": ten });
  await ground.begin();
  ground.put("a.txt", `${ten}typed\n`);
  await ground.prompt();
  expect(ground.told(await ground.shell("git reset -q --hard", "two"))).toEqual(["two shell a.txt swept"]);
});

describe("lost", () => {
  test("are lines that a formatter laid out anew before they were swept away", async () => {
    const { stage, agents } = await stageWith(
      { "a.txt": ten, "fmt.sh": "sed -i 's/$/;/' a.txt\n" },
      "one",
      "two",
    );
    await agents[0]!.shell("sed -i '3a made by one' a.txt");
    await agents[0]!.shell(": npx prettier --write a.txt; sh fmt.sh");
    const { tell } = await agents[1]!.shell("git checkout -- a.txt");
    expect(tell).toContain("took away 1 edit");
    expect(await stage.kedge("lost")).toContain("claude-code:one  a.txt:4");
  });

  test("is a file that another one is a copy of", async () => {
    const { stage, agents } = await stageWith({ "x.txt": "x\n" }, "one");
    for (const name of ["a.txt", "b.txt"]) stage.put(name, ten);
    await agents[0]!.shell("rm a.txt b.txt");
    await stage.kedge("restore", "--all");
    expect([stage.text("a.txt"), stage.text("b.txt")]).toEqual([ten, ten]);
  });

  test("is told again when more of an edit is gone", async () => {
    const { agents } = await stageWith({ "a.txt": ten }, "one", "two", "three");
    await agents[0]!.write("new.txt", "first one\nsecond one\nthird one\n");
    expect((await agents[1]!.shell("sed -i '/second/d' new.txt")).tell).toContain(
      "took away lines of 1 edit",
    );
    expect((await agents[2]!.shell("rm new.txt")).tell).toContain("took away 1 edit");
  });

  test("is nothing that was only removed, where a sweep took the lines around it", async () => {
    const { stage, agents } = await stageWith({ "a.txt": ten }, "one", "two", "three");
    await agents[0]!.shell("sed -i '3a made by one' a.txt");
    await agents[1]!.shell("sed -i '/number 7/d' a.txt");
    await agents[2]!.shell("printf 'other\\n' > a.txt");
    const lost = (await stage.kedge("lost", "--json")).trim().split("\n");
    expect(lost.map((line) => JSON.parse(line).agent)).toEqual(["claude-code:one"]);
  });
});

describe("a person's own editor", () => {
  const mine = { old: "line number 3", new: "return compute(total, count)" };

  test.each([
    ["mends a word of an agent's only line, which is no loss", "return compute(total, counts)", false],
    ["puts back what stood there before it", "line number 3", true],
    ["writes something else over it", "nothing of the kind", true],
  ])("%s", async (_, text, isLost) => {
    const { stage, agents } = await stageWith({ "a.txt": ten }, "one");
    await agents[0]!.read(stage.path("a.txt"));
    await agents[0]!.edit(stage.path("a.txt"), mine);
    stage.foreign(`sed -i '3s/.*/${text}/; 9s/.*/more of the person/' a.txt`);
    const { tell } = await agents[0]!.shell("touch .git/seen");
    expect(tell).toContain("the person or another program changed a.txt");
    expect(/yours|took away/.test(tell ?? "")).toBe(isLost);
    expect((await stage.kedge("lost")) !== nothing).toBe(isLost);
  });
});

describe("what git puts back", () => {
  test("is whose it was: who popped a stash may not remove it silently", async () => {
    const { stage, agents } = await stageWith({ "a.txt": ten }, "one", "two");
    await agents[0]!.shell("sed -i '3a made by one' a.txt");
    await agents[1]!.shell("git stash -q");
    await agents[1]!.shell("git stash pop -q");
    expect(await stage.kedge("lost")).toBe(nothing);
    expect((await agents[1]!.shell("sed -i '/made by/d' a.txt")).tell).toContain("of claude-code:one");
  });
});

test("a person who commits, switches and switches back, all unseen, has lost nothing on either branch", async () => {
  const { stage, agents } = await stageWith({ "a.txt": ten }, "one");
  const see = () => agents[0]!.shell("touch .git/seen");
  stage.foreign("printf 'new\\nlines\\n' > new.txt; echo more >> a.txt");
  await see();
  stage.foreign("git add -A; git commit -qm both; git checkout -qb side HEAD~1");
  expect(await see()).toMatchObject({ tell: null, say: null });
  expect(await stage.kedge("lost", "--all")).toBe(nothing);
  stage.foreign("git checkout -q main");
  expect(await see()).toMatchObject({ tell: null, say: null });
  expect(await stage.kedge("lost", "--all")).toBe(nothing);
});

describe("a merge with conflicts", () => {
  const theirs =
    "git checkout -qb other; sed -i 1s/.*/theirs/ a.txt; echo more >> b.txt; git commit -qam theirs";
  const ours = "git checkout -q main; sed -i 1s/.*/ours/ a.txt; git commit -qam ours";

  test.each([
    ["is aborted", "git merge --abort"],
    ["is resolved", "sed -i '/^[<=>]/d' a.txt; git add -A; git commit -qm merged"],
  ])("takes nothing away when it %s", async (_, command) => {
    const { stage, agents } = await stageWith({ "a.txt": ten, "b.txt": ten.toUpperCase() }, "one", "two");
    stage.foreign(`${theirs}; ${ours}`);
    expect((await agents[0]!.shell("git merge other || true")).tell).toBeNull();
    expect((await agents[1]!.shell(command)).tell).toBeNull();
    expect(await stage.kedge("lost", "--all")).toBe(nothing);
  });
});
