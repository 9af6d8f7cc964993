// The helpers that the other scripts share. Node's own modules only: these files run before anything is installed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const cache = join(root, "node_modules/.cache/kedge");
export const exists = (path) => existsSync(join(root, path));
export const readJson = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));

/** Runs a program in the project root; `live` lets it write to the terminal, otherwise its words come back. */
export function run(program, args, { live = false, env = {}, cwd = root } = {}) {
  const child = spawnSync(program, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: live ? "inherit" : "pipe",
  });
  if (child.error) return { ok: false, stdout: "", output: String(child.error) };
  const output = live ? "" : `${child.stdout}${child.stderr}`;
  return { ok: child.status === 0, stdout: child.stdout ?? "", output };
}

export const node = (args, options) => run(process.execPath, args, options);

/** The npm that started us, or the one on the PATH. */
export function npm(args, options) {
  const started = process.env.npm_execpath;
  return started?.endsWith(".js") ? node([started, ...args], options) : run("npm", args, options);
}

/** The script behind an installed command. npx would cost half a second for every call. */
export function command(name, from = name, folder = root) {
  const home = join(folder, "node_modules", from);
  const { bin } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  return join(home, typeof bin === "string" ? bin : bin[name]);
}

/** Packages that one rare command needs: fetched when first asked for, never part of an install. */
export function onDemand(label, packages) {
  const folder = join(cache, label);
  if (packages.every((spec) => existsSync(join(folder, "node_modules", spec.replace(/(.)@.*/, "$1"))))) {
    return folder;
  }
  mkdirSync(folder, { recursive: true });
  const flags = ["--no-audit", "--no-fund", "--no-save", "--legacy-peer-deps", "--ignore-scripts"];
  const got = npm(["install", "--prefix", folder, ...flags, ...packages], { live: true, cwd: folder });
  if (!got.ok) throw new Error(`npm could not fetch ${packages.join(", ")}`);
  return folder;
}
