import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { nameOf } from "../../src/host/checksums.js";
import { type Io, nodeIo, type Processes, systemProcesses } from "../../src/host/index.js";
import type { Holder } from "../../src/host/processes.js";
import { defaultTiming, type LockRecord } from "../../src/locks/lock-file.js";
import type { NodeFiles } from "../../src/node.js";
import { commit, type Ground, namesIn, newGround } from "../support/node.js";

const real = systemProcesses(nodeIo);

/** A process that the test invents: `alive` is what the system would say about any holder but this one. */
function played(self: Partial<Holder>, alive: (holder: Holder) => boolean | null): Processes {
  return { ...real, self: () => ({ ...real.self(), ...self }), isAlive: alive };
}

/** A lock as somebody else left it. */
function leave(at: Ground, path: string, record: Partial<Holder> & { token?: string }, age = 0): string {
  const key = join(at.root, path);
  const file = join(at.state, "locks", nameOf(key));
  mkdirSync(join(at.state, "locks"), { recursive: true });
  const other = { ...real.self(), copy: "other", token: "t-1", key, path: key, ...record };
  writeFileSync(file, JSON.stringify(other));
  const time = Date.now() / 1000 - age;
  utimesSync(file, time, time);
  return file;
}

const quick = { limits: { wait: 150 } };
const write = (files: NodeFiles): Promise<boolean> => commit(files, { "a.txt": "new" });
const locksOf = (at: Ground): string[] => namesIn(join(at.state, "locks"));

/** A number that no process has: the largest that Linux gives out is below it. */
const nobody = 2 ** 22 + 1;

describe("locks of processes that died are broken at once", () => {
  test.each([
    ["no such process", { pid: nobody }],
    ["its number was given to another process", { pid: process.ppid, start: "1" }],
    ["the machine was started again", { pid: process.pid, boot: "before" }],
  ])("%s", async (_, record) => {
    const at = newGround();
    leave(at, "a.txt", record, 60);
    // What it left beside the file goes with the lock.
    at.put(".kedge-t-1-0.tmp", "half written");
    expect(await write(at.files(quick))).toBe(true);
    expect(at.tree()).toEqual({ "a.txt": "new" });
    expect(locksOf(at)).toEqual([]);
  });

  test("at the next start, whatever that asks for", async () => {
    const at = newGround();
    const lock = leave(at, "a.txt", { pid: nobody });
    at.put(".kedge-t-1-0.tmp", "half written");
    await at.files().identify("something else");
    expect(existsSync(lock)).toBe(false);
    expect(at.tree()).toEqual({});
  });

  test("one that this process could not remove", async () => {
    const at = newGround();
    leave(at, "a.txt", { copy: real.self().copy });
    expect(await write(at.files(quick))).toBe(true);
  });
});

describe("many who wait", () => {
  const living = { pid: process.ppid, start: startOf(process.ppid) };

  test("one of them asks often, the others seldom", async () => {
    const at = newGround();
    const lock = leave(at, "a.txt", living);
    const asked = new Map<string, number>();
    const link: Io["link"] = (from, to) => {
      if (to === lock) asked.set(from, (asked.get(from) ?? 0) + 1);
      nodeIo.link(from, to);
    };
    const started = performance.now();
    const waiting = Array.from({ length: 20 }, () => write(at.files({ io: { ...nodeIo, link } })));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const [, ...others] = [...asked.values()].sort((one, other) => other - one);
    expect(others.length).toBe(19);
    expect(Math.max(...others)).toBeLessThan(4 + (performance.now() - started) / 250);
    rmSync(lock);
    expect(await Promise.all(waiting)).toContain(true);
    expect(locksOf(at)).toEqual([]);
  });

  test("the first of them may die, or stand still, before it had its turn", async () => {
    const at = newGround();
    const lock = leave(at, "a.txt", living);
    writeFileSync(
      `${lock}-next`,
      JSON.stringify({ ...real.self(), copy: "other", token: "t-2", pid: nobody }),
    );
    const dead = write(at.files());
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(readFileSync(`${lock}-next`, "utf8")).not.toContain('"t-2"');
    rmSync(lock);
    expect(await dead).toBe(true);
    writeFileSync(`${lock}-next`, JSON.stringify({ ...real.self(), copy: "other", token: "t-3", ...living }));
    leave(at, "a.txt", living);
    const behind = commit(at.files(), { "a.txt": "newer" });
    await new Promise((resolve) => setTimeout(resolve, 50));
    rmSync(lock);
    expect(await behind).toBe(true);
  });
});

test("a place at the front that was made but never written is in nobody's way", async () => {
  const at = newGround();
  const lock = leave(at, "a.txt", { pid: process.ppid, start: startOf(process.ppid) });
  const left = `${lock}-next`;
  const put = (): void => {
    writeFileSync(left, "");
    utimesSync(left, Date.now() / 1000 - 1, Date.now() / 1000 - 1);
  };
  put();
  await at.files().identify("something else");
  expect(existsSync(left)).toBe(false);
  put();
  const waiting = write(at.files());
  await expect.poll(() => existsSync(left) && readFileSync(left, "utf8")).toContain('"token"');
  rmSync(lock);
  expect(await waiting).toBe(true);
  expect(locksOf(at)).toEqual([]);
});

describe("locks of the living are not", () => {
  test("bounded waiting, then busy naming the holder", async () => {
    const at = newGround();
    const lock = leave(at, "a.txt", { pid: process.ppid, start: startOf(process.ppid) }, 3600);
    const started = performance.now();
    await expect(write(at.files(quick))).rejects.toMatchObject({
      code: "busy",
      message: expect.stringContaining(`a.txt is held by process ${process.ppid} on ${hostname()}`),
    });
    // That it ends is the bound: how late it notices, on a busy machine, is not its doing.
    expect(performance.now() - started).toBeGreaterThan(140);
    expect(existsSync(lock)).toBe(true);
    expect(at.tree()).toEqual({});
  });

  test("the event loop turns while waiting", async () => {
    const at = newGround();
    const lock = leave(at, "a.txt", { pid: process.ppid, start: startOf(process.ppid) });
    let turns = 0;
    let next = setImmediate(function turn() {
      turns += 1;
      next = setImmediate(turn);
    });
    const looks: number[] = [];
    const io: Io = {
      ...nodeIo,
      lstat(path) {
        if (path === lock) looks.push(turns);
        return nodeIo.lstat(path);
      },
    };
    await expect(write(at.files({ ...quick, io }))).rejects.toMatchObject({ code: "busy" });
    clearImmediate(next);
    // How many there are, a busy machine decides; but after the first two the loop turned before each.
    expect(looks.length).toBeGreaterThan(0);
    expect(looks.slice(1)).toEqual([...new Set(looks.slice(1))]);
  });

  test("a hold within a hold of the same file says so instead of waiting forever", async () => {
    const at = newGround();
    const files = at.files(quick);
    const file = await files.identify("a.txt");
    const nested = files.hold([file], () => files.hold([file], async () => "in"));
    await expect(nested).rejects.toMatchObject({ code: "busy", message: expect.stringContaining("itself") });
  });

  test.each([
    ["another host", { host: "elsewhere" }],
    ["another start of the machine", { boot: "before" }],
    ["another container on it", { space: "pid:[1]" }],
  ])("%s: its process number says nothing here", async (_, record) => {
    const at = newGround();
    leave(at, "a.txt", { ...record, pid: nobody });
    await expect(write(at.files(quick))).rejects.toMatchObject({ code: "busy" });
  });
});

describe("where nothing else tells, time does", () => {
  const foreign = { host: "elsewhere", pid: nobody };
  const timing = { refresh: 100, silent: 800, outdated: 15_000, watch: 250, unwritten: 50 };
  const patient = { limits: { wait: 60_000 }, timing };

  test("an old lock, watched for a while, is broken", async () => {
    const at = newGround();
    leave(at, "a.txt", foreign, 3600);
    const started = performance.now();
    expect(await write(at.files(patient))).toBe(true);
    expect(performance.now() - started).toBeGreaterThan(240);
  });

  test("a clock that jumped forward kills nobody who refreshes", async () => {
    const at = newGround();
    const lock = leave(at, "a.txt", foreign, 3600);
    let time = Date.now() / 1000 - 3600;
    // Whenever it is looked at, it has been refreshed: no timer can be late.
    const io: Io = {
      ...nodeIo,
      lstat(path) {
        time += 0.1;
        if (path === lock) utimesSync(lock, time, time);
        return nodeIo.lstat(path);
      },
    };
    await expect(write(at.files({ io, timing, limits: { wait: 700 } }))).rejects.toMatchObject({
      code: "busy",
    });
  });

  test("a date in the future does not protect for ever", async () => {
    const at = newGround();
    leave(at, "a.txt", foreign, -1e6);
    expect(await write(at.files(patient))).toBe(true);
  });

  test("one that was made but never written", async () => {
    const at = newGround();
    const lock = leave(at, "a.txt", {});
    writeFileSync(lock, "");
    expect(await write(at.files(patient))).toBe(true);
  });

  test("a holder refreshes what it holds", async () => {
    const at = newGround();
    const files = at.files({ timing });
    const file = await files.identify("a.txt");
    const date = (): number => Number(nodeIo.lstat(join(at.state, "locks", locksOf(at)[0] ?? "")).mtimeMs);
    await files.hold([file], async (held) => {
      const first = date();
      await expect.poll(date, { interval: 20, timeout: 60_000 }).toBeGreaterThan(first + 80);
      expect(await held.commit([{ file, before: null, after: new Uint8Array(1) }])).toBe(true);
    });
    expect(locksOf(at)).toEqual([]);
  });

  test("a holder refreshes what it holds while it waits for another lock", async () => {
    const at = newGround();
    const theirs = leave(at, "b.txt", { pid: process.ppid, start: startOf(process.ppid) });
    const files = at.files({ timing });
    const ids = [await files.identify("a.txt"), await files.identify("b.txt")];
    const held = files.hold(ids, async () => "both");
    const mine = join(at.state, "locks", nameOf(join(at.root, "a.txt")));
    const date = (): number => Number(nodeIo.lstat(mine).mtimeMs);
    await expect.poll(() => existsSync(mine), { interval: 1 }).toBe(true);
    const first = date();
    await expect.poll(date, { interval: 20, timeout: 60_000 }).toBeGreaterThan(first + 80);
    rmSync(theirs);
    expect(await held).toBe("both");
  });
});

describe("a holder that was taken for dead", () => {
  test("changes nothing, and leaves the lock of the one who came after", async () => {
    const at = newGround();
    const files = at.files({ timing: { watch: 20 } });
    const file = await files.identify("a.txt");
    const failing = files.hold([file], async (held) => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      leave(at, "a.txt", { pid: process.ppid, start: startOf(process.ppid) });
      return held.commit([{ file, before: null, after: new Uint8Array(1) }]);
    });
    await expect(failing).rejects.toMatchObject({ code: "busy", message: expect.stringContaining("lost") });
    expect(at.tree()).toEqual({});
    expect(locksOf(at)).toHaveLength(1);
  });
});

test("a holder that stood still and goes on, with the same token, just when its lock is about to be broken", async () => {
  const at = newGround();
  const timing = { refresh: 20, silent: 60, outdated: 15_000, watch: 50, unwritten: 50 };
  const lock = leave(at, "a.txt", { host: "elsewhere", pid: nobody });
  let claims = 0;
  const io: Io = {
    ...nodeIo,
    link(from, to) {
      // The lock is dated whenever it is taken again after a while, and while it is held.
      if (to === `${lock}.t-1`) utimesSync(lock, Date.now() / 1000, Date.now() / 1000 + ++claims);
      nodeIo.link(from, to);
    },
  };
  await expect(write(at.files({ io, timing, limits: { wait: 300 } }))).rejects.toMatchObject({
    code: "busy",
  });
  expect(claims).toBeGreaterThan(0);
  expect(locksOf(at)).toEqual([basename(lock)]);
});

test("of many that find the same dead lock, exactly one breaks it", async () => {
  const at = newGround();
  at.put("a.txt", "");
  for (let round = 0; round < 10; round++) {
    leave(at, "a.txt", { pid: nobody, token: `dead-${round}` });
    // Each with a queue of its own, as processes have.
    const people = Array.from({ length: 8 }, () => at.files({ limits: { wait: 20_000 } }));
    let inside = 0;
    const body = async (): Promise<void> => {
      inside += 1;
      expect(inside).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 1));
      inside -= 1;
    };
    await Promise.all(people.map(async (files) => files.hold([await files.identify("a.txt")], body)));
  }
  expect(locksOf(at)).toEqual([]);
});

test("a breaker that died in the act is followed by the next", async () => {
  const at = newGround();
  const lock = leave(at, "a.txt", { pid: nobody, token: "dead-1" });
  writeFileSync(
    `${lock}.dead-1`,
    JSON.stringify({ ...real.self(), copy: "x", pid: nobody, token: "dead-2" }),
  );
  writeFileSync(
    `${lock}.dead-2`,
    JSON.stringify({ ...real.self(), copy: "x", pid: nobody, token: "dead-3" }),
  );
  expect(await write(at.files(quick))).toBe(true);
  expect(locksOf(at)).toEqual([]);
});

test("another thread of this process is somebody else", async () => {
  const at = newGround();
  leave(at, "a.txt", { copy: "another thread" });
  await expect(write(at.files(quick))).rejects.toMatchObject({ code: "busy" });
});

test("a machine that tells neither boot nor start falls back on time", async () => {
  const at = newGround();
  leave(at, "a.txt", { boot: "", start: "", space: "", pid: process.ppid });
  const processes = played({ boot: "", start: "", space: "" }, () => null);
  await expect(write(at.files({ ...quick, processes }))).rejects.toMatchObject({ code: "busy" });
});

test("lock files say who holds what, for this user alone, and outside the workspace", async () => {
  const at = newGround();
  const files = at.files();
  const file = await files.identify("a.txt");
  await files.hold([file], async () => {
    const [name = ""] = locksOf(at);
    const path = join(at.state, "locks", name);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
      pid: process.pid,
      host: hostname(),
      path: join(at.root, "a.txt"),
    });
    expect(Number(nodeIo.lstat(path).mode & 0o777n)).toBe(0o600);
    expect(Number(nodeIo.lstat(join(at.state, "locks")).mode & 0o777n)).toBe(0o700);
    expect(at.tree()).toEqual({});
  });
});

function startOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

describe("a file that is locked again", () => {
  /** What is done in the folder of locks. */
  function told(at: Ground, io: Partial<Io> = {}): { files: NodeFiles; calls: string[] } {
    const calls: string[] = [];
    const base = { ...nodeIo, ...io };
    const watched = Object.entries(base).map(([call, run]) => [
      call,
      (...args: unknown[]): unknown => {
        if (String(args[0]).startsWith(join(at.state, "locks"))) calls.push(call);
        return (run as (...given: unknown[]) => unknown)(...args);
      },
    ]);
    // Has to be dated after 30 milliseconds.
    const timing = { refresh: 2000, watch: 2060 };
    return { files: at.files({ io: Object.fromEntries(watched) as Io, timing }), calls };
  }

  async function tokenOf(files: NodeFiles, at: Ground, path: string): Promise<string> {
    const lock = join(at.state, "locks", nameOf(join(at.root, path)));
    const read = async (): Promise<string> => (JSON.parse(readFileSync(lock, "utf8")) as LockRecord).token;
    return files.hold([await files.identify(path)], read);
  }

  test("takes two calls, until it has to be dated; another file's says what it is", async () => {
    const at = newGround();
    const { files, calls } = told(at);
    const first = await tokenOf(files, at, "a.txt");
    calls.length = 0;
    expect(await tokenOf(files, at, "a.txt")).toBe(first);
    expect(calls).toEqual(["link", "unlink"]);
    await new Promise((resolve) => setTimeout(resolve, 40));
    calls.length = 0;
    expect(await tokenOf(files, at, "a.txt")).toBe(first);
    expect(calls).toEqual(["touch", "link", "unlink"]);
    expect(await tokenOf(files, at, "b.txt")).not.toBe(first);
    expect(await tokenOf(files, at, "a.txt")).not.toBe(first);
  });

  test("is dated so lately that it is refreshed before anybody has watched it for long enough", async () => {
    const at = newGround();
    let now = Date.now();
    const files = at.files({ clock: () => now });
    const file = await files.identify("a.txt");
    const lock = join(at.state, "locks", nameOf(join(at.root, "a.txt")));
    for (let round = 0; round < 30; round++) {
      const modified = await files.hold([file], async () => Number(nodeIo.lstat(lock).mtimeMs));
      expect(now - modified + defaultTiming.refresh).toBeLessThan(defaultTiming.watch);
      now += 100;
    }
  });

  test("by several at once: each in its turn, and nothing of it stays", async () => {
    const at = newGround();
    at.put("a.txt", "0");
    const files = at.files();
    const id = await files.identify("a.txt");
    const add = (): Promise<void> =>
      files.hold([id], async (held) => {
        const before = await held.read(id);
        const after = new TextEncoder().encode(
          `${Number(new TextDecoder().decode(before ?? undefined)) + 1}`,
        );
        expect(await held.commit([{ file: id, before, after }])).toBe(true);
      });
    await Promise.all(Array.from({ length: 20 }, add));
    expect(at.get("a.txt")).toBe("20");
    expect(locksOf(at)).toEqual([]);
  });

  test.each([
    ["the file it was made of", (at: Ground) => rmSync(join(at.state, "locks"), { recursive: true })],
    ["the state folder", (at: Ground) => rmSync(at.state, { recursive: true })],
  ])("after somebody removed %s", async (_, deed) => {
    const at = newGround();
    const { files } = told(at);
    for (const pause of [0, 40]) {
      await tokenOf(files, at, "a.txt");
      deed(at);
      await new Promise((resolve) => setTimeout(resolve, pause));
      expect(await tokenOf(files, at, "a.txt")).toMatch(/./);
      expect(locksOf(at)).toEqual([]);
    }
  });

  test("after a temporary file could not be removed: by another token, which names the next", async () => {
    const at = newGround();
    at.put("a.txt", "old");
    let isStuck = true;
    const failed = (): never => {
      throw Object.assign(new Error("played"), { code: "EIO" });
    };
    const { files } = told(at, {
      rename: (from, to) => (isStuck && to.endsWith("a.txt") ? failed() : nodeIo.rename(from, to)),
      unlink: (path) => (isStuck && path.endsWith(".tmp") ? failed() : nodeIo.unlink(path)),
    });
    const first = await tokenOf(files, at, "a.txt");
    await expect(write(files)).rejects.toMatchObject({ code: "io" });
    isStuck = false;
    expect(Object.keys(at.tree())).toContain(`.kedge-${first}-0.tmp`);
    expect(await tokenOf(files, at, "a.txt")).not.toBe(first);
    expect(await write(files)).toBe(true);
    // What is left goes at the next start, while this process goes on.
    await at.files().identify("a.txt");
    expect(at.tree()).toEqual({ "a.txt": "new" });
  });

  describe("by itself, while another is that was locked together with it before", () => {
    async function bothLocked(at: Ground): Promise<NodeFiles> {
      for (const path of ["a.txt", "b.txt"]) at.put(path, "old");
      const files = at.files();
      await files.hold([await files.identify("a.txt"), await files.identify("b.txt")], async () => {});
      return files;
    }

    test("both are written: their temporary files have names of their own", async () => {
      const at = newGround();
      const files = await bothLocked(at);
      const written = await Promise.all(["b.txt", "a.txt"].map((path) => commit(files, { [path]: "new" })));
      expect(written).toEqual([true, true]);
      expect(at.tree()).toEqual({ "a.txt": "new", "b.txt": "new" });
    });

    test("the lock of the one is not taken for a leaked one when the other is let go", async () => {
      const at = newGround();
      const files = await bothLocked(at);
      await files.hold([await files.identify("b.txt")], async () => {
        await tokenOf(files, at, "a.txt");
        await expect(commit(at.files(quick), { "b.txt": "theirs" })).rejects.toMatchObject({ code: "busy" });
      });
      expect(at.get("b.txt")).toBe("old");
    });
  });

  test("after a batch of one file could not be cleared up: by another token", async () => {
    const at = newGround();
    linkSync(at.put("a.txt", "old"), join(at.root, "b.txt"));
    let isStuck = true;
    const { files } = told(at, {
      unlink: (path) => {
        if (isStuck && path.endsWith(".tmp")) throw Object.assign(new Error("played"), { code: "EIO" });
        nodeIo.unlink(path);
      },
    });
    expect(await write(files)).toBe(true);
    isStuck = false;
    expect(await commit(files, { "a.txt": "newer" })).toBe(true);
    // What is left goes at the next start.
    await at.files().identify("a.txt");
    expect(at.tree()).toEqual({ "a.txt": "newer", "b.txt": "newer" });
  });

  test("again and again is not taken for dead by somebody who cannot ask", async () => {
    const at = newGround();
    const timing = { refresh: 60, silent: 200, outdated: 100, watch: 150, unwritten: 100 };
    const lock = join(at.state, "locks", nameOf(join(at.root, "a.txt")));
    // Held so briefly that the timer which dates what is held never meets it.
    const touch: Io["touch"] = (path, seconds) => path === lock || nodeIo.touch(path, seconds);
    const files = at.files({ timing, io: { ...nodeIo, touch } });
    const id = await files.identify("a.txt");
    const processes = played({ copy: "other" }, () => null);
    let isOver = false;
    const other = write(at.files({ processes, timing, limits: { wait: 600 } })).finally(() => {
      isOver = true;
    });
    const kept: boolean[] = [];
    // Taken again in the same turn of the loop, it is never seen free.
    const again = async (): Promise<void> => {
      while (!isOver)
        await files.hold([id], async () => {
          await new Promise((resolve) => setTimeout(resolve, 5));
          kept.push((JSON.parse(readFileSync(lock, "utf8")) as LockRecord).copy === real.self().copy);
        });
    };
    await Promise.all([again(), expect(other).rejects.toMatchObject({ code: "busy" })]);
    expect(kept.length).toBeGreaterThan(20);
    expect(kept).not.toContain(false);
  });
});
