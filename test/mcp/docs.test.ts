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
  expect(words.slice(0, 4)).toEqual(["npx", "-y", "kedge", "mcp"]);
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
