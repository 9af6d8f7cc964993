import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { expect, test } from "vitest";
import { nodeIo } from "../../src/host/index.js";
import { type NodeStore, type NodeStoreOptions, nodeStore } from "../../src/node.js";
import type { Json } from "../../src/ports/index.js";
import { differenceOf, withDifference } from "../../src/store/lines/json-difference.js";
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
  // Whoever comes next writes behind what was cut off, and tells the record by the last that is whole.
  writeFileSync(path, bytes.subarray(0, bytes.length - 2));
  const next = storing(open(at).store);
  expect(await next.file(key)).toEqual({ turn: 2, text: "a\nb" });
  await next.saveFile(key, { turn: 5, text: "a\nb" });
  expect(readFileSync(path).length).toBeGreaterThan(bytes.length);
  expect(await storing(open(at).store).file(key)).toEqual({ turn: 5, text: "a\nb" });
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
  const { store } = open(at, { io });
  expect(await storing(store).file(key)).toEqual({ turn: 1 });
  await expect(storing(store).saveFile(key, { turn: 2 })).rejects.toThrow(/space/);
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

test("where a line between is damaged nothing is certain: the record is put aside, until it is written anew", async () => {
  const at = newGround();
  const { store } = open(at);
  for (const turn of [1, 2, 3]) await storing(store).saveFile(key, { turn, text: "a" });
  const path = recordFile(at);
  const lines = readFileSync(path, "utf8").split("\n");
  writeFileSync(path, lines.toSpliced(2, 1, "x").join("\n"));
  const { store: other, reports } = open(at);
  expect(await storing(other).file(key)).toBeNull();
  expect(reports.join()).toContain("a line is missing");
  await storing(other).saveFile(key, { turn: 4, text: "a" });
  expect(await storing(open(at).store).file(key)).toEqual({ turn: 4, text: "a" });
});

test("a record of 25 KB that changes a little is told in little", async () => {
  const at = newGround();
  const { store } = open(at);
  const items = Array.from({ length: 800 }, (_, at) => [at, "0f0dd9", "hex6", 1000 + at]);
  let bytes = 0;
  for (let turn = 0; turn < 200; turn++) {
    const record = { turn, items: [[0, "read"], ...items.slice(turn, turn + 600)] };
    const before = turn === 0 ? 0 : statSync(recordFile(at)).size;
    await storing(store).saveFile(key, record);
    const { size } = statSync(recordFile(at));
    bytes += size > before ? size - before : size;
    if (turn % 20 === 0) expect(await storing(open(at).store).file(key)).toEqual(record);
  }
  expect(bytes / 200).toBeLessThan(1024);
});

/** Records in which much is the same from one to the next. */
const anyJson = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>(null, true, 1, 2, "a", "b"),
    fc.array(tie("value"), { maxLength: 6 }),
    fc.dictionary(fc.constantFrom("a", "b", "__proto__x", "items"), tie("value")),
  ),
})).value;

test("the difference to the record before makes the record, and of equal ones there is none", () => {
  fc.assert(
    fc.property(
      fc.array(anyJson, { maxLength: 30 }),
      fc.array(fc.nat(40), { maxLength: 6 }),
      anyJson,
      (before, places, item) => {
        const after = places.reduce<Json[]>(
          (list, place, turn) => list.toSpliced(place % (list.length + 1), turn % 3, item),
          before,
        );
        for (const [one, other] of [
          [before, after],
          [
            { items: before, a: item },
            { items: after, a: item },
          ],
          [item, before],
        ] as const) {
          const difference = differenceOf(one, other);
          const copy = JSON.parse(JSON.stringify(difference));
          expect(difference === null ? one : withDifference(one, copy)).toEqual(other);
          expect(differenceOf(other, structuredClone(other))).toBeNull();
        }
      },
    ),
  );
});
