/** Files of which only line hashes are kept: what others left alone may be edited as it was shown, and nothing else. */
import { expect, test } from "vitest";
import type { Driver } from "../drivers/driver.js";
import { type Outcome, quiet, Stage, withoutNews } from "../stage.js";

const head = ["one = 1", "two = 2", "three = 3", "four = 4"];
const filler = Array.from({ length: 1200 }, (_, at) => `# ${at} ${"x".repeat(4000)}`);

const kinds = [
  ["outside of the workspace", "../elsewhere/b.txt", []],
  ["that looks secret", ".env", []],
  ["with a key in it", "b.txt", [`token = ghp_${"x".repeat(36)}`]],
  ["over 4 MiB", "big.txt", filler],
] as const;

const told = ({ deny, tell, failed }: Outcome): string => deny ?? (failed === null ? "" : (tell ?? ""));

export function unkept(driver: Driver): void {
  // What a shell prints of a large file is not credited: there is nothing to be followed.
  const known = kinds.filter(([what]) => what !== "over 4 MiB" || driver.client !== "codex");
  test.each(known)("a file %s", async (_, name, more) => {
    const text = (lines: readonly string[]) => [...lines, ...more, ""].join("\n");
    const place = new Stage(driver, { [name]: text(head) });
    const agent = place.agent();
    const path = place.path(name);
    await agent.read(path, { first: 1, last: 4 });
    place.put(name, text(["new = 0", ...head.slice(0, 3), "four = FOUR"]));
    const before = place.text(name);
    for (const old of ["four = 4", "new = 0", "three = 3\nfour = FOUR"]) {
      expect(told(await agent.edit(path, { old, new: "x" }))).not.toBe("");
      expect(place.text(name)).toBe(before);
    }
    for (const old of ["two = 2", "one = 1\ntwo = 2"])
      expect(withoutNews(await agent.asksEdit(path, { old, new: "x" }))).toMatchObject(quiet);
    expect(withoutNews(await agent.edit(path, { old: "three = 3", new: "three = THREE" }))).toMatchObject(
      quiet,
    );
    expect(place.text(name)).toBe(before.replace("three = 3", "three = THREE"));
  });
}
