import { expect, test } from "vitest";
import type { Driver } from "../guard/drivers/driver.js";
import { drivers } from "../guard/drivers/index.js";
import { Stage } from "../guard/stage.js";

const driver = drivers.find(({ client }) => client === "claude-code") as Driver;
const work = "one\ntwo\nthree\nfour\n";
const commands = ["echo gone > new.txt", "rm new.txt", "printf 'other\\ntext\\n' > new.txt"];

test("work that came back by an undo and is taken away again is told again", async () => {
  const stage = new Stage(driver, { "a.txt": "calm\n" }, { git: true });
  const owner = stage.agent("owner");
  await owner.begin();
  await owner.write(stage.path("new.txt"), work);
  const other = stage.agent("other");
  await other.begin();
  for (const command of commands) {
    const { tell } = await other.shell(command);
    expect(tell ?? "").toContain("kedge restore");
    const [found] = (await stage.kedge("lost", "--json")).split("\n");
    expect(JSON.parse(found as string).lost.command).toBe(command);
    const entries = (await stage.kedge("log", "--json")).trim().split("\n");
    const taking = entries
      .map((entry) => JSON.parse(entry))
      .findLast(({ cause, kind }) => cause === command && kind === "commit");
    await stage.kedge("undo", "--id", taking.id);
    expect(stage.text("new.txt")).toBe(work);
    expect(await stage.kedge("lost")).toBe("[nothing is lost]\n");
  }
});

test("work that is in a commit under the name that its file had before is not lost", async () => {
  const stage = new Stage(driver, { "a.txt": "first line of it\nsecond line of it\n" }, { git: true });
  stage.foreign("git branch other");
  const one = stage.agent("one");
  await one.begin();
  await one.shell("echo 'committed line' >> a.txt");
  await one.shell("git commit -qam one");
  await one.shell("echo 'line that is in no commit' >> a.txt");
  await one.shell("git switch -q -f other");
  const rows = async (): Promise<string[]> =>
    (await stage.kedge("lost")).split("\n").filter((row) => row.includes(".txt"));
  expect((await rows()).map((row) => row.replace(/.*(a\.txt:\d+).*/, "$1"))).toEqual(["a.txt:4"]);
  await one.shell("git mv a.txt b.txt");
  expect((await rows()).map((row) => row.replace(/.*(b\.txt:\d+).*/, "$1"))).toEqual(["b.txt:4"]);
});
