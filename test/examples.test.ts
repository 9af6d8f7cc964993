import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { anchorOf, type ScriptedModel, scriptedModel, type Turn } from "./sdk/model.js";
import { newProject, type Project } from "./support/project.js";

let project: Project;
let model: ScriptedModel;
afterEach(async () => {
  await model.close();
  project.remove();
});

const source = "export const one = 1;\nexport const two = 2;\n";

/** Reads, is late because somebody else wrote meanwhile, and edits by the anchor it was shown. */
const turns = (file: string): readonly Turn[] => [
  () => [{ tool: "read_file", input: { path: "a.ts" } }],
  (results) => {
    writeFileSync(file, `// a licence\n${source}`);
    const edits = [
      { op: "set_line", anchor: anchorOf(results, "export const two = 2;"), text: "export const two = 3;" },
    ];
    return [{ tool: "edit_file", input: { path: "a.ts", edits } }];
  },
  () => [{ text: "I changed two." }],
];

describe("an example, copied into a project of its own, edits a file that others have changed", () => {
  it.each(["agent-loop", "ai-sdk", "anthropic", "mcp", "openai"])("%s", async (name) => {
    project = newProject();
    project.copy(`examples/${name}`, name);
    const work = join(project.root, "work");
    mkdirSync(work);
    const file = join(work, "a.ts");
    writeFileSync(file, source);
    model = await scriptedModel(turns(file));
    const keys = { ANTHROPIC_API_KEY: "none", OPENAI_API_KEY: "none" };
    const urls = { ANTHROPIC_BASE_URL: model.url, OPENAI_BASE_URL: `${model.url}/v1` };
    const env = { ...process.env, ...keys, ...urls, KEDGE_STATE: project.state };
    const program = join(project.root, name, "main.js");
    const { stdout } = await promisify(execFile)(process.execPath, [program, "Make two 3."], {
      ...{ cwd: work, env },
    });
    expect(stdout).toBe("I changed two.\n");
    expect(readFileSync(file, "utf8")).toBe(`// a licence\n${source.replace("= 2", "= 3")}`);
    expect(model.results().at(-1)?.text).toMatch(/^a\.ts edited \(relocated\)/);
  });
});
