// The parts that the plugins share with the rest: a plugin is fetched as its folder alone, so each has its own copy. And
// the version, wherever a file for a registry or a marketplace repeats it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readJson, root } from "../shell.mjs";

const text = (path) => readFileSync(join(root, path), "utf8");
const copy = (from, to) => ({ path: to, text: text(from) });

export default function plugins() {
  const { version } = readJson("package.json");
  const skill = "skills/hashed-edit";
  const files = readdirSync(join(root, skill), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll("\\", "/"),
    );
  const manifests = [
    "plugins/claude-code/.claude-plugin/plugin.json",
    "plugins/claude-code-tools/.claude-plugin/plugin.json",
    "plugins/codex/.codex-plugin/plugin.json",
    "plugins/copilot/plugin.json",
    ".github/plugin/marketplace.json",
    "server.json",
  ].map((path) => ({ path, text: text(path).replaceAll(/"version": "[^"]*"/g, `"version": "${version}"`) }));
  return [
    ...manifests,
    ...["claude-code-tools", "codex", "copilot"].map((name) =>
      copy("plugins/claude-code/launch.cjs", `plugins/${name}/launch.cjs`),
    ),
    ...files.map((path) => copy(path, `plugins/claude-code-tools/${path}`)),
  ];
}
