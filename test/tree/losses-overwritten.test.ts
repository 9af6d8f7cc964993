import { expect, test } from "vitest";
import type { Driver } from "../guard/drivers/driver.js";
import { drivers } from "../guard/drivers/index.js";
import { Stage } from "../guard/stage.js";

const source = Array.from({ length: 12 }, (_, at) => `export const value${at} = ${at};\n`).join("");
const driver = drivers.find(({ client }) => client === "claude-code") as Driver;

/** One agent has edited two lines. */
async function edited(): Promise<Stage> {
  const stage = new Stage(driver, { "a.js": source }, { git: true });
  const one = stage.agent("one");
  await one.begin();
  await one.read(stage.path("a.js"));
  const old = "export const value3 = 3;\nexport const value4 = 4;";
  await one.edit(stage.path("a.js"), {
    old,
    new: "export const mine = 'first';\nexport const also = 'second';",
  });
  return stage;
}

test("what a command replaced is told to nobody, listed with --all, and restored by its id", async () => {
  const stage = await edited();
  const two = stage.agent("two");
  await two.begin();
  const before = stage.text("a.js");
  expect((await two.shell("sed -i 's/first/other/' a.js")).tell).toBeNull();
  expect(await stage.kedge("lost")).toBe("[nothing is lost]\n");
  const [line = ""] = (await stage.kedge("lost", "--all", "--json")).split("\n");
  const { id, overwritten, gone } = JSON.parse(line);
  expect([overwritten, gone]).toEqual([true, 1]);
  stage.change("a.js", "other", "first");
  expect(stage.text("a.js")).toBe(before);
  expect(await stage.kedge("lost", "--all")).not.toContain(id);
});

test("what one of several possible authors replaced may be another's", async () => {
  const stage = await edited();
  const one = stage.agent("one");
  await one.shell("npm run dev > /dev/null 2>&1 & true");
  for (const text of ["from the server", "typed"]) {
    stage.later += 10_000;
    stage.put("made.txt", `first\n${text}\n`);
    await one.shell("true && touch other.txt");
  }
  expect(await stage.kedge("lost")).toBe("[nothing is lost]\n");
  expect(await stage.kedge("lost", "--all")).toContain("made.txt:1-2 (overwritten)");
});

test("what was replaced stays on the list when the rest of the edit is on another branch", async () => {
  const stage = await edited();
  const two = stage.agent("two");
  await two.begin();
  await two.shell("git branch other");
  await two.shell("sed -i 's/first/other/' a.js");
  const listed = await stage.kedge("lost", "--all");
  expect(listed).toContain("a.js:4-5 (overwritten)");
  await two.shell("git commit -qam all && git checkout -q other");
  expect(await stage.kedge("lost", "--all")).toBe(listed);
});

test("what a command took away without text in its place is lost", async () => {
  const stage = await edited();
  const before = stage.text("a.js");
  const two = stage.agent("two");
  await two.begin();
  expect((await two.shell("sed -i '/also/d' a.js")).tell).toContain("took away lines of 1 edit");
  await stage.kedge("restore", "--all");
  expect(stage.text("a.js")).toBe(before);
});

test("a commit of what a command put in the place of lost lines ends no loss", async () => {
  const stage = await edited();
  const two = stage.agent("two");
  await two.begin();
  const taken = "sed -i 's/first/other/; s/second/thing/' a.js";
  expect((await two.shell(taken)).tell).toContain("took away 1 edit");
  await two.shell("git commit -qam all");
  expect(await stage.kedge("lost")).toContain(taken);
});

test("an agent that takes its own lines away by a command that names the file has lost nothing", async () => {
  const stage = await edited();
  const one = stage.agent("one");
  expect((await one.shell("git checkout -- a.js")).tell).toBeNull();
  expect(await stage.kedge("lost")).toBe("[nothing is lost]\n");
});
