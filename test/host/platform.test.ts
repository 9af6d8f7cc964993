import { chmodSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Edit } from "../../src/edits/index.js";
import type { Io } from "../../src/host/index.js";
import { type NodeFiles, nodeFiles } from "../../src/node.js";
import { memoryStore } from "../../src/ports/index.js";
import type { EditRequest } from "../../src/session/index.js";
import { Session } from "../../src/session/session.js";
import { filesContract } from "../contract/files.js";
import { commit, ground, newGround, treeOf, utf8 } from "../support/node.js";
import { type PlayedSystem, playedSystem } from "../support/played.js";

const places = { win32: ["C:\\Work", "C:\\State"], darwin: ["/Work", "/State"] } as const;

function played(name: "win32" | "darwin", base: string): PlayedSystem & { files: NodeFiles } {
  const system = playedSystem(name, base);
  const [root, state] = places[name];
  mkdirSync(join(base, "Work"));
  const limits = { wait: 2000 };
  return { ...system, files: nodeFiles({ roots: [root], state, limits, ripgrep: false, ...system }) };
}

for (const name of ["win32", "darwin"] as const) {
  filesContract(`by the rules of ${name}`, () => {
    const at = ground();
    const { files } = played(name, at.root);
    const pathOf = (path: string): string => join(at.root, "Work", path);
    return {
      files,
      put(path, content) {
        mkdirSync(dirname(pathOf(path)), { recursive: true });
        writeFileSync(pathOf(path), content);
      },
      get(path) {
        try {
          return readFileSync(pathOf(path));
        } catch {
          return null;
        }
      },
      dispose: at.dispose,
    };
  });
}

/** Removed under one spelling of its name, made under another. */
async function rename(
  files: NodeFiles,
  from: string,
  to: string,
  change: (bytes: Uint8Array | null) => Uint8Array | null,
): Promise<boolean> {
  const [old, fresh] = [await files.identify(from), await files.identify(to)];
  return files.hold([old, fresh], async (held) => {
    const before = await held.read(old);
    return held.commit([
      { file: old, before, after: null },
      { file: fresh, before: null, after: change(before), from: old },
    ]);
  });
}

describe("names without regard to case", () => {
  test.each(["win32", "darwin"] as const)("%s: one file, one key, and it keeps its name", async (name) => {
    const at = newGround();
    const { files } = played(name, at.root);
    expect(await commit(files, { "Src/File.ts": "1" })).toBe(true);
    expect(await commit(files, { "src/FILE.TS": "2" })).toBe(true);
    expect(at.tree()).toMatchObject({ "Work/Src/File.ts": "2" });
    const keys = await Promise.all(
      ["Src/File.ts", "SRC/file.ts"].map(async (path) => (await files.identify(path)).key),
    );
    expect(new Set(keys).size).toBe(1);
    const unborn = await Promise.all(
      ["New/A.ts", "new/a.TS"].map(async (path) => (await files.identify(path)).key),
    );
    expect(new Set(unborn).size).toBe(1);
    for (const path of [".GIT/config", "sub/.Git/x", "ID_RSA"])
      await expect(files.identify(path)).rejects.toMatchObject({ code: "denied" });
  });

  const respelled = (files: NodeFiles, from: string, to: string, after: string): Promise<boolean> =>
    rename(files, from, to, () => utf8(after));

  test.each(["win32", "darwin"] as const)("%s: a name gets another spelling, with its mode", async (name) => {
    const at = newGround();
    const { files } = played(name, at.root);
    expect(await commit(files, { "Src/File.ts": "1" })).toBe(true);
    chmodSync(join(at.root, "Work/Src/File.ts"), 0o750);
    expect(await respelled(files, "src/file.ts", "src/FILE.ts", "2")).toBe(true);
    expect(treeOf(join(at.root, "Work"))).toEqual({ "Src/FILE.ts": "2" });
    expect(statSync(join(at.root, "Work/Src/FILE.ts")).mode & 0o777).toBe(0o750);
    expect(await respelled(files, "Src/FILE.ts", "Src/file.ts", "2")).toBe(true);
    // As it is spelled already.
    expect(await respelled(files, "Src/File.ts", "Src/file.ts", "3")).toBe(true);
    expect(treeOf(join(at.root, "Work"))).toEqual({ "Src/file.ts": "3" });
    const twice = respelled(files, "Src/file.ts", "./Src/file.ts/../file.ts", "4");
    expect(await twice.catch((error: Error) => error.message)).toBe(true);
  });

  test("a file that was changed meanwhile keeps its name", async () => {
    const at = newGround();
    const { files } = played("darwin", at.root);
    at.put("Work/a.ts", "1");
    const changing = (bytes: Uint8Array | null) => {
      at.put("Work/a.ts", "theirs");
      return bytes;
    };
    expect(await rename(files, "a.ts", "A.ts", changing)).toBe(false);
    expect(treeOf(join(at.root, "Work"))).toEqual({ "a.ts": "theirs" });
  });

  test("a batch moves it, and undo gives the old spelling back", async () => {
    const at = newGround();
    const { files } = played("darwin", at.root);
    at.put("Work/a.ts", "one\ntwo\n");
    at.put("Work/b.ts", "one\n");
    const session = new Session({ files, store: memoryStore(), agent: "one", clock: Date.now });
    await session.read({ path: "a.ts" });
    const move: EditRequest = { path: "a.ts", edits: [{ op: "move_file", to: "A.ts" }] };
    const made: EditRequest = { path: "c.ts", edits: [{ op: "create_file", text: "new" }] };
    const done = await session.multiEdit({ files: [move, made] });
    expect(done.text).toContain("a.ts: moved to A.ts");
    expect(treeOf(join(at.root, "Work"))).toEqual({ "A.ts": "one\ntwo\n", "b.ts": "one\n", "c.ts": "new" });
    // What was read under the old spelling still counts.
    const edit: Edit = { op: "replace_text", old: "two", new: "2" };
    expect((await session.edit({ path: "A.ts", edits: [edit] })).details).toMatchObject({
      status: "applied",
    });
    await session.undo({});
    await session.undo({});
    expect(treeOf(join(at.root, "Work"))).toEqual({ "a.ts": "one\ntwo\n", "b.ts": "one\n" });
    const onto: EditRequest = { path: "a.ts", edits: [{ op: "move_file", to: "B.ts" }] };
    await session.read({ path: "a.ts" });
    expect((await session.multiEdit({ files: [onto] })).details).toMatchObject({ code: "exists" });
    const both: EditRequest = { path: "b.ts", edits: [{ op: "move_file", to: "A.ts" }] };
    expect((await session.multiEdit({ files: [move, both] })).details).toMatchObject({ code: "bad_request" });
  });

  test("macOS: accents in either form are one name", async () => {
    const at = newGround();
    const { files } = played("darwin", at.root);
    const keys = await Promise.all(
      ["caf\u00e9", "cafe\u0301"].map(async (path) => (await files.identify(path)).key),
    );
    expect(new Set(keys).size).toBe(1);
  });

  test("Linux: they are two", async () => {
    const files = newGround().files();
    const keys = await Promise.all(["a", "A"].map(async (path) => (await files.identify(path)).key));
    expect(new Set(keys).size).toBe(2);
  });

  test("a root in another case, a drive in another case", async () => {
    const at = newGround();
    mkdirSync(join(at.root, "Work"));
    const system = playedSystem("win32", at.root);
    const files = nodeFiles({ roots: ["C:\\wORK"], state: "C:\\State", ...system });
    expect(await commit(files, { "C:/Work/a.txt": "1", "sub\\b.txt": "2" })).toBe(true);
    expect(at.tree()).toMatchObject({ "Work/a.txt": "1", "Work/sub/b.txt": "2" });
    await expect(files.identify("C:\\Workshop\\a.txt")).rejects.toMatchObject({ code: "outside_roots" });
    await expect(files.identify("D:\\a.txt")).rejects.toMatchObject({
      code: expect.stringMatching(/outside_roots|io/),
    });
  });
});

describe("Windows", () => {
  test("a file that another program has open for a moment is waited for", async () => {
    const at = newGround();
    const { files, openElsewhere } = played("win32", at.root);
    expect(await commit(files, { "a.txt": "1" })).toBe(true);
    openElsewhere.set(join(at.root, "Work/a.txt").toLowerCase(), 3);
    expect(await commit(files, { "a.txt": "2" })).toBe(true);
    expect(at.tree()).toMatchObject({ "Work/a.txt": "2" });
  });

  test("one that stays open: busy, nothing changed, nothing left", async () => {
    const at = newGround();
    const { files, openElsewhere } = played("win32", at.root);
    expect(await commit(files, { "a.txt": "1", "b.txt": "1" })).toBe(true);
    openElsewhere.set(join(at.root, "Work/b.txt").toLowerCase(), 1000);
    const message = "b.txt is open in another program; nothing was changed";
    await expect(commit(files, { "b.txt": "2" })).rejects.toMatchObject({ code: "busy", message });
    await expect(commit(files, { "a.txt": "2", "b.txt": "2" })).rejects.toMatchObject({ code: "busy" });
    await expect(commit(files, { "b.txt": null })).rejects.toMatchObject({ code: "busy" });
    expect(treeOf(join(at.root, "Work"))).toEqual({ "a.txt": "1", "b.txt": "1" });
  });

  test("what is compared once more, as its date tells nothing, is closed before it is replaced", async () => {
    const at = newGround();
    const { files, io } = played("win32", at.root);
    const path = join(at.root, "Work/a.txt");
    writeFileSync(path, "1");
    utimesSync(path, 4e9, 4e9);
    const { open, close, rename } = { ...io };
    const opened = new Map<number, string>();
    Object.assign(io, {
      open(...args) {
        const fd = open(...args);
        opened.set(fd, args[0]);
        return fd;
      },
      // And not `release`: what is closed beside other work is closed too late.
      close(fd) {
        opened.delete(fd);
        close(fd);
      },
      rename(from, to) {
        if ([...opened.values()].includes(to)) throw Object.assign(new Error("open"), { code: "EPERM" });
        rename(from, to);
      },
    } satisfies Partial<Io>);
    expect(await commit(files, { "a.txt": "2" })).toBe(true);
    expect(treeOf(join(at.root, "Work"))).toEqual({ "a.txt": "2" });
  });

  test("a lock that is about to vanish is waited for", async () => {
    const at = newGround();
    const { files, io } = played("win32", at.root);
    const file = await files.identify("a.txt");
    let refused = 3;
    const open = io.open;
    io.open = (path, flags, mode) => {
      if (path.includes("locks") && refused-- > 0)
        throw Object.assign(new Error("pending"), { code: "EPERM" });
      return open(path, flags, mode);
    };
    const system = { ...playedSystem("win32", at.root), io };
    const again = nodeFiles({ roots: ["C:\\Work"], state: "C:\\State", ...system });
    expect(await again.hold([file], (held) => held.commit([{ file, before: null, after: utf8("1") }]))).toBe(
      true,
    );
  });

  test.each(["con", "sub/NUL.txt", "COM1", "a.txt:stream", "a.", "a ", "a?b", "\\\\?\\C:\\Work\\a", "x<y"])(
    "%s names no file",
    async (path) => {
      const { files } = played("win32", newGround().root);
      await expect(files.identify(path)).rejects.toMatchObject({
        code: expect.stringMatching(/bad_request|outside/),
      });
    },
  );
});
