import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nameOf } from "../../src/host/checksums.js";
import { nodeIo, systemProcesses } from "../../src/host/index.js";
import { faultyIo } from "../support/faulty.js";
import { commit, type Ground, namesIn, newGround } from "../support/node.js";

/** A batch that breaks off after so many renames in the workspace, with a disk that then refuses everything. */
async function breakOff(
  at: Ground,
  changes: Record<string, string | null>,
  renames: number,
): Promise<string> {
  let seen = 0;
  let broken = false;
  const only = (call: string, args: readonly unknown[]): boolean => {
    if (/^(rename|link) /.test(call) && /(a|b|c)\.txt$/.test(String(args[1]))) seen += 1;
    if (/^rename /.test(call) && /[abc]\.txt$/.test(call)) seen += 1;
    if (seen > renames) broken = true;
    return broken;
  };
  const { io } = faultyIo({ at: 1, error: "EIO", forGood: true, only });
  const failed = commit(at.files({ io }), changes).catch((error: Error) => error.message);
  return String(await failed);
}

const batches = (at: Ground): string[] => readdirSync(join(at.state, "batches"));

function prepared(): Ground {
  const at = newGround();
  at.put("a.txt", "old a");
  at.put("b.txt", "old b");
  return at;
}
const changes = { "a.txt": "new a", "b.txt": null, "c.txt": "new c" };

describe("a batch that could not even be undone", () => {
  test("says so, and is undone before anybody gets one of its files", async () => {
    const at = prepared();
    const reports: string[] = [];
    const running = at.files({ report: (line) => reports.push(line), limits: { wait: 500 } });
    await running.identify("a.txt");
    const message = await breakOff(at, changes, 2);
    expect(message).toMatch(
      /^cannot write the batch \(a.txt, b.txt, c.txt\): .*EIO.*it will be undone at the next start$/,
    );
    expect(at.get("a.txt")).toBe("new a");
    expect(at.get("b.txt")).toBeNull();
    // A process that runs on, and has no start any more, finds the lock.
    expect(await commit(running, { "b.txt": "then" })).toBe(true);
    expect(at.tree()).toEqual({ "a.txt": "old a", "b.txt": "then" });
    expect(reports).toEqual(["undid a batch that was interrupted: a.txt, b.txt, c.txt"]);
    expect(batches(at)).toEqual([]);
    expect(namesIn(join(at.state, "locks"))).toEqual([]);
  });

  test("what somebody else wrote since stays, and is reported", async () => {
    const at = prepared();
    await breakOff(at, changes, 2);
    writeFileSync(join(at.root, "a.txt"), "theirs");
    writeFileSync(join(at.root, "b.txt"), "made again");
    const reports: string[] = [];
    await at.files({ report: (line) => reports.push(line) }).recover();
    expect(at.tree()).toEqual({ "a.txt": "theirs", "b.txt": "made again" });
    expect(reports.filter((line) => line.includes("changed by somebody else")).sort()).toEqual([
      expect.stringContaining("a.txt"),
      expect.stringContaining("b.txt"),
    ]);
  });

  test("its folder is gone: nothing to undo there", async () => {
    const at = prepared();
    at.put("sub/a.txt", "old");
    await breakOff(at, { "a.txt": "new a", "sub/a.txt": "new" }, 1);
    const { rmSync } = await import("node:fs");
    rmSync(join(at.root, "sub"), { recursive: true });
    await at.files().recover();
    expect(at.tree()).toEqual({ "a.txt": "old a", "b.txt": "old b" });
    expect(batches(at)).toEqual([]);
  });

  test("in place: an interrupted write is made good, a foreign one is left", async () => {
    for (const foreign of [false, true]) {
      const at = newGround();
      linkSync(at.put("a.txt", "old content\n"), join(at.root, "other name"));
      let writes = 0;
      const only = (call: string): boolean => {
        if (call.startsWith("truncate")) writes += 1;
        return writes > 0;
      };
      const { io } = faultyIo({ at: 1, error: "EIO", forGood: true, only });
      await expect(commit(at.files({ io }), { "a.txt": "new\n" })).rejects.toThrow("next start");
      expect(at.get("a.txt")).toBe("new\ncontent\n");
      if (foreign) writeFileSync(join(at.root, "a.txt"), "theirs");
      await at.files().recover();
      const content = foreign ? "theirs" : "old content\n";
      expect(at.tree()).toEqual({ "a.txt": content, "other name": content });
    }
  });
});

describe("a start leaves alone", () => {
  test("a batch whose owner lives", async () => {
    const at = prepared();
    await breakOff(at, changes, 2);
    const stat = readFileSync(`/proc/${process.ppid}/stat`, "utf8");
    const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    // As if another process had it under way: the locks are that process's.
    for (const path of ["a.txt", "b.txt", "c.txt"]) {
      const lock = join(at.state, "locks", nameOf(join(at.root, path)));
      const record = JSON.parse(readFileSync(lock, "utf8"));
      writeFileSync(lock, JSON.stringify({ ...record, pid: process.ppid, start, copy: "theirs" }));
    }
    const before = batches(at);
    await at.files().recover();
    expect(batches(at)).toEqual(before);
    expect(at.get("a.txt")).toBe("new a");
  });

  test("a plan that is just being written, but not one that never was", async () => {
    const at = prepared();
    mkdirSync(join(at.state, "batches"), { recursive: true });
    writeFileSync(join(at.state, "batches/x-1.prepare"), '{"format":1,"it');
    await at.files().recover();
    expect(batches(at)).toEqual(["x-1.prepare"]);
    await at.files({ clock: () => Date.now() + 60_000 }).recover();
    expect(batches(at)).toEqual([]);
  });

  test("a plan that nobody understands: put aside, and said", async () => {
    const at = prepared();
    mkdirSync(join(at.state, "batches"), { recursive: true });
    writeFileSync(join(at.state, "batches/x-1.apply"), '{"format":99,"items":[]}');
    const reports: string[] = [];
    await at.files({ report: (line) => reports.push(line) }).recover();
    expect(batches(at)).toEqual(["x-1.damaged"]);
    expect(reports.join()).toContain("x-1.damaged");
    expect(await commit(at.files(), changes)).toBe(true);
  });
});

test("a temporary file that cannot be removed is remembered for the next start", async () => {
  const at = prepared();
  const reports: string[] = [];
  const only = (call: string): boolean => /^(unlink .*\.tmp|rename .*\.tmp)$/.test(call);
  const { io } = faultyIo({ at: 1, error: "EACCES", forGood: true, only });
  const report = (line: string): void => void reports.push(line);
  await expect(commit(at.files({ io, report }), { "a.txt": "new" })).rejects.toMatchObject({ code: "io" });
  expect(reports.join()).toContain("could not be removed; it will be at the next start");
  expect(Object.keys(at.tree())).toHaveLength(3);
  await at.files().recover();
  expect(at.tree()).toEqual({ "a.txt": "old a", "b.txt": "old b" });
});

test("a start in an empty state folder makes nothing", async () => {
  const at = newGround();
  await at.files().identify("a.txt");
  expect(() => readdirSync(at.state)).toThrow("ENOENT");
  expect(systemProcesses(nodeIo).self().pid).toBe(process.pid);
});
