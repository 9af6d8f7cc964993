// Every development command. `npm test` has to work as the first command in a fresh clone, so this file installs and
// builds what is missing before it does anything else, and uses nothing but Node's own modules.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { browserPackages } from "./browser-packages.mjs";
import { postgresPackages } from "./postgres-packages.mjs";
import { cache, command, exists, node, npm, onDemand, readJson, root, run } from "./shell.mjs";

const testedNodes = ["20", "22", "24"];
const stryker = "9.6.1";
const tally = { passed: 0, failed: 0, skipped: 0 };

const heading = (text) => console.log(`\n== ${text}`);

/** One named check: silent but for its time when it holds, its whole output when it does not. */
async function check(name, action) {
  const started = performance.now();
  const { ok, output } = await action();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${ok ? "ok    " : "FAILED"}  ${name}  ${seconds} s`);
  if (!ok) console.log(output.trim());
  tally[ok ? "passed" : "failed"] += 1;
  return ok;
}

/** Does what the lock file asks for stand in node_modules? Compared by version: dates lie after a checkout. */
function isInstalled() {
  if (!exists("node_modules/.package-lock.json")) return false;
  const wanted = readJson("package-lock.json").packages;
  const present = readJson("node_modules/.package-lock.json").packages;
  return Object.entries(wanted).every(
    ([path, entry]) => path === "" || entry.optional || present[path]?.version === entry.version,
  );
}

function install() {
  if (isInstalled()) return;
  heading("install");
  const flags = ["--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  if (npm(["ci", ...flags], { live: true }).ok) return;
  tally.failed += 1;
  throw new Error("npm ci failed: nothing else can run");
}

async function build() {
  const { build, isFresh } = await import("./build.mjs");
  if (isFresh()) return;
  heading("build");
  if (!(await check("dist", build))) throw new Error("the build failed: nothing else can run");
}

const biome = (...args) => node([command("biome", "@biomejs/biome"), "check", ...args]);
const tsc = (...args) => node([command("tsc", "typescript"), ...args]);

async function staticChecks() {
  heading("check");
  await check("types", () => tsc("--noEmit"));
  await check("core and session use no platform types", () => tsc("--noEmit", "-p", "tsconfig.core.json"));
  await check("types of the page", () => tsc("--noEmit", "-p", "src/view/page"));
  await check("lint and format", () => biome("--error-on-warnings"));
  await check("comments name their subject", () => node(["scripts/prose.mjs"]));
}

/** vitest in the terminal; the counts come from its JSON report. */
function vitest({ program = process.execPath, args = [], env = {} } = {}) {
  const report = join(cache, "vitest.json");
  rmSync(report, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { ok } = run(program, [command("vitest"), "run", ...reporters, ...args], { live: true, env });
  const result = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : {};
  tally.passed += result.numPassedTests ?? 0;
  tally.skipped += (result.numPendingTests ?? 0) + (result.numTodoTests ?? 0);
  // A file that does not load holds no failed test, yet it failed.
  const files = (result.testResults ?? []).filter(({ status }) => status === "failed");
  const unloaded = files.filter(({ assertionResults }) =>
    assertionResults.every((one) => one.status !== "failed"),
  );
  const failures = (result.numFailedTests ?? 0) + unloaded.length;
  tally.failed += ok ? failures : Math.max(1, failures);
}

async function packageChecks() {
  heading("package");
  const { packageChecks } = await import("./package.mjs");
  for (const [name, action] of Object.entries(packageChecks())) await check(name, action);
}

async function docs() {
  if (!exists("scripts/docs.mjs")) return;
  heading("generated documents");
  await check("no drift", () => node(["scripts/docs.mjs", "--check"]));
}

const commands = {
  async test() {
    await build();
    await staticChecks();
    heading("tests");
    vitest();
    await packageChecks();
    await docs();
  },
  check: staticChecks,
  build,
  async fix() {
    heading("fix");
    await check("lint and format", () => biome("--write", "--error-on-warnings"));
  },
  async demo() {
    await build();
    if (!exists("dist/bin.cjs"))
      throw new Error("there is no demo yet: it comes with the command line (src/bin.ts)");
    if (!node(["dist/bin.cjs", "demo"], { live: true }).ok) process.exitCode = 1;
  },
  async nodes() {
    await build();
    for (const major of testedNodes) {
      const program = nodeBinary(major);
      heading(`tests on Node ${run(program, ["--version"]).stdout.trim()}`);
      vitest({ program, args: process.argv.slice(3) });
    }
  },
  /** Real clients against a scripted model; `--record` plays them alone as well and writes docs/clients.md. */
  async clients() {
    await build();
    heading("real clients");
    const isRecording = process.argv.includes("--record");
    const env = isRecording ? { KEDGE_CLIENTS_RECORD: "1" } : {};
    vitest({ args: ["--config", "vitest.clients.config.ts"], env });
    if (isRecording && !node(["scripts/docs.mjs"], { live: true }).ok) process.exitCode = 1;
  },
  /** The page in a real browser, which is fetched when it is first asked for. */
  async ui() {
    await build();
    heading("the page in a browser");
    onDemand("ui", browserPackages);
    vitest({ args: ["test/ui"] });
  },
  /** Hosts that share a tree, on a real PostgreSQL, which is fetched when it is first asked for. */
  async fleet() {
    await build();
    heading("fleets on PostgreSQL");
    fetchPostgres();
    vitest({ args: ["--config", "vitest.fleet.config.ts", ...process.argv.slice(3)] });
  },
  mutation() {
    const folder = onDemand("stryker", [
      `@stryker-mutator/core@${stryker}`,
      `@stryker-mutator/vitest-runner@${stryker}`,
    ]);
    // One seed: a mutant must not live or die by luck.
    const env = { KEDGE_SEED: process.env.KEDGE_SEED ?? "1" };
    const mutate = node([command("stryker", "@stryker-mutator/core", folder), "run"], { live: true, env });
    if (!mutate.ok) process.exitCode = 1;
  },
  async speed() {
    await build();
    await bench("speed", process.argv.slice(3));
  },
  tokens: () => bench("tokens", process.argv.slice(3)),
  replay: () => bench("replay", process.argv.slice(3)),
  agents: () => bench("agents", process.argv.slice(3)),
  async "bench-fleet"() {
    fetchPostgres();
    await bench("fleet", process.argv.slice(3));
  },
  /** Everything in docs/bench.md anew: minutes. The figures are written even where a goal is missed. */
  async bench() {
    await build();
    fetchPostgres();
    for (const [name, ...args] of [["speed"], ["tokens"], ["agents"], ["fleet"], ["replay", "--write"]]) {
      heading(name);
      await bench(name, [...args, ...(name === "replay" ? process.argv.slice(3) : [])]);
    }
    if (!node(["scripts/docs.mjs"], { live: true }).ok) process.exitCode = 1;
  },
};

/** Where there is none for the platform, the tests say that they are skipped. */
function fetchPostgres() {
  if (process.env.KEDGE_TEST_POSTGRES) return;
  try {
    onDemand("postgres", postgresPackages);
  } catch (error) {
    console.log(error.message);
  }
}

async function bench(name, args) {
  const { build: bundle } = await import("esbuild");
  const outfile = join(cache, `${name}.mjs`);
  const settings = { absWorkingDir: root, entryPoints: [`bench/${name}.ts`], bundle: true, outfile };
  await bundle({ ...settings, platform: "node", format: "esm", packages: "external" });
  // Memory is measured between collections.
  if (!node(["--expose-gc", outfile, ...args], { live: true }).ok) process.exitCode = 1;
}

/** The running Node if it is of that major version, else the binary that npm has for this platform. */
function nodeBinary(major) {
  if (process.version.startsWith(`v${major}.`)) return process.execPath;
  const windows = process.platform === "win32";
  const name = `node-${windows ? "win" : process.platform}-${process.arch}`;
  const folder = onDemand(`node-${major}`, [`${name}@${major}`]);
  return join(folder, "node_modules", name, "bin", windows ? "node.exe" : "node");
}

const chosen = process.argv[2];
if (!Object.hasOwn(commands, chosen ?? "")) {
  console.error(`usage: node scripts/run.mjs ${Object.keys(commands).join(" | ")}`);
  process.exit(2);
}
try {
  install();
  await commands[chosen]();
} catch (error) {
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}
const { passed, failed, skipped } = tally;
if (failed > 0) process.exitCode = 1;
if (failed > 0 || ["test", "check", "nodes", "clients", "fleet"].includes(chosen))
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
