/** The workflows, read as text: what runs there has to exist here, and nothing that can change under its name is run. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const workflows = ["ci", "release"].map((name) => ({
  name,
  text: readFileSync(`.github/workflows/${name}.yml`, "utf8"),
}));
const { version, scripts } = JSON.parse(readFileSync("package.json", "utf8"));

const notes = (tag: string) =>
  spawnSync(process.execPath, ["scripts/release.mjs", tag], { encoding: "utf8" });

describe.each(workflows)("the workflow $name", ({ text }) => {
  test("uses actions by the commit, and its own files by their paths", () => {
    const used = [...text.matchAll(/uses: (\S+)/g)].map(([, one]) => one as string);
    expect(used.length).toBeGreaterThan(0);
    for (const one of used)
      if (one.startsWith("./")) expect(existsSync(one)).toBe(true);
      else expect(one).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
  });

  test("runs scripts that are there", () => {
    const run = [...text.matchAll(/run: npm (?:run )?([\w:]+)/g)].map(([, name]) => name as string);
    const own = run.filter((name) => !["ci", "publish"].includes(name));
    for (const name of own) expect(scripts).toHaveProperty([name]);
    for (const [, path] of text.matchAll(/node (scripts\/\S+)/g))
      expect(existsSync(path as string)).toBe(true);
  });

  test("may only read, unless a job says what it writes", () => {
    expect(text).toMatch(/^permissions:\n {2}contents: read\n\n/m);
  });
});

describe("a release", () => {
  const text = workflows[1]?.text ?? "";

  test("is tested on every Node that is promised, and carries a statement of where it was built", () => {
    expect(workflows[0]?.text).toContain("node: [20, 22, 24]");
    expect(text).toContain("uses: ./.github/workflows/ci.yml");
    expect(text).toContain("needs: test");
    expect(text).toContain("id-token: write");
    expect(text).toContain("npm publish --provenance");
    expect(text).not.toMatch(/secrets\./);
  });

  test("says what has changed", () => {
    const { status, stdout } = notes(`v${version}`);
    expect(status).toBe(0);
    expect(stdout.length).toBeGreaterThan(500);
    expect(stdout).not.toMatch(/^## /m);
  });

  test("of another version than the package's is none", () => {
    expect(notes("v0.0.1")).toMatchObject({
      ...{ status: 1, stdout: "" },
      stderr: `the tag v0.0.1 is not v${version}, the version of package.json\n`,
    });
  });
});
