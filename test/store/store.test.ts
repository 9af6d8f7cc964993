import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeIo } from "../../src/host/index.js";
import { thisPlatform } from "../../src/host/platform.js";
import { type NodeStore, type NodeStoreOptions, nodeStore } from "../../src/node.js";
import type { JournalEntry } from "../../src/ports/store.js";
import { Session } from "../../src/session/session.js";
import { Journal } from "../../src/store/journal.js";
import { faultyIo } from "../support/faulty.js";
import { commit, type Ground, newGround, text, utf8 } from "../support/node.js";
import { storing } from "../support/store.js";

const entry = (number: number): JournalEntry => ({
  ...{ id: `e${number}`, time: number, agent: "one", tool: "edit_file", kind: "commit", path: "a.ts" },
  ...{ file: "/work/a.ts", before: null, after: "2".repeat(16), lines: [] },
});

function open(at: Ground, options: Partial<NodeStoreOptions> = {}): { store: NodeStore; reports: string[] } {
  const reports: string[] = [];
  const report = (line: string): void => void reports.push(line);
  return { store: nodeStore({ state: at.state, workspace: { key: at.root }, report, ...options }), reports };
}

/** Every file in the state folder, by its path from there. */
const inState = (at: Ground): string[] =>
  readdirSync(at.state, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name));

const find = (at: Ground, part: string): string => inState(at).find((path) => path.includes(part)) ?? "";

async function fill(store: NodeStore): Promise<void> {
  await storing(store).saveFile("/work/a.ts", { shown: [1, 2] });
  await storing(store).saveAgent("one", { epoch: 1 });
  await storing(store).keepVersion("0123456789abcdef", utf8("line\n".repeat(1000)));
  await storing(store).append(entry(1));
}

describe("on disk", () => {
  test("everything is for this user alone, and compressed", async () => {
    const at = newGround();
    const { store } = open(at);
    await fill(store);
    for (const path of inState(at)) expect(statSync(path).mode & 0o777, path).toBe(0o600);
    for (const one of readdirSync(at.state, { recursive: true, withFileTypes: true }))
      if (one.isDirectory()) expect(statSync(join(one.parentPath, one.name)).mode & 0o777).toBe(0o700);
    expect(statSync(find(at, "/versions/")).size).toBeLessThan(300);
    expect(at.tree()).toEqual({});
  });

  test("two workspaces do not mix, and processes share one", async () => {
    const at = newGround();
    await fill(open(at).store);
    const other = open(at, { workspace: { key: "/elsewhere" } }).store;
    expect(await storing(other).file("/work/a.ts")).toBeNull();
    expect(await other.journal()).toEqual([]);
    expect(await storing(other).version("0123456789abcdef")).toBeNull();
    expect(await storing(open(at).store).file("/work/a.ts")).toEqual({ shown: [1, 2] });
  });

  test("purging forgets one workspace, wholly", async () => {
    const at = newGround();
    const [mine, other] = [open(at).store, open(at, { workspace: { key: "/elsewhere" } }).store];
    await fill(mine);
    await fill(other);
    await mine.purge();
    expect(await storing(mine).file("/work/a.ts")).toBeNull();
    expect(await mine.journal()).toEqual([]);
    expect(await storing(other).file("/work/a.ts")).toEqual({ shown: [1, 2] });
    expect(inState(at).every((path) => !readFileSync(path, "utf8").includes(at.root))).toBe(true);
    await fill(mine);
    expect(await storing(mine).files()).toEqual(["/work/a.ts"]);
  });

  test("purging leaves the tokens: without them a tree is open to whoever comes", async () => {
    const at = newGround();
    const { store } = open(at);
    await fill(store);
    await store.putRecord("tokens", { tokens: [1] });
    await store.putRecord("other", 1);
    await store.purge();
    expect((await store.record("tokens"))?.value).toEqual({ tokens: [1] });
    expect(await store.record("other")).toBeNull();
    expect(await store.journal()).toEqual([]);
    await fill(store);
    expect(await storing(store).files()).toEqual(["/work/a.ts"]);
  });

  test("looking one file up reads its states and one ledger, and nothing else", async () => {
    const at = newGround();
    await fill(open(at).store);
    const { io, calls } = faultyIo({ at: 0, error: "", forGood: false });
    expect(await storing(open(at, { io }).store).file("/work/a.ts")).toEqual({ shown: [1, 2] });
    expect(calls.filter((call) => call.startsWith("open"))).toHaveLength(2);
    expect(calls.length).toBeLessThan(14);
  });
});

describe("damage is reported, put aside, and never fatal", () => {
  const damages: [string, (path: string) => void][] = [
    ["garbage", (path) => writeFileSync(path, Uint8Array.of(1, 2, 255))],
    ["emptied", (path) => writeFileSync(path, "")],
    ["cut off", (path) => writeFileSync(path, readFileSync(path).subarray(0, 10))],
    ["another JSON", (path) => writeFileSync(path, "[1]")],
    ["a folder in its place", (path) => [rmSync(path), mkdirSync(join(path, "x"), { recursive: true })]],
  ];
  test.each(damages)("a record: %s", async (_, damage) => {
    const at = newGround();
    const { store, reports } = open(at);
    await fill(store);
    damage(find(at, "/files/"));
    expect(await storing(store).file("/work/a.ts")).toBeNull();
    expect(reports.join()).toContain("damaged");
    expect(readdirSync(join(at.state, "damaged"))).toHaveLength(1);
    await storing(store).saveFile("/work/a.ts", { again: true });
    expect(await storing(store).file("/work/a.ts")).toEqual({ again: true });
  });
  test.each(damages)("a version: %s", async (name, damage) => {
    const at = newGround();
    const { store, reports } = open(at);
    await fill(store);
    damage(find(at, "/versions/"));
    expect(await storing(store).version("0123456789abcdef")).toBeNull();
    if (name === "a folder in its place") expect(reports).toHaveLength(1);
    await storing(store).keepVersion("0123456789abcdef", utf8("again"));
    expect(text(await storing(store).version("0123456789abcdef")), name).toBe("again");
  });
  test("one flipped bit in a version is found", async () => {
    const at = newGround();
    const { store } = open(at);
    const content = utf8(Array.from({ length: 500 }, (_, index) => `${index * 7919}`).join("\n"));
    await storing(store).keepVersion("0123456789abcdef", content);
    const path = find(at, "/versions/");
    const packed = readFileSync(path);
    for (let position = 2; position < packed.length; position += 37) {
      const flipped = Uint8Array.from(packed);
      flipped[position] = (flipped[position] ?? 0) ^ 1;
      writeFileSync(path, flipped);
      const found = await storing(store).version("0123456789abcdef");
      expect(found === null || text(found) === text(content)).toBe(true);
    }
  });
  test.each(["files", "records", "versions", "journal"])("%s is of the wrong kind", async (name) => {
    const at = newGround();
    const { store } = open(at);
    await fill(store);
    const path = join(at.state, "v2", readdirSync(join(at.state, "v2"))[0] ?? "", name);
    const wasFolder = statSync(path).isDirectory();
    rmSync(path, { recursive: true });
    if (wasFolder) writeFileSync(path, "a file");
    else mkdirSync(path);
    await fill(store);
    expect(await storing(store).file("/work/a.ts")).toEqual({ shown: [1, 2] });
    expect(await storing(store).agent("one")).not.toBeNull();
    expect((await store.journal()).at(-1)?.id).toBe("e1");
    expect(readdirSync(join(at.state, "damaged"))).toHaveLength(1);
  });
  test.each(["v2", "locks", "batches"])("%s of the state folder is a file", async (name) => {
    const at = newGround();
    mkdirSync(at.state);
    writeFileSync(join(at.state, name), "a file");
    const { store } = open(at);
    await fill(store);
    expect(await storing(store).file("/work/a.ts")).toEqual({ shown: [1, 2] });
    at.put("b.txt", "b");
    expect(await commit(at.files(), { "a.txt": "a", "b.txt": "c" })).toBe(true);
    expect(at.tree()).toEqual({ "a.txt": "a", "b.txt": "c" });
  });
});

describe("the journal", () => {
  test("skips a torn line, and the next entry is whole", async () => {
    const at = newGround();
    const { store, reports } = open(at);
    await storing(store).append(entry(1));
    appendFileSync(find(at, "/journal/"), JSON.stringify(entry(2)).slice(0, 40));
    expect((await store.journal()).map(({ id }) => id)).toEqual(["e1"]);
    await storing(store).append(entry(3));
    expect((await store.journal()).map(({ id }) => id)).toEqual(["e1", "e3"]);
    expect(reports.join()).toContain("1 damaged line was skipped");
  });
  test("is rotated by size and read as one", () => {
    const at = newGround();
    mkdirSync(at.state);
    let now = 1000;
    const clock = (): number => now++;
    const context = {
      io: nodeIo,
      platform: thisPlatform,
      clock,
      report: () => {},
      state: at.state,
      folder: at.state,
    };
    const journal = new Journal(context, 1000);
    for (let number = 0; number < 40; number++) journal.append([entry(number)]);
    expect(inState(at).length).toBeGreaterThan(3);
    expect(journal.read().map(({ id }) => id)).toEqual(
      Array.from({ length: 40 }, (_, number) => `e${number}`),
    );
    expect(journal.read({ since: 35 }).map(({ id }) => id)).toEqual(["e35", "e36", "e37", "e38", "e39"]);
  });
  test("a rotation between looking and reading loses and doubles nothing", () => {
    const at = newGround();
    mkdirSync(at.state);
    const base = {
      platform: thisPlatform,
      clock: Date.now,
      report: () => {},
      state: at.state,
      folder: at.state,
    };
    const writer = new Journal({ ...base, io: nodeIo }, 1);
    writer.append([entry(1)]);
    let done = false;
    const only = (call: string): boolean => {
      if (call.startsWith("readdir") && !done) {
        done = true;
        writer.append([entry(2)]);
      }
      return false;
    };
    const { io } = faultyIo({ at: 0, error: "", forGood: false, only });
    expect(new Journal({ ...base, io }, 1).read().map(({ id }) => id)).toEqual(["e1", "e2"]);
  });
});

describe("pruning", () => {
  const day = 86_400_000;
  test("by age: from the time something was last kept", async () => {
    const at = newGround();
    const { store } = open(at, { bounds: { size: 8 * 200 } });
    await fill(store);
    await storing(store).keepVersion("00000000000000aa", noise(300, 1));
    const old = Date.now() / 1000 - 15 * 86_400;
    for (const path of inState(at)) if (path.includes("versions")) utimesSync(path, old, old);
    await storing(store).keepVersion("00000000000000bb", noise(300, 2));
    const generous = open(at).store;
    await generous.prune();
    expect(await storing(generous).version("00000000000000aa")).toBeNull();
    expect(await storing(generous).version("00000000000000bb")).not.toBeNull();
    const later = open(at, { clock: () => Date.now() + 20 * day }).store;
    await later.prune();
    expect(await storing(store).file("/work/a.ts")).toBeNull();
    expect(await storing(store).agent("one")).toBeNull();
  });
  test("by size: the oldest versions first, records stay", async () => {
    const at = newGround();
    const { store } = open(at, { bounds: { size: 50_000 } });
    await fill(store);
    for (let number = 0; number < 30; number++) {
      const id = `${number}`.padStart(16, "0");
      await storing(store).keepVersion(id, noise(5000, number));
    }
    const { bytes } = await store.prune();
    expect(bytes).toBeLessThan(50_000);
    expect(bytes).toBeGreaterThan(35_000);
    expect(await storing(store).version("0".repeat(16))).toBeNull();
    expect(await storing(store).version("29".padStart(16, "0"))).not.toBeNull();
    expect(await storing(store).file("/work/a.ts")).toEqual({ shown: [1, 2] });
  });
  test("happens by itself, but not where there is no time for it", async () => {
    const at = newGround();
    await fill(open(at).store);
    utimesSync(find(at, "pruned.json"), 1, 1);
    const old = `${find(at, "/versions/")}.tmp`;
    writeFileSync(old, "half");
    utimesSync(old, 1, 1);
    await storing(open(at, { brief: true }).store).keepVersion("00000000000000bb", utf8("b"));
    expect(existsSync(old)).toBe(true);
    await storing(open(at).store).keepVersion("00000000000000cc", utf8("c"));
    expect(existsSync(old)).toBe(false);
  });
  test("takes more files than a call takes arguments", async () => {
    const at = newGround();
    await fill(open(at).store);
    const stat = nodeIo.lstat(find(at, "/versions/"));
    const [known] = nodeIo.readdir(join(find(at, "/versions/"), ".."));
    const many = Array.from({ length: 600_000 }, () => known as NonNullable<typeof known>);
    const isFolder = (path: string) => path.endsWith("versions");
    const io = {
      ...nodeIo,
      readdir: (path: string) => (isFolder(path) ? many : nodeIo.readdir(path)),
      lstat: (path: string) => (/versions.*\.log/.test(path) ? stat : nodeIo.lstat(path)),
    };
    const { bytes } = await open(at, { io, bounds: { size: Number.MAX_SAFE_INTEGER } }).store.prune();
    expect(bytes).toBeGreaterThan(600_000 * Number(stat.size));
  });
  test("clears up what died half written", async () => {
    const at = newGround();
    const { store } = open(at);
    await fill(store);
    const debris = `${find(at, "/files/")}.x.tmp`;
    writeFileSync(debris, "half");
    await store.prune();
    expect(existsSync(debris)).toBe(true);
    utimesSync(debris, 1_000_000_000, Date.now() / 1000 - 7200);
    await store.prune();
    expect(existsSync(debris)).toBe(false);
  });
});

function noise(length: number, seed: number): Uint8Array {
  let state = seed + 1;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return state >>> 16;
  });
}

test("a folder that others can look into is not made wider by us", async () => {
  const at = newGround();
  mkdirSync(at.state);
  chmodSync(at.state, 0o755);
  await fill(open(at).store);
  expect(statSync(at.state).mode & 0o777).toBe(0o755);
  expect(statSync(join(at.state, "v2")).mode & 0o777).toBe(0o700);
});

test.each([false, true])(
  "an anchor of a text of which only hashes are kept is known again (brief: %s)",
  async (brief) => {
    const at = newGround();
    const lines = Array.from({ length: 100 }, (_, number) => `line ${number}\n`);
    at.put(".env", lines.join(""));
    const files = at.files({ brief });
    const session = new Session({ files, store: open(at, { brief }).store, agent: "one", clock: Date.now });
    const shown = (await session.read({ path: ".env" })).text.split("\n");
    at.put(".env", ["new\n", ...lines].join(""));
    const anchor = shown[49]?.split("|")[0] ?? "";
    const { text: told } = await session.edit({
      path: ".env",
      edits: [{ op: "set_line", anchor, text: "x" }],
    });
    expect(told).toContain(".env edited (relocated)");
    expect(at.get(".env")?.split("\n")[50]).toBe("x");
  },
);
