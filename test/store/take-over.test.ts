/** A state folder that version 0.1.0 wrote: two agents, four edits, one refusal. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { type NodeStore, nodeStore } from "../../src/node.js";
import { memoryFiles } from "../../src/ports/index.js";
import { Session } from "../../src/session/session.js";
import { type Ground, newGround } from "../support/node.js";

interface Written {
  readonly files: Readonly<Record<string, string>>;
  /** In base64, by their paths in the state folder. */
  readonly state: Readonly<Record<string, string>>;
}
const written = JSON.parse(readFileSync("test/store/state-0.1.0.json", "utf8")) as Written;

function older(): Ground {
  const at = newGround();
  for (const [name, data] of Object.entries(written.state)) {
    const path = join(at.state, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, Buffer.from(data, "base64"));
  }
  return at;
}

function open(at: Ground, reports: string[] = []): NodeStore {
  const clock = (): number => 1_750_000_100_000;
  const report = (line: string): void => void reports.push(line);
  return nodeStore({ state: at.state, workspace: { key: "fixture" }, clock, report });
}

it("is taken over at the first start: its journal is there, once, and its edits can be undone", async () => {
  const at = older();
  const reports: string[] = [];
  const store = open(at, reports);
  expect(reports.join()).toContain("5 entries of the journal of version 0.1.0 were taken over");
  const kinds = (await store.journal()).map(({ kind, agent }) => `${kind} ${agent}`);
  expect(kinds).toEqual(["commit one", "commit two", "commit one", "commit two", "refusal one"]);
  expect(await open(at).journal()).toEqual(await store.journal());
  expect(await store.journal({ agent: "two", last: 1 })).toMatchObject([{ file: "b.ts" }]);
  const files = memoryFiles(written.files);
  const session = (agent: string) =>
    new Session({ files, store: open(at), agent, clock: () => 1_750_000_100_000 });
  const undone = await session("one").undo({ last: 2 });
  expect(undone.isError, undone.text).toBe(false);
  expect(files.text("a.ts")).toContain("const v3 = 3;");
  expect(files.text("a.ts")).toContain("const v7 = 77;");
  // What was shown is told anew.
  const edit = { path: "b.ts", edits: [{ op: "replace_text" as const, old: "one", new: "1" }] };
  expect((await session("two").edit(edit)).details).toMatchObject({ code: "not_read" });
  await session("two").read({ path: "b.ts" });
  expect((await session("two").edit(edit)).details).toMatchObject({ status: "applied" });
});

it("is left to the next start where taking it over ended in the middle", async () => {
  const at = older();
  mkdirSync(join(at.state, "v2"));
  const [name = ""] = readdirSync(join(at.state, "v1"));
  mkdirSync(join(at.state, "v2", `${name}.x.tmp`, "journal"), { recursive: true });
  writeFileSync(join(at.state, "v2", `${name}.x.tmp`, "journal", "000001.log"), "half");
  expect(await open(at).journal()).toHaveLength(5);
});

it("is not in the way where nothing of it can be read, and goes with a purge", async () => {
  const at = older();
  const [name = ""] = readdirSync(join(at.state, "v1"));
  writeFileSync(join(at.state, "v1", name, "journal.jsonl"), "none");
  expect(await open(at).journal()).toEqual([]);
  await open(at).purge();
  expect(readdirSync(join(at.state, "v1"))).toEqual([]);
  rmSync(at.state, { recursive: true });
  expect(await open(at).journal()).toEqual([]);
});
