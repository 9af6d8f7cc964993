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
