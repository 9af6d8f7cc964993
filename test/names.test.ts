import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { repeatedNames, unsaidBooleans } from "./support/names.js";

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
  test("finds functions, methods and arrow functions that return a boolean under another name", () => {
    expect(unsaidBooleans(files)).toEqual([
      "src/a/one.ts: stands",
      "src/a/one.ts: holds",
      "src/a/two.ts: goes",
    ]);
  });
});
