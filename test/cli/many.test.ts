/** More lines than a call takes arguments, in a process of its own: the workers of the tests have larger stacks. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { Place } from "./support.js";

const lines = (word: string): string =>
  Array.from({ length: 140_000 }, (_, at) => `${word}${at}();\n`).join("");

let at: Place;
beforeEach(() => {
  at = new Place({ "a.ts": "a();\nb();\n", "b.ts": `a();\n${lines("x")}b();\n` });
  at.ok("read", "a.ts");
  at.ok("read", "b.ts");
});

function replace(path: string, old: string, by: string): string {
  const edits = [{ op: "replace_text", old, new: by }];
  const { status, stdout, stderr } = at.run(["apply"], {
    input: JSON.stringify({ files: [{ path, edits }] }),
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

describe("an edit of very many lines", () => {
  test("is made; lost, it is found and comes back", () => {
    replace("a.ts", "b();\n", `${lines("y")}b();\n`);
    expect(at.text("a.ts")).toBe(`a();\n${lines("y")}b();\n`);
    at.put("a.ts", "a();\nb();\nc();\n");
    expect(at.ok("lost")).toContain("a.ts");
    at.ok("restore", "--all");
    expect(at.text("a.ts")).toBe(`a();\n${lines("y")}b();\nc();\n`);
  });

  test("takes lines out; when they are back, that is found and done again, if no look at the tree tells who put them back", () => {
    const folder = join(at.scratch, "home/config/kedge");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "config.json"), '{"tree":"off"}');
    replace("b.ts", lines("x"), "");
    at.put("b.ts", `a();\n${lines("x")}b();\nc();\n`);
    expect(at.ok("lost")).toContain("b.ts");
    at.ok("restore", "--all");
    expect(at.text("b.ts")).toBe("a();\nb();\nc();\n");
  });

  test("is nothing where others have made it already", () => {
    at.put("b.ts", `a();\n${lines("y")}b();\n`);
    expect(replace("b.ts", lines("x"), lines("y"))).toContain("NO CHANGE");
  });
});
