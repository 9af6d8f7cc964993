import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const page = readFileSync("docs/mcp.md", "utf8");
const blocks = [...page.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, text]) => text as string);

test.each(blocks)("a configuration to paste is JSON and starts the server: %s", (text) => {
  const words: string[] = [];
  JSON.stringify(JSON.parse(text), (key, value) => {
    if (key === "command" || key === "args") words.push(...[value].flat());
    return value;
  });
  expect(words.slice(0, 2)).toEqual(["kedge", "mcp"]);
});

const fetched = /npx (-y )?kedge|install (-g|--global) kedge|"npx"/;

test.each(["docs/mcp.md", "plugins/claude-code/launch.cjs"])(
  "nothing is fetched by a name that is not ours yet: %s",
  (path) => {
    expect(readFileSync(path, "utf8")).not.toMatch(fetched);
  },
);

test("README names the published package only beside the words that it is not published yet", () => {
  const text = readFileSync("README.md", "utf8");
  if (fetched.test(text)) expect(text).toMatch(/is not on npm yet\./);
});

test("there is one for each of the common clients", () => {
  expect(blocks).toHaveLength(5);
  for (const client of [
    "Claude Code",
    "Claude Desktop",
    "Cursor",
    "VS Code",
    "Codex",
    "opencode",
    "Gemini CLI",
    "Zed",
  ])
    expect(page).toContain(client);
});
