// Lists what the package holds of others: their notices, and a bill of materials. Made from what the bundler took in,
// so that
// nothing can be bundled without being named.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readJson, root } from "./shell.mjs";

export const notices = "dist/THIRD-PARTY-NOTICES.txt";
export const bill = "dist/sbom.cdx.json";

/** The folder of the package that a bundled file belongs to; null for the project's own. */
function packageOf(path) {
  const [, name] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
  return name ?? null;
}

function described(folder) {
  const { name, version, license } = readJson(`${folder}/package.json`);
  const file = readdirSync(join(root, folder)).find((one) => /^licen[cs]e/i.test(one));
  if (!file)
    throw new Error(`${name} ${version} is bundled and has no licence file: its notice cannot be made`);
  const text = readFileSync(join(root, folder, file), "utf8")
    .replaceAll("\r\n", "\n")
    .trim();
  return { name, version, license, text };
}

const component = ({ name, version, license }, scope) => ({
  ...{ type: "library", name, version, scope },
  purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
  licenses: [{ license: { id: license } }],
});

/** Paths as the bundler names them, from the project's folder. */
export function writeThirdParty(inputs) {
  const folders = [...new Set([...inputs].map(packageOf).filter((one) => one !== null))].sort();
  const bundled = folders.map(described);
  const head = "Kedge contains parts of the following packages.\n";
  const parts = bundled.map(
    ({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}\n`,
  );
  const line = `\n${"-".repeat(78)}\n\n`;
  writeFileSync(join(root, notices), [head, ...parts].join(line));
  const { name, version, license, dependencies = {} } = readJson("package.json");
  const locked = readJson("package-lock.json").packages;
  const installed = withTheirs(Object.keys(dependencies), locked).map((path) => ({
    name: path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
    ...locked[path],
  }));
  const components = [
    ...bundled.map((one) => component(one, "required")),
    ...installed.map((one) => component(one, "required")),
  ];
  const unique = [...new Map(components.map((one) => [one.purl, one])).values()];
  const made = {
    ...{ bomFormat: "CycloneDX", specVersion: "1.5", version: 1 },
    metadata: { component: { ...component({ name, version, license }, "required"), type: "application" } },
    components: unique.sort((one, other) => (one.purl < other.purl ? -1 : 1)),
  };
  writeFileSync(join(root, bill), `${JSON.stringify(made, null, 2)}\n`);
}

/** Dependencies that are installed with the package, and theirs. */
function withTheirs(names, locked) {
  const found = new Set();
  const add = (name) => {
    const path = `node_modules/${name}`;
    if (found.has(path) || !locked[path]) return;
    found.add(path);
    for (const other of Object.keys(locked[path].dependencies ?? {})) add(other);
  };
  for (const name of names) add(name);
  return [...found];
}

/** Compares both files with what they should hold, for the check of the package. */
export function thirdPartyFaults(paths) {
  const faults = [notices, bill].filter((path) => !paths.includes(path)).map((path) => `${path} is missing`);
  if (faults.length > 0) return faults;
  const text = readFileSync(join(root, notices), "utf8");
  const { components } = readJson(bill);
  const names = components.map((one) => one.name);
  // The MCP SDK and what it brings are bundled; the encodings are installed.
  const wanted = [
    "@modelcontextprotocol/server",
    "zod",
    ...Object.keys(readJson("package.json").dependencies ?? {}),
  ];
  faults.push(
    ...wanted.filter((name) => !names.includes(name)).map((name) => `${bill} does not name ${name}`),
  );
  for (const name of ["@modelcontextprotocol/server", "zod"])
    if (!text.includes(`\n${name} `)) faults.push(`${notices} does not name ${name}`);
  return faults;
}
