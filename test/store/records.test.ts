import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { expect, test } from "vitest";
import { nodeIo } from "../../src/host/index.js";
import { type NodeStore, type NodeStoreOptions, nodeStore } from "../../src/node.js";
import { type Ground, newGround } from "../support/node.js";
import { storing } from "../support/store.js";

const key = "/work/a.ts";

function open(at: Ground, options: Partial<NodeStoreOptions> = {}): { store: NodeStore; reports: string[] } {
  const reports: string[] = [];
  const report = (line: string): void => void reports.push(line);
  return { store: nodeStore({ state: at.state, workspace: { key: at.root }, report, ...options }), reports };
}

function recordFile(at: Ground): string {
  const found = readdirSync(at.state, { recursive: true, withFileTypes: true }).find(
    (one) => one.isFile() && one.parentPath.includes("files") && one.name.endsWith(".json"),
  );
  return join(found?.parentPath ?? "", found?.name ?? "");
}

test("the last whole line counts, wherever the file was cut off", async () => {
  const at = newGround();
  const { store, reports } = open(at);
  for (const turn of [1, 2, 3]) await storing(store).saveFile(key, { turn, text: "a\nb" });
  const path = recordFile(at);
  const bytes = readFileSync(path);
  const lines = [...bytes.keys()].filter((index) => bytes[index] === 10);
  expect(lines).toHaveLength(3);
  for (let size = bytes.length; size > (lines[1] as number); size--) {
    writeFileSync(path, bytes.subarray(0, size));
    const turn = size === bytes.length ? 3 : size >= (lines[2] as number) ? 2 : 1;
    expect(await storing(open(at).store).file(key)).toEqual({ turn, text: "a\nb" });
  }
  await storing(store).saveFile(key, { turn: 4 });
  expect(await storing(store).file(key)).toEqual({ turn: 4 });
  expect(reports).toEqual([]);
});

test("a line that cannot be written leaves the one before", async () => {
  const at = newGround();
  await storing(open(at).store).saveFile(key, { turn: 1 });
  const size = statSync(recordFile(at)).size;
  const full = (): never => {
    throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
  };
  let written = 0;
  const io = {
    ...nodeIo,
    write: (fd: number, bytes: Uint8Array, position: number | null): number =>
      written++ === 0 ? nodeIo.write(fd, bytes.subarray(0, 5), position) : full(),
  };
  await expect(storing(open(at, { io }).store).saveFile(key, { turn: 2 })).rejects.toThrow(/space/);
  expect(statSync(recordFile(at)).size).toBe(size);
  expect(await storing(open(at).store).file(key)).toEqual({ turn: 1 });
});

test("a file does not grow without end, and holds what was recorded last", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(20_000), { minLength: 1, maxLength: 30 }), async (sizes) => {
      const at = newGround();
      const { store } = open(at);
      for (const [turn, size] of sizes.entries()) {
        await storing(store).saveFile(key, { turn, text: "x".repeat(size) });
        expect(await storing(store).file(key)).toMatchObject({ turn });
        expect(statSync(recordFile(at)).size).toBeLessThan(32_768 + 6 * 20_100);
      }
    }),
    { numRuns: 20 },
  );
});

test("whoever reads while others write finds a record, and none damaged", async () => {
  const at = newGround();
  const { store, reports } = open(at);
  await storing(store).saveFile(key, { turn: 0, text: "" });
  const path = recordFile(at);
  const writer = new Worker(
    `const { openSync, writeSync, closeSync, fstatSync, writeFileSync, renameSync } = require("node:fs");
     const { workerData: { path, key }, parentPort } = require("node:worker_threads");
     for (let turn = 1; turn <= 3000; turn++) {
       const line = "\\n" + JSON.stringify({ key, agent: "one", record: { turn, text: "y".repeat((turn * 37) % 9000) } });
       const fd = openSync(path, "a");
       if (fstatSync(fd).size > 32768) { writeFileSync(path + ".new", line); renameSync(path + ".new", path); }
       else writeSync(fd, line);
       closeSync(fd);
     }
     parentPort.postMessage("done");`,
    { eval: true, workerData: { path, key } },
  );
  let ended = false;
  writer.once("message", () => {
    ended = true;
  });
  let last = 0;
  while (!ended) {
    const { turn } = (await storing(store).file(key)) as { turn: number };
    expect(turn).toBeGreaterThanOrEqual(last);
    last = turn;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await writer.terminate();
  expect(await storing(store).file(key)).toMatchObject({ turn: 3000 });
  expect(reports).toEqual([]);
});

test("what was recorded as one line without a break before it is read, and gone on with", async () => {
  const at = newGround();
  const { store } = open(at);
  await storing(store).saveFile(key, { turn: 1 });
  const path = recordFile(at);
  const old = readFileSync(path).subarray(1);
  truncateSync(path, 0);
  appendFileSync(path, old);
  expect(await storing(store).file(key)).toEqual({ turn: 1 });
  await storing(store).saveFile(key, { turn: 2 });
  expect(await storing(store).file(key)).toEqual({ turn: 2 });
});
