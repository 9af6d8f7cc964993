// The documents that are made from the sources: every module in scripts/docs/ gives some as { path, text }.
//
//   node scripts/docs.mjs           write them
//   node scripts/docs.mjs --check   fail if one differs from what the sources give
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./shell.mjs";

const folder = join(root, "scripts/docs");
const modules = readdirSync(folder).filter((name) => name.endsWith(".mjs"));
const made = await Promise.all(
  modules.map(async (name) => {
    const exported = Object.values(await import(pathToFileURL(join(folder, name))));
    return exported.find((value) => typeof value === "function")();
  }),
);
const documents = made.flat();
const current = (path) => {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return null;
  }
};

if (process.argv.includes("--check")) {
  const drifted = documents.filter(({ path, text }) => current(path) !== text).map(({ path }) => path);
  for (const path of drifted)
    console.error(`${path} is not what the sources give: run node scripts/docs.mjs`);
  process.exitCode = drifted.length > 0 ? 1 : 0;
} else {
  for (const { path, text } of documents) {
    if (current(path) === text) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    console.log(path);
  }
}
