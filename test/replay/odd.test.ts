/** Histories as they come: file modes, byte order marks, few commits, paths that are none. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { carry } from "../../src/replay/cases/carry.js";
import { type Case, textOf } from "../../src/replay/cases/case.js";
import { difference } from "../../src/replay/cases/difference.js";
import { generate } from "../../src/replay/cases/generate.js";
import { gitSource } from "../../src/replay/cases/git-source.js";
import { session } from "../../src/replay/mechanisms/kedge.js";
import { score } from "../../src/replay/score.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kedge-odd-"));
  git("init", "-q", "-b", "main");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(...args: string[]): void {
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...who, ...args], { cwd: folder, stdio: "ignore" });
}

function commit(path: string, text: string): void {
  writeFileSync(join(folder, path), text);
  git("add", "-A");
  git("commit", "-q", "-m", path);
}

const numbered = (changed: Readonly<Record<number, string>>): string =>
  textOf(Array.from({ length: 60 }, (_, at) => changed[at] ?? `line ${at}`));

/** Changes far from each other, so that each pair can be told apart. */
function changes(count: number, mark = ""): void {
  const changed: Record<number, string> = {};
  for (let at = 0; at < count; at++) {
    changed[49 - at * 7] = `changed ${at}`;
    commit("file", mark + numbered(changed));
  }
}

const cases = (): Promise<readonly Case[]> =>
  generate({ source: gitSource(folder), seed: "1", cases: 200 }).then((set) => set.cases);

test("a change of mode alone is no edit", async () => {
  commit("file", numbered({}));
  commit("file", numbered({ 3: "one" }));
  chmodSync(join(folder, "file"), 0o755);
  git("commit", "-q", "-a", "-m", "mode");
  commit("file", numbered({ 3: "one", 40: "two" }));
  const found = await gitSource(folder).changes();
  expect(found.filter(({ before, after }) => before === after)).toEqual([]);
  const made = await cases();
  expect(made.length).toBeGreaterThan(0);
  for (const one of made) expect(one.edits.length, one.class).toBeGreaterThan(0);
});

test("a byte order mark is no part of a line, and its coming or going no edit", async () => {
  changes(8, "\ufeff");
  commit("file", numbered({}));
  const made = await cases();
  expect(made.some(({ edits }) => edits.some(({ start }) => start === 0))).toBe(true);
  const { classes } = await score(session, made);
  for (const [name, { refused, wrong }] of Object.entries(classes))
    if (!name.includes("debatable")) expect([name, refused, wrong]).toEqual([name, 0, 0]);
});

test("versions whose lines are the same give no case", () => {
  const [one, two] = [numbered({}), numbered({ 3: "one" })];
  const texts = (...all: [string, string, string]) => ({ path: "f", origin: "", texts: all });
  expect(carry(texts(one, two, two))).toEqual({ without: "no line differs" });
  expect(carry(texts(one, one, two))).toEqual({ without: "no line differs" });
});

test("of a history of a few commits one half is left for the classes", async () => {
  changes(8);
  const made = await cases();
  expect(made.some(({ sampled }) => sampled)).toBe(true);
  expect(made.filter(({ sampled }) => !sampled).map((one) => one.class)).toContain("plain");
});

test("merges are found from within a folder too", async () => {
  changes(3);
  mkdirSync(join(folder, "inner"));
  git("checkout", "-q", "-b", "side");
  commit("file", numbered({ 35: "changed 2", 42: "changed 1", 49: "changed 0", 55: "side" }));
  git("checkout", "-q", "main");
  commit("file", numbered({ 5: "main", 35: "changed 2", 42: "changed 1", 49: "changed 0" }));
  git("merge", "-q", "--no-edit", "side");
  const { merges, parting } = gitSource(join(folder, "inner"));
  const [merge] = await merges();
  expect(await parting(merge as never)).toMatch(/^[0-9a-f]{40}$/);
});

test("both insert the same lines: that they are there already is right too", () => {
  const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`);
  const put = (...added: string[]): string => textOf([...lines.slice(0, 10), ...added, ...lines.slice(10)]);
  const carried = carry({ path: "f", origin: "", texts: [put(), put("new"), put("new", "new")] });
  expect(carried).toMatchObject({ class: "same-gap", alternatives: expect.arrayContaining([put("new")]) });
});

test("a comparison is given up on exactly where more than 400 lines differ", () => {
  const lines = (from: number, count: number): string[] =>
    Array.from({ length: count }, (_, at) => `${from + at}`);
  expect(difference(lines(0, 400), [])).toHaveLength(1);
  expect(difference(lines(0, 401), [])).toBeNull();
  expect(difference(lines(0, 300), [...lines(100, 200), ...lines(900, 300)])).toHaveLength(2);
  expect(difference(lines(0, 300), [...lines(100, 200), ...lines(900, 301)])).toBeNull();
  const swapped = [...lines(0, 200), ...lines(300, 300), ...lines(200, 100), ...lines(600, 100)];
  expect(difference(lines(0, 700), swapped)).toHaveLength(2);
  expect(difference(lines(0, 700), [...lines(400, 300), ...lines(0, 400)])).toBeNull();
});

test("a path that is no folder is named", async () => {
  writeFileSync(join(folder, "file"), "");
  await expect(gitSource(join(folder, "file")).changes()).rejects.toThrow(/file is not a folder/);
  await expect(gitSource(join(folder, "none")).changes()).rejects.toThrow(/none does not exist/);
});
