// The walk of one edit: which files and functions a relocating `kedge edit` enters, and how often it goes from one file to
// another; then the same with the looks at the tree before and after it, which a person may turn off. Prints the figures of
// ARCHITECTURE.md; `--list` also prints the files of the edit itself in the order in which they are entered, `--pairs` the
// changes from file to file, most frequent first.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { parseSync } from "vite";
import { root } from "./shell.mjs";

const functions = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

/** Every function of a source that has a body of statements and a name, with the offset where its body begins. */
function bodies(path, text) {
  const found = [];
  const visit = (node, name) => {
    if (Array.isArray(node)) for (const one of node) visit(one, undefined);
    if (node === null || typeof node !== "object" || Array.isArray(node)) return;
    const own = node.id?.name ?? name;
    if (functions.has(node.type) && node.body?.type === "BlockStatement" && own)
      found.push({ name: own, at: node.body.start + 1 });
    for (const [key, child] of Object.entries(node)) {
      const isNamed = key === "value" || key === "init";
      visit(child, isNamed ? (node.key?.name ?? node.id?.name ?? node.key?.name) : undefined);
    }
  };
  visit(parseSync(path, text).program);
  return found;
}

const traced = {
  name: "traced",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const file = relative(root, path);
      let contents = text;
      for (const { name, at } of bodies(path, text).sort((one, two) => two.at - one.at))
        contents = `${contents.slice(0, at)}globalThis.walk?.(${JSON.stringify(`${file} ${name}`)});${contents.slice(at)}`;
      return { contents, loader: "ts" };
    });
  },
};

/** Builds a program that writes down the functions that it enters, "file function" each, in order. */
async function buildTraced(program) {
  await build({
    absWorkingDir: root,
    entryPoints: ["src/program.ts"],
    bundle: true,
    platform: "node",
    format: "cjs",
    outfile: program,
    packages: "external",
    plugins: [traced],
    logLevel: "silent",
    define: { PROGRAM_ID: '"walk"' },
    banner: {
      js: `if (process.env.KEDGE_WALK) { globalThis.walked = []; globalThis.walk = (step) => globalThis.walked.push(step);
process.on("exit", () => require("node:fs").writeFileSync(process.env.KEDGE_WALK, JSON.stringify(globalThis.walked))); }`,
    },
  });
}

/** Lists the functions that the edit enters. */
function walkOf(program, tree) {
  const folder = join(program, "..", tree);
  mkdirSync(join(folder, "config", "kedge"), { recursive: true });
  writeFileSync(join(folder, "config", "kedge", "config.json"), JSON.stringify({ tree }));
  const file = join(folder, "a.ts");
  const lines = Array.from({ length: 30 }, (_, at) => `export const value${at} = ${at};`);
  writeFileSync(file, `${lines.join("\n")}\n`);
  const env = {
    ...process.env,
    KEDGE_STATE: join(folder, "state"),
    KEDGE_SESSION: "walk",
    XDG_CONFIG_HOME: join(folder, "config"),
  };
  const kedge = (args, more = {}) =>
    execFileSync(process.execPath, [program, ...args], {
      cwd: folder,
      encoding: "utf8",
      env: { ...env, NODE_PATH: join(root, "node_modules"), ...more },
    });
  const rows = kedge(["read", "a.ts"]).split("\n");
  writeFileSync(file, `// one line more\n${lines.join("\n")}\n`);
  const [anchor] = rows[19].split("|");
  const trace = join(folder, "walk.json");
  kedge(["edit", "a.ts", anchor, "export const value19 = 0;"], { KEDGE_WALK: trace });
  return JSON.parse(readFileSync(trace, "utf8"));
}

const changesIn = (files) =>
  files.flatMap((file, at) => (at > 0 && file !== files[at - 1] ? [`${files[at - 1]} → ${file}`] : []));

function tell(what, steps) {
  const files = steps.map((step) => step.split(" ")[0]);
  const counts = [new Set(steps).size, new Set(files).size, changesIn(files).length];
  console.log(`${what}: ${counts[0]} functions in ${counts[1]} files, ${counts[2]} changes of file`);
  return files;
}

const folder = mkdtempSync(join(tmpdir(), "kedge-walk-"));
try {
  const program = join(folder, "kedge.cjs");
  await buildTraced(program);
  const files = tell("the edit itself", walkOf(program, "off"));
  tell("with the looks at the tree", walkOf(program, "dirty"));
  if (process.argv.includes("--list")) for (const file of new Set(files)) console.log(`  ${file}`);
  if (process.argv.includes("--pairs")) {
    const counts = new Map();
    for (const pair of changesIn(files)) counts.set(pair, (counts.get(pair) ?? 0) + 1);
    for (const [pair, count] of [...counts].sort((one, two) => two[1] - one[1]))
      console.log(`  ${count} ${pair}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
