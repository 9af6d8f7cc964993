import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";

/** Doors are tested as people use them: their tests are named for what is done there, not for a file. */
const doors = ["audit", "cli", "guard", "mcp", "replay", "sdk"];

const folders = readdirSync("src", { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** The first line of a folder's index.ts, or of its README.md where each file is an entry point of its own. */
function firstLine(folder: string): string {
  const path = [`src/${folder}/index.ts`, `src/${folder}/README.md`].find((one) => existsSync(one));
  return path === undefined ? "" : (readFileSync(path, "utf8").split("\n", 1)[0] ?? "");
}

/** Source files that a test may be named for: each leading part of its own name that ends before a hyphen. */
function namesakes(test: string): string[] {
  const words = test.replace(/\.test\.ts$/, "").split("-");
  return words.map((_, index) => `${words.slice(0, index + 1).join("-")}.ts`);
}

describe("a folder of src", () => {
  test("opens with the question that it answers", () => {
    expect(folders.filter((folder) => !/^(?:\/\/|#) [A-Z][^?]*\?/.test(firstLine(folder)))).toEqual([]);
  });
  test("is on the map of ARCHITECTURE.md", () => {
    const map = readFileSync("ARCHITECTURE.md", "utf8");
    expect(folders.filter((folder) => !map.includes(`\`src/${folder}\``))).toEqual([]);
  });
});

test("a unit test is named for the source file that it is about", () => {
  const sources = (folder: string): Set<string> =>
    new Set(
      readdirSync(`src/${folder}`, { recursive: true, encoding: "utf8" }).map((name) => basename(name)),
    );
  const strays = folders
    .filter((folder) => !doors.includes(folder) && existsSync(`test/${folder}`))
    .flatMap((folder) =>
      readdirSync(`test/${folder}`)
        .filter((name) => name.endsWith(".test.ts"))
        .filter((name) => !namesakes(name).some((source) => sources(folder).has(source)))
        .map((name) => `test/${folder}/${name}`),
    );
  expect(strays).toEqual([]);
});
