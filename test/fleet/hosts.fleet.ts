import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databaseUrl } from "./database.js";
import { newTree } from "./fleet.js";
import { type Postgres, postgresHome, startPostgres } from "./postgres.js";
import { expectOnce, newVolume, proxyTo, runHost, type Volume } from "./processes.js";
import type { Task } from "./worker.js";

const url = databaseUrl();
const pause = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));
const named = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${name}${at}`);

function taskFor(
  volume: Volume,
  host: string,
  more: Partial<Task> & Pick<Task, "paths" | "agents" | "tree">,
): Task {
  return {
    ...{ url: url as string, root: volume.root, state: volume.state(host), lease: 15_000, count: 3 },
    ...more,
  };
}

async function until(is: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 60_000; !is(); await pause(10))
    if (Date.now() > deadline) throw new Error("it did not happen within a minute");
}

describe.skipIf(url === null)("hosts that share a tree", () => {
  test("64 agents of two hosts: every accepted edit is there exactly once, also by few connections", async () => {
    const paths = ["a.txt", "b.txt", "c.txt"];
    const agents = named("agent", 64);
    const volume = newVolume(paths, agents);
    const tree = newTree();
    const hosts = [agents.slice(0, 32), agents.slice(32)].map((own, at) =>
      runHost(taskFor(volume, `h${at}`, { tree, paths, agents: own, connections: at === 0 ? 2 : 10 })),
    );
    const all = await Promise.all(hosts.map(async (host) => (await host).done));
    expectOnce(volume, paths, all);
    expect(all.flatMap((done) => done?.accepted ?? [])).toHaveLength(64 * 3);
    expect(volume.leftovers()).toEqual([]);
  });

  test.each([1, 2, 3])(
    "a host that is killed before rename %i of a batch leaves all of it or none",
    async (at) => {
      const paths = ["a.txt", "b.txt", "c.txt"];
      const agents = ["one", "two"];
      const volume = newVolume(paths, agents);
      const tree = newTree();
      const batch = { tree, paths, isBatch: true, lease: 1500 };
      const killed = await runHost(
        taskFor(volume, "h1", { ...batch, agents: ["one"], count: 1, at, signal: "SIGKILL" }),
      );
      expect(await killed.done).toBeNull();
      const other = await runHost(taskFor(volume, "h2", { ...batch, agents: ["two"], count: 2 }));
      const done = await other.done;
      expect(done?.accepted).toHaveLength(2);
      expectOnce(volume, paths, [done], true);
      expect(volume.leftovers()).toEqual([]);
    },
  );

  test.each([
    [1, "a batch"],
    [2, "a batch"],
    [1, "an edit"],
  ])(
    "a host that stands still past its lease before rename %i of %s writes nothing after it",
    async (at, what) => {
      const paths = what === "an edit" ? ["a.txt"] : ["a.txt", "b.txt"];
      const agents = ["one", "two"];
      const volume = newVolume(paths, agents);
      const tree = newTree();
      const stopped = join(volume.state("h1"), "stopped");
      const batch = { tree, paths, isBatch: paths.length > 1, lease: 1000, count: 1 };
      const paused = await runHost(
        taskFor(volume, "h1", {
          ...batch,
          agents: ["one"],
          at,
          signal: "SIGSTOP",
          stopped,
          patience: 20_000,
        }),
      );
      await until(() => existsSync(stopped));
      const other = await (await runHost(taskFor(volume, "h2", { ...batch, agents: ["two"] }))).done;
      expect(other?.accepted).toEqual(["two 0"]);
      expectOnce(volume, paths, [other], true);
      paused.child.kill("SIGCONT");
      const late = await paused.done;
      // The first attempt wrote nothing; it was made again from what the other one left.
      expect(late?.refusals.busy ?? late?.refusals.io).toBeGreaterThan(0);
      expectOnce(volume, paths, [other, late], true);
      expect(volume.leftovers()).toEqual([]);
    },
  );

  test("a connection that is cut again and again, and gone for a while, loses nothing", async () => {
    const paths = ["a.txt", "b.txt"];
    const agents = named("agent", 8);
    const volume = newVolume(paths, agents);
    const tree = newTree();
    const proxy = await proxyTo(url as string);
    const host = await runHost(
      taskFor(volume, "h1", { tree, paths, agents: agents.slice(0, 4), url: proxy.url, count: 10 }),
    );
    const other = await runHost(taskFor(volume, "h2", { tree, paths, agents: agents.slice(4), count: 10 }));
    for (let round = 0; round < 10; round++) {
      await pause(100 + 40 * round);
      proxy.cut();
    }
    proxy.close();
    await pause(7000);
    proxy.open();
    const all = await Promise.all([host.done, other.done]);
    expectOnce(volume, paths, all);
    expect(all.flatMap((done) => done?.accepted ?? [])).toHaveLength(80);
    expect(volume.leftovers()).toEqual([]);
  });
});

describe.skipIf(url === null || Boolean(process.env.KEDGE_TEST_POSTGRES))(
  "a database that is restarted",
  () => {
    let postgres: Postgres;
    beforeAll(async () => {
      postgres = await startPostgres((await postgresHome()) as string);
    });
    afterAll(() => postgres.dispose());

    test.each(["fast", "immediate"] as const)("in the middle (%s) loses nothing", async (how) => {
      const paths = ["a.txt", "b.txt"];
      const agents = named("agent", 8);
      const volume = newVolume(paths, agents);
      const common = { tree: newTree(), paths, url: postgres.url, count: 12 };
      const hosts = [
        await runHost(taskFor(volume, "h1", { ...common, agents: agents.slice(0, 4) })),
        await runHost(taskFor(volume, "h2", { ...common, agents: agents.slice(4) })),
      ];
      await pause(1500);
      await postgres.stop(how);
      await pause(2500);
      await postgres.start();
      const all = await Promise.all(hosts.map(({ done }) => done));
      expectOnce(volume, paths, all);
      expect(all.flatMap((done) => done?.accepted ?? [])).toHaveLength(8 * 12);
      expect(volume.leftovers()).toEqual([]);
    });
  },
);
