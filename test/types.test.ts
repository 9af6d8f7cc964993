import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newProject, repository } from "./support/project.js";

const good = `import type { Edit, FileRequest } from "kedge";
import { applyEdits, Session } from "kedge";
import { openSession } from "kedge/node";
import { kedgeTools } from "kedge/anthropic";

export const edits: Edit[] = [
  { op: "set_line", anchor: "1#0f0dd9", text: "a\\nb" },
  { op: "set_line", anchor: "1#0f0dd9", text: ["a", "b"] },
  { op: "set_line", anchor: "1#0f0dd9", text: null },
  { op: "replace_lines", start: "1#0f0dd9", end: "2#44bb18", text: null },
  { op: "insert_after", anchor: "1#0f0dd9", text: "" },
  { op: "insert_before", anchor: "1#0f0dd9", text: ["x"] },
  { op: "delete_lines", start: "1#0f0dd9" },
  { op: "delete_lines", start: "1#0f0dd9", end: "2#44bb18" },
  { op: "append", text: "x" },
  { op: "prepend", text: "x" },
  { op: "replace_text", old: "a", new: "b", all: true },
  { op: "replace_text", old: "a", new: "b", anchor: "1#0f0dd9", end: undefined },
  { op: "move_lines", start: "1#0f0dd9", end: "1#0f0dd9", after: "2#44bb18" },
  { op: "copy_lines", start: "1#0f0dd9", after: "2#44bb18" },
];
const files: FileRequest[] = [
  { path: "a.ts", edits: [{ op: "create_file", text: "x" }] },
  { path: "b.ts", edits: [{ op: "delete_file" }] },
  { path: "c.ts", edits: [{ op: "move_file", to: "d.ts" }, { op: "append", text: "x" }] },
];
export async function work(): Promise<Session> {
  const session = openSession({ root: ".", agent: "a" });
  await session.edit({ path: "a.ts", edits, dryRun: true });
  await session.multiEdit({ files });
  applyEdits("x", edits);
  kedgeTools(session);
  return session;
}
`;

const bad = `import type { Edit, Session } from "kedge";
export const one: Edit = { op: "set_lien", anchor: "1#0f0dd9", text: "a" };
export const two: Edit = { op: "set_line", anchor: "1#0f0dd9" };
export const three: Edit = { op: "insert_after", anchor: "1#0f0dd9", text: null };
export const four: Edit = { op: "set_line", anchor: 12, text: "a" };
export const five: Edit = { op: "delete_lines", start: "1#0f0dd9", text: "a" };
export const six = (session: Session) => session.edit({ path: "a.ts", edits: [{ op: "set_lien", text: "a" }] });
export const seven = (session: Session) => session.multiEdit({ files: [{ path: "a.ts", edits: "[]" }] });
`;

it("a strict program compiles with every operation, and with none that there is not", () => {
  const project = newProject();
  try {
    const options = { strict: true, noEmit: true, module: "NodeNext", target: "ES2022", skipLibCheck: true };
    const compilerOptions = { ...options, exactOptionalPropertyTypes: true, types: ["node"] };
    writeFileSync(join(project.root, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    writeFileSync(join(project.root, "good.ts"), good);
    writeFileSync(join(project.root, "bad.ts"), bad);
    const compiler = join(repository, "node_modules/typescript/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [compiler, "-p", project.root], {
      ...{ cwd: project.root, encoding: "utf8" },
    });
    const found = [...stdout.matchAll(/^(\w+\.ts)\((\d+),/gm)].map(([, file, line]) => `${file}:${line}`);
    expect(new Set(found)).toEqual(new Set([2, 3, 4, 5, 6, 7, 8].map((line) => `bad.ts:${line}`)));
  } finally {
    project.remove();
  }
});
