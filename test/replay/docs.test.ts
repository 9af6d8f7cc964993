import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commandNamed } from "../../src/cli/table/command-table.js";
import { classNames } from "../../src/replay/cases/generate.js";
import { allMechanisms } from "../../src/replay/mechanisms/all.js";

const page = readFileSync(new URL("../../docs/replay.md", import.meta.url), "utf8");
const protocol = readFileSync(new URL("../../docs/replay-protocol.md", import.meta.url), "utf8");

test("the page explains every class, mechanism and flag", async () => {
  expect(classNames.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  const shorts = (await allMechanisms()).map(({ short }) => short);
  expect(shorts.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  const flags = commandNamed("replay")?.flags.map(({ name }) => `--${name}`) ?? [];
  expect(flags.length).toBeGreaterThan(4);
  expect(flags.filter((flag) => !`${page}${protocol}`.includes(flag))).toEqual([]);
});
