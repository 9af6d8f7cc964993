import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { bareTestNames, repeatedNames, unsaidBooleans } from "./support/names.js";

const names = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".ts"),
);
const paths = names.map((name) => `src/${name.replaceAll("\\", "/")}`).sort();
const sources = new Map(paths.map((path) => [path, readFileSync(path, "utf8")]));

/** Folders whose files are one thing each for another client, command or mechanism, and play the same roles. */
const variants = [
  "src/audit/clients",
  "src/cli/commands/authors",
  "src/cli/commands/editing",
  "src/cli/commands/history",
  "src/cli/commands/setup",
  "src/cli/commands/view",
  "src/cli/install/clients",
  "src/guard/clients",
  "src/replay/mechanisms",
  "src/sdk",
];

/** Names that users import or that a standard gave: they stay as they are. */
const given = [
  // In the place of an AbortSignal, which has a property of this name.
  "src/cli/interrupt.ts: aborted",
  // Exported by kedge/node.
  "src/workspace/config.ts: failsClosed",
];

test("a top-level name is declared once in its folder", () => {
  expect(repeatedNames(sources, variants)).toEqual([]);
});

test("the name of a function that answers with a boolean begins with is or has", () => {
  expect(unsaidBooleans(sources).filter((name) => !given.includes(name))).toEqual([]);
});

test("the name of a test is a sentence, with the names of the groups that it is in", () => {
  const tests = readdirSync("test", { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.(test|client|fleet)\.ts$/.test(name),
  );
  const texts = tests.map((name) => [`test/${name}`, readFileSync(`test/${name}`, "utf8")] as const);
  expect(bareTestNames(new Map(texts.sort()))).toEqual([]);
});

describe("the check of names itself", () => {
  const files = new Map([
    [
      "src/a/one.ts",
      "export const same = 1;\nfunction stands(): boolean { return true; }\ninterface A { holds(): boolean }",
    ],
    [
      "src/a/two.ts",
      "type same = string;\nconst goes = (): boolean => true;\nclass B { is(): boolean { return true; } }",
    ],
    ["src/b/one.ts", "const same = 2;\nconst isReady = (): boolean => true;"],
  ]);
  test("finds a name that two files of one folder declare, and no other", () => {
    expect(repeatedNames(files)).toEqual(["src/a same: one.ts, two.ts"]);
  });
  test("finds copies alone where the files are variants of one thing", () => {
    expect(repeatedNames(files, ["src/a"])).toEqual([]);
    const copies = new Map([...files, ["src/a/three.ts", "const same = 1;"]]);
    expect(repeatedNames(copies, ["src/a"])).toEqual(["src/a same: one.ts, three.ts"]);
  });
  test("lets a deed that returns a boolean keep its verb", () => {
    expect(unsaidBooleans(new Map([["src/a/one.ts", "const put = (): boolean => true;"]]))).toEqual([]);
  });
  test("finds tests that are named with two words or fewer, or by the rows of a table alone", () => {
    const tests = `describe("undo", () => {
  test("twice", () => {});
  test.each(rows)("of %s", () => {});
  test(\`of \${file} is refused\`, () => {});
});
it.each(rows)("%s", () => {});`;
    expect(bareTestNames(new Map([["a.test.ts", tests]]))).toEqual([
      "a.test.ts: undo twice",
      "a.test.ts: %s",
    ]);
  });
  test("finds functions, methods and arrow functions that return a boolean under another name", () => {
    expect(unsaidBooleans(files)).toEqual([
      "src/a/one.ts: stands",
      "src/a/one.ts: holds",
      "src/a/two.ts: goes",
    ]);
  });
});

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
  const sourceNames = (folder: string): Set<string> =>
    new Set(
      readdirSync(`src/${folder}`, { recursive: true, encoding: "utf8" }).map((name) => basename(name)),
    );
  const strays = folders
    .filter((folder) => !doors.includes(folder) && existsSync(`test/${folder}`))
    .flatMap((folder) =>
      readdirSync(`test/${folder}`)
        .filter((name) => name.endsWith(".test.ts"))
        .filter((name) => !namesakes(name).some((source) => sourceNames(folder).has(source)))
        .map((name) => `test/${folder}/${name}`),
    );
  expect(strays).toEqual([]);
});
