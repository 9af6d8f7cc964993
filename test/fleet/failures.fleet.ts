/** A database that is full or slow, clocks that jump, and a lease that runs out once the file is written. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Connections, connect } from "../../src/fleet/database/connection.js";
import type { FleetOptions } from "../../src/fleet/index.js";
import { databaseUrl } from "./database.js";
import { agentOn, anchorOf, newDatabase, newFolder, newTree } from "./fleet.js";
import { expectOnce, newVolume, proxyTo, runHost } from "./processes.js";

const pause = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

/** A database of its own, which a test may spoil, and an agent on a tree in it. */
async function spoilt(options: Partial<FleetOptions> = {}) {
  const own = await newDatabase();
  const admin = await connect({ url: own, most: 2, patience: 30_000 });
  onTestFinished(() => admin.end());
  const root = newFolder();
  const tree = newTree();
  const { session, store } = agentOn(root, tree, { url: own, patience: 1500, ...options });
  const set = async (line: number, text: string) => {
    const shown = (await session.read({ path: "a.txt" })).text;
    return session.edit({ path: "a.txt", edits: [{ op: "set_line", anchor: anchorOf(shown, line), text }] });
  };
  expect((await set(1, "before")).isError).toBe(false);
  const { text: shown } = await session.read({ path: "a.txt" });
  const edit = (line: number, text: string) =>
    session.edit({ path: "a.txt", edits: [{ op: "set_line", anchor: anchorOf(shown, line), text }] });
  const content = () => readFileSync(join(root, "a.txt"), "utf8");
  return { own, admin, root, tree, store, edit, content };
}

/** From now on whatever is written to the table fares like this. */
async function spoil(admin: Connections, table: string, body: string): Promise<() => Promise<unknown>> {
  await admin.script(`
    create function public.spoil() returns trigger language plpgsql as $$ begin ${body}; return new; end $$;
    create trigger spoil before insert on kedge.${table} for each row execute function public.spoil();`);
  return () => admin.script(`drop trigger spoil on kedge.${table}; drop function public.spoil()`);
}

const full = "raise exception 'could not extend file: No space left on device' using errcode = '53100'";

describe.skipIf(databaseUrl() === null)("a database", () => {
  test.each([
    ["whose disk is full", full, "its disk is full (53100)"],
    ["that is slow", "perform pg_sleep(4)", "it does not answer"],
    [
      "whose tables somebody else has locked",
      "raise exception 'locked' using errcode = '55P03'",
      "somebody there holds",
    ],
  ])(
    "%s: calls are refused as busy with the cause, nothing is written, and it goes on by itself",
    async (_, body, why) => {
      const { admin, store, edit, content } = await spoilt();
      const before = content();
      const mend = await spoil(admin, "units", body);
      const refused = await edit(3, "meanwhile");
      expect(refused.details).toMatchObject({ code: "busy" });
      expect(refused.text).toContain(why);
      expect(content()).toBe(before);
      await mend();
      expect((await edit(3, "afterwards")).isError).toBe(false);
      expect(content()).toContain("afterwards");
      expect((await store.journal()).filter(({ kind }) => kind === "commit")).toHaveLength(2);
    },
  );

  test.each([
    ["full", full],
    ["slow", "perform pg_sleep(4)"],
  ])(
    "that is %s once the file is written: the edit stands, and is on record when there is room",
    async (_, body) => {
      const { admin, store, edit, content } = await spoilt();
      const mend = await spoil(admin, "journal", body);
      expect((await edit(3, "written")).isError).toBe(false);
      expect(content()).toContain("written");
      expect(await store.unsaid()).toBe(1);
      await mend();
      expect((await edit(4, "more")).isError).toBe(false);
      expect(await store.unsaid()).toBe(0);
      const commits = (await store.journal()).filter(({ kind }) => kind === "commit");
      expect(commits.map(({ lines }) => lines[0]?.start).sort()).toEqual([1, 3, 4]);
    },
  );
});

describe.skipIf(databaseUrl() === null)("a clock that jumps", () => {
  test("of a host: leases do not notice, and its edits are on record", async () => {
    let off = 0;
    const { store, edit, content } = await spoilt({ lease: 2000, clock: () => Date.now() + off });
    for (const [at, days] of [10, -10, 400].entries()) {
      off = days * 86_400_000;
      expect((await edit(2 + at, `day ${days}`)).isError).toBe(false);
      expect(content()).toContain(`day ${days}`);
    }
    expect((await store.journal()).filter(({ kind }) => kind === "commit")).toHaveLength(4);
  });

  /** A database whose clock a test can set. */
  async function clockedDatabase() {
    const own = await newDatabase();
    const admin = await connect({ url: own, most: 1, patience: 30_000 });
    onTestFinished(() => admin.end());
    const name = new URL(own).pathname.slice(1);
    await admin.script(`
      create schema clock; create table clock.off (by interval); insert into clock.off values ('0');
      create function clock.clock_timestamp() returns timestamptz language sql volatile as
        $$ select pg_catalog.clock_timestamp() + by from clock.off $$;
      alter database ${name} set search_path = clock, pg_catalog;`);
    return { own, jump: (by: string) => admin.query("update clock.off set by = $1::interval", [by]) };
  }

  test.each([
    ["forward", "1 hour"],
    ["back", "-1 hour"],
  ])(
    "of the database, %s, while a host stands still before its rename: every edit once, and nobody waits for long",
    async (_, by) => {
      const { own, jump } = await clockedDatabase();
      const paths = ["a.txt"];
      const volume = newVolume(paths, ["one", "two"]);
      const common = { url: own, tree: newTree(), root: volume.root, lease: 1500, count: 1, paths };
      const stopped = join(volume.state("h1"), "stopped");
      const paused = await runHost({
        ...{ ...common, state: volume.state("h1"), agents: ["one"], at: 1, stopped },
        ...{ signal: "SIGSTOP" as const, patience: 20_000 },
      });
      for (let tries = 0; tries < 3000 && !existsSync(stopped); tries++) await pause(10);
      await jump(by);
      const other = await runHost({ ...common, state: volume.state("h2"), agents: ["two"] });
      const done = await other.done;
      expect(done?.accepted).toEqual(["two 0"]);
      expect(done?.each[0]).toBeLessThan(10_000);
      paused.child.kill("SIGCONT");
      expectOnce(volume, paths, [done, await paused.done]);
      expect(volume.leftovers()).toEqual([]);
    },
  );
});

describe.skipIf(databaseUrl() === null)("a lease that runs out", () => {
  test("between the rename and the record: both edits stand, and both are on record", async () => {
    const url = databaseUrl() as string;
    const proxy = await proxyTo(url);
    const root = newFolder();
    const tree = newTree();
    let isEditing = false;
    const first = agentOn(root, tree, {
      ...{ url: proxy.url, lease: 1000, patience: 1500 },
      onTrip: (text) => {
        if (isEditing && text.includes("finish_1")) proxy.close();
      },
    });
    const { text } = await first.session.read({ path: "a.txt" });
    const set = (line: number, own: string) => ({
      path: "a.txt",
      edits: [{ op: "set_line" as const, anchor: anchorOf(text, line), text: own }],
    });
    isEditing = true;
    const done = await first.session.edit(set(2, "first"));
    expect(done.isError, done.text).toBe(false);
    isEditing = false;
    const other = agentOn(root, tree, { lease: 1000 }, "two");
    await other.session.read({ path: "a.txt" });
    expect((await other.session.edit(set(8, "second"))).isError).toBe(false);
    proxy.open();
    expect(await first.store.unsaid()).toBe(0);
    expect((await other.store.journal()).map(({ agent }) => agent).sort()).toEqual(["one", "two"]);
    const content = readFileSync(join(root, "a.txt"), "utf8");
    expect(content).toMatch(/first[\s\S]*second/);
  });
});
