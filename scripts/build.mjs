// dist/: one ES module per public entry point with shared chunks (so that a class is the same class through every
// subpath), its declarations, and one CommonJS file per program (half the start time of a module). Programs need nothing
// installed: all they load later lies beside them. So each plugin's folder has a copy of its programs, in its own dist/.
import { createHash } from "node:crypto";
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { cache, command, exists, node, readJson, root } from "./shell.mjs";
import { notices, writeThirdParty } from "./third-party.mjs";

/** dist name → source. An entry whose source is not there yet is left out. */
const library = {
  index: "src/index.ts",
  "sdk/ai-sdk": "src/sdk/ai-sdk.ts",
  "sdk/anthropic": "src/sdk/anthropic.ts",
  "sdk/openai": "src/sdk/openai.ts",
  node: "src/node.ts",
};
/** In this order: `bin` starts `program`, and knows it by its content. */
const programs = {
  ...{ program: "src/program.ts", bin: "src/bin.ts", mcp: "src/mcp/sdk.ts", hook: "src/hook.ts" },
};
/** Installed as one file that stands alone: a starter, and what it starts. */
const guard = "src/guard-program.ts";
/** Packages for files that are not UTF-8: large and rarely needed, so each stands in a file beside the programs. */
const encodings = ["chardet", "iconv-lite"];
/** Plugins are fetched as their folder alone. */
const plugged = {
  "claude-code": ["hook", ...encodings],
  "claude-code-tools": ["bin", "program", "mcp", ...encodings],
  codex: ["hook", ...encodings],
  copilot: ["hook", ...encodings],
  opencode: ["hook", ...encodings],
  pi: ["hook", ...encodings],
};
const copies = () =>
  Object.entries(plugged).flatMap(([plugin, names]) =>
    [...names.map((name) => `${name}.cjs`), basename(notices)].map((name) => ({
      ...{ from: `dist/${name}`, folder: `plugins/${plugin}/dist`, to: `plugins/${plugin}/dist/${name}` },
    })),
  );

const present = (entries) => Object.entries(entries).filter(([, source]) => exists(source));
/** The page of the live view: what a browser loads. */
const page = {
  source: "src/view/page/main.tsx",
  style: "src/view/page/style/page.css",
  folder: "dist/ui",
  html: "index.html",
};
const outputs = () => [
  ...(exists(page.source) ? ["page.js", "page.css", page.html].map((name) => `${page.folder}/${name}`) : []),
  ...present(library).flatMap(([name]) => [`dist/${name}.js`, `dist/${name}.d.ts`]),
  ...present(programs).map(([name]) => `dist/${name}.cjs`),
  ...encodings.map((name) => `dist/${name}.cjs`),
  ...copies().map(({ to }) => to),
];
const stamp = join(cache, "build");

// Content, not dates: a checkout of an older commit gives its files a newer date.
function fingerprint() {
  const sources = readdirSync(join(root, "src"), { recursive: true }).filter((name) => /\.\w+$/.test(name));
  const inputs = [...sources.map((name) => `src/${name}`).sort()];
  inputs.push("scripts/build.mjs", "tsconfig.json", "package.json", "package-lock.json");
  const hash = createHash("sha256");
  for (const name of inputs)
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(root, name)))
      .update("\0");
  return hash.digest("hex");
}

export function isFresh() {
  try {
    return readFileSync(stamp, "utf8") === fingerprint() && outputs().every(exists);
  } catch {
    return false;
  }
}

export async function build() {
  if (!exists("src/index.ts"))
    return { ok: false, output: "src/index.ts is missing: there is no library to build" };
  const { build: bundle } = await import("esbuild");
  rmSync(join(root, "dist"), { recursive: true, force: true });
  const shared = {
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    target: "node20.19",
    logLevel: "silent",
  };
  const inputs = new Set();
  const collecting = async (settings) => {
    const made = await bundle({ ...settings, metafile: true });
    for (const path of Object.keys(made.metafile.inputs)) inputs.add(path);
    return made;
  };
  try {
    await collecting({
      ...shared,
      entryPoints: Object.fromEntries(present(library)),
      outdir: "dist",
      format: "esm",
      // Names stay: what is thrown still says where.
      minifyWhitespace: true,
      minifySyntax: true,
      splitting: true,
      chunkNames: "chunks/[hash]",
      packages: "external",
    });
    for (const [name, source] of present(programs)) await bundleProgram(collecting, shared, name, source);
    for (const name of encodings)
      await collecting({
        ...{ ...shared, format: "cjs", minify: true, outfile: `dist/${name}.cjs` },
        stdin: { contents: `module.exports = require(${JSON.stringify(name)});`, resolveDir: root },
      });
    if (exists(page.source)) await bundlePage(collecting, shared);
    writeThirdParty(inputs);
    fillPlugins();
  } catch (error) {
    return { ok: false, output: error.message };
  }
  const declared = declarations();
  if (declared.ok) writeFileSync(stamp, fingerprint());
  return declared;
}

function fillPlugins() {
  for (const folder of new Set(copies().map((one) => one.folder)))
    rmSync(join(root, folder), { recursive: true, force: true });
  for (const { from, folder, to } of copies()) {
    mkdirSync(join(root, folder), { recursive: true });
    copyFileSync(join(root, from), join(root, to));
  }
}

async function bundlePage(bundle, { absWorkingDir, logLevel }) {
  await bundle({
    ...{ absWorkingDir, logLevel, bundle: true, minify: true },
    ...{ platform: "browser", target: "es2022", format: "esm", jsx: "automatic", jsxImportSource: "preact" },
    entryPoints: [page.source, page.style].map((path) => ({ in: path, out: "page" })),
    outdir: page.folder,
  });
  copyFileSync(join(root, dirname(page.source), page.html), join(root, page.folder, page.html));
}

async function bundleProgram(bundle, shared, name, source) {
  const settings = {
    ...{ ...shared, format: "cjs" },
    // Half of a start is reading the program.
    minify: true,
    // The driver of a store that hosts share: who wants one installs it.
    external: ["pg"],
    // Its first entry point is a wrapper that no bundler can look into.
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
    // Modules that load late are loaded by require: the loader of modules costs more than what it loads.
    supported: { "dynamic-import": false },
  };
  const outfile = `dist/${name}.cjs`;
  const started = {
    bin: () => readFileSync(join(root, "dist/program.cjs"), "utf8"),
    hook: () => guardProgram(bundle, settings),
  };
  const body = (await started[name]?.()) ?? "";
  const id = createHash("sha256").update(body).digest("hex").slice(0, 16);
  const { version } = readJson("package.json");
  const define = { PROGRAM_ID: JSON.stringify(id), PACKAGE_VERSION: JSON.stringify(version) };
  const plugins = name in started ? [startsOnly] : [name === "mcp" ? asksNothing : loadsLate];
  await bundle({ ...settings, entryPoints: [source], outfile, define, plugins });
  if (name !== "hook") return;
  // In a comment, which nothing may end before its time.
  const program = `(function (exports, require, module, __filename, __dirname) {${body}\n})`;
  appendFileSync(
    join(root, outfile),
    `function guardProgram(){/*${program.replaceAll("*/", "*\u0001/")}*/}\n`,
  );
  // One character beyond makes two bytes of each, wherever the text is read, copied and looked through.
  const text = readFileSync(join(root, outfile));
  const at = text.findIndex((byte) => byte > 127);
  if (at >= 0) throw new Error(`dist/hook.cjs is not ASCII: ${text.subarray(Math.max(0, at - 40), at + 20)}`);
}

/** A starter is compiled anew at every start, and the folder's other modules would have theirs put into functions. */
const startsOnly = {
  name: "starts-only",
  setup({ onResolve }) {
    onResolve({ filter: /\/host\/index\.js$/ }, () => ({ path: join(root, "src/host/startup.ts") }));
  },
};

/** The MCP SDK and the encodings stand beside the program. */
const loadsLate = {
  name: "loads-late",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/sdk\.js$/ }, () => ({ path: "./mcp.cjs", external: true }));
    onResolve({ filter: new RegExp(`^(${encodings.join("|")})$`) }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path: `./${path}.cjs`, external: true } : undefined,
    );
  },
};

/**
 * The MCP library brings a validator of JSON Schema, 150 kB, for the answers to questions that a server asks its user. Ours
 * asks none, and reads the arguments of its tools itself. The schemas of its tools are JSON Schema as they are: what would
 * make some of zod's, 20 kB, has nothing to do.
 */
const asksNothing = {
  name: "asks-nothing",
  setup({ onResolve, onLoad }) {
    const namespace = "asks-nothing";
    onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, ({ path }) => ({ path, namespace }));
    onLoad({ filter: /zod\/v4\/core\/(json-schema-processors|to-json-schema)\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const names = Array.from(text.matchAll(/^export (?:const|function) (\w+)/gm), ([, name]) => name);
      // Methods are made with every schema, and called by nobody.
      const made = names.map(
        (name) => `export const ${name} = ${name.startsWith("create") ? "() => none" : "none"};`,
      );
      const none = `const none = () => { throw new Error("schemas of zod are not described"); };`;
      return { contents: [none, ...made, "export { none as process };"].join("\n") };
    });
    onLoad({ filter: /./, namespace }, () => ({
      contents: `export { default as process } from "node:process";
        export class DefaultJsonSchemaValidator {
          getValidator() { throw new Error("this server asks its user nothing"); }
        }`,
    }));
  },
};

async function guardProgram(bundle, settings) {
  const options = {
    ...settings,
    entryPoints: [guard],
    write: false,
    legalComments: "none",
    charset: "ascii",
    plugins: [loadsLate],
  };
  const { outputFiles } = await bundle(options);
  return outputFiles[0].text;
}

// Without checking: the check step does that for sources and tests together.
function declarations() {
  mkdirSync(cache, { recursive: true });
  const config = join(cache, "tsconfig.declarations.json");
  const compilerOptions = {
    noEmit: false,
    noCheck: true,
    declaration: true,
    emitDeclarationOnly: true,
    stripInternal: true,
    rootDir: join(root, "src"),
    outDir: join(root, "dist"),
    typeRoots: [join(root, "node_modules/@types")],
  };
  const files = present(library).map(([, source]) => join(root, source));
  const settings = { extends: join(root, "tsconfig.json"), compilerOptions, include: [], files };
  writeFileSync(config, JSON.stringify(settings));
  const made = node([command("tsc", "typescript"), "-p", config]);
  if (made.ok) removeUnreachable();
  return made;
}

/** Modules whose types no entry point speaks of. */
function removeUnreachable() {
  const reached = new Set();
  const reach = (path) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const [, name] of readFileSync(path, "utf8").matchAll(/(?:from|import\(?) ?"(\.[^"]+)\.js"/g))
      reach(join(path, "..", `${name}.d.ts`));
  };
  for (const [name] of present(library)) reach(join(root, `dist/${name}.d.ts`));
  for (const name of readdirSync(join(root, "dist"), { recursive: true }))
    if (name.endsWith(".d.ts") && !reached.has(join(root, "dist", name))) rmSync(join(root, "dist", name));
}
