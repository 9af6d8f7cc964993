import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commands } from "../../src/cli/table/command-table.js";

const pages = ["README.md", ...readdirSync("docs").map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith(".md"),
);

/** Commands in blocks of shell; what they print is checked by test/docs-commands.test.ts. */
function namedIn(page: string): string[] {
  const blocks = [...readFileSync(page, "utf8").matchAll(/^```(?:sh)?\n([\s\S]*?)^```$/gm)];
  return blocks.flatMap(([, block = ""]) =>
    [...block.matchAll(/(?:^|\| |\$\()\$? ?kedge ([a-z]+)/gm)].map(([, name = ""]) => name),
  );
}

test("README and the documents name only commands that there are", () => {
  const known = new Set(commands.map(({ name }) => name));
  const named = pages.flatMap((page) => namedIn(page).map((name) => ({ page, name })));
  expect(named.filter(({ name }) => !known.has(name))).toEqual([]);
  expect(named.filter(({ page }) => page === "README.md").length).toBeGreaterThan(3);
});
