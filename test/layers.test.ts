import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { brokenLayers } from "./support/layers.js";

const longest = 400;

const names = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".ts"),
);
const paths = names.map((name) => `src/${name.replaceAll("\\", "/")}`).sort();
const sources = new Map(paths.map((path) => [path, readFileSync(path, "utf8")]));

test("imports go one way: text ← anchors ← … ← session ← tools ← { mcp, guard, sdk, cli } → the machine", () => {
  expect(brokenLayers(sources).join("\n")).toBe("");
});

test(`no source file is longer than ${longest} lines`, () => {
  const long = [...sources].filter(([, text]) => text.split("\n").length - 1 > longest).map(([path]) => path);
  expect(long).toEqual([]);
});

describe("the check itself fails on", () => {
  const whole = { "src/text/index.ts": "", "src/session/index.ts": "", "src/tools/index.ts": "" };
  const cases: readonly (readonly [string, Record<string, string>, string])[] = [
    ["an import upward", { "src/text/a.ts": 'import "../session/index.js";' }, "values in, values out"],
    [
      "a type upward",
      { "src/text/a.ts": 'export type { A } from "../tools/index.js";' },
      "values in, values out",
    ],
    [
      "a type expression upward",
      { "src/text/a.ts": 'type A = import("../tools/index.js").A;' },
      "values in, values out",
    ],
    [
      "Node in a pure folder",
      { "src/text/a.ts": 'import { readFileSync } from "node:fs";' },
      "imports node:fs",
    ],
    ["Node in session, loaded late", { "src/session/a.ts": 'await import("node:fs");' }, "imports node:fs"],
    ["Node in a tool", { "src/tools/a.ts": 'import "node:fs";' }, "only the machine and the doors"],
    ["a package in session", { "src/session/a.ts": 'import diff from "diff";' }, "through its ports"],
    [
      "a door in the machine",
      { "src/disk/a.ts": 'import "../cli/index.js";', "src/cli/index.ts": "" },
      "and no door",
    ],
    [
      "a door in a door",
      { "src/cli/a.ts": 'import "../mcp/index.js";', "src/mcp/index.ts": "" },
      "join the doors",
    ],
    ["MCP outside its door", { "src/cli/a.ts": 'import "@modelcontextprotocol/server";' }, "only src/mcp"],
    ["a deep import", { "src/session/a.ts": 'import "../text/b.js";', "src/text/b.ts": "" }, "index.ts only"],
    ["an import of nothing", { "src/text/a.ts": 'import "./gone.js";' }, "not a source file"],
    ["an unknown folder", { "src/misc/a.ts": "" }, "has no layer"],
    [
      "a heavy hook",
      { "src/guard/a.ts": 'import "../disk/index.js";', "src/disk/index.ts": 'import "zod/v4";' },
      "src/guard/a.ts → src/disk/index.ts: loads zod/v4",
    ],
    [
      "a cycle",
      { "src/text/a.ts": 'import "./b.js";', "src/text/b.ts": 'export * from "./a.js";' },
      "src/text/a.ts → src/text/b.ts → src/text/a.ts",
    ],
    ["a clock", { "src/text/a.ts": "export const now = () => Date.now();" }, "uses Date.now"],
    ["today", { "src/text/a.ts": "export const now = () => new Date();" }, "uses new Date()"],
    ["dice", { "src/text/a.ts": "export const dice = `$" + "{Math.random()}`;" }, "uses Math.random"],
    ["Buffer", { "src/text/a.ts": "export const a = Buffer.from([]);" }, "uses Buffer"],
    ["process", { "src/text/a.ts": "export const a = process.env;" }, "uses process"],
    [
      "a Proxy",
      { "src/cli/a.ts": "export const a = <T extends object>(held: T): T => new Proxy(held, {});" },
      "makes a Proxy",
    ],
    ["Proxy.revocable", { "src/tools/a.ts": "export const a = Proxy.revocable({}, {});" }, "makes a Proxy"],
    ["performance", { "src/text/a.ts": "export const a = performance.now();" }, "uses performance"],
  ];
  test.each(cases)("%s", (_, files, reason) => {
    const broken = brokenLayers(new Map(Object.entries({ ...whole, ...files })));
    expect(broken).toHaveLength(1);
    expect(broken[0]).toContain(reason);
  });

  test("nothing where everything is in order", () => {
    const files = {
      ...whole,
      "src/text/a.ts": '// process, "node:fs"\nexport const a = { process: "import \'node:fs\'" }.process;',
      "src/text/index.ts": 'export * from "./a.js";',
      "src/session/index.ts": 'import { a } from "../text/index.js"; export const b = a;',
      "src/mcp/index.ts": 'import "@modelcontextprotocol/server"; import "../tools/index.js"; import "zod";',
      "src/bin.ts": 'import "node:fs"; import "./mcp/index.js";',
    };
    expect(brokenLayers(new Map(Object.entries(files)))).toEqual([]);
  });
});
