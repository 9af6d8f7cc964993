import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { type NodeFiles, nodeFiles, nodeStore } from "../../src/node.js";
import { commit, namesIn, treeOf, utf8 } from "../support/node.js";
import { storing } from "../support/store.js";

/** A disk of one mebibyte; null where this user may not mount one. */
function smallDisk(): string | null {
  const folder = mkdtempSync(join(tmpdir(), "kedge-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "none", folder], { stdio: "ignore" });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
}

const disk = process.platform === "linux" ? smallDisk() : null;
afterAll(() => {
  if (disk === null) return;
  execFileSync("umount", [disk]);
  rmSync(disk, { recursive: true });
});

describe.skipIf(disk === null)("a real full disk (skipped where this user may not mount one)", () => {
  const full = disk ?? "";
  let number = 0;

  /** A workspace on the small disk, with only `free` bytes left there; the state folder on it or elsewhere. */
  function prepare(
    free: number,
    stateToo: boolean,
  ): { root: string; state: string; files: NodeFiles; done(): void } {
    number += 1;
    const base = join(full, `t${number}`);
    const root = join(base, "work");
    const elsewhere = mkdtempSync(join(tmpdir(), "kedge-state-"));
    const state = stateToo ? join(base, "state") : elsewhere;
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, "a.txt"), "a".repeat(50_000));
    writeFileSync(join(root, "b.txt"), "b".repeat(50_000));
    linkSync(join(root, "b.txt"), join(root, "b2.txt"));
    const filler = join(full, "filler");
    writeFileSync(filler, "");
    const { bavail, bsize } = statfs(full);
    writeFileSync(filler, new Uint8Array(Math.max(0, bavail * bsize - free)));
    const done = (): void => {
      for (const path of [filler, base, elsewhere]) rmSync(path, { recursive: true, force: true });
    };
    return { root, state, files: nodeFiles({ roots: [root], state }), done };
  }

  function statfs(path: string): { bavail: number; bsize: number } {
    const [blocks, size] = execFileSync("stat", ["-f", "-c", "%a %S", path], { encoding: "utf8" }).split(" ");
    return { bavail: Number(blocks), bsize: Number(size) };
  }

  const changes: [string, Record<string, string | null>][] = [
    ["a larger file", { "a.txt": "A".repeat(80_000) }],
    ["a new file", { "new/c.txt": "c".repeat(80_000) }],
    ["in place, larger", { "b.txt": "B".repeat(80_000) }],
    ["a batch", { "new/c.txt": "c".repeat(30_000), "a.txt": "A".repeat(60_000), "b.txt": null }],
  ];

  test.each(changes)("%s: refused, everything as it was, nothing left", async (_, change) => {
    for (const stateToo of [false, true]) {
      const { root, state, files, done } = prepare(40_000, stateToo);
      const before = treeOf(root);
      await expect(commit(files, change)).rejects.toMatchObject({
        code: "io",
        message: expect.stringContaining("no space left on the disk (ENOSPC)"),
      });
      expect(treeOf(root)).toEqual(before);
      expect(readdirSync(root)).toEqual(["a.txt", "b.txt", "b2.txt"]);
      expect(namesIn(join(state, "locks"))).toEqual([]);
      expect(readdirSync(state).includes("batches") ? readdirSync(join(state, "batches")) : []).toEqual([]);
      done();
    }
  });

  test("on a disk without a single free byte: the same, and deleting still works", async () => {
    const { root, files, done } = prepare(0, false);
    const before = treeOf(root);
    for (const [, change] of changes)
      await expect(commit(files, change)).rejects.toMatchObject({ code: "io" });
    expect(treeOf(root)).toEqual(before);
    expect(await commit(files, { "a.txt": null })).toBe(true);
    expect(Object.keys(treeOf(root))).toEqual(["b.txt", "b2.txt"]);
    done();
  });

  test("the ledger: a record stays whole, the journal readable", async () => {
    const { state, done } = prepare(30_000, true);
    const store = nodeStore({ state, workspace: { key: "w" } });
    await storing(store).saveFile("k", "old");
    const entry = { id: "e1", time: 1, agent: "a", tool: "t", kind: "commit", path: "p", file: "k" } as const;
    await storing(store).append({ ...entry, before: null, after: null, lines: [] });
    await expect(storing(store).saveFile("k", "n".repeat(50_000))).rejects.toMatchObject({ code: "io" });
    const random = Uint8Array.from({ length: 60_000 }, (_, at) => (at * at * 2654435761) >>> 13);
    await expect(storing(store).keepVersion("00000000000000aa", random)).rejects.toMatchObject({
      code: "io",
    });
    const large = { ...entry, id: "e2", before: null, after: null, lines: [], cause: "x".repeat(50_000) };
    await expect(storing(store).append(large)).rejects.toMatchObject({ code: "io" });
    expect(await storing(store).file("k")).toBe("old");
    expect(await storing(store).version("00000000000000aa")).toBeNull();
    expect((await store.journal()).map(({ id }) => id)).toEqual(["e1"]);
    rmSync(join(full, "filler"));
    // A process that was just forked for another test may hold the removed file a moment longer.
    await vi.waitFor(() => expect(statfs(full).bavail).toBeGreaterThan(100), 10_000);
    await storing(store).append({ ...large, cause: "short", id: "e3" });
    expect((await store.journal()).map(({ id }) => id)).toEqual(["e1", "e3"]);
    expect(statSync(state).isDirectory()).toBe(true);
    await storing(store).saveFile("k", { bytes: utf8("x").length });
    done();
  });
});
