import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Recent } from "../../src/disk/read-file.js";
import { nodeIo } from "../../src/host/index.js";
import { type NodeStoreOptions, nodeStore } from "../../src/node.js";
import { Session } from "../../src/session/session.js";
import { faultyIo } from "../support/faulty.js";
import { commit, type Ground, newGround, text, utf8 } from "../support/node.js";
import { storing } from "../support/store.js";

describe("a file that is read again", () => {
  test("is the same object as long as it has the same bytes, whatever its date", async () => {
    const at = newGround();
    const path = at.put("a.txt", "old");
    const files = at.files();
    const file = await files.identify("a.txt");
    const first = await files.read(file);
    expect(await files.read(file)).toBe(first);
    utimesSync(path, 1, 1);
    expect(await files.read(file)).toBe(first);
    writeFileSync(path, "old");
    expect(await files.hold([file], (held) => held.read(file))).toBe(first);
    for (const other of ["odd", "older", "ol", ""]) {
      writeFileSync(path, other);
      expect(text(await files.read(file))).toBe(other);
    }
    expect(text(first)).toBe("old");
    rmSync(path);
    expect(await files.read(file)).toBe(null);
  });

  test("is read to its end where no size is announced, as some file systems do it", async () => {
    const at = newGround();
    const path = at.put("a.txt", "");
    const sizeless = (fd: number) => Object.assign(nodeIo.fstat(fd), { size: 0n, mtimeMs: 0n });
    const files = at.files({ io: { ...nodeIo, fstat: sizeless } });
    const file = await files.identify("a.txt");
    for (const content of ["", "old", "older", ""]) {
      writeFileSync(path, content);
      expect(text(await files.read(file))).toBe(content);
    }
    writeFileSync(path, "theirs");
    const write = { file, before: utf8(""), after: utf8("new") };
    expect(await files.hold([file], (held) => held.commit([write]))).toBe(false);
  });

  test("after a commit is what was committed", async () => {
    const at = newGround();
    at.put("a.txt", "old");
    const files = at.files();
    const file = await files.identify("a.txt");
    const after = utf8("new");
    const before = await files.read(file);
    expect(await files.hold([file], (held) => held.commit([{ file, before, after }]))).toBe(true);
    expect(await files.read(file)).toBe(after);
    // Others may have written meanwhile.
    expect(await commit(at.files(), { "a.txt": "yet" })).toBe(true);
    expect(text(await files.read(file))).toBe("yet");
  });

  test("is read anew where too much is kept, and in a process that ends soon", async () => {
    const at = newGround();
    const files = at.files();
    const read = async (path: string) => files.read(await files.identify(path));
    for (const path of ["a", "b", "c", "d", "e", "huge"])
      at.put(path, path.repeat(path === "huge" ? 1_100_000 : 1_000_000));
    const [first, , , , last] = [
      await read("a"),
      await read("b"),
      await read("c"),
      await read("d"),
      await read("e"),
    ];
    const huge = await read("huge");
    // Compared here: the comparison of a test looks through all of them.
    const isSame = [(await read("e")) === last, (await read("a")) === first, (await read("huge")) === huge];
    expect(isSame).toEqual([true, false, false]);
    const brief = at.files({ brief: true });
    const file = await brief.identify("a");
    const once = await brief.read(file);
    expect((await brief.read(file)) === once).toBe(false);
  });

  test("is not remembered for ever, however short it is", () => {
    const recent = new Recent();
    for (let count = 0; count < 10_000; count++) recent.keep(`${count}`, Uint8Array.of(1));
    expect(recent.get("0")).toBe(undefined);
    expect(recent.get("9999")).toBeDefined();
  });
});

describe("what is recorded of a file", () => {
  const open = (at: Ground, options: Partial<NodeStoreOptions> = {}) =>
    nodeStore({ state: at.state, workspace: { key: "w" }, ...options });

  test("is read again only if somebody recorded something since", async () => {
    const at = newGround();
    const [mine, theirs] = [open(at), open(at)];
    await storing(mine).saveFile("a", { round: 0 });
    const look = () => mine.look("a", "one");
    const first = await look();
    expect((await look()).ledger).toBe(first.ledger);
    expect((await look()).states[0]).toBe(first.states[0]);
    for (let round = 1; round < 40; round++) {
      // Long ones are written anew now and then, instead of appended to.
      await storing(round % 2 ? theirs : mine).saveFile("a", { round, text: "x".repeat(5000) });
      expect((await look()).ledger).toMatchObject({ round });
      expect((await theirs.look("a", "one")).ledger).toEqual((await look()).ledger);
    }
    await theirs.purge();
    expect((await look()).ledger).toBeNull();
  });

  test("is read where its stamp cannot be told, and recorded all the same", async () => {
    const at = newGround();
    at.put("a.txt", "one\ntwo\n");
    const isRecord = (call: string): boolean => call.startsWith("lstat") && call.includes("files");
    const { io } = faultyIo({ at: 1, error: "EIO", forGood: true, only: isRecord });
    const session = new Session({
      files: at.files(),
      store: open(at, { io }),
      agent: "one",
      clock: Date.now,
    });
    expect((await session.read({ path: "a.txt" })).isError).toBe(false);
    for (const [old, fresh] of [
      ["one", "1"],
      ["two", "2"],
    ] as const) {
      const { details } = await session.edit({
        path: "a.txt",
        edits: [{ op: "replace_text", old, new: fresh }],
      });
      expect(details).toMatchObject({ status: "applied", warnings: [] });
    }
    expect(at.get("a.txt")).toBe("1\n2\n");
  });
});
