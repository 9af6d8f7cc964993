// The notes of a release, from CHANGELOG.md: `node scripts/release.mjs v0.2.0`. The release workflow starts with this file, so
// nothing is published for a tag that is not the version of package.json, or that has no section.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readJson, root } from "./shell.mjs";

const [tag = ""] = process.argv.slice(2);
const { version } = readJson("package.json");
const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
const sections = changelog.split(/^(?=## )/m).slice(1);
const section = sections.find((one) => /^## (\S+)/.exec(one)?.[1] === version);

const faults = [
  ...(tag === `v${version}` ? [] : [`the tag ${tag} is not v${version}, the version of package.json`]),
  ...(section === undefined ? [`CHANGELOG.md has no section for ${version}`] : []),
];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
console.log(section.replace(/^## .*\n+/, "").trimEnd());
