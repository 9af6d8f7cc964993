import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { connect } from "../../src/fleet/database/connection.js";
import { migrate, steps } from "../../src/fleet/schema/migrate.js";
import type { JournalEntry } from "../../src/ports/index.js";
import { databaseUrl } from "./database.js";
import { agentOn, anchorOf, newDatabase, newFolder, newTree, openHost } from "./fleet.js";
import { proxyTo } from "./processes.js";

const url = databaseUrl() as string;

describe.skipIf(databaseUrl() === null)("the store of a fleet", () => {
  test("knows the files of a tree by their place in it, wherever hosts mount it", async () => {
    const root = newFolder();
    const elsewhere = `${root}-elsewhere`;
    mkdirSync(elsewhere);
    // A volume at another place: the same bytes, other paths. Both sides write to the same file.
    symlinkSync(join(root, "a.txt"), join(elsewhere, "a.txt"));
    const tree = newTree();
    const here = agentOn(root, tree);
    const { text } = await here.session.read({ path: "a.txt" });
    const done = await here.session.edit({
      path: "a.txt",
      edits: [{ op: "set_line", anchor: anchorOf(text, 3), text: "first host" }],
    });
    expect(done.isError).toBe(false);
    // As that host has it: a plain file with the bytes of the volume.
    rmSync(join(elsewhere, "a.txt"));
    writeFileSync(join(elsewhere, "a.txt"), readFileSync(join(root, "a.txt")));
    const there = agentOn(elsewhere, tree);
    expect((await there.store.look(join(elsewhere, "a.txt"), "one")).ledger).not.toBeNull();
    const [entry] = (await there.store.journal()) as [JournalEntry];
    expect(entry.file).toBe(join(elsewhere, "a.txt"));
    // Shown there, edited here: one record.
    const edits = [{ op: "set_line" as const, anchor: anchorOf(text, 5), text: "second host" }];
    expect((await there.session.edit({ path: "a.txt", edits })).isError).toBe(false);
    expect(readFileSync(join(elsewhere, "a.txt"), "utf8")).toContain("first host\nline 3\nsecond host");
  });

  test("keeps a retry handle that another host uses, and changes no line of it", async () => {
    const root = newFolder();
    const path = `${root}/a.txt`;
    const tree = newTree();
    const here = agentOn(root, tree);
    const value = {
      entries: [{ key: path, edits: [{ text: path }] }],
      files: [{ key: path, lines: [path] }],
    };
    await here.store.putRecord("retry r1 of one", value);
    await here.store.putRecord("looks", { [path]: ["x"], keys: [path] });
    await here.store.putRecord(`tree of ${root}`, { seen: 1 });
    const elsewhere = `${root}-elsewhere`;
    mkdirSync(elsewhere);
    const there = agentOn(elsewhere, tree);
    const moved = `${elsewhere}/a.txt`;
    expect((await there.store.record("retry r1 of one"))?.value).toEqual({
      entries: [{ key: moved, edits: [{ text: path }] }],
      files: [{ key: moved, lines: [path] }],
    });
    expect((await there.store.record("looks"))?.value).toEqual({ [moved]: ["x"], keys: [moved] });
    expect((await there.store.record(`tree of ${elsewhere}`))?.value).toEqual({ seen: 1 });
  });

  test("refuses a tree that is not the one on record, and takes one whose files have changed since", async () => {
    const tree = newTree();
    const first = newFolder();
    const { session } = agentOn(first, tree);
    const { text } = await session.read({ path: "a.txt" });
    await session.edit({
      path: "a.txt",
      edits: [{ op: "set_line", anchor: anchorOf(text, 1), text: "mine" }],
    });
    const other = agentOn(newFolder("tree", "something\nelse"), tree);
    const refused = await other.session.read({ path: "a.txt" });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain(`is not the tree that the store has as ${tree}`);
    const changed = readFileSync(join(first, "a.txt"), "utf8").replace("line 8", "pulled");
    const copy = newFolder("copy", changed.trimEnd());
    expect((await agentOn(copy, tree).session.read({ path: "a.txt" })).isError).toBe(false);
    // Where it was before, one file may be another one altogether.
    writeFileSync(join(first, "a.txt"), "written anew\n");
    expect((await agentOn(first, tree).session.read({ path: "a.txt" })).isError).toBe(false);
  });

  test("keeps texts of files that no agent touched on their host", async () => {
    const tree = newTree();
    const root = newFolder();
    const [here, there] = [agentOn(root, tree), agentOn(root, tree)];
    const bytes = new TextEncoder().encode("seen\n");
    await here.store.unit([], "tree", (unit) =>
      unit.finish({
        files: [],
        entries: [],
        records: [],
        versions: [{ id: "0123456789abcdef", bytes, file: "x" }],
      }),
    );
    expect((await here.store.versions(["0123456789abcdef"])).size).toBe(1);
    expect((await there.store.versions(["0123456789abcdef"])).size).toBe(0);
  });

  test("is bounded by age and by size, and ends with a purge", async () => {
    const tree = newTree();
    const { store } = openHost(url, { tree, bounds: { age: 86_400_000, size: 200_000 } });
    onTestFinished(() => store.end());
    const fill = async (from: number): Promise<void> => {
      for (let number = from; number < from + 20; number++) {
        const bytes = randomBytes(20_000);
        const version = { id: `version ${number}`, bytes, file: "/work/a.ts" };
        await store.unit([], "one", (unit) =>
          unit.finish({ files: [], entries: [], records: [], versions: [version] }),
        );
      }
    };
    await fill(0);
    expect((await store.prune()).bytes).toBeLessThanOrEqual(200_000);
    const ids = Array.from({ length: 20 }, (_, number) => `version ${number}`);
    const { store: fresh } = openHost(url, { tree });
    onTestFinished(() => fresh.end());
    const left = await fresh.versions(ids);
    expect(left.has("version 19")).toBe(true);
    expect(left.has("version 0")).toBe(false);
    const old = openHost(url, { tree, bounds: { age: 1 } });
    onTestFinished(() => old.dispose());
    await old.store.putRecord("tokens", { kept: true });
    await new Promise((done) => setTimeout(done, 20));
    await old.store.prune();
    expect((await fresh.versions(["version 19"])).size).toBe(1);
    expect((await openHost(url, { tree }).store.versions(["version 19"])).size).toBe(0);
    expect((await fresh.record("tokens"))?.value).toEqual({ kept: true });
    await fresh.purge();
    expect(await fresh.journal()).toEqual([]);
  });

  test("says what is wrong with an address, and never the password", async () => {
    const address = new URL(url);
    address.password = "secret-word";
    address.port = "1";
    const { session } = agentOn(newFolder(), "t", { url: address.href, patience: 300 });
    const { text } = await session.read({ path: "a.txt" });
    expect(text).toContain("cannot be reached: nothing listens there (ECONNREFUSED); try again");
    expect(text).not.toContain("secret-word");
    const missing = new URL(url);
    missing.pathname = "/no-such-database";
    const other = agentOn(newFolder(), "t", { url: missing.href, patience: 300 });
    expect((await other.session.read({ path: "a.txt" })).text).toContain(
      'database "no-such-database" does not exist',
    );
  });

  test("writes down what it could not tell the database in time, and tells it when it is back", async () => {
    const proxy = await proxyTo(url);
    let isFirst = true;
    const at = (): void => {
      if (isFirst) proxy.close();
      isFirst = false;
    };
    const root = newFolder();
    const tree = newTree();
    const { session, store } = agentOn(root, tree, {
      url: proxy.url,
      patience: 500,
      at,
    });
    const { text } = await session.read({ path: "a.txt" });
    const edits = [{ op: "set_line" as const, anchor: anchorOf(text, 3), text: "meanwhile" }];
    const done = await session.edit({ path: "a.txt", edits });
    expect(done.text).not.toContain("not recorded");
    expect(done.isError).toBe(false);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toContain("meanwhile");
    const refused = await session.edit({ path: "a.txt", edits });
    expect(refused.text).toContain("the connection was cut");
    proxy.open();
    const again = await session.edit({
      path: "a.txt",
      edits: [{ op: "set_line", anchor: anchorOf(text, 4), text: "afterwards" }],
    });
    expect(again.isError).toBe(false);
    expect((await store.journal()).map(({ kind }) => kind)).toEqual(["commit", "commit"]);
  });
});

describe.skipIf(databaseUrl() === null)("the schema of a fleet", () => {
  test("is made once by many that come at once", async () => {
    const own = await newDatabase();
    const hosts = Array.from({ length: 8 }, () => openHost(own, { tree: "t", connections: 2 }));
    for (const host of hosts) onTestFinished(() => host.dispose());
    await Promise.all(hosts.map(({ store }, at) => store.putRecord(`r${at}`, at)));
    expect((await hosts[0]?.store.record("r7"))?.value).toBe(7);
  });

  test("goes on to the next version while servers run: the older one is refused in one sentence, and nothing is half", async () => {
    const own = await newDatabase();
    const { session } = agentOn(newFolder(), "t", { url: own });
    const { text } = await session.read({ path: "a.txt" });
    const admin = await connect({ url: own, most: 2, patience: 10_000 });
    onTestFinished(() => admin.end());
    const next = [...steps, "create table kedge.later (one int)"];
    const failing = [...steps, "create table kedge.later (one int); select 1 / 0"];
    const edits = [{ op: "set_line" as const, anchor: anchorOf(text, 3), text: "old server" }];
    expect((await session.edit({ path: "a.txt", edits })).isError).toBe(false);
    await expect(admin.alone((connection) => migrate(connection, failing))).rejects.toThrow(
      "division by zero",
    );
    expect((await session.read({ path: "a.txt" })).isError).toBe(false);
    await Promise.all([1, 2].map(() => admin.alone((connection) => migrate(connection, next))));
    const refused = await session.read({ path: "a.txt" });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain(
      "the store has schema 2, and this version of Kedge knows 1: update Kedge on this host",
    );
    const fresh = agentOn(newFolder(), "t", { url: own });
    expect((await fresh.session.read({ path: "a.txt" })).text).toContain("the store has schema 2");
  });
});
