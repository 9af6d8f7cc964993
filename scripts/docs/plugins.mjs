// The parts that the plugins share with the rest: a plugin is fetched as its folder alone, so each has its own copy.
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
  const manifests = ["claude-code", "claude-code-tools"].map((name) => {
    const path = `plugins/${name}/.claude-plugin/plugin.json`;
    return { path, text: text(path).replace(/"version": "[^"]*"/, `"version": "${version}"`) };
  });
  return [
    ...manifests,
    copy("plugins/claude-code/launch.cjs", "plugins/claude-code-tools/launch.cjs"),
    ...files.map((path) => copy(path, `plugins/claude-code-tools/${path}`)),
  ];
}
