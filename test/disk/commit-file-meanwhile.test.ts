import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Io, nodeIo } from "../../src/host/index.js";
import { commit, type Ground, newGround } from "../support/node.js";

type Stat = ReturnType<Io["fstat"]>;

/** Does the deed when the new content has just been flushed: after the bytes were compared, before the last look. */
function afterFlush(deed: () => void, base: Io = nodeIo): Io {
  let done = false;
  const then = <T>(result: T): T => {
    if (!done) deed();
    done = true;
    return result;
  };
  return {
    ...base,
    writeThrough: async (fd, bytes) => then(await base.writeThrough(fd, bytes)),
  };
}

/** A file system with dates that tell nothing: some keep them in seconds, this one in days. */
function coarse(step = 86_400_000_000_000n): Io {
  const rounded = (stat: Stat): Stat =>
    Object.assign(stat, {
      mtimeNs: stat.mtimeNs - (stat.mtimeNs % step),
      ctimeNs: stat.ctimeNs - (stat.ctimeNs % step),
    });
  return {
    ...nodeIo,
    fstat: (fd) => rounded(nodeIo.fstat(fd)),
    stat: (path) => rounded(nodeIo.stat(path)),
    lstat: (path) => rounded(nodeIo.lstat(path)),
  };
}

const leftovers = (at: Ground): string[] => readdirSync(at.root).filter((name) => name.includes(".kedge"));

describe("what others do while the new content is flushed", () => {
  const deeds: [string, boolean, string | null, (path: string) => void][] = [
    ["write as many bytes", false, "abc", (path) => writeFileSync(path, "abc")],
    ["write more", false, "theirs", (path) => writeFileSync(path, "theirs")],
    ["write the same bytes", true, "new", (path) => writeFileSync(path, "old")],
    ["delete it", false, null, (path) => rmSync(path)],
    ["put a folder there", false, null, (path) => [rmSync(path), mkdirSync(path)]],
    [
      "put another file there",
      false,
      "abc",
      (path) => [writeFileSync(`${path}2`, "abc"), renameSync(`${path}2`, path)],
    ],
  ];

  test.each(deeds)("%s", async (_, written, content, deed) => {
    for (const base of [nodeIo, coarse()]) {
      const at = newGround();
      const path = at.put("a.txt", "old");
      const files = at.files({ io: afterFlush(() => deed(path), base) });
      expect(await commit(files, { "a.txt": "new" })).toBe(written);
      expect(at.get("a.txt")).toBe(content);
      expect(leftovers(at)).toEqual([]);
    }
  });

  test("turn the folder into a link out of the roots", async () => {
    const at = newGround();
    const outside = join(at.root, "..", "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "a.txt"), "old");
    at.put("sub/a.txt", "old");
    const swap = (): void => {
      renameSync(join(at.root, "sub"), join(at.root, "was"));
      symlinkSync(outside, join(at.root, "sub"));
    };
    await commit(at.files({ io: afterFlush(swap) }), { "sub/a.txt": "new" }).catch(() => {});
    expect(readdirSync(outside)).toEqual(["a.txt"]);
    expect(at.get("sub/a.txt")).toBe("old");
  });
});

test("put another file with the same bytes there, and write into that while it is replaced", async () => {
  for (const base of [nodeIo, coarse()]) {
    const at = newGround();
    const path = at.put("a.txt", "old");
    let theirs = -1;
    const put = (): void => {
      writeFileSync(`${path}2`, "old");
      renameSync(`${path}2`, path);
      theirs = openSync(path, "r+");
    };
    const rename: Io["rename"] = (from, to) => {
      if (from.endsWith(".tmp")) writeSync(theirs, "theirs", 0);
      base.rename(from, to);
    };
    const files = at.files({ io: { ...afterFlush(put, base), rename } });
    expect(await commit(files, { "a.txt": "new" })).toBe(false);
    expect(at.get("a.txt")).toBe("theirs");
    expect(leftovers(at)).toEqual([]);
    closeSync(theirs);
  }
});

test("a flush that fails later: nothing changed, nothing left, and the reason", async () => {
  const at = newGround();
  at.put("a.txt", "old");
  const full = Object.assign(new Error("played"), { code: "ENOSPC" });
  for (const [path, kept] of Object.entries({ "a.txt": "old", "b.txt": null })) {
    const io: Io = { ...nodeIo, writeThrough: async () => Promise.reject(full) };
    await expect(commit(at.files({ io }), { [path]: "new" })).rejects.toMatchObject({
      code: "io",
      message: `cannot write ${path}: no space left on the disk (ENOSPC)`,
    });
    expect(at.get(path)).toBe(kept);
    expect(leftovers(at)).toEqual([]);
  }
});

test.each([
  ["a quick disk", 0],
  ["a slow disk", 10],
])("a folder that cannot be flushed is told, and the file is written: %s", async (_, milliseconds) => {
  const at = newGround();
  at.put("a.txt", "old");
  const reports: string[] = [];
  const failed: string[] = [];
  const fails = (way: string): never => {
    failed.push(way);
    throw Object.assign(new Error("played"), { code: "EIO" });
  };
  const io: Io = {
    ...nodeIo,
    async writeThrough(fd, bytes) {
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      return nodeIo.writeThrough(fd, bytes);
    },
    fsync: () => fails("here"),
    flush: async () => fails("beside other work"),
  };
  expect(await commit(at.files({ io, report: (line) => reports.push(line) }), { "a.txt": "new" })).toBe(true);
  expect(at.get("a.txt")).toBe("new");
  if (milliseconds > 0) expect(failed).toEqual(["beside other work"]);
  expect(reports).toEqual([expect.stringContaining("a power failure now may bring the old content back")]);
});

test("the bytes are read once if nothing happens meanwhile, and again if the date could not tell", async () => {
  for (const [base, looks] of [
    [nodeIo, 1],
    [coarse(), 2],
  ] as const) {
    const at = newGround();
    const path = at.put("a.txt", "old");
    await new Promise((resolve) => setTimeout(resolve, 30));
    const read: string[] = [];
    const opened = new Map<number, string>();
    const io: Io = {
      ...base,
      open(name, ...rest) {
        const fd = base.open(name, ...rest);
        opened.set(fd, name);
        return fd;
      },
      read(fd, target, position) {
        if (position !== null && opened.get(fd)?.endsWith("a.txt")) read.push(opened.get(fd) ?? "");
        return base.read(fd, target, position);
      },
    };
    expect(await commit(at.files({ io }), { "a.txt": "new" })).toBe(true);
    expect(read).toHaveLength(looks);
    expect(existsSync(path)).toBe(true);
  }
});

/** Where a descriptor of this process leads; nowhere, if it was closed since they were listed. */
function targetOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return "";
  }
}

test.runIf(process.platform === "linux")("no descriptor is left open", async () => {
  const at = newGround();
  at.put("a.txt", "old");
  const files = at.files();
  // Other tests run in this process too, and open what they like: only what leads here counts.
  const open = (): number =>
    readdirSync("/proc/self/fd").filter((fd) => targetOf(fd).startsWith(dirname(at.root))).length;
  await commit(files, { "a.txt": "first" });
  const before = open();
  for (let round = 0; round < 100; round++) await commit(files, { "a.txt": `${round}` });
  // The last ones are closed beside other work.
  for (let wait = 0; wait < 100 && open() > before; wait++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(open()).toBeLessThanOrEqual(before);
});
