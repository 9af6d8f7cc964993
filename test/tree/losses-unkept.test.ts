/** Files that are known by a hash alone: what takes them away is told, and nothing brings them back. */
import { expect, test } from "vitest";
import type { Driver } from "../guard/drivers/driver.js";
import { drivers } from "../guard/drivers/index.js";
import { Stage } from "../guard/stage.js";

const driver = drivers.find(({ client }) => client === "claude-code") as Driver;

async function begun(): Promise<Stage> {
  const stage = new Stage(driver, { "a.txt": "one\n" }, { git: true });
  stage.put("photo.bin", "\0\x01\x02 drawn by hand");
  stage.put(".env", "PASSWORD=of the person\n");
  await stage.agent("one").begin();
  return stage;
}

const listed = async (stage: Stage): Promise<{ id: string; path: string; kept: boolean; lost: object }[]> =>
  (await stage.kedge("lost", "--json"))
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));

test("a binary and a secret file that a sweep took are listed as not restorable, with cause and time, until dismissed", async () => {
  const stage = await begun();
  const { tell, say } = await stage.agent("one").shell("git clean -fdq");
  expect(tell).toContain("no text of it is on record");
  expect(tell).not.toContain("merges them back");
  expect(say ?? "").not.toContain("brings them back");
  const lost = await listed(stage);
  expect(lost.map(({ path, kept }) => [path, kept]).sort()).toEqual([
    [".env", false],
    ["photo.bin", false],
  ]);
  const cause = lost.find(({ path }) => path === "photo.bin")?.lost;
  expect(cause).toMatchObject({ command: "git clean -fdq", time: expect.any(Number) });
  expect(await stage.kedge("lost")).toMatch(/photo\.bin.*text not kept.*git clean -fdq/);
  expect(await stage.kedge("restore", "--all")).toContain("the text is not kept");
  for (const { id } of lost) await stage.kedge("restore", "--forget", id);
  expect(await stage.kedge("lost")).toBe("[nothing is lost]\n");
});

test("a file that is made anew by a build, or is there again, is not lost", async () => {
  const stage = await begun();
  const one = stage.agent("one");
  await one.shell("printf '\\0other' > photo.bin");
  expect(await listed(stage)).toEqual([]);
  await one.shell("cp photo.bin /tmp/kedge-unkept.$$ && rm photo.bin && mv /tmp/kedge-unkept.$$ photo.bin");
  expect(await listed(stage)).toEqual([]);
  await one.shell("rm photo.bin");
  expect((await listed(stage)).map(({ path }) => path)).toEqual([]);
});
