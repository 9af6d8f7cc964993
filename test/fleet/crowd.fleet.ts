/** Many calls of one process on one file. */
import { describe, expect, onTestFinished, test } from "vitest";
import type { FileId } from "../../src/ports/index.js";
import { databaseUrl } from "./database.js";
import { newTree, openHost } from "./fleet.js";
import { newVolume, runHost } from "./processes.js";

const url = databaseUrl() as string;
const file: FileId = { key: "/work/a.ts", path: "a.ts", keep: true };

describe.skipIf(url === null)("a crowd in one process", () => {
  test("takes turns: nobody's lock is taken for that of a call that is dead", async () => {
    const host = openHost(url, { connections: 4, wait: 60_000 });
    onTestFinished(() => host.dispose());
    let inside = 0;
    const one = (at: number) =>
      host.store.unit([file], `agent-${at}`, async (unit) => {
        inside += 1;
        expect(inside, "one at a time").toBe(1);
        await unit.fence?.intent({ token: `t${at}`, files: [] });
        unit.fence?.check();
        inside -= 1;
        await unit.finish({
          files: [],
          versions: [],
          entries: [],
          records: [{ name: `done ${at}`, value: at }],
        });
      });
    await Promise.all(Array.from({ length: 60 }, (_, at) => one(at)));
    for (let at = 0; at < 60; at++) expect((await host.store.record(`done ${at}`))?.value).toBe(at);
  });
});

describe.skipIf(url === null)("a process that goes on for long", () => {
  test("takes no more memory than it did: what it keeps at hand is bounded by bytes", async () => {
    const paths = ["a.txt", "b.txt", "c.txt", "d.txt"];
    const agents = Array.from({ length: 12 }, (_, at) => `agent${at}`);
    const others = Array.from({ length: 150 }, (_, at) => `nobody${at}`);
    const volume = newVolume(paths, [...agents, ...others]);
    const state = volume.state("h1");
    const task = { url, tree: newTree(), root: volume.root, state, lease: 15_000, agents, paths };
    const host = await runHost({ ...task, count: 10, rounds: 4, room: 512 * 1024 });
    const heaps = (await host.done)?.heaps ?? [];
    // Where nothing is let go of, 240 edits more are a quarter more.
    expect(heaps).toHaveLength(4);
    expect(heaps[3]).toBeLessThan(1.1 * (heaps[1] as number));
  });
});
