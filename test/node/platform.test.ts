import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type NodeFiles, nodeFiles } from "../../src/node/index.js";
import { filesContract } from "../contract/files.js";
import { type PlayedSystem, playedSystem } from "./played.js";
import { commit, ground, newGround, treeOf, utf8 } from "./support.js";

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
