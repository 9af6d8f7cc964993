// Checks what a user would get from the registry, on the packed archive itself.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cache, command, node, npm, readJson, root } from "./shell.mjs";
import { thirdPartyFaults } from "./third-party.mjs";

const allowed =
  /^(\.agents\/|\.claude-plugin\/|\.github\/plugin\/|dist\/|data\/|plugins\/|skills\/|package\.json$|docs\/[\w-]+\.md$|README\.md$|LICENSE$|CHANGELOG\.md$|SECURITY\.md$)/;
// Clients find plugins and marketplaces by names that begin with a dot.
const debris =
  /\.(map|tgz|log|tsbuildinfo)$|(^|\/)\.(?!(agents|claude-plugin|codex-plugin|github)\/|mcp\.json$)|\.test\./;
const required = [
  ...["LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "dist/index.js", "dist/index.d.ts"],
  ...["docs/audit.md", "docs/guard.md", "docs/cli.md", "docs/replay.md", "docs/replay-protocol.md"],
  ...["claude-code", "codex", "copilot", "opencode", "pi"].map((name) => `plugins/${name}/dist/hook.cjs`),
  "plugins/claude-code-tools/dist/program.cjs",
];
// Programs 2.5 MB (the encodings 0.54, the guard 0.64 with the looks at the tree and the record in PostgreSQL, the command line 1.01 with the audit,
// the guard that it drives, commits by author, the view and the HTTP server, the MCP SDK 0.29, the page of the view 0.05), library 0.7,
// declarations 0.3, documents 0.3. A plugin is fetched as its folder alone, so each has its programs: 1.2 MB five times for the guard, 1.8 for the tools.
const sizeLimit = 11_900_000;

/** The checks of the package, each a name and a function that answers `{ ok, output }`. */
export function packageChecks() {
  let packed;
  return {
    "packed files": () => {
      packed = pack();
      return packed.ok ? contents(packed) : packed;
    },
    // A package may import itself by name: the same exports map that a user's import goes through.
    "import by name": () => node(["--input-type=module", "-e", importEveryEntry()]),
    publint: () => node([command("publint"), "run", packed.archive, "--strict"]),
    "declarations (attw)": () =>
      node([
        command("attw", "@arethetypeswrong/cli"),
        packed.archive,
        ...["--profile", "esm-only", "--no-definitely-typed", "--no-emoji", "--format", "ascii"],
      ]),
    "unused code (knip)": () => node([command("knip"), "--no-progress"]),
  };
}

function pack() {
  mkdirSync(cache, { recursive: true });
  const made = npm(["pack", "--json", "--ignore-scripts", "--pack-destination", cache]);
  if (!made.ok) return made;
  const described = JSON.parse(made.stdout);
  const [first] = Array.isArray(described) ? described : Object.values(described);
  return { ok: true, archive: join(cache, first.filename), files: first.files, size: first.unpackedSize };
}

function contents({ files, size }) {
  const paths = files.map((file) => file.path);
  const wrong = [
    ...paths
      .filter((path) => !allowed.test(path) || debris.test(path))
      .map((path) => `${path} should not ship`),
    ...[...required, ...promised()]
      .filter((path) => !paths.includes(path))
      .map((path) => `${path} is missing`),
    ...paths
      .filter((path) => readFileSync(join(root, path), "utf8").includes(root))
      .map((path) => `${path} names the folder it was built in`),
  ];
  wrong.push(...thirdPartyFaults(paths));
  if (size > sizeLimit) wrong.push(`${size} bytes unpacked, the limit is ${sizeLimit}`);
  return { ok: wrong.length === 0, output: wrong.join("\n") };
}

/** Every file that package.json names in `exports` and `bin`; patterns are left to publint. */
function promised() {
  const { exports, bin } = readJson("package.json");
  const leaves = (value) =>
    typeof value === "string" ? [value] : Object.values(value ?? {}).flatMap(leaves);
  return leaves([exports, bin])
    .filter((path) => !path.includes("*"))
    .map((path) => path.replace(/^\.\//, ""));
}

function importEveryEntry() {
  const { name, exports } = readJson("package.json");
  const entries = Object.keys(exports).filter((entry) => !/\*|\.json$/.test(entry));
  return entries.map((entry) => `await import(${JSON.stringify(name + entry.slice(1))});`).join("\n");
}
