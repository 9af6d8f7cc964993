import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type NodeStore, nodeStore } from "../../src/node.js";
import type { JournalEntry } from "../../src/ports/store.js";
import { commit, type Ground, newGround, text, utf8 } from "../support/node.js";
import { storing } from "../support/store.js";

const entry: JournalEntry = {
  ...{ id: "e1", time: 1, agent: "one", tool: "edit_file", kind: "commit", path: "a.ts", file: "/work/a.ts" },
  ...{ before: null, after: null, lines: [] },
};
const version = "0123456789abcdef";

function open(at: Ground): { store: NodeStore; reports: string[] } {
  const reports: string[] = [];
  const report = (line: string): void => void reports.push(line);
  return { store: nodeStore({ state: at.state, workspace: { key: "w" }, report }), reports };
}

async function fill(store: NodeStore): Promise<void> {
  await storing(store).saveFile("/work/a.ts", "shown");
  await storing(store).saveAgent("one", "here");
  await storing(store).keepVersion(version, utf8("text"));
  await storing(store).append(entry);
  store.notes.add("kind", "name", "note");
}

async function isWhole(store: NodeStore): Promise<void> {
  expect(await storing(store).file("/work/a.ts")).toBe("shown");
  expect(await storing(store).agent("one")).toBe("here");
  expect(text(await storing(store).version(version))).toBe("text");
  expect((await store.journal()).at(-1)).toEqual(entry);
  expect(store.notes.all("kind", "name").at(-1)).toEqual("note");
}

/** Every file and every folder that a store has, by its path from the state folder. */
const everything = ((): string[] => {
  const names = ["files", "records", "versions", "journal", "notes"];
  return ["v2", "v2/W", ...names.flatMap((name) => [`v2/W/${name}`, `v2/W/${name}/*`])];
})();

function pathOf(at: Ground, pattern: string): string {
  let path = at.state;
  for (const name of pattern.split("/"))
    path = join(path, name === "W" || name === "*" ? (readdirSync(path)[0] as string) : name);
  return path;
}

const things: [string, (path: string) => void][] = [
  [
    "a link to a file",
    (path) => [writeFileSync(`${path}.other`, "other\n"), symlinkSync(`${path}.other`, path)],
  ],
  ["a link to nothing", (path) => symlinkSync(join(dirname(path), "nowhere", "at", "all"), path)],
  ["a link to itself", (path) => symlinkSync(path, path)],
  ["a named pipe", (path) => execFileSync("mkfifo", [path])],
];

describe.skipIf(process.platform === "win32").each(things)("%s in the state folder", (_, put) => {
  test.each(everything)("in the place of %s is put aside, and said", async (pattern) => {
    const at = newGround();
    await fill(open(at).store);
    const path = pathOf(at, pattern);
    rmSync(path, { recursive: true });
    put(path);
    const existed = existsSync(path);
    const other = lstatSync(path).isSymbolicLink();
    const { store, reports } = open(at);
    // Nothing of it is taken for a record, and nothing goes on for ever.
    expect(["shown", null]).toContain(await storing(store).file("/work/a.ts"));
    await store.journal();
    await storing(store).files();
    await storing(store).agent("one");
    await fill(store);
    await isWhole(open(at).store);
    // Where most have no file, a link to nothing is taken for none, and a new file takes its place.
    const isOverwritten = ["v2/W/versions/*", "v2/W/journal/*"].includes(pattern) && !existed;
    if (!isOverwritten) expect(reports.join("\n")).toMatch(/ in the place of a .*; put aside|not a record/);
    await store.purge();
    expect(await open(at).store.journal()).toEqual([]);
    if (other && existsSync(`${path}.other`)) expect(lstatSync(`${path}.other`).size).toBe(6);
  });

  test.each(["locks", "batches"])("in the place of %s", async (name) => {
    const at = newGround();
    mkdirSync(at.state);
    put(join(at.state, name));
    at.put("b.txt", "b");
    expect(await commit(at.files(), { "a.txt": "a", "b.txt": "c" })).toBe(true);
    expect(at.tree()).toEqual({ "a.txt": "a", "b.txt": "c" });
  });

  test("in the place of a lock", async () => {
    const at = newGround();
    const files = at.files();
    const file = await files.identify("a.txt");
    const names = (): string[] => readdirSync(join(at.state, "locks")).filter((name) => !name.includes("."));
    const [name] = await files.hold([file], async () => names());
    put(join(at.state, "locks", name as string));
    expect(await commit(at.files(), { "a.txt": "a" })).toBe(true);
    expect(names()).toEqual([]);
  });
});

test.skipIf(process.platform === "win32")("links to folders are what they were made for", async () => {
  const at = newGround();
  const elsewhere = join(at.root, "elsewhere");
  mkdirSync(elsewhere);
  mkdirSync(at.state);
  symlinkSync(elsewhere, join(at.state, "v2"));
  const { store, reports } = open(at);
  await fill(store);
  await isWhole(open(at).store);
  expect(reports).toEqual([]);
  expect(readdirSync(elsewhere)).toHaveLength(1);
});
